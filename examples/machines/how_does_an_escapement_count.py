"""
How does an escapement count?
=============================

A weight drives a wheel of 30 teeth; two pallets on the pendulum hold it and let one tooth pass a swing. While a tooth
slides down the slanted face of a pallet it pushes the pendulum on, and with it the clock goes. The pallets are held by
the teeth while the pendulum swings out (recoil), so the clock is faster than its pendulum alone.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Model, PolygonOn, Revolute, Torque, contact_between, ground

R, length, lift, tip, slope = 0.03, 0.25, np.radians(2.0), 0.006, np.sqrt(0.5)
pivot, swing = np.array([0, np.sqrt(2) * R]), np.radians(4.0)


def pallet(place):
    """A quadrilateral whose slanted face lies in the way of the teeth, seen from the pendulum's centre of mass."""
    out = np.array([np.cos(place), np.sin(place)])
    ahead = np.array([out[1], -out[0]])  # the way of a tooth there
    low = R * (1 - lift) * out - pivot + [0, length]
    high = low - 0.3 * R * slope * (ahead - out)
    back = 0.01 * R * ahead
    return [tuple(corner) for corner in (low, low + back, high + back + 0.3 * R * slope * ahead, high)]


bob = tuple(pivot + length * np.array([np.sin(swing), -np.cos(swing)]))
wheel, pendulum = Body("wheel", 0.02, 0.01 * R**2), Body("pendulum", 0.2, 1e-4, center=bob, angle=swing)
places = np.radians(12 * np.arange(30) + 10)
teeth = [CircleOn(wheel, (R * np.cos(at), R * np.sin(at)), tip * R) for at in places]
pallets = {name: PolygonOn(pendulum, pallet(np.radians(at))) for name, at in (("entry", 135), ("exit", 45))}
contacts = [contact_between(f"{name}{k}", teeth[k], pallets[name], friction=0.1) for name in pallets for k in range(30)]
joints = [Revolute("arbor", ground, wheel), Revolute("pivot", ground, pendulum, tuple(pivot), (0, length))]
forces = [Torque(wheel, -1.5e-3), Torque(pendulum, -2e-4 * pendulum.d_theta)]
parts = {"joints": joints, "forces": forces, "contacts": contacts, "gravity": 9.81}
clock = jounce.compile_model(Model.from_bodies("clock", bodies=[wheel, pendulum], **parts), bodies="tables")
run = jounce.simulate(clock, None, t_end=6.0, tolerance=1e-9)
ticks = run.events[run.events.kind == "impact"]

t = np.linspace(0.0, 6.0, 1500)
figure, axes = plt.subplots(2, sharex=True, figsize=(7, 4), layout="constrained")
turned, swung = np.degrees(run.states(t)[:, [2, 5]]).T
axes[0].plot(t, swung)
axes[1].plot(t, -turned / 12)
axes[0].set(ylabel="pendulum [degrees]")
axes[1].set(xlabel="t [s]", ylabel="teeth passed")

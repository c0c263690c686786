"""
How does an egg rock?
=====================

A wooden egg is put down at an angle, lands without a rebound and rolls to and fro. Small swings about its lowest
position take 2 pi sqrt((J + m h²)/(m g (R - h))), h the height of its centre of mass and R the radius of curvature
below it; large ones take longer, and an egg that is put down at 1 rad rolls over its end.
"""

import numpy as np
import sympy as sp
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CurveOn, Line, Model, contact_between, ground

s = sp.Symbol("s")
egg_shape = (0.03 * sp.cos(s), 0.022 * sp.sin(s) * (1 + 0.15 * sp.cos(s)))
# area, centre and inertia of the plate from sums over its outline, exact for such a curve
x, y, dx, dy = sp.lambdify(s, [*egg_shape, *(sp.diff(part, s) for part in egg_shape)])(
    np.linspace(0, 2 * np.pi, 65)[1:]
)
area, middle = np.mean(x * dy), np.mean(x**2 / 2 * dy) / np.mean(x * dy)
inertia = np.mean(x**3 * dy - y**3 * dx) / 3 / area - middle**2
egg = Body("egg", mass=1.0, inertia=inertia, center=(0, 0.04))
touch = contact_between("floor", CurveOn(egg, egg_shape, s, center=(-middle, 0)), Line(ground), friction=2)
system = jounce.compile_model(Model.from_bodies("rocking_egg", bodies=[egg], gravity=9.81, contacts=[touch]))

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
times, swings, periods = np.linspace(0.3, 3.0, 20000), [], []
for tilt in (0.17, 0.25, 0.35, 0.5, 0.6, 0.7):
    run = jounce.simulate(system, {"egg_theta": tilt}, t_end=3.0)
    theta, rate = run.states(times)[:, [2, 5]].T
    turning = np.flatnonzero((rate[:-1] > 0) & (rate[1:] <= 0))  # farthest to the left, once a period
    swings.append(np.ptp(theta) / 2)
    periods.append((times[turning[-1]] - times[turning[0]]) / (len(turning) - 1))
    axes[0].plot(theta, rate, lw=0.8)
axes[0].set(xlabel="angle [rad]", ylabel="angular velocity [rad/s]")
axes[1].plot(swings, periods, "o-")
axes[1].set(xlabel="half the swing [rad]", ylabel="period [s]")
jounce.plot.animate(run, "egg.gif", speed=0.3)

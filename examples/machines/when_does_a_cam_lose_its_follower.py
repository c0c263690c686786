"""
When does a cam lose its follower?
==================================

A spring presses the follower onto the cam, whose lift is a table over the angle. The faster the cam turns the less
force is left behind its nose, where the follower must come down: beyond w^2 = 2 (k (s + h) + m g)/(m h) it jumps.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import pi

import jounce

m, k, s, h = 0.2, 2000.0, 0.01, 0.01  # kg, N/m, preload and lift of the spring in m
angles = np.linspace(0.0, 2 * np.pi, 73)
lifts = h * (1 - np.cos(angles)) / 2
lifts[-1] = lifts[0]
y, dy = jounce.coordinate("y", "m")
w = jounce.parameter("w", 150.0, "rad/s", "speed of the cam")
nose = jounce.Contact("cam", gap=y - jounce.table(w * jounce.time, angles, lifts, "periodic"), restitution=0.3)
model = jounce.Model("valve", [y], [m], [-m * 9.81 - k * (y + s)], contacts=[nose], period=2 * pi / w)
valve = jounce.compile_model(model)
limit = np.sqrt(2 * (k * (s + h) + m * 9.81) / (m * h))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
speeds, jumps = np.linspace(0.9, 1.3, 21) * limit, []
for speed in speeds:
    run = jounce.simulate(valve, {"y": 0.0}, t_end=20 * np.pi / speed, w=speed)
    turn = np.linspace(16 * np.pi, 18 * np.pi, 600) / speed
    y_of, lift = run.states(turn)[:, 0], np.interp(speed * turn - 16 * np.pi, angles, lifts)
    jumps.append(1e3 * max(y_of - lift))
    if speed in (speeds[0], speeds[-1]):
        label = f"{speed / limit:.1f} of the limit"
        left.plot(np.degrees(speed * turn - 16 * np.pi), 1e3 * y_of, label=label)
left.set(xlabel="angle of the cam [deg]", ylabel="follower [mm]")
left.legend()
right.plot(speeds / limit, jumps, "o-", ms=3)
right.axvline(1.0, color="grey", lw=0.8, ls=":")
right.set(xlabel="speed of the cam / limit", ylabel="highest jump [mm]")

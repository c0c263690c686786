"""
How fast does a vibrating feeder convey?
========================================

A track shakes up and along at once. While it rises it presses the parts and takes them along; while it falls
they are light and slide on: parts climb without anything pushing them. Here they never leave the track (A
omega² < g).
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, pi, sin

import jounce
from jounce import Contact, Model, coordinates, parameters

(x, dx), (y, dy) = coordinates("x y", "m")
A, B, omega, mu, g = parameters(
    A=(0.5e-3, "m", "amplitude upwards"),
    B=(2e-3, "m", "amplitude along"),
    omega=(2 * np.pi * 20, "rad/s"),
    mu=(0.3, ""),
    g=(9.81, "m/s^2"),
)
t = jounce.time
track = Contact("track", gap=y - A * sin(omega * t), slip=dx - B * omega * cos(omega * t), friction=mu)
part = Model.from_lagrangian(
    "feeder",
    coordinates=[x, y],
    kinetic=(dx**2 + dy**2) / 2,
    potential=g * y,
    contacts=[track],
    period=2 * pi / omega,
)
system = jounce.compile_model(part)
lifts, speeds = np.linspace(0, 0.6e-3, 7), []
for lift in lifts:
    start = {"d_y": lift * 2 * np.pi * 20}
    run = jounce.simulate(system, start, t_end=2.0, A=float(lift))
    speeds.append((run.final["x"] - run.at(1.5)["x"]) / 0.5)  # over whole periods

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(1000 * lifts, 1000 * np.array(speeds), "o-")
axes.set(xlabel="amplitude upwards [mm]", ylabel="speed of the parts [mm/s]")

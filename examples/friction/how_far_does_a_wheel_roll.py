"""
How far does a wheel roll?
==========================

A wheel is thrown onto the floor without spin. It slides until it rolls, and would roll for ever if the floor were hard.
On a carpet the force that carries it runs ahead of the wheel by an arm of a few millimetres: it rolls out, stops, and
stays, also on a slope below arm/R.
"""

import numpy as np
import sympy as sp
from matplotlib import pyplot as plt

import jounce
from jounce import Contact

(x, dx), (y, dy), (turn, spin) = (jounce.coordinate(*pair) for pair in (("x", "m"), ("y", "m"), ("turn", "rad")))
R, arm, slope = jounce.parameters(R=(0.3, "m"), arm=(0.006, "m", "rolling resistance"), slope=(0.0, "rad"))
wheel = jounce.Model.from_lagrangian(
    "wheel",
    coordinates=[x, y, turn],
    kinetic=(dx**2 + dy**2) / 2 + R**2 * spin**2 / 4,
    potential=9.81 * (y * sp.cos(slope) - x * sp.sin(slope)),
    contacts=[
        Contact("floor", gap=y, slip=dx - R * spin, friction=0.4),
        Contact("rolling", slip=spin, friction=arm, load="floor"),
    ],
)
system = jounce.compile_model(wheel)

times = np.linspace(0.0, 25.0, 1500)
runs = {angle: jounce.simulate(system, {"d_x": 3.0}, t_end=25.0, slope=angle) for angle in (-0.01, 0.0, 0.01, 0.019)}
figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
for angle, run in runs.items():
    axis.plot(times, [state["d_x"] for state in run.at(times)], label=f"slope {angle}")
axis.set(xlabel="t [s]", ylabel="speed [m/s]")
axis.legend()

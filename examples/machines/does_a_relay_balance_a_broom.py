"""
Does a relay balance a broom?
=============================

A motor that knows only full power to the left and full power to the right holds a broom upright: it switches by the
sign of θ + θ'. Once on that line the broom cannot leave it any more: the relay slides, and the broom rises as e^(-t).
From rest it is caught where the motor is stronger than gravity, sin θ < U.
"""

import numpy as np
import sympy as sp
from matplotlib import pyplot as plt

import jounce

theta, dtheta = jounce.coordinate("theta", "rad")
U = jounce.parameter("U", 0.5, "1/s^2", "the motor's strength")
relay = jounce.Switch("relay", theta + dtheta)
broom = jounce.Model("broom", [theta], [1], [sp.sin(theta) - U * relay])
system = jounce.compile_model(broom)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
runs = {angle: jounce.simulate(system, {"theta": angle}, t_end=8.0) for angle in (0.2, 0.4, 0.5, 0.52, 0.53, 0.55)}
for angle, run in runs.items():
    t = np.linspace(0.0, 8.0, 1600)
    states = run.at(t)
    left.plot(t, [state["theta"] for state in states])
    right.plot([s["theta"] for s in states], [s["d_theta"] for s in states], label=f"from {angle} rad")
left.set(xlabel="t [s]", ylabel="angle of the broom [rad]", ylim=(-0.1, 1.2))
right.legend(loc="upper left", bbox_to_anchor=(1, 1))
line = np.array([-0.2, 0.6])
right.plot(line, -line, ":", color="grey")
right.set(xlabel="angle [rad]", ylabel="its rate [rad/s]", xlim=(-0.1, 0.8), ylim=(-0.5, 0.4))

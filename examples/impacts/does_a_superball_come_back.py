"""
Does a superball come back?
===========================

A very elastic, rough ball turns both its normal and its tangential velocity round at every bounce. Thrown under a table
it comes back, by itself: after floor, table and floor it has -333/343 of its velocity (Garwin 1969). The law is written
as a function of the impact's numbers.
"""

import numpy as np
import sympy as sp
from matplotlib import pyplot as plt

import jounce


def superball(impact):
    """Both velocities turn round; A and C are the mobilities along the surface and across it."""
    return -2 * impact.v_n / impact.C, -2 * impact.v_t / impact.A


x, dx = jounce.coordinate("x", "m")
y, dy = jounce.coordinate("y", "m")
theta, dtheta = jounce.coordinate("theta", "rad")
r, law = sp.Rational(1, 40), jounce.OwnImpact(superball)
ball = jounce.Model.from_lagrangian(
    "superball",
    coordinates=[x, y, theta],
    kinetic=(dx**2 + dy**2 + 2 * r**2 * dtheta**2 / 5) / 2,
    contacts=[
        jounce.Contact("floor", gap=y - r, slip=dx + r * dtheta, law=law),
        jounce.Contact("table", gap=sp.Rational(7, 10) - y - r, slip=dx - r * dtheta, law=law),
    ],
    drawing=[
        *(jounce.Ground(0), jounce.Segment((-0.2, 0.7), (1.2, 0.7), body="ground")),
        jounce.Circle((x, y), r, angle=theta, body="ball"),
    ],
)
run = jounce.simulate(ball, {"x": -0.5, "y": 0.5, "d_x": 3.0, "d_y": -4.0}, t_end=0.55)
jounce.plot.animate(run, "superball.gif", speed=0.1)
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
states = run.at(np.linspace(0.0, 0.55, 600))
axis.plot([state["x"] for state in states], [state["y"] for state in states], ".", markersize=2)
axis.axhline(0.0, color="black")
axis.plot([-0.2, 1.2], [0.7, 0.7], color="black")
axis.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="in from the left, and out again")

"""
Does a pushed box slide or tip?
===============================

Push a box with a force just above the friction. Pushed low it slides, pushed high it tips over its front
edge. The boundary is at the height b/mu, half width over friction.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Corners, Force, Line, Model, Polygon, contact_between, ground, parameters

height, mu = parameters(height=(0.3, "m", "of the push"), mu=(0.5, ""))
b, h, mass = 0.2, 0.5, 10.0  # half width, half height
outline = Polygon([(-b, -h), (b, -h), (b, h), (-b, h)])
box = Body("box", mass=mass, inertia=mass * (b**2 + h**2) / 3, center=(0, h), shapes=[outline])
feet = Corners(box, {"back": (-b, -h), "front": (b, -h)})
model = Model.from_bodies(
    "pushed_box",
    bodies=[box],
    gravity=9.81,
    forces=[Force(box, (1.01 * mu * mass * 9.81, 0), at=(0, height - h))],
    contacts=contact_between("foot", feet, Line(ground, (0, 0), (1, 0)), friction=mu),
)
system = jounce.compile_model(model)


def tips(push: float) -> bool:
    """Whether the back foot has left the floor after a tenth of a second."""
    run = jounce.simulate(system, None, t_end=0.1, height=push)
    return run.final.mode_names[0] == "OPEN"


jounce.plot.animate(jounce.simulate(system, None, t_end=0.4, height=0.8), "box.gif", speed=0.1)
heights = np.linspace(0.025, 0.925, 19)
outcome = [tips(float(push)) for push in heights]
boundary = (heights[outcome.index(True)] + heights[outcome.index(True) - 1]) / 2

figure, axes = plt.subplots(figsize=(7, 2.5), layout="constrained")
axes.plot(heights, outcome, "o")
axes.axvline(b / 0.5, color="gray", ls=":")
axes.set(xlabel="height of the push [m]", yticks=[0, 1], yticklabels=["slides", "tips"])

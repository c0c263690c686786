"""
How does a box tumble downstairs?
=================================

A box is thrown down twelve steps with a spin. Its corners may meet treads, risers and the floor, the noses of the
steps its sides; friction and restitution do the rest. Where it comes to lie hangs on the spin.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Corners, Line, Model, PolygonOn, contact_between, ground

steps, depth, rise, a, b = 12, 0.25, 0.2, 0.12, 0.08  # size of a step; half sides of the box
corners = [(-a, -b), (a, -b), (a, b), (-a, b)]
inertia = 0.5 * (a**2 + b**2) / 3
box = Body("box", mass=0.5, inertia=inertia, center=(0, 0.3), velocity=(1.0, 0), spin=-3.0)
touch = {"restitution": 0.5, "friction": 0.3}
foot = -steps * rise
contacts = contact_between("floor", Corners(box, corners), Line(ground, (0, foot), (1, 0)), **touch)
for k in range(steps):  # a block of the ground each, from the floor to its tread
    nose = ((k + 1) * depth, -k * rise)
    block = PolygonOn(ground, [(-0.5, foot), (nose[0], foot), nose, (-0.5, nose[1])])
    contacts += contact_between(f"step{k}", PolygonOn(box, corners), block, **touch)
system = jounce.compile_model(Model.from_bodies("stairs", bodies=[box], gravity=9.81, contacts=contacts))
run = jounce.simulate(system, None, t_end=8.0)
hits = run.events[run.events["kind"] == "impact"]
jounce.plot.animate(run, "stairs.gif", speed=0.5, t_to=hits["t"].iloc[-1])

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.step(depth * np.arange(20), -rise * np.minimum(np.arange(20), steps), where="post", color="gray")
for x, y, angle in run.states(np.linspace(0, run.events.t.iloc[-1], 150))[:, :3]:
    turned = np.array([*corners, corners[0]]) @ [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    axes.plot(x + turned[:, 0], y + turned[:, 1], color="C0", lw=0.8)
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")

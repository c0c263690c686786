"""
Where is the sweet spot of a bat?
=================================

A bat swings about a pivot (the hands) and meets a ball. The impulse that the hands feel depends on where the
ball hits, and vanishes at the centre of percussion: two thirds of the length for a uniform bat.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Line, Model, Revolute, contact_between, ground, parameters

L, m, place = parameters(
    L=(0.9, "m", "length of the bat"), m=(1.0, "kg", "its mass"), place=(0.6, "m", "of the ball, from the hands")
)
bat = Body("bat", mass=m, inertia=m * L**2 / 12, center=(0.45, 0), angle=0.0, spin=20.0)
ball = Body("ball", mass=0.15, inertia=1e-4, center=(place, 0.2), angle=0.0)
hit = contact_between("hit", CircleOn(ball, (0, 0), 0.04), Line(bat, (-L / 2, 0), (1, 0)), restitution=0.5)
model = Model.from_bodies(
    "bat", bodies=[bat, ball], joints=[Revolute("hands", ground, bat, (0, 0), (-L / 2, 0))], contacts=[hit]
)
system = jounce.compile_model(model)
places, impulses = np.linspace(0.4, 0.8, 11), []
for where in places:
    start = system.state(ball_x=where, ball_y=0.04 + 1e-9)
    run = jounce.simulate(system, start, t_end=0.01, place=where)
    impulses.append(run.joint_impulses()["hands.y"].iloc[0])
sweet_spot = float(np.interp(0.0, impulses[::-1], places[::-1]))

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(places, impulses, "o-")
axes.axhline(0, color="gray", lw=0.8)
axes.axvline(0.6, color="gray", ls=":")
axes.set(xlabel="where the ball hits, from the hands [m]", ylabel="impulse on the hands [N s]")

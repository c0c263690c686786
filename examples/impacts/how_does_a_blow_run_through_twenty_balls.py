"""
How does a blow run through twenty balls?
=========================================

Newton's cradle of twenty balls on rods, a millimetre apart. Elastic impacts of equal masses hand the speed on from pair
to pair, so that the blow crosses each gap in the time gap/v and the last ball rises as high as the first one was. With
a loss at each impact ball k gets (1 + e)/2 of the speed of the one before, and nineteen such factors leave little.
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Model, Revolute, contact_between, ground, parameters

number, radius, gap, length, aside = 20, 0.02, 1e-3, 0.3, -0.4
(e,) = parameters(e=(1.0, "", "restitution"))
pitch, balls = 2 * radius + gap, []
for k in range(number):
    angle = aside if k == 0 else 0.0
    place = (k * pitch + length * np.sin(angle), -length * np.cos(angle))
    balls.append(Body(f"ball{k}", 0.1, 0.04 * radius**2, center=place, angle=angle))
rims = [CircleOn(ball, (0, 0), radius) for ball in balls]
rods = [Revolute(f"rod{k}", ground, ball, (k * pitch, 0), (0, length)) for k, ball in enumerate(balls)]
pairs = [contact_between(f"c{k}", b, a, restitution=e) for k, (a, b) in enumerate(pairwise(rims))]
system = jounce.compile_model(Model.from_bodies("cradle20", bodies=balls, joints=rods, contacts=pairs, gravity=9.81))
elastic = jounce.simulate(system, None, t_end=0.62)
lossy = jounce.simulate(system, None, t_end=0.62, e=0.95)
jounce.plot.animate(elastic, "cradle20.gif", speed=0.3)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
t = np.linspace(0, 0.62, 600)
for run, style, name in ((elastic, "C0", "e = 1"), (lossy, "C1", "e = 0.95")):
    angles = np.degrees(run.states(t)[:, 2 : 3 * number : 3])
    axes[0].plot(t, angles[:, [0, -1]], style, label=[name, None])
    hits = run.events.drop_duplicates("contact")
    axes[1].plot(hits.v_n_before.abs(), style + "o")
axes[0].set(xlabel="t [s]", ylabel="first and last ball [degrees]")
axes[0].legend()
axes[1].set(xlabel="pair", xticks=range(0, 19, 3), ylabel="speed of its first impact [m/s]", ylim=(0, None))

"""
How hard does a roller chain press on its wheel?
================================================

Sixty links with rollers on their pins lie over half of a wheel, and a force T pulls each end down. At the first roller
the chain turns by half of a, the angle between two rollers, so that the chords on the wheel carry T/cos(a/2). A roller
between two chords presses with 2 sin(a/2) times that, 2 T tan(a/2), the first and the last one with half of it.
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Force, Model, Revolute, contact_between, ground

number, wrapped, length, roller, m, T = 60, 20, 0.05, 0.01, 0.1, 10.0
turn, tail = np.pi / wrapped, (number - wrapped) // 2
reach = length / 2 / np.sin(turn / 2)
pins = [np.array([-reach, -length * k]) for k in range(tail, 0, -1)]
pins += [reach * np.array([-np.cos(turn * k), np.sin(turn * k)]) for k in range(wrapped + 1)]
pins += [np.array([reach, -length * k]) for k in range(1, tail + 1)]
links = [
    Body(f"link{k}", m, m * length**2 / 12, center=tuple((a + b) / 2), angle=float(np.arctan2(*(b - a)[::-1])))
    for k, (a, b) in enumerate(pairwise(pins))
]
joints = [Revolute(f"pin{k + 1}", a, b, (length / 2, 0), (-length / 2, 0)) for k, (a, b) in enumerate(pairwise(links))]
wheel = CircleOn(ground, (0, 0), float(reach) - roller)
rims = [contact_between(f"roller{k}", CircleOn(links[k], (-length / 2, 0), roller), wheel) for k in range(1, number)]
pulls = [Force(links[0], (0, -T), at=(-length / 2, 0)), Force(links[-1], (0, -T), at=(length / 2, 0))]
parts = {"joints": joints, "contacts": rims, "forces": pulls}
chain = jounce.compile_model(Model.from_bodies("chain", bodies=links, **parts))
rest = jounce.simulate(chain, None, t_end=1.0)
names = [f"roller{k}" for k in range(tail, tail + wrapped + 1)]
forces = rest.contact_forces(np.array([0.5])).lambda_N.sel(contact=names).values.ravel()
figure, axes = plt.subplots(figsize=(5, 4.5), layout="constrained")
axes.add_patch(plt.Circle((0, 0), reach - roller, fc="0.9", ec="gray"))
axes.plot(*np.array(pins).T, "o-", ms=4, lw=0.8)
for place, force in zip(pins[tail : tail + wrapped + 1], forces, strict=True):
    axes.annotate("", place, place * (1 + 0.2 * force), arrowprops={"arrowstyle": "->", "color": "C3"})
axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", xlim=(-0.6, 0.6), ylim=(None, 0.6))
axes.set(title=f"a roller presses with {forces[5]:.3f} N")

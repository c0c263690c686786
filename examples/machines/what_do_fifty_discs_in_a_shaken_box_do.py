"""
What do fifty discs in a shaken box do?
=======================================

Fifty discs with friction in a box that is shaken sideways; each may touch each other and every wall, 1,425 contacts, of
which the engine looks at those that are near. What the walls have given is what the discs have of momentum, and the
energy that the walls brought in is what is left and what impacts and friction have lost: to rounding, at any time.
"""

from itertools import combinations

import numpy as np
from matplotlib import pyplot as plt
from sympy import sin

import jounce
from jounce import Body, CircleOn, Line, Model, contact_between, ground, time

number, radius, size, g, t_end = 50, 0.05, 1.2, 9.81, 0.25
random, columns = np.random.default_rng(number), 8
places = [(np.array([k % columns, k // columns]) + 0.5) * size / columns for k in range(number)]
start = [{"center": tuple(place), "velocity": tuple(random.uniform(-1, 1, 2))} for place in places]
discs = [Body(f"d{k}", 1.0, 0.5 * radius**2, **moves) for k, moves in enumerate(start)]
rims, x = [CircleOn(disc, (0, 0), radius) for disc in discs], 0.02 * sin(20 * time)
ways = {"floor": ((x, 0), (1, 0)), "roof": ((x, size), (-1, 0))}
ways |= {"left": ((x, 0), (0, -1)), "right": ((x + size, 0), (0, 1))}
touch = {"friction": 0.2, "restitution": 0.9}
walls = [contact_between(f"{w}{k}", r, Line(ground, *ways[w]), **touch) for w in ways for k, r in enumerate(rims)]
pairs = [contact_between(f"pair{i}_{k}", rims[i], rims[k], **touch) for i, k in combinations(range(number), 2)]
box = Model.from_bodies("shaken_box", bodies=discs, gravity=g, contacts=walls + pairs)
run = jounce.simulate(jounce.compile_model(box), None, t_end)
given = np.array([0.0, -number * g * t_end])
for wall, (n_x, n_y) in {"floor": (0, 1), "roof": (0, -1), "left": (1, 0), "right": (-1, 0)}.items():
    own = run.events[run.events.contact.str.startswith(wall)]
    given += own.p_n.sum() * np.array([n_x, n_y]) + own.p_t.sum() * np.array([n_y, -n_x])
momentum = (run.final.u - run.start.u).reshape(-1, 3)[:, :2].sum(axis=0)
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for panel, t in zip(axes, (0.0, t_end / 2, t_end), strict=True):
    for X, Y in run.at(t).q.reshape(-1, 3)[:, :2]:
        panel.add_patch(plt.Circle((X, Y), radius, fc="C0", ec="k", lw=0.4))
    left = 0.02 * np.sin(20 * t)
    panel.plot(left + size * np.array([0, 1, 1, 0, 0]), size * np.array([0, 0, 1, 1, 0]), "gray")
    panel.set(aspect="equal", title=f"t = {t:.3f} s", xlabel="x [m]")
axes[0].set_ylabel("y [m]")

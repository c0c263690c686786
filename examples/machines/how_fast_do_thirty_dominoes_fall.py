"""
How fast does a wave run through thirty dominoes?
=================================================

Dominoes that have been hit lean on one another, and all of them push the first of the wave: it runs faster and faster
up to a speed of its own, which friction between the dominoes lowers. They turn about their front edges and collide
without rebound, all that lean at once (van Leeuwen 2010).
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Line, Model, Options, PointOn, Polygon, Revolute, contact_between, ground

a, b, d, number = 0.005, 0.025, 0.02, 30  # half a thickness, half a height, the distance
mu = jounce.parameter("mu", 0.2, "", "friction between the dominoes")
outline = [Polygon([(-a, -b), (a, -b), (a, b), (-a, b)])]
row = [Body(f"d{k}", 0.01, 0.01 * (a * a + b * b) / 3, center=(k * d - a, b), shapes=outline) for k in range(number)]
edges = [Revolute(f"edge{k}", ground, domino, (k * d, 0), (a, -b)) for k, domino in enumerate(row)]
bases = [contact_between(f"base{k}", PointOn(domino, (-a, -b)), Line(ground)) for k, domino in enumerate(row)]
backs = [
    contact_between(f"hit{k + 1}", PointOn(one, (a, b)), Line(next_one, (-a, -b), (0, 2 * b)), friction=mu)
    for k, (one, next_one) in enumerate(pairwise(row))
]
push = {row[0].d_theta: -8.0, row[0].d_x: 8.0 * b, row[0].d_y: 8.0 * a}
system = jounce.compile_model(
    Model.from_bodies("row", bodies=row, joints=edges, gravity=9.81, contacts=bases + backs, start=push)
)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
hits = {}
for friction, t_end in ((0.0, 0.65), (0.4, 0.98)):
    run = jounce.simulate(system, None, t_end, mu=friction, options=Options(simultaneous="joint", law="newton"))
    first = run.events[(run.events.kind == "impact")].drop_duplicates("contact")
    hits[friction] = first[first.contact.str.startswith("hit")].t.to_numpy()
    axes.plot(np.arange(2, len(hits[friction]) + 1), d / np.diff(hits[friction]), "o-", ms=3, label=f"μ = {friction}")
    if friction > 0:
        jounce.plot.animate(run, "dominoes.gif", speed=0.3)
axes.set(xlabel="domino", ylabel="speed of the wave [m/s]", ylim=(0, None))
axes.legend()

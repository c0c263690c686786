"""
How fast does a row of dominoes fall?
=====================================

Each domino turns about its front edge and stands on its base until it is pushed; its upper corner strikes the
back of the next one. The gap between neighbours is d cos(b) - h sin(a - b) - w for the angles a and b.
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, sin

import jounce
from jounce import Contact, Model, coordinates, parameters

number = 5
dominoes = coordinates(" ".join(f"a{k}" for k in range(number)), "rad")
h, w, d, g, e = parameters(
    h=(0.048, "m", "height"), w=(0.0075, "m", "width"), d=(0.025, "m", "distance"), g=(9.81, "m/s^2"), e=(0.0, "")
)
model = Model.from_lagrangian(
    "dominoes",
    coordinates=[a for a, _ in dominoes],
    kinetic=sum((h**2 + w**2) / 3 * v**2 for _, v in dominoes) / 2,
    potential=sum(g * (h / 2 * cos(a) + w / 2 * sin(a)) for a, _ in dominoes),
    contacts=[
        *(Contact(f"base{k}", gap=h * a) for k, (a, _) in enumerate(dominoes) if k > 0),
        *(
            Contact(f"hit{k}", gap=d * cos(b) - h * sin(a - b) - w, restitution=e)
            for k, ((a, _), (b, _)) in enumerate(pairwise(dominoes), start=1)
        ),
    ],
)
run = jounce.simulate(model, {"d_a0": 8.0}, t_end=0.22)
hits = [run.events[run.events["contact"] == f"hit{k}"].iloc[0]["t"] for k in range(1, number)]
speeds = 0.025 / np.diff(hits)

times = np.linspace(0, 0.22, 600)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(1000 * times, np.degrees(run.states(times)[:, :number]))
axes.set(xlabel="t [ms]", ylabel="angle [degrees]", title=f"the wave runs at {speeds[-1]:.2f} m/s")

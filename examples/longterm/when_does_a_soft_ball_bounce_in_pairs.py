"""
When does a soft ball bounce in pairs?
======================================

On a shaking table a hard ball bounces alike each time up to a strength of the shaking that has a closed form, then in
pairs. A soft ball stays on the table for a while. The orbit is followed through touch and release, and its doubling is
found for softer and softer balls with the same restitution: the longer they touch, the earlier they limp.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import log, pi, sin, sqrt

import jounce
from jounce import Contact, KelvinVoigt, Model, coordinate, parameters, time

y, dy = coordinate("y", "m")
k, strength, omega, e = parameters(k=(1e4, "N/m"), strength=1.0, omega=(40.0, "rad/s"), e=0.5)
g, m = 9.81, 1.0
damping = -2 * log(e) * sqrt(k * m / (pi**2 + log(e) ** 2))  # an adhesive damper that returns e
table = Contact("table", gap=y - strength * g / omega**2 * sin(omega * time), compliance=KelvinVoigt(k, damping, True))
energies = {"coordinates": [y], "kinetic": m * dy**2 / 2, "potential": m * g * y}
ball = Model.from_lagrangian("soft_ball", **energies, contacts=[table], period=2 * pi / omega, start={y: 0.03})
system = jounce.compile_model(ball)

flight = np.pi * (1 - 0.5) / (1 + 0.5)
hard = np.hypot(flight, 2 * (1 + 0.5**2) / (1 + 0.5) ** 2)  # A omega^2/g where the hard ball's multiplier is -1
phase, half = np.arccos(flight / 1.45), np.pi / 40  # the hard ball's touch, and half of its flight
top = {"t": phase / 40 + half, "y": 1.45 * g / 40**2 * np.sin(phase) + g * half**2 / 2, "d_y": 0.0}
stiffness, doublings = np.geomspace(1e6, 1e9, 4), []
for value in stiffness:
    orbit = jounce.find_orbit(system, top, period=1, k=value, strength=1.45)
    branch = jounce.continue_orbit(orbit, "strength", (1.4, 1.6))
    doublings.append(branch.find("period_doubling")[0].parameter)

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.semilogx(stiffness, doublings, "o-")
axes.axhline(hard, color="gray", ls=":", label="rigid table")
axes.legend(loc="center right")
axes.set(xlabel="stiffness [N/m]", ylabel="acceleration of the table, in g, at the doubling")

"""
Where does a ball bounce once a period?
=======================================

An atlas of the ball on a shaking table, over its frequency and the restitution. The motion of one bounce a period is
born in a fold and begins to bounce in pairs in a flip; in between it is stable. Both borders are followed in two
parameters and compared with their closed forms, which are dotted.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

system = jounce.compile_model(jounce.systems.ball_on_table())
orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
branch = jounce.continue_orbit(orbit, "omega", (1.0, 4.0))
plane = {"omega": (0.8, 5.0), "e": (0.3, 0.95)}
fold = jounce.fold_curve(branch.find("fold")[0], plane, step=0.1).table
flip = jounce.flip_curve(branch.find("period_doubling")[0], plane, step=0.1).table

e = np.linspace(0.3, 0.95, 200)
born = np.pi * (1 - e) / (1 + e)  # the acceleration of the table, in g
pairs = np.sqrt(born**2 + (2 * (1 + e**2) / (1 + e) ** 2) ** 2)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.fill_betweenx(e, np.sqrt(9.81 * born), np.sqrt(9.81 * pairs), color="C0", alpha=0.15, lw=0)
axes.plot(fold["omega"], fold["e"], "C0", label="fold: one bounce a period is born")
axes.plot(flip["omega"], flip["e"], "C1", label="flip: it begins to bounce in pairs")
for border in (born, pairs):
    axes.plot(np.sqrt(9.81 * border), e, "k:", lw=1)
axes.text(2.7, 0.75, "stable")
axes.set(xlabel="frequency of the table [rad/s]", ylabel="restitution", ylim=(0.3, 0.95))
axes.legend(loc="lower left")

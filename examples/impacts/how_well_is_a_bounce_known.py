"""
How well is the time of the last bounce known?
==============================================

A ball is dropped from a height that is known to a centimetre, with a restitution known to two parts in a hundred. It
bounces infinitely often in a finite time, sqrt(2 h/g) (1 + e)/(1 - e). Ten thousand runs on a Sobol sequence say how
far that time spreads.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

ball = jounce.compile_model(jounce.systems.bouncing_ball())
runs = jounce.ensemble(
    ball,
    {"y": jounce.Normal(1.0, 0.01)},
    t_end=12.0,
    parameters={"e": jounce.Normal(0.75, 0.015)},
    correlation={("y", "e"): -0.4},  # faster impacts dissipate more
    runs=10_000,
    method="sobol",
    events=["impact", "chatter"],
)
last = runs["chatter_first"]
print(f"{float(last.mean()):.3f} s on average, within {float(last.std()):.3f} s; {np.unique(runs.status)}")
figure, axes = plt.subplots(layout="constrained")
axes.hist(last, bins=80)
axes.set(xlabel="time of the last bounce [s]", ylabel="runs")

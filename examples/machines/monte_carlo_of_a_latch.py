"""
How reliably does a latch catch?
================================

A striker shoots into a catch and must stay there: pushed by a spring, it bounces at the stop, and if it comes
back beyond the catch's edge it is lost. Speed and restitution scatter from part to part. How many of 500
latches fail?
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Contact, Model, coordinate, parameters

x, dx = coordinate("x", "m")
m, F, e = parameters(m=(0.05, "kg"), F=(4.0, "N", "spring, nearly constant"), e=(0.5, ""))
striker = Model.from_lagrangian(
    "striker",
    coordinates=[x],
    kinetic=m * dx**2 / 2,
    potential=-F * x,
    contacts=[Contact("stop", gap=0.01 - x, restitution=e)],
    guards={"edge": x},
)
system = jounce.compile_model(striker)
random = np.random.default_rng(1)
speeds, restitutions = random.normal(2.0, 0.2, 500), random.normal(0.4, 0.06, 500)
caught = []
for speed, restitution in zip(speeds, restitutions, strict=True):
    run = jounce.simulate(system, {"x": 1e-9, "d_x": speed}, t_end=0.5, stop_at={"edge": -1}, e=restitution)
    caught.append(run.status.name == "AT_REST")
caught_array = np.array(caught)
failures = int((~caught_array).sum())

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.plot(speeds[caught_array], restitutions[caught_array], ".", label="caught")
axes.plot(speeds[~caught_array], restitutions[~caught_array], ".", label="lost")
axes.set(xlabel="speed [m/s]", ylabel="restitution", title=f"{failures} of 500 latches fail")
axes.legend()

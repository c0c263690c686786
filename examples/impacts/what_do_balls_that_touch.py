"""
What becomes of a cradle whose balls touch?
===========================================

A hair between the balls, and the last one leaves alone with all of the speed. Balls that touch are hit together: their
elastic contacts (Hertz) share the blow, the first ball comes back a little, and the one before the last leaves too.
More balls change hardly anything of that.
"""

from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Hertz, Model, contact_between

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
speeds = {}
for number, t_end in ((2, 0.01), (3, 0.01), (5, 0.015), (10, 0.025)):
    balls = [Body(f"b{k}", 0.1, 1e-5, center=(0.04 * k, 0), velocity=(float(k == 0), 0.0)) for k in range(number)]
    rims = [CircleOn(ball, (0, 0), 0.02) for ball in balls]
    touch = [contact_between(f"c{k}", b, a, compliance=Hertz(1e6)) for k, (a, b) in enumerate(pairwise(rims))]
    run = jounce.simulate(Model.from_bodies(f"cradle{number}", bodies=balls, contacts=touch), None, t_end)
    speeds[number] = np.array([run.final[f"d_b{k}_x"] for k in range(number)])
    right.plot(np.arange(1 - number, 1), speeds[number], "o-", label=f"{number} balls")
    if number == 5:
        t = np.linspace(0, 0.012, 600)
        left.plot(1000 * t, [[s[f"d_b{k}_x"] for k in range(5)] for s in run.at(t)])
left.set(xlabel="t [ms]", ylabel="speed [m/s]", title="five balls")
right.set(xlabel="ball, counted from the last", ylabel="speed at the end [m/s]")
right.legend()

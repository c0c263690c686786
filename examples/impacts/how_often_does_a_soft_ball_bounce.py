"""
How often does a ball bounce that yields?
=========================================

A ball of lead yields where it is hit hard: its restitution falls with the speed of the blow, like v^(-1/4) (Johnson
1985), and a slow blow is nearly elastic. A ball with a constant restitution loses the same share at each bounce and has
bounced infinitely often after a while; the one that yields loses less and less, and goes on.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import Rational

import jounce

y, dy = jounce.coordinate("y", "m")
v_y = jounce.parameter("v_y", 0.5, "m/s", "the speed at which the ball yields as much as it springs")
yields = (1 + jounce.approach_speed / v_y) ** Rational(-1, 4)
laws = {"yields": yields, "constant": jounce.parameter("e", 0.6)}
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
tables = {}
for name, e in laws.items():
    floor = jounce.Contact("floor", gap=y, restitution=e)
    ball = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    run = jounce.simulate(ball, None, t_end=6.0)
    left.plot(*np.array([(t, run.at(t)["y"]) for t in np.linspace(0.0, 6.0, 1500)]).T, lw=0.8, label=name)
    tables[name] = run.events[run.events.kind == "impact"]
    hits = tables[name].iloc[:60]
    right.semilogx(-hits.v_n_before, -hits.v_n_after / hits.v_n_before, "o", ms=3, label=name)
left.set(xlabel="t [s]", ylabel="height [m]")
right.set(xlabel="speed of the blow [m/s]", ylabel="restitution")
left.legend()

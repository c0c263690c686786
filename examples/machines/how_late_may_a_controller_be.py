"""
How late may a controller be?
=============================

A broom balanced on a hand falls over by itself: x'' = x + F. A controller looks every 0.3 s, computes F = -k x - d x',
and acts a moment later. How long may that moment be? Resets take the samples and hold the force in between.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

x, dx = jounce.coordinate("x", "rad")
k, d, delay = jounce.parameters(k=6.0, d=4.0, delay=(0.05, "s"))
F = jounce.discrete("F", 0.0)
controller = jounce.sampled({F: -k * x - d * dx}, every=0.3, delay=delay)
system = jounce.compile_model(jounce.Model("broom", [x], [1], [x + F], resets=controller, start={x: 0.1}))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
samples = 0.3 * np.arange(30, 200)
delays, growth = np.linspace(0.12, 0.24, 7), []
for value in delays:
    run = jounce.simulate(system, None, t_end=60.0, delay=value)
    size = [np.hypot(state["x"], state["d_x"]) for state in run.at(samples, side="left")]
    growth.append(np.exp(np.polyfit(np.arange(len(size)), np.log(size), 1)[0]))
    if value in delays[[0, 2, 4]]:
        t = np.linspace(0.0, 8.0, 800)
        left.plot(t, [state["x"] for state in run.at(t)], label=f"{1000 * value:.0f} ms later")
latest = np.interp(1.0, growth, delays)
left.set(xlabel="t [s]", ylabel="angle of the broom [rad]", ylim=(-0.6, 0.6))
left.legend()
right.plot(1000 * delays, growth, "o-")
right.axhline(1.0, color="grey", lw=0.8, ls=":")
right.set(xlabel="delay [ms]", ylabel="growth from sample to sample", title=f"at most {1000 * latest:.0f} ms late")

"""
How long does a ball bounce?
============================

A ball dropped from one metre bounces infinitely often in a finite time. An event loop that stops at a
smallest bounce never gets there; here the accumulation point is an event of its own, of kind ``chatter``.
With restitution e it lies at sqrt(2 h/g) (1 + e)/(1 - e).
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

ball = jounce.compile_model(jounce.systems.bouncing_ball())
restitutions = np.linspace(0.1, 0.9, 17)
durations = []
for e in restitutions:
    run = jounce.simulate(ball, {"y": 1.0}, t_end=20.0, e=e)
    durations.append(run.events["t"].iloc[-1])

shown = jounce.simulate(ball, {"y": 1.0}, t_end=4.5, e=0.8)
jounce.plot.animate(shown, "ball.gif", speed=0.5)
times = np.linspace(0, 4.5, 2000)
figure, (motion, duration) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
motion.plot(times, shown.states(times)[:, 0])
motion.set(xlabel="t [s]", ylabel="y [m]", title="e = 0.8")
exact = np.sqrt(2 / 9.81) * (1 + restitutions) / (1 - restitutions)
duration.semilogy(restitutions, exact, "-", restitutions, durations, "o")
duration.set_yticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"])
duration.minorticks_off()
duration.set(xlabel="restitution e", ylabel="time until rest [s]")

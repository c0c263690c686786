"""
What does an observer know?
===========================

A hanging load is to stand still, but only its position is measured, 50 times a second. A Python function between the
samples estimates its speed from what it has seen, with a state of its own, and pushes against it. It knows nothing of
the kick that the load gets after four seconds, and finds out.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.linalg import expm

import jounce

x, dx = jounce.coordinate("x", "m")
F = jounce.parameter("F", 0.0, "N")
kick = jounce.Reset(jounce.time - 4, {dx: dx + 1}, name="kick")
load = jounce.compile_model(jounce.Model("load", [x], [1], [-9 * x + F], resets=[kick], start={x: 1.0}))
step = expm(0.02 * np.array([[0, 1, 0], [-9, 0, 1], [0, 0, 0]]))[:2]  # position, speed and force, one sample later


class Observer:
    """Predicts the motion from sample to sample and corrects it by what is measured."""

    def __init__(self):
        self.guess, self.force, self.seen = np.zeros(2), 0.0, []

    def __call__(self, t, state):
        """The force from the estimated speed."""
        self.guess = step @ [*self.guess, self.force]
        self.guess += np.array([0.3, 2.0]) * (state["x"] - self.guess[0])
        self.force = -3.0 * self.guess[1]
        self.seen.append((t, *self.guess))
        return {"F": self.force}


observer = Observer()
run = jounce.simulate(load, None, t_end=8.0, controller=jounce.Controller(observer, every="20 ms"))
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
axis.plot(run["t"], run["d_x"], label="speed")
axis.plot(*np.array(observer.seen)[:, [0, 2]].T, ".", ms=3, label="what the observer takes it for")
axis.set(xlabel="t [s]", ylabel="speed [m/s]", title="the load is kicked at 4 s")
axis.legend()

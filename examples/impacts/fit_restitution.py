"""
Which restitution explains a recorded bounce?
=============================================

A phone on the table records the clicks of a bouncing ball. The times between clicks, each with an error of a
few milliseconds, give the restitution and the height of the drop, with their standard deviations.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.optimize import least_squares

import jounce

clicks = np.array([0.000, 0.712, 1.288, 1.751, 2.116, 2.410, 2.643, 2.832])  # s, from the first one on
error = 0.003
ball = jounce.compile_model(jounce.systems.bouncing_ball())


def residuals(guess: np.ndarray) -> np.ndarray:
    """Simulated minus recorded clicks, in standard deviations."""
    run = jounce.simulate(ball, {"y": guess[1]}, t_end=6.0, e=guess[0])
    heard = run.events["t"].to_numpy()[: len(clicks)]
    return (heard - heard[0] - clicks) / error


fit = least_squares(residuals, x0=[0.7, 0.8], diff_step=1e-6)
deviations = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
restitution, height = fit.x

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.errorbar(range(len(clicks)), residuals(fit.x) * error * 1000, yerr=error * 1000, fmt="o")
axes.axhline(0, color="gray", lw=0.8)
title = f"e = {restitution:.4f} ± {deviations[0]:.4f}, dropped from {height:.3f} ± {deviations[1]:.3f} m"
axes.set(xlabel="click", ylabel="simulated - recorded [ms]", title=title)

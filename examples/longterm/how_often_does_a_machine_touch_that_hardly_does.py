"""
How often does a machine touch its stop that hardly reaches it?
===============================================================

A strongly damped oscillator just reaches a wall. The closer its drive is to the one at which it grazes, the more
periods it needs to come back after a hit: 2, 3, 4, 5, ... periods, a cascade that adds one at a time. A period of
free motion shrinks deviations by lambda; a hit of depth x throws it back by about sqrt(x), so that the windows shrink
by lambda².
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

c, omega = 3.0, 1.7
oscillator = jounce.compile_model(jounce.systems.impact_oscillator())
free = jounce.find_orbit(oscillator, {"x": 0.0}, F=5.0, c=c, omega=omega)
grazing = jounce.continue_orbit(free, "F", (5.0, 6.0), step=0.2).find("grazing")[0].parameter
beyond = np.logspace(-6.5, -1, 111)  # how far, as a share of the drive
forces = grazing * (1 + beyond)
diagram = jounce.sweep(oscillator, "F", forces, "phase:0", {"x": 0.0}, transient=200, keep=60, c=c, omega=omega)
table, windows = diagram.attractors, diagram.branches
windows = windows.assign(width=windows["last"] - windows["first"]).sort_values("width").groupby("period").last()
ends = windows.loc[[3, 4, 5, 6], "last"].to_numpy() / grazing - 1
ratio = (ends[-1] / ends[0]) ** (1 / 3)
print(f"grazes at F = {grazing:.9f}; each window is {ratio:.3f} of the one before")

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.semilogx(table["F"] / grazing - 1, table["period"], ".")
axes.vlines(ends, 0, 12, color="gray", ls=":")
axes.set(xlabel="drive beyond grazing, as a share of it", ylabel="periods of the motion", ylim=(0, 12.5))

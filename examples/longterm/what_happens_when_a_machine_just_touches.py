"""
What happens when a machine just touches its stop?
==================================================

An oscillator swings freely as long as its amplitude stays below the distance of a wall. Where it grazes the
wall, the smooth orbit ends abruptly: a grazing bifurcation. What follows hangs on the damping and on the drive; here
it is a motion of two periods that hits the wall.
"""

import numpy as np

import jounce

oscillator = jounce.compile_model(jounce.systems.impact_oscillator())
free = jounce.find_orbit(oscillator, {"x": 0.0}, F=0.3)
branch = jounce.continue_orbit(free, "F", (0.3, 0.5), step=0.02)
grazing = branch.find("grazing")[0].parameter
print(f"grazes at F = {grazing:.9f}")
forces = np.linspace(grazing - 0.01, grazing + 0.04, 101)
diagram = jounce.sweep(oscillator, "F", forces, "phase:0", {"x": 0.0}, transient=300, keep=60)
figure = jounce.plot.plot_diagram(diagram, "d_x")

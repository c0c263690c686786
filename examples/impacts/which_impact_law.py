"""
Does the choice of an impact law matter?
========================================

The end of a slanted rod hits the ground. Far from zero slip all laws agree; where slip stops during the
impact they part, and some create energy. Compare them before you trust one.
"""

import numpy as np

import jounce

theta, mu = 0.6, 0.5  # angle of the rod to the ground; a uniform rod of half length 1 and mass 1
A, B, C = 1 + 3 * np.sin(theta) ** 2, -3 * np.sin(theta) * np.cos(theta), 1 + 3 * np.cos(theta) ** 2
table = jounce.compare_laws("v_t", np.linspace(-3, 3, 121), A=A, B=B, C=C, v_n=-1.0, mu=mu, e=0.6)
gains = table[table["energy_loss"] < -1e-12]
laws_that_add = sorted(gains["law"].unique())
figure = jounce.plot.plot_law_comparison(table)

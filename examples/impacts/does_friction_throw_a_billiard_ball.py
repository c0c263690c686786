"""
Does friction throw a billiard ball off its line?
=================================================

A ball is hit off centre. Without friction it leaves along the line of centres; friction between the balls
throws it off by up to the angle of friction, atan(mu), which every hit that is thin enough reaches.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

discs = jounce.compile_model(jounce.systems.two_discs())
cuts = np.linspace(0.02, 0.98, 49)  # distance of the line of aim from the second centre, in diameters
throws = []
for cut in cuts:
    start = discs.state(x1=-2.0, y1=cut, d_x1=1.0, x2=0.0)
    after = jounce.simulate(discs, start, t_end=4.0, mu=0.1, e=0.9).final
    line_of_centres = -np.arcsin(cut)
    throws.append(np.arctan2(after["d_y2"], after["d_x2"]) - line_of_centres)

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(cuts, np.degrees(throws), "o-", ms=3)
axes.axhline(np.degrees(np.arctan(0.1)), color="gray", ls=":", label="arctan μ")
axes.set(xlabel="cut, in diameters", ylabel="thrown off by [degrees]")
axes.legend()

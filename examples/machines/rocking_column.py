"""
How often does a column rock before it stands?
==============================================

A stone column that is tilted and let go rocks from edge to edge. Each change of edge leaves the fraction 1 -
3/2 sin²(alpha) of its angular velocity (Housner 1963): slender columns rock long.
"""

import numpy as np

import jounce

block = jounce.compile_model(jounce.systems.rocking_block())
b, h, tilt = 0.1, 0.4, 0.15  # half width, half height, first angle (about the left corner)
x, y = -(-b * np.cos(tilt) + h * np.sin(tilt)) - b, b * np.sin(tilt) + h * np.cos(tilt)
run = jounce.simulate(block, {"x": x, "y": y, "theta": tilt}, t_end=4.0, mu=2.0)
strikes = run.events[(run.events["kind"] == "impact") & (run.events["v_n_before"] < -0.02)]
ratios = [run.at(t)["d_theta"] / run.at(t, side="left")["d_theta"] for t in strikes["t"][:5]]
print(f"each strike leaves {ratios[0]:.6f} of the angular velocity")
jounce.plot.animate(run, "column.gif", speed=0.5, t_to=strikes["t"].iloc[-1])
figure = jounce.plot.plot_time_history(run, ["theta", "d_theta"])

"""
Which starts lead to which motion?
==================================

A ball on a shaking table has several motions to settle on: it may bounce once a period, once in two, or come
to rest on the table. An atlas colours every start by where it ends.
"""

import numpy as np

import jounce

ball = jounce.compile_model(jounce.systems.ball_on_table())
grid = {"y": np.linspace(0, 15, 60), "d_y": np.linspace(-10, 10, 60)}
atlas = jounce.basins(ball, grid, "phase:0", omega=3.0, e=0.9)
print(atlas.attractors[["kind", "period", "share"]].to_string(index=False))
figure = jounce.plot.plot_basins(atlas)

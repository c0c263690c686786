"""
Does it matter from which side a machine is run up?
===================================================

A ball lies on a shaker whose frequency is slowly raised: it lies still until the table falls away faster than
the ball, at A omega² = g. A ball that already bounces keeps bouncing far below that. Which motion is seen
depends on the way.
"""

import numpy as np

import jounce

ball = jounce.compile_model(jounce.systems.ball_on_table())
bouncing = jounce.find_orbit(ball, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.8).at(0.0)
frequencies = np.linspace(1.5, 3.5, 81)
starts = [ball.state(y=0.0), (3.0, bouncing)]
diagram = jounce.sweep(ball, "omega", frequencies, "phase:0", starts=starts, direction="both", e=0.8)
table = diagram.attractors
rests = table[table["kind"] == "rest"]["omega"].max()
bounces = table[(table["kind"] == "periodic") & (table["period"] == 1)]["omega"].min()
print(f"lies still up to {rests:.3f}, bounces down to {bounces:.3f} rad/s")
figure = jounce.plot.plot_diagram(diagram, "y")

"""
When does a ball on a shaker begin to bounce in pairs?
======================================================

A ball bounces once a period of its table. Turn up the frequency, and at a sharp value long and short flights
alternate: a period doubling. It is located on the branch of orbits, not read off a diagram.
"""

import jounce

ball = jounce.compile_model(jounce.systems.ball_on_table())
orbit = jounce.find_orbit(ball, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
branch = jounce.continue_orbit(orbit, "omega", (2.5, 3.6), step=0.05)
doubling = branch.find("period_doubling")[0]
pairs = jounce.switch_branch(branch, doubling)
doubled = jounce.continue_orbit(pairs, "omega", (3.0, 3.3), step=0.02, max_points=12)
print(f"bounces in pairs from omega = {doubling.parameter:.8f}")
figure = jounce.plot.plot_branch([branch, doubled], "y", names=["one bounce a period", "pairs"])

"""
How long can a bouncing ball be predicted?
==========================================

Lyapunov exponents say how fast neighbouring motions part. For a ball on a shaker the largest is positive: an
error doubles every ln(2)/lambda seconds. Their sum is known exactly, 2 ln(e) times the number of impacts a
second.
"""

from math import log

import jounce

ball = jounce.compile_model(jounce.systems.ball_on_table())
settled = jounce.simulate(ball, {"y": 3.0}, t_end=100.0, omega=4.5, e=0.8).final
spectrum = jounce.lyapunov(ball, settled, 1000.0, omega=4.5, e=0.8)
largest = float(spectrum.exponents[0])
print(f"an error doubles every {log(2) / largest:.2f} s; chaotic: {spectrum.chaotic}")
figure = jounce.plot.plot_lyapunov(spectrum)

"""
When does a pulled block jerk?
==============================

Rate-and-state friction remembers for how long the surfaces have been in contact: faster sliding weakens it, after a way
L. A block that a spring pulls creeps along if the spring is stiff, and jerks if it is soft, as a fault in earthquakes.
The border is k = N (b - a)/L (1 + m v²/(N a L)).
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

x, dx = jounce.coordinate("x", "m")
m, N, a, b = jounce.parameters(m=(1.0, "kg"), N=(10.0, "N", "normal force"), a=0.010, b=0.015)
L, v, k = jounce.parameters(L=(0.01, "m"), v=(0.01, "m/s", "velocity of the pull"), k=(5.0, "N/m"))
friction = jounce.rate_and_state(dx, normal=N, mu=0.6, a=a, b=b, length=L, reference=v)
pull = k * (v * jounce.time - x) + 0.6 * N
system = jounce.compile_model(jounce.Model("block", [x], [m], [pull + friction.force], rates=friction.rates))
border = 10.0 * (0.015 - 0.010) / 0.01 * (1 + 0.01**2 / (10.0 * 0.010 * 0.01))

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
runs, t = {}, np.linspace(0.0, 150.0, 5000)
for axis, part in zip(axes, (1.3, 0.7), strict=True):
    run = runs[part] = jounce.simulate(system, {"d_x": 0.012}, t_end=150.0, k=part * border)  # too fast
    axis.plot(t, [1000 * state["d_x"] for state in run.at(t)])
    axis.set(xlabel="t [s]", ylabel="velocity [mm/s]", title=f"k = {part} of the border")

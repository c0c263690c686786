"""
How long does a block stick?
============================

A block on a belt, held by a spring, with friction that falls with the slip speed, 1/(1 + 3 v): it is carried along
until the spring is as strong as the friction of rest, then it slips back. Leine, van Campen, de Kraker and van den
Steen (1998) give the period of the cycle as 12.0010313. Every motion ends on it after one slip: its multiplier is zero.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

(x, dx), (y, dy) = jounce.coordinates("x y", "m")
delta, v = jounce.parameters(delta=(3.0, "s/m"), v=(0.2, "m/s"))
model = jounce.Model.from_lagrangian(
    "block",
    coordinates=[x, y],
    kinetic=(dx**2 + dy**2) / 2,
    potential=x**2 / 2 + y,
    contacts=[jounce.Contact("belt", gap=y, slip=dx - v, friction=1 / (1 + delta * jounce.slip))],
    start={x: 1.0},
)
system = jounce.compile_model(model)
run = jounce.simulate(system, None, t_end=60.0)
orbit = jounce.find_orbit(system, run.final)
branch = jounce.continue_orbit(orbit, "v", (0.1, 0.6)).table

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
before = run.states(np.linspace(0.0, run.t_end, 4000))
left.plot(*before[:, [0, 2]].T, lw=0.6, color="grey")
left.plot(orbit.run["x"], orbit.run["d_x"], lw=2)
left.set(xlabel="x [m]", ylabel="velocity [m/s]", title=f"stick (on top) and slip, period {orbit.period:.7f} s")
right.plot(branch["v"], branch["period"], label="period [s]")
right.plot(branch["v"], branch["max_x"] - branch["min_x"], label="stroke [m]")
right.set(xlabel="speed of the belt [m/s]", title="a slow belt carries the block for longer")
right.legend()

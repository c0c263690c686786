"""
When does a bowling ball begin to roll?
=======================================

A disc thrown along the floor slides first, and friction turns it, until its lowest point stands still. For a
disc (J = m r²/2) this takes v/(3 mu g) and leaves two thirds of the speed, whatever the friction.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters

(x, dx), (y, dy) = coordinates("x y", "m")
phi, dphi = coordinate("phi", "rad")
m, r, g, mu = parameters(m=(6.0, "kg"), r=(0.11, "m"), g=(9.81, "m/s^2"), mu=(0.1, ""))
disc = Model.from_lagrangian(
    "rolling_disc",
    coordinates=[x, y, phi],
    kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 / 2 * dphi**2 / 2,
    potential=m * g * y,
    contacts=[Contact("floor", gap=y - r, slip=dx + r * dphi, friction=mu)],
)
run = jounce.simulate(disc, {"y": 0.11, "d_x": 6.0}, t_end=4.0)
rolls = run.events[run.events["kind"] == "stick"].iloc[0]["t"]

times = np.linspace(0, 4, 500)
states = run.states(times)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(times, states[:, 3], label="speed of the centre")
axes.plot(times, -0.11 * states[:, 5], label="speed of the rim")
axes.axvline(rolls, color="gray", ls=":")
axes.set(xlabel="t [s]", ylabel="speed [m/s]", title=f"rolls after {rolls:.3f} s")
axes.legend()

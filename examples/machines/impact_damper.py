"""
How much does a loose ball damp a vibration?
============================================

A structure vibrates at its resonance. A ball that is free to rattle in a box on it, a tenth of its mass,
takes energy at every impact and is out of step with the structure: the amplitude falls to a fraction.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, pi

import jounce
from jounce import Circle, Contact, Model, Polygon, coordinates, parameters

(x, dx), (s, ds) = coordinates("x s", "m")  # structure, ball against the structure
M, m, k, c, F, omega, play, e = parameters(
    M=(1.0, "kg"), m=(0.1, "kg", "ball"), k=(100.0, "N/m"), c=(0.4, "N s/m"), F=(1.0, "N"), omega=(10.0, "rad/s"),
    play=(0.15, "m", "of the ball in its box"), e=(0.7, ""),
)  # fmt: skip
box = [(-0.095, -0.05), (0.095, -0.05), (0.095, 0.05), (-0.095, 0.05)]
model = Model.from_lagrangian(
    "impact_damper",
    coordinates=[x, s],
    kinetic=M * dx**2 / 2 + m * (dx + ds) ** 2 / 2,
    potential=k * x**2 / 2,
    forces={x: F * cos(omega * jounce.time) - c * dx},
    contacts=[Contact("left", gap=s + play / 2, restitution=e), Contact("right", gap=play / 2 - s, restitution=e)],
    period=2 * pi / omega,
    drawing=[Polygon([(x + i, j) for i, j in box], body="structure"), Circle((x + s, 0), 0.02, body="ball")],
)
run = jounce.simulate(model, {"x": 0.0}, t_end=60.0)
jounce.plot.animate(run, "damper.gif", t_from=50.0, t_to=54.0, speed=0.5)
times = np.linspace(40, 60, 20001)
amplitude = float(np.abs(run.states(times)[:, 0]).max())
without = 1.0 / (0.4 * 10.0)  # F/(c omega), at resonance
print(f"{amplitude / without:.3f} of the amplitude without the ball")

times = np.linspace(0, 60, 6000)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(times, run.states(times)[:, 0], lw=0.7)
axes.axhline(without, color="gray", ls=":", label="without the ball")
axes.set(xlabel="t [s]", ylabel="vibration [m]")
axes.legend()

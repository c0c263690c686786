"""
How does a capsule crawl without legs?
======================================

A mass swings inside a capsule and strikes a stop on one side. Between strikes the forces stay below the
friction of the capsule's skin; each strike exceeds it and moves the capsule a little. Nothing outside pushes.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, pi

import jounce
from jounce import Circle, Contact, Ground, Model, Polygon, coordinates, parameters

(x, dx), (z, dz), (s, ds) = coordinates("x z s", "m")  # capsule along and up, mass relative to the capsule
M, m, k, F, omega, play, mu, e, g = parameters(
    M=(1.0, "kg", "capsule"), m=(1.0, "kg", "mass"), k=(40.0, "N/m"), F=(3.0, "N"), omega=(5.5, "rad/s"),
    play=(0.05, "m", "to the stop"), mu=(0.3, ""), e=(0.3, ""), g=(9.81, "m/s^2"),
)  # fmt: skip
drive = F * cos(omega * jounce.time)
capsule = Model.from_lagrangian(
    "capsule",
    coordinates=[x, z, s],
    kinetic=M * (dx**2 + dz**2) / 2 + m * ((dx + ds) ** 2 + dz**2) / 2,
    potential=(M + m) * g * z + k * s**2 / 2,
    forces={s: drive - ds},
    contacts=[Contact("floor", gap=z, slip=dx, friction=mu), Contact("stop", gap=play - s, restitution=e)],
    period=2 * pi / omega,
    drawing=[
        *(Ground(0), Polygon([(x - 0.15, z), (x + 0.1, z), (x + 0.1, z + 0.1), (x - 0.15, z + 0.1)], body="capsule")),
        Circle((x + s + 0.03, z + 0.05), 0.02, body="mass"),
    ],
)
system = jounce.compile_model(capsule)
period = 2 * np.pi / 5.5
run = jounce.simulate(system, None, t_end=60 * period)
step = run.final["x"] - run.at(59 * period)["x"]
jounce.plot.animate(run, "capsule.gif", t_to=8 * period)
print(f"{1000 * step:.3f} mm a period, {1000 * step / period:.2f} mm/s")

times = np.linspace(50 * period, 60 * period, 3000)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(times, 1000 * run.states(times)[:, 0])
axes.set(xlabel="t [s]", ylabel="position of the capsule [mm]")

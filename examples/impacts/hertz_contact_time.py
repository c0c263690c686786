"""
How long do two steel balls touch?
==================================

A collision is not instantaneous. With Hertz's law F = K d^(3/2) a mass m that meets a wall with speed v
touches it for 3.2180 (m²/(K² v))^(1/5): a tenth to half of a millisecond for a steel ball of 5 cm, and
shorter the faster it is.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Contact, Hertz, Material, Model, coordinate, hertz_stiffness, parameters

x, dx = coordinate("x", "m")
radius, density = 0.025, 7850.0
mass = density * 4 / 3 * np.pi * radius**3
K = hertz_stiffness(radius, material=Material(E=207e9, nu=0.3))
(m,) = parameters(m=(mass, "kg"))
model = Model.from_lagrangian(
    "steel_ball", coordinates=[x], kinetic=m * dx**2 / 2, contacts=[Contact("wall", gap=x, compliance=Hertz(K))]
)
system = jounce.compile_model(model)
speeds, touches = np.geomspace(0.01, 10, 7), []
for v in speeds:
    run = jounce.simulate(system, {"x": 0.0, "d_x": -v}, t_end=1e-3)
    touches.append(jounce.contact_periods(run)["duration"].iloc[0])

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.loglog(speeds, 1e6 * 3.2180 * (mass**2 / (float(K) ** 2 * speeds)) ** 0.2, "-", label="Hertz 1881")
axes.loglog(speeds, 1e6 * np.array(touches), "o", label="simulated")
axes.set(xlabel="speed [m/s]", ylabel="time of contact [µs]")
axes.set_yticks([150, 200, 300, 400], ["150", "200", "300", "400"])
axes.minorticks_off()
axes.legend()

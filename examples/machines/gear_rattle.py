"""
When does an idle gear rattle?
==============================

A driving gear turns unevenly, as an engine does; an idle gear follows it through a little backlash, held back
by drag. It follows as long as its inertia torque stays below the drag, J a omega² < T. Beyond, the flanks
part and hammer.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import pi, sin

import jounce
from jounce import Contact, Model, coordinate, parameters

phi, dphi = coordinate("phi", "rad")  # of the idle gear, against the mean rotation
J, T, a, omega, play, e = parameters(
    J=(1e-3, "kg m^2", "inertia of the idle gear"), T=(0.5, "N m", "drag"), a=(1e-3, "rad", "unevenness of the drive"),
    omega=(600.0, "rad/s", "its frequency"), play=(2e-3, "rad", "backlash"), e=(0.6, "", "restitution of the flanks"),
)  # fmt: skip
drive = a * sin(omega * jounce.time)
gears = Model.from_lagrangian(
    "gear_pair",
    coordinates=[phi],
    kinetic=J * dphi**2 / 2,
    forces={phi: -T},
    contacts=[Contact("drive", phi - drive, restitution=e), Contact("coast", drive + play - phi, restitution=e)],
    period=2 * pi / omega,
)
system = jounce.compile_model(gears)
amplitudes = np.linspace(0.5e-3, 4e-3, 29)
losses = []
for amplitude in amplitudes:
    run = jounce.simulate(system, {"d_phi": amplitude * 600.0}, t_end=1.0, a=amplitude)
    losses.append(float(run.energy.impact_loss[-1]))  # J in one second: what is heard
threshold = 0.5 / (1e-3 * 600.0**2)

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(1000 * amplitudes, losses, "o-")
axes.axvline(1000 * threshold, color="gray", ls=":", label="J a ω² = T")
axes.set(xlabel="unevenness of the drive [mrad]", ylabel="power of the rattle [W]")
axes.legend()

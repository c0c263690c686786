"""
How does a bump stop change the rhythm of a suspension?
=======================================================

Below a certain depth a second spring takes part, a rubber buffer that pushes and never pulls. Small swings do not
know it; larger ones meet it once a swing and become shorter and shorter, down to π/ω₁ + π/ω₂ for very large ones:
half a swing of the soft spring and half a swing of both.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

x, dx = jounce.coordinate("x", "m")
m, k, buffer, depth = jounce.parameters(
    m=(300.0, "kg"), k=(20e3, "N/m", "spring"), buffer=(100e3, "N/m", "bump stop"), depth=(0.05, "m", "where it begins")
)
suspension = jounce.Model.from_lagrangian(
    "suspension", coordinates=[x], kinetic=m * dx**2 / 2, potential=k * x**2 / 2,
    contacts=[jounce.one_sided_spring("bump", x + depth, stiffness=buffer)], guards={"top": dx},
)  # fmt: skip
system = jounce.compile_model(suspension)
amplitudes = np.geomspace(0.02, 1.0, 25)
periods = []
for amplitude in amplitudes:
    run = jounce.simulate(system, {"x": amplitude}, t_end=2.0, stop_at={"top": -1})
    periods.append(run.t_end)
soft, hard = np.sqrt(20e3 / 300), np.sqrt(120e3 / 300)

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.semilogx(amplitudes, periods, "o-", ms=4)
axes.axhline(np.pi / soft + np.pi / hard, color="gray", ls=":", label="π/ω₁ + π/ω₂")
axes.axvline(0.05, color="gray", lw=0.8, label="meets the stop")
axes.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5, 1.0], ["0.02", "0.05", "0.1", "0.2", "0.5", "1"])
axes.minorticks_off()
axes.set(xlabel="height of the swing [m]", ylabel="period [s]", ylim=(0.5, 0.8))
axes.legend()

"""
How does a clock keep ticking?
==============================

At every passage through its lowest point the escape wheel gives a pendulum a little energy E, now on one pallet, now on
the other: a reset, with a flag for the pallet and a counter of the ticks. Damping takes q² of the energy in every half
swing, and after some hundred ticks the two balance at v² = 2E/(1 - q²).
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import sqrt

import jounce
from jounce import Model, Options, Reset, coordinate, discrete, parameters

theta, omega = coordinate("theta", "rad")
delta, E = parameters(delta=(2e-3, "1/s", "damping"), E=(2e-5, "J", "energy of a tick"))
pallet = discrete("pallet", 1, description="+1 or -1: where the wheel pushes next")
ticks = discrete("ticks", description="so far")
push = {omega: pallet * sqrt(omega**2 + 2 * E), pallet: -pallet, ticks: ticks + 1}
tick = Reset(theta, push, only_if=pallet * omega > 0, name="tick")
clock = Model.from_lagrangian(
    "clock", coordinates=[theta], kinetic=omega**2 / 2, potential=theta**2 / 2, forces={theta: -2 * delta * omega},
    resets=[tick], start={theta: -0.05},
)  # fmt: skip
half_swing = np.pi / np.sqrt(1 - 2e-3**2)
run = jounce.simulate(clock, None, t_end=10_000 * half_swing, options=Options(tolerance=1e-12))
count = int(run.final["ticks"])
print(f"{count} ticks, the resets gave {float(run.energy['reset_work'][-1]):.6f} J")

times = run.events.t.to_numpy()[:1500]
speeds = np.abs(run.states(times)[:, 1])
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(speeds, ".", ms=2)
axes.axhline(np.sqrt(2 * 2e-5 / (1 - np.exp(-4e-3 * half_swing))), color="gray", ls=":", label="gain = loss")
axes.legend(loc="center right")
axes.set(xlabel="tick", ylabel="speed behind it [rad/s]")

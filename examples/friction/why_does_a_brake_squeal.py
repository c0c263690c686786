"""
Why does a brake squeal?
========================

A pad pressed onto a disc rubs less the faster the disc runs: friction falls with the slip speed (Stribeck). That is a
negative damping, -μ'(v) N. Below a speed it is more than the pad's own damping c: steady rubbing is unstable (a Hopf
point), and the pad sticks and slips. Just above that speed both go on: which one depends on the start.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import exp

import jounce

(x, dx), (y, dy) = jounce.coordinates("x y", "mm")
c, v, mu_s, mu_d, v_s = jounce.parameters(c=0.08, v=1.2, mu_s=0.6, mu_d=0.3, v_s=0.4)
stribeck = mu_d + (mu_s - mu_d) * exp(-jounce.slip / v_s)
energies = {"kinetic": (dx**2 + dy**2) / 2, "potential": x**2 / 2 + y}
pad = jounce.Contact("disc", gap=y, slip=dx - v, friction=stribeck)
model = jounce.Model.from_lagrangian("brake", coordinates=[x, y], **energies, forces={x: -c * dx}, contacts=[pad])
system = jounce.compile_model(model)

steady = jounce.continue_equilibrium(jounce.find_equilibrium(system, "SLIP-"), "v", (0.2, 1.5))
hopf = float(steady.special[steady.special.kind == "hopf"].v.iloc[0])
speeds, late = np.linspace(0.2, 1.5, 14), np.linspace(220.0, 250.0, 1000)
x_of = {}
for speed in speeds:
    x_of[speed] = jounce.simulate(system, {"x": 0.9}, t_end=250.0, v=speed).at(late)
stroke = [np.ptp([state["x"] for state in states]) for states in x_of.values()]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
states = x_of[speeds[3]]
left.plot([s["x"] for s in states], [s["d_x"] for s in states])
left.set(xlabel="x [mm]", ylabel="velocity of the pad [mm/s]", title=f"stick and slip, v = {speeds[3]:.1f} mm/s")
right.plot(speeds, stroke, "o-", ms=3)
right.axvline(hopf, color="grey", lw=0.8, ls=":")
right.set(xlabel="speed of the disc [mm/s]", ylabel="stroke [mm]", title=f"stable above {hopf:.3f} mm/s")

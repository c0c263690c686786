"""
How far does a body give before it slides?
==========================================

Before a body slides its contact gives like a spring, and does not come back the same way. Moved to and fro, the force
makes loops that grow with the way. Three laws with a memory: Dahl's bristles bend alike at any speed; those of LuGre
(Canudas de Wit and others) are damped and break away at the static friction; elastoplastic ones (Dupont and others) are
a plain spring at first: for less than their breakaway they leave no trace.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import sin

import jounce

x, dx = jounce.coordinate("x", "mm")
A, w = jounce.parameters(A=(0.2, "mm"), w=(0.1, "rad/s"))
bristles = {"stiffness": 10.0, "coulomb": 1.0, "static": 1.5, "stribeck": 1.0, "damping": 0.1}
laws = {
    "Dahl": jounce.dahl(dx, stiffness=10.0, limit=1.0, name="a"),
    "LuGre": jounce.lugre(dx, **bristles, name="b"),
    "elastoplastic": jounce.elastoplastic(dx, **bristles, name="c"),
}
rates = {state: rate for law in laws.values() for state, rate in law.rates.items()}
moved = jounce.Model("moved", [x], [1], [-A * w**2 * sin(w * jounce.time)], rates=rates)  # x = A sin(w t)
system = jounce.compile_model(moved)

figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained", sharey=True)
times = np.linspace(60.0, 189.0, 1500)
for way in (0.02, 0.1, 0.3):
    run = jounce.simulate(system, {"d_x": way * 0.1}, t_end=189.0, A=way)
    states = run.at(times)
    for axis, (name, state) in zip(axes, zip(laws, rates, strict=True), strict=True):
        stiffness = 1.0 if name == "Dahl" else 10.0  # the state of Dahl's law is the force, else the bristles' bend
        axis.plot([s["x"] for s in states], [stiffness * s[state.name] for s in states], label=f"{way} mm")
        axis.set(xlabel="x [mm]", title=name)
axes[0].set_ylabel("friction [N]")
figure.legend(*axes[0].get_legend_handles_labels(), title="moved by", loc="outside right center")

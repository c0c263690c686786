"""
How does a cushion save an egg?
===============================

Foam gives little at first, then its cells collapse at nearly the same force, and at last it is dense and hard. A curve
measured on a press goes into the model as it is: a table. Of a spring that takes the same blow at the same depth the
largest force is much larger; but an egg that falls from too high reaches the bottom of the foam, and that is hard.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

depths = [0.0, 0.002, 0.005, 0.02, 0.03, 0.035, 0.04]  # m
forces = [0.0, 8.0, 12.0, 15.0, 25.0, 60.0, 200.0]  # N
y, dy = jounce.coordinate("y", "m")
foam = jounce.table(jounce.penetration, depths, forces)
spring = jounce.parameter("k", 900.0, "N/m") * jounce.penetration
heights = np.linspace(0.1, 1.4, 27)
peaks = {}
for name, elastic in {"foam": foam, "spring": spring}.items():
    law = jounce.OwnCompliance(elastic=elastic, damping=40 * jounce.penetration * jounce.penetration_rate)
    cushion = jounce.Contact("cushion", gap=y, compliance=law)
    egg = jounce.compile_model(
        jounce.Model("egg", [y], [0.06], [-0.06 * 9.81], contacts=[cushion], guards={"deep": dy})
    )
    deepest = [jounce.simulate(egg, {"y": h}, t_end=2.0, stop_at="guard:deep:+1").final for h in heights]
    peaks[name] = np.array([-state["y"] for state in deepest])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
bent = np.linspace(0.0, 0.04, 200)
curves = {"foam": np.array([float(foam.subs(jounce.penetration, d)) for d in bent]), "spring": 900 * bent}
for name, curve in curves.items():
    left.plot(1e3 * bent, curve, label=name)
    right.plot(heights, np.interp(peaks[name], bent, curve), label=name)
left.set(xlabel="depth [mm]", ylabel="force [N]", ylim=(0, 80), title="two cushions")
right.set(xlabel="height of the fall [m]", ylabel="force at the deepest point [N]", title="what the egg feels")
left.legend()

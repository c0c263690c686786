"""
How hard does a rope catch?
===========================

A climber of 80 kg falls 4 m into 5 m of rope. How hard the rope catches depends on its stiffness: the textbook has
m g (1 + √(1 + 2 k h/(m g))). A rope is a contact: taut and slack are events, and it never pushes.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

y, dy = jounce.coordinate("y", "m")
m, g, k, c = jounce.parameters(m=(80.0, "kg"), g=(9.81, "m/s^2"), k=(4000.0, "N/m"), c=(0.0, "N s/m"))
climber = jounce.Model.from_lagrangian(
    "climber",
    coordinates=[y],
    kinetic=m * dy**2 / 2,
    potential=m * g * y,
    contacts=[jounce.rope("rope", (0, 0), (0, y), length=5.0, stiffness=k, damping=c)],
    guards={"turns": dy},
    start={y: -1.0},
)
system = jounce.compile_model(climber)
stiffnesses, hardest = np.linspace(1000.0, 20000.0, 20), []
for stiffness in stiffnesses:
    run = jounce.simulate(system, None, t_end=3.0, stop_at={"turns": +1}, k=stiffness)
    hardest.append(stiffness * (-run.final["y"] - 5.0))
textbook = 80 * 9.81 * (1 + np.sqrt(1 + 2 * stiffnesses * 4.0 / (80 * 9.81)))
swing = jounce.simulate(system, None, t_end=8.0, c=200.0)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
t = np.linspace(0.0, 8.0, 1500)
left.plot(t, [state["y"] for state in swing.at(t)])
left.axhline(-5.0, color="grey", ls=":", label="the rope is taut below")
left.set(xlabel="t [s]", ylabel="height [m]")
left.legend()
right.plot(stiffnesses / 1000, np.array(hardest) / 1000, "o", label="simulated")
right.plot(stiffnesses / 1000, textbook / 1000, label="textbook")
right.legend()
right.set(xlabel="stiffness [kN/m]", ylabel="largest force [kN]")

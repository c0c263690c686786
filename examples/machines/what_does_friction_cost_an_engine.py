"""
What does friction cost an engine?
==================================

A motor turns a slider-crank at a constant speed. Its pins rub with μ r F and its piston with μ N, whichever wall it
leans on. Friction turns round where a joint does: that of the small end twice a turn, that of the piston at its dead
points; and it has kinks where the piston changes walls. What the motor gives in a turn is what the joints rub away.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Driver, Revolute, Translational, ground

mu = jounce.parameter("mu", 0.1, "", "friction of all joints")
crank, rod = Body("crank", mass=0.3, inertia=1e-4), Body("rod", mass=0.2, inertia=4e-4)
piston = Body("piston", mass=0.4, inertia=1e-4, center=(0.2, 0))
joints = [
    Revolute("main", ground, crank, (0, 0), (-0.025, 0), radius=0.01, friction=mu),
    Revolute("big_end", crank, rod, (0.025, 0), (-0.075, 0), radius=0.01, friction=mu),
    Revolute("small_end", rod, piston, (0.075, 0), (0, 0), radius=0.008, friction=mu),
    Translational("cylinder", ground, piston, friction=mu),
    Driver("motor", ground, crank, angle=50 * jounce.time),
]
engine = jounce.Model.from_bodies("engine", bodies=[crank, rod, piston], joints=joints, gravity=9.81)
turn = 2 * np.pi / 50
times = np.linspace(0.0, turn, 1500)[1:-1]
runs = {value: jounce.simulate(engine, None, t_end=turn, mu=value) for value in (0.0, 0.05, 0.1)}
jounce.plot.animate(runs[0.1], "engine.gif", speed=0.03)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for value, run in runs.items():
    left.plot(times / turn, run.joint_forces(times)["motor.angle"], label=f"μ = {value}")
for name, friction in runs[0.1].contact_forces(times)["lambda_T"].groupby("contact"):
    right.plot(times / turn, friction.squeeze(), label=name.replace("_", " "))
left.set(xlabel="turns of the crank", ylabel="torque of the motor [N m]")
right.set(xlabel="turns of the crank", ylabel="friction at rim and wall [N]")
left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)
right.legend(bbox_to_anchor=(1, 1))

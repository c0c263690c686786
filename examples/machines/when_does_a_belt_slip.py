"""
When does a belt slip?
======================

A motor drives a flywheel by a belt. Around a pulley its strands hold a ratio of up to e^(μ β) (Euler, Eytelwein), so
that with the pretension T₀ it carries 2 T₀ tanh(μ β/2). Switched on with less, motor and flywheel start together; with
more the belt slips until the flywheel has caught up with the motor, whose torque falls with its speed.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

(a, w), (b, v) = jounce.coordinate("a", "rad"), jounce.coordinate("b", "rad")
stall, T = jounce.parameters(stall=(8.0, "N m", "torque at rest"), T=(40.0, "N", "pretension"))
belt = jounce.belt("belt", (w, v), radii=(0.05, 0.15), tension=T, friction=0.35)
drive = jounce.Model("drive", [a, b], [0.002, 0.15], [stall * (1 - w / 150), 0], contacts=[belt])
system = jounce.compile_model(drive)

carried = 2 * 40.0 * np.tanh(0.35 * np.pi / 2)  # N
times = np.linspace(0.0, 6.0, 1200)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
runs = {torque: jounce.simulate(system, None, t_end=6.0, stall=torque) for torque in (1.5, 8.0)}
for axis, (torque, run) in zip(axes, runs.items(), strict=True):
    states = run.at(times)
    axis.plot(times, [0.05 * state["d_a"] for state in states], label="rim of the motor's pulley")
    axis.plot(times, [0.15 * state["d_b"] for state in states], "--", label="rim of the flywheel's")
    axis.set(xlabel="t [s]", title=f"{torque} N m at rest")
axes[0].set_ylabel("speed of the belt [m/s]")
axes[1].legend()

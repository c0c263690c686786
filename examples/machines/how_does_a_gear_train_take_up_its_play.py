"""
How does a gear train take up its play?
=======================================

A torque sets in at the first of five gears with backlash. The blow runs from flank to flank, comes back, and the train
rattles until all flanks drive. What the impacts do among the gears changes nothing of the train as a whole: its
momentum grows with the torque from the first moment on.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Model, coordinates, gear_pair, parameters

inertias, radii = [1e-3, 4e-3, 2e-3, 5e-3, 1e-3], [0.02, 0.05, 0.03, 0.06, 0.02]
torque, play, e = parameters(torque=(0.5, "N m"), play=(2e-4, "m", "backlash"), e=(0.5, "", "restitution"))
angles = coordinates("a b c d e_", "rad")
flanks = []
for k in range(4):
    pair = (angles[k][0], angles[k + 1][0])
    flanks += gear_pair(f"mesh{k}", *pair, radii=tuple(radii[k : k + 2]), backlash=play, restitution=e)
train = Model.from_lagrangian(
    "train", coordinates=[angle for angle, _ in angles], forces={angles[0][0]: torque}, contacts=flanks,
    kinetic=sum(J * rate**2 / 2 for J, (_, rate) in zip(inertias, angles, strict=True)),
)  # fmt: skip
run = jounce.simulate(train, None, t_end=0.5)
ratios = np.array([(-1) ** k * radii[0] / radius for k, radius in enumerate(radii)])
acceleration = 0.5 / np.sum(np.array(inertias) * ratios**2)  # of the first gear, if there were no play
print(f"{(run.events.kind == 'impact').sum()} impacts, all flanks drive from {run.events.t.iloc[-1]:.4f} s on")

t = np.linspace(0.0, 0.02, 3000)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(1000 * t, run.states(t)[:, 5:] / ratios, lw=1, label=[f"gear {k}" for k in range(1, 6)])
axes.plot(1000 * t, acceleration * t, "k:", label="without play")
axes.set(xlabel="t [ms]", ylabel="speed, as at the first gear [rad/s]")
axes.legend(fontsize=8)

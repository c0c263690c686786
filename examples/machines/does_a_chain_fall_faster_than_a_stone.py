"""
Does a chain fall faster than a stone?
======================================

A chain hangs by both ends, close together; one end is let go. What falls pulls the end down: after the drop x of a
chain of the length L its speed is v² = 2 g x (1 - x/2L)/(1 - x/L) if energy is conserved (Calkin and March, 1989), more
than the 2 g x of a stone. The chain here has 41 links; they run from tables, so nothing is compiled.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.integrate import quad

import jounce
from jounce import Body, Model, Revolute, ground

half, g = 20, 9.81
number = 2 * half + 1
length = 1.0 / number
angles = [-np.pi / 2] * half + [0.0] + [np.pi / 2] * half
links, joints, end, before = [], [], np.zeros(2), ground
for k, angle in enumerate(angles):
    along = length * np.array([np.cos(angle), np.sin(angle)])
    link = Body(f"link{k}", mass=length, inertia=length**3 / 12, center=tuple(end + along / 2), angle=angle)
    held = (0, 0) if before is ground else (length / 2, 0)
    joints.append(Revolute(f"pin{k}", before, link, held, (-length / 2, 0)))
    links.append(link)
    end, before = end + along, link
run = jounce.simulate(Model.from_bodies("chain", bodies=links, joints=joints, gravity=g), None, t_end=0.37)
jounce.plot.animate(run, "chain.gif", speed=0.1)

times = np.linspace(0.0, 0.37, 200)
last = f"link{number - 1}"
states = run.at(times)
drops = np.array([-state[f"{last}_y"] - length / 2 * np.sin(state[f"{last}_theta"]) for state in states])
falls = np.linspace(0.01, 0.8, 50)
law = [quad(lambda s: 2 / np.sqrt(2 * g * (1 - s**2 / 2) / (1 - s**2)), 0, np.sqrt(x))[0] for x in falls]

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(times, drops, label="end of the chain")
axes.plot(law, falls, "k:", label="Calkin and March")
axes.plot(times, g * times**2 / 2, "C3--", label="stone")
axes.set(xlabel="t [s]", ylabel="drop [m]", ylim=(0, 1))
axes.legend()

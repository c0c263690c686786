"""
When does a drawer jam?
=======================

A drawer runs between two rails of length L and is pulled by a knob at a distance a from its middle. The pull presses
its front and back corners against the rails, and they rub: N = 2 a F/L. From μ = L/(2 a) on no pull moves it, however
strong: the drawer locks itself.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Force, Model, Translational, ground

mu, a, L, F = jounce.parameters(
    mu=(0.3, "", "friction"), a=(0.2, "m", "distance of the knob"), L=(0.3, "m", "length"), F=(10.0, "N", "pull")
)
box = Body("box", mass=2.0, inertia=0.05, center=(0, 0))
rails = Translational("rails", ground, box, friction=mu, length=L)
drawer = Model.from_bodies("drawer", bodies=[box], joints=[rails], forces=[Force(box, (F, 0), at=(0, a))])
system = jounce.compile_model(drawer)

knobs = np.linspace(0.05, 0.4, 29)
figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
speeds = {}
for friction in (0.3, 0.5, 0.8):
    runs = [jounce.simulate(system, None, t_end=0.2, mu=friction, a=knob) for knob in knobs]
    speeds[friction] = np.array([run.final["d_box_x"] for run in runs])
    (line,) = axis.plot(knobs, speeds[friction], "o-", markersize=3, label=f"μ = {friction}")
    axis.axvline(0.3 / (2 * friction), linestyle=":", color=line.get_color())
strong = jounce.simulate(system, None, t_end=0.2, mu=0.8, a=0.2, F=1e6)
axis.set(xlabel="distance of the knob from the middle [m]", ylabel="speed after 0.2 s [m/s]")
axis.legend()

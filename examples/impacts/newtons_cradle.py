"""
Why does only the last ball of Newton's cradle leave?
=====================================================

Five balls hang side by side, a hair apart. Elastic impacts of equal masses exchange velocities one pair after
the other, so the last ball leaves with the speed of the first. With a loss at every impact the middle balls
begin to swing too, and in the end all swing together.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Circle, Contact, Model, Segment, coordinates, parameters

balls = coordinates("x1 x2 x3 x4 x5", "m")  # along the arc, from each ball's own place
g, L, e = parameters(g=(9.81, "m/s^2"), L=(0.25, "m", "length of the strings"), e=(1.0, "", "restitution"))
hair = 1e-4
model = Model.from_lagrangian(
    "cradle",
    coordinates=[x for x, _ in balls],
    kinetic=sum(v**2 for _, v in balls) / 2,
    potential=sum(g / L * x**2 for x, _ in balls) / 2,
    contacts=[Contact(f"pair{k}", gap=balls[k][0] - balls[k - 1][0] + hair, restitution=e) for k in range(1, 5)],
    start={"x1": -0.1},
    drawing=[
        *(Circle((0.04 * k + x, 0), 0.0199) for k, (x, _) in enumerate(balls)),
        *(Segment((0.04 * k, L), (0.04 * k + x, 0), "ground") for k, (x, _) in enumerate(balls)),
    ],
)
system = jounce.compile_model(model)
elastic = jounce.simulate(system, None, t_end=0.5)
lossy = jounce.simulate(system, None, t_end=20.0, e=0.95)
jounce.plot.animate(jounce.simulate(system, None, t_end=2.0, e=0.95), "cradle.gif", speed=0.5)

times = np.linspace(0, 8, 3000)
figure, axes = plt.subplots(figsize=(9, 3.5), layout="constrained")
axes.plot(times, 1000 * lossy.states(times)[:, :5], lw=1, label=[f"ball {k}" for k in range(1, 6)])
axes.set(xlabel="t [s]", ylabel="displacement [mm]", title="e = 0.95")
axes.legend(ncols=5, fontsize=8)

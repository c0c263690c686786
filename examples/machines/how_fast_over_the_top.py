"""
How fast must it be to go over the top?
=======================================

A ball swings in a circle, once on a rod without mass, once on a rope. The rod pushes where it must, and 2√(gL) at the
bottom is enough. A rope only pulls: below √(5gL) it goes slack on the way, and the ball falls inside the circle until
the rope catches it with a jerk.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Driver, Model, ground, rope

L = 1.0
ball = Body("ball", mass=0.5, inertia=1e-4, center=(0, -L))
rod = Driver("rod", ground, ball, length=L)
line = rope("line", (0, 0), ball.point((0, 0)), length=L)
swings = {
    "rod": Model.from_bodies("on_a_rod", bodies=[ball], joints=[rod], gravity=9.81, guards={"top": ball.x}),
    "rope": Model.from_bodies("on_a_rope", bodies=[ball], contacts=[line], gravity=9.81, guards={"top": ball.x}),
}
speeds, tops, paths = np.linspace(5.0, 8.0, 61), {}, {}
for name, model in swings.items():
    system = jounce.compile_model(model)
    goes_over = []
    for speed in speeds:
        run = jounce.simulate(system, {"ball_x": 0.0, "d_ball_x": speed}, t_end=1.2)
        radius = np.hypot(*run.states(np.linspace(0, 1.2, 300))[:, :2].T)
        goes_over.append(radius.min() > L - 1e-6 and any(run.at(t)["ball_y"] > 0 for t in run.events.t))
        paths[name, speed] = run
    tops[name] = speeds[np.array(goes_over)].min()

figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
for name in swings:
    x, y = paths[name, speeds[35]].states(np.linspace(0, 1.2, 600))[:, :2].T
    axes.plot(x, y, label=f"{name}, {speeds[35]:.2f} m/s: over the top from {tops[name]:.2f} m/s on")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes.legend(loc="center", fontsize=8)

"""
Which steps does a ball hit on its way downstairs?
==================================================

A rubber ball is thrown down five steps. Each tread is an edge with rounded ends, so that the ball may also
meet a corner. Small changes of the throw decide which steps it misses.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, Circle, CircleOn, Edge, Model, contact_between, ground

depth, rise, radius = 0.3, 0.17, 0.03
ball = Body("ball", mass=0.1, inertia=4e-5, center=(-0.2, 0.5), velocity=(1.0, 0.0), shapes=[Circle((0, 0), radius)])
treads = [
    contact_between(
        f"step{k}",
        CircleOn(ball, (0, 0), radius),
        # the free side of an edge is on the left of its direction; the last tread is long
        Edge(ground, (depth * k, -rise * k), (depth * (k + 1) if k < 4 else 2.0, -rise * k)),
        restitution=0.8,
    )
    for k in range(5)
]
model = Model.from_bodies("downstairs", bodies=[ball], gravity=9.81, contacts=treads)
system = jounce.compile_model(model)
run = jounce.simulate(system, system.state(ball_x=0.05), t_end=1.6)
hits = run.events[run.events["kind"] == "impact"]
sequence = list(hits["contact"])
jounce.plot.animate(run, "downstairs.gif", speed=0.5)

times = np.linspace(0, 1.6, 2000)
states = run.states(times)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.step(depth * np.arange(6), -rise * np.array([0, 1, 2, 3, 4, 4]), where="post", color="gray")
axes.plot(states[:, 0], states[:, 1] - radius)
axes.set(xlabel="x [m]", ylabel="lowest point of the ball [m]", aspect="equal", title=" ".join(sequence))

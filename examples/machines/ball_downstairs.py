"""
Which steps does a ball hit on its way downstairs?
==================================================

A rubber ball is thrown down five steps. Each is a block of the ground, so that the ball may meet its tread, its
riser or the nose between them. Small changes of the throw decide which steps it misses.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Body, CircleOn, Model, PolygonOn, contact_between, ground

depth, rise, radius = 0.3, 0.17, 0.03
ball = Body("ball", mass=0.1, inertia=4e-5, center=(-0.2, 0.5), velocity=(1.0, 0.0))
steps = []
for k in range(5):
    end = depth * (k + 1) if k < 4 else 2.0  # the last tread is long
    block = PolygonOn(ground, [(0, -5 * rise), (end, -5 * rise), (end, -k * rise), (0, -k * rise)])
    steps.append(contact_between(f"step{k}", CircleOn(ball, (0, 0), radius), block, restitution=0.8))
model = Model.from_bodies("downstairs", bodies=[ball], gravity=9.81, contacts=steps)
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
axes.set(xlabel="x [m]", ylabel="lowest point of the ball [m]", aspect="equal", title=f"hits {', '.join(sequence)}")

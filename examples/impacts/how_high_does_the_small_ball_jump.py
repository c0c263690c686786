"""
How high does the small ball jump?
==================================

Drop a tennis ball on top of a basketball. The lower ball bounces and meets the upper one on its way up: for a
light upper ball and no loss its speed is three times the speed of fall, and it reaches nine times the height.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce
from jounce import Circle, Contact, Ground, Model, coordinates, parameters

(low, v_low), (high, v_high) = coordinates("low high", "m")
M, m, g, e = parameters(M=(0.6, "kg", "lower"), m=(0.06, "kg", "upper"), g=(9.81, "m/s^2"), e=(1.0, ""))
balls = Model.from_lagrangian(
    "two_balls",
    coordinates=[low, high],
    kinetic=(M * v_low**2 + m * v_high**2) / 2,
    potential=g * (M * low + m * high),
    contacts=[Contact("floor", gap=low, restitution=e), Contact("balls", gap=high - low, restitution=e)],
    drawing=[
        Ground(0),
        Circle((0, low + 0.12), 0.12, body="basketball"),
        Circle((0, high + 0.275), 0.035, body="tennis"),
    ],
)
system = jounce.compile_model(balls)
start = {"low": 1.0, "high": 1.0 + 1e-3}
run = jounce.simulate(system, start, t_end=1.5)
jump = run.events[run.events["contact"] == "balls"].iloc[0]
speed = run.at(jump["t"])["d_high"]
jounce.plot.animate(run, "balls.gif", t_to=0.8, speed=0.2)

times = np.linspace(0, 1.5, 1500)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(times, run.states(times)[:, :2], label=["lower ball", "upper ball"])
axes.set(xlabel="t [s]", ylabel="height [m]", title=f"the upper ball leaves with {speed:.2f} m/s")
axes.legend()

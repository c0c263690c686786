"""
Why does a ball with topspin kick forward?
==========================================

A tennis ball meets the court at 30 m/s and 15 degrees. Where friction can hold it, the Newton law of Moreau and Glocker
turns the velocity of its lowest point round by the tangential restitution ``e_t``; where it cannot, the ball slides.
Spin decides which of the two happens, and how fast the ball leaves.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

x, dx = jounce.coordinate("x", "m")
y, dy = jounce.coordinate("y", "m")
theta, dtheta = jounce.coordinate("theta", "rad")
m, r = 0.057, 0.033
e_t = jounce.parameter("e_t", 0.2)
ball = jounce.Model.from_lagrangian(
    "tennis_ball",
    coordinates=[x, y, theta],
    kinetic=m * (dx**2 + dy**2 + 2 * r**2 * dtheta**2 / 3) / 2,
    potential=m * 9.81 * y,
    contacts=[
        jounce.Contact(
            "court", gap=y - r, slip=dx + r * dtheta, friction=0.6, restitution=0.75, tangential_restitution=e_t
        )
    ],
)
spins = np.linspace(-1500.0, 500.0, 81)  # rad/s, negative: topspin
figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
speeds = {}
for grip in (0.0, 0.2, 0.6):
    starts = [{"y": 0.1, "d_x": 29.0, "d_y": -7.8, "d_theta": spin} for spin in spins]
    runs = [jounce.simulate(ball, start, 0.03, options=jounce.Options(law="whittaker"), e_t=grip) for start in starts]
    speeds[grip] = [run.final["d_x"] for run in runs]
    axis.plot(spins, speeds[grip], label=f"e_t = {grip}")
axis.axhline(29.0, color="grey", linewidth=0.8, label="before")
axis.set(xlabel="spin before [rad/s], topspin to the left", ylabel="speed along the court after [m/s]")
axis.legend()

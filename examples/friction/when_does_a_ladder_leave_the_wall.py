"""
When does a sliding ladder leave the wall?
==========================================

A ladder slides down between a smooth wall and a smooth floor. It does not stay at the wall until it lies: the
wall would have to pull. It leaves when its upper end has come down to two thirds of its first height.
"""

from sympy import cos, sin

import jounce
from jounce import Contact, Ground, Model, Segment, coordinate, coordinates, parameters

(x, dx), (y, dy) = coordinates("x y", "m")
theta, dtheta = coordinate("theta", "rad")
m, a, g = parameters(m=(10.0, "kg"), a=(2.0, "m", "half length"), g=(9.81, "m/s^2"))
ladder = Model.from_lagrangian(
    "ladder",
    coordinates=[x, y, theta],
    kinetic=m * (dx**2 + dy**2) / 2 + m * a**2 / 3 * dtheta**2 / 2,
    potential=m * g * y,
    contacts=[Contact("wall", gap=x - a * sin(theta)), Contact("floor", gap=y - a * cos(theta))],
    drawing=[
        Ground(0),
        Ground(((0, 1), (0, 0))),
        Segment((x - a * sin(theta), y + a * cos(theta)), (x + a * sin(theta), y - a * cos(theta))),
    ],
)
start_angle = 0.3
start = {"x": 2 * sin(start_angle), "y": 2 * cos(start_angle), "theta": start_angle}
run = jounce.simulate(ladder, {name: float(value) for name, value in start.items()}, t_end=1.15)
leaves = run.events[(run.events["contact"] == "wall") & (run.events["kind"] == "lift_off")].iloc[0]["t"]
angle = run.at(leaves)["theta"]
jounce.plot.animate(run, "ladder.gif", speed=0.5)
figure = jounce.plot.plot_time_history(run)

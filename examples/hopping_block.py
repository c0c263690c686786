"""An own model in ten lines: a block on a floor that shakes sideways and up, with friction.

jounce show examples/hopping_block.py:hopping_block
jounce simulate examples/hopping_block.py:hopping_block --set A=0.05 --t-end 5 --plot block.png
"""

from __future__ import annotations

from sympy import cos, pi, sin

import jounce
from jounce import Contact, Model


def hopping_block() -> Model:
    """A block on a floor that shakes in both directions: it rides, slides and hops (part of a vibratory conveyor)."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g, A, B, omega, mu, e = jounce.parameters(
        m=(1.0, "kg", "mass"),
        g=(9.81, "m/s^2", "gravity"),
        A=(0.02, "m", "vertical amplitude of the floor"),
        B=(0.02, "m", "horizontal amplitude of the floor"),
        omega=(20.0, "rad/s", "frequency of the floor"),
        mu=(0.3, "", "friction"),
        e=(0.2, "", "restitution"),
    )
    t = jounce.time
    floor, floor_velocity = A * sin(omega * t), B * omega * cos(omega * t)
    return Model.from_lagrangian(
        "hopping_block",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("sole", gap=y - floor, slip=dx - floor_velocity, friction=mu, restitution=e)],
        period=2 * pi / omega,
        start={y: 0.05},
        drawing=[jounce.Ground(floor), jounce.Circle((x, y + 0.02), 0.02), jounce.Point((x, y), "sole")],
        description="A block on a floor that shakes sideways and up.",
    )

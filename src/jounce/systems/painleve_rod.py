"""Painlevé's rod: a uniform rod that slides with one end on rough ground.

The lower end is at (x, y) - l (cos(theta), sin(theta)), theta the angle between ground and rod. With s the sign of the
slip velocity, the normal acceleration of the sliding end is A lambda_N + B with

    A = (1 + 3 cos^2(theta) + 3 s mu sin(theta) cos(theta))/m,   B = l theta'^2 sin(theta) - g,

so that sliding ahead of its centre (s = -1 for theta < pi/2) the rod can jam where mu > 4/3.

Source: F. Génot and B. Brogliato, New results on Painlevé paradoxes, European Journal of Mechanics A/Solids 18 (1999)
653-677.
"""

from __future__ import annotations

import math

from sympy import cos, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, coordinates, parameters


def painleve_rod() -> Model:
    """Painlevé's rod: one end slides on rough ground, and jams when the friction is large."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, dtheta = coordinate("theta", "rad")
    m, length, g, mu, e = parameters(
        m=(1.0, "kg", "mass"),
        l=(1.0, "m", "half length"),
        g=(9.81, "m/s^2", "gravity"),
        mu=(1.4, "", "friction"),
        e=(0.0, "", "restitution"),
    )
    start = 1.2
    tip = (x - length * cos(theta), y - length * sin(theta))
    top = (x + length * cos(theta), y + length * sin(theta))
    return Model.from_lagrangian(
        "painleve_rod",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * length**2 / 3 * dtheta**2 / 2,
        potential=m * g * y,
        contacts=[
            Contact("tip", gap=tip[1], slip=dx + length * sin(theta) * dtheta, friction=mu, restitution=e),
            Contact("top", gap=top[1], slip=dx - length * sin(theta) * dtheta, friction=mu, restitution=e),
        ],
        start={y: math.sin(start), theta: start, dx: -1.0},
        drawing=[Ground(0), Segment(tip, top), Point(tip, "tip"), Point(top, "top")],
        description="Painlevé's rod: one end slides on rough ground, and jams when the friction is large.",
        source="Génot and Brogliato, European Journal of Mechanics A/Solids 18 (1999) 653-677",
    )

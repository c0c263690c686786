"""A slender rod that falls onto a vertically vibrating floor and hits it with either end.

Source: S. J. Burns and P. T. Piiroinen, A hybrid scheme for simulation of planar rigid bodies with impacts and friction
using impact mappings, International Journal of Non-Linear Mechanics 77 (2015) 312-324.
"""

from __future__ import annotations

from sympy import cos, pi, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, coordinates, parameters, time


def slender_rod() -> Model:
    """A slender rod with two ends on a vertically vibrating floor, with friction."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, dtheta = coordinate("theta", "rad")
    m, L, g, A, omega, mu, e = parameters(
        m=(1.0, "kg", "mass"),
        L=(1.0, "m", "half length"),
        g=(9.81, "m/s^2", "gravity"),
        A=(1.0, "m", "amplitude of the floor"),
        omega=(3.0, "rad/s", "frequency of the floor"),
        mu=(0.1, "", "friction"),
        e=(0.8, "", "restitution"),
    )
    floor = A * sin(omega * time)
    left = (x - L * cos(theta), y - L * sin(theta))
    right = (x + L * cos(theta), y + L * sin(theta))
    return Model.from_lagrangian(
        "slender_rod",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * L**2 / 3 * dtheta**2 / 2,
        potential=m * g * y,
        contacts=[
            Contact("P1", left[1] - floor, slip=dx + L * sin(theta) * dtheta, friction=mu, restitution=e),
            Contact("P2", right[1] - floor, slip=dx - L * sin(theta) * dtheta, friction=mu, restitution=e),
        ],
        period=2 * pi / omega,
        start={y: 6.0, theta: 0.3},
        drawing=[Ground(floor), Segment(left, right), Point(left, "P1"), Point(right, "P2")],
        description="A slender rod with two ends on a vertically vibrating floor, with friction.",
        source="Burns and Piiroinen, International Journal of Non-Linear Mechanics 77 (2015) 312-324",
    )

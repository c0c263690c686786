"""A ball that bounces on a sinusoidally vibrating table.

Source: P. J. Holmes, The dynamics of repeated impacts with a sinusoidally vibrating table, Journal of Sound and
Vibration 84 (1982) 173-189.
"""

from __future__ import annotations

from sympy import pi, sin

from jounce.model import Contact, Ground, Model, Point, coordinate, parameters, time


def ball_on_table() -> Model:
    """A ball that bounces on a sinusoidally vibrating table."""
    y, dy = coordinate("y", "m")
    g, A, omega, e = parameters(
        g=(9.81, "m/s^2", "gravity"),
        A=(1.0, "m", "amplitude of the table"),
        omega=(3.0, "rad/s", "frequency of the table"),
        e=(0.9, "", "restitution"),
    )
    table = A * sin(omega * time)
    return Model.from_lagrangian(
        "ball_on_table",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=g * y,
        contacts=[Contact("table", gap=y - table, restitution=e)],
        period=2 * pi / omega,
        start={y: 0.1},
        drawing=[Ground(table), Point((0, y), "table")],
        description="A ball that bounces on a sinusoidally vibrating table.",
        source="Holmes, Journal of Sound and Vibration 84 (1982) 173-189; per unit mass",
    )

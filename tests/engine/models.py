"""Models of the engine's tests that no ready-made system covers, each with a closed form or an independent reference."""

from __future__ import annotations

from sympy import cos, pi, sin

from jounce.model import Contact, Model, coordinate, coordinates, parameters, time


def rubbing_mass() -> Model:
    """A point mass that bounces on a tilted, vibrating table with friction, in the table's frame."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, tilt, A, omega, mu, e = parameters(m=1.0, g=9.81, tilt=0.0, A=0.0, omega=1.0, mu=0.2, e=0.5)
    return Model.from_lagrangian(
        "rubbing_mass",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * (cos(tilt) * y - sin(tilt) * x),
        contacts=[Contact("table", gap=y - A * sin(omega * time), slip=dx, friction=mu, restitution=e)],
        period=2 * pi / omega,
        start={y: 1.0},
    )


def watched_ball() -> Model:
    """A ball on a fixed floor with two user guards: its apex, and a height it passes both ways."""
    y, dy = coordinate("y", "m")
    g, e, height = parameters(g=9.81, e=0.8, height=0.5)
    return Model.from_lagrangian(
        "watched_ball",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=g * y,
        contacts=[Contact("floor", gap=y, restitution=e)],
        guards={"apex": dy, "passing": y - height},
        start={y: 1.0},
    )

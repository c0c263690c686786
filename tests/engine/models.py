"""Models of the engine's tests that no ready-made system covers, each with a closed form or a reference."""

from __future__ import annotations

from sympy import cos, pi, sin, sqrt

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


def sprung_ball() -> Model:
    """A ball on a floor, drawn to it by a spring: no parabolas, so its flights are integrated."""
    y, dy = coordinate("y", "m")
    g, k, e = parameters(g=9.81, k=1.0, e=0.8)
    return Model.from_lagrangian(
        "sprung_ball",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=g * y + k * y**2 / 2,
        contacts=[Contact("floor", gap=y, restitution=e)],
        start={y: 1.0},
    )


def sprung_discs() -> Model:
    """Two free discs with friction between their rims, pulled together by a spring between their centres."""
    (x1, dx1), (y1, dy1), (x2, dx2), (y2, dy2) = coordinates("x1 y1 x2 y2", "m")
    (phi1, dphi1), (phi2, dphi2) = coordinates("phi1 phi2", "rad")
    m1, m2, r1, r2, mu, e, k = parameters(m1=1.0, m2=2.0, r1=0.5, r2=0.6, mu=0.3, e=0.5, k=20.0)
    distance = sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)
    n_x, n_y = (x1 - x2) / distance, (y1 - y2) / distance
    slip = -n_y * (dx1 - dx2) + n_x * (dy1 - dy2) - r1 * dphi1 - r2 * dphi2
    return Model.from_lagrangian(
        "sprung_discs",
        coordinates=[x1, y1, phi1, x2, y2, phi2],
        kinetic=(
            m1 * (dx1**2 + dy1**2) + m2 * (dx2**2 + dy2**2) + m1 * r1**2 * dphi1**2 / 2 + m2 * r2**2 * dphi2**2 / 2
        )
        / 2,
        potential=k * distance**2 / 2,
        contacts=[Contact("rims", gap=distance - r1 - r2, slip=slip, friction=mu, restitution=e)],
        start={x1: -1.2, x2: 0.0},
    )

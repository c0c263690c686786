"""Friction that depends on the slip speed and restitution that depends on the impact speed."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import cos, pi, sin

from jounce import Contact, Model, approach_speed, coordinates, parameters, slip, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def stribeck_belt() -> Model:
    """A block on a belt that also shakes up and down; friction falls with the slip speed and rises again."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, c, v, A, w, mu, mu_s, v_s, rise, e, v_e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), k=(20.0, "N/m"), c=(0.1, "kg/s"), v=(0.5, "m/s"), A=(0.1, "m"),
        w=(3.0, "rad/s"), mu=0.3, mu_s=0.4, v_s=(0.2, "m/s"), rise=(0.05, "s/m"), e=0.5, v_e=(1.0, "m/s"),
    )  # fmt: skip
    friction = mu + (mu_s - mu) * sp.exp(-slip / v_s) + rise * slip
    return Model.from_lagrangian(
        "stribeck_belt",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y + k * x**2 / 2,
        forces={x: -c * dx},
        contacts=[
            Contact(
                "belt",
                gap=y - A * sin(w * time),
                slip=dx - v,
                friction=friction,
                restitution=e / (1 + approach_speed / v_e),
            )
        ],
        period=2 * pi / w,
    )


def draw_stribeck_belt(random: np.random.Generator) -> Drawn:
    p = between(
        random, g=(5, 15), k=(1, 60), c=(0, 0.5), v=(-1, 1), A=(0, 0.3), w=(0.5, 8), mu=(0.05, 0.8), v_s=(0.02, 1)
    )
    p |= between(random, rise=(0, 0.3), e=(0, 0.95), v_e=(0.1, 10))
    p["mu_s"] = p["mu"] * float(random.uniform(1.0, 2.0))
    return p, between(random, x=(-1, 1), y=(0.3, 1), d_x=(-1, 1)), 5.0


def rubbing_rod() -> Model:
    """A rod that falls onto a floor that shakes sideways; friction falls with the slip speed as a hyperbola."""
    (_, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m")
    m, g, r, A, w, mu, delta, e, v_e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), r=(0.5, "m"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.5, delta=(1.0, "s/m"),
        e=0.5, v_e=(1.0, "m/s"),
    )  # fmt: skip
    ends = []
    for name, side in (("a", 1), ("b", -1)):
        gap = y + side * r * sin(theta)
        velocity = dx - side * r * sin(theta) * dtheta - A * w * cos(w * time)
        bounce = e * sp.exp(-approach_speed / v_e)
        ends.append(Contact(name, gap, slip=velocity, friction=mu / (1 + delta * slip), restitution=bounce))
    return Model.from_lagrangian(
        "rubbing_rod",
        coordinates={"x": "m", "y": "m", "theta": "rad"},
        kinetic=m * (dx**2 + dy**2 + r**2 * dtheta**2 / 3) / 2,
        potential=m * g * y,
        contacts=ends,
        period=2 * pi / w,
        start={"y": 1.0},
    )


def draw_rubbing_rod(random: np.random.Generator) -> Drawn:
    p = between(
        random, g=(5, 15), r=(0.2, 0.8), A=(0, 0.2), w=(1, 8), mu=(0, 0.9), delta=(0, 5), e=(0, 0.9), v_e=(0.5, 20)
    )
    return p, between(random, y=(0.9, 1.5), theta=(-1, 1), d_x=(-1, 1), d_theta=(-3, 3)), 3.0


FAMILIES = [
    Family("stribeck_belt", stribeck_belt, draw_stribeck_belt),
    Family("rubbing_rod", rubbing_rod, draw_rubbing_rod),
]

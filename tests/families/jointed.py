"""Machines and chains: pendulums between walls, cradles, strings, carts with stops."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import cos, pi, sin

from jounce import Contact, Model, coordinate, coordinates, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def pendulum_walls() -> Model:
    phi, w = coordinate("phi", "rad")
    m, L, g, c, a, A, v, e = parameters(
        m=(1.0, "kg"), L=(1.0, "m"), g=(9.81, "m/s^2"), c=(0.1, "kg m^2/s"), a=(0.5, "rad"), A=(0.1, "m"),
        v=(3.0, "rad/s"), e=0.7,
    )  # fmt: skip
    # the pivot shakes sideways
    vx, vy = A * v * cos(v * time) + L * cos(phi) * w, L * sin(phi) * w
    return Model.from_lagrangian(
        "pendulum_walls",
        coordinates=[phi],
        kinetic=m * (vx**2 + vy**2) / 2,
        potential=-m * g * L * cos(phi),
        forces={phi: -c * w},
        contacts=[
            Contact("left", gap=L * (sin(phi) + sin(a)), restitution=e),
            Contact("right", gap=L * (sin(a) - sin(phi)), restitution=e),
        ],
        period=2 * pi / v,
    )


def draw_pendulum_walls(random: np.random.Generator) -> Drawn:
    p = between(random, L=(0.3, 2), g=(5, 15), c=(0, 0.3), a=(0.1, 1.2), A=(0, 0.3), v=(1, 8), e=(0, 1))
    return p, between(random, phi=(-0.09, 0.09), d_phi=(-4, 4)), 5.0


def cradle() -> Model:
    """Three balls in a row between two walls, touching or apart."""
    (x, dx), (y, dy), (z, dz) = coordinates("x y z", "m")
    m, n, k, d, e = parameters(m=(1.0, "kg"), n=(1.0, "kg"), k=(1.0, "kg"), d=(1.0, "m"), e=0.9)
    return Model.from_lagrangian(
        "cradle",
        coordinates=[x, y, z],
        kinetic=(m * dx**2 + n * dy**2 + k * dz**2) / 2,
        potential=sp.Integer(0) * x,
        contacts=[
            Contact("left", gap=x + d, restitution=e),
            Contact("first", gap=y - x, restitution=e),
            Contact("second", gap=z - y, restitution=e),
            Contact("right", gap=d - z, restitution=e),
        ],
    )


def draw_cradle(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.3, 3), n=(0.3, 3), k=(0.3, 3), d=(0.5, 1), e=(0, 1))
    start = between(random, x=(-0.5, 0), d_x=(0, 3))
    start["y"] = float(random.choice([0.1, random.uniform(0, 0.2)]))
    start["z"] = start["y"] + float(random.choice([0.0, random.uniform(0, 0.2)]))
    return p, start, 3.0


def string() -> Model:
    """A mass on a string that goes slack, its end shaken."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, L, A, w, e = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), L=(1.0, "m"), A=(0.1, "m"), w=(4.0, "rad/s"), e=0.3)
    distance = sp.sqrt((x - A * sin(w * time)) ** 2 + y**2)
    return Model.from_lagrangian(
        "string",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("string", gap=L - distance, restitution=e)],
        period=2 * pi / w,
    )


def draw_string(random: np.random.Generator) -> Drawn:
    p = between(random, g=(3, 15), L=(0.5, 2), A=(0, 0.3), w=(1, 8), e=(0, 0.9))
    return p, {**between(random, x=(-0.2, 0.2), d_x=(-4, 4), d_y=(-2, 2)), "y": -0.4}, 4.0


def cart() -> Model:
    """A cart between bumpers with a pendulum that stops limit, on a joint."""
    s, ds = coordinate("s", "m")
    (x, dx), (y, dy) = coordinates("x y", "m")
    M, m, L, g, F, w, d, b, e = parameters(
        M=(2.0, "kg"), m=(1.0, "kg"), L=(0.7, "m"), g=(9.81, "m/s^2"), F=(5.0, "N"), w=(3.0, "rad/s"), d=(1.0, "m"),
        b=(0.4, "m"), e=0.6,
    )  # fmt: skip
    return Model.from_lagrangian(
        "cart",
        coordinates=[s, x, y],
        kinetic=M * ds**2 / 2 + m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        forces={s: F * cos(w * time)},
        joints={"rod": sp.sqrt((x - s) ** 2 + y**2) - L},
        contacts=[
            Contact("left", gap=s + d, restitution=e),
            Contact("right", gap=d - s, restitution=e),
            Contact("stop", gap=b + (x - s), restitution=e),
        ],
        period=2 * pi / w,
        start={y: -sp.Rational(7, 10)},
    )


def draw_cart(random: np.random.Generator) -> Drawn:
    p = between(random, M=(0.5, 3), g=(3, 15), F=(0, 20), w=(0.5, 6), d=(0.3, 1.5), b=(0.05, 0.5), e=(0, 0.95))
    p["L"] = float(random.uniform(0.6, 1.5))
    speed = float(random.uniform(-2, 2))
    return p, {"s": 0.0, "x": 0.0, "y": -p["L"], "d_s": float(random.uniform(-1, 1)), "d_x": speed, "d_y": 0.0}, 4.0


FAMILIES = [
    Family("pendulum_walls", pendulum_walls, draw_pendulum_walls),
    Family("cradle", cradle, draw_cradle),
    Family("string", string, draw_string),
    Family("cart", cart, draw_cart),
]

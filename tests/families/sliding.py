"""Contacts that last: belts, driven blocks, plates near critical friction, stacks, clearances, compliant floors."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import cos, pi, sin

from jounce import Contact, KelvinVoigt, Model, coordinate, coordinates, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def belt() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, c, v, V, w, mu, mu_s = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), k=(20.0, "N/m"), c=(0.1, "kg/s"), v=(0.5, "m/s"), V=(0.3, "m/s"),
        w=(3.0, "rad/s"), mu=0.3, mu_s=0.4,
    )  # fmt: skip
    return Model.from_lagrangian(
        "belt",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y + k * x**2 / 2,
        forces={x: -c * dx},
        contacts=[Contact("belt", gap=y, slip=dx - v - V * cos(w * time), friction=mu, static_friction=mu_s)],
        period=2 * pi / w,
    )


def draw_belt(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), k=(1, 60), c=(0, 0.5), v=(-1, 1), V=(0, 1), w=(0.5, 8), mu=(0.05, 0.8))
    p["mu_s"] = p["mu"] * float(random.choice([1.0, random.uniform(1.0, 1.6)]))
    return p, between(random, x=(-1, 1), d_x=(-1, 1)), 6.0


def driven_block() -> Model:
    """A block that a motor moves to and fro on a rough floor, and that a spring presses down."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, A, w, mu = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.4)
    return Model.from_lagrangian(
        "driven_block",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        joints={"motor": x - A * sin(w * time)},
        contacts=[Contact("floor", gap=y, slip=dx, friction=mu)],
        period=2 * pi / w,
    )


def draw_driven_block(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), A=(0.01, 0.5), w=(0.5, 10), mu=(0.05, 1.2))
    return p, {"x": 0.0, "d_x": p["A"] * p["w"]}, 4.0


def shaken_plate() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, A, B, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), A=(0.1, "m"), B=(0.0, "m"), w=(5.0, "rad/s"), mu=0.3, e=0.3
    )
    return Model.from_lagrangian(
        "shaken_plate",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[
            Contact("plate", gap=y - B * sin(w * time), slip=dx - A * w * cos(w * time), friction=mu, restitution=e)
        ],
        period=2 * pi / w,
    )


def draw_shaken_plate(random: np.random.Generator) -> Drawn:
    """Half of them with friction that just holds or just does not: A w^2 = mu g (1 + eps)."""
    p = between(random, g=(5, 15), w=(1, 20), mu=(0.05, 2), e=(0, 0.9))
    critical = random.random() < 0.5
    eps = (
        float(random.choice([-1, 1]) * 10.0 ** random.uniform(-13, -1)) if critical else float(random.uniform(-0.9, 3))
    )
    p["A"] = p["mu"] * p["g"] / p["w"] ** 2 * (1 + eps)
    p["B"] = 0.0 if critical else float(random.uniform(0, 1.5) * p["g"] / p["w"] ** 2)
    return p, {"d_x": p["A"] * p["w"], "y": 0.0, "d_y": p["B"] * p["w"]}, 5.0


def stack() -> Model:
    """Two blocks on top of each other on a floor that shakes sideways and up and down."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    (X, dX), (Y, dY) = coordinates("X Y", "m")
    m, M, g, A, B, w, mu, nu, e = parameters(
        m=(1.0, "kg"), M=(2.0, "kg"), g=(9.81, "m/s^2"), A=(0.05, "m"), B=(0.02, "m"), w=(6.0, "rad/s"), mu=0.4, nu=0.5,
        e=0.3,
    )  # fmt: skip
    return Model.from_lagrangian(
        "stack",
        coordinates=[x, y, X, Y],
        kinetic=m * (dx**2 + dy**2) / 2 + M * (dX**2 + dY**2) / 2,
        potential=m * g * y + M * g * Y,
        contacts=[
            Contact("floor", gap=Y - B * sin(w * time), slip=dX - A * w * cos(w * time), friction=mu, restitution=e),
            Contact("between", gap=y - Y, slip=dx - dX, friction=nu, restitution=e),
        ],
        period=2 * pi / w,
    )


def draw_stack(random: np.random.Generator) -> Drawn:
    p = between(
        random, m=(0.3, 3), M=(0.3, 3), g=(5, 15), A=(0, 0.2), B=(0, 0.1), w=(1, 12), mu=(0, 1), nu=(0, 1), e=(0, 0.8)
    )
    start = between(random, d_x=(-1, 1), d_X=(-1, 1))
    start["Y"] = float(random.choice([0.0, random.uniform(0, 0.5)]))
    start["y"] = start["Y"] + float(random.choice([0.0, random.uniform(0, 0.5)]))
    return p, start, 2.0


def clearance() -> Model:
    """A pin that turns, in a round hole that shakes."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, spin = coordinate("theta", "rad")
    m, g, r, c, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), r=(0.1, "m"), c=(0.02, "m"), A=(0.05, "m"), w=(6.0, "rad/s"), mu=0.1, e=0.7
    )
    ux, vx = x - A * sin(w * time), dx - A * w * cos(w * time)
    distance = sp.sqrt(ux**2 + y**2)
    slip = (y * vx - ux * dy) / distance - r * spin
    return Model.from_lagrangian(
        "clearance",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 * spin**2 / 4,
        potential=m * g * y,
        contacts=[Contact("hole", gap=c - distance, slip=slip, friction=mu, restitution=e)],
        period=2 * pi / w,
    )


def draw_clearance(random: np.random.Generator) -> Drawn:
    p = between(random, g=(2, 15), r=(0.02, 0.2), c=(0.01, 0.1), A=(0, 0.1), w=(1, 12), mu=(0, 0.6), e=(0, 0.9))
    return p, {**between(random, d_x=(-1, 1), d_y=(-1, 1), d_theta=(-9, 9)), "y": -0.3 * p["c"]}, 2.0


def soft_floor() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, K, c, mu, v = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), K=(4e3, "N/m"), c=(20.0, "kg/s"), mu=0.5, v=(1e-3, "m/s")
    )
    return Model.from_lagrangian(
        "soft_floor",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("floor", gap=y, slip=dx, friction=mu, compliance=KelvinVoigt(K, c, friction_speed=v))],
        start={y: 1.0},
    )


def draw_soft_floor(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), K=(1e3, 2e4), c=(1, 100), mu=(0, 1), v=(1e-3, 1e-1))
    return p, between(random, y=(0.2, 1), d_x=(-5, 5), d_y=(-2, 2)), 2.0


FAMILIES = [
    Family("belt", belt, draw_belt),
    Family("driven_block", driven_block, draw_driven_block),
    Family("shaken_plate", shaken_plate, draw_shaken_plate),
    Family("stack", stack, draw_stack),
    Family("clearance", clearance, draw_clearance),
    Family("soft_floor", soft_floor, draw_soft_floor),
]

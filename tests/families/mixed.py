"""Impacts beside what else may jump or kink: dry friction as a force, dead zones and saturation, sampled control."""

from __future__ import annotations

import numpy as np
from sympy import Abs, Max, Min, Rational, cos, pi, sign, sin

from jounce import Contact, Model, coordinates, discrete, parameters, sampled, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def rubbed_oscillator() -> Model:
    """A shaken mass between two stops on a belt whose friction is a force with a sign in it."""
    ((x, dx),) = coordinates("x", "m")
    m, k, F, v, A, w, d, e = parameters(
        m=(1.0, "kg"), k=(5.0, "N/m"), F=(1.0, "N"), v=(0.3, "m/s"), A=(2.0, "N"), w=(3.0, "rad/s"), d=(0.5, "m"), e=0.6
    )
    return Model.from_lagrangian(
        "rubbed_oscillator",
        coordinates=[x],
        kinetic=m * dx**2 / 2,
        potential=k * x**2 / 2,
        forces={x: A * cos(w * time) - F * sign(dx - v)},
        contacts=[Contact("right", gap=d - x, restitution=e), Contact("left", gap=d + x, restitution=e)],
        period=2 * pi / w,
    )


def draw_rubbed_oscillator(random: np.random.Generator) -> Drawn:
    """Half of them on a floor that rests: they are held, and pressed against their stops."""
    p = between(random, m=(0.3, 3), k=(0.5, 20), F=(0.1, 3), A=(0.5, 6), w=(0.5, 6), d=(0.1, 1), e=(0, 0.95))
    p["v"] = float(random.choice([0.0, random.uniform(0.05, 1)]))
    return p, {"x": float(random.uniform(-0.9, 0.9) * p["d"]), "d_x": float(random.uniform(-2, 2))}, 6.0


def saturated_hopper() -> Model:
    """A ball that a spring with a dead zone, a saturated damper and |v| v drive over a shaken floor with friction."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, b, c, s, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), k=(20.0, "N/m"), b=(0.3, "m"), c=(2.0, "kg/s"), s=(1.0, "N"), A=(0.1, "m"),
        w=(4.0, "rad/s"), mu=0.3, e=0.6,
    )  # fmt: skip
    dead = Max(x - b, 0) + Min(x + b, 0)
    return Model.from_lagrangian(
        "saturated_hopper",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        forces={x: -k * dead - Max(-s, Min(s, c * dx)), y: -c * Abs(dy) * dy / (w * b) / 20},
        contacts=[Contact("floor", gap=y - A * sin(w * time), slip=dx, friction=mu, restitution=e)],
        period=2 * pi / w,
        start={y: 1.0},
    )


def draw_saturated_hopper(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.3, 3), g=(5, 15), k=(5, 40), b=(0.05, 0.5), c=(0.2, 5), s=(0.2, 3), mu=(0, 1), e=(0, 0.9))
    p |= between(random, A=(0.0, 0.2), w=(1, 6))
    return p, between(random, x=(-1, 1), y=(0.5, 1.5), d_x=(-3, 3), d_y=(-1, 1)), 3.0


def held_juggler() -> Model:
    """A ball on a paddle that a sampled controller moves by a spring, and that stops hold."""
    (y, dy), (z, dz) = coordinates("y z", "m")
    m, n, g, k, c, P, D, T, d, e = parameters(
        m=(1.0, "kg"), n=(3.0, "kg"), g=(9.81, "m/s^2"), k=(300.0, "N/m"), c=(10.0, "kg/s"), P=0.3, D=(0.05, "s"),
        T=(0.05, "s"), d=(0.3, "m"), e=0.7,
    )  # fmt: skip
    aim = discrete("aim", 0.0, "m")
    return Model.from_lagrangian(
        "held_juggler",
        coordinates=[y, z],
        kinetic=(m * dy**2 + n * dz**2) / 2,
        potential=m * g * y + n * g * z,
        forces={z: -k * (z - aim) - c * dz + n * g},
        contacts=[
            Contact("paddle", gap=y - z, restitution=e),
            Contact("low", gap=z + d, restitution=Rational(1, 2)),
            Contact("high", gap=d - z, restitution=Rational(1, 2)),
        ],
        resets=sampled({aim: -P * y / 2 - D * dy}, every=T),
        period=2 * T,
        start={y: 0.5},
    )


def draw_held_juggler(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.2, 1), n=(1, 5), g=(5, 15), k=(50, 500), c=(1, 20), P=(0, 1), D=(0, 0.1), T=(0.01, 0.2))
    p |= between(random, d=(0.1, 0.5), e=(0, 0.9))
    return p, {"y": float(p["d"] + random.uniform(0.1, 1)), "d_y": float(random.uniform(-2, 2)), "z": 0.0}, 2.0


FAMILIES = [
    Family("rubbed_oscillator", rubbed_oscillator, draw_rubbed_oscillator),
    Family("saturated_hopper", saturated_hopper, draw_saturated_hopper),
    Family("held_juggler", held_juggler, draw_held_juggler),
]

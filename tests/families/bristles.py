"""Friction with a memory: blocks on bristles between stops, whose internal states are much faster than their motion."""

from __future__ import annotations

import numpy as np
from sympy import cos, pi

from jounce import Contact, Model, coordinates, dahl, lugre, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def bristled_block() -> Model:
    """A shaken block with LuGre friction between two stops."""
    ((x, dx),) = coordinates("x", "m")
    m, k, A, w, d, e, s0, s1, s2, F_c, F_s, v_s = parameters(
        m=(1.0, "kg"), k=(5.0, "N/m"), A=(3.0, "N"), w=(3.0, "rad/s"), d=(0.5, "m"), e=0.6, s0=(1e4, "N/m"),
        s1=(100.0, "kg/s"), s2=(0.1, "kg/s"), F_c=(1.0, "N"), F_s=(1.5, "N"), v_s=(0.01, "m/s"),
    )  # fmt: skip
    friction = lugre(dx, stiffness=s0, damping=s1, viscous=s2, coulomb=F_c, static=F_s, stribeck=v_s)
    return Model.from_lagrangian(
        "bristled_block",
        coordinates=[x],
        kinetic=m * dx**2 / 2,
        potential=k * x**2 / 2,
        forces={x: A * cos(w * time) + friction.force},
        rates=friction.rates,
        contacts=[Contact("right", gap=d - x, restitution=e), Contact("left", gap=d + x, restitution=e)],
        period=2 * pi / w,
    )


def draw_bristled_block(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.3, 3), k=(0.5, 20), A=(0.5, 6), w=(0.5, 6), d=(0.1, 1), e=(0, 0.9), F_c=(0.1, 2))
    p |= {"s0": 10.0 ** random.uniform(2, 5), "v_s": 10.0 ** random.uniform(-2.5, -0.5), "s2": random.uniform(0, 0.5)}
    p["s1"] = float(random.uniform(0, 1) * np.sqrt(p["s0"] * p["m"]))
    p["F_s"] = p["F_c"] * float(random.uniform(1, 2))
    return p, {"x": float(random.uniform(-0.9, 0.9) * p["d"]), "d_x": float(random.uniform(-2, 2))}, 2.0


def sheared_pair() -> Model:
    """Two masses, one on a spring, that Dahl's friction couples; the outer one beside a wall."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, n, k, A, w, d, e, sigma, F = parameters(
        m=(1.0, "kg"), n=(0.5, "kg"), k=(20.0, "N/m"), A=(5.0, "N"), w=(4.0, "rad/s"), d=(0.5, "m"), e=0.6,
        sigma=(1e4, "N/m"), F=(2.0, "N"),
    )  # fmt: skip
    friction = dahl(dx - dy, stiffness=sigma, limit=F)
    return Model.from_lagrangian(
        "sheared_pair",
        coordinates=[x, y],
        kinetic=(m * dx**2 + n * dy**2) / 2,
        potential=k * x**2 / 2,
        forces={x: A * cos(w * time) + friction.force, y: -friction.force},
        rates=friction.rates,
        contacts=[Contact("wall", gap=d - y, restitution=e), Contact("stop", gap=d + y, restitution=e)],
        period=2 * pi / w,
    )


def draw_sheared_pair(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.3, 3), n=(0.1, 2), k=(1, 50), A=(0.5, 10), w=(0.5, 6), d=(0.1, 1), e=(0, 0.9), F=(0.1, 4))
    p["sigma"] = 10.0 ** random.uniform(2, 5)
    return p, between(random, x=(-0.3, 0.3), y=(-0.09, 0.09), d_x=(-2, 2), d_y=(-2, 2)), 2.0


ANY = ("taylor", "dop853", "dopri5")  # the first takes implicit steps where a state is stiff

FAMILIES = [
    Family("bristled_block", bristled_block, draw_bristled_block, integrators=ANY),
    Family("sheared_pair", sheared_pair, draw_sheared_pair, integrators=ANY),
]

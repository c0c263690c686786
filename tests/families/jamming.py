"""Slides that may jam: a rod and a two-link arm with large friction, started in contact near their singular points."""

from __future__ import annotations

import math

import numpy as np
from sympy import cos, sin

from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def jamming_rod() -> Model:
    """Painlevé's rod with a spring that may press its centre down."""
    (x, dx), (y, dy), (a, da) = *coordinates("x y", "m"), coordinate("a", "rad")
    m, r, g, k, mu, mu_s, e = parameters(
        m=(1.0, "kg"), r=(1.0, "m"), g=(9.81, "m/s^2"), k=(0.0, "N/m"), mu=1.5, mu_s=1.5, e=0.3
    )
    ends = {"tip": (y - r * sin(a), dx + r * sin(a) * da), "top": (y + r * sin(a), dx - r * sin(a) * da)}
    return Model.from_lagrangian(
        "jamming_rod",
        coordinates=[x, y, a],
        kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 / 6 * da**2,
        potential=m * g * y + k * y**2 / 2,
        contacts=[
            Contact(name, gap=gap, slip=slip, friction=mu, static_friction=mu_s, restitution=e)
            for name, (gap, slip) in ends.items()
        ],
        start={y: 0.5, a: 0.5235987755982988},
    )


def draw_jamming_rod(random: np.random.Generator) -> Drawn:
    """Half of them just before the smaller singular angle, at rates near those at which the tip is about to lift.

    With more friction the power p of the jam falls below 0.2, and its last impulse is known to 1e-5 only (painleve.md).
    """
    p = between(random, m=(0.2, 5), r=(0.1, 3), g=(2, 15), mu=(1.0, 2.4), e=(0, 0.9))
    p["mu_s"] = p["mu"] * float(random.choice([1.0, random.uniform(1.0, 1.3)]))
    p["k"] = float(random.choice([0.0, random.uniform(0, 20)]))
    angle, near = float(random.uniform(0.1, 1.4)), random.random() < 0.5
    if near and p["mu"] > 4 / 3:
        angle = math.atan((3 * p["mu"] - math.sqrt(9 * p["mu"] ** 2 - 16)) / 2) - 10.0 ** float(random.uniform(-4, -1))
    rate = math.sqrt(p["g"] / (p["r"] * math.sin(angle))) * float(random.uniform(-1, 1))
    slip = -float(random.uniform(0.2, 10))
    start = {"x": 0.0, "y": p["r"] * math.sin(angle), "a": angle, "d_a": rate}
    start |= {"d_x": slip - rate * p["r"] * math.sin(angle), "d_y": rate * p["r"] * math.cos(angle)}
    return p, start, 0.5


def jamming_arm() -> Model:
    """Two equal links that hang from a pivot onto a belt."""
    (a, da), (b, db) = coordinate("a", "rad"), coordinate("b", "rad")
    m, r, g, h, v, mu, mu_s, e = parameters(
        m=(1.0, "kg"), r=(1.0, "m"), g=(9.8, "m/s^2"), h=(5 / 3, "m"), v=(-1.0, "m/s"), mu=0.5, mu_s=0.8, e=0.5
    )
    T = m * r**2 * (4 * da**2 / 3 + db**2 / 3 + da * db * cos(a - b)) / 2
    return Model.from_lagrangian(
        "jamming_arm",
        coordinates=[a, b],
        kinetic=T,
        potential=-m * g * r * (3 * cos(a) + cos(b)) / 2,
        contacts=[
            Contact(
                "tip", gap=h - r * (cos(a) + cos(b)), slip=r * (cos(a) * da + cos(b) * db) - v,
                friction=mu, static_friction=mu_s, restitution=e,
            )
        ],
        start={a: 0.6, b: 0.6},
    )  # fmt: skip


def draw_jamming_arm(random: np.random.Generator) -> Drawn:
    p = between(random, m=(0.2, 5), r=(0.1, 3), g=(2, 15), mu=(0.3, 1.0), e=(0, 0.9))
    p |= {"mu_s": p["mu"] * float(random.uniform(1.0, 1.6)), "h": p["r"] * float(random.uniform(1.55, 1.85))}
    unit = math.sqrt(p["g"] * p["r"])
    p["v"] = unit * float(random.uniform(-1, 1))
    angle = float(random.uniform(0.2, 0.8)) * math.acos(p["h"] / p["r"] - 1)
    other = math.acos(p["h"] / p["r"] - math.cos(angle))
    rate = unit / p["r"] * float(random.uniform(-1, 1))
    return p, {"a": angle, "b": other, "d_a": rate, "d_b": -rate * math.sin(angle) / math.sin(other)}, 0.5


FAMILIES = [
    Family("jamming_rod", jamming_rod, draw_jamming_rod, good=("FINISHED", "AT_REST")),
    Family("jamming_arm", jamming_arm, draw_jamming_arm, good=("FINISHED", "AT_REST")),
]

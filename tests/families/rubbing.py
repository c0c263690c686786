"""Joints that rub, guides with both sides, discs that resist rolling."""

from __future__ import annotations

import math

import numpy as np
from sympy import cos, pi, sin

from jounce import Contact, Model, coordinate, coordinates, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def rubbing_pendulum() -> Model:
    """A pendulum on a rubbing pin that a torque shakes, beside a wall."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    phi, w = coordinate("phi", "rad")
    m, J, L, g, r, mu, mu_s, N, T, v, d, e = parameters(
        m=(1.0, "kg"), J=(0.1, "kg m^2"), L=(1.0, "m"), g=(9.81, "m/s^2"), r=(0.05, "m"), mu=0.3, mu_s=0.3,
        N=(0.0, "N"), T=(1.0, "N m"), v=(3.0, "rad/s"), d=(0.3, "m"), e=0.7,
    )  # fmt: skip
    return Model.from_lagrangian(
        "rubbing_pendulum",
        coordinates=[x, y, phi],
        kinetic=m * (dx**2 + dy**2) / 2 + J * w**2 / 2,
        potential=m * g * y,
        forces={phi: T * cos(v * time)},
        joints={"across": x - L * sin(phi), "along": y + L * cos(phi)},
        contacts=[
            Contact("pin", slip=r * w, friction=mu, static_friction=mu_s, load=("across", "along"), preload=N),
            Contact("wall", gap=d - x, slip=dy, friction=mu, restitution=e),
        ],
        period=2 * pi / v,
        start={y: -1.0},
    )


def draw_rubbing_pendulum(random: np.random.Generator) -> Drawn:
    p = between(
        random, J=(0.01, 0.3), L=(0.5, 1.5), g=(3, 15), r=(0.01, 0.2), mu=(0, 0.8), N=(0, 5), T=(0, 5), v=(1, 6),
        d=(0.02, 0.5), e=(0, 0.95),
    )  # fmt: skip
    p["mu_s"] = p["mu"] * float(random.choice([1.0, 1.5]))
    phi, w = float(random.uniform(-1.2, 0.0)), float(random.uniform(-3, 3))
    start = {"x": p["L"] * math.sin(phi), "y": -p["L"] * math.cos(phi), "phi": phi, "d_phi": w}
    return p, start | {"d_x": -start["y"] * w, "d_y": start["x"] * w}, 4.0


def rubbing_slider() -> Model:
    """A block in a guide of some length, on a spring, pushed across and turned."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    a, da = coordinate("a", "rad")
    m, J, h, tilt, k, mu, mu_s, c, N, F, Q, C, v, d, e = parameters(
        m=(1.0, "kg"), J=(0.1, "kg m^2"), h=(1.0, "m"), tilt=(0.5, "rad"), k=(20.0, "kg/s^2"), mu=0.3,
        mu_s=0.3, c=(5.0, "1/m"), N=(0.0, "N"), F=(5.0, "N"), Q=(5.0, "N"), C=(0.5, "N m"), v=(3.0, "rad/s"),
        d=(0.5, "m"), e=0.5,
    )  # fmt: skip
    return Model.from_lagrangian(
        "rubbing_slider",
        coordinates=[x, y, a],
        kinetic=m * (dx**2 + dy**2) / 2 + J * da**2 / 2,
        potential=k * x**2 / 2,
        forces={x: F * cos(v * time), y: Q * sin(2 * v * time) + Q / 3, a: C * cos(3 * v * time)},
        joints={"across": y - h, "turned": a - tilt},
        contacts=[
            Contact("guide", slip=dx, friction=mu, static_friction=mu_s, load=("across", "turned"), lever=c, preload=N),
            Contact("stop", gap=d - x, restitution=e),
        ],
        period=2 * pi / v,
        start={y: 1.0, a: 0.5},
    )


def draw_rubbing_slider(random: np.random.Generator) -> Drawn:
    p = between(
        random, J=(0.01, 0.3), k=(0, 50), mu=(0, 1.5), c=(0, 20), N=(0, 3), F=(0, 20), Q=(0, 20), C=(0, 2), v=(1, 6),
        d=(0.05, 1), e=(0, 0.95),
    )  # fmt: skip
    p["mu_s"] = p["mu"] * float(random.choice([1.0, 1.5]))
    return p, {**between(random, x=(-0.5, 0.0), d_x=(-3, 3)), "y": 1.0, "a": 0.5}, 4.0


def rubbing_crank() -> Model:
    """A slider-crank whose pins and guide rub: one freedom, three places that stick together."""
    a, da = coordinate("a", "rad")
    (x, dx), (y, dy) = coordinates("x y", "m")
    b, db = coordinate("b", "rad")
    (s, ds), (p, dp) = coordinates("s p", "m")
    J_c, m, J, M, R, L, g, r, mu, mu_g, T, v = parameters(
        J_c=(0.1, "kg m^2"), m=(1.0, "kg"), J=(0.1, "kg m^2"), M=(1.0, "kg"), R=(0.3, "m"), L=(1.0, "m"),
        g=(9.81, "m/s^2"), r=(0.03, "m"), mu=0.2, mu_g=0.2, T=(3.0, "N m"), v=(2.0, "rad/s"),
    )  # fmt: skip
    return Model.from_lagrangian(
        "rubbing_crank",
        coordinates=[a, x, y, b, s, p],
        kinetic=(J_c * da**2 + m * (dx**2 + dy**2) + J * db**2 + M * (ds**2 + dp**2)) / 2,
        potential=g * (m * y + M * p),
        forces={a: T * cos(v * time)},
        joints={
            "big_x": x - R * cos(a) - L / 2 * cos(b),
            "big_y": y - R * sin(a) - L / 2 * sin(b),
            "small_x": s - x - L / 2 * cos(b),
            "small_y": p - y - L / 2 * sin(b),
            "across": p,
        },
        contacts=[
            Contact("big", slip=r * (db - da), friction=mu, load=("big_x", "big_y")),
            Contact("small", slip=-r * db, friction=mu, load=("small_x", "small_y")),
            Contact("guide", slip=ds, friction=mu_g, load="across"),
        ],
        period=2 * pi / v,
        start={x: 0.8, s: 1.3},
    )


def draw_rubbing_crank(random: np.random.Generator) -> Drawn:
    q = between(
        random, J_c=(0.01, 0.5), m=(0.2, 2), J=(0.01, 0.3), M=(0.2, 2), R=(0.1, 0.4), g=(0, 15), r=(0.005, 0.06),
        mu=(0, 0.5), mu_g=(0, 0.4), T=(0, 15), v=(0.5, 4),
    )  # fmt: skip
    R, L, a, da = q["R"], 1.0, float(random.uniform(-3, 3)), float(random.uniform(-4, 4))
    b = -math.asin(R / L * math.sin(a))
    db = -R * math.cos(a) * da / (L * math.cos(b))
    joint = np.array([R * math.cos(a), R * math.sin(a)])
    rod = L / 2 * np.array([math.cos(b), math.sin(b)])
    speed = R * da * np.array([-math.sin(a), math.cos(a)])
    turn = L / 2 * db * np.array([-math.sin(b), math.cos(b)])
    names = ("x", "y", "s", "p")
    start = dict(zip(names, np.concatenate([joint + rod, joint + 2 * rod]).tolist(), strict=True))
    rates = dict(zip(names, np.concatenate([speed + turn, speed + 2 * turn]).tolist(), strict=True))
    start |= {"a": a, "b": b, "d_a": da, "d_b": db} | {f"d_{name}": rate for name, rate in rates.items()}
    start["p"], start["d_p"] = 0.0, 0.0
    return q, start, 4.0


def rolling_disc() -> Model:
    """A disc on a shaken slope that resists rolling and bounces."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, w = coordinate("theta", "rad")
    m, R, g, arm, mu, slope, A, v, e = parameters(
        m=(1.0, "kg"), R=(0.2, "m"), g=(9.81, "m/s^2"), arm=(0.005, "m"), mu=0.4, slope=0.05, A=(0.05, "m"),
        v=(6.0, "rad/s"), e=0.5,
    )  # fmt: skip
    return Model.from_lagrangian(
        "rolling_disc",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * R**2 * w**2 / 4,
        potential=m * g * (y * cos(slope) - x * sin(slope)),
        contacts=[
            Contact("floor", gap=y - A * sin(v * time), slip=dx - R * w, friction=mu, restitution=e),
            Contact("rolling", slip=w, friction=arm, load="floor"),
        ],
        period=2 * pi / v,
        start={y: 0.1},
    )


def draw_rolling_disc(random: np.random.Generator) -> Drawn:
    p = between(
        random, R=(0.05, 0.5), g=(3, 15), arm=(0, 0.02), mu=(0, 1), slope=(-0.1, 0.1), A=(0, 0.1), v=(1, 12), e=(0, 0.8)
    )
    return p, between(random, y=(0.0, 0.3), d_x=(-2, 2), d_theta=(-10, 10)), 3.0


FAMILIES = [
    Family("rubbing_pendulum", rubbing_pendulum, draw_rubbing_pendulum),
    Family("rubbing_slider", rubbing_slider, draw_rubbing_slider),
    Family("rubbing_crank", rubbing_crank, draw_rubbing_crank, good=("FINISHED", "AT_REST", "PARADOX")),
    Family("rolling_disc", rolling_disc, draw_rolling_disc),
]

"""Resets and discrete states: juggled, switched and escaping bodies between their impacts."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import cos, pi, sin, sqrt

from jounce import Contact, Model, Reset, coordinates, discrete, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def juggler() -> Model:
    """A ball on a shaken table: pushed at impacts, now to one side and now to the other, and turned at its apex."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, A, w, mu, e, push, turn, high = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.2, e=0.7, push=(0.5, "m/s"), turn=0.5,
        high=(0.5, "m"),
    )  # fmt: skip
    side, apexes = discrete("side", 1), discrete("apexes")
    table = Contact("table", gap=y - A * sin(w * time), slip=dx, friction=mu, restitution=e)
    return Model.from_lagrangian(
        "juggler",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[table],
        resets=[
            Reset("impact:table", {dx: dx + side * push, side: -side}, only_if=dy > push, name="push"),
            Reset(dy, {dx: -turn * dx, apexes: apexes + 1}, direction=-1, only_if=y > high, name="apex"),
        ],
        period=2 * pi / w,
        start={y: 1.0},
    )


def draw_juggler(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), A=(0, 0.2), w=(1, 8), mu=(0, 0.8), e=(0, 0.95), push=(0.05, 1), turn=(0, 1.5))
    p["high"] = float(random.uniform(0.2, 0.8))
    return p, between(random, y=(0.5, 1.5), d_x=(-1, 1), d_y=(-1, 1)), 4.0


def switched_spring() -> Model:
    """A mass on a spring between a force that a relay with hysteresis switches and a wall."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, k, c, F, h, gap, e = parameters(
        m=(1.0, "kg"), k=(5.0, "N/m"), c=(0.1, "kg/s"), F=(1.0, "N"), h=(0.1, "m"), gap=(0.5, "m"), e=0.6
    )
    side, switches = discrete("side", 1), discrete("switches")
    return Model.from_lagrangian(
        "switched_spring",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=k * (x**2 + 3 * (y - x) ** 2) / 2,
        forces={x: -side * F - c * dx, y: -c * dy},
        contacts=[Contact("wall", gap=gap - y, restitution=e)],
        resets=[
            Reset(x - h, {side: 1, switches: switches + 1}, direction=+1, only_if=sp.Eq(side, -1), name="up"),
            Reset(x + h, {side: -1, switches: switches + 1}, direction=-1, only_if=sp.Eq(side, 1), name="down"),
            Reset("impact:wall", {dy: dy * (1 + side / 4)}, name="wall_side"),
        ],
    )


def draw_switched_spring(random: np.random.Generator) -> Drawn:
    p = between(random, k=(1, 20), c=(0.02, 0.5), F=(0.2, 3), h=(0.01, 0.3), gap=(0.2, 1), e=(0, 0.8))
    return p, between(random, x=(-0.1, 0.1), y=(-0.15, 0.15), d_x=(-1, 1), d_y=(-1, 1)), 6.0


def escapement() -> Model:
    """A pendulum with a stop on one side that an escape wheel drives at its lowest point."""
    ((theta, omega),) = coordinates("theta", "rad")
    J, K, c, E, stop, e = parameters(
        J=(1.0, "kg m^2"), K=(9.0, "N m"), c=(0.05, "N m s"), E=(0.05, "N m"), stop=(0.4, "rad"), e=0.7
    )
    pallet, ticks = discrete("pallet", 1), discrete("ticks")
    return Model.from_lagrangian(
        "escapement",
        coordinates=[theta],
        kinetic=J * omega**2 / 2,
        potential=-K * cos(theta),
        forces={theta: -c * omega},
        contacts=[Contact("stop", gap=stop - theta, restitution=e)],
        resets=[
            Reset(
                sin(theta),
                {omega: pallet * sqrt(omega**2 + 2 * E / J), pallet: -pallet, ticks: ticks + 1},
                only_if=pallet * omega > 0,
                name="tick",
            )
        ],
    )


def draw_escapement(random: np.random.Generator) -> Drawn:
    p = between(random, J=(0.3, 3), K=(2, 20), c=(0.01, 0.3), E=(0.001, 0.3), stop=(0.1, 1.5), e=(0, 1))
    return p, {"theta": float(random.uniform(-0.9, 0.9) * p["stop"]), "d_theta": float(random.uniform(-1, 1))}, 8.0


FAMILIES = [
    Family("juggler", juggler, draw_juggler, good=("FINISHED", "AT_REST", "ENDLESS_RESETS")),
    Family("switched_spring", switched_spring, draw_switched_spring),
    Family("escapement", escapement, draw_escapement),
]

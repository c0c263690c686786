"""Impacts that friction of a pin and of a wall locks: a pendulum stops, whatever its restitution."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from sympy import cos, sin

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters

UNITS = [(1.0, 1.0, 1.0), (1e-4, 1e3, 1e3), (3e3, 2e-4, 1e-5)]  # of length, time and mass


@cache
def pendulum(side: int) -> jounce.System:
    """A pendulum on a rubbing pin beside a wall to its right (side 1) or left (-1)."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    phi, w = coordinate("phi", "rad")
    m, J, L, r, mu, d, e = parameters(
        m=(1.0, "kg"), J=(0.1, "kg m^2"), L=(1.0, "m"), r=(0.05, "m"), mu=0.3, d=(0.3, "m"), e=0.7
    )
    model = Model.from_lagrangian(
        "locked_pendulum",
        coordinates=[x, y, phi],
        kinetic=m * (dx**2 + dy**2) / 2 + J * w**2 / 2,
        joints={"across": x - L * sin(phi), "along": y + L * cos(phi)},
        contacts=[
            Contact("pin", slip=r * w, friction=mu, load=("across", "along")),
            Contact("wall", gap=d - side * x, slip=dy, friction=mu, restitution=e),
        ],
        start={y: -1.0},
    )
    return jounce.compile_model(model)


def stopping_impulse(p: dict[str, float], phi: float, w: float) -> float:
    """The normal impulse that stops it: I dw = -p (L cos + mu L sin) - r mu |P|, P the impulse of the pin."""
    m, L, mu = p["m"], p["L"], p["mu"]

    def rest(rate: float) -> float:
        load = math.hypot(1 - m * L * rate * math.cos(phi), mu - m * L * rate * math.sin(phi))
        moment = L * (math.cos(phi) + mu * math.sin(phi)) + p["r"] * mu * load
        return (p["J"] + m * L**2) * rate - moment

    return float(w / brentq(rest, 0.0, 1e3, xtol=1e-15, rtol=1e-15))


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
@pytest.mark.parametrize("side", [1, -1])
def test_a_pendulum_that_friction_locks_at_a_wall_stops(side: int, law: str, units: tuple[float, float, float]) -> None:
    """It locks where cos(phi) < mu sin(phi) + mu (r/L) sqrt(1 + mu^2): friction then holds any impulse of the wall."""
    length, duration, mass = units
    random = np.random.default_rng(5)
    tried = 0
    while tried < 20:
        p = {"m": 1.0, "J": random.uniform(0.01, 0.3), "L": random.uniform(0.5, 1.5), "r": random.uniform(0.01, 0.2)}
        p |= {"mu": random.uniform(0.3, 0.9), "e": random.uniform(0.0, 0.9)}
        phi, w = random.uniform(0.3, 1.3), random.uniform(0.3, 3.0)
        margin = p["mu"] * (math.sin(phi) + p["r"] / p["L"] * math.hypot(1.0, p["mu"])) - math.cos(phi)
        if not margin > 0.05:
            continue
        tried += 1
        p["d"] = p["L"] * math.sin(phi)
        powers = {"m": mass, "J": mass * length**2, "L": length, "r": length, "d": length, "mu": 1.0, "e": 1.0}
        place = {"x": side * p["d"] * length, "y": -p["L"] * math.cos(phi) * length, "phi": side * phi}
        turn, speed = side * w / duration, w * length / duration
        rates = {"d_phi": turn, "d_x": side * p["L"] * math.cos(phi) * speed, "d_y": p["L"] * math.sin(phi) * speed}
        given = {name: value * powers[name] for name, value in p.items()}
        options = jounce.Options(law=law, audit="dense")
        run = jounce.simulate(pendulum(side), place | rates, 0.1 * duration, options=options, **given)
        assert run.status.ok, run.status.message
        assert run.audit().empty
        struck = run.events[(run.events["kind"] == "impact") & (run.events["contact"] == "wall")].iloc[0]
        assert abs(run.final["d_phi"]) <= 1e-12 * abs(turn)
        wanted = stopping_impulse(p, phi, w) * mass * length / duration
        given_back = p["e"] if law == "poisson" else 0.0
        assert struck["p_n"] == pytest.approx((1 + given_back) * wanted, rel=1e-9)

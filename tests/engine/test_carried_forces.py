"""Blocks on several feet: forces that statics leaves open. Rest ends when no distribution can be carried any more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sympy import cos, sin

import jounce
from jounce import Contact, Model, coordinates, parameters, time

RATE = 0.5  # N/s


def block(feet: int) -> Model:
    """A block on feet in one line, pulled by a force that grows at a height of its own: 3 coordinates."""
    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m m rad")
    values = {f"a{k}": 0.1 * k for k in range(feet)} | {f"mu{k}": 0.5 for k in range(feet)}
    symbols = parameters(g=9.81, b=0.3, height=0.1, rate=RATE, **values)
    g, b, height, rate, *rest = symbols
    contacts = []
    for k in range(feet):
        place, mu = rest[k], rest[feet + k]
        gap = y - b * cos(theta) + place * sin(theta)
        slip = dx + (b * cos(theta) - place * sin(theta)) * dtheta
        contacts.append(Contact(f"foot{k}", gap, slip=slip, friction=mu, restitution=0.0))
    return Model.from_lagrangian(
        f"block_on_{feet}",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2 + 0.05 * dtheta**2) / 2,
        potential=g * y,
        forces={x: rate * time, theta: -rate * time * height},
        contacts=contacts,
        start={y: 0.3},
    )


def largest_force(p: dict[str, float], feet: int) -> float:
    """The largest pull at which the feet can still carry the block, by SciPy: unknowns N_k, T_k and the pull F.

    The moment about the centre of mass: sum_k (a_k N_k + b T_k) = F height, with T_k along x at the depth b.
    """
    places = np.array([p[f"a{k}"] for k in range(feet)])
    friction = np.array([p[f"mu{k}"] for k in range(feet)])
    ones, zeros = np.ones(feet), np.zeros(feet)
    equations = [[*ones, *zeros, 0.0], [*zeros, *ones, 1.0], [*places, *(p["b"] * ones), -p["height"]]]
    cones = np.vstack([np.hstack([-np.diag(friction), sign * np.eye(feet), np.zeros((feet, 1))]) for sign in (1, -1)])
    bounds = [(0, None)] * feet + [(None, None)] * feet + [(0, None)]
    found = linprog(
        [*np.zeros(2 * feet), -1.0],
        A_ub=cones,
        b_ub=np.zeros(2 * feet),
        A_eq=equations,
        b_eq=[p["g"], 0.0, 0.0],
        bounds=bounds,
        method="highs",
    )
    assert found.status == 0
    return float(-found.fun)


def draw(random: Any, feet: int) -> dict[str, float]:
    """Feet on both sides of the centre of mass, each with friction of its own."""
    places = np.sort(random.uniform(-0.4, 0.4, feet))
    places[0], places[-1] = -random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)
    values = {f"a{k}": float(places[k]) for k in range(feet)}
    values |= {f"mu{k}": float(random.uniform(0.1, 0.9)) for k in range(feet)}
    return values | {"g": 9.81, "b": 0.3, "height": float(random.uniform(-0.2, 0.4))}


@pytest.mark.parametrize("feet", [2, 3, 4])
def test_rest_ends_where_no_distribution_is_carried(feet):
    """The first event of random blocks against the linear programme of SciPy."""
    system = jounce.compile_model(block(feet))
    random = np.random.default_rng(40 + feet)
    for _ in range(12):
        p = draw(random, feet)
        end = largest_force(p, feet) / RATE
        run = jounce.simulate(system, system.state(), t_end=1.2 * end, **p)
        assert run.events.t.iloc[0] == pytest.approx(end, rel=1e-9), p
        before = run.at(0.999 * end)
        assert abs(before["x"]) < 1e-12, p
        assert abs(before["theta"]) < 1e-12, p


def test_recorded_forces_are_carried():
    """Forces along the rest: in their cones, and in balance with the pull."""
    system = jounce.compile_model(block(3))
    random = np.random.default_rng(7)
    for _ in range(5):
        p = draw(random, 3)
        end = largest_force(p, 3) / RATE
        run = jounce.simulate(system, system.state(), t_end=0.95 * end, **p)
        assert len(run.events) == 0
        t = np.linspace(0.0, 0.95 * end, 9)
        forces = run.contact_forces(t)
        normal, friction = forces["lambda_N"].to_numpy().T, forces["lambda_T"].to_numpy().T
        assert (normal >= -1e-9).all()
        limit = np.array([[p[f"mu{k}"]] for k in range(3)]) * normal
        assert (np.abs(friction) <= limit + 1e-7).all()
        assert normal.sum(axis=0) == pytest.approx(9.81, rel=1e-9)
        assert friction.sum(axis=0) == pytest.approx(-RATE * t, rel=1e-9, abs=1e-9)

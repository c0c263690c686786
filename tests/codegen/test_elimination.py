"""The unrolled elimination of joints against dense linear algebra."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.codegen.elimination import least_fill
from jounce.system.evaluation import values_of
from jounce.system.system import System


def chain(links: int) -> jounce.Model:
    """Links in a row with a diagonal mass matrix."""
    parts, joints = [], []
    for k in range(links):
        parts.append(jounce.Body(f"link{k}", 1.0 + k, 0.1, center=(k + 0.5, 0)))
        before = parts[k - 1] if k else jounce.ground
        joints.append(jounce.Revolute(f"pin{k}", before, parts[k], (0.5 if k else 0, 0), (-0.5, 0)))
    return jounce.Model.from_bodies("chain", bodies=parts, joints=joints, gravity=9.81)


def coupled() -> jounce.Model:
    """A full mass matrix with two joints that depend on time."""
    (x, dx), (y, dy), (z, dz) = jounce.coordinates("x y z", "m")
    t = jounce.time
    kinetic = (dx**2 + 2 * dy**2 + 3 * dz**2 + sp.cos(y) * dx * dy + dy * dz / 2) / 2
    return jounce.Model.from_lagrangian(
        "coupled",
        coordinates=[x, y, z],
        kinetic=kinetic,
        potential=x * y + z**2,
        joints={"circle": x**2 + z**2 - 1, "cam": y - sp.sin(3 * t)},
        start={x: 1.0, "d_y": 3.0},
    )


def dense(system: System, t: float, q: Any, u: Any) -> np.ndarray:
    n, nj, p = system.n, system.nj, system.defaults
    values = values_of(system.functions.dynamics, n * n + n, t, q, u, p)
    rows = values_of(system.functions.joints, nj * (3 + n), t, q, u, p).reshape(nj, -1)
    matrix = np.block([[values[: n * n].reshape(n, n), -rows[:, 3:].T], [rows[:, 3:], np.zeros((nj, nj))]])
    return np.linalg.solve(matrix, np.concatenate([values[n * n :], -rows[:, 2]]))


@pytest.mark.parametrize("model", [chain(4), coupled(), jounce.systems.slider_crank()], ids=lambda model: model.name)
def test_the_same_as_a_dense_solve(model: jounce.Model) -> None:
    system = jounce.compile_model(model)
    rng = np.random.default_rng(7)
    for _ in range(20):
        t, q, u = rng.uniform(0, 2), rng.normal(size=system.n), rng.normal(size=system.n)
        out = values_of(system.functions.joint_acceleration, system.n + system.nj + 1, t, q, u, system.defaults)
        assert out[-1] == 1.0
        expected = dense(system, t, q, u)
        assert out[:-1] == pytest.approx(expected, rel=1e-8, abs=1e-10 * np.abs(expected).max())
        powers = values_of(system.functions.powers, 4 + system.nj, t, q, u, system.defaults)
        rows = values_of(system.functions.joints, system.nj * (3 + system.n), t, q, u, system.defaults)
        rows = rows.reshape(system.nj, -1)
        assert powers[4:] == pytest.approx(rows[:, 1] - rows[:, 3:] @ u, rel=1e-10, abs=1e-12)


def test_dependent_joints_are_left_to_the_loops() -> None:
    x, _ = jounce.coordinate("x", "m")
    y, _ = jounce.coordinate("y", "m")
    model = jounce.Model.from_lagrangian(
        "twice",
        coordinates=[x, y],
        kinetic=sum(jounce.coordinate(name)[1] ** 2 for name in ("x", "y")) / 2,
        potential=9.81 * y,
        joints={"line": x - y, "again": 2 * x - 2 * y},
    )
    system = jounce.compile_model(model)
    zero = np.zeros(2)
    assert values_of(system.functions.joint_acceleration, 5, 0.0, zero, zero, system.defaults)[-1] == 0.0
    run = jounce.simulate(system, system.state(), 1.0)
    assert run.final["x"] == pytest.approx(-9.81 / 4, rel=1e-12)


def test_a_chain_is_eliminated_from_its_ends() -> None:
    """Minimum degree: no fill-in in a tridiagonal matrix, whatever the order in which it is written."""
    places = [3, 0, 4, 1, 2]
    entry = {(max(a, b), min(a, b)): "" for a, b in itertools.pairwise(places)} | {(k, k): "" for k in range(5)}
    order = least_fill(5, entry)
    known = {frozenset(pair) for pair in entry}
    for at, k in enumerate(order):
        around = [i for i in order[at + 1 :] if frozenset((i, k)) in known]
        assert all(frozenset((a, b)) in known for a in around for b in around if a != b)

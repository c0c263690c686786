"""The compiled functions against derivatives along a curve, taken in 40-digit arithmetic."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.codegen.module_text import generate_module
from jounce.model import Contact, Model
from jounce.system import System, compile_model
from jounce.system.evaluation import rows_of
from jounce.systems import SYSTEMS
from jounce.toolchain.jit import evaluate


def awkward() -> Model:
    """Names that collide with the code's own, a full mass matrix, moving joints and every kind of kink."""
    (q, dq), (sin, dsin), (c0, dc0) = jounce.coordinates("q sin c0")
    p, out, unused = jounce.parameters(p=0.3, out=1.2, unused=5.0)
    t = jounce.time
    return Model.from_lagrangian(
        "awkward",
        coordinates=[q, sin, c0],
        kinetic=(2 + sp.cos(sin)) * dq**2 / 2 + dsin**2 + dc0**2 / 2 + p * sp.cos(q - c0) * dq * dsin + p * dq * t,
        potential=out * sp.Abs(q) + sp.cos(t) * c0 + unused * sin,
        forces={q: -p * dq * sp.Abs(dq), c0: sp.Piecewise((dq, q > 0), (sp.Max(dsin, 0), True))},
        contacts=[
            Contact("a", gap=3 + q * sp.sin(t) + c0**2 * p, slip=(dq + t) * sp.cos(sin) + dc0 * q, friction=p),
            Contact("b", gap=sp.Max(q, sin) + sp.Abs(sin - 1) + out, restitution=p + sp.Min(q, 0) ** 2 / 10),
        ],
        joints={"j": sp.sin(q * c0) + sin * t},
        guards={"k": dq - sp.sign(q) * sp.Heaviside(c0)},
    )


def linked(n: int) -> Model:
    """A full mass matrix of any size."""
    pairs = jounce.coordinates(" ".join(f"s{i}" for i in range(n)))
    speeds = [pair[1] for pair in pairs]
    kinetic = sum(v**2 for v in speeds) / 2 + (sum((i + 1) * v for i, v in enumerate(speeds)) / n) ** 2
    kinetic += sp.Rational(1, 10) * sp.cos(pairs[0][0]) * speeds[0] * speeds[-1]
    return Model.from_lagrangian(f"linked{n}", coordinates=pairs, kinetic=kinetic, potential=sum(q for q, _ in pairs))


MODELS = {**SYSTEMS, "awkward": awkward}


@pytest.fixture(scope="module", params=MODELS)
def system(request: pytest.FixtureRequest) -> System:
    return compile_model(MODELS[request.param]())


@pytest.fixture
def point(system: System) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """t, q, u, p and an acceleration."""
    random = np.random.default_rng(7)
    q, u, a = random.uniform(0.2, 1.8, (3, system.n))
    # a journal stays smaller than its bearing
    p = system.defaults * random.uniform(0.98, 1.02, len(system.defaults))
    remembered = [1.0, 0.7] * (len(system.model.memory) // 2)  # pressed, 1/v
    return 0.37, q, u, np.append(p, remembered), a


def call(function: Any, size: int, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    out = np.full(size, np.nan)
    evaluate(function, t, q, u, p.copy(), out)
    return out


def _symbols(model: Model) -> tuple[sp.Symbol, ...]:
    return (jounce.time, *model.q, *model.u, *model.p, *model.memory)


def along(system: System, expression: sp.Expr, point: Any, order: int) -> float:
    """The derivative at t of an expression along q(s) = q + u s + a s^2/2, by mpmath."""
    t, q, u, p, a = point
    model = system.model
    # numbered names, because lambdify lets a symbol called sin hide the function
    anonymous = {s: sp.Symbol(f"s{k}", real=True) for k, s in enumerate(_symbols(model))}
    function = sp.lambdify(list(anonymous.values()), expression.xreplace(anonymous), "mpmath")

    def curve(s: Any) -> Any:
        h = s - mpmath.mpf(t)
        positions = [
            mpmath.mpf(x) + mpmath.mpf(v) * h + mpmath.mpf(w) * h**2 / 2 for x, v, w in zip(q, u, a, strict=True)
        ]
        speeds = [mpmath.mpf(v) + mpmath.mpf(w) * h for v, w in zip(u, a, strict=True)]
        return function(s, *positions, *speeds, *map(mpmath.mpf, p))

    with mpmath.workdps(40):
        return float(mpmath.diff(curve, mpmath.mpf(t), order))


def test_contacts(system: System, point: Any) -> None:
    t, q, u, p, a = point
    n, width = system.n, 5 + 2 * system.n
    rows = call(system.functions.contacts, system.nc * width, t, q, u, p).reshape(system.nc, width)
    gaps = call(system.functions.gaps, 2 * system.nc, t, q, u, p).reshape(system.nc, 2)
    for contact, row, gap in zip(system.model.contacts, rows, gaps, strict=True):
        g, gamma_N, gamma_T, c_N, c_T, W_N, W_T = *row[:5], row[5 : 5 + n], row[5 + n :]
        assert gap == pytest.approx([g, gamma_N], rel=1e-14)
        assert g == pytest.approx(along(system, contact.gap, point, 0), rel=1e-13)
        assert gamma_N == pytest.approx(along(system, contact.gap, point, 1), rel=1e-12)
        assert W_N @ a + c_N == pytest.approx(along(system, contact.gap, point, 2), rel=1e-11)
        slip = sp.Integer(0) if contact.slip is None else contact.slip
        assert gamma_T == pytest.approx(along(system, slip, point, 0), rel=1e-13)
        if contact.compliance is None:
            assert W_T @ a + c_T == pytest.approx(along(system, slip, point, 1), rel=1e-12)
        else:
            assert not np.any(W_T)  # its friction is part of h
            assert c_T == 0


def test_joints(system: System, point: Any) -> None:
    t, q, u, p, a = point
    width = 3 + system.n
    rows = call(system.functions.joints, system.nj * width, t, q, u, p).reshape(system.nj, width)
    for joint, row in zip(system.model.joints.values(), rows, strict=True):
        assert row[0] == pytest.approx(along(system, joint, point, 0), rel=1e-13)
        assert row[1] == pytest.approx(along(system, joint, point, 1), rel=1e-12)
        assert row[3:] @ a + row[2] == pytest.approx(along(system, joint, point, 2), rel=1e-11)


def test_dynamics_and_free_acceleration(system: System, point: Any) -> None:
    t, q, u, p, _ = point
    n, model = system.n, system.model
    values = call(system.functions.dynamics, n * n + n, t, q, u, p)
    exact = [along(system, expression, point, 0) for expression in (*model.M, *model.h)]
    assert values == pytest.approx(exact, rel=1e-13, abs=1e-14)
    free = call(system.functions.free_acceleration, n, t, q, u, p)
    assert free == pytest.approx(np.linalg.solve(values[: n * n].reshape(n, n), values[n * n :]), rel=1e-12, abs=1e-14)


def test_surfaces_and_guards(system: System, point: Any) -> None:
    t, q, u, p, _ = point
    model = system.model
    surfaces = [
        part
        for c in model.contacts
        for part in (
            *(c.friction, c.friction, c.static_friction, c.friction),
            *(c.restitution, c.tangential_restitution, c.restitution),
        )
    ]
    for function, expressions in (
        (system.functions.surfaces, surfaces),
        (system.functions.guards, list(model.watched)),
    ):
        exact = [along(system, expression, point, 0) for expression in expressions]
        assert call(function, len(exact), t, q, u, p) == pytest.approx(exact, rel=1e-13, abs=1e-14)


def test_gap_rates_row_by_row(system: System, point: Any) -> None:
    t, q, u, p, a = point
    times = t + np.array([0.0, 0.01, 0.02])
    positions = np.array([q + u * (s - t) for s in times])
    velocities = np.array([u + a * (s - t) for s in times])
    out = np.full(3 * system.nc, np.nan)
    system.functions.gap_rates(3, times, positions.ravel(), velocities.ravel(), p, out)
    rows = zip(times, positions, velocities, strict=True)
    expected = [call(system.functions.gaps, 2 * system.nc, s, x, v, p)[1::2] for s, x, v in rows]
    assert out == pytest.approx(np.concatenate(expected), rel=1e-13)


def test_many_states_at_once_are_each_state_by_itself(system: System, point: Any) -> None:
    t, q, u, p, a = point
    times = t + np.array([0.0, 0.01, 0.02])
    positions, velocities = np.array([q + u * (s - t) for s in times]), np.array([u + a * (s - t) for s in times])
    size = system.n * (system.n + 1)
    rows = rows_of(system.functions.dynamics, size, times, positions, velocities, p)
    single = [
        call(system.functions.dynamics, size, *state, p) for state in zip(times, positions, velocities, strict=True)
    ]
    assert rows.tolist() == [values.tolist() for values in single]
    assert rows_of(system.functions.guards, system.ng, times, positions, velocities, p).shape == (3, system.ng)


def test_applied_power_is_the_rate_of_the_energy(system: System, point: Any) -> None:
    """Along the free motion the energy u.M.u/2 + V changes at the applied power.

    Pressed compliant contacts store energy, lose some, and pass some on to friction and moving surfaces.
    """
    t, q, u, p, _ = point
    model = system.model
    free = call(system.functions.free_acceleration, system.n, t, q, u, p)
    velocity = sp.Matrix(system.model.u)
    energy = (velocity.T * model.M * velocity)[0] / 2 + model.V
    energy += sum(contact.compliance.elastic for contact in model.contacts if contact.compliance)
    rate = along(system, energy, (t, q, u, p, free), 1)
    power = call(system.functions.powers, 4 + system.nj, t, q, u, p)[0]
    size = 0.0
    if model.memory:
        rows = call(system.functions.compliance, 6 * system.nc, t, q, u, p).reshape(system.nc, 6)
        slips = call(system.functions.contacts, system.nc * (5 + 2 * system.n), t, q, u, p).reshape(system.nc, -1)[:, 2]
        power += float(np.sum(rows[:, 1] * slips - rows[:, 2] + rows[:, 3]))
        size = float(np.abs(rows[:, :2]).sum()) * float(np.abs(u).max())
    assert power == pytest.approx(rate, rel=1e-10, abs=1e-11 + 1e-13 * size)
    assert system.has_applied_power == (system.model.applied_power != 0)


def test_larger_full_matrices_are_solved() -> None:
    for n in (5, 14):
        model = linked(n)
        looped = "matrix = [0.0]" in generate_module(model)
        assert looped == (n == 14)
        system = compile_model(model)
        q = u = np.linspace(0.1, 1.0, n)
        values = call(system.functions.dynamics, n * n + n, 0.0, q, u, system.defaults)
        free = call(system.functions.free_acceleration, n, 0.0, q, u, system.defaults)
        expected = np.linalg.solve(values[: n * n].reshape(n, n), values[n * n :])
        assert free == pytest.approx(expected, rel=1e-11)


def test_a_model_without_contacts_compiles() -> None:
    x, dx = jounce.coordinate("x")
    system = compile_model(Model.from_lagrangian("oscillator", coordinates=[x], kinetic=dx**2 / 2, potential=x**2 / 2))
    assert (system.nc, system.nj, system.ng, system.autonomous) == (0, 0, 0, True)
    assert call(system.functions.free_acceleration, 1, 0.0, np.array([2.0]), np.zeros(1), np.zeros(0)) == [-2.0]

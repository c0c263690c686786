"""Lagrange's equations against textbook equations of motion, written out by hand."""

from __future__ import annotations

import pytest
import sympy as sp

import jounce
from jounce.errors import ModelError
from jounce.model import Model


def assert_equal(left: sp.Expr, right: sp.Expr) -> None:
    assert sp.simplify(left - right) == 0


def plain(model: Model, expression: sp.Expr) -> sp.Expr:
    """The expression in the model's own symbols."""
    return expression.xreplace({s: model.symbols[s.name] for s in expression.free_symbols})


def test_double_pendulum_matches_the_textbook() -> None:
    (a, da), (b, db) = jounce.coordinates("a b", "rad")
    m1, m2, l1, l2, g = jounce.parameters(m1=1.0, m2=2.0, l1=1.5, l2=0.5, g=9.81)
    # from positions, so that sin^2 + cos^2 must be found
    x1, y1 = l1 * sp.sin(a), -l1 * sp.cos(a)
    x2, y2 = x1 + l2 * sp.sin(b), y1 - l2 * sp.cos(b)
    speed = [sum(sp.diff(z, c) * dc for c, dc in ((a, da), (b, db))) for z in (x1, y1, x2, y2)]
    model = Model.from_lagrangian(
        "double_pendulum",
        coordinates=[a, b],
        kinetic=m1 * (speed[0] ** 2 + speed[1] ** 2) / 2 + m2 * (speed[2] ** 2 + speed[3] ** 2) / 2,
        potential=m1 * g * y1 + m2 * g * y2,
    )
    expected_mass = [[(m1 + m2) * l1**2, m2 * l1 * l2 * sp.cos(a - b)], [m2 * l1 * l2 * sp.cos(a - b), m2 * l2**2]]
    expected_force = [
        -m2 * l1 * l2 * sp.sin(a - b) * db**2 - (m1 + m2) * g * l1 * sp.sin(a),
        m2 * l1 * l2 * sp.sin(a - b) * da**2 - m2 * g * l2 * sp.sin(b),
    ]
    for i in range(2):
        assert_equal(model.h[i], plain(model, expected_force[i]))
        for j in range(2):
            assert_equal(model.M[i, j], plain(model, expected_mass[i][j]))
    assert model.applied_power == 0


def test_pendulum_with_a_shaken_pivot_is_rheonomic() -> None:
    """T has T2, T1 and T0: l theta'' = -(g + Y'') sin(theta) for a pivot at height Y(t)."""
    theta, dtheta = jounce.coordinate("theta", "rad")
    m, length, g, Y0, w = jounce.parameters(m=1.0, l=0.7, g=9.81, Y0=0.2, w=5.0)
    height = Y0 * sp.cos(w * jounce.time)
    vx = length * sp.cos(theta) * dtheta
    vy = length * sp.sin(theta) * dtheta + sp.diff(height, jounce.time)
    model = Model.from_lagrangian(
        "kapitza",
        coordinates=[theta],
        kinetic=m * (vx**2 + vy**2) / 2,
        potential=m * g * (height - length * sp.cos(theta)),
    )
    acceleration = -(g - Y0 * w**2 * sp.cos(w * jounce.time)) * sp.sin(theta) / length
    assert_equal(model.h[0] / model.M[0, 0], plain(model, acceleration))
    assert model.applied_power != 0


def test_applied_power_is_the_rate_of_the_energy() -> None:
    """d/dt (u.M.u/2 + V) along M u' = h, computed here by substitution of u'."""
    (r, dr), (phi, dphi) = jounce.coordinates("r phi")
    m, k, c, w = jounce.parameters(m=2.0, k=3.0, c=0.4, w=1.7)
    model = Model.from_lagrangian(
        "driven",
        coordinates=[r, phi],
        kinetic=m * (dr**2 + r**2 * (dphi + w * sp.sin(jounce.time)) ** 2) / 2,
        potential=k * r**2 / 2 * (1 + sp.cos(w * jounce.time)),
        forces={r: -c * dr, phi: sp.sin(phi)},
        start={r: 1.0},
    )
    u = sp.Matrix(model.u)
    acceleration = model.M.LUsolve(model.h)
    energy = (u.T * model.M * u)[0] / 2 + model.V
    rate = sp.diff(energy, jounce.time)
    rate += sum(sp.diff(energy, q) * v for q, v in zip(model.q, model.u, strict=True))
    rate += sum(sp.diff(energy, v) * acceleration[i] for i, v in enumerate(model.u))
    assert_equal(rate, model.applied_power)


def test_scleronomic_power_is_that_of_the_forces() -> None:
    x, dx = jounce.coordinate("x")
    c = jounce.parameter("c", 0.1)
    model = Model.from_lagrangian(
        "damped", coordinates=[x], kinetic=dx**2 / 2, potential=x**2 / 2 * sp.cos(jounce.time), forces={x: -c * dx}
    )
    assert_equal(model.applied_power, plain(model, -c * dx**2 - x**2 / 2 * sp.sin(jounce.time)))


def test_kinetic_energy_must_be_quadratic() -> None:
    x, dx = jounce.coordinate("x")
    with pytest.raises(ModelError, match=r"not quadratic in the velocities.*d_x"):
        Model.from_lagrangian("cubic", coordinates=[x], kinetic=dx**2 / 2 + dx**4)


def test_lagrangian_and_direct_form_agree() -> None:
    x, dx = jounce.coordinate("x")
    m, k, c = jounce.parameters(m=2.0, k=3.0, c=0.1)
    first = Model.from_lagrangian(
        "spring", coordinates=[x], kinetic=m * dx**2 / 2, potential=k * x**2 / 2, forces={x: -c * dx}
    )
    second = Model("spring", [x], mass=m, forces=-k * x - c * dx, potential=k * x**2 / 2)
    assert first.M == second.M
    assert_equal(first.h[0], second.h[0])
    assert_equal(first.applied_power, second.applied_power)


def test_a_coupled_mass_matrix_is_written_at_once() -> None:
    # SymPy's trigsimp looked for factors in entries such as these for many minutes
    (a, da), (b, db), (c, dc) = jounce.coordinates("a b c", "rad")
    rates, arms = sp.Matrix([da, db, dc]), sp.Matrix(3, 3, lambda i, j: sp.cos((i + 2) * (a, b, c)[(i + j) % 3] + j))
    inertia = sp.eye(3) + arms.T * arms
    model = Model.from_lagrangian(
        "coupled", coordinates=[a, b, c], kinetic=(rates.T * inertia * rates)[0] / 2, potential=sp.cos(a - b)
    )
    at = {"a": 0.3, "b": -0.7, "c": 1.1}
    there = {symbol: at[symbol.name] for symbol in model.mass.free_symbols}
    assert (model.mass.subs(there) - inertia.subs({a: 0.3, b: -0.7, c: 1.1})).norm() < 1e-14


def test_high_powers_of_sines_stay_powers() -> None:
    (a, da) = jounce.coordinate("a", "rad")
    force = sp.exp(sp.cos(a) ** 1000) * sp.cos(jounce.time) ** 1000
    model = Model.from_lagrangian("pulsed", coordinates=[a], kinetic=da**2 / 2, potential=0, forces={a: force})
    assert model.forces[0].has(sp.Pow)

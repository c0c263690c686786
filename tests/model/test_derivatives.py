"""Derivatives that share their parts are those of SymPy, as expressions."""

from __future__ import annotations

import pytest
import sympy as sp

import jounce
from jounce.model import cases
from jounce.model.derivatives import derivative

x, y = sp.symbols("x y", real=True)
SHARED = sp.sin(x * y) ** 2 + x / y

EXPRESSIONS = [
    sp.Integer(3),
    y,
    3 * x * y**2 * sp.cos(x) * (x + y),
    2 * (x + y) * (x - y),
    x**y + y**x + 2**x + x**-3 + sp.sqrt(1 + x**2),
    sp.exp(-x * y) * sp.log(1 + x**2) * sp.atan2(y, x) * sp.tanh(x),
    sp.Max(x, y) * sp.Min(x, 1) + sp.Abs(x) * sp.sign(y - x) + sp.Heaviside(x),
    sp.Piecewise((x**2, x > y), (x, x > 0)),  # undefined elsewhere: the symbol of a condition counts
    sp.Piecewise((1, x > 0), (2, True)),
    cases.Piecewise((SHARED, y < SHARED), (SHARED**2, True)) + SHARED,
    cases.Abs(SHARED) * SHARED,
    sp.Function("f")(x * y),
    sp.Integral(sp.sin(x * y), (y, 0, x)),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_derivatives_are_those_of_sympy(expression):
    for symbol in (x, y):
        assert derivative(expression, symbol) == sp.diff(expression, symbol)


@pytest.mark.parametrize("name", ["wiper", "rocking_block", "slider_crank", "cam_follower", "compliant_wall_pendulum"])
def test_derivatives_of_models_are_those_of_sympy(name):
    model = getattr(jounce.systems, name)()
    expressions = [*model.M, *model.h, model.potential, *model.joints.values()]
    expressions += [contact.gap for contact in model.contacts]
    used = 0
    for expression in expressions:
        for symbol in expression.free_symbols:
            assert derivative(expression, symbol) == sp.diff(expression, symbol)
            used += 1
    assert used > 5


def test_absolute_values_and_signs_of_quotients() -> None:
    """SymPy does not know that x/L is real, for L might be zero; a slope and a belt are those with its number."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    runs = []
    for name, length in (("quotient", jounce.parameter("L", 0.2, "m")), ("number", sp.Rational(1, 5))):
        roof, belt = sp.Abs(sp.sin(x / length)) / 10, sp.sign(sp.cos(jounce.time * 0.5 / length)) / 2
        floor = jounce.Contact("floor", gap=y - roof, slip=dx - belt, friction=sp.Rational(3, 10), restitution=0.5)
        model = jounce.Model.from_lagrangian(
            name, coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2,
            potential=sp.Rational(981, 100) * y + sp.Abs(sp.cos(x / length)), contacts=[floor],
        )  # fmt: skip
        runs.append(jounce.simulate(model, {"x": 0.25, "y": 0.4, "d_x": 0.3}, 1.0, tolerance=1e-10))
    quotient, number = runs
    assert quotient.status.ok
    assert quotient.events["kind"].tolist() == number.events["kind"].tolist()
    assert quotient.events["t"].to_numpy() == pytest.approx(number.events["t"].to_numpy(), rel=1e-9)
    assert quotient.final.q == pytest.approx(number.final.q, abs=1e-8)

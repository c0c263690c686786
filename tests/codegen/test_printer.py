"""Printed expressions have the value of the expression."""

from __future__ import annotations

import math

import pytest
import sympy as sp

from jounce.codegen.printer import MATH_NAMES, KernelPrinter, LocalNames

x, y = sp.symbols("x y", real=True)
NAMESPACE = {name: getattr(math, name) for name in MATH_NAMES}

EXPRESSIONS = [
    x**2,
    x**3 * y**-2,
    1 / x**2 + 2 / (3 * x),
    (x + y) ** 2 / (x - y) ** 3,
    x / (y**2),
    x / y / (x**2 * y**3),
    -((x - y) ** 2),
    -(x**2) * y,
    x**-1 / (x + 1),
    sp.sqrt(x**2 + y**2),
    1 / sp.sqrt(x**2 + y**2),
    (x**2 + 1) ** sp.Rational(3, 2),
    (x**2 + 1) ** sp.Rational(-5, 2),
    sp.Abs(x) ** sp.Rational(1, 3),
    sp.Abs(x) ** y,
    sp.Abs(x) ** 0.7,
    sp.Rational(1, 3) * x - sp.Rational(-2, 7),
    sp.pi * x + sp.E,
    sp.Float(0.1) * x,
    x**9,
    sp.sin(x) ** 2 * sp.cos(y) / sp.tan(x),
    sp.exp(-x) + sp.log(sp.Abs(y)),
    sp.asin(x / 10) + sp.acos(y / 10) + sp.atan(x) + sp.atan2(y, x),
    sp.sinh(x) + sp.cosh(y) + sp.tanh(x) + sp.asinh(x) + sp.acosh(2 + x**2) + sp.atanh(x / 10),
    sp.sign(x - y) * 2 + sp.sign(-x),
    sp.Heaviside(x) + 2 * sp.Heaviside(x - y, 1),
    sp.Max(x, y, 0) - sp.Min(x, 2 * y),
    sp.Piecewise((x, x < 0), (x**2, x < 1), (y, True)),
    2 * sp.Piecewise((1, sp.And(x > 0, y > 0)), (2, sp.Or(x > 0, sp.Not(sp.Eq(y, x)))), (3, True)) + 1,
]
POINTS = [(0.7, 1.3), (-0.4, 0.9), (1.6, -2.1), (-1.1, -0.3)]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_value(expression: sp.Expr) -> None:
    code = KernelPrinter().doprint(expression)
    for a, b in POINTS:
        expected = complex(expression.xreplace({x: sp.Rational(str(a)), y: sp.Rational(str(b))}).evalf(30))
        assert expected.imag == 0
        assert eval(code, dict(NAMESPACE, x=a, y=b)) == pytest.approx(expected.real, rel=2e-14, abs=1e-15)


def test_jumps_at_zero() -> None:
    values = [eval(KernelPrinter().doprint(f), {"x": 0.0}) for f in (sp.sign(x), sp.Heaviside(x), sp.Heaviside(x, 1))]
    assert values == [0.0, 0.5, 1.0]


def test_piecewise_without_default_is_nan() -> None:
    code = KernelPrinter().doprint(sp.Piecewise((1, x < 0)))
    assert math.isnan(eval(code, dict(NAMESPACE, x=1.0)))


def test_literals_are_exact_floats() -> None:
    printer = KernelPrinter()
    assert printer.doprint(sp.Rational(1, 3)) == repr(1 / 3)
    assert printer.doprint(sp.Integer(2) * x) == "2.0*x"
    assert printer.doprint(x**2) == "(x*x)"


def test_local_names_never_shadow() -> None:
    names = LocalNames(["sin", "q", "float", "theta", "sin_"])
    assert names.of["theta"] == "theta"
    chosen = set(names.of.values())
    assert len(chosen) == 5
    assert not chosen & {"sin", "q", "float"}

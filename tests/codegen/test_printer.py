"""Printed expressions have the value of the expression."""

from __future__ import annotations

import math

import pytest
import sympy as sp

from jounce.codegen.instructions import CONSTANTS, ONE_ARGUMENT, TWO_ARGUMENTS
from jounce.codegen.printer import KernelPrinter, LocalNames
from tests.codegen.expressions import EXPRESSIONS, POINTS, x, y

NAMESPACE = {name: getattr(math, name) for name in (*ONE_ARGUMENT, *TWO_ARGUMENTS, *CONSTANTS)}


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

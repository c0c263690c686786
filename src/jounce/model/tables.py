"""Measured curves as expressions: a table of points becomes a piecewise polynomial.

Between its points the curve is a straight line ("linear"), a cubic that never overshoots and has one continuous
derivative ("monotone", Fritsch & Butland), or a cubic spline with two ("spline"), which gaps and cams need. Beyond the
ends a curve keeps its last value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.cases import Piecewise
from jounce.model.expressions import as_expression

KINDS = ("linear", "monotone", "spline")
MOST_POINTS = 1000  # the generated code asks one interval after the other


def table(argument: Any, x: Any, y: Any, kind: str = "monotone") -> sp.Expr:
    """A curve through points, as an expression of ``argument``: ``friction=table(jounce.slip, speeds, coefficients)``.

    argument   an expression: a coordinate, a velocity, time, jounce.slip ...
    x, y       the points; x must increase
    kind       "linear", "monotone" (smooth, never beyond its points) or "spline" (two continuous derivatives)
    """
    points, values = _numbers("x", x), _numbers("y", y)
    if len(points) != len(values):
        raise ModelError(f"table: {len(points)} values of x and {len(values)} of y; there must be as many of both")
    if not 2 <= len(points) <= MOST_POINTS:
        raise ModelError(f"table: {len(points)} points; there must be 2 to {MOST_POINTS}")
    if not (np.diff(points) > 0.0).all():
        k = int(np.argmin(np.diff(points)))
        raise ModelError(f"table: x must increase, but {points[k]:g} is followed by {points[k + 1]:g}")
    if kind not in KINDS:
        raise ModelError(f"table: unknown kind {kind!r}; {suggestion(str(kind), KINDS, 'kinds')}")
    variable = as_expression(argument, "table: argument")
    curve = _curve(points, values, kind)
    cases: list[Any] = [(sp.Float(values[0]), variable < sp.Float(points[0]))]
    for k in range(len(points) - 1):
        step = variable - sp.Float(points[k])
        polynomial = sp.Integer(0)
        for coefficient in curve.c[:, k].tolist():  # highest power first, in Horner's form
            polynomial = polynomial * step + sp.Float(coefficient)
        cases.append((polynomial, variable < sp.Float(points[k + 1])))
    cases.append((sp.Float(values[-1]), sp.true))
    return Piecewise(*cases)


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        numbers = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"table: {name} must be numbers, not {given!r}") from None
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ModelError(f"table: {name} must be a list of finite numbers")
    return numbers


def _curve(x: np.ndarray, y: np.ndarray, kind: str) -> Any:
    # a command that simulates does without SciPy
    from scipy.interpolate import CubicSpline, PchipInterpolator, PPoly

    if kind == "linear":
        return PPoly(np.array([np.diff(y) / np.diff(x), y[:-1]]), x)
    if kind == "monotone":
        return PchipInterpolator(x, y)
    return CubicSpline(x, y, bc_type="natural" if len(x) == 2 else "not-a-knot")

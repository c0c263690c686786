"""Measured curves as expressions: a table of points becomes a piecewise polynomial.

Between its points the curve is a straight line ("linear"), a cubic that never overshoots and has one continuous
derivative ("monotone", Fritsch & Butland), or a cubic spline with two ("spline"), which gaps need. Beyond the ends a
curve keeps its last value; one of kind "periodic", a cam, begins again: a spline over an angle, with w in place of it,

    w = c + P/(2 pi) atan2(sin(2 pi (x - c)/P), cos(2 pi (x - c)/P)),    P the period and c its middle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.cases import Piecewise
from jounce.model.expressions import as_expression

KINDS = ("linear", "monotone", "spline", "periodic")
MOST_POINTS = 1000  # the generated code asks one interval after the other


def table(argument: Any, x: Any, y: Any, kind: str = "monotone") -> sp.Expr:
    """A curve through points, as an expression of ``argument``: ``friction=table(jounce.slip, speeds, coefficients)``.

    argument   an expression: a coordinate, a velocity, time, jounce.slip ...
    x, y       the points; x must increase
    kind       "linear", "monotone" (smooth, never beyond its points), "spline" (two continuous derivatives) or
               "periodic": a spline whose points span one period, with the same value at both ends
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
    if kind == "periodic":
        variable = _wrapped(variable, points, values)
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


def _wrapped(variable: sp.Expr, x: np.ndarray, y: np.ndarray) -> sp.Expr:
    """The argument in the first period, between x[0] and x[-1]."""
    if y[0] != y[-1] or len(x) < 3:
        raise ModelError(f"table: a periodic curve ends with the value with which it begins, {y[0]:g}, not {y[-1]:g}")
    period, middle = sp.Float(x[-1] - x[0]), sp.Float((x[0] + x[-1]) / 2)
    whole_turn = abs(float(period) / (2.0 * np.pi) - 1.0) < 1e-14  # then the argument stays one that turns
    turn = variable - middle if whole_turn else 2 * sp.pi * (variable - middle) / period
    wrapped = sp.atan2(sp.sin(turn), sp.cos(turn))
    return middle + (wrapped if whole_turn else wrapped * period / (2 * sp.pi))


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
    ends = "periodic" if kind == "periodic" else "natural" if len(x) == 2 else "not-a-knot"
    return CubicSpline(x, y, bc_type=ends)

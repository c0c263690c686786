"""Measured curves as expressions: a table of points becomes a curve of polynomials (curves.py).

Between its points the curve is a straight line ("linear"), a cubic that never overshoots and has one continuous
derivative ("monotone", Fritsch & Butland), or a cubic spline with two ("spline"), which gaps need. Beyond the ends a
curve keeps its last value; one of kind "periodic", a cam, is a spline that begins again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError, is_one_of, suggestion
from jounce.model.curves import Curve, Points
from jounce.model.expressions import as_expression

KINDS = ("linear", "monotone", "spline", "periodic")
MOST_POINTS = 1000  # each piece is written out in the generated code


def table(argument: Any, x: Any, y: Any, kind: str = "monotone") -> sp.Expr:
    """A curve through points, as an expression of ``argument``: ``friction=table(jounce.slip, speeds, coefficients)``.

    argument   an expression: a coordinate, a velocity, time, jounce.slip ...
    x, y       the points; x must increase
    kind       "linear", "monotone" (smooth, never beyond its points), "spline" (two continuous derivatives) or
               "periodic": a spline whose points span one period, with the same value at both ends

    >>> x, dx = jounce.coordinate("x", "m")
    >>> spring = jounce.table(x, [-1.0, 0.0, 1.0], [30.0, 0.0, -10.0], "linear")
    >>> mass = jounce.Model("mass", [x], [1], [spring])
    >>> round(jounce.simulate(mass, {"x": 0.5}, t_end=0.1).final["x"], 6)
    0.475208
    """
    points, values = _numbers("x", x), _numbers("y", y)
    if len(points) != len(values):
        raise ModelError(f"table: {len(points)} values of x and {len(values)} of y; there must be as many of both")
    if not 2 <= len(points) <= MOST_POINTS:
        raise ModelError(f"table: {len(points)} points; there must be 2 to {MOST_POINTS}")
    if not (np.diff(points) > 0.0).all():
        k = int(np.argmin(np.diff(points)))
        raise ModelError(f"table: x must increase, but {points[k]:g} is followed by {points[k + 1]:g}")
    if not is_one_of(kind, KINDS):
        raise ModelError(f"table: unknown kind {kind!r}; {suggestion(str(kind), KINDS, 'kinds')}")
    variable = as_expression(argument, "table: argument")
    repeats = kind == "periodic"
    if repeats and (values[0] != values[-1] or len(values) < 3):
        raise ModelError(
            f"table: a periodic curve ends with the value with which it begins, {values[0]:g}, not {values[-1]:g}"
        )
    inner = [tuple(piece) for piece in _curve(points, values, kind).c.T.tolist()]
    before, after = (inner[0], inner[0]) if repeats else ((values[0],), (values[-1],))
    return Curve(variable, Points(points, [before, *inner, after], repeats))


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        numbers = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
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

"""The range of an expression of one variable over an interval, in doubles, with its rounding outwards.

Every operation is widened by a few units in the last place, which is more than the libraries of C are off by. What is
not bounded is infinite; what has no rule here has no range.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping

import sympy as sp

from jounce.model.curves import Curve, Points

Interval = tuple[float, float]

_EVERYTHING = (-math.inf, math.inf)
_WIDER = 4.0 * 2.0**-53
_INCREASING: dict[type, Callable[[float], float]] = {
    sp.exp: math.exp,
    sp.sinh: math.sinh,
    sp.tanh: math.tanh,
    sp.asinh: math.asinh,
    sp.atan: math.atan,
}


class NoRuleError(Exception):
    """A function whose range is not known here."""


def interval_of(expression: sp.Expr, values: Mapping[sp.Symbol, Interval]) -> Interval:
    """An interval that holds all values of the expression while its symbols are in theirs."""
    known: dict[sp.Basic, Interval] = dict(values)
    return _range(expression, known)


def _range(e: sp.Basic, known: dict[sp.Basic, Interval]) -> Interval:
    if e not in known:
        made = _rule(e, known)
        known[e] = _EVERYTHING if math.isnan(made[0]) or math.isnan(made[1]) else made
    return known[e]


def _rule(e: sp.Basic, known: dict[sp.Basic, Interval]) -> Interval:
    if isinstance(e, sp.Expr) and e.is_number and not e.args:
        return _widened(float(e), float(e))
    if isinstance(e, Curve):
        return _on_curve(e.args[1], _range(e.args[0], known))
    parts = [_range(part, known) for part in e.args]
    if isinstance(e, sp.Add):
        return _widened(_sum(part[0] for part in parts), _sum(part[1] for part in parts), _size(parts))
    if isinstance(e, sp.Mul):
        total = parts[0]
        for part in parts[1:]:
            total = _product(total, part)
        return total
    if isinstance(e, sp.Pow) and e.exp.is_Rational:
        return _power(parts[0], e.exp)
    if isinstance(e, sp.sin | sp.cos):
        return _wave(parts[0], 0.25 if isinstance(e, sp.sin) else 0.0)
    for kind, function in _INCREASING.items():
        if isinstance(e, kind):
            return _widened(_finite(function, parts[0][0]), _finite(function, parts[0][1]))
    if isinstance(e, sp.log) and parts[0][0] > 0.0:
        return _widened(math.log(parts[0][0]), math.log(parts[0][1]), 1.0)
    if isinstance(e, sp.tan):
        return _product(_wave(parts[0], 0.25), _inverse(_wave(parts[0], 0.0)))
    if isinstance(e, sp.cosh):
        low, high = sorted((_finite(math.cosh, parts[0][0]), _finite(math.cosh, parts[0][1])))
        return _widened(1.0 if parts[0][0] < 0.0 < parts[0][1] else low, high)
    raise NoRuleError(type(e).__name__)


def _widened(low: float, high: float, size: float = 0.0) -> Interval:
    """Outwards by rounding; ``size`` is that of the terms of a sum."""
    return low - _WIDER * max(abs(low), size), high + _WIDER * max(abs(high), size)


def _sum(numbers: object) -> float:
    return sum(numbers)  # type: ignore[no-any-return, call-overload]


def _size(parts: list[Interval]) -> float:
    return len(parts) * max(max(abs(low), abs(high)) for low, high in parts)


def _product(a: Interval, b: Interval) -> Interval:
    ends = [x * y if x and y else 0.0 for x in a for y in b]
    return _widened(min(ends), max(ends))


def _inverse(a: Interval) -> Interval:
    return _widened(1.0 / a[1], 1.0 / a[0]) if a[0] > 0.0 or a[1] < 0.0 else _EVERYTHING


def _power(a: Interval, exponent: sp.Rational) -> Interval:
    if exponent < 0:
        return _inverse(_power(a, -exponent))
    power = float(exponent)
    if not exponent.is_Integer:
        if a[0] < 0.0:
            return _EVERYTHING
        return _widened(_finite(lambda x: x**power, a[0]), _finite(lambda x: x**power, a[1]))
    low, high = (_finite(lambda x: x ** int(exponent), end) for end in a)
    if exponent % 2:
        return _widened(low, high, 0.0)
    return _widened(0.0 if a[0] < 0.0 < a[1] else min(low, high), max(low, high))


def _wave(a: Interval, phase: float) -> Interval:
    """cos(a - 2 pi phase)."""
    if not a[1] - a[0] < math.tau or max(abs(a[0]), abs(a[1])) > 1e6:
        return -1.0, 1.0
    first, last = a[0] / math.tau - phase - 1e-9, a[1] / math.tau - phase + 1e-9
    ends = [math.cos(end - math.tau * phase) for end in a]
    crest, trough = math.floor(last) >= first, math.floor(last - 0.5) >= first - 0.5
    return (-1.0 if trough else min(ends) - 1e-9), (1.0 if crest else max(ends) + 1e-9)


def _on_curve(points: Points, a: Interval) -> Interval:
    """The least and the largest value of the pieces that [a] reaches."""
    low, high = a
    extent = points.extent()
    if points.repeats:
        inner = extent[1:-1]
        everywhere = min(piece[0] for piece in inner), max(piece[1] for piece in inner)
        if not high - low < points.period:
            return everywhere
        whole = points.period * math.floor((low - points.breaks[0]) / points.period)
        low, high = low - whole, high - whole
        if high > points.breaks[-1]:
            return everywhere
    pieces = extent[bisect_right(points.breaks, low) : bisect_right(points.breaks, high) + 1]
    if points.repeats:
        pieces = [piece for piece in pieces if math.isfinite(piece[0])] or extent[1:-1]
    return _widened(min(piece[0] for piece in pieces), max(piece[1] for piece in pieces))


def _finite(function: Callable[[float], float], x: float) -> float:
    try:
        return float(function(x))
    except OverflowError:
        return math.inf if x > 0.0 else -math.inf

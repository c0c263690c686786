"""The arithmetic of expressions in doubles: the value of every function a model may use.

SymPy's own evaluation works with as many digits as it takes: sin(exp(exp(25))) asks it for 1e11 of them. Here every
function costs the same whatever its arguments, and what is too large is infinite, as in the generated code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import sympy as sp

from jounce.model.curves import Curve
from jounce.model.profiles import OfProfile

Number = float | bool


def _total(function: Callable[..., float]) -> Callable[..., float]:
    """The function with infinity where it overflows and NaN where it has no real value."""

    def guarded(*arguments: float) -> float:
        try:
            return function(*arguments)
        except OverflowError:
            return math.inf
        except (ValueError, ZeroDivisionError):
            return math.nan

    return guarded


def _power(base: float, exponent: float) -> float:
    if base == 0.0 and exponent < 0.0:
        return math.inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0.0 and exponent % 2.0 == 1.0 else math.inf
    except ValueError:
        return math.nan


def _sum(*terms: float) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # fsum refuses infinities of both signs
        return sum(terms)


def _sign(x: float) -> float:
    return math.nan if math.isnan(x) else float((x > 0.0) - (x < 0.0))


def _heaviside(x: float, at_zero: float = 0.5) -> float:
    return at_zero if x == 0.0 else float(x > 0.0)


def _dirac(x: float) -> float:
    return math.nan if x == 0.0 else 0.0


#: Name of a node of an expression -> its value from the values of its arguments.
OPERATIONS: dict[str, Callable[..., Number]] = {
    **{name: _total(getattr(math, name)) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: _total(getattr(math, name)) for name in ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp")},
    "log": _total(math.log),
    "Abs": abs,
    "sign": _sign,
    "Max": max,
    "Min": min,
    "Heaviside": _heaviside,
    "DiracDelta": _dirac,
    "Add": _sum,
    "Mul": lambda *factors: math.prod(factors),
    "Pow": _power,
    "And": lambda *parts: all(parts),
    "Or": lambda *parts: any(parts),
    "Not": lambda part: not part,
    "StrictLessThan": lambda a, b: a < b,
    "LessThan": lambda a, b: a <= b,
    "StrictGreaterThan": lambda a, b: a > b,
    "GreaterThan": lambda a, b: a >= b,
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: a != b,
}


def value_at(expression: sp.Basic, values: Mapping[sp.Symbol, float]) -> float:
    """The value of an expression at a point; NaN where it is not a finite real number."""
    known: dict[sp.Basic, Number] = {symbol: float(values[symbol]) for symbol in expression.free_symbols}
    try:
        value = float(_value(expression, known))
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return value if math.isfinite(value) else math.nan


def _value(node: sp.Basic, known: dict[sp.Basic, Number]) -> Number:
    found = known.get(node)
    if found is not None:
        return found
    value: Number
    if isinstance(node, sp.Rational):
        value = quotient(int(node.p), int(node.q))
    elif isinstance(node, sp.Piecewise):
        value = next((_value(part, known) for part, condition in node.args if _value(condition, known)), math.nan)
    elif isinstance(node, Curve):
        value = node.args[1].value(_value(node.args[0], known))
    elif isinstance(node, OfProfile):
        u, v, profile, *values = node.args
        value = node.at(_value(u, known), _value(v, known), profile, *(_value(part, known) for part in values))
    elif node in (sp.true, sp.false):
        value = bool(node)
    elif not node.args:
        value = float(node)  # a decimal, pi, e
    elif type(node).__name__ in OPERATIONS:
        value = OPERATIONS[type(node).__name__](*(_value(argument, known) for argument in node.args))
    else:
        value = math.nan
    known[node] = value
    return value


def quotient(numerator: int, denominator: int) -> float:
    """p/q of whole numbers of any size."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if (numerator > 0) == (denominator > 0) else -math.inf

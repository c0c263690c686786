"""What may stand in a model's expressions, and what can be said of them at a price that is known before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError
from jounce.model.arithmetic import value_at
from jounce.model.curves import Curve
from jounce.model.profiles import FUNCTIONS as PROFILE_FUNCTIONS
from jounce.model.trees import FUNCTIONS as _FUNCTIONS
from jounce.model.trees import LARGEST_EXPONENT
from jounce.units import is_quantity

# Everything the generated code can compute. DiracDelta is not here: it may only arise as a derivative.
FUNCTIONS = (*_FUNCTIONS, "Piecewise", "Curve", *PROFILE_FUNCTIONS)
_KINKED = (
    sp.Abs,
    sp.sign,
    sp.Max,
    sp.Min,
    sp.Heaviside,
    sp.DiracDelta,
    sp.Piecewise,
    Curve,
    *PROFILE_FUNCTIONS.values(),
)
_NOT_FINITE_AND_REAL = frozenset({sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I})
_WITH_UNIT = "jounce.parameter('m', '200 g')"
#: Terms up to which an expression is multiplied out: some seconds.
MOST_TERMS = 20_000


def as_expression(value: Any, where: str) -> sp.Expr:
    """A number or SymPy expression as an expression, by its type.

    SymPy's own conversion evaluates text as Python, also text inside lists and dictionaries: it is used nowhere.
    """
    if isinstance(value, sp.Expr):
        if value.is_number and value.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
            raise ModelError(f"{where}: {value} is not a finite number")
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, Integral) and not isinstance(value, bool):
        return sp.Integer(int(value))
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    if isinstance(value, Real) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ModelError(f"{where}: {value!r} is not a finite number")
        return sp.Float(float(value))
    hint = f"; a number with a unit is a parameter: {_WITH_UNIT}" if is_quantity(value) else ""
    raise ModelError(f"{where}: expected a number or a SymPy expression, not {value!r}{hint}")


def check_computable(expression: sp.Expr, where: str, seen: set[sp.Basic] | None = None) -> None:
    """Refuse infinities, functions for which there is no code, and powers too large to be multiplied out.

    ``seen`` collects what has been found good: expressions that share parts are not walked through again and again.
    """
    seen = set() if seen is None else seen
    stack: list[sp.Basic] = [expression]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        stack.extend(part.args)
        name = type(part).__name__
        if part in _NOT_FINITE_AND_REAL:
            raise ModelError(f"{where}: {expression} is not a finite real expression")
        if isinstance(part, sp.Function | sp.Derivative | sp.Integral) and name not in FUNCTIONS:
            raise ModelError(f"{where}: {name} cannot be computed; functions that can: {', '.join(FUNCTIONS)}")
        if isinstance(part, sp.Pow) and part.exp.is_Rational and abs(part.exp) > LARGEST_EXPONENT:
            raise ModelError(f"{where}: the exponent {part.exp} is beyond +-{LARGEST_EXPONENT}")


def terms_of(expression: sp.Expr) -> float:
    """How many terms an expression has at most when it and the arguments of its functions are multiplied out."""
    known: dict[sp.Basic, float] = {}
    total = _count_terms(expression, known)
    return max(total, sum(known.values()))


def _count_terms(node: sp.Basic, known: dict[sp.Basic, float]) -> float:
    if not node.args:
        return 1.0
    if node not in known:
        below = [_count_terms(argument, known) for argument in node.args]
        if isinstance(node, sp.Add):
            known[node] = sum(below)
        elif isinstance(node, sp.Mul):
            known[node] = math.prod(below)
        elif isinstance(node, sp.Pow) and node.exp.is_Rational and abs(node.exp) > 1:
            known[node] = _terms_of_power(below[0], math.floor(abs(node.exp)))
        else:
            known[node] = 1.0
    return known[node]


def _terms_of_power(terms: float, exponent: int) -> float:
    """Of (a_1 + ... + a_k)^n: (n + k - 1)! / (n! (k - 1)!)."""
    if terms <= 1.0:
        return 1.0
    if terms > MOST_TERMS:
        return math.inf
    size = math.lgamma(exponent + terms) - math.lgamma(exponent + 1) - math.lgamma(terms)
    return math.exp(size) if size < 700.0 else math.inf


def multiplied_out(expression: sp.Expr) -> sp.Expr:
    """The expansion of an expression where it has at most MOST_TERMS terms; else the expression itself."""
    return sp.expand(expression) if terms_of(expression) <= MOST_TERMS else expression


def identically_zero(expression: sp.Expr) -> bool:
    """Whether an expression vanishes for all values of its symbols.

    Expansion decides the easy cases; trigonometric identities are decided by the value at three points, to 1e-12 of
    the size of the terms, because no simplifier is certain to find them. Points decide only for analytic functions:
    x - |x| vanishes at every positive x. With a kink the answer is no unless expansion finds the zero.
    """
    if _clearly_nonzero(expression):
        return False
    expanded = multiplied_out(expression)
    if expanded.is_zero:
        return True
    if expanded.has(*_KINKED):
        return False
    terms = sp.Add.make_args(expanded)
    for trial in range(3):
        point = _trial_point(expanded, trial)
        values = [value_at(term, point) for term in terms]
        if not abs(sum(values)) <= 1e-12 * sum(map(abs, values)):
            return False
    return True


def _trial_point(expression: sp.Expr, trial: int) -> dict[sp.Symbol, float]:
    """A place without symmetries for every symbol."""
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    return {s: 0.3 + math.fmod((k + 1) * 0.7548776662 + trial * 0.5698402910, 1.0) for k, s in enumerate(symbols)}


def _clearly_nonzero(expression: sp.Expr) -> bool:
    """Whether one value is far from zero: decides without expanding, which may take minutes for a mechanism."""
    point = _trial_point(expression, 0)
    values = [value_at(term, point) for term in sp.Add.make_args(expression)]
    return abs(sum(values)) > 1e-6 * sum(map(abs, values))


def expressions_in(value: Any) -> Iterable[sp.Basic]:
    """All SymPy objects inside nested lists, dictionaries, matrices, contacts and shapes."""
    if isinstance(value, sp.MatrixBase):
        yield from value
    elif isinstance(value, sp.Basic):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from expressions_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from expressions_in(item)
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):  # a law's class in place of a law
        for field in value.__dataclass_fields__:
            yield from expressions_in(getattr(value, field))

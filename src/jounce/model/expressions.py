"""What may stand in a model's expressions, their value at a point, and their form on disk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError

# Everything the generated code can compute. DiracDelta is not here: it may only arise as a derivative.
FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(sp.sin, sp.cos, sp.tan, sp.asin, sp.acos, sp.atan, sp.atan2),
        *(sp.sinh, sp.cosh, sp.tanh, sp.asinh, sp.acosh, sp.atanh),
        *(sp.exp, sp.log, sp.Abs, sp.sign, sp.Max, sp.Min, sp.Heaviside, sp.Piecewise),
    )
}
_STRUCTURE: dict[str, Any] = {
    node.__name__: node
    for node in (
        *(sp.Add, sp.Mul, sp.Pow, sp.And, sp.Or, sp.Not),
        *(sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan, sp.Equality, sp.Unequality),
    )
}
_CONSTANTS: dict[str, Any] = {"pi": sp.pi, "E": sp.E, "true": sp.true, "false": sp.false}
_KINKED = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Heaviside, sp.DiracDelta, sp.Piecewise)
_UNORDERED = ("Max", "Min", "And", "Or")


def as_expression(value: Any, where: str) -> sp.Expr:
    """A number or SymPy expression as an expression; text is refused, because evaluating it would run it."""
    if isinstance(value, (str, bool)) or value is None:
        raise ModelError(f"{where}: expected a number or a SymPy expression, not {value!r}")
    try:
        expression = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError):
        raise ModelError(f"{where}: expected a number or a SymPy expression, not {value!r}") from None
    if not isinstance(expression, sp.Expr):
        raise ModelError(f"{where}: expected a number or a SymPy expression, not {value!r}")
    return expression


def check_computable(expression: sp.Expr, where: str) -> None:
    """Refuse infinities and functions for which there is no code."""
    if expression.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
        raise ModelError(f"{where}: {expression} is not a finite real expression")
    for function in expression.atoms(sp.Function, sp.Derivative, sp.Integral):
        name = type(function).__name__
        if name not in FUNCTIONS:
            raise ModelError(f"{where}: {name} cannot be computed; functions that can: {', '.join(FUNCTIONS)}")


def value_at(expression: sp.Expr, values: Mapping[sp.Symbol, float]) -> float:
    """The value of an expression at a point; NaN where it is not a real number."""
    try:
        used = {symbol: sp.Float(values[symbol]) for symbol in expression.free_symbols}
        return float(sp.N(expression.xreplace(used)))
    except (TypeError, ValueError, OverflowError):
        return math.nan


def identically_zero(expression: sp.Expr) -> bool:
    """Whether an expression vanishes for all values of its symbols.

    Expansion decides the easy cases; trigonometric identities are decided by the value at three points, to 1e-12 of
    the size of the terms, because no simplifier is certain to find them. Points decide only for analytic functions:
    x - |x| vanishes at every positive x. With a kink the answer is no unless expansion finds the zero.
    """
    if _clearly_nonzero(expression):
        return False
    expanded = sp.expand(expression)
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


def to_tree(expression: sp.Basic) -> Any:
    """An expression as nested lists of names and numbers, ready for JSON and the same in every session."""
    if isinstance(expression, sp.Symbol):
        return expression.name
    if isinstance(expression, sp.Integer):
        return int(expression)
    if isinstance(expression, sp.Rational):
        return ["/", int(expression.p), int(expression.q)]
    if isinstance(expression, sp.Float):
        return float(expression)
    for name, constant in _CONSTANTS.items():
        if expression == constant:
            return [name]
    kind = type(expression).__name__
    if kind == "Piecewise":
        return [kind, *([to_tree(value), to_tree(condition)] for value, condition in expression.args)]
    arguments = [to_tree(argument) for argument in expression.args]
    return [kind, *(sorted(arguments, key=repr) if kind in _UNORDERED else arguments)]


def from_tree(tree: Any, symbols: Mapping[str, sp.Symbol]) -> Any:
    """The expression of a tree; only known names are accepted, so that a foreign file can run nothing."""
    if isinstance(tree, str):
        if tree not in symbols:
            raise ModelError(f"stored expression: unknown symbol {tree!r}")
        return symbols[tree]
    if isinstance(tree, (int, float)) and not isinstance(tree, bool):
        return sp.sympify(tree)
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise ModelError(f"stored expression: {tree!r} is not part of an expression")
    kind, arguments = tree[0], tree[1:]
    if kind == "/":
        return sp.Rational(*arguments)
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    if kind == "Piecewise":
        return sp.Piecewise(*(tuple(from_tree(part, symbols) for part in pair) for pair in arguments))
    make = FUNCTIONS.get(kind) or _STRUCTURE.get(kind)
    if make is None:
        raise ModelError(f"stored expression: unknown function {kind!r}")
    return make(*(from_tree(argument, symbols) for argument in arguments))


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
    elif hasattr(value, "__dataclass_fields__"):
        for field in value.__dataclass_fields__:
            yield from expressions_in(getattr(value, field))

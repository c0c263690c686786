"""Derivatives of expressions by the rules of SymPy, each shared part once.

``sympy.diff`` asks at every node for its free symbols and for the signs of derivatives, differentiates a product once
for every pair of its factors, and forgets what it has found where an expression has the same part twice. The gap of an
outline is a tree of cases over the same few distances; there it takes most of the time of a compilation. The result is
the same expression: the rules are SymPy's own, and what has a rule of its own is left to it.

All numbers of a model are real. SymPy cannot know that of x/L, where L might be zero, and leaves derivatives of |x/L|
and sign(x/L) unevaluated; here they are those of real arguments.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, ArgumentIndexError, Function

_ZERO = sp.Integer(0)


def derivative(expression: Any, symbol: sp.Symbol) -> Any:
    """The derivative of an expression by a symbol, as ``sympy.diff`` gives it."""
    if not isinstance(expression, sp.Basic):  # a plain number
        return sp.diff(expression, symbol)
    return _derivative(expression, symbol, {})


def _derivative(node: Any, symbol: sp.Symbol, known: dict[Any, Any]) -> Any:
    if node.is_Atom:
        return sp.Integer(1) if node == symbol else _ZERO
    found = known.get(node)
    if found is None:
        found = known[node] = _by_rule(node, symbol, known)
    return found


def _by_rule(node: Any, symbol: sp.Symbol, known: dict[Any, Any]) -> Any:
    kind = type(node)
    if kind is sp.Add:
        return sp.Add(*(_derivative(part, symbol, known) for part in node.args))
    if kind is sp.Mul:
        return _of_product(node.args, symbol, known)
    if kind is sp.Pow:
        base, exponent = (_derivative(part, symbol, known) for part in node.args)
        if base == 0 and exponent == 0:
            return _ZERO
        return node * (exponent * sp.log(node.base) + base * node.exp / node.base)
    if issubclass(kind, sp.Piecewise) and kind._eval_derivative is sp.Piecewise._eval_derivative:
        if symbol not in node.free_symbols:
            return _ZERO
        return node.func(*((_derivative(value, symbol, known), condition) for value, condition in node.args))
    if kind is sp.Abs or kind is sp.sign:
        (inside,) = node.args
        slope = _derivative(inside, symbol, known)
        return slope * (sp.sign(inside) if kind is sp.Abs else 2 * sp.DiracDelta(inside)) if slope != 0 else _ZERO
    if _has_the_common_rule(kind):
        return _of_function(node, symbol, known)
    return sp.diff(node, symbol)


def _of_product(factors: tuple[Any, ...], symbol: sp.Symbol, known: dict[Any, Any]) -> Any:
    terms = []
    for k, factor in enumerate(factors):
        slope = _derivative(factor, symbol, known)
        if slope != 0:
            terms.append(sp.Mul(*factors[:k], slope, *factors[k + 1 :]))
    return sp.Add(*terms)


def _has_the_common_rule(kind: Any) -> bool:
    """Whether objects of a class are functions of their arguments that only name their partial derivatives."""
    return (
        issubclass(kind, Function)
        and not issubclass(kind, AppliedUndef)
        and kind._eval_derivative is Function._eval_derivative
        and kind._eval_derivative_n_times is Function._eval_derivative_n_times
    )


def _of_function(node: Any, symbol: sp.Symbol, known: dict[Any, Any]) -> Any:
    terms = []
    for k, argument in enumerate(node.args, start=1):
        slope = _derivative(argument, symbol, known)
        if slope == 0:
            continue
        try:
            partial = node.fdiff(k)
        except ArgumentIndexError:
            partial = Function.fdiff(node, k)
        terms.append(partial * slope)
    return sp.Add(*terms)

"""Where time stands in a model: whether it plays a part, and whether the model can be seen to repeat.

A model repeats after P if time stands in it only as c t in sines and cosines and in tables that begin again, each of
which has gone through a whole number of its own periods after P. That is read off the expressions: a comparison of
forces at some times would not see a push that ends between them.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from jounce.model.curves import Curve
from jounce.model.expressions import expressions_in
from jounce.model.model import Model
from jounce.model.symbols import time


def timed_expressions(model: Model) -> list[sp.Expr]:
    """What of a model's mechanics, of what looks on and of its resets contains time."""
    parts = (model.M, model.h, model.contacts, model.joints, model.guards, model.V, model.applied_power, model.resets)
    return [expression for part in parts for expression in expressions_in(part) if expression.has(time)]


def depends_on_time(model: Model, vanishing: Iterable[sp.Symbol] = ()) -> bool:
    """Whether the time appears in an expression of the model once the parameters that vanish are put in as zeros."""
    return bool(without(timed_expressions(model), vanishing))


def without(expressions: Iterable[sp.Expr], vanishing: Iterable[sp.Symbol]) -> list[sp.Expr]:
    """Those in which time is left once the parameters that vanish are put in as zeros."""
    zeros = dict.fromkeys(vanishing, 0)
    left = (expression.subs(zeros) if zeros else expression for expression in expressions)
    return [expression for expression in left if expression.has(time)]


def cycles_in(expressions: Iterable[sp.Expr], period: sp.Expr, parameters: Iterable[sp.Symbol]) -> list[sp.Expr] | None:
    """Through how many periods of its own each part goes in a period of the model; None if time stands elsewhere too.

    The model repeats if all of them are whole numbers. They are expressions of the parameters.
    """
    found: dict[sp.Expr, None] = {}
    stack, seen, given = list(expressions), set[sp.Basic](), set(parameters)
    while stack:
        part = stack.pop()
        if part in seen or not part.has(time):
            continue
        seen.add(part)
        own, argument = _own_period(part)
        if own is None:
            if part == time:
                return None
            stack.extend(part.args)
            continue
        rate, rest = _linear(argument)
        stack.extend(rest)
        if rate.free_symbols - given:
            return None
        if rate != 0:
            found[rate * period / own] = None
    return list(found)


def _own_period(part: sp.Basic) -> tuple[sp.Expr | float | None, sp.Expr]:
    """What the argument of a function may grow by without changing it, and the argument."""
    if isinstance(part, sp.sin | sp.cos):
        return 2 * sp.pi, part.args[0]
    if isinstance(part, sp.tan):
        return sp.pi, part.args[0]
    if isinstance(part, Curve) and part.args[1].repeats:
        return part.args[1].period, part.args[0]
    even = isinstance(part, sp.Pow) and part.exp.is_Integer and part.exp % 2 == 0
    if (even or isinstance(part, sp.Abs)) and isinstance(part.args[0], sp.sin | sp.cos):
        return sp.pi, part.args[0].args[0]
    return None, sp.Integer(0)


def _linear(argument: sp.Expr) -> tuple[sp.Expr, list[sp.Expr]]:
    """c of an argument c t + rest, and the terms of the rest, in which time may stand again."""
    rate, rest = sp.Integer(0), []
    for term in sp.Add.make_args(sp.expand(argument)):
        factor = term.coeff(time, 1)
        if factor != 0 and not factor.has(time) and (term - factor * time).expand() == 0:
            rate += factor
        else:
            rest.append(term)
    return rate, rest

"""Jumps in generated code: the side of each border is a number that a step holds.

A force or a surface that jumps is smooth on either side of its border b = 0. A step whose stages decide for themselves
on which side they are sees both branches where it passes the border: it is then no step of either, its error says
nothing, and a pulse between two borders is there or not, depending on where the stages lie. So what jumps decides by

    held(b, S) = S  where the engine holds the side S = 1 or -1 of the border ,   b  where S = 0 ,

in place of b: Heaviside(b) becomes Heaviside(held(b, S)), and the branch that a step begins on goes on beyond the
border, smooth, until the border's root ends the step there (kernels/flow/sides.py). Everybody else (audit, energies,
forces, what is decided at an instant) leaves S = 0, and has the model as it is written.

|b|, Max and Min that have such a border choose by the same numbers (held_choices.py), and so do their derivatives.

The sides stand behind all else in the parameter vector, one for each guard of a model of which one jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.relational import Equality, Relational, Unequality

from jounce.codegen.held_choices import CHOICES, chosen, is_open, sign_of_choice
from jounce.model.cases import Piecewise
from jounce.model.curves import Curve
from jounce.model.expressions import expressions_in
from jounce.model.jumps import MOST_CASES, normal
from jounce.model.kinks import Kink, signs_of
from jounce.model.model import Model

#: Border in its normal form -> its side, with the sign of that form.
Sides = Mapping[sp.Expr, sp.Expr]


class Held(sp.Function):
    """What decides at a border: the side that is held, or the border itself where none is."""

    is_extended_real = True
    is_finite = True
    nargs = 2

    def _eval_derivative(self, symbol: Any) -> sp.Expr:
        return sp.Integer(0)  # only its sign is read


def held_sides(model: Model, parts: list[Any] | None = None, left: Any = ()) -> tuple[tuple[sp.Symbol, ...], Sides]:
    """The side of each guard, and those at which something jumps; none where there is no such.

    A border must be held in all places or in none: one that stands in a choice which is left as it is written has none.

    parts   expressions whose jumps are to be held; None: all of the model
    left    others that have borders, which are left as they are written
    """
    if not any(kink >= Kink.LEAP for kink in model.kinks.values()):
        return (), {}
    if parts is None:
        parts = [model.M, model.h, model.joints, model.applied_power, list(model.contacts)]
    # no name of a model has a dot
    symbols = tuple(sp.Symbol(f"side.{k}", real=True) for k in range(len(model.watched)))
    found, others = {}, _decided_elsewhere(parts) | _borders_in(left)
    for symbol, guard in zip(symbols, model.watched, strict=True):
        border, factor = normal(guard)
        if model.kinks.get(guard, 0) >= Kink.LEAP and not isinstance(guard, Curve) and border not in others:
            found[border] = factor * symbol
    return (symbols, found) if found else ((), {})


def _borders_in(expressions: Any) -> set[sp.Expr]:
    """The borders of all choices in some expressions."""
    kinds = (*CHOICES, sp.Piecewise, sp.sign, sp.Heaviside)
    parts = {part for e in expressions_in(expressions) for part in e.atoms(*kinds)}
    return {normal(border)[0] for part in parts for border in signs_of(part, 0)}


def _decided_elsewhere(parts: list[Any]) -> set[sp.Expr]:
    """The borders of choices that are left as they are written: see ``is_open``, and curves of many cases."""
    kinds = (*CHOICES, sp.Piecewise)
    kinks = {kink for part in parts for e in expressions_in(part) for kink in e.atoms(*kinds)}
    found = set()
    for kink in kinks:
        if isinstance(kink, CHOICES):
            if not is_open(kink):
                found |= {normal(border)[0] for part in kink.atoms(*CHOICES) for border in signs_of(part, 0)}
        elif len(kink.args) > MOST_CASES:
            found |= {normal(relation.lhs - relation.rhs)[0] for relation in kink.atoms(Relational)}
    return found


def with_held_sides(expression: sp.Expr, sides: Sides, certain: bool = False) -> sp.Expr:
    """The expression with every jump at one of these borders decided by its side.

    ``certain``: sides are held whenever this is asked.
    """
    if not sides:
        return expression
    decided: dict[sp.Basic, sp.Basic] = {}

    def is_positive(border: sp.Expr) -> sp.Expr:
        argument = _held(border, sides, certain)
        return (border if argument is None else argument) > 0

    for part in expression.atoms(*CHOICES):
        if is_open(part) and any(normal(border)[0] in sides for border in signs_of(part, 0)):
            decided[part] = chosen(part, is_positive)
    for part in expression.atoms(sp.sign, sp.Heaviside):
        argument = _held(part.args[0], sides, certain)
        if argument is not None:
            decided[part] = part.func(argument, *part.args[1:])
        elif part.args[0].has(*CHOICES):
            choice = sign_of_choice(part, is_positive)
            if choice is not None:
                decided[part] = choice
    for part in expression.atoms(sp.Piecewise):
        for _, condition in part.args if len(part.args) <= MOST_CASES else ():
            for relation in condition.atoms(Relational):
                argument = _held(relation.lhs - relation.rhs, sides, certain)
                if argument is not None and not isinstance(relation, Equality | Unequality):
                    decided[relation] = relation.func(argument, sp.Integer(0), evaluate=False)
    return _replaced(expression, decided, {}) if decided else expression


def _held(border: sp.Expr, sides: Sides, certain: bool) -> sp.Expr | None:
    form, factor = normal(border)
    if form not in sides:
        return None
    side = factor * sides[form]
    return side if certain else Held(border, side)


def _replaced(expression: sp.Basic, decided: dict[sp.Basic, sp.Basic], known: dict[sp.Basic, Any]) -> Any:
    """``xreplace`` that never asks a Piecewise or a comparison to simplify itself."""
    if expression in decided:
        return decided[expression]
    if not expression.args:
        return expression
    if expression not in known:
        arguments = [_replaced(part, decided, known) for part in expression.args]
        same = all(new is old for new, old in zip(arguments, expression.args, strict=True))
        if same:
            known[expression] = expression
        elif isinstance(expression, sp.Piecewise):
            known[expression] = Piecewise(*arguments)
        elif isinstance(expression, sp.And | sp.Or | sp.Not):
            known[expression] = expression.func(*arguments, evaluate=False)
        else:
            known[expression] = expression.func(*arguments)
    return known[expression]

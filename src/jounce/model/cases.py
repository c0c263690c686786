"""SymPy's Piecewise and Abs as they are written.

SymPy simplifies the conditions of a Piecewise whenever one is made, also by differentiating or replacing symbols. With
decimals in conditions of several variables that need not end: each pass finds something else to rewrite. The cases of
contact geometry are known to be a partition, and the generated code tests one after the other; nothing is to be gained.

SymPy looks for the signs of all factors and terms of an absolute value and turns the signs inside of it, so that |F|
has no part in common with F any more. That takes a third of the time in which a machine with friction in its bearings
is made, and has the generated code compute the force of every bearing twice.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.functions.elementary.piecewise import ExprCondPair

from jounce.model.derivatives import derivative


class Case(ExprCondPair):
    """A value and its condition, which may compare values that have cases themselves: SymPy would multiply them out."""

    def __new__(cls, value: Any, condition: Any) -> Any:
        """The pair as it is."""
        return sp.Tuple.__new__(cls, value, condition)


class Piecewise(sp.Piecewise):
    """The value of the first case whose condition holds; only cases that can never be reached are left out.

    It has the name of its base, since SymPy's printers go by names.
    """

    def __new__(cls, *cases: Any, **_: Any) -> Any:
        """The cases, each a pair (value, condition); one value where all are the same."""
        kept = []
        for case in cases:
            pair = case if isinstance(case, Case) else Case(*case)
            if pair.cond == sp.false:
                continue
            kept.append(pair)
            if pair.cond == sp.true:
                break
        if kept and kept[-1].cond == sp.true and all(pair.expr == kept[0].expr for pair in kept):
            return kept[0].expr
        return sp.Basic.__new__(cls, *kept)


class Abs(sp.Abs):
    """The absolute value of a real expression; it has the name of its base, like Piecewise."""

    def __new__(cls, argument: Any, **_: Any) -> Any:
        """A number where the argument is one, or has a known sign by its own class."""
        if argument.is_number:
            return sp.Abs(argument)
        if isinstance(argument, sp.Abs):
            return argument
        return sp.Expr.__new__(cls, argument)

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        return sp.sign(self.args[0]) * derivative(self.args[0], symbol)


def as_written(expression: sp.Expr) -> sp.Expr:
    """The expression with every Piecewise and Abs as one of these."""
    if all(isinstance(part, Piecewise | Abs) for part in expression.atoms(sp.Piecewise, sp.Abs)):
        return expression
    expression = expression.replace(lambda part: isinstance(part, sp.Piecewise), lambda part: Piecewise(*part.args))
    return expression.replace(lambda part: isinstance(part, sp.Abs), lambda part: Abs(*part.args))

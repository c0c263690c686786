"""SymPy's Piecewise as it is written.

SymPy simplifies the conditions of a Piecewise whenever one is made, also by differentiating or replacing symbols. With
decimals in conditions of several variables that need not end: each pass finds something else to rewrite. The cases of
contact geometry are known to be a partition, and the generated code tests one after the other; nothing is to be gained.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.functions.elementary.piecewise import ExprCondPair


class Piecewise(sp.Piecewise):
    """The value of the first case whose condition holds; only cases that can never be reached are left out.

    It has the name of its base, since SymPy's printers go by names.
    """

    def __new__(cls, *cases: Any, **_: Any) -> Any:
        """The cases, each a pair (value, condition); one value where all are the same."""
        kept = []
        for case in cases:
            pair = case if isinstance(case, ExprCondPair) else ExprCondPair(*case)
            if pair.cond == sp.false:
                continue
            kept.append(pair)
            if pair.cond == sp.true:
                break
        if kept and kept[-1].cond == sp.true and all(pair.expr == kept[0].expr for pair in kept):
            return kept[0].expr
        return sp.Basic.__new__(cls, *kept)


def as_written(expression: sp.Expr) -> sp.Expr:
    """The expression with every Piecewise as one of these."""
    if all(isinstance(part, Piecewise) for part in expression.atoms(sp.Piecewise)):
        return expression
    return expression.replace(lambda part: isinstance(part, sp.Piecewise), lambda part: Piecewise(*part.args))

"""Angles that the engine counts in turns: what looks at the whole angle gets it back.

The engine keeps an angle in which the mechanics repeats within one turn (model/periodicity.py). A guard or an applied
power that does not repeat, such as a guard theta - 20, reads theta + offset. The offset, the turns gone by, stands
behind the parameters and the memory of compliant contacts in the parameter vector.
"""

from __future__ import annotations

from functools import lru_cache

import sympy as sp

from jounce.model.model import Model
from jounce.model.periodicity import NOWHERE, mechanics_turns, turns


@lru_cache(maxsize=8)
def offsets(model: Model) -> dict[sp.Symbol, sp.Symbol]:
    """Coordinate -> the symbol of its turns gone by, in the order of the parameter vector; only where one is read."""
    watching = turns(model, (model.watched, model.applied_power))
    return {
        q: sp.Symbol(f"{q.name}.turned", real=True)  # no name of a model has a dot
        for q, own, watched in zip(model.q, mechanics_turns(model), watching, strict=True)
        if own > 0 and watched != NOWHERE and (watched == 0 or own % watched != 0)
    }


def with_whole_angles(model: Model, expressions: list[sp.Expr]) -> list[sp.Expr]:
    """Expressions of the whole angles in terms of those within one turn."""
    whole = {q: q + offset for q, offset in offsets(model).items()}
    return [expression.xreplace(whole) for expression in expressions] if whole else expressions

"""When two states are the same for what follows: cyclic coordinates do not count, angles count modulo 2 pi."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jounce.model.model import Model
    from jounce.system.system import System

FREE = -1.0  # the component does not count


def state_periods(system: System) -> np.ndarray:
    """For each component of z = [q, u]: 0 where values must agree, 2 pi for an angle, FREE for a cyclic coordinate.

    A coordinate is cyclic if no equation of motion contains it, as the height of a woodpecker on its pole: the motion
    repeats although it never returns. A coordinate is an angle if adding 2 pi to it changes no equation.
    """
    from jounce.model.expressions import expressions_in

    model = system.model
    parts = (model.M, model.h, model.contacts, model.joints, model.guards)
    expressions = [expression for part in parts for expression in expressions_in(part)]
    used = set().union(*(expression.free_symbols for expression in expressions))
    periods = np.zeros(2 * model.n)
    for k, (symbol, unit) in enumerate(zip(model.q, model.coordinates.values(), strict=True)):
        if symbol not in used:
            periods[k] = FREE
        elif unit == "rad" and _turns(model, expressions, k):
            periods[k] = 2.0 * math.pi
    return periods


def _turns(model: Model, expressions: list, k: int) -> bool:
    """Whether a full turn of coordinate k changes nothing, at three points."""
    from jounce.model.expressions import value_at

    symbols = [*model.q, *model.u, *model.symbols.values()]
    symbol = model.q[k]
    for trial in range(3):
        point = {s: 0.3 + math.fmod((j + 1) * 0.7548776662 + trial * 0.5698402910, 1.0) for j, s in enumerate(symbols)}
        turned = point | {symbol: point[symbol] + 2.0 * math.pi}
        for expression in expressions:
            if not hasattr(expression, "free_symbols") or symbol not in expression.free_symbols:
                continue
            before, after = value_at(expression, point), value_at(expression, turned)
            if not math.isclose(before, after, rel_tol=1e-9, abs_tol=1e-9):
                return False
    return True

"""Whether time plays a part in a model."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from jounce.model.expressions import expressions_in
from jounce.model.model import Model


def depends_on_time(model: Model, vanishing: Iterable[sp.Symbol] = ()) -> bool:
    """Whether the time appears in an expression of the model once the parameters that vanish are put in as zeros."""
    time, zeros = model.symbols["t"], dict.fromkeys(vanishing, 0)
    parts = (model.M, model.h, model.contacts, model.joints, model.guards, model.V, model.applied_power, model.resets)
    timed = (expression for part in parts for expression in expressions_in(part) if expression.has(time))
    return any(not zeros or expression.subs(zeros).has(time) for expression in timed)

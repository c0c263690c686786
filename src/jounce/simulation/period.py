"""Whether the model repeats itself in time: only then may the engine count time in turns (docs/decisions/0005)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from jounce.system.forcing import Forcing, forcing_of
from jounce.system.system import System

if TYPE_CHECKING:
    import sympy as sp


def turn_length(system: System, p: np.ndarray) -> float:
    """The time after which the model repeats itself: its forcing period, if true of it; anything, if autonomous."""
    if system.autonomous:
        return 1.0
    if system.forcing is None:
        return 0.0
    known = system.forcing.turn(p)
    if known > 0.0 or np.all(p):
        return known
    without = _forcing_without(system, _vanishing(p))  # parts with a factor that is zero do not count
    return 0.0 if without is None else without.turn(p)


def is_forced(system: System, p: np.ndarray) -> bool:
    """Whether time appears in the model once the parameters that are zero are put in (the wiper on a steady belt)."""
    return not system.autonomous and (bool(np.all(p)) or bool(_timed_without(system, _vanishing(p))))


def _vanishing(p: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(np.asarray(p) == 0.0).tolist())


@lru_cache(maxsize=256)
def _timed_without(system: System, vanishing: tuple[int, ...]) -> list[sp.Expr]:
    """What contains time where these parameters are zero."""
    from jounce.model.time_dependence import timed_expressions, without

    timed = timed_expressions(system.model) if system.tables is None else system.tables.facts["timed"]
    return without(timed, [system.model.p[k] for k in vanishing])


@lru_cache(maxsize=256)
def _forcing_without(system: System, vanishing: tuple[int, ...]) -> Forcing | None:
    """The forcing where these parameters are zero; None where the period has no value then."""
    import sympy as sp

    from jounce.model.time_dependence import cycles_in

    period = system.model.period.subs({system.model.p[k]: 0 for k in vanishing})
    if period.has(sp.nan, sp.oo, sp.zoo):
        return None
    return forcing_of(period, cycles_in(_timed_without(system, vanishing), period, system.model.p), system.model.p)

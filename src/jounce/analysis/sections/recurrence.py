"""When two states are the same for what follows: cyclic coordinates do not count, angles count modulo their turns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.model.periodicity import NOWHERE, turns
from jounce.model.resets import parts_that_matter
from jounce.simulation.roster import needs_list

if TYPE_CHECKING:
    from jounce.system.system import System

FREE = -1.0  # the component does not count


def state_periods(system: System) -> np.ndarray:
    """For each component of z = [q, u]: 0 where values must agree, 2 pi for an angle, FREE for a cyclic coordinate.

    A coordinate is cyclic if no equation of motion contains it, as the height of a woodpecker on its pole: the motion
    repeats although it never returns. A coordinate is an angle if adding 2 pi to it changes no equation and no guard.
    """
    model = system.model
    periods = np.zeros(2 * system.n)
    if needs_list(system):
        # without the expressions of all contacts, which take minutes; what a guard reads must agree
        read = {str(symbol) for guard in model.guards.values() for symbol in guard.free_symbols}
        for k, (name, found) in enumerate(zip(system.coordinate_names, system.turns, strict=True)):
            periods[k] = 0.0 if name in read else FREE if found == NOWHERE else 2.0 * math.pi * found
        return periods
    parts = (model.M, model.h, model.contacts, model.joints, model.guards, parts_that_matter(model))
    for k, found in enumerate(turns(model, parts)):
        periods[k] = FREE if found == NOWHERE else 2.0 * math.pi * found
    return periods

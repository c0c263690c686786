"""How far apart two orbits of a branch are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.continuation.arclength import Metric
from jounce.analysis.orbits.solution.shooting import variable_ranges

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.problem import Freedom
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
    from jounce.analysis.orbits.solution.shooting import Shooting


def orbit_metric(orbit: PeriodicOrbit, equations: Shooting, free: tuple[Freedom, ...]) -> Metric:
    """Weights: a tenth of a variable's range, of the period, and one parameter step count the same."""
    range_of = variable_ranges(orbit.run, orbit.remembered)
    count = len(equations.fractions)
    state = np.tile(10.0 / range_of / np.sqrt(count * len(range_of)), count)
    period = [10.0 / orbit.period] if equations.multiple == 0 else []
    return Metric(np.concatenate([state, period, [1.0 / parameter.span for parameter in free]]))

"""Where a branch began: its orbits shrink to a point (Hopf) or halve their period (period doubling).

Beyond, the same orbits come again from their other side: a walk must end there instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.closing import find_symmetry
from jounce.analysis.orbits.mode_surface import Floats
from jounce.analysis.orbits.periodic_orbit import PeriodicOrbit
from jounce.analysis.orbits.shooting import variable_ranges

if TYPE_CHECKING:
    from jounce.analysis.orbits.walk import Place

#: An orbit smaller than this, relative to where it lies, has shrunk to an equilibrium.
VANISHED = 1e-3


def vanished(here: Place, parameter: str) -> str:
    """The reason to end, if an autonomous orbit is about to be a point."""
    if here.problem.multiple:
        return ""
    size = 1.0 + float(np.abs(np.concatenate([here.orbit.state.q, here.orbit.state.u])).max())
    return _hopf(here, parameter) if _extent(here.orbit) < VANISHED * size else ""


def shrunk(best: Place, here: Place, parameter: str) -> str:
    """The reason to end, if what looks like a fold is an orbit that has shrunk to a point."""
    if best.problem.multiple == 0 and _extent(best.orbit) < 0.3 * _extent(here.orbit):
        return _hopf(best, parameter)
    return ""


def _hopf(place: Place, parameter: str) -> str:
    return f"the orbit shrinks onto an equilibrium at {parameter} = {place.value:.9g}: a Hopf bifurcation"


def halved(here: Place, there: Place, parameter: str) -> str:
    """The reason to end, if between two places the orbit becomes one of half its period.

    The difference of its two halves, d = z(t + T/2) - z(t), changes its sign there, and p = p0 + c d^2.
    """
    before, after = _halves(here.orbit), _halves(there.orbit)
    a, b = float(np.linalg.norm(before)), float(np.linalg.norm(after))
    if not before @ after < -0.5 * a * b or max(a, b) > 0.5:
        return ""
    p, q = here.value, there.value
    value = (q * a**2 - p * b**2) / (a**2 - b**2) if abs(a - b) > 0.1 * (a + b) else min(p, q, key=abs)
    return f"the orbit becomes one of half its period near {parameter} = {value:.6g}: a period doubling"


def _extent(orbit: PeriodicOrbit) -> float:
    """The largest range of a variable over the period."""
    return float(variable_ranges(orbit.run).max())


def _halves(orbit: PeriodicOrbit) -> Floats:
    """By how much the second half of an orbit differs from the first, in ranges of the variables."""
    if orbit.forcing_periods % 2:
        return np.zeros(2 * orbit.system.n)
    run = orbit.run
    difference = run.states([run.t_start + orbit.period / 2])[0] - run.states([run.t_start])[0]
    return find_symmetry(orbit.system).close(difference) / variable_ranges(run)

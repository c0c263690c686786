"""Burns and Piiroinen (2015), Fig. 10: one bounce a period, followed in the frequency, for five restitutions.

The paper's branches are those of the level rod, which is a ball on a table. SN, PD and G of Fig. 10b are located.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.continuation.continue_orbit import continue_orbit
from jounce.analysis.orbits.solution.periodic_orbit import find_orbit
from jounce.plot import plot_branch
from jounce.system.compilation import compile_model
from jounce.systems import ball_on_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESTITUTIONS = (0.9, 0.7, 0.5, 0.3, 0.1)
HIGHEST = 6.0  # of the frequency in the picture


@cache
def branch(e: float) -> Branch:
    """The branch of one bounce a period; it is entered between its fold and its period doubling."""
    system = compile_model(ball_on_table())
    g, step = float(system.parameters()[system.parameter_names.index("g")]), 0.1
    # any frequency at which the rod can be thrown a period far will do: Newton's method does the rest
    omega = 1.02 * math.sqrt(math.pi * g * (1 - e) / (1 + e))
    period = 2 * math.pi / omega
    phase = math.acos(1 / 1.02**2)
    start = system.state(t=phase / omega + period / 2, y=math.sin(phase) + g * period**2 / 8)
    orbit = find_orbit(system, start, omega=omega, e=e)
    return _bounced_once(continue_orbit(orbit, "omega", (1.0, HIGHEST), step=step))


def _bounced_once(branch: Branch) -> Branch:
    """The part of one bounce a period, as the paper shows it: beyond the grazing the branch goes on with two."""
    inside = [k for k, point in enumerate(branch.points) if len(point.solution.signature) == 1]
    first, last = inside[0], inside[-1]
    kept = [special for special in branch.specials if len(special.solution.signature) == 1]
    specials = [dataclasses.replace(special, index=special.index - first) for special in kept]
    return dataclasses.replace(branch, points=branch.points[first : last + 1], specials=specials)


def located(e: float, kind: str) -> float:
    """The frequency of a bifurcation of the branch; nan if it lies beyond the picture."""
    found = branch(e).find(kind)
    return found[0].parameter if found else math.nan


def figure_10() -> Figure:
    """The five branches: the height at phase 0 against the frequency."""
    return plot_branch([branch(e) for e in RESTITUTIONS], "y", names=[f"e = {e:g}" for e in RESTITUTIONS])


def order() -> str:
    """Whether each branch begins at a fold, doubles upwards, and loses its unstable part at a grazing."""
    folds = [located(e, "fold") for e in RESTITUTIONS]
    if not all(a < b for a, b in pairwise(folds)):
        return "not born at lower frequencies for larger e"
    flips = [located(e, "period_doubling") for e in RESTITUTIONS]
    touches = [located(e, "grazing") for e in RESTITUTIONS]
    if not all(f < min(d, g) for f, d, g in zip(folds, flips, touches, strict=True)):
        return "SN is not the lowest"
    return "SN lowest, then PD and G; larger e at lower frequencies"


def values() -> str:
    """Where they lie."""
    kinds = {"SN": "fold", "PD": "period_doubling", "G": "grazing"}
    rows = [", ".join(f"{label} {located(e, kind):.8f}" for label, kind in kinds.items()) for e in RESTITUTIONS]
    return "; ".join(f"e = {e:g}: {row}" for e, row in zip(RESTITUTIONS, rows, strict=True))

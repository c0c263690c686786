"""The shooting problem of an orbit to be found, and that of which an orbit is a solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.solution.closing import forcing_period
from jounce.analysis.orbits.solution.shooting import Shooting
from jounce.analysis.orbits.solution.symmetry import with_closes
from jounce.analysis.variables import variable_names
from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
    from jounce.simulation.options import Options
    from jounce.system.system import System


def new_shooting(
    system: System,
    options: Options,
    parameters: dict[str, float],
    period: float,
    hold: tuple[str, ...] = (),
    closes: Mapping[str, Any] | None = None,
) -> Shooting:
    """The problem of an orbit of about this period at given parameters, its nodes not yet placed."""
    p = system.parameters(**parameters)
    forcing = forcing_period(system, p)
    multiple = 0 if forcing is None else max(1, round(period / forcing))
    every = dict(zip(system.parameter_names, p.tolist(), strict=True))
    names = variable_names(system)
    unknown = [name for name in hold if name not in names]
    if unknown:
        raise OptionError(f"hold: no variable {unknown[0]!r}; {suggestion(unknown[0], names, 'variables')}")
    held = tuple(names.index(name) for name in hold)
    symmetry = with_closes(system, closes or {}, p)
    return Shooting(system, options, every, symmetry, multiple, np.ones(system.width), held=held, usual=period)


def shooting_of(
    orbit: PeriodicOrbit, *, period: float | None = None, parameters: dict[str, float] | None = None
) -> Shooting:
    """The problem of which an orbit is a solution, perhaps with another period or at other parameters."""
    values = orbit.parameters if parameters is None else parameters
    span = orbit.period if period is None else period
    problem = new_shooting(orbit.system, orbit.options, values, span, orbit.hold, orbit.closes)
    return replace(problem, remembered=orbit.remembered)

"""Where a branch began: its orbits shrink to a point (Hopf) or halve their period (period doubling).

Beyond, the same orbits come again from their other side: a walk must end there instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.solution.closing import check_run, forcing_period, motion
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import newton
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, extent, orbit_from
from jounce.analysis.orbits.solution.problems import shooting_of
from jounce.analysis.orbits.solution.shooting import variable_ranges
from jounce.analysis.variables import variables_at, with_variables
from jounce.errors import SimulationError
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.branch import Branch
    from jounce.analysis.orbits.continuation.place import OrbitPlace

#: An orbit smaller than this, relative to where it lies, has shrunk to an equilibrium.
VANISHED = 1e-3
#: Halves of an orbit that differ by less, in ranges of its variables, are the same.
ALIKE = 1e-8
_SECANTS = 15
#: Of the largest value of a test function on the way: below this it may be rounding.
_ROUNDING = 1e-8
#: Changes of the parameter, relative to its extent: of the first secant at least, and where secants have settled.
_FIRST_SECANT, SETTLED = 1e-5, 1e-13


def vanished(here: OrbitPlace, parameter: str) -> str:
    """The reason to end, if an autonomous orbit is about to be a point."""
    if here.equations.multiple:
        return ""
    return _hopf(here, parameter) if extent(here.solution) < VANISHED else ""


def shrunk(best: OrbitPlace, here: OrbitPlace, parameter: str) -> str:
    """The reason to end, if what looks like a fold is an orbit that has shrunk to a point."""
    if best.equations.multiple:
        return ""
    if (variable_ranges(best.solution.run) < 0.3 * variable_ranges(here.solution.run)).all():
        return _hopf(best, parameter)
    return ""


def _hopf(place: OrbitPlace, parameter: str) -> str:
    return f"the orbit shrinks onto an equilibrium at {parameter} = {place.value:.9g}: a Hopf bifurcation"


def halved(here: OrbitPlace, there: OrbitPlace) -> bool:
    """Whether between two places the orbit becomes one of half its period.

    The difference of its two halves, d = z(t + T/2) - z(t), changes its sign there; or it vanishes, where a step has
    left the branch for the orbit of half the period, run through twice.
    """
    before, after = _halves(here.solution), _halves(there.solution)
    a, b = float(np.linalg.norm(before)), float(np.linalg.norm(after))
    if a > ALIKE > b:
        return True
    return bool(before @ after < -0.5 * a * b and max(a, b) <= 0.5)


def period_doubling(here: OrbitPlace, there: OrbitPlace, branch: Branch) -> PeriodicOrbit:
    """The orbit of half the period at its flip, run through twice: where a branch that was halved began.

    The mean of the two halves is a guess of that orbit; the zero of its prod (1 + mu) is found by secants. They end
    where they have settled, or where what is left of it does not fall any more: it is known to its rounding only.
    """
    near, far = sorted((here, there), key=lambda place: float(np.linalg.norm(_halves(place.solution))))
    single = _mean_of_halves(near.solution)
    values, tests = [near.value], [_flip_test(single)]
    least = _FIRST_SECANT * branch.extent
    values.append(far.value if abs(far.value - near.value) > least else near.value + least)
    best, least_test = single, abs(tests[0])
    for _ in range(_SECANTS):
        single = _at_value(single, branch.parameter, values[-1])
        tests.append(_flip_test(single))
        falls = abs(tests[-1]) < 0.5 * least_test
        if not falls and least_test <= _ROUNDING * max(map(abs, tests)):
            return _twice(best)
        if abs(tests[-1]) < least_test:
            best, least_test = single, abs(tests[-1])
        slope = (tests[-1] - tests[-2]) / (values[-1] - values[-2])
        step = -tests[-1] / slope if slope else 0.0
        if abs(step) < SETTLED * branch.extent:
            return _twice(single)
        values.append(values[-1] + step)
    raise SimulationError("the period doubling was not found")


def _flip_test(orbit: PeriodicOrbit) -> float:
    return float(np.prod(1.0 + orbit.nontrivial).real)


def _mean_of_halves(orbit: PeriodicOrbit) -> PeriodicOrbit:
    """Newton's method for an orbit of half the period, from the mean of the halves."""
    run, half = orbit.run, orbit.period / 2
    first, second = variables_at(run, [run.t_start, run.t_start + half], "right", orbit.remembered)
    z = first + orbit.closed(second - first) / 2
    start = with_variables(orbit.system, run.t_start, z, orbit.state.memory, orbit.remembered)
    return _solved(orbit, start, half, orbit.parameters)


def _at_value(orbit: PeriodicOrbit, parameter: str, value: float) -> PeriodicOrbit:
    parameters = {**orbit.parameters, parameter: value}
    start = orbit.state
    if orbit.forcing_periods:  # the same phase of a forcing whose period may depend on the parameter
        period = forcing_period(orbit.system, orbit.system.parameters(**parameters))
        assert period is not None  # it was forced a moment ago
        scale = orbit.forcing_periods * period / orbit.period
        return _solved(orbit, start.replace(t=start.t * scale), orbit.period * scale, parameters)
    return _solved(orbit, start, orbit.period, parameters)


def _solved(orbit: PeriodicOrbit, start: State, period: float, parameters: dict[str, float]) -> PeriodicOrbit:
    problem = shooting_of(orbit, period=period, parameters=parameters)
    run = check_run(motion(orbit.system, start, period, orbit.options, parameters), "the orbit of half the period")
    problem, unknowns = problem.placed(run, 1)
    return orbit_from(problem, *newton(problem, unknowns))


def _twice(orbit: PeriodicOrbit) -> PeriodicOrbit:
    """The same motion as an orbit of twice the period."""
    problem = shooting_of(orbit, period=2.0 * orbit.period)
    run = motion(orbit.system, orbit.state, 2.0 * orbit.period, orbit.options, orbit.parameters)
    problem, unknowns = problem.placed(run, 1)
    return orbit_from(problem, unknowns, problem.evaluate(unknowns))


def _halves(orbit: PeriodicOrbit) -> Floats:
    """By how much the second half of an orbit differs from the first, in ranges of the variables."""
    if orbit.forcing_periods % 2:
        return np.zeros(orbit.system.width + len(orbit.remembered))
    run = orbit.run
    first, second = variables_at(run, [run.t_start, run.t_start + orbit.period / 2], "right", orbit.remembered)
    return orbit.closed(second - first) / variable_ranges(run, orbit.remembered)

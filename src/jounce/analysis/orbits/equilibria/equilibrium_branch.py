"""continue_equilibrium: a branch of equilibria in one mode, with Hopf bifurcations, limit points and its boundaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.bifurcations.crossings import Stretch, Zero, crossings
from jounce.analysis.orbits.bifurcations.entries import entry
from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS, equilibrium_tests
from jounce.analysis.orbits.bifurcations.touching import vanishing_point
from jounce.analysis.orbits.continuation.arclength import correct
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint, check_request
from jounce.analysis.orbits.continuation.place import Place, Stability
from jounce.analysis.orbits.continuation.problem import Freedom, Pace, Problem
from jounce.analysis.orbits.continuation.walk import Progress, Walk, follow
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium
from jounce.analysis.orbits.equilibria.rest_equations import RestEquations, rest_equations
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.errors import OptionError, SimulationError

if TYPE_CHECKING:
    RestPlace = Place[RestEquations, Equilibrium]

#: A zero is known to this part of the parameter's extent at best.
_ACCURACY = 1e-12
#: A margin that does not fall to this part of its values nearby has a pole: the contact problem is singular.
_VANISHES = 1e-3
#: Places of one equilibrium, found from two sides, agree to this part of the sizes of its variables.
_SAME = 1e-6
#: Steps towards a margin's zero from its own side, and how much of the way that is left each takes.
_APPROACHES, _NEARLY = 40, 0.99
#: Distances at which a crossing branch is looked for, in the metric of the branch.
_DISTANCES = (0.3, 0.1, 1.0, 0.03)


def continue_equilibrium(
    equilibrium: Equilibrium,
    parameter: str,
    bounds: tuple[float, float],
    *,
    step: float | None = None,
    direction: str = "both",
    max_points: int = 1000,
    progress: Progress | None = None,
) -> Branch:
    """Follow an equilibrium in a parameter: Hopf and limit points, and where its mode stops being consistent.

    The arguments are those of ``continue_orbit``. The branch ends where a force, a gap or a slip velocity vanishes.

    >>> wiper = jounce.compile_model(jounce.systems.wiper())
    >>> rest = jounce.find_equilibrium(wiper, "tip:SLIP+", mu=0.3)
    >>> round(jounce.continue_equilibrium(rest, "mu", (0.2, 0.6)).find("hopf")[0].parameter, 4)
    0.4098
    """
    if not isinstance(equilibrium, Equilibrium):
        kind = type(equilibrium).__name__
        other = "; an orbit is followed with continue_orbit" if kind == "PeriodicOrbit" else ""
        raise OptionError(f"continue_equilibrium follows an Equilibrium, as find_equilibrium gives, not {kind}{other}")
    bounds = check_request(equilibrium, parameter, bounds, step, direction, max_points, progress)
    branch = Branch.begun(parameter, bounds, "equilibrium", step, direction, max_points)
    follow(branch, lambda: EquilibriumProblem(equilibrium, branch), progress)
    return branch


class EquilibriumProblem(Problem):
    """An equilibrium in one parameter, its mode given."""

    pace, turn, spectrum = Pace(smallest=1e-6), "limit_point", "eigenvalues"

    def __init__(self, equilibrium: Equilibrium, branch: Branch) -> None:
        super().__init__((Freedom(branch.parameter, *branch.bounds, branch.settings["step"]),))
        self.equilibrium, self.branch = equilibrium, branch
        self.accuracy = _ACCURACY * branch.extent

    def begin(self, walk: Walk) -> RestPlace:
        """The given equilibrium."""
        equations, unknowns, walk.metric = rest_equations(self.equilibrium, self.branch)
        ahead = walk.axis(unknowns) * walk.sign
        return walk.start(walk.place(equations, unknowns, equations.evaluate(unknowns), ahead))

    def place(
        self,
        walk: Walk,
        equations: RestEquations,
        unknowns: Floats,
        evaluation: Any,
        direction: Floats,
        solution: Equilibrium | None = None,
    ) -> RestPlace:
        """An equilibrium with its test functions, among them what keeps it in its mode."""
        found = equations.equilibrium(unknowns) if solution is None else solution
        tests = equilibrium_tests(found.nontrivial, evaluation, direction, walk.metric)
        return Place(equations, unknowns, evaluation, direction, found, tests | found.margins, _stability(found))

    def solution(self, equations: RestEquations, unknowns: Floats) -> Equilibrium:
        """The equilibrium of unknowns that solve the equations."""
        return equations.equilibrium(unknowns)

    def point(self, solution: Equilibrium) -> BranchPoint:
        """Where it rests."""
        z = np.concatenate([solution.state.q, solution.state.u])
        return BranchPoint(solution, z, z, z)

    def is_same(self, first: BranchPoint, there: RestPlace) -> bool:
        """Whether it rests at the same place."""
        apart = np.abs(first.section - self.point(there.solution).section)
        return bool((apart <= _SAME * first.solution.sizes).all())

    def passed(self, walk: Walk, here: RestPlace, there: RestPlace) -> str:
        """Bifurcations in order, up to where the mode stops being consistent."""
        found = [*_vanishing(walk, here, there), *crossings(walk, here, there)]
        for zero in sorted(found, key=lambda zero: zero.at):
            if zero.kind in EXPLANATIONS:
                walk.note(entry(walk, zero, here, there))
                continue
            walk.add(zero.place.solution)
            words = f"the {zero.kind} vanishes: beyond, the mode is not consistent"
            walk.note(SpecialPoint("boundary", zero.value, zero.uncertainty, zero.place.solution, words, 0))
            return f"the {zero.kind} vanishes at {self.branch.parameter} = {zero.value:.9g}"
        return ""


def _stability(equilibrium: Equilibrium) -> Stability:
    """The eigenvalues of an equilibrium, seen from the imaginary axis; distances relative to the largest one."""
    values = equilibrium.nontrivial
    neutral = int(np.sum(np.abs(values.real) <= equilibrium.width))
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    margin = float(np.min(np.abs(values.real), initial=np.inf)) / largest
    return Stability(values, equilibrium.unstable, neutral, margin, equilibrium.width)


def _vanishing(walk: Walk, here: RestPlace, there: RestPlace) -> Iterator[Zero]:
    """Where what keeps the equilibrium in its mode vanishes between two places."""
    for name in here.solution.margins:
        before, after = here.tests[name], there.tests[name]
        if before * after >= 0.0:
            continue
        stretch, accuracy = Stretch(walk, here, there), walk.problem.accuracy
        try:
            at = stretch.zero(name)
            place = stretch.place(at)
            value, width = place.value, accuracy
        except (SimulationError, RuntimeError, np.linalg.LinAlgError):
            at = _approached(stretch, name)  # a kink, as where a compliant contact opens, or a pole
            place = stretch.place(at)
            value, width = _on_own_side(stretch, name, at)
        if abs(place.tests[name]) < _VANISHES * max(abs(before), abs(after)):
            yield Zero(name, at, value, max(width, accuracy), place, place.unknowns, place.direction)


def _approached(stretch: Stretch, name: str) -> float:
    """As near to the zero of a margin as its equations are solved from the side on which it is positive.

    Beyond it they may be others: Newton's method goes to and fro over a kink.
    """
    at, margin = 0.0, float(stretch.here.tests[name])
    ahead = stretch.length / 2
    for _ in range(_APPROACHES):
        try:
            found = float(stretch.place(ahead).tests[name])
        except (SimulationError, RuntimeError, np.linalg.LinAlgError):
            found = -np.inf
        if found <= 0.0:
            ahead = (at + ahead) / 2
            continue
        slope = (found - margin) / (ahead - at) * stretch.length
        at, margin = ahead, found
        if not slope < 0.0:
            break
        ahead = at - _NEARLY * margin / slope * stretch.length
    return at


def _on_own_side(stretch: Stretch, name: str, at: float) -> tuple[float, float]:
    """The parameter at which a margin vanishes by the places where it is positive, and how surely.

    Next to a kink the equations are solved just so well that their solutions count: places further off tell more.
    """
    places = [place for length, place in stretch.known.items() if length <= at and place.tests[name] > 0.0]
    margins, values = [float(place.tests[name]) for place in places], [place.value for place in places]
    nearest = stretch.known[at].value
    found = vanishing_point(margins, values, CLOSES * max(margins))
    return (nearest, abs(nearest - stretch.here.value)) if found is None else found


def crossing_equilibrium(branch: Branch, at: Equilibrium, direction: Floats, side: float) -> Equilibrium:
    """An equilibrium on the branch that crosses at a branch point, at a small distance along its direction."""
    equations, start, metric = rest_equations(at, branch)
    unit = direction / metric.norm(direction)
    for distance in _DISTANCES:
        length = side * distance
        try:
            unknowns, _, _ = correct(
                equations, start + length * unit, start, unit, length, metric, CLOSES, 0.7 * distance
            )
        except SimulationError:
            continue
        return equations.equilibrium(unknowns)
    raise SimulationError("no equilibrium was found on the branch that crosses at this point")

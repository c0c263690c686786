"""fold_curve and flip_curve: bifurcations followed in two parameters.

To the equations of the orbit comes one that says the orbit is critical (Govaerts): with A the matrix that is singular
there (d R/d(z, T) at a fold, M + 1 at a flip) and fixed borders b, c near its null vectors, g of

    [ A   b ] [ v ]   [ 0 ]
    [ c^T 0 ] [ g ] = [ 1 ]

vanishes exactly where A is singular.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.continuation.arclength import Metric, correct
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint, check_request, check_special
from jounce.analysis.orbits.continuation.orbit_metric import orbit_metric
from jounce.analysis.orbits.continuation.place import Place
from jounce.analysis.orbits.continuation.problem import Freedom, Pace, Problem
from jounce.analysis.orbits.continuation.summary import SAME_ORBIT, is_same_orbit, orbit_stability, summarise
from jounce.analysis.orbits.continuation.walk import Walk, follow
from jounce.analysis.orbits.solution.evaluation import Evaluation
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, orbit_from
from jounce.analysis.orbits.solution.problems import shooting_of
from jounce.analysis.orbits.solution.shooting import Shooting
from jounce.errors import OptionError
from jounce.simulation.options import is_finite

if TYPE_CHECKING:
    CriticalPlace = Place["CriticalOrbit", PeriodicOrbit]

#: Step of the differences of g, in the metric, where 1 is a tenth of the orbit or a step in a parameter.
_DIFFERENCE = 1e-4

Bounds = dict[str, tuple[float, float]]


def fold_curve(special: SpecialPoint, bounds: Bounds, *, step: float = 0.02, max_points: int = 300) -> Branch:
    """The saddle-node of ``special`` in two parameters, named in ``bounds`` with their ranges.

    step   the largest step, as a fraction of the ranges

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (1.0, 3.0))
    >>> curve = jounce.fold_curve(branch.find("fold")[0], {"omega": (1.0, 1.5), "e": (0.85, 0.95)}, max_points=3)
    >>> curve.kind
    'orbit'
    """
    return _follow(special, "fold", bounds, step, max_points)


def flip_curve(special: SpecialPoint, bounds: Bounds, *, step: float = 0.02, max_points: int = 300) -> Branch:
    """The period doubling of ``special`` in two parameters, named in ``bounds`` with their ranges.

    step   the largest step, as a fraction of the ranges

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1)
    >>> doubling = branch.find("period_doubling")[0]
    >>> curve = jounce.flip_curve(doubling, {"omega": (2.5, 3.5), "e": (0.85, 0.95)}, max_points=3)
    >>> curve.kind
    'orbit'
    """
    return _follow(special, "period_doubling", bounds, step, max_points)


@dataclass(frozen=True, eq=False)
class _CriticalEvaluation:
    residual: Floats
    jacobian: Floats
    expand: Floats
    closure: float
    orbit: Evaluation


@dataclass(frozen=True, eq=False)
class CriticalOrbit:
    """The equations of an orbit at a fold or a flip, two parameters free."""

    shooting: Shooting
    kind: str
    metric: Metric
    left: Floats
    right: Floats

    def matrix(self, evaluation: Evaluation) -> Floats:
        """What is singular."""
        if self.kind == "fold":
            return evaluation.jacobian[:, :-2]
        basis, sizes = evaluation.bases[0], evaluation.sizes
        return basis.T @ (evaluation.monodromy * sizes / sizes[:, None]) @ basis + np.eye(basis.shape[1])

    def value(self, evaluation: Evaluation) -> float:
        """g of the bordered system."""
        A = self.matrix(evaluation)
        size = len(A)
        bordered = np.zeros((size + 1, size + 1))
        bordered[:size, :size], bordered[:size, size], bordered[size, :size] = A, self.left, self.right
        return float(np.linalg.solve(bordered, np.append(np.zeros(size), 1.0))[-1])

    def with_borders(self, evaluation: Evaluation) -> CriticalOrbit:
        """Borders anew from the null vectors here."""
        left, _, right = np.linalg.svd(self.matrix(evaluation))
        return replace(self, left=left[:, -1], right=right[-1])

    def evaluate(self, guess: Floats) -> _CriticalEvaluation:
        """Residuals and Jacobian; the gradient of g by central differences."""
        here = self.shooting.evaluate(guess)
        gradient = np.zeros(here.expand.shape[1])
        for k, column in enumerate(here.expand.T):
            h = _DIFFERENCE / self.metric.norm(column)
            sides = []
            for side in (1.0, -1.0):
                moved = self.shooting.projected(guess + side * h * column)
                sides.append(self.value(self.shooting.evaluate(moved)))
            gradient[k] = (sides[0] - sides[1]) / (2 * h)
        critical = self.value(here)
        return _CriticalEvaluation(
            np.append(here.residual, critical),
            np.vstack([here.jacobian, gradient]),
            here.expand,
            max(here.closure, abs(critical)),
            here,
        )

    def projected(self, guess: Floats) -> Floats:
        """Nodes onto their constraints."""
        return self.shooting.projected(guess)


def _follow(special: SpecialPoint, kind: str, bounds: Bounds, step: float, max_points: int) -> Branch:
    check_special(special, (kind,), f"the curve of a {kind} begins at one")
    orbit: PeriodicOrbit = special.solution
    if not isinstance(bounds, dict) or len(bounds) != 2:
        raise OptionError(f"bounds are {bounds!r}; a curve needs two parameters, like {{'omega': (2, 4), 'e': (0, 1)}}")
    bounds = {name: check_request(orbit, name, pair, None, "both", max_points) for name, pair in bounds.items()}
    if not (is_finite(step) and 0.0 < step <= 1.0):
        raise OptionError(f"step is {step!r}; it must be a fraction of the ranges, in (0, 1]")
    first, second = bounds
    branch = Branch.begun(first, bounds[first], "orbit", step, "both", max_points)
    branch.settings |= {"curve": kind, "also": [second]}
    free = tuple(Freedom(name, low, high, step * (high - low)) for name, (low, high) in bounds.items())
    follow(branch, lambda: CriticalProblem(orbit, kind, free), None)
    return branch


class CriticalProblem(Problem):
    """An orbit at a fold or a flip in two parameters; nothing is looked for along the curve."""

    pace = Pace(first=0.5, smallest=1e-4, growth=1.5)

    def __init__(self, orbit: PeriodicOrbit, kind: str, free: tuple[Freedom, ...]) -> None:
        super().__init__(free)
        self.orbit, self.kind = orbit, kind

    def begin(self, walk: Walk) -> CriticalPlace:
        """The given orbit."""
        orbit, names = self.orbit, tuple(parameter.name for parameter in self.free)
        extents = tuple(max(abs(parameter.low), abs(parameter.high)) for parameter in self.free)
        shooting = replace(shooting_of(orbit), free=names, extents=extents)
        shooting, unknowns = shooting.placed(orbit.run, orbit.nodes)
        walk.metric = orbit_metric(orbit, shooting, self.free)
        equations = CriticalOrbit(shooting, self.kind, walk.metric, np.zeros(0), np.zeros(0))
        equations = equations.with_borders(shooting.evaluate(unknowns))
        axis = walk.axis(unknowns)
        unknowns, evaluation, _ = correct(equations, unknowns, unknowns, axis, 0.0, walk.metric, CLOSES)
        return walk.start(walk.place(equations, unknowns, evaluation, axis * walk.sign))

    def place(
        self,
        walk: Walk,
        equations: CriticalOrbit,
        unknowns: Floats,
        evaluation: _CriticalEvaluation,
        direction: Floats,
        solution: PeriodicOrbit | None = None,
    ) -> CriticalPlace:
        """The orbit; from here on with borders that are the null vectors here."""
        orbit = orbit_from(equations.shooting, unknowns, evaluation.orbit) if solution is None else solution
        ahead = equations.with_borders(evaluation.orbit)
        return Place(ahead, unknowns, evaluation, direction, orbit, {}, orbit_stability(orbit))

    def solution(self, equations: CriticalOrbit, unknowns: Floats) -> PeriodicOrbit:
        """The orbit of unknowns that solve the equations."""
        return orbit_from(equations.shooting, unknowns, equations.shooting.evaluate(unknowns))

    def point(self, solution: PeriodicOrbit) -> BranchPoint:
        """Extremes and the state at the section."""
        return summarise(solution)

    def is_same(self, first: BranchPoint, there: CriticalPlace) -> bool:
        """Whether the other parameter and the states at the section agree."""
        other = self.free[0]
        apart = abs(first.solution.parameters[other.name] - there.solution.parameters[other.name])
        return apart < SAME_ORBIT * other.span and is_same_orbit(first, there.solution)

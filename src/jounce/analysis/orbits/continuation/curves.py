"""fold_curve and flip_curve: bifurcations followed in two parameters.

To the equations of the orbit comes one that says the orbit is critical (Govaerts): with A the matrix that is singular
there (d R/d(z, T) at a fold, M + 1 at a flip) and fixed borders b, c near its null vectors, g of

    [ A   b ] [ v ]   [ 0 ]
    [ c^T 0 ] [ g ] = [ 1 ]

vanishes exactly where A is singular.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jounce.analysis.orbits.continuation.arclength import Metric, correct, stray, tangent
from jounce.analysis.orbits.continuation.branch import Branch, SpecialPoint, check_request, check_special
from jounce.analysis.orbits.continuation.summary import summarise
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.periodic_orbit import CLOSES, PeriodicOrbit, orbit_from
from jounce.analysis.orbits.solution.shooting import Evaluation, Shooting, shooting_of, variable_ranges
from jounce.errors import Interrupted, OptionError, SimulationError

#: Step of the differences of g, in the metric, where 1 is a tenth of the orbit or a step in a parameter.
_DIFFERENCE = 1e-4
_SMALLEST_STEP = 1e-4

Bounds = dict[str, tuple[float, float]]


def fold_curve(special: SpecialPoint, bounds: Bounds, *, step: float = 0.02, max_points: int = 300) -> Branch:
    """The saddle-node of ``special`` in two parameters, named in ``bounds`` with their ranges.

    step   the largest step, as a fraction of the ranges
    """
    return _follow(special, "fold", bounds, step, max_points)


def flip_curve(special: SpecialPoint, bounds: Bounds, *, step: float = 0.02, max_points: int = 300) -> Branch:
    """The period doubling of ``special`` in two parameters, named in ``bounds`` with their ranges.

    step   the largest step, as a fraction of the ranges
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
    if not 0.0 < step <= 1.0:
        raise OptionError(f"step is {step!r}; it must be a fraction of the ranges, in (0, 1]")
    first, second = bounds
    branch = Branch(first, bounds[first], "orbit", ends=("not followed", "not followed"))
    branch.settings = {"curve": kind, "also": [second], "step": step}
    try:
        for sign in (-1.0, 1.0):
            _walk(branch, orbit, kind, bounds, step, max_points, sign)
    except KeyboardInterrupt:
        branch.ends = ("interrupted", "interrupted")
        raise Interrupted("the curve was interrupted", branch) from None
    return branch


def _walk(
    branch: Branch, orbit: PeriodicOrbit, kind: str, bounds: Bounds, step: float, max_points: int, sign: float
) -> None:
    """One direction along the curve; the points of the other are in front or behind."""
    shooting, guess = _two_parameters(orbit, bounds).placed(orbit.run, orbit.nodes)
    spans = np.array([step * (high - low) for low, high in bounds.values()])
    metric = _metric(orbit, shooting, spans)
    problem = CriticalOrbit(shooting, kind, metric, np.zeros(0), np.zeros(0)).with_borders(shooting.evaluate(guess))
    fixed = np.zeros_like(guess)
    fixed[-1] = spans[-1]
    guess, evaluation, _ = correct(problem, guess, guess, fixed, 0.0, metric, CLOSES)
    direction = tangent(evaluation, metric) * 1.0
    direction *= sign * np.sign(direction[-1] or 1.0)
    found, size, reason = [orbit_from(problem.shooting, guess, evaluation.orbit)], 0.5, ""
    while not reason and len(found) < max_points:
        try:
            new, evaluation, iterations = correct(
                problem, guess + size * direction, guess, direction, size, metric, CLOSES, stray(size)
            )
            here = orbit_from(problem.shooting, new, evaluation.orbit)
        except SimulationError:
            size /= 2.0
            reason = "Newton's method no longer converges" if size < _SMALLEST_STEP else ""
            continue
        if here.signature != found[-1].signature:
            size /= 2.0
            reason = "the signature changes" if size < _SMALLEST_STEP else ""
            continue
        inside = all(low <= here.parameters[name] <= high for name, (low, high) in bounds.items())
        if not inside:
            reason = "a parameter reaches its bound"
            break
        ahead = tangent(evaluation, metric)
        direction = ahead * np.sign(metric.inner(ahead, direction) or 1.0)
        guess, problem = new, problem.with_borders(evaluation.orbit)
        found.append(here)
        size = min(1.0, 1.5 * size) if iterations <= 4 else size
    _join(branch, found, sign, reason or f"max_points = {max_points} reached")


def _two_parameters(orbit: PeriodicOrbit, bounds: Bounds) -> Shooting:
    extents = tuple(max(abs(low), abs(high)) for low, high in bounds.values())
    return replace(shooting_of(orbit), free=tuple(bounds), extents=extents)


def _join(branch: Branch, found: list[PeriodicOrbit], sign: float, reason: str) -> None:
    points = [replace(summarise(orbit), solution=replace(orbit)) for orbit in found]
    first, last = branch.ends
    if sign < 0.0:
        branch.points, branch.ends = points[::-1], (reason, last)
    else:
        branch.points += points[1:] if branch.points else points
        branch.ends = (first, reason)


def _metric(orbit: PeriodicOrbit, shooting: Shooting, spans: Floats) -> Metric:
    range_of = variable_ranges(orbit.run)
    count = len(shooting.fractions)
    state = np.tile(10.0 / range_of / np.sqrt(count * len(range_of)), count)
    period = [10.0 / orbit.period] if shooting.multiple == 0 else []
    return Metric(np.concatenate([state, period, 1.0 / spans]))

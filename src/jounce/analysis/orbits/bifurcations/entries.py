"""The entry in a branch's list for a zero of a test function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jounce.analysis.orbits.bifurcations.branch_points import kind_of
from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS
from jounce.analysis.orbits.continuation.branch import SpecialPoint
from jounce.analysis.orbits.solution.newton import CLOSES

if TYPE_CHECKING:
    from jounce.analysis.orbits.bifurcations.crossings import Zero
    from jounce.analysis.orbits.continuation.place import Place
    from jounce.analysis.orbits.continuation.walk import Walk


def entry(walk: Walk, zero: Zero, here: Place[Any, Any], there: Place[Any, Any]) -> SpecialPoint:
    """The special point of a zero between two places; the branch says at which index, as it is kept."""
    problem, spread = walk.problem, max(zero.uncertainty, walk.problem.accuracy)
    if zero.kind == "branch_point":
        turns = here.tests[problem.turn] * there.tests[problem.turn] < 0.0
        equations = zero.place.equations
        kind = kind_of(walk, equations, zero, walk.branch.parameter, CLOSES, turns)
        solution = problem.solution(equations, zero.unknowns)
        return SpecialPoint(kind.name, zero.value, spread, solution, kind.words, 0, direction=kind.direction)
    words = EXPLANATIONS[zero.kind][1]
    if zero.kind == "stability_change":
        words = _unexplained(walk, here, there)
    return SpecialPoint(zero.kind, zero.value, spread, zero.place.solution, words, 0)


def _unexplained(walk: Walk, here: Place[Any, Any], there: Place[Any, Any]) -> str:
    """What is known of a change of stability that no test function explains."""
    before, after = here.stability, there.stability
    words = (
        f"between {walk.branch.parameter} = {here.value:.9g} and {there.value:.9g} the number of unstable "
        f"{walk.problem.spectrum} changes from {before.unstable} to {after.unstable}, and what happens could not be "
        "resolved"
    )
    if not (before.trusted and after.trusted):
        return f"{words}: at some events the motion has no derivative, so that multipliers are not to be trusted"
    return f"{words}; look there with a smaller step"

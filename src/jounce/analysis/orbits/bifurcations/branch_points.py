"""What a branch point is: at a small distance on either side, the parameter of the branch that crosses says.

With s(d) the parameter on the other branch at the distance d along the critical direction, less that of the point,

    s(d) = a d + b d^2 + ...

a = 0 is a pitchfork, as a rule because a symmetry is broken and both sides are images of each other; a != 0 is a
transcritical point, where two branches pass through one another and exchange their stability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.analysis.orbits.bifurcations.crossings import Curve, Zero
from jounce.analysis.orbits.continuation.arclength import column_lengths, correct
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.errors import SimulationError

#: Distances at which the other branch is looked for, in the metric of the branch.
_DISTANCES = (0.3, 0.1, 0.03, 0.01)
#: Odd and even parts of s(d) differ at least by this factor where one of them decides.
_DECIDES = 5.0


@dataclass(frozen=True, eq=False)
class Kind:
    """The name of a branch point, what happens there, and the direction of the branch that crosses."""

    name: str
    words: str
    direction: Floats


def kind_of(curve: Curve, problem: Any, zero: Zero, parameter: str, accept: float, turns: bool) -> Kind:
    """Name a branch point; ``turns``: the parameter turns there, so that the branch followed is the one that forks."""
    singular = _Singular(curve, problem, zero, accept)
    if turns:
        words = "pitchfork: the branch begins here, at a branch that crosses it, and goes on as its own image"
        return Kind("pitchfork", words, singular.across)
    for distance in _DISTANCES:
        found = [singular.crossing(side * distance) for side in (1.0, -1.0)]
        if found[0] is None or found[1] is None:
            continue
        ahead, behind = (float(unknowns[-1] - zero.value) for unknowns in found if unknowns is not None)
        direction = found[0] - found[1]
        odd, even = abs(ahead - behind) / 2, abs(ahead + behind) / 2
        if max(odd, even) < 10.0 * zero.uncertainty:
            continue
        if even > _DECIDES * odd:
            way = "above" if ahead > 0.0 else "below"
            words = f"pitchfork: two more branches begin, {way} this {parameter}; a symmetry is broken as a rule"
            return Kind("pitchfork", words, direction)
        if odd > _DECIDES * even:
            words = "transcritical: another branch passes through and takes over the stability"
            return Kind("transcritical", words, direction)
    words = "branch point: the equations are singular and the parameter does not turn; the other branch was not found"
    return Kind("branch_point", words, singular.across)


class _Singular:
    """The equations at a branch point.

    along    the direction of the branch that is followed, of unit length in the metric
    across   the other direction in which they are singular, orthogonal to it
    left     the combination of them that vanishes along both to first order

    To second order left . F(Y + d across + a along) = d (A d/2 + B a): the branch that crosses is where it vanishes.
    """

    def __init__(self, curve: Curve, problem: Any, zero: Zero, accept: float) -> None:
        self.curve, self.problem, self.zero, self.accept = curve, problem, zero, accept
        evaluation = problem.evaluate(problem.projected(zero.unknowns))
        metric = curve.metric
        scale = column_lengths(evaluation, metric)
        left, _, right = np.linalg.svd(evaluation.jacobian / scale)
        self.left = evaluation.lifted(left[:, -1])
        self.along = zero.along
        candidates = []
        for vector in right[-2:] / scale:
            direction = evaluation.expand @ vector
            candidates.append(direction - metric.inner(direction, self.along) * self.along)
        best = max(candidates, key=metric.norm)
        self.across: Floats = best / metric.norm(best)

    def crossing(self, distance: float) -> Floats | None:
        """The unknowns on the branch that crosses, at a distance across; None where it is not met."""
        start, metric = self.zero.unknowns, self.curve.metric
        try:
            level, other = (self._bifurcation(distance, a) for a in (0.0, distance))
            if level == other:
                return None
            step = distance * self.across + distance * level / (level - other) * self.along
            length = metric.norm(step)
            unknowns, _, _ = correct(
                self.problem, start + step, start, step / length, length, metric, self.accept, 0.5 * length
            )
        except SimulationError:
            return None
        return unknowns

    def _bifurcation(self, distance: float, along: float) -> float:
        guess = self.problem.projected(self.zero.unknowns + distance * self.across + along * self.along)
        return float(self.left @ self.problem.evaluate(guess).full)

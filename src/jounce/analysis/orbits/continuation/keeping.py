"""Points and bifurcations into a branch, which is one curve from end to end: upwards behind it, downwards in front."""

from __future__ import annotations

from dataclasses import replace

from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint

#: Two bifurcations of a kind whose parameters and periods agree to this are the same.
SAME = 1e-8


def keep_point(branch: Branch, sign: int, point: BranchPoint) -> None:
    """One more point of a walk in the direction ``sign``."""
    if sign > 0:
        branch.points.append(point)
        return
    branch.points.insert(0, point)
    branch.specials[:] = [replace(special, index=special.index + 1) for special in branch.specials]


def keep_special(branch: Branch, sign: int, special: SpecialPoint) -> None:
    """A bifurcation between the last point of the walk and the next."""
    place, index = (len(branch.specials), len(branch.points)) if sign > 0 else (0, 0)
    branch.specials.insert(place, replace(special, index=index))


def is_known(branch: Branch, special: SpecialPoint) -> bool:
    """Whether the same was met before: a walk that has turned round goes over what is there."""
    # by where it is, not by its name: what is lost on the way there is gained on the way back
    value, period = special.parameter, special.solution.period
    return any(
        abs(other.parameter - value) < SAME * branch.extent and abs(other.solution.period - period) < SAME * period
        for other in branch.specials
    )


def roll_back(branch: Branch, sign: int, kept: tuple[int, int]) -> None:
    """Take away what a step that was interrupted had already added."""
    points, specials = max(0, len(branch.points) - kept[0]), max(0, len(branch.specials) - kept[1])
    if sign > 0:
        del branch.points[kept[0] :], branch.specials[kept[1] :]
        return
    del branch.points[:points], branch.specials[:specials]
    branch.specials[:] = [replace(special, index=special.index - points) for special in branch.specials]

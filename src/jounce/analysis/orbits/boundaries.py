"""Where the signature of an orbit changes: located from the side on which it holds, named, and crossed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.arclength import correct, extrapolate, stray
from jounce.analysis.orbits.branch import SpecialPoint
from jounce.analysis.orbits.mode_surface import Floats, model_values
from jounce.analysis.orbits.periodic_orbit import CLOSES
from jounce.analysis.orbits.signature import Change, Signature, event_times, explain_change, signature_of
from jounce.errors import SimulationError
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation import Place, Walk
    from jounce.analysis.orbits.shooting import Shooting

#: The interval to which a change of signature is confined: relative in the parameter, in steps along the branch.
_PARAMETER, _LENGTH = 1e-11, 1e-8
#: How far beyond the edge, in steps, the motion is looked at, and an orbit sought.
_PROBES = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2)
_LEAPS = (1e-5, 1e-4, 1e-3, 1e-2, 5e-2)


@dataclass(frozen=True, eq=False)
class Edge:
    """The last place with the old signature, and what the motion does beyond."""

    here: Place
    place: Place
    length: float
    width: float
    lengths: list[float]
    points: list[Floats]
    change: Change
    after: Signature

    def ahead(self, length: float) -> Floats:
        """The old branch, extrapolated beyond the edge (or, negative, before it)."""
        if len(self.points) > 1 and abs(length) < 1e-2:
            return extrapolate(self.lengths, self.points, self.length + length)
        return self.place.unknowns + length * self.here.direction

    def special(self, place: Place, index: int) -> SpecialPoint:
        """The entry in the branch's list."""
        return SpecialPoint(
            self.change.name, place.value, self.width, place.orbit, self.change.explanation, index, after=self.after
        )


def signature_at(problem: Shooting, guess: Floats) -> Signature | None:
    """The signature of the motion over one period from a guess; None where it cannot be followed."""
    try:
        return signature_of(problem.follow(problem.projected(guess)))
    except SimulationError:
        return None


def locate(walk: Walk, here: Place, length: float) -> Edge | None:
    """Confine the change of signature between ``here`` and ``length`` ahead by bisection.

    Points with the old signature accumulate at the edge, so the polynomial through the last three predicts the next so
    well that Newton's method stays on the side on which the orbit exists.
    """
    old = here.orbit.signature
    lengths, points, last = [0.0], [here.unknowns], here
    good, bad = 0.0, length
    for _ in range(70):
        if bad - good < _LENGTH and abs(here.direction[-1]) * (bad - good) < _PARAMETER * (1.0 + abs(here.value)):
            break
        middle = (good + bad) / 2
        guess = extrapolate(lengths, points, middle) if len(points) > 1 else here.unknowns + middle * here.direction
        found = _solution(walk, here, guess, middle)
        if found is not None and found.orbit.signature == old:
            good, last = middle, found
            lengths.append(middle)
            points.append(found.unknowns)
        else:
            bad = middle
    ahead = [
        extrapolate(lengths, points, good + probe) if len(points) > 1 else here.unknowns + probe * here.direction
        for probe in _PROBES
    ]
    for guess in ahead:
        after = signature_at(here.problem, guess)
        if after is not None and after != old:
            width = abs(extrapolate(lengths, points, bad)[-1] - last.value) / 2 if len(points) > 1 else bad - good
            change = _named(last, explain_change(old, after))
            return Edge(here, last, good, max(width, 1e-16), lengths, points, change, after)
    return None


def _named(last: Place, change: Change) -> Change:
    """A flight that touches at the edge is a grazing, whatever the impact that begins there leads to."""
    touched = [name for name in last.orbit.system.contact_names if _touches(last, name)]
    if not touched or change.name not in ("chatter_onset", "grazing", "loss_of_flight"):
        return change
    detail = change.explanation.partition(" (")[2].rstrip(")")
    words = f"the flight of {' and '.join(touched)} touches the surface: a grazing"
    return Change("grazing", f"{words} (beyond: {detail})")


def _touches(last: Place, contact: str) -> bool:
    """Whether the gap of a contact has a minimum of zero inside a flight, to a millionth of its greatest value."""
    run, system = last.orbit.run, last.orbit.system
    index, n = system.contact_names.index(contact), system.n
    p = system.parameters(**last.orbit.parameters)
    events = event_times(run)
    for begin, end, mode in run.mode_intervals(contact):
        inside = events[(events > begin) & (events < end)]
        for a, b in zip([begin, *inside], [*inside, end], strict=True):
            if mode != Mode.OPEN or b - a < 1e-9:
                continue
            times = np.linspace(a, b, 400)[1:-1]
            gaps = np.array([
                model_values(system, p, "contacts", system.nc * (5 + 2 * n), t, z[:n], z[n:])[index * (5 + 2 * n)]
                for t, z in zip(times, run.states(times), strict=True)
            ])  # fmt: skip
            for k in np.flatnonzero((gaps[1:-1] < gaps[:-2]) & (gaps[1:-1] <= gaps[2:])) + 1:
                below, here, above = gaps[k - 1 : k + 2]
                least = here - (above - below) ** 2 / (8.0 * (above - 2.0 * here + below))  # of the parabola
                if least < 1e-6 * gaps.max():
                    return True
    return False


def _solution(walk: Walk, here: Place, guess: Floats, length: float) -> Place | None:
    try:
        unknowns, evaluation, _ = correct(
            here.problem, guess, here.unknowns, here.direction, length, walk.metric, CLOSES, stray(length)
        )
    except SimulationError:
        return None
    return walk._place(here.problem, unknowns, evaluation, here.direction)


def beyond(walk: Walk, edge: Edge) -> Place | None:
    """An orbit with another signature next to the edge.

    The state goes on in its direction; the parameter does too, or, at a fold that is not smooth, turns back.
    """
    for leap in _LEAPS:
        onwards = edge.ahead(leap)
        turned = onwards.copy()
        turned[-1] = 2.0 * edge.place.unknowns[-1] - onwards[-1]
        for guess in (onwards, turned, *_settled(edge, onwards), *_settled(edge, turned)):
            found = _other(walk, edge, guess, leap)
            if found is not None and _emanates(walk, edge, found, leap):
                return found
    return None


def _other(walk: Walk, edge: Edge, guess: Floats, leap: float) -> Place | None:
    """Newton's method from a guess, in the hyperplane or at fixed parameter; None unless new and near."""
    here, start = edge.here, edge.place.unknowns
    axis = np.zeros_like(guess)
    axis[-1] = walk.largest
    reach = 4.0 * np.sqrt(leap)
    for direction in (here.direction, axis):
        try:
            length = walk.metric.inner(direction, guess - start)
            unknowns, evaluation, _ = correct(here.problem, guess, start, direction, length, walk.metric, CLOSES, reach)
        except SimulationError:
            continue
        if walk.metric.norm(unknowns - start) > reach:
            continue
        place = walk._place(here.problem, unknowns, evaluation, unknowns - start)
        if place.orbit.signature != here.orbit.signature:
            return place
    return None


def _emanates(walk: Walk, edge: Edge, found: Place, leap: float) -> bool:
    """Whether the orbit found comes from the edge: nearer to the edge there is one nearer to it.

    Distances fall like the square root of the leap at a grazing, else in proportion: to a half at a sixteenth, or less.
    """
    start = edge.place.unknowns
    closer = _other(walk, edge, start + (found.unknowns - start) / 16.0, leap)
    if closer is None:
        closer = _other(walk, edge, start + (found.unknowns - start) / 4.0, leap)
    if closer is None or closer.orbit.signature != found.orbit.signature:
        return False
    return walk.metric.norm(closer.unknowns - start) < 0.7 * walk.metric.norm(found.unknowns - start)


def _settled(edge: Edge, guess: Floats, periods: int = 30) -> list[Floats]:
    """The guess after some periods of the motion: on the orbit beyond the edge, if that attracts."""
    problem = edge.here.problem
    if len(problem.fractions) > 1 or problem.multiple == 0:
        return []
    try:
        moved = guess.copy()
        for _ in range(periods):
            final = problem.follow(problem.projected(moved)).final
            moved[: 2 * problem.system.n] = np.concatenate([final.q, final.u])
        return [moved]
    except SimulationError:
        return []

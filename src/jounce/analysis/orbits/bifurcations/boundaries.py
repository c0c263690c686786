"""Where the signature of an orbit changes: located from the side on which it holds, named, and crossed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.bifurcations.chatter_threshold import last_resolved, margin
from jounce.analysis.orbits.bifurcations.touching import (
    TOUCHES,
    least_force,
    least_gap,
    shortest_phase,
    slowest_impact,
    vanishing_point,
)
from jounce.analysis.orbits.continuation.arclength import correct, extrapolate, stray, tangent
from jounce.analysis.orbits.continuation.branch import SpecialPoint
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.analysis.orbits.solution.periodic_orbit import otherwise
from jounce.analysis.orbits.solution.signature import Change, Signature, explain_change, signature_of
from jounce.analysis.variables import variables_of
from jounce.errors import SimulationError

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.place import OrbitPlace
    from jounce.analysis.orbits.continuation.walk import Walk
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
    from jounce.analysis.orbits.solution.shooting import Shooting
    from jounce.simulation.trajectory import Trajectory

#: The interval to which a change of signature is confined: of the parameter's extent, in steps along the branch.
_PARAMETER, _LENGTH = 1e-11, 1e-8
#: Next to an edge orbits close as well as before, up to this factor.
_AS_WELL = 100.0
#: A sharper location of a change differs from where it was seen by less than this part of the parameter's extent.
_AGREES = 1e-6
#: A grazing is believed where the speed that vanishes there does so within this share of a step.
_NEAR = 1e-2
_REFINEMENTS = 8
#: How often and by what factor the uncertainty of an edge is widened at most.
_WIDENINGS, _WIDER = 10, 4.0
#: What an impact that begins at a grazing may lead to, seen from beyond.
_MAY_TOUCH = ("chatter_onset", "grazing", "loss_of_flight", "gain_of_slip", "gain_of_stick")
#: How far, in steps, a phase is extrapolated that the engine does not resolve to its end.
_UNRESOLVED = 0.3
#: How far beyond the edge, in steps, the motion is looked at, and an orbit sought.
_PROBES = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2)
_LEAPS = (1e-5, 1e-4, 1e-3, 1e-2, 5e-2)
#: Where a flight begins not the nearest first: flights next to the edge are hardly resolved.
_FLIGHT_LEAPS = (1e-3, 1e-4, 1e-5, 1e-2)


#: A number that an orbit has, and the size of what it is a part of.
Quantity = Callable[["PeriodicOrbit"], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Edge:
    """The last place with the old signature, where exactly it changes, and what the motion does beyond."""

    here: OrbitPlace
    place: OrbitPlace
    length: float
    value: float
    width: float
    lengths: list[float]
    points: list[Floats]
    change: Change
    after: Signature
    unresolved: float = 0.0

    def ahead(self, length: float) -> Floats:
        """The old branch, extrapolated beyond the edge (or, negative, before it)."""
        return _followed(self.here, self.lengths, self.points, self.length + length)

    def special(self) -> SpecialPoint:
        """The entry in the branch's list, which says at which index as it is kept."""
        change, orbit = self.change, self.place.solution
        return SpecialPoint(change.name, self.value, self.width, orbit, change.explanation, 0, after=self.after)


def _followed(here: OrbitPlace, lengths: list[float], points: list[Floats], length: float) -> Floats:
    """The branch of ``here`` at another length, by the polynomial through known places (the last one and up to two).

    They are as far from each other, at least, as from there. Places crowd at an edge, and a polynomial through those
    next to it would multiply their errors by the square of the distance over their spacing.
    """
    away, chosen = abs(length - lengths[-1]), [len(lengths) - 1]
    for k in range(len(lengths) - 2, -1, -1):
        if len(chosen) < 3 and lengths[chosen[-1]] - lengths[k] >= away:
            chosen.append(k)
    if len(chosen) == 1:
        return points[-1] + (length - lengths[-1]) * here.direction
    return extrapolate([lengths[k] for k in chosen], [points[k] for k in chosen], length)


def motion_at(equations: Shooting, guess: Floats) -> Trajectory | None:
    """The motion over one period from a guess, from node to node; None where it cannot be followed."""
    try:
        return equations.follow(equations.projected(guess))
    except SimulationError:
        return None


def locate(walk: Walk, here: OrbitPlace, length: float) -> Edge | OrbitPlace | None:
    """Confine the change of signature between ``here`` and ``length`` ahead by bisection.

    Points with the old signature accumulate at the edge, so the polynomial through the last three predicts the next so
    well that Newton's method stays on the side on which the orbit exists. Where perturbations grow strongly, next to a
    grazing without bound, it may fail earlier: then there is no edge yet, but a place from which shorter steps go on.
    """
    old = here.signature
    lengths, points, last, orbits = [0.0], [here.unknowns], here, [here.solution]
    good, bad = 0.0, length
    for _ in range(70):
        if bad - good < _LENGTH and abs(here.direction[-1]) * (bad - good) < _PARAMETER * walk.branch.extent:
            break
        middle = (good + bad) / 2
        guess = _followed(here, lengths, points, middle)
        found = _solution(walk, here, guess, middle)
        if found is not None and found.signature == old:
            good, last = middle, found
            lengths.append(middle)
            points.append(found.unknowns)
            orbits.append(found.solution)
        else:
            bad = middle
    if bad == length:
        return None  # shorter steps keep the signature: the long one strayed
    for probe in _PROBES:
        guess = _followed(here, lengths, points, good + probe)
        run = motion_at(here.equations, guess)
        after = None if run is None else signature_of(run)
        if run is not None and after is not None and after != old:
            beyond_it = _followed(here, lengths, points, bad)[-1]
            width = max(abs(beyond_it - last.value) / 2, 4.0 * float(np.spacing(walk.branch.extent)))
            change, touched = _named(last, explain_change(last.solution.run, run), after)
            edge = Edge(here, last, good, last.value, width, lengths, points, change, after)
            away = 0.0 if touched else _ahead(walk, edge, orbits, abs(float(guess[-1]) - last.value))
            if away > _AGREES * walk.branch.extent and not walk.at_shortest:
                return last if good > 0.0 else None
            return _sharpened(walk, edge, touched, orbits) if away < _NEAR * walk.largest else None
    return None


def _ahead(walk: Walk, edge: Edge, orbits: list[PeriodicOrbit], seen: float) -> float:
    """How far ahead of the edge, in the parameter, the signature really changes.

    Where perturbations grow strongly Newton's method may fail for another reason, and motions nearby have other events.
    Motions along the old branch show another signature at a distance ``seen``; an impact that is gone there ends
    where its approach speed vanishes.
    """
    if edge.change.name != "grazing":
        return seen
    speeds = [slowest_impact(orbit)[0] for orbit in orbits]
    noise = _quantity_error(slowest_impact, orbits[-1])
    found = vanishing_point(speeds, [orbit.parameters[walk.branch.parameter] for orbit in orbits], noise)
    return np.inf if found is None else abs(found[0] - edge.value)


def _named(last: OrbitPlace, change: Change, after: Signature) -> tuple[Change, str | None]:
    """A flight that touches at the edge is a grazing, whatever the impact that begins there leads to; what touches."""
    shrinks = change.name == "loss_of_flight" and not any(step.mode_after == "OPEN" for step in after)
    if shrinks or change.name not in _MAY_TOUCH:
        return change, None
    touched = []
    for name in last.solution.system.contact_names:
        least, greatest = least_gap(last.solution, name)
        if least < TOUCHES * greatest:
            touched.append(name)
    if not touched:
        return change, None
    detail = change.explanation.partition(" (")[2].rstrip(")")
    words = f"the flight of {' and '.join(touched)} touches the surface: a grazing"
    return Change("grazing", f"{words} (beyond: {detail})"), touched[0]


def _sharpened(walk: Walk, edge: Edge, touched: str | None, orbits: list[PeriodicOrbit]) -> Edge:
    """Where the quantity that decides is zero, if that agrees with where the signature was seen to change."""
    quantity = _deciding(edge.change.name, touched, orbits[-1])
    if quantity is None:
        return replace(edge, width=_method_width(walk, edge))
    parameter, lengths = walk.branch.parameter, list(edge.lengths)
    if edge.change.name.startswith("loss_of"):
        earlier = [point.solution for point in walk.points[-4:] if point.solution.signature == orbits[-1].signature]
        orbits, lengths = [*earlier, *orbits], []
    points = [orbit.parameters[parameter] for orbit in orbits]
    values = [_value(quantity, orbit)[0] for orbit in orbits]
    noise = _quantity_error(quantity, orbits[-1])
    found, back = vanishing_point(values, points, noise), 1.0
    for _ in range(_REFINEMENTS):
        if found is None or found[1] < _PARAMETER * walk.branch.extent or len(lengths) < 2:
            break
        if points[-1] == points[-2]:
            break  # no two parameters lie between them
        target = float(extrapolate(points[-2:], [np.array([length]) for length in lengths[-2:]], found[0])[0])
        # where the engine resolves the motion no longer, orbits come and go: nearer to where they still exist
        surely = max((at for at, value in zip(lengths, values, strict=True) if value * values[0] > 0.0), default=0.0)
        target = surely + back * (target - surely)
        guess = edge.place.unknowns + (target - edge.length) * edge.here.direction
        place = _solution(walk, edge.here, guess, target) if 0.0 < target < edge.length else None
        if place is None or place.signature != edge.here.signature:
            back /= 2.0
            continue
        lengths.append(target)
        points.append(place.value)
        values.append(_value(quantity, place.solution)[0])
        found = vanishing_point(values, points, noise)
    if found is None:
        return replace(edge, width=_method_width(walk, edge))
    off, largest = abs(found[0] - edge.place.value), walk.largest
    if edge.change.name.startswith("loss_of"):
        # a phase that shrinks is followed to its end as a rule; where the engine gives up before, it is extrapolated
        shrinks = min((value for value in values if value > 0.0), default=np.inf) < 0.8 * values[0]
        if not shrinks or off > _UNRESOLVED * largest:
            return replace(edge, width=_method_width(walk, edge))
        if off <= _AGREES * walk.branch.extent:
            return replace(edge, width=max(edge.width, off + found[1]))
        words = f"{edge.change.explanation}; extrapolated, the phase was resolved up to {edge.place.value:.7g}"
        edge = replace(edge, change=Change(edge.change.name, words), unresolved=off / abs(edge.here.direction[-1]))
    elif off > _AGREES * walk.branch.extent:
        return replace(edge, width=max(edge.width, off))
    spread = found[1] + noise * _sensitivity(values, points)
    return replace(edge, value=found[0], width=max(spread, 4.0 * float(np.spacing(abs(found[0])))))


def _method_width(walk: Walk, edge: Edge) -> float:
    """How surely an edge is known that only the signature tells: as far as it moves if motions are computed otherwise.

    The width grows until, computed otherwise, the old orbit exists that far before the edge and not that far behind.
    """
    here, slope = edge.here, abs(edge.here.direction[-1])
    equations = replace(here.equations, options=otherwise(here.equations.options, edge.place.solution.run))
    other = replace(here, equations=equations)

    def exists(length: float) -> bool:
        found = _solution(walk, other, edge.ahead(length - edge.length), length)
        return found is not None and found.signature == here.signature

    width = edge.width
    for _ in range(_WIDENINGS):
        away = width / slope if slope > 0.0 else np.inf
        if not away < edge.length or (exists(edge.length - away) and not exists(edge.length + away)):
            break
        width *= _WIDER
    return width


def _quantity_error(quantity: Quantity, orbit: PeriodicOrbit) -> float:
    """How far a quantity of an orbit may be off.

    Errors of its steps add up, and what its equations leave open is larger in its state the nearer a multiplier is to
    1; or, if that is more, what shorter steps make of it.
    """
    here, size = _value(quantity, orbit)
    other, _ = _value(quantity, replace(orbit, options=otherwise(orbit.options, orbit.run)))
    nearest = float(np.min(np.abs(1.0 - orbit.nontrivial), initial=1.0))
    left = orbit.closure / nearest if nearest > 0.0 else orbit.closure
    accuracy = (orbit.options.tolerance * max(len(orbit.run.data.step_t), 1) + left) * size
    difference = abs(other - here)
    return max(accuracy, difference) if np.isfinite(difference) else accuracy


def _sensitivity(values: list[float], points: list[float]) -> float:
    """|dp/dquantity| over the places at which the quantity is known: a mean, which rounding does not shape."""
    known = [(value, at) for value, at in zip(values, points, strict=True) if np.isfinite(value)]
    (low, p), (high, q) = min(known, default=(0.0, 0.0)), max(known, default=(0.0, 0.0))
    return abs((q - p) / (high - low)) if high > low else 0.0


def _value(quantity: Quantity, orbit: PeriodicOrbit) -> tuple[float, float]:
    try:
        return quantity(orbit)
    except SimulationError:  # its run, which a branch does not keep, cannot be repeated there
        return float("nan"), 0.0


def _deciding(name: str, touched: str | None, orbit: PeriodicOrbit) -> Quantity | None:
    """The smooth quantity of an orbit that vanishes at a change of this name, with its size, if one is known."""
    if name == "grazing" and touched is not None:
        return lambda other: least_gap(other, touched)
    if name == "grazing":
        return slowest_impact
    if name.startswith("loss_of"):
        return lambda other: shortest_phase(other, name.removeprefix("loss_of_"))
    if name == "gain_of_flight":
        return lambda other: min(least_force(other, contact) for contact in other.system.contact_names)
    if name not in ("chatter_onset", "chatter_end"):
        return None
    numbers = {contact: last_resolved(orbit, contact) for contact in orbit.system.contact_names}
    contact = max(numbers, key=lambda name: numbers[name])
    return None if numbers[contact] < 0 else lambda other: (margin(other, contact, numbers[contact]), 1.0)


def _solution(walk: Walk, here: OrbitPlace, guess: Floats, length: float) -> OrbitPlace | None:
    # just beyond an edge there is no orbit, but motions that nearly close: they must not pass for orbits
    accept = min(CLOSES, _AS_WELL * max(here.evaluation.closure, 1e-13))
    try:
        unknowns, evaluation, _ = correct(
            here.equations, guess, here.unknowns, here.direction, length, walk.metric, accept, stray(length)
        )
    except SimulationError:
        return None
    return walk.place(here.equations, unknowns, evaluation, here.direction)


def beyond(walk: Walk, edge: Edge) -> OrbitPlace | None:
    """An orbit with another signature next to the edge.

    Where the flow is continuous its derivative beyond gives the direction of the new branch. Else the state goes on in
    its direction; the parameter does too, or, at a fold that is not smooth, turns back.
    """
    for direction in [] if edge.unresolved else _new_tangents(walk, edge):
        for leap in _FLIGHT_LEAPS if edge.change.name == "gain_of_flight" else _LEAPS:
            found = _along(walk, edge, direction, leap)
            if found is not None and _along(walk, edge, direction, leap / 8.0) is not None:
                return found
    for leap in _LEAPS:
        onwards = edge.ahead(edge.unresolved + leap)
        turned = onwards.copy()
        turned[-1] = 2.0 * edge.place.unknowns[-1] - onwards[-1]
        for guess in (onwards, turned, *_settled(edge, onwards), *_settled(edge, turned)):
            found = _other(walk, edge, guess, edge.unresolved + leap)
            if found is not None and (edge.unresolved or _emanates(walk, edge, found, leap)):
                return found
    return None


def _new_tangents(walk: Walk, edge: Edge) -> list[Floats]:
    """The directions of the branch beyond, both ways, from the derivative of the flow with a new signature.

    Those with the signature seen first come first. It need not be that of the branch: where the edge is known to some
    rounding less, motions next to it have the old one, and the next ones may have an impact more than orbits there.
    """
    equations, tangents, probes = edge.here.equations, [], []
    for probe in _PROBES:
        run = motion_at(equations, edge.ahead(probe))
        if run is not None and (after := signature_of(run)) != edge.here.signature:
            probes.append((after != edge.after, probe))
    for _, probe in sorted(probes):
        guess = edge.ahead(probe)
        try:
            direction = tangent(equations.evaluate(equations.projected(guess)), walk.metric)
        except SimulationError:
            continue
        ahead = direction if walk.metric.inner(direction, edge.here.direction) > 0.0 else -direction
        tangents += [ahead, -ahead]
    return tangents


def _along(walk: Walk, edge: Edge, direction: Floats, leap: float) -> OrbitPlace | None:
    """The orbit with another signature at a distance along a direction from the edge; None if there is none near."""
    start = edge.place.unknowns
    try:
        unknowns, evaluation, _ = correct(
            edge.here.equations, start + leap * direction, start, direction, leap, walk.metric, CLOSES, stray(leap)
        )
    except SimulationError:
        return None
    place = walk.place(edge.here.equations, unknowns, evaluation, direction)
    near = walk.metric.norm(unknowns - start - leap * direction) < 0.5 * leap
    return place if near and place.signature != edge.here.signature else None


def _other(walk: Walk, edge: Edge, guess: Floats, leap: float) -> OrbitPlace | None:
    """Newton's method from a guess, in the hyperplane or at fixed parameter; None unless new and near."""
    here, start = edge.here, edge.place.unknowns
    axis = np.zeros_like(guess)
    axis[-1] = walk.largest
    reach = 4.0 * np.sqrt(leap)
    for direction in (here.direction, axis):
        try:
            length = walk.metric.inner(direction, guess - start)
            unknowns, evaluation, _ = correct(
                here.equations, guess, start, direction, length, walk.metric, CLOSES, reach
            )
        except SimulationError:
            continue
        if walk.metric.norm(unknowns - start) > reach:
            continue
        place = walk.place(here.equations, unknowns, evaluation, unknowns - start)
        if place.signature != here.signature:
            return place
    return None


def _emanates(walk: Walk, edge: Edge, found: OrbitPlace, leap: float) -> bool:
    """Whether the orbit found comes from the edge: nearer to the edge there is one nearer to it.

    Distances fall like the square root of the leap at a grazing, else in proportion: to a half at a sixteenth, or less.
    """
    start = edge.place.unknowns
    closer = _other(walk, edge, start + (found.unknowns - start) / 16.0, leap)
    if closer is None:
        closer = _other(walk, edge, start + (found.unknowns - start) / 4.0, leap)
    if closer is None or closer.signature != found.signature:
        return False
    return walk.metric.norm(closer.unknowns - start) < 0.7 * walk.metric.norm(found.unknowns - start)


def _settled(edge: Edge, guess: Floats, periods: int = 30) -> list[Floats]:
    """The guess after some periods of the motion: on the orbit beyond the edge, if that attracts."""
    equations = edge.here.equations
    if len(equations.fractions) > 1 or equations.multiple == 0:
        return []
    try:
        moved = guess.copy()
        for _ in range(periods):
            final = equations.follow(equations.projected(moved)).final
            moved[: equations.width] = variables_of(equations.system, final, equations.remembered)
        return [moved]
    except SimulationError:
        return []

"""continue_orbit: a branch of periodic orbits by pseudo-arclength, its bifurcations located on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from jounce.analysis.orbits import boundaries, origins
from jounce.analysis.orbits.arclength import Metric, correct, stray, tangent
from jounce.analysis.orbits.bifurcations import EXPLANATIONS, confirmed, find_zero, orbit_tests
from jounce.analysis.orbits.branch import Branch, BranchPoint, SpecialPoint, check_request
from jounce.analysis.orbits.mode_surface import Floats
from jounce.analysis.orbits.multipliers import reduced_monodromy
from jounce.analysis.orbits.periodic_orbit import CLOSES, PeriodicOrbit, newton, orbit_from
from jounce.analysis.orbits.shooting import Evaluation, Shooting, new_shooting, variable_ranges
from jounce.analysis.orbits.summary import summarise
from jounce.errors import SimulationError

Progress = Callable[[int, float], None]

#: Steps, in units of the largest one: the first, and where the search for a continuation is given up.
FIRST_STEP, SMALLEST_STEP = 0.25, 1e-5
#: Neighbouring tangents of one branch agree at least this well.
ALIGNED = 0.7
#: The share of its stretch a node must keep free of events; below it is moved.
ROOM = 0.4


@dataclass(frozen=True, eq=False)
class Place:
    """A point of a branch with all that the next step needs."""

    problem: Shooting
    unknowns: Floats
    evaluation: Evaluation
    direction: Floats
    orbit: PeriodicOrbit
    tests: dict[str, float]

    @property
    def value(self) -> float:
        """The parameter."""
        return float(self.unknowns[-1])


def continue_orbit(
    orbit: PeriodicOrbit,
    parameter: str,
    bounds: tuple[float, float],
    *,
    step: float | None = None,
    direction: str = "both",
    max_points: int = 400,
    progress: Progress | None = None,
    checkpoint: Any = None,
) -> Branch:
    """Follow an orbit in a parameter between two bounds, through folds, and locate what happens on the way.

    step         the largest step in the parameter; by default a hundredth of the bounds
    direction    "up", "down" (first in this direction of the parameter) or "both"
    max_points   the branch ends with this reason at the latest, in each direction
    progress     called with the number of points and the parameter after every point
    checkpoint   a file: the branch is written there as it grows, and found there it is gone on with
    """
    check_request(orbit.system, orbit.parameters, parameter, bounds, step, direction, max_points)
    from jounce.analysis.orbits.files import resumed_branch, save_branch

    low, high = (float(bound) for bound in bounds)
    largest = float(step) if step is not None else (high - low) / 100
    settings = {"step": largest, "direction": direction, "max_points": max_points, "finished": []}
    branch = Branch(parameter, (low, high), "orbit", settings=settings, ends=("not followed", "not followed"))
    if checkpoint is not None:
        branch = resumed_branch(checkpoint, branch, orbit)
    walks = {"both": (-1, 1), "up": (1,), "down": (-1,)}[direction]
    for sign in walks:
        if sign in branch.settings["finished"]:
            continue
        save = None if checkpoint is None else partial(save_branch, branch, checkpoint)
        if Walk(branch, sign, largest, progress, save).go(orbit):
            return branch  # interrupted
    return branch


def solution_at(orbit: Any, parameter: str, value: float) -> Any:
    """The solution at another value of the parameter, by Newton's method from this one."""
    if not isinstance(orbit, PeriodicOrbit):
        from jounce.analysis.orbits.equilibrium import find_equilibrium

        return find_equilibrium(orbit.system, orbit.modes, orbit.state, **{**orbit.parameters, parameter: value})
    parameters = {**orbit.parameters, parameter: float(value)}
    base = new_shooting(orbit.system, orbit.options, orbit.parameters, orbit.period, orbit.hold)
    problem, unknowns = base.placed(orbit.run, orbit.nodes)
    problem = replace(problem, parameters=parameters)
    unknowns, evaluation = newton(problem, problem.projected(unknowns))
    return orbit_from(problem, unknowns, evaluation)


class Walk:
    """One direction of a continuation."""

    def __init__(
        self, branch: Branch, sign: int, largest: float, progress: Progress | None, save: Callable[[], None] | None
    ) -> None:
        self.branch, self.sign, self.largest = branch, sign, largest
        self.progress, self.save = progress, save
        self.points: list[BranchPoint] = []
        self.size = FIRST_STEP
        self.changes = 0
        self.metric = Metric(np.ones(1))

    # ------------------------------------------------------------------ the walk

    def go(self, orbit: PeriodicOrbit) -> bool:
        """Follow the branch until it ends; True if the user interrupted."""
        try:
            here, reason = self._begin(orbit), ""
            while not reason:
                try:
                    here, reason = self._step(here)
                except SimulationError as error:
                    reason = f"the motion cannot be followed on: {error}"
            self._end(reason)
            return False
        except KeyboardInterrupt:
            self._end("interrupted", finished=False)
            return True

    def _begin(self, orbit: PeriodicOrbit) -> Place:
        """The first place: the given orbit, or the last one of a branch that is gone on with."""
        points = self.branch.points
        resumed = points and (points[-1] if self.sign > 0 else points[0])
        start = resumed.solution if resumed and len(points) > 1 else orbit
        base = replace(
            new_shooting(start.system, start.options, start.parameters, start.period, start.hold),
            free=(self.branch.parameter,),
        )
        problem, unknowns = base.placed(start.run, start.nodes)
        self._measure(start, problem)
        unknowns, evaluation, _ = correct(
            problem, unknowns, unknowns, self._parameter_axis(problem), 0.0, self.metric, CLOSES
        )
        ahead = self._parameter_axis(problem) * self.sign
        if resumed and len(points) > 1:
            before = points[-2] if self.sign > 0 else points[1]
            name = self.branch.parameter
            moved = start.parameters[name] - before.solution.parameters[name]
            ahead = ahead * np.sign(self.sign * moved or 1.0)
        here = self._place(problem, unknowns, evaluation, ahead)
        if points:
            self.points.append(points[-1] if self.sign > 0 else points[0])
        else:
            self._add(here)
        return here

    def _measured(self, here: Place) -> Place:
        """The same place in a metric that knows the orbit's present size."""
        self._measure(here.orbit, here.problem)
        return self._place(here.problem, here.unknowns, here.evaluation, here.direction)

    def _measure(self, orbit: PeriodicOrbit, problem: Shooting) -> None:
        """Weights: a tenth of a variable's range, of the period, and one parameter step count the same."""
        range_of = variable_ranges(orbit.run)
        count = len(problem.fractions)
        state = np.tile(10.0 / range_of / np.sqrt(count * len(range_of)), count)
        period = [10.0 / orbit.period] if problem.multiple == 0 else []
        self.metric = Metric(np.concatenate([state, period, [1.0 / self.largest]]))

    def _parameter_axis(self, problem: Shooting) -> Floats:
        axis = np.zeros(problem.size)
        axis[-1] = self.largest
        return axis

    def _place(self, problem: Shooting, unknowns: Floats, evaluation: Evaluation, ahead: Floats) -> Place:
        direction = tangent(evaluation, self.metric)
        if self.metric.inner(direction, ahead) < 0.0:
            direction = -direction
        orbit = orbit_from(problem, unknowns, evaluation)
        values = np.linalg.eigvals(reduced_monodromy(problem, evaluation))
        tests = orbit_tests(values, evaluation, direction, self.metric)
        return Place(problem, unknowns, evaluation, direction, orbit, tests)

    def _step(self, here: Place) -> tuple[Place, str]:
        """One step: the next place, or the reason why there is none."""
        if len(self.points) >= self.branch.settings["max_points"]:
            return here, f"max_points = {len(self.points)} reached"
        vanished = origins.vanished(here, self.branch.parameter)
        if vanished:
            return here, vanished
        here = self._measured(self._moved_nodes(here))
        there, iterations = self._try(here, self.size)
        if there is None:
            if self.size > 0.02 and not self._leaves_signature(here, self.size):
                self.size /= 2.0
                return here, ""
            return self._cross(here, self.size)
        if there.orbit.signature != here.orbit.signature:
            return self._cross(here, self.size)
        if not self._inside(there.value):
            return self._land(here, there)
        reason = self._accept(here, there)
        if reason:
            return here, reason
        self.size = min(1.0, self.size * (1.6 if iterations <= 4 else 1.0))
        if self._closed(there):
            return there, "the branch closes: it is back where it began"
        return there, ""

    def _try(self, here: Place, length: float) -> tuple[Place | None, int]:
        """The place at a length ahead; None if Newton's method fails, strays or turns too sharply."""
        try:
            unknowns, evaluation, iterations = correct(
                here.problem,
                here.unknowns + length * here.direction,
                here.unknowns,
                here.direction,
                length,
                self.metric,
                CLOSES,
                stray(length),
            )
        except SimulationError:
            return None, 0
        there = self._place(here.problem, unknowns, evaluation, unknowns - here.unknowns)
        if abs(self.metric.inner(there.direction, here.direction)) < ALIGNED and length > 0.02:
            return None, 0
        return there, iterations

    # ------------------------------------------------------------------ what a step can meet

    def _leaves_signature(self, here: Place, length: float) -> bool:
        """Whether the motion from the predicted state has another signature already."""
        return boundaries.signature_at(here.problem, here.unknowns + length * here.direction) != here.orbit.signature

    def _cross(self, here: Place, length: float) -> tuple[Place, str]:
        """A change of signature within ``length``: locate it, name it, and find the branch beyond."""
        edge = boundaries.locate(self, here, length)
        if edge is None:
            if self.size > SMALLEST_STEP:
                self.size /= 4.0
                return here, ""
            return here, "Newton's method no longer converges, and the signature does not change"
        last = edge.place
        self._accept(here, last)
        self._note(edge.special(last, len(self.points)))
        self.changes += 1
        if self.changes > 60:
            return last, "sixty changes of signature"
        beyond = boundaries.beyond(self, edge)
        if beyond is None:
            return last, f"{edge.change.name} at {self.branch.parameter} = {last.value:.9g}: no orbit was found beyond"
        if not self._inside(beyond.value):
            return last, f"{self.branch.parameter} reaches its bound"
        self._add(beyond)
        self.size = FIRST_STEP / 4
        return beyond, ""

    def _land(self, here: Place, there: Place) -> tuple[Place, str]:
        """The last point exactly on the bound."""
        bound = self.branch.bounds[0] if there.value < self.branch.bounds[0] else self.branch.bounds[1]
        share = (bound - here.value) / (there.value - here.value)
        guess = here.unknowns + share * (there.unknowns - here.unknowns)
        axis = self._parameter_axis(here.problem)
        length = (bound - here.value) / self.largest
        try:
            unknowns, evaluation, _ = correct(
                here.problem, guess, here.unknowns, axis, length, self.metric, CLOSES, stray(1.0)
            )
            last = self._place(here.problem, unknowns, evaluation, there.unknowns - here.unknowns)
            self._accept(here, last)
        except SimulationError:
            last = here
        return last, f"{self.branch.parameter} reaches its bound {bound:g}"

    def _inside(self, value: float) -> bool:
        low, high = self.branch.bounds
        return low <= value <= high

    def _closed(self, there: Place) -> bool:
        """Whether the walk is back at its first point."""
        if len(self.points) < 12:
            return False
        first = self.points[0]
        names = self.branch.parameter
        if abs(first.solution.parameters[names] - there.value) > self.size * self.largest:
            return False
        range_of = np.maximum(first.high - first.low, 1e-6)
        now = summarise(there.orbit)
        near = np.abs((first.high - now.high) / range_of).max() < 0.1 * self.size
        return bool(near and np.abs((first.section - now.section) / range_of).max() < 0.1 * self.size)

    def _moved_nodes(self, here: Place) -> Place:
        """The same place with its nodes where there is room, if an event has come near one."""
        if here.problem.node_room(here.orbit.run) >= ROOM and len(here.problem.fractions) == 1:
            return here
        if len(here.problem.fractions) > 1 and here.problem.node_room(here.orbit.run) >= ROOM / 2:
            return here
        problem, unknowns = here.problem.placed(here.orbit.run, len(here.problem.fractions))
        try:
            unknowns, evaluation, _ = correct(
                problem, unknowns, unknowns, self._parameter_axis(problem), 0.0, self.metric, CLOSES
            )
        except SimulationError:
            return here
        moved = self._place(problem, unknowns, evaluation, self._parameter_axis(problem) * np.sign(here.direction[-1]))
        if moved.orbit.signature != here.orbit.signature:
            return here
        return moved

    # ------------------------------------------------------------------ keeping

    def _accept(self, here: Place, there: Place) -> str:
        """Keep the next point and locate the bifurcations passed on the way; the reason if the branch ended there."""
        if there.orbit.signature == here.orbit.signature:
            halved = origins.halved(here, there, self.branch.parameter)
            if halved:
                return halved
            for kind in EXPLANATIONS:
                if kind != "fold" and max(here.orbit.irregular, there.orbit.irregular) > 0:
                    continue  # multipliers that are not to be trusted
                if kind in here.tests and here.tests[kind] * there.tests[kind] < 0.0:
                    found = self._locate(kind, here, there)
                    if found is None:
                        continue
                    best, spread = found
                    origin = origins.shrunk(best, here, self.branch.parameter) if kind == "fold" else ""
                    if origin:
                        return origin
                    self._note(
                        SpecialPoint(kind, best.value, spread, best.orbit, EXPLANATIONS[kind][1], len(self.points))
                    )
        self._add(there)
        return ""

    def _locate(self, kind: str, here: Place, there: Place) -> tuple[Place, float] | None:
        """A zero of a test function between two places, and how sharply it is known; None if there is none."""
        length = self.metric.inner(here.direction, there.unknowns - here.unknowns)
        found: dict[float, Place] = {0.0: here, length: there}

        def place(at: float) -> Place:
            if at not in found:
                guess = here.unknowns + at / length * (there.unknowns - here.unknowns)
                unknowns, evaluation, _ = correct(
                    here.problem, guess, here.unknowns, here.direction, at, self.metric, CLOSES
                )
                found[at] = self._place(here.problem, unknowns, evaluation, here.direction)
            return found[at]

        try:
            zero = find_zero(lambda at: place(at).tests[kind], 0.0, length, here.tests[kind], there.tests[kind])
            best = place(zero)
        except (SimulationError, RuntimeError):
            return None
        if best.orbit.signature != here.orbit.signature or not confirmed(kind, best.orbit.nontrivial):
            return None
        change = max(abs(here.value - best.value), abs(there.value - best.value))
        if kind == "fold" and change < 1e-9 * (1.0 + abs(best.value)):
            return None  # next to a Hopf point the parameter hardly moves: its direction is rounding
        if kind == "branch_point" and abs(best.tests[kind]) > 1e-3 * max(abs(here.tests[kind]), abs(there.tests[kind])):
            return None  # a jump of the sign, not a zero
        near = [abs(other.value - best.value) for at, other in found.items() if 0.0 < abs(at - zero) < 1e-6]
        return best, max(near, default=1e-15 * (1.0 + abs(best.value)))

    def _add(self, place: Place) -> None:
        point = summarise(place.orbit)
        # without its dense run, which is computed again where it is asked for: a branch stays small
        point = replace(point, solution=replace(place.orbit))
        self.points.append(point)
        self._store(point, None)
        if self.progress is not None:
            self.progress(len(self.branch.points), place.value)

    def _note(self, special: SpecialPoint) -> None:
        self._store(None, replace(special, solution=replace(special.solution)))

    def _store(self, point: BranchPoint | None, special: SpecialPoint | None) -> None:
        """Upwards points are appended, downwards put in front: the branch is one curve from end to end."""
        branch = self.branch
        if special is not None:
            index = len(branch.points) if self.sign > 0 else 0
            special = replace(special, index=index)
            branch.specials.insert(len(branch.specials) if self.sign > 0 else 0, special)
        if point is not None and self.sign > 0:
            branch.points.append(point)
        elif point is not None:
            branch.points.insert(0, point)
            branch.specials[:] = [replace(s, index=s.index + 1) for s in branch.specials]
        if self.save is not None and point is not None and len(branch.points) % 10 == 0:
            self.save()

    def _end(self, reason: str, finished: bool = True) -> None:
        first, last = self.branch.ends
        self.branch.ends = (first, reason) if self.sign > 0 else (reason, last)
        if finished:
            self.branch.settings["finished"].append(self.sign)
        if self.save is not None:
            self.save()

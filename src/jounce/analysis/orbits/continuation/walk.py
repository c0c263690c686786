"""A walk along a branch of orbits in one direction: steps, what they meet, what is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jounce.analysis.orbits.bifurcations import boundaries, branch_points, origins
from jounce.analysis.orbits.bifurcations.crossings import Zero, crossings
from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS, orbit_tests
from jounce.analysis.orbits.continuation import restart
from jounce.analysis.orbits.continuation.arclength import Metric, correct, joins_smoothly, stray, tangent
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint
from jounce.analysis.orbits.continuation.summary import summarise
from jounce.analysis.orbits.solution import nodes
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.multipliers import reduced_monodromy
from jounce.analysis.orbits.solution.periodic_orbit import CLOSES, PeriodicOrbit, orbit_from, otherwise
from jounce.analysis.orbits.solution.shooting import Evaluation, Shooting, variable_ranges
from jounce.analysis.orbits.solution.signature import signature_of
from jounce.errors import Interrupted, SimulationError

Progress = Callable[[int, float], None]

#: Steps, in units of the largest one: the first, and where the search for a continuation is given up.
FIRST_STEP, SMALLEST_STEP = 0.25, 1e-5
#: Neighbouring tangents of one branch agree at least this well.
ALIGNED = 0.7
#: Two bifurcations of a kind whose parameters and periods agree to this are the same.
SAME = 1e-8
#: States of one orbit, found from two sides, agree to this part of the ranges of its variables.
SAME_ORBIT = 1e-6
#: Points between two checkpoints; changes of signature after which a walk is given up.
SAVE_EVERY, MOST_CHANGES = 10, 60


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

    @property
    def spectrum(self) -> np.ndarray:
        """The multipliers that decide stability."""
        return self.orbit.nontrivial

    @property
    def unstable(self) -> int:
        """How many multipliers lie outside the unit circle."""
        return self.orbit.spectrum.unstable

    @property
    def neutral(self) -> int:
        """How many lie on it, as far as they are known."""
        return self.orbit.spectrum.neutral

    @property
    def margin(self) -> float:
        """How far the nearest multiplier is from the unit circle."""
        return float(np.min(np.abs(np.abs(self.spectrum) - 1.0), initial=np.inf))

    @property
    def regular(self) -> bool:
        """Whether multipliers are to be trusted."""
        return self.orbit.irregular == 0


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
        self.kept = (0, 0)
        self.saved = len(branch.points)

    # ------------------------------------------------------------------ the walk

    def go(self, orbit: PeriodicOrbit) -> None:
        """Follow the branch until it ends; Ctrl-C raises Interrupted with the branch so far."""
        try:
            here, reason = self._begin(orbit), ""
            while not reason:
                self._remember(here)
                try:
                    here, reason = self._step(here)
                except SimulationError as error:
                    reason = f"the motion cannot be followed on: {error}"
            self._end(reason)
        except KeyboardInterrupt:
            restart.roll_back(self.branch, self.sign, self.kept)
            self._end("interrupted", finished=False)
            raise Interrupted(f"continuation interrupted after {len(self.branch)} points", self.branch) from None

    def _begin(self, orbit: PeriodicOrbit) -> Place:
        """The first place: where an interrupted walk was, or the given orbit."""
        branch = self.branch
        self.kept = (len(branch.points), len(branch.specials))
        memory = branch.settings.get("walk")
        if memory is not None and memory["sign"] == self.sign:
            return self._resume(memory)
        if not branch.settings["finished"]:  # interrupted before its first step: begun anew
            branch.points.clear()
        start = branch.points[-1].solution if branch.points else orbit
        problem, unknowns = restart.problem_of(start, branch).placed(start.run, start.nodes)
        self.measure(start, problem)
        unknowns, evaluation, _ = correct(
            problem, unknowns, unknowns, self.parameter_axis(problem), 0.0, self.metric, CLOSES
        )
        here = self.place(problem, unknowns, evaluation, self.parameter_axis(problem) * self.sign)
        if branch.points:
            self.points.append(branch.points[-1])
        else:
            self.kept = (1, 0)  # the first point stays, whatever interrupts
            self._add(here)
        return here

    def _resume(self, memory: dict[str, Any]) -> Place:
        """Exactly where the walk was when it was interrupted."""
        self.size, self.changes, count = memory["size"], memory["changes"], memory["count"]
        points = self.branch.points
        self.points = points[-count:] if self.sign > 0 else points[:count][::-1]
        problem, unknowns, direction = restart.recall(self.points[-1].solution, self.branch, memory)
        evaluation = problem.evaluate(unknowns)
        self.measure(orbit_from(problem, unknowns, evaluation), problem)
        return self.place(problem, unknowns, evaluation, direction)

    def _remember(self, here: Place) -> None:
        """Keep what the walk needs to be gone on with from here; write it down now and then."""
        branch = self.branch
        memory = restart.memory(here.problem, here.unknowns, here.direction)
        progress = {"sign": self.sign, "size": self.size, "changes": self.changes, "count": len(self.points)}
        branch.settings["walk"] = memory | progress
        self.kept = (len(branch.points), len(branch.specials))
        if self.save is not None and len(branch.points) >= self.saved + SAVE_EVERY:
            self.saved = len(branch.points)
            self.save()

    def _measured(self, here: Place) -> Place:
        """The same place in a metric that knows the orbit's present size."""
        self.measure(here.orbit, here.problem)
        return self.place(here.problem, here.unknowns, here.evaluation, here.direction)

    def measure(self, orbit: PeriodicOrbit, problem: Shooting) -> None:
        """Weights: a tenth of a variable's range, of the period, and one parameter step count the same."""
        range_of = variable_ranges(orbit.run)
        count = len(problem.fractions)
        state = np.tile(10.0 / range_of / np.sqrt(count * len(range_of)), count)
        period = [10.0 / orbit.period] if problem.multiple == 0 else []
        self.metric = Metric(np.concatenate([state, period, [1.0 / self.largest]]))

    def parameter_axis(self, problem: Shooting) -> Floats:
        """The direction in which the parameter alone changes, by one step."""
        axis = np.zeros(problem.size)
        axis[-1] = self.largest
        return axis

    def place(self, problem: Shooting, unknowns: Floats, evaluation: Evaluation, ahead: Floats) -> Place:
        """A solution with its tangent, turned the way ahead, and its test functions."""
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
        here = self._measured(nodes.moved(self, here))
        if not self._inside(here.value + self.size * here.direction[-1]):
            landed = self._landed(here)
            if landed is not None:
                return landed, self._accept(here, landed) or self._reached(landed.value)
        there, iterations = self._try(here, self.size)
        if there is None:
            if self.size > 0.02 and not self._leaves_signature(here, self.size):
                self.size /= 2.0
                return here, ""
            return self._cross(here, self.size)
        if there.orbit.signature != here.orbit.signature:
            return self._cross(here, self.size)
        if not self._inside(there.value):
            self.size /= 2.0  # the bound itself could not be reached at once: a fold or a change may come first
            return here, "" if self.size > SMALLEST_STEP else self._reached(here.value)
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
        there = self.place(here.problem, unknowns, evaluation, unknowns - here.unknowns)
        chord = there.unknowns - here.unknowns
        if not joins_smoothly(self.metric, here.direction, chord, there.direction) and length > 0.02:
            return None, 0
        return there, iterations

    # ------------------------------------------------------------------ what a step can meet

    def _leaves_signature(self, here: Place, length: float) -> bool:
        """Whether the motion from the predicted state has another signature already."""
        run = boundaries.motion_at(here.problem, here.unknowns + length * here.direction)
        return run is None or signature_of(run) != here.orbit.signature

    def _cross(self, here: Place, length: float) -> tuple[Place, str]:
        """A change of signature within ``length``: locate it, name it, and find the branch beyond."""
        elsewhere = nodes.with_more_room(self, here)
        if elsewhere is not None:
            return elsewhere, ""
        edge = boundaries.locate(self, here, length)
        if isinstance(edge, Place):
            self.size /= 4.0
            return edge, self._accept(here, edge)
        if edge is None or not self._inside(edge.value):
            if not self.at_shortest:
                self.size /= 4.0
                return here, ""
            return here, "Newton's method no longer converges, and the signature does not change"
        elsewhere = nodes.with_more_room(self, edge.place)
        if elsewhere is not None:
            return elsewhere, self._accept(here, elsewhere)
        last, special = edge.place, edge.special(len(self.points))
        if self._known(special):
            return here, f"the branch comes back on itself at {self.branch.parameter} = {edge.value:.9g}"
        self._accept(here, last)
        self._note(special)
        self.changes += 1
        if self.changes > MOST_CHANGES:
            return last, f"{MOST_CHANGES} changes of signature"
        beyond = boundaries.beyond(self, edge)
        if beyond is None:
            return last, f"{edge.change.name} at {self.branch.parameter} = {edge.value:.9g}: no orbit emanates beyond"
        if not self._inside(beyond.value):
            return last, self._reached(beyond.value)
        self._add(beyond)
        self.size = FIRST_STEP / 4
        return beyond, ""

    def _landed(self, here: Place) -> Place | None:
        """The place on the bound ahead, if the branch reaches it without a fold or a change of signature."""
        ahead = here.value + self.size * here.direction[-1]
        bound = self.branch.bounds[0] if ahead < self.branch.bounds[0] else self.branch.bounds[1]
        if bound == here.value:
            return here
        guess = here.unknowns + (bound - here.value) / here.direction[-1] * here.direction
        length = (bound - here.value) / self.largest
        axis, reach = self.parameter_axis(here.problem), stray(self.size)
        try:
            unknowns, evaluation, _ = correct(
                here.problem, guess, here.unknowns, axis, length, self.metric, CLOSES, reach
            )
        except SimulationError:
            return None
        last = self.place(here.problem, unknowns, evaluation, here.direction)
        turned = self.metric.inner(last.direction, here.direction) < ALIGNED
        return None if turned or last.orbit.signature != here.orbit.signature else last

    def _reached(self, value: float) -> str:
        bound = min(self.branch.bounds, key=lambda limit: abs(limit - value))
        return f"{self.branch.parameter} reaches its bound {bound:g}"

    def _inside(self, value: float) -> bool:
        low, high = self.branch.bounds
        return low <= value <= high

    def _closed(self, there: Place) -> bool:
        """Whether the walk is back at its first point: the same orbit, passed in the same direction.

        Behind a fold it passes the same parameter backwards, on an orbit that may still look much alike.
        """
        first = self.points[0]
        value = first.solution.parameters[self.branch.parameter]
        ahead, away = there.direction[-1], value - there.value
        if len(self.points) < 12 or ahead * self.sign <= 0.0 or abs(away) > self.size * self.largest:
            return False
        try:
            unknowns, evaluation, _ = correct(
                there.problem,
                there.unknowns + away / ahead * there.direction,
                there.unknowns,
                self.parameter_axis(there.problem),
                away / self.largest,
                self.metric,
                CLOSES,
                stray(self.size),
            )
        except SimulationError:
            return False
        now = summarise(orbit_from(there.problem, unknowns, evaluation))
        apart = np.abs(first.solution.closed(first.section - now.section))
        return bool((apart < SAME_ORBIT * variable_ranges(first.solution.run)).all())

    # ------------------------------------------------------------------ keeping

    def _accept(self, here: Place, there: Place) -> str:
        """Keep the next point and locate the bifurcations passed on the way; the reason if the branch ended there."""
        if there.orbit.signature == here.orbit.signature:
            if origins.halved(here, there):
                return self._halve(here, there)
            reason = self._note_crossings(here, there)
            if reason:
                return reason
        self._add(there)
        return ""

    def _note_crossings(self, here: Place, there: Place) -> str:
        """The bifurcations between two places into the branch's list; the reason if the branch ended at one."""
        turns = here.tests["fold"] * there.tests["fold"] < 0.0
        for zero in crossings(self, here, there):
            best: Place = zero.place
            if zero.kind == "fold":
                origin = origins.shrunk(best, here, self.branch.parameter)
                if origin:
                    return origin
            special = self._special(zero, here, there, turns)
            if self._known(special):
                return f"the branch comes back on itself at {self.branch.parameter} = {zero.value:.9g}"
            self._note(special)
        return ""

    def _special(self, zero: Zero, here: Place, there: Place, turns: bool) -> SpecialPoint:
        """The entry for a zero of a test function."""
        index, words, name = len(self.points), EXPLANATIONS[zero.kind][1], self.branch.parameter
        if zero.kind == "stability_change":
            words = self._unexplained(here, there)
        if zero.kind != "branch_point":
            return SpecialPoint(zero.kind, zero.value, zero.uncertainty, zero.place.orbit, words, index)
        problem = zero.place.problem
        kind = branch_points.kind_of(self, problem, zero, name, CLOSES, turns)
        orbit = orbit_from(problem, zero.unknowns, problem.evaluate(zero.unknowns))
        return SpecialPoint(kind.name, zero.value, zero.uncertainty, orbit, kind.words, index, direction=kind.direction)

    def _unexplained(self, here: Place, there: Place) -> str:
        """What is known of a change of stability that no test function explains."""
        name = self.branch.parameter
        words = (
            f"between {name} = {here.value:.9g} and {there.value:.9g} the number of unstable multipliers changes from "
            f"{here.unstable} to {there.unstable}, and what happens could not be resolved"
        )
        if not (here.regular and there.regular):
            return f"{words}: at some events the motion has no derivative, so that multipliers are not to be trusted"
        return f"{words}; look there with a smaller step"

    @property
    def at_shortest(self) -> bool:
        """Whether steps are as short as they may become."""
        return self.size <= SMALLEST_STEP

    @property
    def extent(self) -> float:
        """How large the parameter is."""
        return self.branch.extent

    def solve(self, here: Place, guess: Floats, length: float) -> Place:
        """The place at a length ahead of another, from a guess near it."""
        unknowns, evaluation, _ = correct(
            here.problem, guess, here.unknowns, here.direction, length, self.metric, CLOSES
        )
        found = self.place(here.problem, unknowns, evaluation, here.direction)
        if found.orbit.signature != here.orbit.signature:
            raise SimulationError("the signature changes in between")
        return found

    def otherwise(self, here: Place, guess: Floats, length: float) -> Place:
        """The same place, the motion computed in shorter steps and with bounces cut off earlier."""
        problem = replace(here.problem, options=otherwise(here.problem.options, here.orbit.run))
        return self.solve(replace(here, problem=problem), guess, length)

    def _halve(self, here: Place, there: Place) -> str:
        """End at the period doubling from which the branch came."""
        name = self.branch.parameter
        try:
            origin = origins.period_doubling(here, there, self.branch)
        except SimulationError:
            return f"the orbit becomes one of half its period near {name} = {here.value:.4g}: a period doubling"
        value = origin.parameters[name]
        words = EXPLANATIONS["period_halving"][1]
        spread = origins.SETTLED * self.branch.extent
        self._note(SpecialPoint("period_halving", value, spread, origin, words, len(self.points)))
        self._keep(origin)
        return f"the orbit becomes one of half its period at {name} = {value:.10g}: a period doubling"

    def _add(self, place: Place) -> None:
        self._keep(place.orbit)

    def _keep(self, orbit: PeriodicOrbit) -> None:
        # without its dense run, which is computed again where it is asked for: a branch stays small
        point = replace(summarise(orbit), solution=replace(orbit))
        self.points.append(point)
        self._store(point, None)
        if self.progress is not None:
            self.progress(len(self.branch.points), orbit.parameters[self.branch.parameter])

    def _known(self, special: SpecialPoint) -> bool:
        """Whether the same was met before: a walk that has turned round goes over what is there."""
        # by where it is, not by its name: what is lost on the way there is gained on the way back
        value, period = special.parameter, special.solution.period
        return any(
            abs(other.parameter - value) < SAME * self.branch.extent
            and abs(other.solution.period - period) < SAME * period
            for other in self.branch.specials
        )

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

    def _end(self, reason: str, finished: bool = True) -> None:
        first, last = self.branch.ends
        self.branch.ends = (first, reason) if self.sign > 0 else (reason, last)
        if finished:
            self.branch.settings["finished"].append(self.sign)
            self.branch.settings.pop("walk", None)
        if self.save is not None and self.branch.points:
            self.save()

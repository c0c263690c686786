"""A walk along a branch in one direction: the loop of every continuation.

A step predicts along the tangent, a whole one on a straight stretch along the cubic through the last two points with
their tangents, corrects by Newton's method in the hyperplane at its length, and is accepted where the curve joins
smoothly and the motion keeps its signature. Steps grow where that is easy and shrink where it fails; a parameter that
would leave its bounds is taken to the bound itself. What solutions are, and what is looked for between two of them, the
problem says: see problem.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.analysis.orbits.continuation import keeping
from jounce.analysis.orbits.continuation.arclength import (
    Metric,
    correct,
    is_straight,
    joins_smoothly,
    leaves_tangent,
    stray,
    tangent,
    turns_back,
)
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, Solution, SpecialPoint
from jounce.analysis.orbits.continuation.place import Place
from jounce.analysis.orbits.continuation.problem import Problem
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.errors import Interrupted, SimulationError

Progress = Callable[[int, float], None]

#: Neighbouring tangents of one branch agree at least this well.
ALIGNED = 0.7
#: A step this short may turn as sharply as it likes: it is short because the branch is bent.
SHORT = 0.02
#: The longest step: that of the settings.
WHOLE = 1.0
#: Newton's method that needs no more iterations than this was quick.
QUICK = 4
#: Points between two checkpoints.
SAVE_EVERY = 10
CLOSED = "the branch closes: it is back where it began"


def follow(
    branch: Branch, problem: Callable[[], Problem], progress: Progress | None, save: Callable[[], None] | None = None
) -> None:
    """Walk along a branch in the directions that its settings ask for and that are not finished."""
    for sign in {"both": (-1, 1), "up": (1,), "down": (-1,)}[branch.settings["direction"]]:
        if sign not in branch.settings["finished"]:
            Walk(branch, problem(), sign, progress, save).go()


class Walk:
    """One direction of a continuation."""

    def __init__(
        self,
        branch: Branch,
        problem: Problem,
        sign: int,
        progress: Progress | None = None,
        save: Callable[[], None] | None = None,
    ) -> None:
        self.branch, self.problem, self.sign = branch, problem, sign
        self.progress, self.save = progress, save
        self.points: list[BranchPoint] = []
        self.size = problem.pace.first
        self.metric = Metric(np.ones(1))
        self.reason = ""
        #: equations, unknowns and direction of the place behind, for the prediction of the next one
        self.behind: tuple[Any, Floats, Floats] | None = None
        self.kept = (len(branch.points), len(branch.specials))
        self.saved = len(branch.points)

    # ------------------------------------------------------------------ the loop

    def go(self) -> None:
        """Follow the branch until it ends; Ctrl-C raises Interrupted with the branch so far."""
        try:
            for here in self.places():
                self._remember(here)
            self._end(self.reason)
        except KeyboardInterrupt:
            keeping.roll_back(self.branch, self.sign, self.kept)
            self._end("interrupted", finished=False)
            raise Interrupted(f"continuation interrupted after {len(self.branch)} points", self.branch) from None

    def places(self) -> Iterator[Place[Any, Any]]:
        """Where the walk stands before every step; ``reason`` says at last why it ended."""
        here = self.problem.begin(self)
        while not self.reason:
            yield here
            try:
                here, self.reason = self._step(here)
            except SimulationError as error:
                self.reason = f"the motion cannot be followed on: {error}"

    def _step(self, here: Place[Any, Any]) -> tuple[Place[Any, Any], str]:
        """One step: the next place, or the reason why there is none."""
        if len(self.points) >= self.branch.settings["max_points"]:
            return here, f"max_points = {len(self.points)} reached"
        here, reason = self.problem.prepared(self, here)
        if reason:
            return here, reason
        landed = self._landed(here)
        if landed is here:
            return here, self.reached(here)
        if landed is not None:
            return landed, self.accept(here, landed) or self.reached(landed)
        there, iterations = self._try(here, self.size)
        if there is None or there.signature != here.signature:
            return self.problem.missed(self, here, there)
        if not self.is_inside(
            there
        ):  # the bound itself could not be reached at once: a fold or a change may come first
            return self.shortened(here, self.reached(here))
        back = self._back(here, there)
        if back is not None:
            return back, self.accept(here, back) or CLOSED
        reason = self.accept(here, there)
        if reason:
            return here, reason
        self.behind = (here.equations, here.unknowns, here.direction)
        self.size = min(WHOLE, self.size * (self.problem.pace.growth if iterations <= QUICK else 1.0))
        return there, ""

    def _try(self, here: Place[Any, Any], length: float) -> tuple[Place[Any, Any] | None, int]:
        """The place at a length ahead; None if Newton's method fails, strays or turns too sharply."""
        ahead, bend = here.unknowns + length * here.direction, self._bend(here, length)
        # steps are shorter where the branch is bent or just begun: there a polynomial leads nowhere
        whole = bend is not None and length >= WHOLE and is_straight(self.metric, bend, length)
        guess = ahead + bend if bend is not None and whole else ahead
        try:
            unknowns, evaluation, iterations = correct(
                here.equations, guess, here.unknowns, here.direction, length, self.metric, CLOSES, stray(length)
            )
            there = self.place(here.equations, unknowns, evaluation, unknowns - here.unknowns)
        except (SimulationError, np.linalg.LinAlgError):
            return None, 0
        chord = there.unknowns - here.unknowns
        if length > SHORT and not joins_smoothly(self.metric, here.direction, chord, there.direction):
            return None, 0
        if bend is not None and turns_back(self.metric, there.unknowns - ahead, bend, length):
            return None, 0
        return there, iterations

    def _bend(self, here: Place[Any, Any], length: float) -> Floats | None:
        """By how much the branch leaves its tangent at a length ahead; None where the place behind does not tell."""
        if self.behind is None or self.behind[0] is not here.equations:
            return None
        return leaves_tangent(self.metric, (here.unknowns, here.direction), self.behind[1:], length)

    def shortened(self, here: Place[Any, Any], reason: str) -> tuple[Place[Any, Any], str]:
        """Try again with half the step; the reason to end where steps are as short as they may become."""
        self.size /= 2.0
        return here, reason if self.at_shortest else ""

    @property
    def at_shortest(self) -> bool:
        """Whether steps are as short as they may become."""
        return self.size <= self.problem.pace.smallest

    # ------------------------------------------------------------------ places

    def place(
        self, equations: Any, unknowns: Floats, evaluation: Any, ahead: Floats, solution: Solution = None
    ) -> Place[Any, Any]:
        """A solution with its tangent, turned the way ahead, and its test functions; ``solution`` if it is known."""
        direction = tangent(evaluation, self.metric)
        if self.metric.inner(direction, ahead) < 0.0:
            direction = -direction
        return self.problem.place(self, equations, unknowns, evaluation, direction, solution)

    def solve(self, here: Place[Any, Any], guess: Floats, length: float) -> Place[Any, Any]:
        """The place at a length ahead of another, from a guess near it."""
        unknowns, evaluation, _ = correct(
            here.equations, guess, here.unknowns, here.direction, length, self.metric, CLOSES
        )
        found = self.place(here.equations, unknowns, evaluation, here.direction)
        if found.signature != here.signature:
            raise SimulationError("the signature changes in between")
        return found

    def otherwise(self, here: Place[Any, Any], guess: Floats, length: float) -> Place[Any, Any] | None:
        """The same place, the motion computed in another way; None where there is no other way."""
        return self.problem.otherwise(self, here, guess, length)

    def axis(self, unknowns: Floats, number: int = -1) -> Floats:
        """The direction in which one parameter alone changes, by one step."""
        axis = np.zeros_like(unknowns)
        axis[number] = self.problem.free[number].span
        return axis

    @property
    def largest(self) -> float:
        """The largest step in the parameter; of two, in the second."""
        return self.problem.free[-1].span

    @property
    def extent(self) -> float:
        """How large the parameter is."""
        return self.branch.extent

    def _at(self, here: Place[Any, Any], number: int, value: float, along: Floats) -> Place[Any, Any]:
        """The place at which a parameter has a value, sought along a direction from a place not far from it."""
        away = value - here.unknowns[number]
        guess = here.unknowns + away / along[number] * along
        length, axis = away / self.problem.free[number].span, self.axis(here.unknowns, number)
        unknowns, evaluation, _ = correct(
            here.equations, guess, here.unknowns, axis, length, self.metric, CLOSES, stray(self.size)
        )
        return self.place(here.equations, unknowns, evaluation, here.direction)

    # ------------------------------------------------------------------ bounds

    def is_inside(self, there: Place[Any, Any], apart_from: int | None = None) -> bool:
        """Whether the parameters, perhaps apart from one, are within their bounds."""
        numbers = [number for number in self._numbers() if number != apart_from]
        free = self.problem.free
        return all(free[number].holds(there.unknowns[number]) for number in numbers)

    def reached(self, there: Place[Any, Any]) -> str:
        """The reason to end next to a bound: the nearest one, in steps."""
        parameters = [(self.problem.free[number], float(there.unknowns[number])) for number in self._numbers()]
        bounds = [
            (abs(b - value) / free.span, free.name, b) for free, value in parameters for b in (free.low, free.high)
        ]
        _, name, bound = min(bounds)
        return f"{name} reaches its bound {bound:g}"

    def _numbers(self) -> range:
        """The parameters by their numbers among the unknowns, counted from behind."""
        return range(-len(self.problem.free), 0)

    def _landed(self, here: Place[Any, Any]) -> Place[Any, Any] | None:
        """The place on the bound ahead, if the step reaches one, without a fold or a change of signature before."""
        met = []
        for number in self._numbers():
            free, value, slope = self.problem.free[number], here.unknowns[number], here.direction[number]
            ahead = value + self.size * slope
            if not free.holds(ahead):
                bound = free.low if ahead < free.low else free.high
                met.append(((bound - value) / slope, number, bound))
        if not met:
            return None
        length, number, bound = min(met)
        if length == 0.0:
            return here
        try:
            last = self._at(here, number, bound, here.direction)
        except (SimulationError, np.linalg.LinAlgError):
            return None
        turned = self.metric.inner(last.direction, here.direction) < ALIGNED
        return None if turned or last.signature != here.signature or not self.is_inside(last, number) else last

    def _back(self, here: Place[Any, Any], there: Place[Any, Any]) -> Place[Any, Any] | None:
        """The place at which the walk is back where it began, if it passes its first point between two others.

        The same solution must be passed in the same direction: behind a fold the parameter goes backwards, on a
        solution that may still look much alike.
        """
        first, change = self.points[0], there.value - here.value
        value = first.solution.parameters[self.problem.free[-1].name]
        ahead = len(self.points) > 1 and change * self.sign > 0.0
        if not (ahead and 0.0 < (value - here.value) / change <= 1.0):
            return None
        try:
            back = self._at(here, -1, value, there.unknowns - here.unknowns)
        except (SimulationError, np.linalg.LinAlgError):
            return None
        return back if self.problem.is_same(first, back) else None

    # ------------------------------------------------------------------ keeping

    def start(self, here: Place[Any, Any]) -> Place[Any, Any]:
        """Begin at a place: the first point of the branch, or the one at which another direction began."""
        if self.branch.points:
            self.points.append(self.branch.points[-1])
        else:
            self.kept = (1, 0)  # the first point stays, whatever interrupts
            self.add(here.solution)
        return here

    def accept(self, here: Place[Any, Any], there: Place[Any, Any]) -> str:
        """Keep the next point and what is passed on the way; the reason if the branch ended there."""
        reason = self.problem.passed(self, here, there)
        if not reason:
            self.add(there.solution)
        return reason

    def add(self, solution: Solution) -> None:
        """One more point."""
        # without its dense run, which is computed again where it is asked for: a branch stays small
        point = replace(self.problem.point(solution), solution=replace(solution))
        self.points.append(point)
        keeping.keep_point(self.branch, self.sign, point)
        if self.progress is not None:
            self.progress(len(self.branch.points), solution.parameters[self.branch.parameter])

    def note(self, special: SpecialPoint) -> None:
        """A bifurcation behind the last point."""
        keeping.keep_special(self.branch, self.sign, replace(special, solution=replace(special.solution)))

    def _remember(self, here: Place[Any, Any]) -> None:
        """Keep what the walk needs to be gone on with from here; write it down now and then."""
        branch, memory = self.branch, self.problem.memory(here)
        if memory is not None:
            progress: dict[str, Any] = {"sign": self.sign, "size": self.size, "count": len(self.points)}
            if self.behind is not None and self.behind[0] is here.equations:
                progress["behind"] = [numbers.tolist() for numbers in self.behind[1:]]
            branch.settings["walk"] = memory | progress
        self.kept = (len(branch.points), len(branch.specials))
        if self.save is not None and len(branch.points) >= self.saved + SAVE_EVERY:
            self.saved = len(branch.points)
            self.save()

    def resume(self, memory: dict[str, Any]) -> None:
        """Step lengths and points as they were when the walk was interrupted."""
        self.size, count = memory["size"], memory["count"]
        points = self.branch.points
        self.points = points[-count:] if self.sign > 0 else points[:count][::-1]

    def resume_behind(self, memory: dict[str, Any], equations: Any) -> None:
        """The place behind, of the same equations."""
        if "behind" in memory:
            unknowns, direction = map(np.array, memory["behind"])
            self.behind = (equations, unknowns, direction)

    def _end(self, reason: str, finished: bool = True) -> None:
        """Say why; a branch that closes is finished in both directions."""
        first, last = self.branch.ends
        ends = (first, reason) if self.sign > 0 else (reason, last)
        self.branch.ends = (reason, reason) if reason == CLOSED else ends
        if finished:
            self.branch.settings["finished"] += [-1, 1] if reason == CLOSED else [self.sign]
            self.branch.settings.pop("walk", None)
        if self.save is not None and self.branch.points:
            self.save()

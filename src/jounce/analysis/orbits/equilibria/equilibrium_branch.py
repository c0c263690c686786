"""continue_equilibrium: a branch of equilibria in one mode, with Hopf bifurcations, limit points and its boundaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS, confirmed, equilibrium_tests, find_zero
from jounce.analysis.orbits.continuation.arclength import Metric, correct, stray, tangent
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint, check_request
from jounce.analysis.orbits.continuation.walk import Progress
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium, balance, equilibrium_at, statics
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface, difference_jacobian
from jounce.analysis.orbits.solution.symmetry import find_symmetry
from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.system.system import System

#: Rest is accepted below this error of accelerations and gaps.
_ACCEPT = 1e-9
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class _Statics:
    residual: Floats
    jacobian: Floats
    expand: Floats
    closure: float


@dataclass(frozen=True, eq=False)
class RestProblem:
    """The equations of rest with one free parameter; unknowns (q, forces, p). Where a contact sticks it stays."""

    system: System
    modes: tuple[int, ...]
    parameters: dict[str, float]
    name: str

    def surface(self, value: float) -> ModeSurface:
        """The mode at a value of the parameter."""
        p = self.system.parameters(**{**self.parameters, self.name: float(value)})
        return ModeSurface(self.system, p, self.modes)

    def evaluate(self, guess: Floats) -> _Statics:
        """Residual and Jacobian."""
        n, size = self.system.n, len(guess)
        surface = self.surface(guess[-1])
        residual = statics(surface, guess[:-1])
        matrix = difference_jacobian(lambda x: statics(self.surface(x[-1]), x[:-1]), guess)
        held = [surface.contacts(0.0, guess[:n], np.zeros(n))[i, 5 + n :] for i in surface.sticking]
        held += [np.eye(n)[k] for k in find_symmetry(self.system).ignorable]
        expand = np.eye(size)
        if held:
            rows = np.zeros((len(held), size))
            rows[:, :n] = held
            expand = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :].T
        scale = 1.0 + float(np.abs(guess).max())
        return _Statics(residual, matrix @ expand, expand, float(np.abs(residual).max(initial=0.0)) / scale)

    def projected(self, guess: Floats) -> Floats:
        """Nothing to project: gaps and joints are among the equations."""
        return guess

    def equilibrium(self, guess: Floats) -> Equilibrium:
        """The solution as an Equilibrium."""
        return equilibrium_at(self.system, self.modes, self.surface(guess[-1]).p, guess[: self.system.n].copy())


@dataclass(frozen=True, eq=False)
class _Place:
    unknowns: Floats
    direction: Floats
    equilibrium: Equilibrium
    tests: dict[str, float]


def continue_equilibrium(
    equilibrium: Equilibrium,
    parameter: str,
    bounds: tuple[float, float],
    *,
    step: float | None = None,
    direction: str = "both",
    max_points: int = 1000,
    progress: Progress | None = None,
) -> Branch:
    """Follow an equilibrium in a parameter: Hopf and limit points, and where its mode stops being consistent.

    The arguments are those of ``continue_orbit``. The branch ends where a force, a gap or a slip velocity vanishes.
    """
    if not isinstance(equilibrium, Equilibrium):
        kind = type(equilibrium).__name__
        other = "; an orbit is followed with continue_orbit" if kind == "PeriodicOrbit" else ""
        raise OptionError(f"continue_equilibrium follows an Equilibrium, as find_equilibrium gives, not {kind}{other}")
    low, high = check_request(equilibrium, parameter, bounds, step, direction, max_points)
    largest = float(step) if step is not None else (high - low) / 100
    branch = Branch(parameter, (low, high), "equilibrium", ends=("not followed", "not followed"))
    branch.settings = {"step": largest, "direction": direction, "max_points": max_points}
    walks = {"both": (-1, 1), "up": (1,), "down": (-1,)}[direction]
    for sign in walks:
        try:
            points, specials, reason = _Walk(equilibrium, branch, sign, max_points, progress).go()
        except KeyboardInterrupt:
            branch.ends = ("interrupted", "interrupted")
            raise Interrupted("continuation interrupted", branch) from None
        _join(branch, sign, points, specials, reason)
    return branch


def _join(branch: Branch, sign: int, points: list[BranchPoint], specials: list[SpecialPoint], reason: str) -> None:
    """Downwards the walk is reversed and put in front, so that the branch is one curve."""
    first, last = branch.ends
    if sign < 0:
        branch.points = points[::-1]
        count = len(points)
        branch.specials = [_moved(special, count - special.index) for special in specials[::-1]]
        branch.ends = (reason, last)
        return
    offset = max(len(branch.points) - 1, 0)
    branch.points += points[1:] if branch.points else points
    branch.specials += [_moved(special, offset + special.index) for special in specials]
    branch.ends = (first, reason)


def _moved(special: SpecialPoint, index: int) -> SpecialPoint:
    return SpecialPoint(
        special.kind, special.parameter, special.uncertainty, special.solution, special.explanation, index
    )


class _Walk:
    def __init__(
        self, equilibrium: Equilibrium, branch: Branch, sign: int, max_points: int, progress: Progress | None
    ) -> None:
        self.problem = RestProblem(equilibrium.system, equilibrium.modes, equilibrium.parameters, branch.parameter)
        self.branch, self.sign, self.max_points, self.progress = branch, sign, max_points, progress
        value = equilibrium.parameters[branch.parameter]
        start = balance(self.problem.surface(value), np.array(equilibrium.state.q))
        size = 0.1 * np.maximum(np.abs(start), 0.1)
        self.metric = Metric(np.append(1.0 / size / np.sqrt(len(start)), 1.0 / branch.settings["step"]))
        self.points: list[BranchPoint] = []
        self.specials: list[SpecialPoint] = []
        self.start = np.append(start, value)

    def go(self) -> tuple[list[BranchPoint], list[SpecialPoint], str]:
        axis = np.zeros_like(self.start)
        axis[-1] = self.sign
        here = self._place(self.start, self.problem.evaluate(self.start), axis)
        self._add(here)
        size, reason = 0.25, ""
        while not reason:
            if len(self.points) >= self.max_points:
                return self.points, self.specials, f"max_points = {self.max_points} reached"
            there, iterations = self._try(here, size)
            if there is None:
                size /= 2.0
                reason = "Newton's method no longer converges" if size < _SMALLEST_STEP else ""
                continue
            here, reason = self._keep(here, there)
            size = min(1.0, size * (1.6 if iterations <= 4 else 1.0))
        return self.points, self.specials, reason

    def _try(self, here: _Place, length: float) -> tuple[_Place | None, int]:
        try:
            unknowns, evaluation, iterations = self._correct(here, here.unknowns + length * here.direction, length)
            return self._place(unknowns, evaluation, unknowns - here.unknowns), iterations
        except (SimulationError, np.linalg.LinAlgError):
            return None, 0

    def _correct(self, here: _Place, guess: Floats, length: float) -> tuple[Floats, Any, int]:
        return correct(self.problem, guess, here.unknowns, here.direction, length, self.metric, _ACCEPT, stray(length))

    def _place(self, unknowns: Floats, evaluation: Any, ahead: Floats) -> _Place:
        direction = tangent(evaluation, self.metric)
        if self.metric.inner(direction, ahead) < 0.0:
            direction = -direction
        found = self.problem.equilibrium(unknowns)
        tests = equilibrium_tests(found.nontrivial, direction)
        return _Place(unknowns, direction, found, tests | found.margins)

    def _keep(self, here: _Place, there: _Place) -> tuple[_Place, str]:
        """Locate what lies between two places, keep the second unless the branch ends before it."""
        length = self.metric.inner(here.direction, there.unknowns - here.unknowns)
        found = []
        for name in here.tests:
            if here.tests[name] * there.tests[name] < 0.0:
                try:
                    place, at = self._zero(name, here, there, length)
                except (SimulationError, np.linalg.LinAlgError):
                    continue  # a pole, not a zero: the contact problem becomes singular in between
                if abs(place.tests[name]) < 1e-3 * max(abs(here.tests[name]), abs(there.tests[name])):
                    found.append((at, name, place))
        bound = self._bound(here, there, length)
        for _, name, place in sorted(found, key=lambda item: item[0]):
            value = float(place.unknowns[-1])
            if bound is not None and abs(value - here.unknowns[-1]) > abs(bound[0] - here.unknowns[-1]):
                break
            if name in EXPLANATIONS:
                if confirmed(name, place.equilibrium.nontrivial):
                    self._note(name, place, EXPLANATIONS[name][1])
                continue
            self._add(place)
            self._note("boundary", place, f"the {name} vanishes: beyond, the mode is not consistent")
            return place, f"the {name} vanishes at {self.branch.parameter} = {value:.9g}"
        if bound is not None:
            self._add(bound[1])
            return bound[1], f"{self.branch.parameter} reaches its bound {bound[0]:g}"
        self._add(there)
        return there, ""

    def _zero(self, name: str, here: _Place, there: _Place, length: float) -> tuple[_Place, float]:
        def place(at: float) -> _Place:
            guess = here.unknowns + at / length * (there.unknowns - here.unknowns)
            unknowns, evaluation, _ = self._correct(here, guess, at)
            return self._place(unknowns, evaluation, here.direction)

        at = find_zero(lambda s: place(s).tests[name], 0.0, length, here.tests[name], there.tests[name])
        return place(at), at

    def _bound(self, here: _Place, there: _Place, length: float) -> tuple[float, _Place] | None:
        """The place on the bound that was passed, if one was."""
        low, high = self.branch.bounds
        value = float(there.unknowns[-1])
        if low <= value <= high:
            return None
        bound = low if value < low else high
        share = (bound - here.unknowns[-1]) / (value - here.unknowns[-1])
        axis = np.zeros_like(here.unknowns)
        axis[-1] = 1.0 / self.metric.weights[-1]
        at = (bound - here.unknowns[-1]) * self.metric.weights[-1]
        guess = here.unknowns + share * (there.unknowns - here.unknowns)
        unknowns, evaluation, _ = correct(
            self.problem, guess, here.unknowns, axis, at, self.metric, _ACCEPT, stray(length)
        )
        return bound, self._place(unknowns, evaluation, here.direction)

    def _add(self, place: _Place) -> None:
        z = np.concatenate([place.equilibrium.state.q, place.equilibrium.state.u])
        self.points.append(BranchPoint(place.equilibrium, z, z, z))
        if self.progress is not None:
            self.progress(len(self.points), float(place.unknowns[-1]))

    def _note(self, kind: str, place: _Place, words: str) -> None:
        value = float(place.unknowns[-1])
        self.specials.append(
            SpecialPoint(kind, value, 1e-13 * (1.0 + abs(value)), place.equilibrium, words, len(self.points))
        )

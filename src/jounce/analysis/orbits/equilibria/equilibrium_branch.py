"""continue_equilibrium: a branch of equilibria in one mode, with Hopf bifurcations, limit points and its boundaries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jounce.analysis.orbits.bifurcations.branch_points import kind_of
from jounce.analysis.orbits.bifurcations.crossings import Zero, crossings
from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS, equilibrium_tests, find_zero
from jounce.analysis.orbits.continuation.arclength import Metric, correct, stray, tangent
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint, check_request
from jounce.analysis.orbits.continuation.walk import Progress
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium, equilibrium_at
from jounce.analysis.orbits.equilibria.statics import (
    at_rest,
    balance,
    places_of,
    statics,
    statics_jacobian,
    statics_measure,
    statics_sizes,
)
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface
from jounce.analysis.orbits.solution.symmetry import find_symmetry
from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.model.symbols import is_integral
from jounce.system.system import System

#: Rest is accepted below this error of forces and gaps, relative to their terms.
_ACCEPT = 1e-9
_SMALLEST_STEP = 1e-6
#: Part of the forces whose change makes the size of an unknown that is zero.
_LEAST = 0.1
#: A zero is known to this part of the parameter's extent at best.
_ACCURACY = 1e-12
#: Distances at which a crossing branch is looked for, in the metric of the branch.
_DISTANCES = (0.3, 0.1, 1.0, 0.03)


@dataclass(frozen=True, eq=False)
class _Statics:
    residual: Floats
    jacobian: Floats
    expand: Floats
    closure: float

    @property
    def full(self) -> Floats:
        """The residual itself."""
        return self.residual

    def lifted(self, left: Floats) -> Floats:
        """A vector on the residual as it is."""
        return left


@dataclass(frozen=True, eq=False)
class RestProblem:
    """The equations of rest with one free parameter; unknowns (places, forces, p). Where a contact sticks it stays.

    measure   of the equations, from where the branch begins: one for the whole branch, so that they stay smooth
    """

    system: System
    modes: tuple[int, ...]
    parameters: dict[str, float]
    name: str
    measure: Floats

    def surface(self, value: float) -> ModeSurface:
        """The mode at a value of the parameter."""
        p = self.system.parameters(**{**self.parameters, self.name: float(value)})
        return ModeSurface(self.system, p, self.modes)

    def evaluate(self, guess: Floats) -> _Statics:
        """Residual and Jacobian."""
        n, size = self.system.n, len(guess)
        surface = self.surface(guess[-1])
        residual = statics(surface, guess[:-1]) / self.measure
        matrix = statics_jacobian(surface, guess[:-1], self.name) / self.measure[:, None]
        held = [surface.contacts(0.0, *at_rest(self.system, guess[:n]))[i, 5 + n :] for i in surface.sticking]
        names = self.system.coordinate_names
        held += [np.eye(n)[k] for k in find_symmetry(self.system).ignorable if not is_integral(names[k])]
        expand = np.eye(size)
        if held:
            rows = np.zeros((len(held), size))
            rows[:, :n] = np.array(held) / np.linalg.norm(held, axis=1)[:, None]
            expand = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :].T
            if len(rows) + expand.shape[1] == size and np.linalg.det(np.vstack([rows, expand.T])) < 0.0:
                expand[:, 0] *= -1.0  # one orientation along the branch: the sign of determinants has a meaning
        return _Statics(residual, matrix @ expand, expand, float(np.abs(residual).max(initial=0.0)))

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

    @property
    def value(self) -> float:
        """The parameter."""
        return float(self.unknowns[-1])

    @property
    def spectrum(self) -> np.ndarray:
        """The eigenvalues that decide stability."""
        return self.equilibrium.nontrivial

    @property
    def unstable(self) -> int:
        """How many of them have a positive real part."""
        return self.equilibrium.unstable

    @property
    def neutral(self) -> int:
        """How many have none, as far as they are known."""
        return int(np.sum(np.abs(self.spectrum.real) <= self.equilibrium.width))

    @property
    def margin(self) -> float:
        """How far the nearest eigenvalue is from the imaginary axis, relative to the largest."""
        largest = float(np.abs(self.spectrum).max(initial=0.0)) or 1.0
        return float(np.min(np.abs(self.spectrum.real), initial=np.inf)) / largest

    @property
    def regular(self) -> bool:
        """Smooth in its mode."""
        return True


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
    return replace(special, index=index)


class _Walk:
    def __init__(
        self, equilibrium: Equilibrium, branch: Branch, sign: int, max_points: int, progress: Progress | None
    ) -> None:
        self.branch, self.sign, self.max_points, self.progress = branch, sign, max_points, progress
        value = equilibrium.parameters[branch.parameter]
        self.problem = RestProblem(
            equilibrium.system, equilibrium.modes, equilibrium.parameters, branch.parameter, np.ones(1)
        )
        start = balance(self.problem.surface(value), places_of(equilibrium.system, equilibrium.state))
        self.problem = replace(self.problem, measure=self._measure(start, value))
        size = 0.1 * _unknown_sizes(self.problem, start, value)
        self.metric = Metric(np.append(1.0 / size / np.sqrt(len(start)), 1.0 / branch.settings["step"]))
        self.points: list[BranchPoint] = []
        self.specials: list[SpecialPoint] = []
        self.start = np.append(start, value)

    def _measure(self, start: Floats, value: float) -> Floats:
        """The largest terms of the equations at the start, for the parameter there and at its bounds."""
        surfaces = [self.problem.surface(at) for at in (value, *self.branch.bounds)]
        sizes = np.max([statics_sizes(surface, start) for surface in surfaces], axis=0)
        return statics_measure(surfaces[0], start, sizes)

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
        tests = equilibrium_tests(found.nontrivial, evaluation, direction, self.metric)
        return _Place(unknowns, direction, found, tests | found.margins)

    def _keep(self, here: _Place, there: _Place) -> tuple[_Place, str]:
        """Locate what lies between two places, keep the second unless the branch ends before it."""
        length = self.metric.inner(here.direction, there.unknowns - here.unknowns)
        found: list[tuple[float, Zero, bool]] = []
        for name in here.equilibrium.margins:
            if here.tests[name] * there.tests[name] < 0.0:
                try:
                    place, at = self._zero(name, here, there, length)
                except (SimulationError, np.linalg.LinAlgError):
                    continue  # a pole, not a zero: the contact problem becomes singular in between
                if abs(place.tests[name]) < 1e-3 * max(abs(here.tests[name]), abs(there.tests[name])):
                    spread = _ACCURACY * self.extent
                    found.append(
                        (at, Zero(name, at, place.value, spread, place, place.unknowns, place.direction), False)
                    )
        turns = here.tests["limit_point"] * there.tests["limit_point"] < 0.0
        found += [(zero.at, zero, turns) for zero in crossings(self, here, there)]
        bound = self._bound(here, there, length)
        for _, zero, turns in sorted(found, key=lambda item: item[0]):
            value, name = zero.value, zero.kind
            if bound is not None and abs(value - here.unknowns[-1]) > abs(bound[0] - here.unknowns[-1]):
                break
            if name in EXPLANATIONS:
                self._note_zero(zero, here, there, turns)
                continue
            self._add(zero.place)
            words = f"the {name} vanishes: beyond, the mode is not consistent"
            self._note("boundary", zero, zero.place.equilibrium, words)
            return zero.place, f"the {name} vanishes at {self.branch.parameter} = {value:.9g}"
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

    def _note(
        self, kind: str, zero: Zero, equilibrium: Equilibrium, words: str, direction: Floats | None = None
    ) -> None:
        spread = max(zero.uncertainty, _ACCURACY * self.extent)
        index = len(self.points)
        self.specials.append(SpecialPoint(kind, zero.value, spread, equilibrium, words, index, direction=direction))

    def _note_zero(self, zero: Zero, here: _Place, there: _Place, turns: bool) -> None:
        """The entry for a zero of a test function."""
        name, words = self.branch.parameter, EXPLANATIONS[zero.kind][1]
        if zero.kind == "stability_change":
            words = (
                f"between {name} = {here.value:.9g} and {there.value:.9g} the number of unstable eigenvalues changes "
                f"from {here.unstable} to {there.unstable}, and what happens could not be resolved"
            )
        if zero.kind != "branch_point":
            self._note(zero.kind, zero, zero.place.equilibrium, words)
            return
        kind = kind_of(self, self.problem, zero, name, _ACCEPT, turns)
        found = self.problem.equilibrium(zero.unknowns)
        self._note(kind.name, zero, found, kind.words.replace("multiplier is +1", "n eigenvalue is 0"), kind.direction)

    @property
    def extent(self) -> float:
        """How large the parameter is."""
        return self.branch.extent

    def solve(self, here: _Place, guess: Floats, length: float) -> _Place:
        """The place at a length ahead of another, from a guess near it."""
        unknowns, evaluation, _ = correct(
            self.problem, guess, here.unknowns, here.direction, length, self.metric, _ACCEPT
        )
        return self._place(unknowns, evaluation, here.direction)

    def otherwise(self, here: _Place, guess: Floats, length: float) -> None:
        """Equilibria depend on no method."""


def _unknown_sizes(problem: RestProblem, unknowns: Floats, value: float) -> Floats:
    """What coordinates and forces are, or a tenth of what changes the forces by as much as they are."""
    matrix = statics_jacobian(problem.surface(value), unknowns) / problem.measure[:, None]
    strongest = np.abs(matrix).max(axis=0)
    changes = np.divide(_LEAST, strongest, out=np.zeros(len(unknowns)), where=strongest > 0.0)
    sizes = np.maximum(np.abs(unknowns), changes)
    return np.where(sizes > 0.0, sizes, 1.0)


def crossing_equilibrium(branch: Branch, at: Equilibrium, direction: Floats, side: float) -> Equilibrium:
    """An equilibrium on the branch that crosses at a branch point, at a small distance along its direction."""
    walk = _Walk(at, branch, 1, 2, None)
    value = at.parameters[branch.parameter]
    start = np.append(balance(walk.problem.surface(value), places_of(at.system, at.state)), value)
    unit = direction / walk.metric.norm(direction)
    for distance in _DISTANCES:
        try:
            unknowns, _, _ = correct(
                walk.problem, start + side * distance * unit, start, unit, side * distance, walk.metric, _ACCEPT,
                0.7 * distance,
            )  # fmt: skip
        except SimulationError:
            continue
        return walk.problem.equilibrium(unknowns)
    raise SimulationError("no equilibrium was found on the branch that crosses at this point")

"""Branches of periodic orbits: what their walk does beyond its steps.

An orbit's events may change: the change is located, named, and the branch beyond it sought. Nodes are moved out of the
way of events, and a branch ends where its orbits shrink to a point or halve their period.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jounce.analysis.orbits.bifurcations import boundaries, origins
from jounce.analysis.orbits.bifurcations.crossings import crossings
from jounce.analysis.orbits.bifurcations.entries import entry
from jounce.analysis.orbits.bifurcations.test_functions import EXPLANATIONS, orbit_tests
from jounce.analysis.orbits.bifurcations.touching import least_gaps
from jounce.analysis.orbits.continuation import keeping, restart
from jounce.analysis.orbits.continuation.arclength import correct
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint
from jounce.analysis.orbits.continuation.orbit_metric import orbit_metric
from jounce.analysis.orbits.continuation.place import OrbitPlace, Place
from jounce.analysis.orbits.continuation.problem import Freedom, Problem
from jounce.analysis.orbits.continuation.summary import is_same_orbit, orbit_stability, summarise
from jounce.analysis.orbits.continuation.walk import SHORT, Walk
from jounce.analysis.orbits.solution import nodes
from jounce.analysis.orbits.solution.evaluation import Evaluation
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, orbit_from, otherwise
from jounce.analysis.orbits.solution.shooting import Shooting
from jounce.analysis.orbits.solution.signature import signature_of
from jounce.errors import SimulationError

#: Changes of signature after which a walk is given up.
MOST_CHANGES = 60


class OrbitProblem(Problem):
    """A periodic orbit in one parameter."""

    turn, spectrum = "fold", "multipliers"

    def __init__(self, orbit: PeriodicOrbit, branch: Branch) -> None:
        super().__init__((Freedom(branch.parameter, *branch.bounds, branch.settings["step"]),))
        self.orbit, self.branch = orbit, branch
        self.changes = 0

    # ------------------------------------------------------------------ places

    def begin(self, walk: Walk) -> OrbitPlace:
        """Where an interrupted walk was, or the given orbit."""
        branch = self.branch
        memory = branch.settings.get("walk")
        if memory is not None and memory["sign"] == walk.sign:
            return self._resumed(walk, memory)
        if not branch.settings["finished"]:  # interrupted before its first step: begun anew
            branch.points.clear()
        start = branch.points[-1].solution if branch.points else self.orbit
        equations, unknowns = restart.problem_of(start, branch).placed(start.run, start.nodes)
        walk.metric = orbit_metric(start, equations, self.free)
        axis = walk.axis(unknowns)
        unknowns, evaluation, _ = correct(equations, unknowns, unknowns, axis, 0.0, walk.metric, CLOSES)
        return walk.start(walk.place(equations, unknowns, evaluation, axis * walk.sign))

    def _resumed(self, walk: Walk, memory: dict[str, Any]) -> OrbitPlace:
        """Exactly where the walk was when it was interrupted."""
        walk.resume(memory)
        self.changes = memory["changes"]
        equations, unknowns, direction = restart.recall(walk.points[-1].solution, self.branch, memory)
        walk.resume_behind(memory, equations)
        evaluation = equations.evaluate(unknowns)
        walk.metric = orbit_metric(orbit_from(equations, unknowns, evaluation), equations, self.free)
        return walk.place(equations, unknowns, evaluation, direction)

    def memory(self, here: OrbitPlace) -> dict[str, Any]:
        """Equations, unknowns and direction, and how often the signature has changed."""
        return restart.memory(here.equations, here.unknowns, here.direction) | {"changes": self.changes}

    def place(
        self,
        walk: Walk,
        equations: Shooting,
        unknowns: Floats,
        evaluation: Evaluation,
        direction: Floats,
        solution: PeriodicOrbit | None = None,
    ) -> OrbitPlace:
        """An orbit with its test functions."""
        orbit = orbit_from(equations, unknowns, evaluation) if solution is None else solution
        tests = orbit_tests(orbit.spectrum.reduced, evaluation, direction, walk.metric)
        return Place(equations, unknowns, evaluation, direction, orbit, tests, orbit_stability(orbit))

    def solution(self, equations: Shooting, unknowns: Floats) -> PeriodicOrbit:
        """The orbit of unknowns that solve the equations."""
        return orbit_from(equations, unknowns, equations.evaluate(unknowns))

    def otherwise(self, walk: Walk, here: OrbitPlace, guess: Floats, length: float) -> OrbitPlace:
        """The motion computed in shorter steps and with bounces cut off earlier."""
        equations = replace(here.equations, options=otherwise(here.equations.options, here.solution.run))
        return walk.solve(replace(here, equations=equations), guess, length)

    def point(self, solution: PeriodicOrbit) -> BranchPoint:
        """Extremes and the state at the section."""
        return summarise(solution)

    def is_same(self, first: BranchPoint, there: OrbitPlace) -> bool:
        """Whether the states at the section agree."""
        return is_same_orbit(first, there.solution)

    # ------------------------------------------------------------------ what a step can meet

    def prepared(self, walk: Walk, here: OrbitPlace) -> tuple[OrbitPlace, str]:
        """Nodes where there is room, in a metric that knows the orbit's present size."""
        vanished = origins.vanished(here, self.branch.parameter)
        if vanished:
            return here, vanished
        here = nodes.moved(walk, here)
        walk.metric = orbit_metric(here.solution, here.equations, self.free)
        return walk.place(here.equations, here.unknowns, here.evaluation, here.direction, here.solution), ""

    def missed(self, walk: Walk, here: OrbitPlace, there: OrbitPlace | None) -> tuple[OrbitPlace, str]:
        """Shorter steps as long as the motion keeps its signature; else across the change."""
        if there is None and walk.size > SHORT and not self._leaves_signature(here, walk.size):
            return walk.shortened(here, "")
        return self._cross(walk, here, walk.size)

    def _leaves_signature(self, here: OrbitPlace, length: float) -> bool:
        """Whether the motion from the predicted state has another signature already."""
        run = boundaries.motion_at(here.equations, here.unknowns + length * here.direction)
        return run is None or signature_of(run) != here.signature

    def _cross(self, walk: Walk, here: OrbitPlace, length: float) -> tuple[OrbitPlace, str]:
        """A change of signature within ``length``: locate it, name it, and find the branch beyond."""
        elsewhere = nodes.with_more_room(walk, here)
        if elsewhere is not None:
            return elsewhere, ""
        edge = boundaries.locate(walk, here, length)
        if isinstance(edge, Place):
            walk.size /= 4.0
            return edge, walk.accept(here, edge)
        if edge is None or not self.free[0].holds(edge.value):
            if not walk.at_shortest:
                walk.size /= 4.0
                return here, ""
            words = f"Newton's method no longer converges beyond {self.at(here)}, and the signature does not change"
            return here, words + least_gaps(here.solution)
        elsewhere = nodes.with_more_room(walk, edge.place)
        if elsewhere is not None:
            return elsewhere, walk.accept(here, elsewhere)
        special = edge.special()
        if keeping.is_known(self.branch, special):
            return here, self._comes_back(edge.value)
        walk.accept(here, edge.place)
        walk.note(special)
        self.changes += 1
        if self.changes > MOST_CHANGES:
            return edge.place, f"{MOST_CHANGES} changes of signature"
        return self._beyond(walk, edge)

    def _beyond(self, walk: Walk, edge: boundaries.Edge) -> tuple[OrbitPlace, str]:
        """The branch behind a change of signature."""
        beyond, name = boundaries.beyond(walk, edge), self.branch.parameter
        if beyond is None:
            return edge.place, f"{edge.change.name} at {name} = {edge.value:.9g}: no orbit emanates beyond"
        if not walk.is_inside(beyond):
            return edge.place, walk.reached(beyond)
        walk.add(beyond.solution)
        walk.size = self.pace.first / 4
        return beyond, ""

    # ------------------------------------------------------------------ between two places

    def passed(self, walk: Walk, here: OrbitPlace, there: OrbitPlace) -> str:
        """Bifurcations of the orbit, and its origins."""
        if there.signature != here.signature:
            return ""  # there is the orbit beyond a change that has been named
        if origins.halved(here, there):
            return self._halve(walk, here, there)
        for zero in crossings(walk, here, there):
            if zero.kind == "fold":
                origin = origins.shrunk(zero.place, here, self.branch.parameter)
                if origin:
                    return origin
            special = entry(walk, zero, here, there)
            if keeping.is_known(self.branch, special):
                return self._comes_back(zero.value)
            walk.note(special)
        return ""

    def _comes_back(self, value: float) -> str:
        return f"the branch comes back on itself at {self.branch.parameter} = {value:.9g}"

    def _halve(self, walk: Walk, here: OrbitPlace, there: OrbitPlace) -> str:
        """End at the period doubling from which the branch came."""
        name = self.branch.parameter
        try:
            origin = origins.period_doubling(here, there, self.branch)
        except SimulationError:
            return f"the orbit becomes one of half its period near {name} = {here.value:.4g}: a period doubling"
        value = origin.parameters[name]
        spread = origins.SETTLED * self.branch.extent
        walk.note(SpecialPoint("period_halving", value, spread, origin, EXPLANATIONS["period_halving"][1], 0))
        walk.add(origin)
        return f"the orbit becomes one of half its period at {name} = {value:.10g}: a period doubling"

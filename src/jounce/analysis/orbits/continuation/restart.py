"""What a walk along a branch needs to be gone on with as if it had never stopped: numbers, kept with the branch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
from jounce.analysis.orbits.solution.shooting import Shooting, shooting_of


def problem_of(orbit: PeriodicOrbit, parameter: str) -> Shooting:
    """The equations of an orbit with one free parameter, its nodes not yet placed."""
    return replace(shooting_of(orbit), free=(parameter,))


def at_its_nodes(orbit: PeriodicOrbit, parameter: str) -> tuple[Shooting, Floats]:
    """The same equations at exactly the nodes that the orbit has, and the unknowns that solve them."""
    shots = orbit.shots or (orbit.state,)
    problem = problem_of(orbit, parameter)
    first = orbit.state.t / orbit.period if problem.multiple else 0.0
    codes = orbit.run.mode_codes_at(np.array([shot.t for shot in shots]), "right")
    problem = replace(
        problem,
        fractions=tuple(first + (shot.t - shots[0].t) / orbit.period for shot in shots),
        modes=tuple(tuple(int(mode) for mode in row) for row in codes),
        memories=tuple(tuple(shot.memory.tolist()) for shot in shots if shot.states),
    )
    states = [np.concatenate([shot.q, shot.u]) for shot in shots]
    return problem, problem.pack(states, orbit.period, [orbit.parameters[parameter]])


def memory(problem: Shooting, unknowns: Floats, direction: Floats) -> dict[str, Any]:
    """A place and the way ahead, as JSON keeps them: every bit of a float comes back."""
    return {
        "unknowns": unknowns.tolist(),
        "direction": direction.tolist(),
        "fractions": list(problem.fractions),
        "modes": [list(modes) for modes in problem.modes],
        "memories": [list(memory) for memory in problem.memories],
        "usual": problem.usual,
    }


def recall(orbit: PeriodicOrbit, parameter: str, kept: dict[str, Any]) -> tuple[Shooting, Floats, Floats]:
    """The equations, their solution and the direction of the branch there."""
    problem = replace(
        problem_of(orbit, parameter),
        fractions=tuple(kept["fractions"]),
        modes=tuple(tuple(modes) for modes in kept["modes"]),
        memories=tuple(tuple(memory) for memory in kept.get("memories", [])),
        usual=kept["usual"],
    )
    return problem, np.array(kept["unknowns"]), np.array(kept["direction"])


def roll_back(branch: Branch, sign: int, kept: tuple[int, int]) -> None:
    """Take away what a step that was interrupted had already added."""
    points, specials = max(0, len(branch.points) - kept[0]), max(0, len(branch.specials) - kept[1])
    if sign > 0:
        del branch.points[kept[0] :], branch.specials[kept[1] :]
        return
    del branch.points[:points], branch.specials[:specials]
    branch.specials[:] = [replace(special, index=special.index - points) for special in branch.specials]

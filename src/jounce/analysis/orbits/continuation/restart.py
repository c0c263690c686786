"""What a walk along a branch needs to be gone on with as if it had never stopped: numbers, kept with the branch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, orbit_sizes
from jounce.analysis.orbits.solution.problems import shooting_of
from jounce.analysis.orbits.solution.shooting import Shooting
from jounce.analysis.variables import variables_of


def problem_of(orbit: PeriodicOrbit, branch: Branch) -> Shooting:
    """The equations of an orbit with the branch's parameter free, its nodes not yet placed."""
    return replace(shooting_of(orbit), free=(branch.parameter,), extents=(branch.extent,))


def at_its_nodes(orbit: PeriodicOrbit, branch: Branch) -> tuple[Shooting, Floats]:
    """The same equations at exactly the nodes that the orbit has, and the unknowns that solve them."""
    shots = orbit.shots or (orbit.state,)
    problem = problem_of(orbit, branch)
    first = orbit.state.t / orbit.period if problem.multiple else 0.0
    codes = orbit.run.mode_codes_at(np.array([shot.t for shot in shots]), "right")
    problem = replace(
        problem,
        fractions=tuple(first + (shot.t - shots[0].t) / orbit.period for shot in shots),
        modes=tuple(tuple(int(mode) for mode in row) for row in codes),
        memories=tuple(tuple(shot.memory.tolist()) for shot in shots if shot.memory.size),
        sizes=orbit_sizes(orbit),
    )
    states = [variables_of(orbit.system, shot, orbit.remembered) for shot in shots]
    return problem, problem.pack(states, orbit.period, [orbit.parameters[branch.parameter]])


def memory(problem: Shooting, unknowns: Floats, direction: Floats) -> dict[str, Any]:
    """A place and the way ahead, as JSON keeps them: every bit of a float comes back."""
    return {
        "unknowns": unknowns.tolist(),
        "direction": direction.tolist(),
        "fractions": list(problem.fractions),
        "modes": [list(modes) for modes in problem.modes],
        "memories": [list(memory) for memory in problem.memories],
        "usual": problem.usual,
        "sizes": problem.sizes.tolist(),
    }


def recall(orbit: PeriodicOrbit, branch: Branch, kept: dict[str, Any]) -> tuple[Shooting, Floats, Floats]:
    """The equations, their solution and the direction of the branch there."""
    problem = replace(
        problem_of(orbit, branch),
        fractions=tuple(kept["fractions"]),
        modes=tuple(tuple(modes) for modes in kept["modes"]),
        memories=tuple(tuple(memory) for memory in kept.get("memories", [])),
        usual=kept["usual"],
        sizes=np.array(kept["sizes"]),
    )
    return problem, np.array(kept["unknowns"]), np.array(kept["direction"])

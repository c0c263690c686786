"""continue_orbit: a branch of periodic orbits by pseudo-arclength, its bifurcations located on the way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from jounce.analysis.orbits.continuation.branch import Branch, check_request
from jounce.analysis.orbits.continuation.orbit_problem import OrbitProblem
from jounce.analysis.orbits.continuation.walk import Progress, follow
from jounce.analysis.orbits.equilibria.equilibrium import find_equilibrium
from jounce.analysis.orbits.files import resumed_branch, save_branch
from jounce.analysis.orbits.solution.newton import newton
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, orbit_from
from jounce.analysis.orbits.solution.problems import shooting_of
from jounce.errors import OptionError
from jounce.file_targets import checked_path, file_to_replace


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

    Ctrl-C raises ``jounce.errors.Interrupted``, a KeyboardInterrupt whose ``partial`` is the branch so far.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1)
    >>> round(branch.find("period_doubling")[0].parameter, 5)
    3.15753
    """
    if not isinstance(orbit, PeriodicOrbit):
        other = (
            "; an equilibrium is followed with continue_equilibrium" if type(orbit).__name__ == "Equilibrium" else ""
        )
        raise OptionError(
            f"continue_orbit follows a PeriodicOrbit, as find_orbit gives, not {type(orbit).__name__}{other}"
        )
    bounds = check_request(orbit, parameter, bounds, step, direction, max_points, progress)
    branch = Branch.begun(parameter, bounds, "orbit", step, direction, max_points)
    save = None
    if checkpoint is not None:
        file_to_replace(checked_path("checkpoint", checkpoint))
        branch = resumed_branch(checkpoint, branch, orbit)
        save = partial(save_branch, branch, checkpoint)
    follow(branch, lambda: OrbitProblem(orbit, branch), progress, save)
    return branch


def solution_at(orbit: Any, parameter: str, value: float) -> Any:
    """The solution at another value of the parameter, by Newton's method from this one."""
    if not isinstance(orbit, PeriodicOrbit):
        return find_equilibrium(orbit.system, orbit.modes, orbit.state, **{**orbit.parameters, parameter: value})
    parameters = {**orbit.parameters, parameter: float(value)}
    problem, unknowns = shooting_of(orbit).placed(orbit.run, orbit.nodes)
    problem = replace(problem, parameters=parameters)
    unknowns, evaluation = newton(problem, problem.projected(unknowns))
    return orbit_from(problem, unknowns, evaluation)

"""switch_branch: onto the branch that begins or crosses at a bifurcation.

The new solution is sought at a small fixed distance along the critical direction, with the parameter free: at a period
doubling the eigenvector of the multiplier -1, at a Hopf point the plane of the pair of imaginary eigenvalues, at a
branch point the second direction in which the equations are singular.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jounce.analysis.orbits.bifurcations.test_functions import BRANCH_POINTS
from jounce.analysis.orbits.continuation.arclength import Metric, correct
from jounce.analysis.orbits.continuation.branch import Branch, SpecialPoint, check_special
from jounce.analysis.orbits.continuation.restart import at_its_nodes
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium
from jounce.analysis.orbits.equilibria.equilibrium_branch import crossing_equilibrium
from jounce.analysis.orbits.solution.closing import motion
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.analysis.orbits.solution.periodic_orbit import (
    PeriodicOrbit,
    orbit_from,
    orbit_options,
    orbit_sizes,
    primitive,
)
from jounce.analysis.orbits.solution.problems import new_shooting, shooting_of
from jounce.analysis.orbits.solution.shooting import Shooting, variable_ranges
from jounce.analysis.scales import by_power_of_two, diagonal_mass, sizes_of
from jounce.analysis.stability.variation import linearise
from jounce.analysis.variables import variables_of
from jounce.errors import OptionError, SimulationError
from jounce.simulation.options import Options
from jounce.system.system import System

#: Distances at which the new branch is looked for, relative to the orbit's size.
_DISTANCES = (1e-2, 3e-2, 3e-3, 0.1, 1e-3, 3e-4)


def switch_branch(
    branch: Branch, special: SpecialPoint, *, side: int = 1, options: Options | None = None
) -> PeriodicOrbit | Equilibrium:
    """A solution on the branch that begins or crosses at a special point; follow it with ``continue_orbit``.

    At a period doubling it has twice the period; at a Hopf point it surrounds the equilibrium, and ``options`` are
    those of its simulation. At a pitchfork, transcritical or other branch point ``side`` = +1 or -1 chooses between the
    two directions of the branch that crosses: at a pitchfork the images of each other.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1)
    >>> doubled = jounce.switch_branch(branch, branch.find("period_doubling")[0])
    >>> doubled.forcing_periods
    2
    """
    check_special(
        special,
        ("period_doubling", "hopf", *BRANCH_POINTS),
        "a branch is switched at a period doubling, a Hopf point or a branch point (at a fold and at a change of "
        "signature it goes on by itself)",
    )
    if not isinstance(branch, Branch):
        raise OptionError(f"switch_branch leaves a Branch, as continue_orbit gives, not {type(branch).__name__}")
    if type(side) not in (int, float) or side not in (1, -1):
        raise OptionError(f"side is {side!r}; it must be +1 or -1")
    if special.kind in BRANCH_POINTS:
        return _cross(branch, special, float(side))
    if special.kind == "period_doubling":
        return _double(special.solution, branch)
    return _grow(special.solution, branch, orbit_options(options))


def _cross(branch: Branch, special: SpecialPoint, side: float) -> PeriodicOrbit | Equilibrium:
    """Branch point: along the direction that was found with it."""
    solution, direction = special.solution, special.direction
    if direction is None:
        raise SimulationError("this branch point has no direction: continue the branch again")
    if isinstance(solution, Equilibrium):
        return crossing_equilibrium(branch, solution, direction, side)
    problem, unknowns = at_its_nodes(solution, branch)
    size = np.tile(variable_ranges(solution.run, solution.remembered), len(problem.fractions))
    return _search(problem, unknowns, direction, size, branch, (side,))


def _double(orbit: PeriodicOrbit, branch: Branch) -> PeriodicOrbit:
    """Period doubling: M v = -v; the state moves by v in one period and comes back in two."""
    doubled = shooting_of(orbit, period=2.0 * orbit.period)
    run = motion(orbit.system, orbit.state, 2.0 * orbit.period, orbit.options, orbit.parameters)
    fraction = orbit.state.t / (2.0 * orbit.period) if doubled.multiple else 0.0
    modes = tuple(int(code) for code in run.mode_codes_at(np.array([run.t_start]), "right")[0])
    memories = (tuple(orbit.state.memory.tolist()),) if orbit.state.memory.size else ()
    sizes, parameter = orbit_sizes(orbit), branch.parameter
    problem = replace(
        doubled,
        free=(parameter,),
        extents=(branch.extent,),
        fractions=(fraction,),
        modes=(modes,),
        memories=memories,
        sizes=sizes,
    )
    values, vectors = np.linalg.eig(orbit.monodromy * sizes / sizes[:, None])
    vector = sizes * vectors[:, int(np.argmin(np.abs(values + 1.0)))].real
    z = variables_of(orbit.system, orbit.state, orbit.remembered)
    unknowns = problem.pack([z], 2.0 * orbit.period, [orbit.parameters[parameter]])
    size = variable_ranges(run, orbit.remembered)
    found = _search(problem, unknowns, vector, size, branch)
    smallest = primitive(found)
    if smallest.period < 0.75 * found.period:
        raise SimulationError("the search fell back onto the orbit of the single period; no doubled orbit was found")
    return found


def _grow(equilibrium: Equilibrium, branch: Branch, options: Options) -> PeriodicOrbit:
    """Hopf: z = z0 + a Re(v e^{i w t}), T = 2 pi / w.

    The largest a looked for is as large as the place of the equilibrium, in the metric of M: see Equilibrium.sizes.
    """
    system, parameter = equilibrium.system, branch.parameter
    memory = equilibrium.state.memory
    p = np.concatenate([system.parameters(**equilibrium.parameters), memory])
    z = np.concatenate([equilibrium.state.q, equilibrium.state.u])
    sizes = equilibrium.sizes
    basis = ModeSurface(system, p, equilibrium.modes).tangent_basis(0.0, z, sizes)
    at = linearise(system, equilibrium.state, np.array(equilibrium.modes, dtype=np.int64), p)
    reduced, unit = by_power_of_two(basis.T @ (at.by_state * sizes / sizes[:, None]) @ basis)
    values, vectors = np.linalg.eig(reduced)
    index = int(np.argmin(np.where(values.imag > 0.0, np.abs(values.real), np.inf)))
    vector = sizes * (basis @ vectors[:, index])
    period = 2.0 * np.pi / float(unit * values[index].imag)
    problem = new_shooting(system, options, equilibrium.parameters, period)
    held = variables_of(system, equilibrium.state)[2 * system.n :]  # discrete states that stay as they are
    around = np.append(_around(system, p, equilibrium, vector), np.where(held != 0.0, np.abs(held), 1.0))
    problem = replace(
        problem,
        free=(parameter,),
        extents=(branch.extent,),
        fractions=(0.0,),
        modes=(equilibrium.modes,),
        memories=(tuple(memory.tolist()),) if memory.size else (),
        sizes=around,
    )
    unknowns = problem.pack([np.append(z, held)], period, [equilibrium.parameters[parameter]])
    return _search(problem, unknowns, vector.real, 0.3 * around, branch)


def _around(system: System, p: Floats, equilibrium: Equilibrium, vector: Floats) -> Floats:
    """The sizes of variables that move along a vector, as far as the coordinates of the equilibrium are large."""
    n = system.n
    mass = diagonal_mass(system, 0.0, equilibrium.state.q, p)
    reach, length = (float(mass @ np.abs(part[:n]) ** 2) for part in (equilibrium.sizes, vector))
    return sizes_of(np.sqrt(reach / length) * np.abs(vector)[None, :], mass, 1e-2)


def _search(
    problem: Shooting,
    unknowns: Floats,
    vector: Floats,
    size: Floats,
    branch: Branch,
    sides: tuple[float, ...] = (1.0, -1.0),
) -> PeriodicOrbit:
    """Newton's method in the hyperplane at growing and shrinking distances along the critical direction."""
    weights = np.concatenate([1.0 / size, [1.0 / problem.period(unknowns)] if problem.multiple == 0 else []])
    metric = Metric(np.append(weights, 1.0 / (0.1 * branch.extent)))
    direction = np.zeros_like(unknowns)
    direction[: len(vector)] = vector
    direction /= metric.norm(direction)
    for distance in _DISTANCES:
        for side in sides:
            try:
                found, evaluation, _ = correct(
                    problem,
                    unknowns + side * distance * direction,
                    unknowns,
                    direction,
                    side * distance,
                    metric,
                    CLOSES,
                    0.5 * distance + 0.1 * distance**0.5,
                )
            except SimulationError:
                continue
            return orbit_from(problem, found, evaluation)
    raise SimulationError("no orbit was found on the branch that begins at this point")

"""How large the variables of a motion are and how fast it changes: what every comparison of an analysis is relative to.

The same rules as in the engine (kernels/records/scales.py): a variable is as large as it has been, and not smaller than
the share that rounding of the whole motion has in it, measured in the metric of the masses,

    size(q_j) = max( max|q_j|, r sqrt(X/M_jj) ) ,    X = max sum_k M_kk q_k^2 ,

and likewise u_j. So a length, a velocity or a time of one unit means nothing, and the same motion in other units has
the same multiples of the same sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.variables import largest_states
from jounce.kernels.records.scales import change_time, rounding_asked
from jounce.kernels.records.tolerances import MASSLESS
from jounce.simulation.dense_output import states_at
from jounce.simulation.modes import Mode
from jounce.simulation.templates import given_scales
from jounce.system.evaluation import values_of
from jounce.toolchain.jit import python_function

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

Floats = NDArray[np.float64]
PHASES = 8  # of a period of the forcing, at which its forces are asked for


def diagonal_mass(system: System, t: float, q: Floats, p: Floats) -> Floats:
    """M_jj at rest at a place; 0 for internal states, whose share in the motion is none."""
    n = system.n
    values = values_of(system.functions.dynamics, n * n + n, t, q, np.zeros(n), system.vector(p))
    diagonal = values[: n * n].reshape(n, n).diagonal()
    return np.where(diagonal > MASSLESS, diagonal, 0.0)


def shares(squares: Floats, mass: Floats) -> Floats:
    """sqrt(X/M_jj) with X = sum_k M_kk x_k^2, the largest of all rows x_k^2: what the whole may be in a coordinate.

    Ratios of masses are taken first: what stands under the root is a square in any units.
    """
    ratios = np.divide(mass[None, :], mass[:, None], out=np.zeros((len(mass), len(mass))), where=mass[:, None] > 0.0)
    found: Floats = np.sqrt((np.atleast_2d(squares) @ ratios.T).max(axis=0, initial=0.0))
    return found


def sizes_of(states: Floats, mass: Floats, part: float) -> Floats:
    """The sizes of the variables from rows [q, u, ...]; 1 where nothing has any size, so that zero remains zero."""
    return _one_if_none(_known_sizes(states, mass, part))


def _one_if_none(sizes: Floats) -> Floats:
    return np.where(sizes > 0.0, sizes, 1.0)


def _known_sizes(states: Floats, mass: Floats, part: float) -> Floats:
    """The sizes of the variables from rows [q, u, ...]. What stands behind q and u has no share in the motion."""
    n = len(mass)
    whole = [shares(states[:, part_of] ** 2, mass) for part_of in (slice(0, n), slice(n, 2 * n))]
    whole.append(np.zeros(states.shape[1] - 2 * n))
    sizes: Floats = np.maximum(np.abs(states).max(axis=0), part * np.concatenate(whole))
    return sizes


def variable_sizes(run: Trajectory, ignorable: tuple[int, ...] = (), remembered: tuple[int, ...] = ()) -> Floats:
    """How large the variables are over a run, as the engine measures its errors; where a body has walked to counts not.

    ignorable   coordinates that appear nowhere in the model: their share of the whole is left out
    """
    system, data, n = run.system, run.data, run.system.n
    # a step may lead from rest to rest: how fast it was there is known in its middle
    middles = states_at(data, 0.5 * (data.step_t + np.append(data.step_t[1:], data.t_end_reached)), "right")
    states = np.vstack([data.step_coefficients[:, 0, :], middles, np.concatenate([data.q_final, data.u_final])])
    mass = diagonal_mass(system, data.t_start, data.q_start, data.parameters)
    states = np.hstack([states, np.tile(largest_states(run, remembered), (len(states), 1))])
    counted = states.copy()
    counted[:, list(ignorable)] = 0.0
    sizes = _known_sizes(counted, mass, float(python_function(rounding_asked)(run.options.tolerance)))
    for k in ignorable:
        sizes[k] = max(sizes[k], float(np.ptp(states[:, k])))
    sizes = _one_if_none(sizes)
    sizes[: 2 * n] = np.maximum(sizes[: 2 * n], given_scales(system, run.options)[: 2 * n])
    return sizes


def time_scale(system: System, state: State, p: Floats) -> float:
    """The time in which the motion from a state changes by itself.

    As the engine's natural time; where nothing moves and no force acts it is 1/|lambda| of the linearised equations,
    and where these say nothing either, or the model is not defined, the unit of time.
    """
    n = system.n
    mass = diagonal_mass(system, state.t, state.q, p)
    p = system.vector(p, state)
    acceleration = values_of(system.functions.free_acceleration, n, state.t, state.q, state.u, p)
    squares = [float(mass @ values**2) for values in (state.q, state.u, acceleration)]
    time = float(python_function(change_time)(squares[0], squares[1], squares[2], math.inf))
    if math.isfinite(time):
        return time
    from jounce.analysis.stability.variation import linearise

    flying = np.full(system.nc, int(Mode.OPEN), dtype=np.int64)
    linear = linearise(system, state, flying, p).by_state
    if not np.isfinite(linear).all():
        return 1.0
    fastest = float(np.abs(np.linalg.eigvals(linear)).max())
    return 1.0 / fastest if fastest > 0.0 else 1.0


def by_power_of_two(matrix: Floats) -> tuple[Floats, float]:
    """A matrix of rates by the power of two next to its largest entry, and that power.

    Eigenvalues that come in pairs have the imaginary part sqrt|b| sqrt|c| in LAPACK, which is not exactly twice as
    large where b and c are. So what is asked for is the same matrix in any unit of time that is a power of two.
    """
    power = 2.0 ** math.frexp(float(np.abs(matrix).max(initial=0.0)))[1]
    return matrix / power, power


def inverse_roots(mass: Floats) -> Floats:
    """1/sqrt(M_jj), 0 without mass, but for a common factor: other powers of two of units change powers of two only.

    The exponents of all masses change by one number for the unit of mass and by even ones for that of length. So all
    masses are doubled or none, by the first of them.
    """
    heavy = mass > 0.0
    doubled = mass * (1.0 + math.frexp(float(mass[np.argmax(heavy)]))[1] % 2)
    return np.divide(1.0, np.sqrt(doubled), out=np.zeros(len(mass)), where=heavy)


def _largest_accelerations(system: System, state: State, p: Floats) -> Floats:
    """|a_j| without contacts at a place, the largest of a period of the forcing."""
    period = None if system.autonomous else system.period(p)
    span = period if period is not None and math.isfinite(period) else 0.0
    times = state.t + span * np.arange(PHASES) / PHASES
    p = system.vector(p, state)
    rows = [values_of(system.functions.free_acceleration, system.n, t, state.q, state.u, p) for t in times.tolist()]
    return np.asarray(np.abs(rows).max(axis=0))


def start_sizes(system: System, p: Floats, base: State, axes: Mapping[str, Floats]) -> Floats:
    """How large q and u are over a grid of starts: the largest values there.

    What the grid leaves at zero has the share of the others in it, in the metric of M: a grid of positions alone has
    velocities too, that of the largest position in the time in which the motion changes. A machine at rest at the
    origin is as large as its forces move it in that time.
    """
    n = system.n
    names = (*system.coordinate_names, *system.velocity_names)
    largest = np.array([max(abs(base[name]), float(np.abs(axes.get(name, 0.0)).max(initial=0.0))) for name in names])
    place = base.replace(**dict(zip(names, largest.tolist(), strict=True)))
    time, mass = time_scale(system, place, p), diagonal_mass(system, base.t, base.q, p)
    places, speeds = (shares(part**2, mass) for part in (largest[:n], largest[n:]))
    if not largest.any():
        speeds = shares(_largest_accelerations(system, base, p) ** 2, mass) * time
    whole = np.concatenate([np.maximum(places, speeds * time), np.maximum(speeds, places / time)])
    sizes = np.where(largest > 0.0, largest, whole)
    return np.where(sizes > 0.0, sizes, 1.0)

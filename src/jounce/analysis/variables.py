"""The variables of a motion, in which neighbouring motions differ: q, u and the discrete states that take real values.

A held force, a remembered speed or a phase that is measured at an event is as much of the state as a velocity is. It
stands behind q and u, constant between events. Flags and counters are no variables, nor is a state on which nothing
depends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jounce.simulation.dense_output import states_on_steps
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System

Floats = NDArray[np.float64]


def variable_names(system: System) -> tuple[str, ...]:
    """Coordinates, velocities, real discrete states."""
    return (*system.coordinate_names, *system.velocity_names, *system.real_states)


def variables_of(system: System, state: State) -> Floats:
    """All variables of a state."""
    return np.concatenate([state.q, state.u, [state[name] for name in system.real_states]])


def variables_at(run: Trajectory, times: ArrayLike, side: Literal["left", "right"] = "right") -> Floats:
    """All variables at some times of a run, one row each."""
    z = run.states(times, side=side)
    if not run.system.real_states:
        return z
    discrete = states_on_steps(run.data, np.atleast_1d(np.asarray(times, dtype=np.float64)), side == "right")
    return np.hstack([z, discrete[:, _places(run.system)]])


def largest_states(run: Trajectory) -> Floats:
    """The largest values of the real discrete states over a run; a run that keeps no steps knows its ends."""
    data, places = run.data, _places(run.system)
    if not places:
        return np.zeros(0)
    count = len(run.system.state_names)
    ends = np.array([data.memory_start[-count:], data.memory_final[-count:]])
    largest: Floats = np.abs(np.vstack([ends, data.step_states])[:, places]).max(axis=0)
    return largest


def with_variables(system: System, t: float, z: Floats, memory: ArrayLike) -> State:
    """The state with these variables; what else it remembers, and its flags and counters, stand in ``memory``."""
    n, kept = system.n, np.array(memory, dtype=np.float64)
    if kept.size:
        first = kept.size - len(system.state_names)
        kept[[first + place for place in _places(system)]] = z[2 * n :]
    states = system.state_names if kept.size else ()
    return State(t, z[:n], z[n : 2 * n], system.coordinate_names, kept, states=states)


def _places(system: System) -> list[int]:
    """Where the real discrete states stand among all discrete states."""
    return [system.state_names.index(name) for name in system.real_states]

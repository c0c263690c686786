"""The variables of a motion, in which neighbouring motions differ: q, u and the discrete states that take real values.

A held force, a remembered speed or a phase that is measured at an event is as much of the state as a velocity is. It
stands behind q and u, constant between events. Flags and counters are no variables, nor is a state on which nothing
depends. What a compliant contact remembers of its touch, 1/v, is one where it is asked for: ``remembered`` names such
contacts by their numbers, and their memories stand at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jounce.model.names import is_integral
from jounce.simulation.dense_output import states_on_steps
from jounce.simulation.forces import contact_memory
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System

Floats = NDArray[np.float64]
Contacts = tuple[int, ...]


def variable_names(system: System, remembered: Contacts = ()) -> tuple[str, ...]:
    """Coordinates, velocities, real discrete states, memories."""
    memories = (f"{system.contact_names[i]}_inverse_approach" for i in remembered)
    return (*system.coordinate_names, *system.velocity_names, *system.real_states, *memories)


def place_columns(system: System) -> list[int]:
    """The columns of [q, u] that say where a motion is: coordinates, internal states in place of their integrals."""
    return [system.n + j if is_integral(name) else j for j, name in enumerate(system.coordinate_names)]


def variables_of(system: System, state: State, remembered: Contacts = ()) -> Floats:
    """All variables of a state."""
    memories = [state.memory[place] for place in memory_places(system, remembered)]
    return np.concatenate([state.q, state.u, [state[name] for name in system.real_states], memories])


def variables_at(
    run: Trajectory, times: ArrayLike, side: Literal["left", "right"] = "right", remembered: Contacts = ()
) -> Floats:
    """All variables at some times of a run, one row each."""
    z, system = run.states(times, side=side), run.system
    instants = np.atleast_1d(np.asarray(times, dtype=np.float64))
    if system.real_states:
        z = np.hstack([z, states_on_steps(run.data, instants, side == "right")[:, _places(system)]])
    if remembered:
        memory = contact_memory(run, instants, run.mode_codes_at(instants, side), side)
        z = np.hstack([z, memory[:, memory_places(system, remembered)]])
    return z


def largest_states(run: Trajectory, remembered: Contacts = ()) -> Floats:
    """The largest real discrete states and memories over a run; one that keeps no steps knows its ends."""
    data, places = run.data, _places(run.system)
    count = len(run.system.state_names)
    ends = [data.memory_start[-count:], data.memory_final[-count:]] if places else np.zeros((1, 0))
    steps = data.step_states[:, places] if places else np.zeros((0, 0))
    largest: Floats = np.abs(np.vstack([np.array(ends)[:, places], steps])).max(axis=0)
    if remembered:
        memories = variables_at(run, data.step_t, "right", remembered)[:, -len(remembered) :]
        largest = np.append(largest, np.abs(memories).max(axis=0))
    return largest


def with_variables(system: System, t: float, z: Floats, memory: ArrayLike, remembered: Contacts = ()) -> State:
    """The state with these variables; what else it remembers, and its flags and counters, stand in ``memory``."""
    n, kept = system.n, np.array(memory, dtype=np.float64)
    if kept.size:
        first = kept.size - len(system.state_names)
        kept[[*(first + place for place in _places(system)), *memory_places(system, remembered)]] = z[2 * n :]
    states = system.state_names if kept.size else ()
    return State(t, z[:n], z[n : 2 * n], system.coordinate_names, kept, states=states)


def memory_places(system: System, remembered: Contacts) -> list[int]:
    """Where the memories of contacts stand in a state's memory: a flag and 1/v a compliant contact."""
    compliant = [i for i, contact in enumerate(system.outline.contacts) if contact.compliance is not None]
    return [2 * compliant.index(i) + 1 for i in remembered]


def _places(system: System) -> list[int]:
    """Where the real discrete states stand among all discrete states."""
    return [system.state_names.index(name) for name in system.real_states]

"""Whether the model repeats itself in time: only then may the engine count time in turns (docs/decisions/0005)."""

from __future__ import annotations

import numpy as np

from jounce.kernels.engine.sound import same_at
from jounce.kernels.records.workspace import CONTACT_STRIDE, JOINT_STRIDE, SURFACE_STRIDE, WORKS
from jounce.simulation.options import Options
from jounce.simulation.templates import copy_of, machine_template
from jounce.system.state import State
from jounce.system.system import System


def turn_length(system: System, start: State, p: np.ndarray, machine: np.ndarray | None = None) -> float:
    """The time after which the model repeats itself: its forcing period, if true of it; anything, if autonomous.

    ``machine`` is its record with these parameters, where there is one.
    """
    if system.autonomous:
        return 1.0
    period = system.period(p)
    if period is None or not period > 0.0:
        return 0.0
    times = [start.t, start.t + 0.31 * period, start.t + 0.77 * period]
    return period if _same_at(system, start, p, [(t, t + period) for t in times], machine) else 0.0


def is_timeless(system: System, start: State, p: np.ndarray) -> bool:
    """Whether time plays no part at these parameters, as where the amplitude of the forcing is zero."""
    if system.autonomous:
        return True
    unit = system.period(p) or 1.0
    return _same_at(system, start, p, [(start.t, start.t + part * unit) for part in (0.137, 0.31, 0.731, 1.77)])


def _same_at(
    system: System,
    start: State,
    p: np.ndarray,
    pairs: list[tuple[float, float]],
    machine: np.ndarray | None = None,
) -> bool:
    """Whether the model is the same at both times of every pair."""
    times = np.array(pairs).ravel()
    # some velocities, lest what multiplies them goes unseen: those of the start, or one unit where it is at rest
    moving = start.u + 0.1 * np.where(start.u == 0.0, 1.0, start.u)
    if machine is None or system.model.memory:
        machine = copy_of(machine_template(system, Options.default()))
    for vector in _vectors(system, start, p):
        machine[0]["p"][: vector.size] = vector
        if not same_at(machine, start.q, moving, times, np.empty((times.size, largest_output(system)))):
            return False
    return True


def _vectors(system: System, start: State, p: np.ndarray) -> list[np.ndarray]:
    """Parameters with the discrete states of the start, and with others: resets may switch on what depends on time."""
    vector = system.vector(p, start)
    count = len(system.state_names)
    if count == 0:
        return [vector]
    others = [np.full(count, value) for value in (0.0, 1.0, -1.0, 2.0, 0.37)]
    return [vector, *(np.concatenate([vector[:-count], other]) for other in others)]


def largest_output(system: System) -> int:
    """How many numbers a function of the model that may depend on time writes, at most."""
    n, nc, nj = system.n, system.nc, system.nj
    resets = system.model.resets
    assigned = 1 + len(resets) + sum(len(reset.map) for reset in resets)
    contacts = nc * max(CONTACT_STRIDE + 2 * n, SURFACE_STRIDE)
    return max(n * (n + 1), contacts, nj * (JOINT_STRIDE + n), WORKS + nj, system.ng, assigned)

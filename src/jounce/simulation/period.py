"""Whether the model repeats itself in time: only then may the engine count time in turns (docs/decisions/0005)."""

from __future__ import annotations

import numpy as np

from jounce.kernels.engine.sound import same_at
from jounce.kernels.records.workspace import MACHINE
from jounce.simulation.options import Options
from jounce.simulation.records import RunRecords, record_of
from jounce.simulation.templates import templates_of
from jounce.system.state import State
from jounce.system.system import System

#: Parts of a period after the start at which the model is compared with itself one period later.
PARTS = (0.0, 0.31, 0.77)


def turn_length(system: System, start: State, p: np.ndarray, records: RunRecords | None = None) -> float:
    """The time after which the model repeats itself: its forcing period, if true of it; anything, if autonomous.

    ``records`` are those of a run with these parameters that is about to begin there, if there is one.
    """
    if system.autonomous:
        return 1.0
    period = system.period(p)
    if period is None or not period > 0.0:
        return 0.0
    times = [start.t + part * period for part in PARTS]
    if records is None or system.outline.memory:
        return period if _same_at(system, start, p, [(t, t + period) for t in times]) else 0.0
    records.times[::2], records.times[1::2] = times, [t + period for t in times]
    records.moving[:] = _moving(start)
    return period if records.repeats() else 0.0


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
) -> bool:
    """Whether the model is the same at both times of every pair."""
    times = np.array([t for pair in pairs for t in pair])
    moving, values = np.array(_moving(start)), np.empty((times.size, system.widest_output))
    machine = record_of(templates_of(system, Options.default()).machine, MACHINE)
    for vector in _vectors(system, start, p):
        machine[0]["p"][: vector.size] = vector
        if not same_at.from_python(machine, start.q, moving, times, values):
            return False
    return True


def _moving(start: State) -> list[float]:
    """Some velocities, lest what multiplies them goes unseen: those of the start, or one unit where it is at rest."""
    return [u + 0.1 * (u if u != 0.0 else 1.0) for u in start.u.tolist()]


def _vectors(system: System, start: State, p: np.ndarray) -> list[np.ndarray]:
    """Parameters with the discrete states of the start, and with others: resets may switch on what depends on time."""
    vector = system.vector(p, start)
    count = len(system.state_names)
    if count == 0:
        return [vector]
    others = [np.full(count, value) for value in (0.0, 1.0, -1.0, 2.0, 0.37)]
    return [vector, *(np.concatenate([vector[:-count], other]) for other in others)]

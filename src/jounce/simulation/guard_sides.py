"""On which side of zero the guards of a recorded run were: what a run that starts there must know where they vanish.

A guard has no zero within a step: steps end at its zeros. So its side is its sign in the middle of the step, whatever
its rounding says at the ends. Steps that land on a jump of a force may be as short as rounding: then the step before
tells it, or the one behind where an event lies between. It is only asked next to events of guards; elsewhere the guards
themselves tell it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.simulation.dense_output import Floats, step_index
from jounce.simulation.energy import parameters_at
from jounce.simulation.events import EventKind

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Side, Trajectory

#: Of the longest step: states this near to the event of a guard are told its side.
NEAR = 1e-3
#: The same: on shorter steps guards may be zero to their rounding.
SHORT = 1e-6


def sides_at(run: Trajectory, times: Floats, side: Side) -> np.ndarray:
    """``State.sides`` at checked times, one row each; empty rows without guards."""
    data, guards = run.data, run.outline.guards
    sides = np.zeros((len(times), len(guards)), dtype=np.int64)
    if not guards or not len(data.step_t):
        return sides
    kinds = data.event_int[:, 0]
    events = np.sort(data.event_float[(kinds == EventKind.USER) | (kinds == EventKind.RESET), 0])
    if len(events):
        ends = np.append(data.step_t[1:], data.t_end_reached)  # events end steps early
        lengths = ends - data.step_t
        beside = np.searchsorted(events, times)
        before, behind = events[np.maximum(beside - 1, 0)], events[np.minimum(beside, len(events) - 1)]
        distance = np.minimum(np.abs(times - before), np.abs(times - behind))
        for k in np.flatnonzero(distance <= NEAR * lengths.max()):
            step = _telling_step(data.step_t, lengths, events, int(step_index(data, times[k : k + 1], side)[0]))
            sides[k] = _signs_at(run, (data.step_t[step] + ends[step]) / 2)
    if side == "right" and data.sides_final.size == len(guards):
        sides[times >= data.t_end_reached] = data.sides_final
    return sides


def _telling_step(begins: Floats, lengths: Floats, events: Floats, index: int) -> int:
    """The step at ``index``, or if it is short the next to it that is not, with no event between."""
    short = SHORT * lengths.max()
    for way in (-1, 1):
        step = index
        while lengths[step] <= short and 0 <= step + way < len(begins):
            if (begins[max(step, step + way)] == events).any():
                break
            step += way
        if lengths[step] > short:
            return step
    return index


def _signs_at(run: Trajectory, t: float) -> list[int]:
    """The signs of the guards at a time inside a step."""
    from jounce.model.arithmetic import value_at  # SymPy, for the few states of which this is asked
    from jounce.simulation.forces import memory_at

    model, time = run.model, np.array([t])
    memory = memory_at(run, time, run.mode_codes_at(time, "right"), "right")[0] if model.memory else ()
    values = (*run.states(time)[0], *parameters_at(run.data, time)[0][: len(model.p)], *memory)
    known = dict(zip((*model.q, *model.u, *model.p, *model.memory), values, strict=True))
    known[model.symbols["t"]] = t
    return [int(np.sign(value_at(model.guards[name], known))) for name in run.outline.guards]

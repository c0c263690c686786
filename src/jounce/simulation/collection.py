"""The rows that a run has left so far: its buffers, emptied whenever the loop comes back."""

from __future__ import annotations

import numpy as np

from jounce.kernels.records import recording
from jounce.kernels.records.workspace import WORKS
from jounce.simulation.modes import join_words, word_count
from jounce.simulation.records import RunRecords
from jounce.simulation.watch import look
from jounce.system.system import System

#: A step that starts at an event starts at exactly its time: relative to times, what turns may make them differ by.
_LAST_BITS = 1e-12

#: So many rows are looked at one by one.
_FEW = 4


class Collection:
    """Steps and events of one run, in pieces."""

    def __init__(self, records: RunRecords, system: System) -> None:
        self.records, self.system, self.words = records, system, word_count(system.nc)
        self.states = len(system.state_names)
        self.events: list[tuple[np.ndarray, ...]] = []
        self.steps: list[tuple[np.ndarray, ...]] = []

    def empty_buffers(self) -> None:
        """Copy what the buffers hold, and let them be filled again."""
        counter, rows = self.records.counter, self.records.rows
        events, steps = counter[recording.EVENTS_STORED], counter[recording.STEPS_STORED]
        if events:
            self.events.append((rows["event_float"][:events].copy(), rows["event_integer"][:events].copy()))
        if steps:
            width, pieces = 2 * self.system.n, 1 + self.records.settings.rows
            data = rows["step_data"][:steps, : pieces * width].copy().reshape(steps, pieces, width)
            self.steps.append((
                rows["step_time"][:steps].copy(),
                rows["step_mode"][:steps, : self.words].copy(),
                rows["step_order"][:steps, : self.words].copy(),
                data,
                rows["step_work"][:steps].copy(),
                rows["step_states"][: steps if self.states else 0, : self.states].copy(),
            ))  # fmt: skip
        counter[recording.EVENTS_STORED] = counter[recording.STEPS_STORED] = 0

    def event_rows(self) -> tuple[np.ndarray, ...]:
        """Numbers and whole numbers of all events: see RunData."""
        if not self.events:
            return np.empty((0, recording.EVENT_FLOATS)), np.empty((0, recording.EVENT_INTEGERS), dtype=np.int64)
        return _joined(self.events)

    def step_rows(self) -> tuple[np.ndarray, ...]:
        """Times [S, 2], modes, orders, coefficients, works and discrete states of all steps: see RunData."""
        if not self.steps:
            codes = join_words(np.empty((0, self.words), dtype=np.int64))
            coefficients, states = np.empty((0, 1, 2 * self.system.n)), np.empty((0, self.states))
            return np.empty((0, 2)), codes, codes.copy(), coefficients, np.empty((0, WORKS)), states
        times, modes, orders, *others = _joined(self.steps)
        return times, join_words(modes), join_words(orders), *others


def _joined(pieces: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return pieces[0] if len(pieces) == 1 else tuple(_column(parts) for parts in zip(*pieces, strict=True))


def _column(parts: tuple[np.ndarray, ...]) -> np.ndarray:
    """One array of all parts, which may be a gigabyte: filled part by part, so that the work can be ended."""
    lengths = [len(part) for part in parts]
    whole, done = np.empty((sum(lengths), *parts[0].shape[1:]), parts[0].dtype), 0
    for part, length in zip(parts, lengths, strict=True):
        look()
        whole[done : done + length] = part
        done += length
    return whole


def align_steps(step_time: np.ndarray, event_time: np.ndarray, event_step: np.ndarray, span: float) -> None:
    """Let steps that start at an event start at exactly its time: turns may make them differ in the last bit."""
    if len(event_time) <= _FEW:  # a loop is faster
        starts, near = step_time[:, 0].tolist(), []
        for k, t in zip(event_step.tolist(), event_time.tolist(), strict=True):
            allowed = _LAST_BITS * (span + (t if t > 0.0 else -t))
            if k < len(starts) and -allowed <= starts[k] - t <= allowed:
                near += [(k, t)]
        for k, t in near:
            step_time[k, 0] = t
        return
    starts = np.empty(len(step_time) + 1)
    starts[:-1], starts[-1] = step_time[:, 0], np.nan  # for events at the very end, or without recorded steps
    apart = np.abs(starts[np.minimum(event_step, len(step_time))] - event_time)
    close = apart <= _LAST_BITS * (span + np.abs(event_time))
    step_time[event_step[close], 0] = event_time[close]

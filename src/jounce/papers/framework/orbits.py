"""What an orbit is made of: its phases, its signature, and the parameter at which the signature changes.

A threshold is never read off a sweep: ``threshold`` bisects on a property of the settled motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.simulation.modes import Mode
from jounce.simulation.trajectory import Trajectory

#: A phase shorter than this [s] is two events at one instant.
SHORTEST = 1e-8
#: An approach slower than this [m/s] is the rounding of a closed contact.
SLOWEST = 1e-9

WORDS = {Mode.OPEN: "flight", Mode.SLIP_POSITIVE: "slip", Mode.SLIP_NEGATIVE: "back-slip", Mode.STICK: "stick"}


@dataclass(frozen=True)
class Phase:
    """A span of one mode: flight, slip (with gamma_T > 0), back-slip or stick."""

    word: str
    start: float
    end: float


def phases(run: Trajectory, contact: str, since: float = -np.inf) -> list[Phase]:
    """The phases of one contact that begin after ``since``, in order; equal neighbours are one phase."""
    found: list[Phase] = []
    for start, end, mode in run.mode_intervals(contact):
        if end - start <= SHORTEST:
            continue
        if found and found[-1].word == WORDS[mode]:
            found[-1] = Phase(found[-1].word, found[-1].start, end)
        else:
            found.append(Phase(WORDS[mode], start, end))
    return [phase for phase in found if phase.start > since]


def words(run: Trajectory, contact: str, since: float) -> set[str]:
    """The kinds of phase met after ``since``, the one in progress then included."""
    return {WORDS[mode] for a, b, mode in run.mode_intervals(contact) if b > since and b - a > SHORTEST}


def impacts(run: Trajectory, contact: str, since: float = -np.inf) -> Any:
    """The rows of the event table that are collisions."""
    table = run.events
    return table[
        (table.kind == "impact") & (table.contact == contact) & (table.v_n_before < -SLOWEST) & (table.t > since)
    ]


@dataclass(frozen=True)
class Cycle:
    """A periodic motion: its phases in order, how many impacts it has and how long it takes."""

    sequence: tuple[str, ...]
    impacts: int
    period: float

    def __str__(self) -> str:
        return "-".join(self.sequence)


def find_cycle(run: Trajectory, contact: str, since: float, tolerance: float = 1e-6) -> Cycle | None:
    """The cycle into which the run has settled after ``since``, or None where it has none.

    Phases repeat: the shortest block of phases whose durations recur to ``tolerance``. A motion of bounces only repeats
    in the velocities of its impacts instead.
    """
    blocks = phases(run, contact, since)[:-1]  # the last one is cut by the end of the run
    struck = impacts(run, contact, since)
    if len(blocks) < 3:
        speeds, times = struck.v_n_before.to_numpy(), struck.t.to_numpy()
        n = _recurrence(speeds[:, None], tolerance)
        return None if n is None else Cycle(("flight",), n, float(times[-1] - times[-1 - n]))
    codes = {word: k for k, word in enumerate(sorted({block.word for block in blocks}))}
    rows = np.array([(codes[block.word], block.end - block.start) for block in blocks])
    n = _recurrence(rows, tolerance)
    if n is None:
        return None
    begin, end = blocks[-1 - n].start, blocks[-1].start
    inside = (struck.t >= begin - SHORTEST) & (struck.t < end - SHORTEST)
    return Cycle(_rotated([block.word for block in blocks[-n:]]), int(inside.sum()), end - begin)


def _recurrence(rows: np.ndarray, tolerance: float) -> int | None:
    """The smallest n with rows[k] = rows[k - n] over the last 3 n rows."""
    for n in range(1, min(len(rows) // 3, 60) + 1):
        recent = rows[-3 * n :]
        if len(recent) >= 2 * n + 1 and np.abs(recent[n:] - recent[:-n]).max() < tolerance:
            return n
    return None


def _rotated(sequence: Sequence[str]) -> tuple[str, ...]:
    """The same cycle, begun with flight where there is one, so that equal cycles compare equal."""
    turns = [tuple(sequence[k:]) + tuple(sequence[:k]) for k in range(len(sequence))]
    order = {"flight": 0, "stick": 1, "slip": 2, "back-slip": 3}
    return min(turns, key=lambda turn: [order[word] for word in turn])


def threshold(holds: Callable[[float], bool], low: float, high: float, tolerance: float = 1e-6) -> float:
    """The parameter between ``low`` and ``high`` at which a property of the motion changes, by bisection."""
    at_low, at_high = holds(low), holds(high)
    if at_low == at_high:
        raise ValueError(f"the property is {at_low} at both {low} and {high}: no threshold between them")
    while high - low > tolerance:
        middle = (low + high) / 2
        if holds(middle) == at_low:
            low = middle
        else:
            high = middle
    return (low + high) / 2

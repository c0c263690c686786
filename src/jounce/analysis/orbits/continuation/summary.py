"""An orbit as a point of a branch: its extremes and its state at the section."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from jounce.analysis.orbits.continuation.branch import BranchPoint
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
from jounce.simulation.trajectory import Trajectory

#: Between two steps' ends extremes are sought on this many samples.
_SAMPLES = 4


def summarise(orbit: PeriodicOrbit) -> BranchPoint:
    """The point of a branch that stands for the orbit."""
    run = orbit.run
    times, states = _samples(run)
    low, high = states.min(axis=0), states.max(axis=0)
    if orbit.forcing_periods:
        now = orbit.at(0.0)
        section = np.concatenate([now.q, now.u])
    else:
        section = _after_first_event(orbit, times, states)
    return BranchPoint(orbit, section, low, high)


def _samples(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """States on both sides of every event and densely in between."""
    ends = np.append(run.data.step_t, run.t_end)
    times = np.unique(
        np.concatenate(
            [a + (b - a) * np.linspace(0, 1, _SAMPLES, endpoint=False) for a, b in pairwise(ends)] + [[run.t_end]]
        )
    )
    events = run.data.event_float[:, 0]
    events = events[(events > run.t_start) & (events <= run.t_end)]
    states = np.vstack([run.states(times), run.states(events, side="left"), run.states(events)])
    return np.concatenate([times, events, events]), states


def _after_first_event(orbit: PeriodicOrbit, times: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The state after the first event of the signature; without events, where the first coordinate is greatest."""
    run = orbit.run
    if orbit.signature:
        first = orbit.signature[0]
        table = run.events
        rows = table[
            (table.kind == first.kind) & (table.contact == first.contact) & (table.mode_after == first.mode_after)
        ]
        if len(rows):
            section: np.ndarray = run.states(np.array([float(rows.t.iloc[0])]))[0]
            return section
    best: np.ndarray = states[int(np.argmax(states[:, 0]))]
    return best

"""An orbit as a point of a branch: its extremes, its state at the section, its stability."""

from __future__ import annotations

import numpy as np

from jounce.analysis.orbits.continuation.branch import BranchPoint
from jounce.analysis.orbits.continuation.place import Stability
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
from jounce.analysis.orbits.solution.shooting import variable_ranges
from jounce.analysis.variables import variables_at, variables_of
from jounce.kernels.maps.extrema import widen_by_steps
from jounce.kernels.records.tolerances import EXTREMUM_PIECES
from jounce.kernels.records.workspace import INTERPOLANT_ROWS
from jounce.simulation.dense_output import step_ends
from jounce.simulation.trajectory import Trajectory

#: Without events the greatest first coordinate is sought on this many samples of a step.
_SAMPLES = 4
#: States of one orbit, found from two sides, agree to this part of the ranges of its variables.
SAME_ORBIT = 1e-6


def summarise(orbit: PeriodicOrbit) -> BranchPoint:
    """The point of a branch that stands for the orbit."""
    run = orbit.run
    times, states = _samples(run, orbit.remembered)
    low, high = extremes(run, states)
    if orbit.forcing_periods:
        now = orbit.at(0.0)
        section = variables_of(orbit.system, now, orbit.remembered)
    else:
        section = _after_first_event(orbit, times, states)
    return BranchPoint(orbit, section, low, high)


def is_same_orbit(first: BranchPoint, orbit: PeriodicOrbit) -> bool:
    """Whether an orbit is that of a point, at the same parameters: the states at the section agree."""
    apart = np.abs(first.solution.closed(first.section - summarise(orbit).section))
    return bool((apart < SAME_ORBIT * variable_ranges(first.solution.run, orbit.remembered)).all())


def orbit_stability(orbit: PeriodicOrbit) -> Stability:
    """The multipliers of an orbit, seen from the unit circle."""
    values, spectrum = orbit.nontrivial, orbit.spectrum
    margin = float(np.min(np.abs(np.abs(values) - 1.0), initial=np.inf))
    return Stability(values, spectrum.unstable, spectrum.neutral, margin, spectrum.width, orbit.irregular == 0)


def extremes(run: Trajectory, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every variable over a run whose ``states`` include those at the ends of steps.

    Coordinates and velocities have theirs on the polynomials of the steps, one of which may be a whole flight; discrete
    states and memories change at their ends alone.
    """
    data = run.data
    low, high = states.min(axis=0), states.max(axis=0)
    if len(data.step_t):
        width = data.step_coefficients.shape[2]
        found = np.ascontiguousarray(np.vstack([low[:width], high[:width]]))
        shares = np.minimum((step_ends(data) - data.step_t) / data.step_h, 1.0)
        piece = np.zeros((1 + INTERPOLANT_ROWS, width))
        pieces = np.zeros((EXTREMUM_PIECES + 1, INTERPOLANT_ROWS + 1))
        widen_by_steps.from_python(np.ascontiguousarray(data.step_coefficients), shares, piece, pieces, found)
        low[:width], high[:width] = found
    return low, high


def _samples(run: Trajectory, remembered: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """States on both sides of every event, at the ends of steps and in between."""
    ends = np.append(run.data.step_t, run.t_end)
    inside = ends[:-1, None] + np.diff(ends)[:, None] * np.linspace(0, 1, _SAMPLES, endpoint=False)
    times = np.unique(np.append(inside, run.t_end))
    events = run.data.event_float[:, 0]
    events = events[(events > run.t_start) & (events <= run.t_end)]
    after = variables_at(run, np.concatenate([times, events]), "right", remembered)
    states = np.vstack([after[: len(times)], variables_at(run, events, "left", remembered), after[len(times) :]])
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
            section: np.ndarray = variables_at(run, [float(rows.t.iloc[0])], "right", orbit.remembered)[0]
            return section
    best: np.ndarray = states[int(np.argmax(states[:, 0]))]
    return best

"""Every time a compliant contact was pressed: when, how deep, how hard, and with which rebound."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.errors import SimulationError, suggestion
from jounce.simulation.energy import model_function, parameters_at
from jounce.simulation.events import EventKind
from jounce.simulation.forces import normal_forces
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.trajectory import Trajectory

SAMPLES = 65  # of a period, three times around its maximum: the last ones are 1e-5 of the period apart

Floats = NDArray[np.float64]


def contact_periods(run: Trajectory, contact: str | None = None) -> pd.DataFrame:
    """One row for each time a compliant contact was pressed, in order of time.

    contact            its name
    t_touch, t_separate, duration      [s]; a period that the run cuts off has t_separate at the run's end
    approach, departure                normal speeds at touch and separation, both positive
    restitution                        departure/approach; NaN where the run's start or end cuts the period
    deepest, t_deepest                 largest penetration and its time
    largest_force, t_largest_force     largest normal force and its time

    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(1e5, 100.0))
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> run = jounce.simulate(model, None, t_end=0.6)
    >>> round(1e3 * float(jounce.contact_periods(run)["duration"].iloc[0]), 3)  # ms
    9.101
    """
    import pandas as pd

    if not hasattr(run, "mode_intervals"):
        raise SimulationError(f"contact_periods needs a run of simulate, not {type(run).__name__}")
    compliant = [entry.name for entry in run.model.contacts if entry.compliance is not None]
    if contact is not None and contact not in compliant:
        hint = suggestion(contact, compliant, "compliant contacts")
        raise SimulationError(f"{contact!r} is no compliant contact of {run.model.name}; {hint}")
    tables = [_periods_of(run, name) for name in compliant if contact in (None, name)]
    columns = (
        "contact", "t_touch", "t_separate", "duration", "approach", "departure", "restitution", "deepest", "t_deepest",
        "largest_force", "t_largest_force",
    )  # fmt: skip
    if not tables:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(tables).sort_values("t_touch", kind="stable", ignore_index=True)[list(columns)]


def _periods_of(run: Trajectory, name: str) -> pd.DataFrame:
    import pandas as pd

    spans = [(a, b) for a, b, mode in run.mode_intervals(name) if mode is Mode.PRESSED]
    starts, ends = np.array(spans, dtype=float).reshape(len(spans), 2).T
    entry = next(entry for entry in run.model.contacts if entry.name == name)
    depth = model_function(run.model, -entry.gap if entry.penetration is None else entry.penetration)

    def depths(times: Floats) -> Floats:
        return depth(times, run.states(times, "left"), parameters_at(run.data, times))

    deepest, t_deepest = _largest(depths, starts, ends)
    force, t_force = _largest(lambda times: normal_forces(run, times, name), starts, ends)
    speeds = np.array([_speeds(run, name, a, b) for a, b in spans], dtype=float).reshape(len(spans), 2)
    return pd.DataFrame(
        {
            "contact": name,
            "t_touch": starts,
            "t_separate": ends,
            "duration": ends - starts,
            "approach": speeds[:, 0],
            "departure": speeds[:, 1],
            "restitution": speeds[:, 1] / speeds[:, 0],
            "deepest": deepest,
            "t_deepest": t_deepest,
            "largest_force": force,
            "t_largest_force": t_force,
        }
    )


def _speeds(run: Trajectory, name: str, start: float, end: float) -> tuple[float, float]:
    """Approach and departure of one period from the event rows at its ends; NaN where there is none."""
    floats, integers = run.data.event_float, run.data.event_int
    own = integers[:, 1] == run.contacts.index(name)
    first = floats[own & (integers[:, 0] == EventKind.TOUCH) & (floats[:, 0] == start)]
    last = floats[own & (integers[:, 0] == EventKind.SEPARATE) & (floats[:, 0] == end)]
    return (-first[-1, 1] if len(first) else np.nan), (last[0, 1] if len(last) else np.nan)


def _largest(function: object, starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """The largest value in each span and where: samples, then twice again around the best of them."""
    low, high = starts.copy(), ends.copy()
    rows = np.arange(len(starts))
    values, places = np.full(len(starts), np.nan), starts.copy()
    for _ in range(3 if len(starts) else 0):
        times = np.linspace(low, high, SAMPLES, axis=1)
        found = function(times.ravel()).reshape(times.shape)  # type: ignore[operator]
        best = np.argmax(found, axis=1)
        values, places = found[rows, best], times[rows, best]
        low, high = times[rows, np.maximum(best - 1, 0)], times[rows, np.minimum(best + 1, SAMPLES - 1)]
    return values, places


def contact_offset(run: Trajectory, contact: str, times: Floats) -> Floats:
    """(x, y) of the journal's centre in its bearing, along the ground's axes, at the given times: (len(times), 2)."""
    known = {entry.name: entry.offset for entry in run.model.contacts if entry.offset is not None}
    if contact not in known:
        hint = suggestion(contact, known, "clearance joints")
        raise SimulationError(f"{contact!r} is no clearance joint of {run.model.name}; {hint}")
    z, parameters = run.states(times), parameters_at(run.data, times)
    return np.column_stack([model_function(run.model, part)(times, z, parameters) for part in known[contact]])


def contact_statistics(run: Trajectory, turn: float, *, skip: int = 0) -> pd.DataFrame:
    """What compliant contacts do in one turn of a machine, on average over the turns of a run, and how much it varies.

    Rows: the contacts. Columns (quantity, "mean" | "spread"), the spread being the standard deviation from turn to
    turn: touches, pressed (fraction of the time), largest_force, deepest, approach (the fastest).

    turn   duration of a turn [s]; skip: turns left out at the beginning
    """
    import pandas as pd

    turns = int(np.floor((run.t_end - run.t_start) / turn * (1 + 1e-12)))
    if not turn > 0 or turns - skip < 2:
        raise SimulationError(
            f"the run covers {max(turns, 0)} whole turns of {turn:g} s, of which {skip} are skipped; statistics "
            "need two"
        )
    table = contact_periods(run)
    table["turn"] = np.floor((table["t_touch"] - run.t_start) / turn).astype(int)
    edges = run.t_start + turn * np.arange(skip, turns + 1)
    rows = {}
    for name in dict.fromkeys(entry.name for entry in run.model.contacts if entry.compliance is not None):
        own = table[table["contact"] == name]
        by_turn = own.groupby("turn").agg(
            touches=("t_touch", "size"), largest_force=("largest_force", "max"), deepest=("deepest", "max"),
            approach=("approach", "max"),
        ).reindex(range(skip, turns))  # fmt: skip
        by_turn["touches"] = by_turn["touches"].fillna(0)
        overlap = [
            np.clip(np.minimum(own["t_separate"], b) - np.maximum(own["t_touch"], a), 0, None).sum() / turn
            for a, b in pairwise(edges)
        ]
        by_turn["pressed"] = overlap
        columns = ("touches", "pressed", "largest_force", "deepest", "approach")
        rows[name] = {
            (column, part): float(getattr(by_turn[column], function)())
            for column in columns
            for part, function in (("mean", "mean"), ("spread", "std"))
        }
    return pd.DataFrame(rows).T

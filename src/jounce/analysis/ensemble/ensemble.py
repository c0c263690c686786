"""ensemble: many runs of one system, from arrays of starts and parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.attractors.work import check_place, thread_count
from jounce.analysis.ensemble.columns import Rows, as_columns, make_rows
from jounce.analysis.ensemble.draws import MOST_RUNS, Correlation, draw, is_distribution
from jounce.analysis.ensemble.outputs import Wanted
from jounce.analysis.ensemble.work import Work
from jounce.analysis.stores.chunk_store import ChunkStore
from jounce.analysis.stores.models import model_entry
from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.simulation.actions import Actions, with_actions
from jounce.simulation.options import Options, as_options, check_whole
from jounce.simulation.section import Section
from jounce.simulation.simulate import stopping
from jounce.system.inputs import SystemLike, as_system
from jounce.system.state import State
from jounce.system.system import System

if TYPE_CHECKING:
    import xarray as xr


CHUNK = 8192  # runs that a store keeps together


def ensemble(
    system: SystemLike,
    starts: Any,
    t_end: Any,
    *,
    parameters: Any = None,
    keep: Sequence[str] = ("status", "final"),
    events: Sequence[str] = (),
    at: Any = None,
    runs: int | None = None,
    seed: int = 0,
    method: str = "random",
    correlation: Correlation | None = None,
    tolerance: float | None = None,
    options: Options | None = None,
    on: Actions | None = None,
    stop_at: str | Section | Mapping[str, int] | None = None,
    threads: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> xr.Dataset:
    """Many runs of ``system`` at once, in one compiled loop on all cores; each equals that of ``simulate``.

    starts       {name: number, array or distribution} (t, coordinates, velocities), a table of pandas, a state, a list
                 of states, or None: the model's own start
    t_end        a number, or an array
    parameters   {name: number, array or distribution}, or a table of pandas
    keep         some of "status", "final" (state and modes at the end), "counts" (events, impacts, steps), "ledger"
                 (work and losses), "extrema" (of coordinates and velocities)
    events       kinds of events to count, e.g. "impact", "impact:tip", "user:guard": how many, the first and last time
    at           times at which the state is kept (right after a jump); NaN where a run does not exist
    runs         how many, where distributions are drawn
    seed, method, correlation   of the draws: see ``jounce.draw``
    on, stop_at  as in ``simulate``
    threads      default: one a core; the result does not depend on it
    store        a folder for the result; a killed or interrupted ensemble goes on there when it is called again
    progress     called with the fraction done

    Arrays have one value a run; single numbers hold for all. The Dataset has the dimension ``run`` (and ``time``); what
    differs from run to run stands in it as coordinates, starts as ``y_start``. ``result.drop_dims("time",
    errors="ignore").to_dataframe()`` is a table with one row a run. Ctrl-C raises jounce.Interrupted with the finished
    runs as ``partial``. Runs are not audited one by one: simulate a run that matters again, with the same numbers.

    >>> ball = jounce.systems.bouncing_ball()
    >>> runs = jounce.ensemble(ball, {"y": jounce.Normal(1.0, 0.1)}, 0.2, runs=100, seed=1)
    >>> runs.sizes["run"], round(float(runs["y"].mean()), 2)
    (100, 0.81)
    """
    system, acted = with_actions(as_system(system, "ensemble"), on)
    system, stops, watch = stopping(system, stop_at)
    options = as_options(options, tolerance)
    check_place(threads, store, progress)
    wanted = Wanted.parse(system, keep, events, at, options)
    starts, parameters = _drawn(starts, as_columns(parameters, "parameters"), runs, seed, method, correlation)
    starts, parameters = _started(system, starts, parameters, acted)
    rows = make_rows(system, starts, parameters, t_end, runs)
    count = len(rows.starts)
    watched = (0, -1) if watch is None else watch.watch(system)
    work = Work(system, rows, wanted, options, stops, watched, wanted.arrays(count), np.zeros(count, np.bool_))
    work.check()

    def tell(done: int) -> None:
        if progress is not None:
            progress(done / count)

    try:
        if store is None:
            work.run(slice(0, count), thread_count(threads), tell)
        else:
            _run_in_store(work, store, thread_count(threads), tell)
    except KeyboardInterrupt:
        partial = wanted.dataset(rows, work.results, work.done, options)
        message = f"interrupted after {int(work.done.sum())} of {count} runs; those that are whole are kept"
        raise Interrupted(message, partial) from None
    return wanted.dataset(rows, work.results, work.done, options)


def _started(
    system: System, starts: Any, parameters: dict[str, Any], acted: tuple[str, ...]
) -> tuple[Any, dict[str, Any]]:
    """Starts and parameters where parameters that events set are discrete states: their values belong to the starts."""
    begun = {name: value for name, value in parameters.items() if name in acted}
    if not begun:
        return starts, parameters
    if starts is not None and not isinstance(starts, Mapping) and not hasattr(starts, "columns"):
        raise SimulationError(
            f"{next(iter(begun))!r} is set by on=..., so it belongs to the starts; give them as columns {{name: array}}"
        )
    rest = {name: value for name, value in parameters.items() if name not in acted}
    return as_columns(starts, "starts") | begun, rest


def _drawn(
    starts: Any, parameters: dict[str, Any], runs: int | None, seed: int, method: str, correlation: Correlation | None
) -> tuple[Any, dict[str, Any]]:
    """Starts and parameters with numbers in place of distributions, all drawn together."""
    if runs is not None:
        check_whole("runs", runs, 1, MOST_RUNS)
    states = isinstance(starts, State) or (isinstance(starts, Sequence) and not isinstance(starts, str))
    columns = {} if states else as_columns(starts, "starts")
    chosen = {name: value for name, value in {**columns, **parameters}.items() if is_distribution(value)}
    if not chosen:
        if not (correlation is None or (isinstance(correlation, Mapping) and not correlation)):
            raise OptionError("correlation is that of distributions, and none is given")
        return starts, parameters
    if runs is None:
        raise OptionError(f"runs says how many values are drawn for {', '.join(chosen)}; give it, e.g. runs=10_000")
    found = draw(runs, chosen, seed=seed, method=method, correlation=correlation)
    drawn_starts = starts if states else {name: found.get(name, value) for name, value in columns.items()}
    return drawn_starts, {name: found.get(name, value) for name, value in parameters.items()}


def _run_in_store(work: Work, path: str | PathLike[str], threads: int, tell: Callable[[int], None]) -> None:
    """Chunk after chunk, each stored when it is whole; those that are there already are read."""
    fields = {name: entry for name, entry in work.wanted.fields().items() if 0 not in entry.shape}
    opened = ChunkStore.open(path, _description(work), fields, {})
    for chunk in opened.chunks(0):
        part = opened.slice(0, chunk)
        if not opened.finished(0, chunk):
            work.run(part, threads, tell)
            opened.write(0, chunk, {name: work.results[name][part] for name in fields})
            continue
        for name in fields:
            work.results[name][part] = opened.read(name, 0, part)
        work.done[part] = True
        tell(int(work.done.sum()))


def _description(work: Work) -> dict[str, Any]:
    """Everything that shapes the result, ready for JSON."""
    return {
        "kind": "ensemble",
        "model": model_entry(work.system),
        "options": work.options.as_dict(),
        "items": len(work.rows.starts),
        "ranges": [[0, len(work.rows.starts)]],
        "chunk": min(CHUNK, len(work.rows.starts)),
        "rows": _digest(work.rows),
        "stops": {str(guard): direction for guard, direction in work.stops.items()},
        **({"watch": list(work.watch)} if work.watch[0] else {}),
        "keep": list(work.wanted.keep),
        "events": list(work.wanted.events),
        "at": work.wanted.times.tolist(),
    }


def _digest(rows: Rows) -> str:
    return hashlib.sha256(rows.starts.tobytes() + rows.parameters.tobytes()).hexdigest()

"""sweep: brute-force bifurcation diagrams.

For every value of a parameter the section map is iterated until the motion repeats or the transient is over; the
section points of the attractor are kept. Along a lane the attractor is carried from value to value, upwards or
downwards, so that a branch is followed as long as it attracts; or every value has random starts of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.attractors.diagram import Diagram
from jounce.analysis.attractors.search import PATIENCE, AttractorSearch
from jounce.analysis.attractors.work import (
    MOST_STARTS,
    Lane,
    Progress,
    Work,
    check_place,
    checked_numbers,
    chunk_size,
)
from jounce.analysis.stores.chunk_store import ChunkStore
from jounce.errors import OptionError, SimulationError, is_one_of, suggestion
from jounce.simulation.options import Options, as_options, check_whole, is_finite, refuse_options
from jounce.simulation.section import Section
from jounce.system.inputs import StateLike, SystemLike, as_state, as_system, beside_parameters
from jounce.units import in_seconds, in_unit, in_units

if TYPE_CHECKING:
    from jounce.analysis.attractors.diagram import Diagram
    from jounce.system.state import State
    from jounce.system.system import System

    Start = StateLike | tuple[float | str, StateLike]

DIRECTIONS = ("up", "down", "both")


@beside_parameters
def sweep(
    system: SystemLike,
    parameter: str,
    values: Any,
    section: Section | str,
    start: Start | None = None,
    *,
    transient: int = 900,
    patience: int = PATIENCE,
    keep: int = 100,
    direction: str = "up",
    starts: Sequence[Start] | None = None,
    random_starts: int = 0,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
    store: str | PathLike[str] | None = None,
    options: Options | None = None,
    threads: int | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
    longest_return: float | str | None = None,
    recurrence: float = 1e-8,
    **parameters: float | str,
) -> Diagram:
    """The attractors of ``system`` for every value of a parameter.

    section        a Section or its text: "phase:0", "impact:P1", "plane:d_y=0:-1"
    start, starts  one start or several; a pair (value, state) starts in the middle of the range. Default: the model's
    transient      returns to the section before anything is kept; a motion that repeats ends earlier
    patience       a motion that is unsettled then is followed for up to so many times transient + keep returns, and
                   chaos is tested once more; the column ``sure`` of the result says how sure the verdict is
    keep           section points kept of a motion that does not repeat
    direction      "up": from the lowest value (or the start's own) upwards; "down"; "both": one lane each
    random_starts  so many starts of their own for every value instead, drawn from ``ranges`` = {"y": (1, 20), ...}
                   (t, coordinates, velocities); a start inside a surface is moved onto it
    store          a folder for the result; a killed or interrupted sweep goes on there when it is called again
    threads        default: one a core
    cluster        a Dask client or the address of a scheduler
    progress       called with the fraction done

    The result depends on neither threads, cluster nor interruptions.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> diagram = jounce.sweep(system, "omega", [3.3, 3.4], "phase:0", {"y": 6.0}, e=0.8, transient=100)
    >>> diagram.branches[["first", "last", "kind"]].values.tolist()
    [[3.3, 3.4, 'periodic']]
    """
    system, options = as_system(system, "sweep"), as_options(options)
    refuse_options(parameters, system)
    longest = in_seconds(longest_return, "longest_return", OptionError)
    check_place(threads, store, progress)
    unit = system.model.units[parameter] if is_one_of(parameter, system.parameter_names) else ""
    values = np.unique(checked_numbers("values", in_units(values, unit, "values", OptionError)))
    search = AttractorSearch(
        system, Section.parse(section), parameter, system.numbers(parameters), transient, keep, recurrence, longest,
        options, patience=patience,
    ).settled(values)  # fmt: skip
    periods = search.periods(values)
    if parameter is None:
        raise SimulationError(f"parameter is None; {suggestion(None, system.parameter_names, 'parameters')}")
    if check_whole("random_starts", random_starts, 0, MOST_STARTS):
        if start is not None or starts is not None:
            raise OptionError("random_starts draws the starts itself: leave start and starts out")
        lanes, spans, names = _random_lanes(search, values, periods, random_starts, ranges, seed)
        search.check(values, [])
    else:
        if not isinstance(starts, list | tuple | type(None)):
            raise OptionError(f"starts is {starts!r}; it must be a list of states, or of pairs (value, state)")
        given = [_start(system, unit, entry) for entry in (starts if starts is not None else [start])]
        lanes, spans, names = _carried_lanes(search, values, given, direction)
    description = {
        "kind": "sweep",
        **search.description(),
        "items": len(values),
        "values": hashlib.sha256(values.tobytes()).hexdigest(),
        "chunk": chunk_size(len(values), search.transient + search.keep),
        "ranges": spans,
        "lanes": names,
        "starts": hashlib.sha256(b"".join(search.start_bytes(lane.starts) for lane in lanes)).hexdigest(),
    }
    opened = ChunkStore.open(store, description, search.fields(), {parameter: values})
    Work(search, opened, lanes, values, periods).run(threads, cluster, progress)
    found = Diagram(opened)
    found.know(search.system.model)
    return found


def _start(system: System, unit: str, entry: Any) -> tuple[float | None, State]:
    """(value at which the lane starts or None, state)."""
    value, state = entry if isinstance(entry, tuple) and len(entry) == 2 else (None, entry)
    value = in_unit(value, unit, "start", SimulationError)
    if value is not None and not is_finite(value):
        raise SimulationError(f"a start is a state, or (value, state) with a finite value; not {entry!r}")
    return None if value is None else float(value), as_state(system, state, "start")


def _carried_lanes(
    search: AttractorSearch,
    values: np.ndarray,
    starts: list[tuple[float | None, State]],
    direction: str,
) -> tuple[list[Lane], list[list[int]], list[dict[str, Any]]]:
    """One lane for each start and direction: (lanes, their items, what they are called)."""
    if not is_one_of(direction, DIRECTIONS):
        raise OptionError(f"direction is {direction!r}; {suggestion(direction, DIRECTIONS, 'directions')}")
    if not starts:
        raise OptionError("starts is empty; give at least one state, or leave it out")
    lanes, spans, names, begun = [], [], [], []
    for number, (value, state) in enumerate(starts):
        for way in ("up", "down") if direction == "both" else (direction,):
            if way == "up":
                span = [0 if value is None else int(np.searchsorted(values, value)), len(values)]
                first = span[0]
            else:
                span = [0, len(values) if value is None else int(np.searchsorted(values, value, side="right"))]
                first = span[1] - 1
            if span[0] >= span[1]:
                raise OptionError(
                    f"start {number} begins at {value:g}, outside the values from {values[0]:g} to {values[-1]:g}"
                )
            own = float(values[first]) if value is None else value  # where the state belongs to, in the grid or not
            begun.append((own, state))
            point = search.point(state, float(search.periods(np.array([own]))[0]))
            lanes.append(Lane(point[None, :], carried=True, backwards=way == "down"))
            spans.append(span)
            names.append({"start": number, "direction": way, "state": state.as_dict()})
    search.check(values, begun)
    return lanes, spans, names


def _random_lanes(
    search: AttractorSearch,
    values: np.ndarray,
    periods: np.ndarray,
    number: int,
    ranges: Mapping[str, tuple[float, float]] | None,
    seed: int,
) -> tuple[list[Lane], list[list[int]], list[dict[str, Any]]]:
    """Lanes of independent starts, drawn uniformly from the ranges; the same for the same seed."""
    system = search.system
    valid = ("t", *system.coordinate_names, *system.velocity_names)
    check_whole("random_starts", number, 1, max(MOST_STARTS // len(values), 1))
    seed = check_whole("seed", seed, 0, 2**63)
    if not isinstance(ranges, Mapping) or not ranges:
        raise OptionError(f"random_starts needs ranges={{name: (low, high)}} for some of {', '.join(valid)}")
    middle = np.concatenate(([0.0], system.state().q, system.state().u))
    lanes = []
    for lane in range(number):
        generator = np.random.default_rng([seed, lane])
        points = np.repeat(middle[None, :], len(values), axis=0)
        for name, bounds in ranges.items():
            if not is_one_of(name, valid):
                raise SimulationError(f"ranges: unknown name {name!r}; {suggestion(name, valid)}")
            bounds = in_units(bounds, system.model.units[name], f"ranges: {name}", OptionError)
            pair = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(is_finite, bounds))
            if not pair or bounds[0] > bounds[1]:
                raise OptionError(f"ranges: {name} is {bounds!r}; it must be (low, high), finite")
            low, high = bounds
            points[:, valid.index(name)] = generator.uniform(low, high, len(values))
        if search.timeless:
            points[:, 0] = 0.0
        else:
            points[:, 0] = np.where(periods > 0.0, points[:, 0] / np.where(periods > 0.0, periods, 1.0), points[:, 0])
        lanes.append(Lane(points, carried=False))
    spans = [[0, len(values)] for _ in lanes]
    return lanes, spans, [{"start": lane, "direction": "random", "seed": seed} for lane in range(number)]

"""Starts and parameters of all runs as rows of numbers, the way the kernels read them (kernels/maps/run_start.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.simulation.modes import mode_code, split_words, word_count
from jounce.simulation.period import turn_length
from jounce.system.inputs import as_state
from jounce.system.state import State
from jounce.system.system import System
from jounce.units import TIME, in_units

Columns = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Rows:
    """All runs.

    starts       [run, t, t_end, period, q, u and, if a start knows them, memory, modes, orders, scales, sides]
    parameters   [run, parameter]
    varied       what differs from run to run, by name; starts as "y_start"
    states       the starts as states where they were given as such, else None
    """

    starts: np.ndarray
    parameters: np.ndarray
    varied: Columns
    states: list[State] | None

    def state(self, system: System, run: int) -> State:
        """The start of one run."""
        if self.states is not None:
            return self.states[run]
        row, n = self.starts[run], system.n
        return State(row[0], row[3 : 3 + n], row[3 + n : 3 + 2 * n], system.coordinate_names)


def as_columns(value: Any, what: str) -> dict[str, Any]:
    """Name -> number, array or distribution, from a mapping or a table of pandas."""
    if value is None:
        return {}
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        return {str(name): value[name].to_numpy() for name in value.columns}
    if isinstance(value, Mapping):
        return {str(getattr(name, "name", name)): column for name, column in value.items()}
    raise SimulationError(f"{what} must be a dictionary name -> number or array, or a table of pandas; not {value!r}")


def as_numbers(what: str, value: Any, unit: str) -> np.ndarray:
    """A column: one finite number, or a row of them; texts bring a unit of their own."""
    try:
        column = np.asarray(in_units(value, unit, what, SimulationError))
        column = column.astype(np.float64) if column.dtype.kind in "iuf" else np.full(1, np.nan)
    except (TypeError, ValueError, OverflowError):
        column = np.full(1, np.nan)
    if column.ndim > 1 or column.size == 0 or not np.all(np.isfinite(column)):
        raise SimulationError(f"{what} must be a finite number or a one-dimensional array of them")
    return column


def number_of_runs(columns: Columns, given: int | None) -> int:
    """The one length that all columns have that are not single numbers."""
    lengths = {name: column.size for name, column in columns.items() if column.ndim == 1 and column.size > 1}
    if given is not None:
        lengths["runs"] = given
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise SimulationError(f"columns have different lengths ({found}); each needs one value a run, or a single one")
    return next(iter(lengths.values()), 1)


def make_rows(system: System, starts: Any, parameters: dict[str, Any], t_end: Any, runs: int | None) -> Rows:
    """Everything broadcast to one row a run."""
    states = _given_states(system, starts)
    start_columns = {} if states else as_columns(starts, "starts")
    valid = ("t", *system.coordinate_names, *system.velocity_names, *system.state_names)
    for name in start_columns:
        if not is_one_of(name, valid):
            raise SimulationError(f"starts: unknown name {name!r}; {suggestion(name, valid)}")
    for name in parameters:
        if not is_one_of(name, system.parameter_names):
            raise SimulationError(f"parameters: unknown name {name!r}; {suggestion(name, system.parameter_names)}")
    units = system.model.units
    named = {
        f"{name}_start": as_numbers(f"starts: {name}", value, units[name]) for name, value in start_columns.items()
    }
    named |= {name: as_numbers(f"parameters: {name}", value, units[name]) for name, value in parameters.items()}
    named["t_end"] = as_numbers("t_end", t_end, TIME)
    if states and len(states) > 1:
        runs = len(states) if runs is None else runs
    count = number_of_runs(named, runs)
    if states and len(states) not in (1, count):
        raise SimulationError(f"there are {len(states)} starts and {count} runs; give one start, or one a run")
    vectors = np.tile(system.defaults, (count, 1))
    for name in parameters:
        vectors[:, system.parameter_names.index(name)] = named[name]
        system.check_range(name, *map(float, (np.min(named[name]), np.max(named[name]))))
    if states is None and (system.nj or not start_columns.keys().isdisjoint(system.state_names)):
        states = _followed(system, start_columns, parameters, named, count)
    if states is not None:
        states = states * count if len(states) == 1 else states
        table = _state_rows(system, states)
    else:
        table = np.zeros((count, 3 + 2 * system.n))
        table[:, [0, *range(3, 3 + 2 * system.n)]] = [0.0, *system.state().q, *system.state().u]
        for name in start_columns:
            table[:, 0 if name == "t" else 2 + valid.index(name)] = named[f"{name}_start"]
    table[:, 1] = named["t_end"]
    late = np.flatnonzero(table[:, 1] < table[:, 0])
    if late.size:
        t, end = table[late[0], :2]
        raise SimulationError(f"run {late[0]}: t_end is {end:g}; it must not be before the start t={t:g}")
    table[:, 2] = _periods(system, vectors, list(parameters))
    varied = {name: np.broadcast_to(column, count) for name, column in named.items() if column.ndim == 1}
    return Rows(table, vectors, varied, states)


def _given_states(system: System, starts: Any) -> list[State] | None:
    """States as they were given, one or one a run; None where starts are columns."""
    if isinstance(starts, State):
        return [as_state(system, starts, "starts")]
    if isinstance(starts, Sequence) and not isinstance(starts, str) and len(starts):
        return [as_state(system, entry, f"starts[{k}]") for k, entry in enumerate(starts)]
    return None


def _followed(
    system: System, columns: dict[str, Any], parameters: dict[str, Any], named: Columns, count: int
) -> list[State]:
    """The start of every run as a state: what is not given has its default, or follows along the joints."""
    if all(column.ndim == 0 for name, column in named.items() if name != "t_end"):
        count = 1
    wide = {name: np.broadcast_to(column, count).tolist() for name, column in named.items() if name != "t_end"}
    return [
        as_state(
            system,
            {name: wide[f"{name}_start"][k] for name in columns},
            f"run {k}: start",
            {name: wide[name][k] for name in parameters},
        )
        for k in range(count)
    ]


def _state_rows(system: System, states: list[State]) -> np.ndarray:
    """Rows of states, as long as what the states know makes them."""
    n, memory = system.n, len(system.model.memory)
    scales = 2 * n + 4 * system.nc + system.nj + system.ng
    carried = any(state.memory.size or state.modes.size or state.scales.size for state in states)
    words = 2 * word_count(system.nc)
    table = np.zeros((len(states), 3 + 2 * n + ((memory + words + scales + system.ng) if carried else 0)))
    for row, state in zip(table, map(system.fitted, states), strict=True):
        row[0], row[3 : 3 + n], row[3 + n : 3 + 2 * n] = state.t, state.q, state.u
        if carried:
            at = 3 + 2 * n
            row[at : at + memory] = system.memory_of(state)
            known = system.knows_modes(state)
            codes = [mode_code(c) if known else -1 for c in (state.modes, state.orders)]
            row[at + memory : at + memory + words] = split_words(codes, system.nc).ravel()
            at += memory + words
            if state.scales.size == scales:
                row[at : at + scales] = state.scales
            row[at + scales : at + scales + len(system.guard_names)] = system.sides_of(state)
    return table


def _periods(system: System, vectors: np.ndarray, varied: list[str]) -> np.ndarray:
    """For every run the time after which the model repeats itself; 0 where there is none."""
    places = () if system.forcing is None else system.forcing.parameters
    alike = not {system.parameter_names[k] for k in places} & set(varied) and bool(vectors.all())
    rows = vectors[:1] if alike else vectors
    return np.broadcast_to([turn_length(system, row) for row in rows], len(vectors))

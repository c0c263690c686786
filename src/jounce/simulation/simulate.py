"""simulate: drive the compiled loop, empty its buffers, hand over a Trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.simulation.controller import Controller, Sampling
from jounce.simulation.driver import Driver
from jounce.simulation.options import Options, as_options, check_callable, is_finite, refuse_options
from jounce.simulation.records import NO_SCHEDULE
from jounce.simulation.section import FORMS, KINDS, Section
from jounce.system.checks import check_joints_keep, check_parameters, check_start
from jounce.system.inputs import as_state, as_system
from jounce.units import in_seconds, in_unit

if TYPE_CHECKING:
    from jounce.model.model import Model
    from jounce.simulation.actions import Actions
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

Schedule = Iterable[tuple[float | str, Mapping[str, float | str]]]


def simulate(
    system: System | Model,
    start: State | Mapping[str, float | str] | None,
    t_end: float | str,
    *,
    tolerance: float | None = None,
    options: Options | None = None,
    schedule: Schedule = (),
    on: Actions | None = None,
    controller: Controller | None = None,
    stop_at: str | Section | Mapping[str, int] | None = None,
    progress: Callable[[float], None] | None = None,
    **parameters: float | str,
) -> Trajectory:
    """Run ``system`` from ``start`` to ``t_end``; Ctrl-C raises jounce.Interrupted with the run so far as ``partial``.

    system       a compiled system, or a model, which is compiled
    start        a state, a dictionary name -> number, or None: the model's own start
    tolerance    that of the options, which it replaces
    options      ``Options``: accuracy, law of impact, policies, what is kept
    schedule     [(t, {parameter: value}), ...]: parameters that change at given times
    on           {event: {name: value}}: what events set, e.g. {"impact:foot": {"F": 150}}, in the words of ``stop_at``.
                 Values are numbers, texts with units, or expressions such as "F + 10"; names those of parameters,
                 discrete states, coordinates and velocities. Each is a reset of the run: a row among the events
    controller   a Controller: a Python function that sets parameters at samples; slow beside ``jounce.sampled``
    stop_at      where the run ends, in the words of sections: "impact:foot", "lift_off:foot", "reset:name",
                 "plane:theta=0.1:+1", the name of a guard of the model, or {guard: direction}: +1 increasing, -1
                 decreasing, 0 both. The final state is the one just behind the event
    progress     called with the fraction of the time span done
    parameters   overrides by name, e.g. omega=4.405

    Numbers are in the units that the model declares; texts bring their own and are converted: g="981 cm/s^2".

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=10.0, e=0.5)
    >>> print(run.status)
    AT_REST: came to rest at t=1.35457 in mode floor:SLIP+ and stays there until t=10
    >>> round(float(run.events["t"].iloc[0]), 6)  # sqrt(2/g)
    0.451524
    """
    system, acted = _acted(as_system(system, "simulate"), on)
    options = as_options(options, tolerance)
    refuse_options(parameters, system)
    begun = {name: parameters.pop(name) for name in acted if name in parameters}
    p = system.parameters(**parameters)
    start = system.with_states(as_state(system, start, "start", parameters), begun)
    end: Any = in_seconds(t_end, "t_end", SimulationError)
    if not is_finite(end) or end < start.t:
        raise SimulationError(f"t_end is {t_end!r}; it must be a finite time not before the start t={start.t:g}")
    check_callable("progress", progress)
    system, stops, watch = stopping(system, stop_at)
    start = system.fitted(start)
    driver = Driver(system, start, float(end), p, options)
    if not driver.start_is_sound():
        check_start(system, start, p, system.closed_contacts(start))
    rows = _schedule_rows(system, schedule, acted)
    if len(rows):
        _check_scheduled(system, start, p, rows)
        driver.set_schedule(rows)
    driver.set_stops(stops, watch)
    if controller is not None:
        driver.set_sampling(_sampling(controller, system, start, float(end), rows, acted))
    try:
        return driver.run(progress)
    finally:
        driver.release()


def _acted(system: System, on: Actions | None) -> tuple[System, tuple[str, ...]]:
    """The system in which events act, and the parameters that are discrete states in it."""
    if on is None:
        return system, ()
    from jounce.simulation.actions import with_actions  # SymPy, for runs with actions alone

    return with_actions(system, on)


def _sampling(
    controller: Any, system: System, start: State, t_end: float, rows: np.ndarray, acted: tuple[str, ...]
) -> Sampling:
    """The samples of a controller, which has the parameters it sets for itself."""
    if not isinstance(controller, Controller):
        form = "jounce.Controller(function, every='1 ms')"
        raise SimulationError(f"controller must be a Controller, e.g. {form}; not {controller!r}")
    if len(rows):
        raise SimulationError("a run takes a schedule or a controller, which can do what the schedule does; not both")
    sampling = Sampling(controller, system, start, t_end)
    taken = [name for name in sampling.names if name in acted]
    if taken:
        raise SimulationError(f"controller: {taken[0]!r} is set by on=...; a run takes it from one of them")
    return sampling


def _schedule_rows(system: System, schedule: Schedule, acted: tuple[str, ...]) -> np.ndarray:
    """Sorted rows (time, parameter index, value)."""
    if isinstance(schedule, tuple) and not schedule:
        return NO_SCHEDULE
    names = system.parameter_names
    rows: list[tuple[float, int, float]] = []
    for moment, changes in _entries(schedule):
        t = in_seconds(moment, "schedule: t", SimulationError)
        for name, given in changes.items():
            if name in acted:
                raise SimulationError(f"schedule at t={t}: {name!r} is set by on=...; a run takes it from one of them")
            if not is_one_of(name, names):
                raise SimulationError(f"schedule at t={t}: unknown parameter {name!r}; {suggestion(name, names)}")
            check_joints_keep(system, name, f"schedule at t={t}")
            value = in_unit(given, system.outline.units[name], f"schedule at t={t}: {name}", SimulationError)
            if not (is_finite(t) and is_finite(value)):
                raise SimulationError(f"schedule: {name} = {value!r} at t = {t!r}; both must be finite numbers")
            system.check_range(name, float(value))
            rows.append((float(t), names.index(name), float(value)))
    rows.sort(key=lambda row: row[0])
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def _entries(schedule: Any) -> Iterable[tuple[Any, Mapping[str, Any]]]:
    """The pairs of a schedule, in any iterable; not a dictionary, whose times could not repeat."""
    form = "[(t, {parameter: value}), ...], e.g. [(3.0, {'mu': 0.9})]"
    try:
        entries = None if isinstance(schedule, Mapping | str) else list(schedule)
    except TypeError:  # also an array without dimensions, which says that it can be iterated
        entries = None
    if entries is None:
        raise SimulationError(f"schedule must be {form}; not {schedule!r}")
    for entry in entries:
        pair = isinstance(entry, tuple | list) and len(entry) == 2
        if not pair or not isinstance(entry[1], Mapping):
            raise SimulationError(f"schedule must be {form}; {entry!r} is no such pair")
        yield entry[0], entry[1]


def _check_scheduled(system: System, start: State, p: np.ndarray, rows: np.ndarray) -> None:
    """Friction, restitution and masses make sense after every change, as they must at the start."""
    changed = p.copy()
    for k, (t, index, value) in enumerate(rows):
        changed[int(index)] = value
        if k + 1 < len(rows) and rows[k + 1, 0] == t:
            continue  # all changes of one instant together
        try:
            check_parameters(system, float(t), start.q, start.u, changed)
        except SimulationError as error:
            raise SimulationError(f"schedule at t={t:g}: {str(error).replace(' at the start', '')}") from None


def stopping(
    system: System, stop_at: str | Section | Mapping[str, int] | None
) -> tuple[System, dict[int, int], Section | None]:
    """The system that can stop there, the guards at which it does with their directions, and the event to watch for.

    A plane is one more guard: the system is then a derived one.
    """
    if isinstance(stop_at, str) and (":" in stop_at or stop_at in KINDS):
        stop_at = Section.parse(stop_at)
    elif isinstance(stop_at, str) and stop_at in system.reset_names:
        stop_at = Section.reset(stop_at)
    if not isinstance(stop_at, Section):
        return system, stops_of(system, stop_at), None
    if stop_at.kind == "phase":
        raise SimulationError(f"stop_at: a run cannot stop at {stop_at}, a time; give it as t_end")
    system, guard = stop_at.attach(system)
    return (system, {guard: stop_at.direction}, None) if guard >= 0 else (system, {}, stop_at)


def stops_of(system: System, stop_at: str | Mapping[str, int] | None) -> dict[int, int]:
    """Guard index -> direction."""
    if not (stop_at is None or isinstance(stop_at, str | Mapping)):
        raise SimulationError(
            f"stop_at is {stop_at!r}; it must be an event like 'impact:foot', or {{guard: direction}}"
        )
    chosen = {} if stop_at is None else {stop_at: 0} if isinstance(stop_at, str) else dict(stop_at)
    stops = {}
    for name, direction in chosen.items():
        if not is_one_of(name, system.guard_names):
            hint = suggestion(name, system.guard_names, "guards")
            raise SimulationError(f"stop_at: unknown guard {name!r}; {hint}. Events are written {FORMS}")
        if name in system.reset_names:
            raise SimulationError(f"stop_at: the guard {name!r} belongs to a reset; write stop_at='reset:{name}'")
        if type(direction) not in (int, float) or direction not in (-1, 0, 1):
            raise SimulationError(f"stop_at: direction of {name!r} is {direction!r}; it must be -1, 0 or 1")
        stops[system.guard_names.index(name)] = direction
    return stops

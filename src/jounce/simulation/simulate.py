"""simulate: drive the compiled loop, empty its buffers, hand over a Trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from jounce.errors import SimulationError, suggestion
from jounce.simulation.options import Options

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

Schedule = Iterable[tuple[float, Mapping[str, float]]]


def simulate(
    system: System,
    start: State,
    t_end: float,
    *,
    options: Options | None = None,
    schedule: Schedule = (),
    stop_at: str | Mapping[str, int] | None = None,
    progress: Callable[[float], None] | None = None,
    **parameters: float,
) -> Trajectory:
    """Run ``system`` from ``start`` to ``t_end``.

    schedule     [(t, {parameter: value}), ...]: parameters that change at given times
    stop_at      a guard of the model at which the run ends, or {guard: direction}: +1 increasing, -1 decreasing, 0 both
    progress     called with the fraction of the time span done
    parameters   overrides by name, e.g. omega=4.405
    """
    from jounce.simulation.driver import Driver
    from jounce.system.checks import check_start

    options = options or Options()
    p = system.parameters(**parameters)
    if not np.isfinite(t_end) or t_end < start.t:
        raise SimulationError(f"t_end is {t_end}; it must be a finite time not before the start t={start.t:g}")
    check_start(system, start.t, start.q, start.u, p)
    driver = Driver(system, start, float(t_end), p, options)
    driver.set_schedule(_schedule_rows(system, schedule))
    driver.set_stops(_stops(system, stop_at))
    return driver.run(progress)


def _schedule_rows(system: System, schedule: Schedule) -> np.ndarray:
    """Sorted rows (time, parameter index, value)."""
    names = system.parameter_names
    rows: list[tuple[float, int, float]] = []
    for t, changes in schedule:
        for name, value in changes.items():
            if name not in names:
                raise SimulationError(f"schedule at t={t}: unknown parameter {name!r}; {suggestion(name, names)}")
            _check_joints_keep(system, name, t)
            if not (np.isfinite(t) and np.isfinite(value)):
                raise SimulationError(f"schedule: {name} = {value} at t = {t}; both must be finite")
            rows.append((float(t), names.index(name), float(value)))
    rows.sort(key=lambda row: row[0])
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def _check_joints_keep(system: System, name: str, t: float) -> None:
    """A length that jumps, or a driver whose speed jumps, would tear the machine apart at that instant."""
    for joint, expression in system.model.joints.items():
        if name in {symbol.name for symbol in expression.free_symbols}:
            raise SimulationError(
                f"schedule at t={t}: joint {joint!r} depends on {name!r}, so the machine would jump; write the change "
                "into the joint as a function of jounce.time, or simulate in two parts with system.assemble between"
            )


def _stops(system: System, stop_at: str | Mapping[str, int] | None) -> dict[int, int]:
    """Guard index -> direction."""
    chosen = {} if stop_at is None else {stop_at: 0} if isinstance(stop_at, str) else dict(stop_at)
    stops = {}
    for name, direction in chosen.items():
        if name not in system.guard_names:
            raise SimulationError(f"stop_at: unknown guard {name!r}; {suggestion(name, system.guard_names, 'guards')}")
        if direction not in (-1, 0, 1):
            raise SimulationError(f"stop_at: direction of {name!r} is {direction!r}; it must be -1, 0 or 1")
        stops[system.guard_names.index(name)] = direction
    return stops

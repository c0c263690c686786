"""How a motion closes: which models are forced at given parameters, runs within a budget, and the first guess of a
period."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.symmetry import Symmetry
from jounce.analysis.scales import time_scale
from jounce.analysis.sections.section_map import SectionMap
from jounce.analysis.stability.budget import step_budget
from jounce.analysis.variables import place_columns, variable_names, variables_at
from jounce.errors import OptionError, SimulationError
from jounce.simulation.driver import Driver
from jounce.simulation.options import Options
from jounce.simulation.period import is_forced, turn_length
from jounce.system.checks import check_start
from jounce.system.inputs import as_state

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

#: An autonomous motion is followed for so many of its own times at first (analysis/scales.py); one that has not
#: returned after so many doublings of that is not near an orbit.
_FIRST_SPAN, _DOUBLINGS = 1.0, 12
#: Returns nearer than this, relative to how far the motion reaches in between, count as the same point.
_RECURS = 1e-2
_STILL = 1e-12  # of the coordinates: a motion that moves less has come to rest
#: An event that the run of a guess does not meet is looked for so far behind its end, relative to the guessed period.
_BEYOND = 0.25
#: One period of a motion takes fewer steps than this: a thousand events with a thousand steps each.
MOST_STEPS = 1_000_000


def forcing_period(system: System, p: np.ndarray) -> float | None:
    """The period of the forcing at these parameters, None for an autonomous motion."""
    if not is_forced(system, p):
        return None
    period = system.period(p)
    if period is not None and not 0.0 < period < np.inf:
        raise SimulationError(
            f"the forcing period of {system.model.name} is {period:g} s; it must be positive and finite"
        )
    if period is None:
        raise SimulationError(
            f"{system.model.name} depends on time but states no period, so no motion of it can be periodic; "
            "give the Model period=..."
        )
    return period


def check_period(system: System, guess: State, p: np.ndarray) -> None:
    """Refuse a period that the model states and is not known to have: what returns after it may not go on as before."""
    period = forcing_period(system, p)
    if period is not None and not guess.t + period > guess.t:
        raise SimulationError(
            f"the forcing period of {system.model.name} is {period:g} s, which double precision cannot tell from "
            f"nothing at t = {guess.t:g}; check the parameters, or start at a time near zero"
        )
    if period is None or turn_length(system, p) > 0.0:
        return
    raise SimulationError(
        f"{system.model.name} does not repeat itself after its period {period:.9g}, or cannot be seen to: time "
        "stands in it in another way than in sines, cosines and periodic tables that each repeat a whole number of "
        "times in this period; give the Model the period= of all of its forcing"
    )


@lru_cache(maxsize=64)
def period_rate(system: System, name: str) -> Callable[..., float]:
    """The derivative of the forcing period by a parameter, as a function of all parameters in order."""
    import sympy as sp

    model = system.model
    symbol = model.p[system.parameter_names.index(name)]
    return sp.lambdify(model.p, sp.diff(model.period, symbol), "math")  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------ returns


def estimate_period(
    system: System,
    guess: State,
    section: Any,
    period: int,
    options: Options,
    parameters: dict[str, float],
    symmetry: Symmetry,
) -> float:
    """The time of ``period`` returns to the section from the guess; a forced motion closes after whole periods."""
    p = system.parameters(**parameters)
    forcing = forcing_period(system, p)
    if section is None:
        if forcing is not None:
            return period * forcing
        return period * _recurrence(system, guess, options, parameters, symmetry)
    samples = SectionMap(system, section, options=options, **parameters).iterate(guess, period + 1)
    if len(samples.array) < period + 1:
        raise SimulationError(f"the motion from {guess} does not return to the section {section}: {samples.status}")
    span = samples["return_time"][1:].sum()
    if forcing is None:
        return float(span)
    return max(1, round(span / forcing)) * forcing


def as_guess(system: System, guess: Any, parameters: Mapping[str, float]) -> State:
    """A guess is a state of the system, or a dictionary name -> number."""
    if isinstance(guess, Mapping):
        return as_state(system, guess, "guess", parameters)
    names = getattr(guess, "names", None)
    if names is None:
        raise OptionError(f"the guess must be a State, as system.state(...) gives, not {type(guess).__name__}")
    if tuple(names) != tuple(system.coordinate_names):
        raise OptionError(
            f"the guess has the coordinates {', '.join(names)}; {system.model.name} has "
            f"{', '.join(system.coordinate_names)}"
        )
    return guess  # type: ignore[no-any-return]


def check_run(run: Trajectory, what: str) -> Trajectory:
    """The run, or an error that says why it cannot be part of an orbit."""
    if run.status.name == "AT_REST":
        raise SimulationError(
            f"{what}: the motion {run.status.message}; an equilibrium is found with jounce.find_equilibrium"
        )
    if not run.status.ok:
        raise SimulationError(f"{what}: the motion ended early: {run.status}")
    return run


def motion(
    system: System,
    start: State,
    span: float,
    options: Options,
    parameters: Mapping[str, Any],
    most_steps: int = MOST_STEPS,
) -> Trajectory:
    """The run from ``start`` over ``span``; an error where it takes more steps than a period may."""
    p = system.parameters(**parameters)
    driver = Driver(system, start, start.t + span, p, options)
    if not driver.start_is_sound():
        check_start(system, start, p)
    run = driver.run(step_budget(driver, most_steps))
    driver.release()
    return run


def past_first_jump(run: Trajectory, options: Options, parameters: Mapping[str, Any]) -> Trajectory:
    """A run of the same length that has the event of a guess just behind it: behind an impact or a reset.

    Such a guess is what closed forms and sections at events give. Whether the event at the end of the period is part of
    its run is then a matter of rounding, and of how well the period is guessed; without it Newton's method looks for a
    motion that lacks it. Where a run has no events but meets one soon behind its end, or one before as much time as
    passed before its first, it begins anew in the middle of its longest smooth stretch.
    """
    span, times = run.t_end - run.t_start, run.data.event_float[:, 0]
    ahead = float(times[0] - run.t_start) / 2 if len(times) else _BEYOND * span
    if ahead <= 0.0:
        return run
    beyond = motion(run.system, run.final, ahead, options, parameters)
    if not beyond.status.ok or not len(beyond.data.event_float):
        return run
    first = float(beyond.data.event_float[0, 0])
    ends = np.array([run.t_start, *times, run.t_end if len(times) else first])
    k = int(np.argmax(np.diff(ends)))
    middle = float(ends[k] + ends[k + 1]) / 2
    start = run.at(middle) if middle <= run.t_end else beyond.at(middle)
    return check_run(motion(run.system, start, span, options, parameters), "the guess")


def _recurrence(
    system: System, guess: State, options: Options, parameters: dict[str, float], symmetry: Symmetry
) -> float:
    """The time after which an autonomous motion from near an orbit comes back to where it was.

    Points of comparison are the events of the rarest kind that repeats; without events, the crossings of the plane
    through the guess orthogonal to the flow.
    """
    p = system.parameters(**parameters)
    span, nearest = _FIRST_SPAN * time_scale(system, guess, p), _Return(np.inf, np.inf, "")
    shift = symmetry.shift(system, p)
    for _ in range(_DOUBLINGS):
        try:
            run = check_run(motion(system, guess, span, options, parameters), "no period can be guessed")
        except SimulationError as error:
            raise SimulationError(f"{error}{nearest}") from None
        if _rests(run):
            raise SimulationError(
                f"the motion from {guess} comes to rest; an equilibrium is found with jounce.find_equilibrium"
            )
        times = _event_returns(run)
        if len(times) < 3:
            times = _plane_returns(run)
        if len(times) >= 3:
            found = _best_return(run, times, symmetry, shift)
            if found.error < _RECURS:
                return found.time
            nearest = min(nearest, found)
        span *= 2.0
    raise SimulationError(
        f"the motion from {guess} does not come back within {span / 2:g} s{nearest}; start nearer to the orbit "
        "(simulate until the transient is over and take run.final), or say what a return is with section=..."
    )


class _Return(NamedTuple):
    """A return: how far off relative to the motion's reach in between, after how long, and which variable."""

    error: float
    time: float
    worst: str

    def __str__(self) -> str:
        if not self.worst:
            return ""
        coordinate = self.worst.partition(" ")[0].removeprefix("d_")
        return (
            f". The nearest return, after {self.time:.6g} s, does not close in {self.worst}; if {coordinate} comes "
            f"back up to a shift, say by how much: closes={{{coordinate!r}: ...}}"
        )


def _rests(run: Trajectory) -> bool:
    """Whether nothing moves in the second half of a run, by more than rounding leaves of its place."""
    places = run.states(np.linspace(run.t_start, run.t_end, 401))[:, place_columns(run.system)]
    return bool((np.ptp(places[200:], axis=0) <= _STILL * np.abs(places).max(axis=0)).all())


def _event_returns(run: Trajectory) -> np.ndarray:
    rows, floats = run.data.event_int, run.data.event_float
    times: dict[tuple[int, ...], list[float]] = {}
    for row, values in zip(rows, floats, strict=True):
        times.setdefault((int(row[0]), int(row[1]), int(row[3])), []).append(float(values[0]))
    repeated = [found for found in times.values() if len(found) >= 3]
    return np.array(min(repeated, key=len)) if repeated else np.zeros(0)


def _plane_returns(run: Trajectory) -> np.ndarray:
    """Crossings of the plane through the start orthogonal to the flow there, in the flow's direction."""
    grid = np.linspace(run.t_start, run.t_end, 2001)
    states = run.states(grid)
    rate = (states[1] - states[0]) / (grid[1] - grid[0])
    ranges = np.ptp(states, axis=0)
    scale = np.where(ranges > 0.0, ranges, 1.0)
    height = ((states - states[0]) / scale) @ (rate / scale)
    up = np.flatnonzero((height[:-1] < 0) & (height[1:] >= 0))
    crossing = grid[up] + (grid[1] - grid[0]) * height[up] / (height[up] - height[up + 1])
    return np.concatenate([[run.t_start], crossing])


def _best_return(run: Trajectory, times: np.ndarray, symmetry: Symmetry, shift: Floats) -> _Return:
    """The first return, counted from the last point backwards, that comes near enough; else the nearest there was.

    Near is measured against how far the motion reaches within that return: over a whole run a body that walks on for
    ever reaches so far that every step would be a return.
    """
    states, names = variables_at(run, times), variable_names(run.system)
    nearest = _Return(np.inf, np.inf, "")
    for k in range(1, len(times) // 2 + 1):
        within = np.ptp(variables_at(run, np.linspace(times[-1 - k], times[-1], 200)), axis=0)
        off = symmetry.close(states[-1] - states[-1 - k], shift)
        error = np.abs(off) / np.where(within > 0.0, within, 1.0)
        worst = int(np.argmax(error))
        words = f"{names[worst]} (off by {off[worst]:.3g}, its range is {within[worst]:.3g})"
        found = _Return(float(error[worst]), float(times[-1] - times[-1 - k]), words)
        if found.error < _RECURS:
            return found
        nearest = min(nearest, found)
    return nearest

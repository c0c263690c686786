"""How a motion closes: which models are forced at given parameters, which coordinates need not return, and the first
guess of a period."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import OptionError, SimulationError
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

#: An autonomous motion that has not returned after this many doublings of its first second is not near an orbit.
_DOUBLINGS = 12
#: Returns nearer than this, relative to the motion's size, count as the same point.
_RECURS = 1e-2


def is_forced(system: System, p: np.ndarray) -> bool:
    """Whether time appears in the model once the parameters that are zero are put in (the wiper on a steady belt)."""
    if system.autonomous:
        return False
    return _time_appears(system, tuple(np.flatnonzero(np.asarray(p) == 0.0).tolist()))


@lru_cache(maxsize=256)
def _time_appears(system: System, vanishing: tuple[int, ...]) -> bool:
    from jounce.model.expressions import expressions_in
    from jounce.model.symbols import time

    model = system.model
    zero = {model.p[k]: 0 for k in vanishing}
    parts = (model.M, model.h, model.contacts, model.joints, model.guards, model.V, model.applied_power)
    return any(
        expression.has(time) and expression.subs(zero).has(time)
        for part in parts
        for expression in expressions_in(part)
    )


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


@lru_cache(maxsize=64)
def period_rate(system: System, name: str) -> Callable[..., float]:
    """The derivative of the forcing period by a parameter, as a function of all parameters in order."""
    import sympy as sp

    model = system.model
    symbol = model.p[system.parameter_names.index(name)]
    return sp.lambdify(model.p, sp.diff(model.period, symbol), "math")  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Symmetry:
    """Coordinates that need not return to their values.

    ignorable   indices of coordinates that appear nowhere in the model: only their velocities matter
    angles      indices of coordinates in which the model repeats after 2 pi
    """

    ignorable: tuple[int, ...] = ()
    angles: tuple[int, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)

    def close(self, difference: np.ndarray) -> np.ndarray:
        """The difference of two states as an error of closure: whole turns and drifts of the above taken out."""
        error = difference.copy()
        error[list(self.ignorable)] = 0.0
        for k in self.angles:
            error[k] -= 2 * np.pi * round(error[k] / (2 * np.pi))
        return error

    def drift(self, difference: np.ndarray) -> dict[str, float]:
        """By how much the coordinates that need not return move in a period."""
        moved = {self.names[k]: float(difference[k]) for k in self.ignorable}
        moved |= {self.names[k]: 2 * np.pi * round(difference[k] / (2 * np.pi)) for k in self.angles}
        return {name: value for name, value in moved.items() if value != 0.0}


@lru_cache(maxsize=64)
def find_symmetry(system: System) -> Symmetry:
    """Which coordinates the equations of motion do not contain, or contain only through sines and cosines."""
    from jounce.model.periodicity import NOWHERE

    ignorable = tuple(k for k, turns in enumerate(system.turns) if turns == NOWHERE)
    angles = tuple(k for k, turns in enumerate(system.turns) if turns == 1)
    return Symmetry(ignorable, angles, system.coordinate_names)


# ------------------------------------------------------------------------------------------------ returns


def estimate_period(
    system: System, guess: State, section: Any, period: int, options: Options, parameters: dict[str, float]
) -> float:
    """The time of ``period`` returns to the section from the guess; a forced motion closes after whole periods."""
    p = system.parameters(**parameters)
    forcing = forcing_period(system, p)
    if section is None:
        if forcing is not None:
            return period * forcing
        return period * _recurrence(system, guess, options, parameters)
    from jounce.analysis.sections.section_map import SectionMap

    samples = SectionMap(system, section, options=options, **parameters).iterate(guess, period + 1)
    if len(samples.array) < period + 1:
        raise SimulationError(f"the motion from {guess} does not return to the section {section}: {samples.status}")
    span = samples["return_time"][1:].sum()
    if forcing is None:
        return float(span)
    return max(1, round(span / forcing)) * forcing


def check_guess(system: System, guess: Any) -> None:
    """A guess is a state of the system."""
    names = getattr(guess, "names", None)
    if names is None:
        raise OptionError(f"the guess must be a State, as system.state(...) gives, not {type(guess).__name__}")
    if tuple(names) != tuple(system.coordinate_names):
        raise OptionError(
            f"the guess has the coordinates {', '.join(names)}; {system.model.name} has "
            f"{', '.join(system.coordinate_names)}"
        )


def check_run(run: Trajectory, what: str) -> Trajectory:
    """The run, or an error that says why it cannot be part of an orbit."""
    if run.status.name == "AT_REST":
        raise SimulationError(
            f"{what}: the motion {run.status.message}; an equilibrium is found with jounce.find_equilibrium"
        )
    if not run.status.ok:
        raise SimulationError(f"{what}: the motion ended early: {run.status}")
    return run


def motion(system: System, start: State, span: float, options: Options, parameters: Mapping[str, Any]) -> Trajectory:
    """The run from ``start`` over ``span``."""
    return simulate(system, start, start.t + span, options=options, **parameters)


def _recurrence(system: System, guess: State, options: Options, parameters: dict[str, float]) -> float:
    """The time after which an autonomous motion from near an orbit comes back to where it was.

    Points of comparison are the events of the rarest kind that repeats; without events, the crossings of the plane
    through the guess orthogonal to the flow.
    """
    span = 1.0
    for _ in range(_DOUBLINGS):
        run = check_run(motion(system, guess, span, options, parameters), "no period can be guessed")
        times = _event_returns(run)
        if len(times) < 3:
            times = _plane_returns(run)
        if len(times) >= 3:
            found = _best_return(run, times, find_symmetry(system))
            if found is not None:
                return found
        span *= 2.0
    raise SimulationError(
        f"the motion from {guess} does not come back within {span / 2:g} s; start nearer to the orbit (simulate until "
        "the transient is over and take run.final), or say what a return is with section=..."
    )


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
    scale = np.maximum(np.ptp(states, axis=0), 1e-12)
    height = ((states - states[0]) / scale) @ (rate / scale)
    up = np.flatnonzero((height[:-1] < 0) & (height[1:] >= 0))
    crossing = grid[up] + (grid[1] - grid[0]) * height[up] / (height[up] - height[up + 1])
    return np.concatenate([[run.t_start], crossing])


def _best_return(run: Trajectory, times: np.ndarray, symmetry: Symmetry) -> float | None:
    """The first return, counted from the last point backwards, that comes near enough; else None."""
    states = run.states(times)
    scale = np.maximum(np.ptp(run.states(np.linspace(run.t_start, run.t_end, 400)), axis=0), 1e-9)
    last = states[-1]
    for k in range(1, len(times) // 2 + 1):
        if np.abs(symmetry.close(states[-1 - k] - last) / scale).max() < _RECURS:
            return float(times[-1] - times[-1 - k])
    return None

"""Lyapunov exponents of a motion with impacts, friction and chatter.

Perturbations follow the linearised flow and are glued by saltation at every event; every ``interval`` they are made
orthonormal again, and the logarithms of what they had grown by are averaged (Benettin et al. 1980; for systems with
impacts Müller 1995):

    lambda_k = lim (1/t) sum log r_kk .

An exponent is -inf where a direction is contracted to nothing in finite time: by a joint, by a plastic impact, by the
end of a chatter, by stick.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jounce.analysis.scales import diagonal_mass, sizes_of, time_scale
from jounce.analysis.variables import largest_states, variable_names
from jounce.errors import SimulationError
from jounce.kernels.maps.exponents import exponents as run_exponents
from jounce.kernels.records.recording import IMPACTS_TOTAL
from jounce.model.names import is_integral
from jounce.simulation.driver import Driver
from jounce.simulation.options import Options, as_options, check_callable, check_whole, is_finite, refuse_options
from jounce.simulation.status import StatusCode
from jounce.simulation.trajectory import Trajectory
from jounce.system.checks import check_start
from jounce.system.inputs import StateLike, SystemLike, as_state, as_system, beside_parameters
from jounce.system.state import State
from jounce.system.system import System
from jounce.units import in_seconds

MOST_ROWS = 100_000  # of the history: of longer runs every second, third, ... interval has one
MOST_INTERVALS = 1e12  # of one spectrum: more than a year of computing
BLOCK = 100  # intervals between two looks at progress
LONGEST_INTERVAL = 2.0 * math.pi  # without forcing, in times in which the start changes by itself
LEAST_PART = 1e-2  # of the whole motion, in which a variable that has not moved yet is measured
CERTAIN = 1e-6  # growth in one interval: a positive exponent below this is zero


@dataclass(frozen=True, eq=False)
class LyapunovSpectrum:
    """exponents, 1/s, largest first; ``history`` [rows, count] is their running mean at ``times`` after the transient.

    spread      for each exponent, the range of its running mean over the second half of the run: how settled it is
    impacts     how many there were
    irregular   events at which the motion has no derivative; many of them put the exponents in doubt
    final       the state at the end
    """

    exponents: np.ndarray
    spread: np.ndarray
    times: np.ndarray
    history: np.ndarray
    impacts: int
    irregular: int
    final: State

    @property
    def chaotic(self) -> bool:
        """Whether the largest exponent is positive beyond its own spread."""
        return bool(self.exponents[0] > max(self.spread[0], CERTAIN / self.times[0]))

    def __repr__(self) -> str:
        values = ", ".join(
            f"{exponent:.5g} ± {spread:.1g}" if np.isfinite(exponent) else f"{exponent:g}"
            for exponent, spread in zip(self.exponents, self.spread, strict=True)
        )
        doubt = f", {self.irregular} irregular events" if self.irregular else ""
        return f"<LyapunovSpectrum: {values} 1/s over {self.times[-1]:g} s, {self.impacts} impacts{doubt}>"


@beside_parameters
def lyapunov(
    system: SystemLike,
    start: StateLike,
    duration: float | str,
    *,
    transient: float | str = 0.0,
    count: int | None = None,
    options: Options | None = None,
    progress: Callable[[float], None] | None = None,
    **parameters: float | str,
) -> LyapunovSpectrum:
    """The ``count`` largest exponents (default: all) of the motion from ``start`` over ``duration``.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> spectrum = jounce.lyapunov(system, {"y": 6.4, "t": 1.5}, 50.0, transient=200.0, omega=3.0, e=0.9)
    >>> bool((spectrum.exponents < 0).all())  # a stable orbit
    True
    """
    system = as_system(system, "lyapunov")
    counted = np.array([not is_integral(name) for name in variable_names(system)])
    most = int(counted.sum())
    wanted = most if count is None else check_whole("count", count, 1, most)
    span: Any = in_seconds(duration, "duration", SimulationError)
    before: Any = in_seconds(transient, "transient", SimulationError)
    for name, value, low in (("duration", span, "> 0"), ("transient", before, ">= 0")):
        if not is_finite(value) or value < 0.0 or (value == 0.0 and low == "> 0"):
            raise SimulationError(f"{name} is {value!r}; it must be a finite time {low}")
    quiet = replace(as_options(options), record="nothing", ledger=False)
    check_callable("progress", progress)
    refuse_options(parameters, system)
    p = system.parameters(**parameters)
    start = as_state(system, start, "start", parameters)
    check_start(system, start, p)
    _warn_of_own_maps(system)
    if before > 0.0:
        settling = Driver(system, start, start.t + before, p, quiet).run()
        if settling.status.name != "FINISHED":
            raise SimulationError(f"no exponents, since the transient ends early: {settling.status.message}")
        start = settling.final
    driver = Driver(system, start, start.t, p, quiet)
    interval, intervals = _intervals(system, start, p, span)
    sizes = _sizes(Driver(system, start, start.t + interval, p, replace(quiet, record="all")).run())
    driver.carry(np.diag(sizes)[:, counted] @ _directions(most, wanted))
    # nothing depends on the integral of an internal state: a perturbation has no length in it
    stride = -(-intervals // MOST_ROWS)
    growth = _follow(driver, interval, intervals, stride, _weights(system, counted / sizes), progress)
    times = interval * np.append(np.arange(stride, intervals, stride), intervals)
    order = np.argsort(-growth[-1], kind="stable")
    history = growth[:, order] / times[:, None]
    return LyapunovSpectrum(
        exponents=history[-1],
        spread=_spread(history[len(history) // 2 :]),
        times=times,
        history=history,
        impacts=int(driver.record[0]["counter"][IMPACTS_TOTAL]),
        irregular=driver.irregular,
        final=driver.state,
    )


def _warn_of_own_maps(system: System) -> None:
    """Say that discrete states which could be chaotic by themselves have no exponents here."""
    outline = system.outline
    unread = tuple(name for name in outline.real_states if name in outline.unread_states)
    if not unread:
        return
    from jounce.model.real_states import own_maps  # SymPy, for the few models of which this may be to be said

    names = own_maps(system.model, unread)
    if names:
        warnings.warn(
            f"the exponents are those of the motion: the discrete states {', '.join(names)} change by a map of their "
            "own, on which no force, guard or other part of the motion depends, and do not count; let one depend on "
            "them, if only by a force on a coordinate of its own",
            stacklevel=4,
        )


def _directions(most: int, wanted: int) -> np.ndarray:
    """Orthonormal directions to begin with, in columns: the axes where all are wanted.

    Fewer axes could be the wrong ones: constraints, or a value that a reset overwrites, may take all of one away.
    """
    if wanted == most:
        return np.eye(most)
    directions: np.ndarray = np.linalg.qr(np.random.default_rng(1).normal(size=(most, wanted)))[0]
    return directions


def _intervals(system: System, start: State, p: np.ndarray, duration: float) -> tuple[float, int]:
    """Interval and their number: a forcing period, else one of the start's, at least twenty.

    No longer in long runs: over many periods perturbations grow beyond all numbers, or all align with the fastest.
    """
    period = system.period(p)
    if period is None or not period > 0.0:
        period = LONGEST_INTERVAL * time_scale(system, start, p)
    intervals = max(float(np.ceil(duration / period)), 20.0)
    if not intervals <= MOST_INTERVALS:
        raise SimulationError(
            f"duration is {duration:g}, {intervals:.3g} times the {period:g} in which the motion changes; "
            f"at most {MOST_INTERVALS:.0e} times can be followed"
        )
    if not duration / intervals > np.finfo(float).eps * max(abs(start.t), period):
        raise SimulationError(
            f"duration is {duration:g}, whose {intervals:g}th part double precision cannot tell from nothing at "
            f"t = {start.t:g}; it must be longer"
        )
    return duration / intervals, int(intervals)


def _sizes(run: Trajectory) -> np.ndarray:
    """How large the variables are over a run: by these perturbations are measured."""
    system, data = run.system, run.data
    mass = diagonal_mass(system, data.t_start, data.q_start, data.parameters)
    return sizes_of(np.concatenate([data.scales[: 2 * system.n], largest_states(run)])[None, :], mass, LEAST_PART)


def _weights(system: System, weights: np.ndarray) -> np.ndarray:
    """The weights of q and u, then those of all discrete states: flags, counters and what nothing reads have none."""
    real = dict(zip(system.real_states, weights[2 * system.n :], strict=True))
    return np.append(weights[: 2 * system.n], [real.get(name, 0.0) for name in system.state_names])


def _follow(
    driver: Driver,
    interval: float,
    intervals: int,
    stride: int,
    weights: np.ndarray,
    progress: Callable[[float], None] | None,
) -> np.ndarray:
    """Sums of logarithms after every ``stride`` intervals and at the end; the length of one is |dz weights|."""
    records = (driver.machine, driver.workspace, driver.motion, driver.schedule, driver.record)
    columns = driver.columns.shape[1]
    logarithms, history = np.zeros(columns), np.zeros((-(-intervals // stride), columns))
    for first in range(0, intervals, BLOCK):
        rows = np.zeros((min(BLOCK, intervals - first), columns))
        code = run_exponents.from_python(*records, interval, len(rows), weights, logarithms, rows)
        if code != StatusCode.FINISHED:
            raise SimulationError(
                f"no exponents, since the motion ends early: {driver.status(StatusCode(code)).message}"
            )
        after = first + np.arange(1, len(rows) + 1)
        kept = (after % stride == 0) | (after == intervals)
        history[(after[kept] - 1) // stride] = rows[kept]
        if progress is not None:
            progress((first + len(rows)) / intervals)
    return history


def _spread(history: np.ndarray) -> np.ndarray:
    """Range of each running mean; nan where an exponent is -inf."""
    with np.errstate(invalid="ignore"):
        return history.max(axis=0) - history.min(axis=0)

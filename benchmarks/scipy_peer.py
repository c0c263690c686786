"""SciPy's solve_ivp restarted at every impact, as its users do it."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from benchmarks.checks import loses_nothing
from benchmarks.closed_form import rod_impact
from benchmarks.workloads import Workload

METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
STEP_LIMITS = (math.inf, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)

#: The cheapest (tolerance, max_step) that ``calibrate`` found to lose no impact and to end within ACCURACY of the
#: exact state. They are checked anew in every run; BDF reaches the accuracy only on the periodic ball.
SETTINGS = {
    "ball, periodic": {
        "RK23": (1e-4, math.inf),
        "RK45": (1e-4, math.inf),
        "DOP853": (1e-4, math.inf),
        "Radau": (1e-4, math.inf),
        "BDF": (1e-10, math.inf),
        "LSODA": (1e-8, math.inf),
    },
    "ball, chaotic": {
        "RK23": (1e-8, math.inf),
        "RK45": (1e-4, math.inf),
        "DOP853": (1e-8, math.inf),
        "Radau": (1e-4, math.inf),
        "LSODA": (1e-10, math.inf),
    },
    "rod": {
        "RK23": (1e-8, 0.02),
        "RK45": (1e-4, 0.02),
        "DOP853": (1e-4, 0.02),
        "Radau": (1e-4, 0.02),
        "LSODA": (1e-12, 0.02),
    },
}
ACCURACY = 1e-8


class Run(NamedTuple):
    """The end of a run, and the time and state at which each of its flights began."""

    state: np.ndarray
    impacts: int
    seconds: float
    flights: list[tuple[float, np.ndarray]]


def _terminal(function: Any) -> Any:
    function.terminal, function.direction = True, -1
    return function


def _ball(p: dict[str, float]) -> tuple[Any, list[Any], Any]:
    A, omega, e, g = p["A"], p["omega"], p["e"], p["g"]

    def jump(_: int, t: float, z: np.ndarray) -> np.ndarray:
        table = A * omega * math.cos(omega * t)
        return np.array([A * math.sin(omega * t), -e * z[1] + (1 + e) * table])

    return lambda t, z: (z[1], -g), [_terminal(lambda t, z: z[0] - A * math.sin(omega * t))], jump


def _rod(p: dict[str, float]) -> tuple[Any, list[Any], Any]:
    A, omega, L, g = p["A"], p["omega"], p["L"], p["g"]
    events = [
        _terminal(lambda t, z: z[1] - L * math.sin(z[2]) - A * math.sin(omega * t)),
        _terminal(lambda t, z: z[1] + L * math.sin(z[2]) - A * math.sin(omega * t)),
    ]

    def jump(i: int, t: float, z: np.ndarray) -> np.ndarray:
        z = z.copy()
        rod_impact(2 * i - 1, t, z, A, omega, p["mu"], p["e"], p["m"], L)
        return z

    return lambda t, z: (z[3], z[4], z[5], 0.0, -g, 0.0), events, jump


def run(work: Workload, start: np.ndarray, span: float, method: str, tolerance: float, max_step: float) -> Run:
    """One run over ``span``; an endless row of impacts is cut."""
    rate, events, jump = (_ball if work.is_ball else _rod)(work.parameters)
    t, t_end, z = work.t, work.t + span, start
    flights = [(t, z)]
    begin = time.thread_time()
    while t < t_end and len(flights) < 50 * span:
        try:
            flight = solve_ivp(
                rate, (t, t_end), z, method, events=events, rtol=tolerance, atol=tolerance, max_step=max_step
            )
        except ValueError:  # brentq finds no sign change where solve_ivp saw one: SciPy's end at a chatter
            break
        if flight.status == -1 or not any(len(times) for times in flight.t_events):
            z = flight.y[:, -1]
            break
        struck = min((times[0], i) for i, times in enumerate(flight.t_events) if len(times))[1]
        t = float(flight.t_events[struck][0])
        z = jump(struck, t, flight.y_events[struck][0])
        if t <= flights[-1][0] or not np.isfinite(z).all():
            break  # the impact just left was found once more: with too long a first step the root at its start wins
        flights.append((t, z))
    return Run(z, len(flights) - 1, time.thread_time() - begin, flights)


class Setting(NamedTuple):
    """A tolerance and step limit that reach the accuracy asked for and lose no impact, with what they measured."""

    tolerance: float
    max_step: float
    error: float
    impacts: int
    seconds: float


def measure(
    work: Workload, method: str, exact: np.ndarray, tolerance: float, max_step: float, repeats: int = 1
) -> Setting | None:
    """Error and speed of one setting, the fastest of ``repeats``; None if it is inaccurate or loses an impact."""
    starts, t_end = work.starts(), work.t + work.slow_span
    error = float(np.abs(run(work, starts[0], work.error_span, method, tolerance, max_step).state - exact).max())
    if not error <= ACCURACY:
        return None
    best = math.inf
    for _ in range(repeats):
        timed = [run(work, start, work.slow_span, method, tolerance, max_step) for start in starts]
        best = min(best, sum(one.seconds for one in timed))
    if not all(loses_nothing(work, one, t_end) for one in timed):
        return None
    return Setting(tolerance, max_step, error, sum(one.impacts for one in timed), best)


def calibrate(work: Workload, method: str, exact: np.ndarray) -> Setting | None:
    """The first setting that ``measure`` accepts, from the longest step and the loosest tolerance on."""
    for max_step in STEP_LIMITS:
        for tolerance in TOLERANCES:
            found = measure(work, method, exact, tolerance, max_step)
            if found:
                return found
    return None

"""The peers of benchmarks.smooth: each runs a problem at a tolerance; the state at its end, and how many events."""

from __future__ import annotations

import math
from typing import Any

import heyoka as hy
import numpy as np
from scipy.integrate import solve_ivp

import jounce
from benchmarks.smooth_problems import MOST_EVENTS, Mode, Problem


class Jounce:
    """The library itself; nothing is recorded, the ledger is on. ``alone``: the system has a loop of its own."""

    def __init__(self, problem: Problem, alone: bool = False) -> None:
        self.problem = problem
        self.system = jounce.compile_model(getattr(jounce.systems, problem.system)())
        if alone:
            jounce.specialise(self.system)
        names = self.system.coordinate_names
        self.places = [names.index(name) for name in problem.q]
        values = problem.q | {f"d_{name}": value for name, value in problem.u.items()}
        self.start = self.system.state(**values)

    def run(self, span: float, tolerance: float, record: str = "nothing") -> tuple[np.ndarray, int]:
        """The state at the end in the order of the problem, and the number of events where they are recorded."""
        options = jounce.Options(tolerance=tolerance, record=record, max_events=10**9)
        run = jounce.simulate(self.system, self.start, span, options=options, **self.problem.parameters)
        state = np.array([*run.final.q[self.places], *run.final.u[self.places]])
        return state, len(run.events) if record != "nothing" else -1


class Heyoka:
    """One Taylor integrator a mode, its guards as terminal events; made once for each tolerance, which is not timed.

    Where a mode begins with a guard at its root of order two or three heyoka finds that root again, or loses the next
    one: such a mode has a second integrator without events for its first moment.
    """

    every = 2  # of the tolerances that are tried: making an integrator takes up to half a minute

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.made: dict[float, list[tuple[Any, Any]]] = {}

    def integrators(self, tolerance: float) -> list[tuple[Any, Any]]:
        """For each mode that with events, and that for its first moment or None."""
        if tolerance not in self.made:
            modes = self.problem.modes(hy.sin, hy.cos)
            self.made[tolerance] = [
                (
                    self._integrator(mode, mode.guards, tolerance),
                    self._integrator(mode, (), tolerance) if mode.quiet else None,
                )
                for mode in modes
            ]
        return self.made[tolerance]

    def _integrator(self, mode: Mode, guards: tuple[Any, ...], tolerance: float) -> Any:
        n = len(self.problem.start)
        z = hy.make_vars(*(f"z{k}" for k in range(n)))
        falling = hy.event_direction.negative
        events = [hy.t_event(guard(hy.time, z), direction=falling) for guard in guards]
        equations = list(zip(z, mode.rate(hy.time, z), strict=True))
        return hy.taylor_adaptive(equations, np.zeros(n), tol=tolerance, t_events=events)

    def run(self, span: float, tolerance: float) -> tuple[np.ndarray, int]:
        """The state at the end, and the number of events."""
        modes, integrators = self.problem.modes(math.sin, math.cos), self.integrators(tolerance)
        mode, events, t, state = 0, 0, 0.0, self.problem.start
        begin = True
        while True:
            integrator, first = integrators[mode]
            if begin and first is not None and t + modes[mode].quiet < span:
                first.time, first.state[:] = t, state
                first.propagate_until(t + modes[mode].quiet)
                t, state = first.time, first.state
            if begin:
                integrator.reset_cooldowns()
                integrator.time = t
            integrator.state[:] = state
            outcome = integrator.propagate_until(span)[0]
            if outcome == hy.taylor_outcome.time_limit:
                return integrator.state.copy(), events
            if events > MOST_EVENTS * span:
                return np.full(len(self.problem.start), np.nan), events
            guard = -int(outcome) - 1
            events += 1
            t, state, jump = integrator.time, integrator.state, modes[mode].jumps[guard]
            after = modes[mode].after[guard]
            state = state if jump is None else jump(t, state.tolist())
            begin = after != mode
            mode = after


class SciPy:
    """solve_ivp with a terminal event for each guard, restarted behind it."""

    def __init__(self, problem: Problem, method: str = "DOP853") -> None:
        self.problem, self.method = problem, method

    def run(self, span: float, tolerance: float) -> tuple[np.ndarray, int]:
        """The state at the end, and the number of events."""
        modes = self.problem.modes(math.sin, math.cos)
        t, z, mode, events = 0.0, np.array(self.problem.start), 0, 0
        while True:
            guards = [_terminal(guard) for guard in modes[mode].guards]
            flow = solve_ivp(modes[mode].rate, (t, span), z, self.method, events=guards, rtol=tolerance, atol=tolerance)
            hits = [(times[0], i) for i, times in enumerate(flow.t_events) if len(times)]
            if flow.status != 1 or not hits:
                return flow.y[:, -1], events
            if events > MOST_EVENTS * span:
                return np.full(len(z), np.nan), events
            _, i = min(hits)
            events += 1
            t, z, jump = float(flow.t_events[i][0]), flow.y_events[i][0], modes[mode].jumps[i]
            z = np.array(z if jump is None else jump(t, z))
            mode = modes[mode].after[i]


def _terminal(guard: Any) -> Any:
    def event(t: float, z: np.ndarray) -> float:
        return float(guard(t, z))

    event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    return event

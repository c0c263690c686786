"""heyoka: an adaptive Taylor integrator with event detection; the impact is a callback that rewrites the state."""

from __future__ import annotations

import math
import time
from typing import Any

import heyoka as hy
import numpy as np

from benchmarks.closed_form import rod_impact
from benchmarks.scipy_peer import Run
from benchmarks.workloads import Workload


class HeyokaPeer:
    """One compiled integrator for a workload; compilation is not timed."""

    def __init__(self, work: Workload, tolerance: float) -> None:
        self.work, self.impacts = work, 0
        self.flights: list[tuple[float, np.ndarray]] | None = None
        build = self._ball if work.is_ball else self._rod
        equations, events = build(work.parameters)
        self.integrator = hy.taylor_adaptive(
            equations, np.array([*work.q, *work.u]), time=work.t, tol=tolerance, t_events=events
        )

    def _event(self, gap: Any, jump: Any) -> Any:
        def struck(integrator: Any, *_: Any) -> bool:
            self.impacts += 1
            jump(integrator)
            if self.flights is not None:
                self.flights.append((integrator.time, integrator.state.copy()))
            return True

        return hy.t_event(gap, callback=struck, direction=hy.event_direction.negative)

    def _ball(self, p: dict[str, float]) -> tuple[Any, list[Any]]:
        y, v = hy.make_vars("y", "v")
        A, omega, e = p["A"], p["omega"], p["e"]

        def jump(integrator: Any) -> None:
            state = integrator.state
            state[1] = -e * state[1] + (1 + e) * A * omega * math.cos(omega * integrator.time)

        return [(y, v), (v, hy.expression(-p["g"]))], [self._event(y - A * hy.sin(omega * hy.time), jump)]

    def _rod(self, p: dict[str, float]) -> tuple[Any, list[Any]]:
        x, y, theta, d_x, d_y, d_theta = hy.make_vars("x", "y", "theta", "d_x", "d_y", "d_theta")
        floor, zero = p["A"] * hy.sin(p["omega"] * hy.time), hy.expression(0.0)
        equations = [(x, d_x), (y, d_y), (theta, d_theta), (d_x, zero), (d_y, hy.expression(-p["g"])), (d_theta, zero)]

        constants = tuple(p[name] for name in ("A", "omega", "mu", "e", "m", "L"))

        def jump(end: int) -> Any:
            def apply(integrator: Any) -> None:
                rod_impact(end, integrator.time, integrator.state, *constants)

            return apply

        gaps = [y + end * p["L"] * hy.sin(theta) - floor for end in (-1, 1)]
        return equations, [self._event(gap, jump(end)) for gap, end in zip(gaps, (-1, 1), strict=True)]

    def run(self, start: np.ndarray, span: float, log: bool = False) -> Run:
        """One run over ``span``; ``log`` keeps the beginnings of the flights, which costs time."""
        integrator, self.impacts = self.integrator, 0
        self.flights = [(self.work.t, start)] if log else None
        integrator.reset_cooldowns()
        integrator.time = self.work.t
        integrator.state[:] = start
        begin = time.thread_time()
        integrator.propagate_until(self.work.t + span)
        seconds = time.thread_time() - begin
        return Run(integrator.state.copy(), self.impacts, seconds, self.flights or [])

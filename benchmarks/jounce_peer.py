"""Jounce itself, through its public interface."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.workloads import Workload

TOLERANCE = 1e-10


class JouncePeer:
    """A compiled system for a workload. Counting events costs a run of its own; the timed run records nothing.

    ``alone``: it has a loop of its own.
    """

    def __init__(self, work: Workload, alone: bool = False) -> None:
        import jounce

        self.work, self.simulate, self.options = work, jounce.simulate, jounce.Options
        self.system = jounce.compile_model(getattr(jounce.systems, work.system)())
        if alone:
            jounce.specialise(self.system, self.options(law="energetic"))

    def run(self, span: float, record: str) -> Any:
        """The Trajectory of a run over ``span``."""
        work, names = self.work, self.work.state_names
        values = dict(zip(names, work.q, strict=True)) | {
            f"d_{name}": value for name, value in zip(names, work.u, strict=True)
        }
        start = self.system.state(t=work.t, **values)
        return self.simulate(
            self.system,
            start,
            work.t + span,
            options=self.options(tolerance=TOLERANCE, record=record, law="energetic", max_events=10**9),
            **work.parameters,
        )

    def error(self, exact: np.ndarray) -> float:
        """The largest deviation from the exact state at the end of the short span."""
        final = self.run(self.work.error_span, "nothing").final
        return float(np.abs(np.array([*final.q, *final.u]) - exact).max())

    def rate(self, repeats: int) -> tuple[int, float]:
        """(impacts, least processor time) of the long run."""
        events = self.run(self.work.fast_span, "events").events
        best = float("inf")
        for _ in range(repeats):
            begin = time.thread_time()
            self.run(self.work.fast_span, "nothing")
            best = min(best, time.thread_time() - begin)
        return int((events["kind"] == "impact").sum()), best

"""Whether a run lost an impact: each of its flights against the safe search of the closed-form loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.closed_form import ball_on_table, slender_rod
from benchmarks.workloads import Workload

SLACK = 1e-6


def landing_time(work: Workload, t: float, z: np.ndarray, t_end: float) -> float:
    """The first impact of the flight that begins at (t, z), or t_end."""
    p = work.parameters
    if work.is_ball:
        return float(ball_on_table(t, z[0], z[1], p["A"], p["omega"], p["e"], p["g"], t_end, 1)[0])
    values = (p[name] for name in ("A", "omega", "mu", "e", "g", "m", "L"))
    return float(slender_rod(t, np.array(z, dtype=float), *values, t_end, 1)[0])


def loses_nothing(work: Workload, run: Any, t_end: float) -> bool:
    """Whether each flight ends at its first landing, within 1e-6 s, and the last one reaches t_end before landing.

    Chaos does not matter here: each flight is judged from its own start.
    """
    ends = [t for t, _ in run.flights[1:]] + [t_end]
    for (t, z), end in zip(run.flights, ends, strict=True):
        if abs(landing_time(work, t, z, t_end) - end) > SLACK:
            return False
    return True

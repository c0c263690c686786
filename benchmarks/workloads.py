"""The work that every peer is given: a system, its parameters, a start, and 40-digit answers for a short span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.references import ball, rod


@dataclass(frozen=True)
class Workload:
    """One regime. ``error_span`` is short enough for chaos to leave digits; ``slow_span`` times slow peers."""

    name: str
    system: str
    parameters: dict[str, float]
    t: float
    q: tuple[float, ...]
    u: tuple[float, ...]
    error_span: float
    slow_span: float
    fast_span: float
    note: str = ""
    state_names: tuple[str, ...] = field(default=("y",))

    @property
    def is_ball(self) -> bool:
        """Whether it is the ball on the table (else the rod)."""
        return self.system == "ball_on_table"

    def starts(self) -> list[np.ndarray]:
        """(q, u) of the start and of three neighbours: one lucky run is no proof that a peer misses nothing."""
        rows = [np.array([*self.q, *self.u]) for _ in range(4)]
        for k, row in enumerate(rows):
            row[0 if self.is_ball else 1] += 0.1 * k
        return rows

    def floor(self, t: float) -> float:
        """Height of the floor."""
        return self.parameters["A"] * np.sin(self.parameters["omega"] * t)

    def lowest_gap(self, t: float, z: np.ndarray) -> float:
        """The gap (ball) or the smaller of both gaps (rod) in the state z = (q, u)."""
        if self.is_ball:
            return float(z[0] - self.floor(t))
        return float(z[1] - self.parameters["L"] * abs(np.sin(z[2])) - self.floor(t))

    def exact_end(self) -> tuple[np.ndarray, int]:
        """(q, u) at t + error_span in 40-digit arithmetic, and the number of impacts on the way."""
        t_end, p = self.t + self.error_span, self.parameters
        if self.is_ball:
            keys = {name: p[name] for name in ("A", "omega", "e", "g")}
            count = 1
            impacts: list[Any] = []
            while not impacts or impacts[-1].t < t_end:
                count *= 2
                impacts = ball.table_impacts(count, **keys, y=self.q[0], v=self.u[0], t=self.t)
            impacts = [impact for impact in impacts if impact.t < t_end]
            return np.array([float(value) for value in ball.table_state(t_end, impacts, g=p["g"])]), len(impacts)
        body = rod.Rod(**p)
        struck = rod.rod_impacts(body, 10**6, self.q, self.u, self.t, until=t_end)
        q, u = rod.rod_state(body, t_end, struck)
        return np.array([float(value) for value in (*q, *u)]), len(struck)


def _periodic() -> Workload:
    """Start at the top of the one-bounce orbit, raised by 0.05, so that the run has something to converge to."""
    parameters = {"A": 1.0, "omega": 3.0, "e": 0.9, "g": 9.81}
    orbit = ball.one_bounce_orbit(1, **parameters)
    t, y, _ = orbit.state(orbit.period / 2)
    return Workload(
        "ball, periodic", "ball_on_table", parameters, float(t), (float(y) + 0.05,), (0.0,), 40.0, 100.0, 1_000_000.0
    )


WORKLOADS = (
    _periodic(),
    Workload(
        "ball, chaotic",
        "ball_on_table",
        {"A": 1.0, "omega": 5.0, "e": 0.8, "g": 9.81},
        0.0,
        (1.2,),
        (0.0,),
        20.0,
        100.0,
        1_000_000.0,
        "one impact in 350 begins a complete chatter; peers that cannot end it are timed on 100 s spans",
    ),
    Workload(
        "rod",
        "slender_rod",
        {"A": 1.0, "omega": 4.405, "mu": 0.05, "e": 0.9, "g": 9.81, "m": 1.0, "L": 1.0},
        0.0,
        (0.0, 6.0, 0.3),
        (0.0, 0.0, 0.0),
        6.0,
        100.0,
        20_000.0,
        "flights and energetic impacts with friction of both ends",
        ("x", "y", "theta"),
    ),
)

"""Random impacts and independent references that the tests of the laws share."""

from __future__ import annotations

import numpy as np
from mpmath import mp, mpf

ROWS = ("A", "B", "C", "v_t", "v_n", "mu", "e")


def random_rows(count: int, seed: int, *, least_det: float = 1e-3) -> np.ndarray:
    """Rows A, B, C, v_t, v_n, mu, e, e_t = 0 with K = X X^T and det K >= least_det A C; scales over four decades."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((0, 8))
    while len(rows) < count:
        X = rng.standard_normal((2 * count, 2, 2)) * 10.0 ** rng.uniform(-1, 1, (2 * count, 1, 1))
        K = X @ X.transpose(0, 2, 1)
        A, B, C = K[:, 0, 0], K[:, 0, 1], K[:, 1, 1]
        v_t = rng.standard_normal(len(A)) * 10.0 ** rng.uniform(-1.5, 0.5, len(A))
        batch = np.column_stack(
            [
                A,
                B,
                C,
                v_t,
                -np.abs(rng.standard_normal(len(A))),
                rng.exponential(0.7, len(A)),
                rng.random(len(A)),
                0 * A,
            ]
        )
        det = A * C - B * B
        rows = np.vstack([rows, batch[det >= least_det * A * C]])
    return np.ascontiguousarray(rows[:count])


def reference_process(ending: str, A, B, C, v_t, v_n, mu, e, digits: int = 50) -> dict[str, mpf]:
    """The process in many digits, by its differential inclusion and nothing else.

    The state marches in p_n; the motion is decided anew at every event by asking which of slip+, slip- and stick is
    consistent with its own acceleration, and the end is found from the law's definition.
    """
    with mp.workdps(digits):
        A, B, C, v_t, v_n, mu, e = (mpf(float(value)) for value in (A, B, C, v_t, v_n, mu, e))
        p_n = p_t = work_c = work_r = p_c = mpf(0)
        start_n = v_n
        compression = True
        for _ in range(12):
            rate = _friction_rate(A, B, v_t, mu)
            slope_t, slope_n = B + A * rate, C + B * rate
            if slope_t != 0 and abs(slope_t) < mpf(10) ** (5 - digits) * (abs(A) + abs(B)):
                slope_t = mpf(0)
            until_stop = -v_t / slope_t if v_t * slope_t < 0 else mp.inf
            if compression:
                until_end = -v_n / slope_n if slope_n > 0 else mp.inf
            elif ending == "poisson":
                until_end = (1 + e) * p_c - p_n
            elif ending == "newton":
                until_end = (-e * start_n - v_n) / slope_n
            else:
                missing = -e * e * work_c - work_r
                until_end = (-v_n + mp.sqrt(v_n**2 + 2 * slope_n * missing)) / slope_n
            step = min(until_stop, until_end)
            after = v_n + slope_n * step
            work = step * (v_n + after) / 2
            work_c, work_r = (work_c + work, work_r) if compression else (work_c, work_r + work)
            p_n, p_t, v_n = p_n + step, p_t + rate * step, after
            v_t = mpf(0) if until_stop <= until_end else v_t + slope_t * step
            if until_end <= until_stop:
                if not compression:
                    break
                compression, p_c, v_n = False, p_n, mpf(0)
        else:
            raise AssertionError("the reference did not end")
        return {"p_t": p_t, "p_n": p_n, "v_t": v_t, "v_n": v_n, "work_c": work_c, "work_r": work_r}


def _friction_rate(A: mpf, B: mpf, v_t: mpf, mu: mpf) -> mpf:
    """dp_t/dp_n by Coulomb's law."""
    if v_t > 0:
        return -mu
    if v_t < 0:
        return mu
    if B - mu * A > 0:
        return -mu
    if B + mu * A < 0:
        return mu
    return -B / A


class Rod:
    """The end P1 of the thesis' slender rod (m = 1, half length 1, I = 1/3), section 3.1.3, equations (3.1)-(3.5)."""

    def __init__(self, theta: float) -> None:
        self.x, self.y = np.cos(theta), np.sin(theta)
        self.inertia = 1.0 / 3.0
        self.A = 1.0 + self.y**2 / self.inertia
        self.B = -self.x * self.y / self.inertia
        self.C = 1.0 + self.x**2 / self.inertia

    @property
    def matrix(self) -> dict[str, float]:
        return {"A": self.A, "B": self.B, "C": self.C}

    def contact_velocity(self, V_T: float, V_N: float, spin: float) -> tuple[float, float]:
        """(V_TC, V_NC) of equation (3.5)."""
        return V_T + self.y * spin, V_N - self.x * spin

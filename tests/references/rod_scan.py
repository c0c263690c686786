"""A brute-force search in double precision for the first landing of a flying rod, by dense samples and bisection.

It shares nothing with the marching search of rod.py: every interval is either proved free of a zero by the bound on
the curvature, shown to contain a sign change, or halved.
"""

from __future__ import annotations

import math

import numba
import numpy as np

NONE, CROSSING, UNDECIDED = 0, 1, 2
SAMPLE_STEP = 1e-3
DEEPEST = 40


@numba.njit(cache=True)
def _gap(end, t, t0, q, u, A, omega, g, L):  # type: ignore[no-untyped-def]
    s = t - t0
    arm = L if end == 1 else -L
    return q[1] + s * (u[1] - 0.5 * g * s) + arm * math.sin(q[2] + s * u[2]) - A * math.sin(omega * t)


@numba.njit(cache=True)
def _gap_rate(end, t, t0, q, u, A, omega, g, L):  # type: ignore[no-untyped-def]
    s = t - t0
    arm = L if end == 1 else -L
    return u[1] - g * s + arm * math.cos(q[2] + s * u[2]) * u[2] - A * omega * math.cos(omega * t)


@numba.njit(cache=True)
def _refine(end, a, b, t0, q, u, A, omega, g, L):  # type: ignore[no-untyped-def]
    """Bisection of a sign change to the last bit."""
    while True:
        middle = 0.5 * (a + b)
        if middle <= a or middle >= b:
            return b
        if _gap(end, middle, t0, q, u, A, omega, g, L) > 0.0:
            a = middle
        else:
            b = middle


@numba.njit(cache=True)
def _first_in(end, a, b, K, t0, q, u, A, omega, g, L):  # type: ignore[no-untyped-def]
    """(time, code) of the first zero in [a, b] of one gap: left halves are finished before right ones."""
    left = np.empty(DEEPEST + 2)
    right = np.empty(DEEPEST + 2)
    depth = np.empty(DEEPEST + 2, np.int64)
    left[0], right[0], depth[0], top = a, b, 0, 1
    while top > 0:
        top -= 1
        x, y, level = left[top], right[top], depth[top]
        g_x = _gap(end, x, t0, q, u, A, omega, g, L)
        g_y = _gap(end, y, t0, q, u, A, omega, g, L)
        width = y - x
        # |gap''| <= K: the gap stays above its chord minus K width^2/8, so above the lower end minus that
        if min(g_x, g_y) > 0.125 * K * width * width:
            continue
        # a monotone gap with ends of opposite sign has exactly one zero
        falling = _gap_rate(end, x, t0, q, u, A, omega, g, L) + K * width < 0.0
        if g_x > 0.0 and g_y <= 0.0 and (falling or level >= DEEPEST):
            return _refine(end, x, y, t0, q, u, A, omega, g, L), CROSSING
        if level >= DEEPEST:
            return x, UNDECIDED
        middle = 0.5 * (x + y)
        left[top], right[top], depth[top] = middle, y, level + 1
        left[top + 1], right[top + 1], depth[top + 1] = x, middle, level + 1
        top += 2
    return b, NONE


@numba.njit(cache=True)
def first_crossing(t0, q, u, A, omega, g, L, t_max, touching):  # type: ignore[no-untyped-def]
    """(t, end, code) of the first zero of a gap in (t0, t_max]; end 0 is P1, 1 is P2; code NONE, CROSSING, UNDECIDED.

    ``touching`` is the end that starts on the floor (-1: none): its gap is positive for a time 2 gamma_N/K after t0.
    UNDECIDED is a grazing that double precision cannot tell from a miss.
    """
    K = g + A * omega * omega + L * u[2] * u[2]
    best, best_end, best_code = t_max, -1, NONE
    for end in range(2):
        a = t0
        if end == touching:
            rate = _gap_rate(end, t0, t0, q, u, A, omega, g, L)
            if rate <= 0.0:
                return t0, end, CROSSING
            a = t0 + rate / K
        while a < best:
            b = min(a + SAMPLE_STEP, best)
            t, code = _first_in(end, a, b, K, t0, q, u, A, omega, g, L)
            if code != NONE:
                best, best_end, best_code = t, end, code
                break
            a = b
    return best, best_end, best_code


@numba.njit(cache=True)
def _scan(starts, A, omega, g, L, t_max, touching, times, ends, codes):  # type: ignore[no-untyped-def]
    for i in range(starts.shape[0]):
        row = starts[i]
        times[i], ends[i], codes[i] = first_crossing(row[0], row[1:4], row[4:7], A, omega, g, L, t_max[i], touching[i])


def first_crossings(
    starts: np.ndarray,
    *,
    A: float,
    omega: float,
    g: float = 9.81,
    L: float = 1.0,
    duration: float | np.ndarray = 10.0,
    touching: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``first_crossing`` for rows (t, x, y, theta, x', y', theta'): times, ends (0, 1, -1), codes.

    To check a recorded run, give the states just after its impacts with the ends that were hit, and as duration the
    time to the next impact less a rounding: every code must be NONE.
    """
    starts = np.ascontiguousarray(starts, dtype=np.float64)
    count = len(starts)
    t_max = starts[:, 0] + duration
    touching = np.full(count, -1) if touching is None else np.asarray(touching, dtype=np.int64)
    times, ends, codes = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    _scan(starts, A, omega, g, L, t_max, touching, times, ends, codes)
    return times, ends, codes


def random_starts(count: int, seed: int = 0, *, A: float = 1.0, omega: float = 3.0, L: float = 1.0) -> np.ndarray:
    """Random flights above the floor, rows (t, x, y, theta, x', y', theta'): four kinds in turn.

    Anything; fast spin, |theta'| in [18, 22]; near-flat landings, theta near 0 or pi and slow rotation; low starts
    (an end within 1e-3 of the floor, moving with it up to 0.1).
    """
    random = np.random.default_rng(seed)
    starts = np.empty((count, 7))
    for i in range(count):
        kind = i % 4
        t = random.uniform(0, 2 * np.pi / omega)
        theta, spin = random.uniform(-np.pi, np.pi), random.uniform(-5, 5)
        velocity = random.uniform(-5, 5)
        height = A + L * abs(np.sin(theta)) + random.uniform(0.01, 6)
        if kind == 1:
            spin = random.choice([-1, 1]) * random.uniform(18, 22)
        elif kind == 2:
            theta = random.choice([0.0, np.pi]) + random.choice([-1, 1]) * 10 ** random.uniform(-8, -2)
            spin = random.choice([-1, 1]) * 10 ** random.uniform(-8, -2)
            height = A + random.uniform(0.1, 6)
        elif kind == 3:
            height = A * np.sin(omega * t) + L * abs(np.sin(theta)) + 10 ** random.uniform(-8, -3)
            velocity = A * omega * np.cos(omega * t) + random.uniform(-0.1, 0.1)
        starts[i] = t, 0.0, height, theta, random.uniform(-2, 2), velocity, spin
    return starts

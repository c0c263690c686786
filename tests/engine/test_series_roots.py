"""Roots of guards' polynomials against NumPy's, and what the sums of their coefficients say of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.kernels.events.series_roots import is_first, parabola_root, root_from, survey
from jounce.kernels.records.workspace import COEFFICIENTS, WORKSPACE

ROUNDING = 1e-13


def padded(c: np.ndarray) -> np.ndarray:
    """Coefficients in the room that the engine has for them."""
    room = np.zeros(COEFFICIENTS)
    room[: len(c)] = c
    return room


def with_roots(seed: int) -> np.ndarray:
    """A polynomial that is positive at 0, with roots in and around [0, 1], real ones and pairs."""
    random = np.random.default_rng(seed)
    roots = [*random.uniform(0.05, 1.6, random.integers(1, 6)), *-random.uniform(0.1, 3.0, random.integers(0, 5))]
    c = np.array([1.0])
    for root in roots:
        c = np.convolve(c, [1.0, -1.0 / root])
    for _ in range(random.integers(0, 4)):
        middle, half = random.uniform(-0.5, 1.5), random.uniform(0.02, 1.0)
        c = np.convolve(c, np.array([middle**2 + half**2, -2.0 * middle, 1.0]) / (middle**2 + half**2))
    return c


def first_root(c: np.ndarray) -> float:
    """The first real root in [0, 1], by the eigenvalues of the companion matrix."""
    roots = np.roots(c[::-1])
    real = roots[np.abs(roots.imag) < 1e-7].real
    inside = real[(real > 0.0) & (real <= 1.0)]
    return float(inside.min()) if len(inside) else math.inf


def test_a_root_that_is_called_the_first_is_the_first():
    asked = certain = 0
    for seed in range(600):
        c = with_roots(seed)
        if not (c[0] > 0.0 > c.sum()):
            continue
        degree, room = len(c) - 1, padded(c)
        root = root_from(room, degree, parabola_root(room, float(c.sum())), 1e-8)
        assert 0.0 < root < 1.0
        assert abs(np.polynomial.polynomial.polyval(root, c)) <= 1e-10 * np.abs(c).sum()
        asked += 1
        if is_first(room, degree, root, ROUNDING * np.abs(c).sum()):
            certain += 1
            assert first_root(c) == pytest.approx(root, abs=1e-6)
    assert asked > 200
    assert certain > 0.5 * asked


@pytest.mark.parametrize("angle", [1.0, 2.5, 3.6, 4.4])
def test_the_end_of_a_slip_is_seen_to_be_its_first_root(angle):
    """A slip velocity that starts at zero, sin(a x)/x less what its belt adds, is what stick and slip ask for."""
    order = 28
    c = np.zeros(order)
    for k in range(1, order, 2):
        c[k - 1] += (-1.0) ** (k // 2) * angle**k / math.factorial(k)
    c[0] -= angle * math.sin(0.9 * angle) / (0.9 * angle)  # now its root is at 0.9
    if c[0] < 0.0:
        c = -c
    degree, room = order - 1, padded(c)
    root = root_from(room, degree, parabola_root(room, float(c.sum())), 1e-8)
    assert root == pytest.approx(0.9, abs=1e-12)
    assert is_first(room, degree, root, ROUNDING)


def test_no_guard_is_below_its_bound():
    work, x = np.zeros(1, WORKSPACE), np.linspace(0.0, 1.0, 2001)
    holds = 0
    for seed in range(300):
        c = with_roots(seed)
        work[0]["series_order"] = len(c)
        for fresh in range(2):
            size, total, least, lowest = survey(work, padded(c), fresh)
            assert size == np.abs(c).max()
            assert total == pytest.approx(c.sum(), abs=1e-12 * size)
            assert lowest <= least + 1e-13 * size
            values = np.polynomial.polynomial.polyval(x, c[fresh:])
            assert values.min() >= least - 1e-12 * np.abs(c).sum()
            holds += least > 0.0 >= lowest
    assert holds > 10  # what the negative coefficients alone would have left open

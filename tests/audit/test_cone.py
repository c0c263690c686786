"""The distance from the cone of forces against SciPy's least squares, as a whole and by bodies that do not touch."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from jounce.kernels.audit.cone import distance_from_cone
from jounce.kernels.audit.record import AUDIT
from jounce.kernels.records.tolerances import WHOLE_CONE


def asked(direction: np.ndarray, demand: np.ndarray) -> tuple[float, np.ndarray]:
    """The distance that the kernel finds, with a scratch full of NaN, and that scratch."""
    record = np.zeros(1, AUDIT)
    for name in ("share", "trial", "rest", "wanted", "triangle", "frame", "part"):
        record[name] = np.nan
    count, n = direction.shape
    record["direction"][0, :count, :n], record["demand"][0, :n] = direction, demand
    return distance_from_cone(n, record, count), record


def drawn(random: np.random.Generator, bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions of length 1 in any order, each in the coordinates of one cluster of bodies; and a vector."""
    n = 3 * bodies
    cluster = random.integers(max(1, bodies // 2), size=n)
    rows = []
    for _ in range(int(random.integers(1, 3 * bodies))):
        row = np.where(cluster == cluster[random.integers(n)], random.normal(size=n), 0.0)
        rows.append(row / np.linalg.norm(row))
    if len(rows) > 1 and random.random() < 0.5:
        rows[-1] = rows[0].copy()  # redundant contacts
    return np.array(rows), random.normal(size=n) * 10.0 ** random.uniform(-6, 6)


@pytest.mark.parametrize("bodies", [1, 2, 4, 5, 8, 20])
def test_distance_is_that_of_least_squares(bodies):
    random = np.random.default_rng([bodies, 5])
    for _ in range(20):
        direction, demand = drawn(random, bodies)
        found, _ = asked(direction, demand)
        assert found == pytest.approx(nnls(direction.T, demand)[1], rel=1e-9, abs=1e-11 * np.linalg.norm(demand))


def test_bodies_that_do_not_touch_are_asked_one_by_one():
    bodies = 30
    direction = np.zeros((2 * bodies, 3 * bodies))
    for k in range(bodies):
        direction[2 * k : 2 * k + 2, 3 * k : 3 * k + 3] = np.array([[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]])
    found, record = asked(direction[::-1].copy(), np.tile([0.1, 1.0, 0.0], bodies))
    assert 3 * bodies > WHOLE_CONE
    assert found < 1e-14
    assert np.argwhere(np.isfinite(record["part"][0])).max() == 1  # two directions of two numbers at a time
    assert np.argwhere(np.isfinite(record["triangle"][0])).max() == 1

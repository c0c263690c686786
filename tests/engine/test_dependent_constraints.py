"""Forces of least norm of constraints that depend on one another, against NumPy's pseudo-inverse."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.records.workspace import WORKSPACE

WORK = np.zeros(1, WORKSPACE)


def equations(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A matrix of a random rank whose rows have units of their own, its right sides, mobilities and rank.

    In turn symmetric (all contacts stick) or not (some slide), joined or in two sets that stand apart; the right sides
    are those of a motion, or contradict one another.
    """
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 14))
    sets = np.arange(size) < (size // 2 if seed % 3 == 0 else size)
    matrix, rank = np.zeros((size, size)), 0
    for members in (np.flatnonzero(sets), np.flatnonzero(~sets)):
        own = int(random.integers(0, len(members))) if len(members) else 0
        left = random.normal(size=(len(members), own))
        right = left if seed % 2 else random.normal(size=(len(members), own))
        matrix[np.ix_(members, members)] = left @ right.T
        rank += own
    units = 10.0 ** random.uniform(-6, 6, size)
    matrix *= np.outer(units, units)
    mixed = random.permutation(size)
    matrix, units = matrix[np.ix_(mixed, mixed)], units[mixed]
    right = matrix @ (random.normal(size=size) / units) if seed % 5 else random.normal(size=size) * units
    return matrix, right, random.uniform(0.5, 2.0, size) * units**2, rank


@pytest.mark.parametrize("seed", range(60))
def test_forces_and_null_space_are_those_of_the_pseudo_inverse(seed: int) -> None:
    matrix, right, mobility, rank = equations(seed)
    size, w = len(right), WORK[0]
    w["matrix"][:size, :size], w["right"][:size], w["mobility"][:size] = matrix, right, mobility
    assert solve_ranked(WORK, size) == 0.0
    scale = np.sqrt(mobility)
    scaled = matrix / np.outer(scale, scale)
    inverse = np.linalg.pinv(scaled, rcond=1e-11)
    values = np.linalg.svd(scaled, compute_uv=False)
    condition = values[0] / values[rank - 1] if rank else 1.0
    expected, found = inverse @ (right / scale), w["unknown"][:size] * scale
    # what contradicts the equations is amplified by the square of the condition
    bound = 1e-14 * condition ** (1 if seed % 5 else 2) * max(np.abs(expected).max(), 1e-300)
    assert np.abs(found - expected).max() <= bound
    null = w["svd"][2][:size, :size][:, np.diagonal(w["svd"][1])[:size] == 0.0]
    assert null.shape[1] == size - rank
    assert null.T @ null == pytest.approx(np.eye(size - rank), abs=1e-14)
    assert np.abs(scaled @ null).max() <= 1e-14 * size * max(values[0], 1e-300)


@pytest.mark.parametrize("seed", range(60))
def test_units_that_are_powers_of_two_change_no_bit(seed: int) -> None:
    """Mass, time and the unit of each constraint are multiplied by powers of two, odd ones among them."""
    matrix, right, mobility, _ = equations(seed)
    size, random, found = len(right), np.random.default_rng(seed), []
    mass, time, units = random.integers(-21, 21), random.integers(-21, 21), random.integers(-21, 21, size)
    for on in (0.0, 1.0):
        own, heavy, slow = 2.0 ** (on * units), 2.0 ** (on * mass), 2.0 ** (on * time)
        w = WORK[0]
        w["matrix"][:size, :size] = matrix * np.outer(own, own) / heavy
        w["right"][:size], w["mobility"][:size] = right * own / slow**2, mobility * own**2 / heavy
        assert solve_ranked(WORK, size) == 0.0
        found.append(w["unknown"][:size] * own / heavy * slow**2)
    assert np.array_equal(*found)


@pytest.mark.parametrize("seed", range(40))
def test_two_constraints_apart_are_solved_as_among_others(seed: int) -> None:
    """Two equations without coupling, one of them at times next to nothing, alone and beside a third: the same bits."""
    random = np.random.default_rng(seed)
    units = 10.0 ** random.uniform(-9, 9, 2)
    mobility = random.uniform(0.5, 2.0, 2) * units**2
    shares = random.uniform(-1.5, 1.5, 2) * (1.0, 10.0 ** random.uniform(-14, 0))
    right, third, found = random.normal(size=2) * units, np.abs(shares).max(), []
    for size in (2, 3):
        w = WORK[0]
        w["matrix"][:size, :size] = np.diag([*(mobility * shares), third][:size])
        w["right"][:size], w["mobility"][:size] = [*right, third][:size], [*mobility, 1.0][:size]
        determinant = solve_ranked(WORK, size) / (third if size == 3 else 1.0)
        found.append((w["unknown"][:2].tolist(), float(w["least_pivot"]), determinant))
    assert found[0][:2] == found[1][:2]
    assert found[0][2] == pytest.approx(found[1][2], rel=1e-15)

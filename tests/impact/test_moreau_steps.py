"""Short steps of Moreau's scheme: the mode in which one ends does not depend on its length."""

from __future__ import annotations

import numpy as np

from jounce.kernels.impact.joint_slips import solve_step
from jounce.kernels.records.tolerances import MOREAU_LONGER, MOREAU_STEP, MOREAU_STEPS, PIVOT_ROUNDING
from tests.impact.test_joint_impact import WORK


def mode_after(part: float, D: np.ndarray, v: np.ndarray, b: np.ndarray, mu: np.ndarray) -> tuple[list[int], float]:
    """What the contacts do behind a step (9 leaves, 0 sticks, else the sign of the slip), and the largest rest."""
    k = len(mu)
    if solve_step(k, D, v, b, mu, np.inf, part, 0, WORK) == 0.0:
        return [], 0.0
    after = WORK["joint_after"][: 2 * k] / np.abs(v).max()
    slips = np.where(np.abs(after[1::2]) > PIVOT_ROUNDING, np.sign(after[1::2]), 0.0)
    rests = np.abs(after)[np.abs(after) <= PIVOT_ROUNDING]
    return [int(x) for x in np.where(after[0::2] > PIVOT_ROUNDING, 9.0, slips)], float(rests.max(initial=0.0))


def test_steps_of_any_length_end_in_one_mode() -> None:
    """Two to five contacts, redundant or not, some of which slide: 2^-24 to 2^-8 of the fastest slip.

    What pivoting leaves of a velocity that is zero does not depend on the length of the step.
    """
    random, parts = np.random.default_rng(5), [2.0**e for e in range(-24, -4, 4)]
    assert parts[-1] >= MOREAU_STEP * MOREAU_LONGER ** (MOREAU_STEPS - 1)
    compared = differ = 0
    for _ in range(300):
        k = int(random.integers(2, 6))
        W = random.normal(size=(2 * k, int(random.integers(3, 3 * k + 1))))
        v = np.zeros(2 * k)
        v[1::2] = np.where(random.random(k) < 0.5, random.normal(size=k), 0.0)
        b = W @ random.normal(size=W.shape[1])
        b[0::2] -= np.abs(b[0::2]).max() * random.random()
        mu = random.uniform(0.0, 1.2, k)
        ended = [mode_after(part, W @ W.T, v, b, mu) for part in parts]
        modes = [mode for mode, _ in ended if mode]
        differ += any(mode != modes[-1] for mode in modes)
        assert all(rest < PIVOT_ROUNDING / 8 for _, rest in ended)
        compared += len(modes) == len(parts)
    assert compared > 200
    assert differ <= 2  # of a nearly singular D the shortest step has another basis

"""Discs that jam together while they slip at 1e-2, 1e-6 and 1e-11 of their speeds: no mode, and an impulse.

The place is one of a heap of seven unit discs of unit mass under unit gravity, between a floor and two walls. That no
mode is consistent is asked of a mixed-integer programme over all of them; the impulse is judged by its own conditions.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from jounce.kernels.impact.impulse import OK
from jounce.kernels.impact.joint_slips import stop_by_friction
from tests.impact.test_joint_impact import WORK

FRICTION, SIZE = 0.46710943020646745, np.sqrt(28 * np.pi)
PLACES = np.array([
    (2.3789441996728047, 1.0, -0.37972474121973415),
    (4.378944199672806, 1.0000000000000002, -0.37615917112474323),
    (8.3789441996695, 1.0, -0.00217509445915727),
    (1.0000000000000009, 2.4486244834976145, -1.5023192260690803),
    (3.378944199672805, 2.732050807568877, 2.4061513377648045),
    (6.378944199671154, 1.000002571736388, 1.8513765049328588),
    (2.0000602472411155, 4.180732637967247, -1.730452525534986),
])  # fmt: skip
SPEEDS = np.array([
    (-1.9988082039017074e-12, 0.0, 1.9988082039196436e-12),
    (-1.9988082039285673e-12, 0.0, -1.6957586229400083e-06),
    (-6.689965522825856e-24, 1.4131609662005154e-07, -1.4131609662005154e-07),
    (0.0, 1.9026635338842e-12, 1.9026635338842e-12),
    (-1.998808203913688e-12, 5.2203409293606335e-24, 0.010344699126002567),
    (-1.0902610389875428e-12, -7.065632148493099e-07, 9.89195408090114e-07),
    (0.04184560179405284, 0.03982946951198763, -0.06907122545351842),
])  # fmt: skip


def jammed() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D, the velocities and the free accelerations of the contacts that touch and do not part, (n, t) in turn."""
    count, W, bias = len(PLACES), [], []
    weight = np.tile([0.0, -1.0, 0.0], count)
    sides = [(k, None, n, gap) for k in range(count) for n, gap in (
        ((0.0, 1.0), PLACES[k, 1]), ((1.0, 0.0), PLACES[k, 0]), ((-1.0, 0.0), SIZE - PLACES[k, 0])
    )]  # fmt: skip
    pairs = [(a, b, (PLACES[a] - PLACES[b])[:2], None) for a, b in combinations(range(count), 2)]
    for a, b, along, gap in sides + pairs:
        length = np.hypot(*along)
        if (length - 2.0 if gap is None else gap - 1.0) > 1e-9:
            continue
        normal = np.array(along) / length
        tangent, rows, speed = np.array([-normal[1], normal[0]]), np.zeros((2, count, 3)), SPEEDS[a, :2]
        rows[0, a, :2], rows[1, a, :2], rows[1, a, 2] = normal, tangent, -1.0
        if b is not None:
            rows[0, b, :2], rows[1, b, :2], rows[1, b, 2] = -normal, -tangent, -1.0
            speed = speed - SPEEDS[b, :2]
        rows = rows.reshape(2, -1)
        if rows[0] @ SPEEDS.ravel() < 1e-12:
            turn = (speed @ tangent) / length if b is not None else 0.0
            W.append(rows)
            bias.append((turn * (speed @ tangent), -turn * (speed @ normal)))
    W = np.concatenate(W)
    v = W @ SPEEDS.ravel()
    v[0::2], v[1::2] = 0.0, np.where(np.abs(v[1::2]) < 1e-15, 0.0, v[1::2])
    return (W * np.tile([1.0, 1.0, 2.0], count)) @ W.T, v, W @ weight + np.array(bias).ravel()


def has_mode(D: np.ndarray, v: np.ndarray, b: np.ndarray, width: float = 1e-9, most: float = 1e4) -> bool:
    """Whether forces x and accelerations b + D x fulfil Coulomb's law in any mode: open, stuck, sliding either way."""
    k = len(v) // 2
    rows, low, high = [], [], []
    upper = np.concatenate([np.full(2 * k, most), np.ones(4 * k)])
    lower = np.concatenate([np.tile([0.0, -most], k), np.zeros(4 * k)])

    def add(least: float, largest: float, forces: np.ndarray, **modes: float) -> None:
        row = np.concatenate([forces, np.zeros(4 * k)])
        for name, value in modes.items():
            row[2 * k + 4 * i + "osud".index(name)] = value
        rows.append(row)
        low.append(least)
        high.append(largest)

    for i in range(k):
        n, t = np.eye(2 * k)[2 * i], np.eye(2 * k)[2 * i + 1]
        add(1, 1, 0 * n, o=1, s=1, u=1, d=1)
        add(-np.inf, most, n, o=most)
        add(-b[2 * i] - width, np.inf, D[2 * i])
        add(-np.inf, -b[2 * i] + width, D[2 * i], o=-most)
        add(-np.inf, 0, t - FRICTION * n)
        add(0, np.inf, t + FRICTION * n)
        add(-np.inf, most, t + FRICTION * n, u=most)
        add(-most, np.inf, t - FRICTION * n, d=-most)
        if v[2 * i + 1] == 0.0:
            add(-np.inf, -b[2 * i + 1] + width, D[2 * i + 1], u=-most, o=-most)
            add(-b[2 * i + 1] - width, np.inf, D[2 * i + 1], d=most, o=most)
        else:
            upper[2 * k + 4 * i + 1] = upper[2 * k + 4 * i + (3 if v[2 * i + 1] > 0.0 else 2)] = 0.0
    found = milp(
        np.zeros(6 * k),
        constraints=LinearConstraint(np.array(rows), low, high),
        integrality=np.repeat([0, 1], [2 * k, 4 * k]),
        bounds=Bounds(lower, upper),
    )
    assert found.status in (0, 2), found.message
    return found.status == 0


def test_slips_of_very_different_speeds_stop_together() -> None:
    """No mode is consistent; an impulse within its cones stops two slips, and leaves 1e-6 of what it gave."""
    D, v, b = jammed()
    slips = np.abs(v[1::2])
    assert slips[slips > 0].max() > 1e8 * slips[slips > 0].min()
    assert not has_mode(D, v, b)
    p, mu = np.zeros(len(v)), np.full(len(v) // 2, FRICTION)
    assert stop_by_friction(len(mu), D, v, b, mu, p, WORK) == OK
    after, small = v + D @ p, 1e-6 * np.abs(D @ p).max()
    assert (p[0::2] >= 0).all()
    assert (np.abs(p[1::2]) <= FRICTION * p[0::2]).all()
    assert (after[0::2] > -small).all()
    assert (after[0::2][p[0::2] > 1e-9 * p.max()] < small).all()
    slides = np.abs(after[1::2]) > small
    assert np.allclose(p[1::2][slides], -FRICTION * (p[0::2] * np.sign(after[1::2]))[slides], atol=1e-9 * p.max())
    assert ((slips > 100 * small) & ~slides).sum() == 2
    assert p @ (v + after) < 0.0  # it takes energy
    assert has_mode(D, np.where(np.abs(after) < small, 0.0, after), b)


def test_units_change_nothing() -> None:
    """The same slips in units a million times as small have the same impulse, to the last bit of a power of two."""
    D, v, b = jammed()
    mu, p, other = np.full(len(v) // 2, FRICTION), np.zeros(len(v)), np.zeros(len(v))
    assert stop_by_friction(len(mu), D, v, b, mu, p, WORK) == OK
    assert stop_by_friction(len(mu), D, 2.0**20 * v, 2.0**-30 * b, mu, other, WORK) == OK
    assert np.array_equal(other, 2.0**20 * p)

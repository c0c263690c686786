"""Several contacts at once, by complementarity."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

import jounce
from jounce import Contact
from jounce.kernels.impact.joint import JOINT_NEWTON, JOINT_POISSON, joint_impact
from jounce.kernels.impact.laws import (
    apply_law,
)
from jounce.kernels.records.codes import (
    ENERGETIC,
    POISSON_TWO_PHASE,
    WHITTAKER,
)
from jounce.kernels.records.workspace import WORKSPACE
from tests.impact.cases import random_rows

WORK = np.zeros(1, WORKSPACE)[0]


def solve(kind, D, v, mu, e, e_t=0.0):
    k = len(v) // 2
    p = np.full(2 * k, np.nan)
    mu, e, e_t = (np.broadcast_to(np.asarray(x, float), k).copy() for x in (mu, e, e_t))
    code = joint_impact(kind, k, np.ascontiguousarray(D), np.asarray(v, float), mu, e, e_t, p, WORK)
    return code, p


def rod_ends(theta):
    """Rows n1, t1, n2, t2 of W for u = (x', y', spin); M^-1 = diag(1, 1, 3)."""
    c, s = np.cos(theta), np.sin(theta)
    W = np.array([[0, 1, -c], [1, 0, s], [0, 1, c], [1, 0, -s]])
    return W, W @ np.diag([1.0, 1.0, 3.0]) @ W.T


@pytest.mark.parametrize(("kind", "law", "e_t"), [
    (JOINT_NEWTON, WHITTAKER, 0.0), (JOINT_POISSON, POISSON_TWO_PHASE, 0.0), (JOINT_POISSON, POISSON_TWO_PHASE, 0.6),
])  # fmt: skip
def test_one_contact_is_the_law_of_one_contact(kind, law, e_t):
    out = np.zeros(8)
    for A, B, C, v_t, v_n, mu, e, _ in random_rows(4_000, seed=13, least_det=1e-2):
        assert apply_law(law, A, B, C, v_t, v_n, mu, e, e_t, out) == 0
        code, p = solve(kind, [[C, B], [B, A]], [v_n, v_t], mu, e, e_t)
        assert code == 0
        assert np.abs(p - out[[1, 0]]).max() < 1e-10 * np.abs(p).max()


def feasible(D, v, mu, e, target):
    """Whether any impulse satisfies Newton's complementarity: linear programs over all states, no least norm."""
    k = len(mu)
    unit = np.eye(2 * k)
    for states in itertools.product(range(4), repeat=k):
        equal, less = [], []
        for j, state in enumerate(states):
            n, t = 2 * j, 2 * j + 1
            if state == 3:
                equal += [(unit[n], 0.0), (unit[t], 0.0)]
                less.append((-D[n], v[n] - target[j]))
                continue
            equal.append((D[n], target[j] - v[n]))
            less.append((-unit[n], 0.0))
            if state == 0:
                equal.append((D[t], -v[t]))
                less += [(unit[t] - mu[j] * unit[n], 0.0), (-unit[t] - mu[j] * unit[n], 0.0)]
            else:
                sign = 1.0 if state == 1 else -1.0
                equal.append((unit[t] + sign * mu[j] * unit[n], 0.0))
                less.append((-sign * D[t], sign * v[t]))
        answer = linprog(
            np.ones(2 * k), [a for a, _ in less], [b for _, b in less], [a for a, _ in equal], [b for _, b in equal],
            bounds=[(None, None)] * (2 * k),
        )  # fmt: skip
        if answer.status == 0:
            return True
    return False


def random_contacts(seed, k, n, friction=0.6):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((2 * k, n))
    v = W @ rng.standard_normal(n)
    if not (v[::2] < 0).any():
        v = -v
    return W @ W.T, v, rng.random(k) * friction, rng.random()


def violations(D, v, p, mu, least_n, v_target):
    """Largest violation of the complementarity between p and the velocities after it."""
    after = v + D @ p
    n, t = slice(0, None, 2), slice(1, None, 2)
    over = after[n] - v_target
    slips = np.where(np.abs(after[t]) > 1e-8, p[t] + mu * p[n] * np.sign(after[t]), 0.0)
    return max(
        (-over).max(), (least_n - p[n]).max(), np.abs(over * (p[n] - least_n)).max(),
        (np.abs(p[t]) - mu * p[n]).max(), np.abs(slips).max(),
    )  # fmt: skip


@pytest.mark.parametrize(("k", "n"), [(2, 3), (2, 5), (3, 3), (3, 6), (4, 8), (5, 12), (6, 12), (8, 16)])
def test_newton_complementarity(k, n):
    """Solutions satisfy every condition; where the kernel finds none, linear programs find none either."""
    missing = 0
    for seed in range(12 if k == 4 else 150):
        D, v, mu, e = random_contacts(1000 * k + seed, k, n)
        target = -e * np.minimum(v[::2], 0.0)
        code, p = solve(JOINT_NEWTON, D, v, mu, e)
        if code:
            missing += 1
            assert not feasible(D, v, mu, e, target)
        else:
            assert violations(D, v, p, mu, 0.0, target) < 1e-7 * (np.abs(p).max() + np.abs(v).max() + 1)
    assert missing == 0 or n < 2 * k


@pytest.mark.parametrize("friction", [0.0, 0.6, 3.0])
@pytest.mark.parametrize(("k", "n"), [(2, 3), (2, 5), (3, 3), (3, 6), (5, 3), (6, 14), (8, 3), (8, 6), (8, 20)])
def test_poisson_always_has_a_solution_that_loses_energy(k, n, friction):
    """Any number of contacts, few or many more than there are freedoms: bodies that wedge one another too."""
    for seed in range(60 if k == 3 else 100):
        D, v, mu, e = random_contacts(5000 * k + seed, k, n, friction)
        code, p_c = solve(JOINT_POISSON, D, v, mu, 0.0)
        assert code == 0, seed
        scale = np.abs(p_c).max() + np.abs(v).max() + 1
        assert violations(D, v, p_c, mu, 0.0, 0.0) < 1e-7 * scale
        code, p = solve(JOINT_POISSON, D, v, mu, e)
        assert code == 0, seed
        scale = np.abs(p).max() + scale
        assert violations(D, v + D @ p_c, p - p_c, mu, e * p_c[::2], 0.0) < 1e-7 * scale
        assert p @ (2 * v + D @ p) < 1e-9 * scale**2


def projected_gauss_seidel(D, v, mu, target):
    """Newton's joint impact by relaxation, one contact after the other."""
    p = np.zeros(len(v))
    for _ in range(20_000):
        before = p.copy()
        for j in range(len(mu)):
            n, t = 2 * j, 2 * j + 1
            p[n] = max(0.0, p[n] - (D[n] @ p + v[n] - target[j]) / D[n, n])
            p[t] = np.clip(p[t] - (D[t] @ p + v[t]) / D[t, t], -mu[j] * p[n], mu[j] * p[n])
        if np.abs(p - before).max() < 1e-15 * np.abs(p).max():
            break
    return p


@pytest.mark.parametrize(("k", "n"), [(3, 9), (4, 12), (5, 16), (8, 30)])
def test_another_method_finds_the_same_impulses(k, n):
    """Where D is definite and friction small the solution is unique."""
    for seed in range(10):
        D, v, mu, e = random_contacts(9000 * k + seed, k, n, 0.3)
        code, p = solve(JOINT_NEWTON, D, v, mu, e)
        assert code == 0
        assert p == pytest.approx(projected_gauss_seidel(D, v, mu, -e * np.minimum(v[::2], 0.0)), abs=1e-10)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_newton_for_approaching_contacts_without_friction_loses_energy(k):
    """One e for all, none separating before: v+ + e v- is complementary to p; the loss is (1-e)/(1+e) p.D.p/2."""
    for seed in range(60):
        D, v, _, e = random_contacts(7000 * k + seed, k, 2 * k + 2)
        u = np.linalg.lstsq(D, np.tile([-1.0, 0.0], k) * np.random.default_rng(seed).random(2 * k), rcond=None)[0]
        v = D @ u
        code, p = solve(JOINT_NEWTON, D, v, 0.0, e)
        assert code == 0
        assert -p @ (2 * v + D @ p) / 2 >= (1 - e) / (1 + e) * (p @ D @ p) / 2 - 1e-12


@pytest.mark.parametrize("kind", [JOINT_NEWTON, JOINT_POISSON])
def test_flat_rod_keeps_its_symmetry(kind):
    """A flat rod falls flat: v+ = -e v-, although its two sticking ends share one tangential velocity (rank 3 of 4)."""
    W, D = rod_ends(0.0)
    assert np.linalg.matrix_rank(D) == 3
    for slip in (0.0, 0.3, 5.0):
        u = np.array([slip, -1.0, 0.0])
        code, p = solve(kind, D, W @ u, 0.3, 0.8)
        assert code == 0
        assert p[::2] == pytest.approx([0.9, 0.9], rel=1e-12)
        assert p[1] == pytest.approx(p[3], abs=1e-12)
        after = u + np.diag([1, 1, 3.0]) @ W.T @ p
        assert after[1:] == pytest.approx([0.8, 0.0], abs=1e-12)
        assert after[0] == pytest.approx(max(slip - 0.3 * 1.8, 0.0), abs=1e-12)


def test_flat_rod_by_sequence_is_another_law():
    """theta -> 0, each end by its own impact until both separate: not v+ = -e v-, however small theta is."""
    for theta in (1e-3, 1e-9):
        W, D = rod_ends(theta)
        v, out, hits = W @ np.array([0.0, -1.0, 0.0]), np.zeros(8), 0
        while (v[::2] < 0).any() and hits < 100:
            end = int(np.argmin(v[::2]))
            n, t = 2 * end, 2 * end + 1
            apply_law(ENERGETIC, D[t, t], D[t, n], D[n, n], v[t], v[n], 0.0, 0.8, 0.0, out)
            v = v + D[:, n] * out[1] + D[:, t] * out[0]
            hits += 1
        assert hits > 1
        assert abs((v[0] + v[2]) / 2 - 0.8) > 0.05 or abs(v[0] - v[2]) > 0.05


def test_frictionless_contact_without_tangent():
    """W_T = 0 for one of two contacts: its tangential row is empty."""
    rng = np.random.default_rng(2)
    W = rng.standard_normal((4, 4))
    W[3] = 0.0
    v = W @ rng.standard_normal(4)
    v[::2] = -np.abs(v[::2])
    for kind in (JOINT_NEWTON, JOINT_POISSON):
        code, p = solve(kind, W @ W.T, v, (0.3, 0.0), 0.5)
        assert code == 0
        assert p[3] == 0.0
        assert ((v + W @ W.T @ p)[::2] >= -1e-12).all()


def test_tangential_restitution_of_a_ball():
    """Newton with e_t: gamma_t+ = -e_t gamma_t- while friction allows."""
    code, p = solve(JOINT_NEWTON, [[1.0, 0.0], [0.0, 3.5]], [-2.0, 0.3], 1.0, 0.8, 0.5)
    assert code == 0
    assert 0.3 + 3.5 * p[1] == pytest.approx(-0.15, rel=1e-12)


def test_separating_contacts_are_left_alone():
    code, p = solve(JOINT_POISSON, np.eye(4), [1.0, 0.3, 2.0, -0.1], 0.5, 0.5)
    assert code == 0
    assert (p == 0.0).all()


@pytest.mark.parametrize("size", [1.0, 3e-6, 7e5])
@pytest.mark.parametrize("e", [0.0, 0.3])
def test_contacts_that_are_only_near_are_not_moved_over_their_gaps(e: float, size: float) -> None:
    """Three balls, two of them nearer than joint_gap: they collide together, and no position jumps.

    Behind a plastic impact the velocity of the near contact is rounding; its sign decided whether it was closed, over a
    gap of 5e-10.
    """
    (x, dx), (y, dy), (z, dz) = jounce.coordinates("x y z", "m")
    model = jounce.Model.from_lagrangian(
        "row", coordinates=[x, y, z], kinetic=(dx**2 + dy**2 + dz**2) / 2,
        contacts=[Contact("first", gap=y - x, restitution=e), Contact("second", gap=z - y, restitution=e)],
    )  # fmt: skip
    near = 5e-10 * size
    options = jounce.Options(simultaneous="joint", joint_gap=1e-9 * size)
    start = {"x": -size, "y": 0.0, "z": near, "d_x": 0.7 * size}
    run = jounce.simulate(model, start, 3.0, options=options)
    hit = run.events.t[0]
    assert hit == pytest.approx(1 / 0.7, rel=1e-12)
    sides = [run.at(hit, side=side) for side in ("left", "right")]
    np.testing.assert_array_equal(sides[0].q, sides[1].q)
    assert sum(sides[1].u) == pytest.approx(0.7 * size, rel=1e-12)
    assert run.final["z"] - run.final["y"] >= 0.0
    if e == 0.0:
        assert run.final.u == pytest.approx(0.7 / 3 * size, rel=1e-12)


def sliding_answer(D, v, mu):
    """Normal impulses of contacts that all slide on: p >= 0, v_n + (D_nn - mu s D_nt) p >= 0, by trying all sets."""
    k, sign = len(v) // 2, np.sign(v[1::2])
    A = D[::2, ::2] - D[::2, 1::2] * (mu * sign)
    for pushed in itertools.product((False, True), repeat=k):
        on = np.flatnonzero(pushed)
        p = np.zeros(k)
        p[on] = np.linalg.solve(A[np.ix_(on, on)], -v[::2][on])
        after = v[::2] + A @ p
        after[on] = 0.0
        if (p >= 0).all() and (after >= 0).all():
            return p
    raise AssertionError("no set of contacts has an answer")


@pytest.mark.parametrize("slow", [1e-3, 1e-9, 1e-13])
def test_what_closes_slowly_beside_fast_slips(slow):
    """The rest of a long sequence of impacts: closing speeds are many digits smaller than slips."""
    random = np.random.default_rng(8)
    for _ in range(40):
        k = int(random.integers(5, 9))
        W = random.normal(size=(2 * k, 2 * k + 3))
        D = W @ W.T
        v = random.normal(size=2 * k)
        v[::2] *= slow
        mu = 0.05
        expected = sliding_answer(D, v, mu)
        code, p = solve(JOINT_NEWTON, D, v, mu, 0.0)
        assert code == 0
        np.testing.assert_allclose(p[::2], expected, atol=1e-8 * expected.max())
        np.testing.assert_allclose(p[1::2], -np.sign(v[1::2]) * mu * p[::2], atol=1e-8 * expected.max())

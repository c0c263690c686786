"""The process of slip and stick: marching, closed form, many-digit reference, fine integration."""

import numpy as np
import pytest

from jounce.kernels.impact.impulse import (
    impulse_process,
)
from jounce.kernels.impact.laws import apply_law
from jounce.kernels.records.codes import (
    ENERGETIC,
    NEWTON,
    POISSON,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2
from tests.impact.cases import random_rows, reference_process

ENDINGS = {"energetic": ENERGETIC, "poisson": POISSON, "newton": NEWTON}
PER_REGION = 100_000


# Deviations are relative to the largest velocity, impulse and work of the case. Columns of `worst`, all per region:
# 0 impulses, 1 velocities, 2 works and loss, 3 |W_r + e^2 W_c|/|W_c|, 4 most energy gained, 5 |v+ - v - K p|, 6 most
# violation of the cone, 7 mirrored case.
@kernel
def _compare(
    ending: Integer,
    wanted: Integer,
    rows: Reals2,
    closed: Reals,
    marched: Reals,
    mirrored: Reals,
    phases: Reals2,
    worst: Reals2,
    counts: Integers,
) -> Integer:
    """How many rows have no or different outcomes."""
    failures = 0
    for k in range(rows.shape[0]):
        A, B, C, v_t, v_n, mu, e = (
            rows[k, 0],
            rows[k, 1],
            rows[k, 2],
            rows[k, 3],
            rows[k, 4],
            rows[k, 5],
            rows[k, 6],
        )
        code = apply_law(ending, A, B, C, v_t, v_n, mu, e, 0.0, closed)
        region = int(closed[2])
        if code == 0 and counts[region] >= wanted:
            continue
        code_m, _ = impulse_process(ending, A, B, C, v_t, v_n, mu, e, marched, phases)
        if code != 0 or code_m != 0 or marched[2] != closed[2]:
            failures += 1
            continue
        counts[region] += 1
        row = worst[region]
        p = abs(closed[0]) + closed[1]
        v = abs(v_t) + abs(v_n) + abs(closed[6]) + closed[7]
        row[0] = max(row[0], abs(closed[0] - marched[0]) / p, abs(closed[1] - marched[1]) / p)
        row[1] = max(row[1], abs(closed[6] - marched[6]) / v, abs(closed[7] - marched[7]) / v)
        for i in (3, 4, 5):
            row[2] = max(row[2], abs(closed[i] - marched[i]) / (p * v))
        row[3] = max(row[3], abs(marched[4] + e * e * marched[3]) / abs(marched[3]))
        row[4] = max(row[4], -closed[5] / (p * v))
        residual = abs(v_t + A * closed[0] + B * closed[1] - closed[6]) + abs(
            v_n + B * closed[0] + C * closed[1] - closed[7]
        )
        row[5] = max(row[5], residual / (v + (A + C) * p))
        row[6] = max(row[6], (abs(closed[0]) - mu * closed[1]) / p)
        apply_law(ending, A, -B, C, -v_t, v_n, mu, e, 0.0, mirrored)
        partner = region + 1 if region % 2 == 1 else region - 1
        if mirrored[2] != partner:
            failures += 1
        row[7] = max(row[7], abs(mirrored[0] + closed[0]) / p, abs(mirrored[6] + closed[6]) / v)
        row[7] = max(row[7], abs(mirrored[1] - closed[1]) / p, abs(mirrored[7] - closed[7]) / v)
    return failures


def _drawn(rng, count):
    """Rows A, B, C, v_t, v_n, mu, e; most aim at rare regions: slip that stops in restitution, half to reverse."""
    a, b, c, d = rng.standard_normal((4, count))
    A, B, C = a * a + b * b, a * c + b * d, c * c + d * d
    mu, e, v_n = rng.exponential(0.7, count), rng.random(count), -np.abs(rng.standard_normal(count))
    v_t = rng.standard_normal(count) * 10.0 ** rng.uniform(-1.0, 0.5, count)
    aims = rng.random(count) < 0.7
    mu = np.where(aims & (rng.random(count) < 0.5), rng.random(count) * np.abs(B) / A, mu)
    s = np.where(rng.random(count) < 0.5, 1.0, -1.0)
    k_T, k_N = s * B - mu * A, C - s * mu * B
    aimed = -s * k_T * (-v_n * e * rng.random(count) - v_n) / k_N
    v_t = np.where(aims & (k_T < 0.0) & (k_N > 0.0), aimed, v_t)
    return np.column_stack([A, B, C, v_t, v_n, mu, e])[A * C - B * B >= 1e-3 * A * C]


@pytest.fixture(scope="module", params=list(ENDINGS))
def comparison(request):
    worst, counts = np.zeros((13, 8)), np.zeros(13, dtype=np.int64)
    rng, failures = np.random.default_rng(20260), 0
    while counts[1:11].min() < PER_REGION and counts.sum() + failures < 60_000_000:
        rows = np.ascontiguousarray(_drawn(rng, 500_000))
        room = np.zeros(8), np.zeros(8), np.zeros(8), np.zeros((4, 6))
        before = counts.copy()
        failures += _compare(ENDINGS[request.param], PER_REGION, rows, *room, worst, counts)
        assert (counts > before).any(), f"regions that are never hit: {counts}"
    return request.param, worst[1:11], counts, failures


def test_closed_form_equals_the_process_in_every_region(comparison):
    _, worst, counts, failures = comparison
    assert failures == 0
    assert (counts[1:11] >= PER_REGION).all(), f"regions hit: {counts}"
    assert worst[:, :3].max() < 1e-12, worst[:, :3]


def test_impulse_explains_the_velocities_and_stays_in_the_cone(comparison):
    _, worst, _, _ = comparison
    assert worst[:, 5].max() < 1e-14
    assert worst[:, 6].max() < 1e-15


def test_mirrored_impact_has_the_mirrored_outcome(comparison):
    assert comparison[1][:, 7].max() == 0.0


def test_energetic_work_ratio_and_energy(comparison):
    ending, worst, _, _ = comparison
    if ending == "energetic":
        assert worst[:, 3].max() < 1e-12
    else:  # the other ends have another ratio, so the check above could fail
        assert worst[4:, 3].min() > 1e-2
    if ending == "newton":
        assert worst[:, 4].max() > 1e-2, "Newton's end is known to add energy"
    else:
        assert worst[:, 4].max() < 1e-15


@pytest.mark.parametrize("ending", ENDINGS)
def test_many_digits(ending):
    """Against 50 digits and an independent decision of every motion: 40 cases of each region."""
    rows = random_rows(40_000, seed=5)
    out = np.zeros(8)
    seen = np.zeros(13, dtype=int)
    worst = 0.0
    for row in rows:
        assert apply_law(ENDINGS[ending], *row, out) == 0
        region = int(out[2])
        if seen[region] >= 40:
            continue
        seen[region] += 1
        exact = reference_process(ending, *row[:7])
        p = float(abs(exact["p_t"]) + exact["p_n"])
        v = float(abs(exact["v_t"]) + abs(exact["v_n"])) + abs(row[3]) + abs(row[4])
        for value, name, scale in zip(
            out[[0, 1, 3, 4, 6, 7]],
            ("p_t", "p_n", "work_c", "work_r", "v_t", "v_n"),
            (p, p, p * v, p * v, v, v),
            strict=True,
        ):
            worst = max(worst, abs(float(value - exact[name])) / scale)
    assert (seen[1:11] == 40).all(), seen
    assert worst < 1e-12


@kernel
def _integrate(
    A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, steps_scale: Real, out: Reals
) -> None:
    """Euler's method in p_n with friction solved implicitly: p_t in -mu dp Sgn(v_t at the end of the step)."""
    dp = steps_scale * abs(v_n) / C
    p_n = p_t = w_c = w_r = 0.0
    compression = True
    while True:
        free = v_t + B * dp
        push = min(max(-free / A, -mu * dp), mu * dp)
        after_t, after_n = free + A * push, v_n + B * push + C * dp
        work = 0.5 * dp * (v_n + after_n)
        if compression:
            w_c += work
            compression = after_n < 0.0
        else:
            w_r += work
        v_t, v_n, p_n, p_t = after_t, after_n, p_n + dp, p_t + push
        if not compression and w_r >= -e * e * w_c:
            break
        if p_n > 1e6 * abs(v_n) / C + 1e9:
            break
    out[0], out[1], out[2], out[3] = p_t, p_n, v_t, v_n


def test_fine_integration_of_the_inclusion():
    """First order: the error is a few steps, for cases of all ten regions."""
    rows = random_rows(3_000, seed=11, least_det=0.1)
    out, coarse = np.zeros(8), np.zeros(4)
    seen = np.zeros(13, dtype=int)
    for row in rows:
        apply_law(ENERGETIC, *row, out)
        region = int(out[2])
        if seen[region] >= 4:
            continue
        seen[region] += 1
        _integrate(*row[:7], 1e-5, coarse)
        p, v = abs(out[0]) + out[1], abs(row[3]) + abs(row[4]) + abs(out[6]) + out[7]
        assert np.abs(coarse[:2] - out[:2]).max() < 2e-3 * p, (region, row)
        assert np.abs(coarse[2:] - out[6:]).max() < 2e-3 * v, (region, row)
    assert (seen[1:11] == 4).all(), seen


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_restitution_limits(ending):
    """e = 0 ends with v_n = 0; the energetic law with e = 1 and no slip loses nothing."""
    rows = random_rows(2_000, seed=3)
    rows[:, 6] = 0.0
    out = np.zeros(8)
    for row in rows:
        apply_law(ending, *row, out)
        assert out[7] == 0.0
        assert out[4] == 0.0
    rows[:, 6] = 1.0
    rows[:, 3] = 0.0
    rows[:, 5] = 1.01 * np.abs(rows[:, 1]) / rows[:, 0]  # sticks from the start
    for row in rows:
        apply_law(ending, *row, out)
        assert out[2] in (5, 6)
        assert out[6] == 0.0
        assert abs(out[5]) < 1e-13 * out[1] * abs(row[4])
        assert out[7] == pytest.approx(-row[4], rel=1e-12)


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_frictionless_limit(ending):
    """mu -> 0 approaches the frictionless impact at the rate mu, and mu = 0 and A = 0 are it."""
    out, limit = np.zeros(8), np.zeros(8)
    for row in random_rows(500, seed=8):
        row[5] = 0.0
        assert apply_law(ending, *row, limit) == 0
        A, B, C, v_t, v_n, _, e, _ = row
        assert limit[1] == -(1 + e) * v_n / C
        assert limit[0] == 0.0
        assert limit[7] == -e * v_n
        assert limit[6] == pytest.approx(v_t + B * limit[1], rel=1e-15)
        row[5] = 1e-9
        apply_law(ending, *row, out)
        v = abs(v_t) + abs(v_n) + (A + abs(B) + C) * limit[1]
        assert np.abs(out[6:] - limit[6:]).max() < 1e-8 * v
    assert apply_law(ending, 0.0, 0.0, 2.0, 0.0, -1.0, 0.7, 0.5, 0.0, out) == 0
    assert out[:2].tolist() == [0.0, 0.75]


def test_start_without_slip():
    """v_t = 0: sticks if |B| <= mu A, else slips in the direction of B, and the limits v_t -> 0 agree."""
    out, near = np.zeros(8), np.zeros(8)
    regions = set()
    for row in random_rows(2_000, seed=21):
        row[3] = 0.0
        A, B, _, _, v_n, mu, _, _ = row
        apply_law(ENERGETIC, *row, out)
        regions.add(int(out[2]))
        assert out[2] in ((5, 6) if abs(B) <= mu * A else (1,) if B > 0 else (2,))
        assert (out[6] == 0.0) if abs(B) <= mu * A else (out[6] * B > 0.0)
        for sign in (-1e-9, 1e-9):
            row[3] = sign * abs(v_n)
            apply_law(ENERGETIC, *row, near)
            assert np.abs(near[:2] - out[:2]).max() < 1e-6 * out[1] * (1 + mu)
    assert regions == {1, 2, 5, 6}


def test_one_degree_of_freedom():
    """K of rank one: the pendulum that meets a wall. Below mu = |B/A| it bounces, above it locks."""
    rng = np.random.default_rng(4)
    out, marched, phases = np.zeros(8), np.zeros(8), np.zeros((4, 6))
    locked = 0
    for _ in range(3_000):
        w_t, w_n = rng.standard_normal(2)
        u = -abs(rng.standard_normal()) * np.sign(w_n)
        mobility, mu = rng.exponential(), rng.exponential()
        K = (w_t * w_t * mobility, w_t * w_n * mobility, w_n * w_n * mobility)
        for ending in ENDINGS.values():
            assert apply_law(ending, *K, w_t * u, w_n * u, mu, 0.7, 0.0, out) == 0
            assert impulse_process(ending, *K, w_t * u, w_n * u, mu, 0.7, marched, phases)[0] == 0
            assert np.abs(out[:2] - marched[:2]).max() < 1e-9 * out[1]
            if mu > abs(w_n / w_t) * 1.001:
                locked += 1
                assert out[2] == 12
                assert out[6:].tolist() == [0.0, 0.0]
            elif mu < abs(w_n / w_t) * 0.999:
                assert out[7] > 0.0
                assert out[7] * w_t / w_n == pytest.approx(out[6], rel=1e-9)
    assert locked > 1000


def test_wedge_has_no_solution():
    """Rank one on a moving wall: slip stops while the contact still approaches, and the code says so."""
    out = np.zeros(8)
    for ending in ENDINGS.values():
        assert apply_law(ending, 1.0, 1.0, 1.0, 0.5, -1.0, 2.0, 0.5, 0.0, out) == 1
        assert out[:2].tolist() == [0.0, 0.0]
        assert out[6:].tolist() == [0.5, -1.0]

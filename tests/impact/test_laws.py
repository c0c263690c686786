"""Each algebraic law against its own definition, and what all laws share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jounce.analysis.impacts.impact import impact, impact_many
from jounce.kernels.impact import algebraic_laws, brach_laws, impulse, tables
from jounce.kernels.impact import laws as impact_laws
from jounce.simulation.law import Law
from tests.impact.cases import random_rows

ROWS = random_rows(100_000, seed=1)
NEWTON_LAWS = [Law.NEWTON, Law.WHITTAKER, Law.SMITH, Law.BRACH, Law.BRACH_EXTENDED, Law.CHATTERJEE_RUINA]


def sizes(outcome, rows=ROWS):
    p = np.abs(outcome.p_t) + outcome.p_n
    return p, np.abs(rows[:, 3]) + np.abs(rows[:, 4]) + np.abs(outcome.v_t) + np.abs(outcome.v_n)


@pytest.fixture(scope="module")
def outcomes():
    return {law: impact_many(law, *ROWS[:, :7].T) for law in Law}


@pytest.mark.parametrize("law", Law)
def test_momentum_cone_and_push(outcomes, law):
    """v+ = v + K p, |p_t| <= mu p_n, p_n > 0, separation; the works add up to the normal impulse's work."""
    A, B, C, v_t, v_n, mu, _, _ = ROWS.T
    out = outcomes[law]
    assert out.solved.all()
    p, v = sizes(out)
    scale = v + (A + C) * p
    assert (np.abs(v_t + A * out.p_t + B * out.p_n - out.v_t) / scale).max() < 2e-13
    assert (np.abs(v_n + B * out.p_t + C * out.p_n - out.v_n) / scale).max() < 2e-13
    assert ((np.abs(out.p_t) - mu * out.p_n) / p).max() < 1e-12
    assert (out.p_n > 0.0).all()
    assert (out.v_n >= 0.0).all()
    if law not in (Law.POISSON, Law.NEWTON, Law.ENERGETIC, Law.POISSON_TWO_PHASE):
        work = out.work_compression + out.work_restitution
        assert np.abs(work - out.p_n * (v_n + out.v_n) / 2).max() < 1e-12 * (p * v).max()


@pytest.mark.parametrize("law", Law)
def test_energy_is_gained_only_where_it_is_admitted(outcomes, law):
    out = outcomes[law]
    p, v = sizes(out)
    gain = -out.energy_loss / (p * v)
    if law.may_add_energy:
        assert out.added_energy.sum() > 100
        assert gain.max() > 1e-2
    else:
        assert not out.added_energy.any()
        assert gain.max() < 1e-12
    assert (out.added_energy == (gain > 1e-10)).mean() > 0.999
    # The loss is the difference of the kinetic energies, v^T K^-1 v/2 up to what no impulse can change.
    A, B, C, v_t, v_n = ROWS.T[:5]
    det = A * C - B * B

    def energy(a, b):
        return 0.5 * (C * a * a - 2 * B * a * b + A * b * b) / det

    before = energy(v_t, v_n)
    assert (np.abs(before - energy(out.v_t, out.v_n) - out.energy_loss) / (before + p * v)).max() < 1e-10


@pytest.mark.parametrize("law", NEWTON_LAWS)
def test_newton_restitution(outcomes, law):
    np.testing.assert_allclose(outcomes[law].v_n, -ROWS[:, 6] * ROWS[:, 4], rtol=1e-13, atol=0.0)


@pytest.mark.parametrize("law", Law)
def test_every_law_reduces_to_the_frictionless_impact(law):
    A, B, C, v_t, v_n, _, e, _ = ROWS[:2_000].T
    for A_, B_, mu in ((A, B, 0.0), (0 * A, 0 * B, 0.6)):
        out = impact_many(law, A_, B_, C, v_t, v_n, mu, e)
        np.testing.assert_array_equal(out.p_t, 0.0)
        np.testing.assert_allclose(out.p_n, -(1 + e) * v_n / C, rtol=1e-15)
        np.testing.assert_allclose(out.v_n, -e * v_n, rtol=1e-15)
        np.testing.assert_allclose(out.energy_loss, 0.5 * (1 - e * e) * v_n**2 / C, rtol=1e-14)
        assert (out.region == impulse.REGION_FRICTIONLESS).all()


@pytest.mark.parametrize("law", Law)
def test_slip_throughout_is_the_same_in_every_law(outcomes, law):
    """Regions 1 and 2, where slip stays away from zero: all laws agree (thesis, section 3.4)."""
    rows = ROWS[(outcomes[Law.ENERGETIC].region == 1) & (ROWS[:, 1] < 0.3 * ROWS[:, 5] * ROWS[:, 0])]
    rows = rows[(np.abs(rows[:, 3]) > 3 * np.abs(rows[:, 4]) * rows[:, 0] / rows[:, 2]) & (rows[:, 5] < 0.5)][:2_000]
    assert len(rows) > 300
    one = impact_many("energetic", *rows[:, :7].T)
    out = impact_many(law, *rows[:, :7].T)
    same = np.abs(out.p_t - one.p_t) < 1e-12 * one.p_n
    if law is Law.BRACH_EXTENDED:  # other bounds can replace friction, even where nothing is wrong with it
        assert 0.1 < same.mean() < 0.9
        same = same[out.region == 161]
    assert same.all()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(Law)), st.integers(0, 5_000), st.integers(-450, 450), st.integers(-900, 900))
def test_scaling(law, index, speed, mobility):
    """v -> c v gives c p; K -> c K gives p/c. Powers of two leave no rounding."""
    A, B, C, v_t, v_n, mu, e, _ = ROWS[index]
    one = impact(law, A, B, C, v_t, v_n, mu, e)
    assume(abs(2 * speed - mobility) < 950)
    c, k = 2.0**speed, 2.0**mobility
    other = impact(law, k * A, k * B, k * C, c * v_t, c * v_n, mu, e)
    assert other.region == one.region
    tolerance = 1e-12 if law is Law.SMITH else 0.0
    assert other.p_n == pytest.approx(np.ldexp(one.p_n, speed - mobility), rel=tolerance, abs=0.0)
    assert other.energy_loss == pytest.approx(np.ldexp(one.energy_loss, 2 * speed - mobility), rel=tolerance, abs=0.0)
    assert other.v_t == pytest.approx(one.v_t * c, rel=max(tolerance, 0.0), abs=tolerance * c)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(Law)), st.integers(0, 5_000))
def test_mirror(law, index):
    A, B, C, v_t, v_n, mu, e, _ = ROWS[index]
    one, other = impact(law, A, B, C, v_t, v_n, mu, e), impact(law, A, -B, C, -v_t, v_n, mu, e)
    assert (other.p_t, other.p_n, other.v_t, other.v_n) == pytest.approx(
        (-one.p_t, one.p_n, -one.v_t, one.v_n), rel=1e-13
    )
    assert other.energy_loss == pytest.approx(one.energy_loss, rel=1e-11, abs=1e-13)


def test_smith_weights_both_slips(outcomes):
    """p_t = -mu p_n (|v|v + |v+|v+)/(v^2 + v+^2)."""
    out = outcomes[Law.SMITH]
    v_t, mu = ROWS[:, 3], ROWS[:, 5]
    weight = (np.abs(v_t) * v_t + np.abs(out.v_t) * out.v_t) / (v_t**2 + out.v_t**2)
    assert (np.abs(out.p_t + mu * out.p_n * weight) / (np.abs(out.p_t) + out.p_n)).max() < 1e-11


def test_smith_jams():
    """C < mu |B|, on either side: still one root with p_n > 0."""
    for B in (0.95, -0.95):
        out = impact_many("smith", 1.0, B, 1.0, np.linspace(0.01, 3.0, 200), -1.0, 2.5, 0.5)
        assert out.solved.all()
        assert (out.p_n > 0).all()


def test_brach_bounds(outcomes):
    """Brach: |p_t| = mu p_n against the initial slip, or slip stops; the extension: one of its three bounds is met."""
    out = outcomes[Law.BRACH]
    friction = out.region == brach_laws.REGION_BRACH + brach_laws.BOUND_FRICTION
    s = -np.sign(ROWS[:, 3])
    np.testing.assert_allclose(out.p_t[friction], (s * ROWS[:, 5] * out.p_n)[friction], rtol=1e-12)
    assert (out.v_t[~friction] == 0.0).all()
    out = outcomes[Law.BRACH_EXTENDED]
    bound = out.region % 10
    p, v = sizes(out)
    np.testing.assert_allclose(np.abs(out.p_t)[bound == 1], (ROWS[:, 5] * out.p_n)[bound == 1], rtol=1e-12)
    assert (out.v_t[bound == 2] == 0.0).all()
    assert np.abs(out.energy_loss / (p * v))[bound == 3].max() < 1e-12
    assert all((bound == k).sum() > 100 for k in (1, 2, 3))


def test_chatterjee_ruina_within_the_cone():
    """P = (1+e) P_I + (1+e_t)(P_II - P_I) where the cone allows it; else on the cone, on the same ray."""
    for e_t in (-1.0, -0.5, 0.0, 0.7, 1.0):
        out = impact_many("chatterjee_ruina", *ROWS[:20_000, :7].T, e_t=e_t)
        A, B, C, v_t, v_n, mu, e, _ = ROWS[:20_000].T
        det = A * C - B * B
        P_I = np.stack([0 * v_n, -v_n / C])
        P_II = np.stack([-(C * v_t - B * v_n), -(A * v_n - B * v_t)]) / det
        wanted = (1 + e) * P_I + (1 + e_t) * (P_II - P_I)
        inside = np.abs(wanted[0]) <= mu * wanted[1]
        p = np.abs(out.p_t) + out.p_n
        assert (np.abs(out.p_t - wanted[0]) / p)[inside].max() < 1e-11
        assert (np.abs(out.p_n - wanted[1]) / p)[inside].max() < 1e-11
        # Next to the edge of the cone rounding decides, and both answers are the same.
        clear = np.abs(np.abs(wanted[0]) - mu * wanted[1]) > 1e-9 * (np.abs(wanted[0]) + mu * np.abs(wanted[1]))
        code = np.where(inside, algebraic_laws.REGION_WITHIN_CONE, algebraic_laws.REGION_ON_CONE)
        assert (out.region == code)[clear].all()
        cut = ~inside
        if e_t > -1.0:
            assert (np.abs(np.abs(out.p_t) - mu * out.p_n) / p)[cut].max() < 1e-12
        assert not out.added_energy.any()


@pytest.mark.parametrize("e_t", [0.0, 0.4, 1.0])
def test_superball(e_t):
    """A ball (B = 0) that grips: Pfeiffer & Glocker return e e_t of the slip, Chatterjee & Ruina e_t."""
    A, C, v_t, v_n, e = 3.5, 1.0, 0.3, -2.0, 0.8
    two_phase = impact("poisson_two_phase", A, 0.0, C, v_t, v_n, 1.0, e, e_t=e_t)
    assert two_phase.v_t == pytest.approx(-e * e_t * v_t, rel=1e-14, abs=1e-16)
    assert two_phase.v_n == pytest.approx(-e * v_n, rel=1e-14)
    assert impact("chatterjee_ruina", A, 0.0, C, v_t, v_n, 1.0, e, e_t=e_t).v_t == pytest.approx(-e_t * v_t, abs=1e-15)
    assert impact("energetic", A, 0.0, C, v_t, v_n, 1.0, e).v_t == 0.0


@pytest.mark.parametrize("e_t", [0.3, 1.0])
def test_two_phase_with_stored_shear_adds_no_energy(e_t):
    out = impact_many("poisson_two_phase", *ROWS[:, :7].T, e_t=e_t)
    p, v = sizes(out)
    assert (-out.energy_loss / (p * v)).max() < 1e-12
    assert (out.v_n >= 0.0).all()
    assert ((np.abs(out.p_t) - ROWS[:, 5] * out.p_n) / p).max() < 1e-12


def test_two_phase_definition(outcomes):
    """Coulomb's law on the impulse of each phase with the slip at the phase's end."""
    out = outcomes[Law.POISSON_TWO_PHASE]
    motions = set()
    for row, region in zip(ROWS[:3_000], out.region[:3_000], strict=True):
        outcome = impact("poisson_two_phase", *row[:7])
        motions.add(int(region))
        for phase in outcome.phases:
            if phase.motion == "stick":
                assert abs(phase.p_t) <= row[5] * phase.p_n * (1 + 1e-12)
                assert phase.v_t == 0.0
            else:
                sign = 1.0 if phase.motion == "slip+" else -1.0
                assert phase.p_t == pytest.approx(-sign * row[5] * phase.p_n, rel=1e-8)
                assert sign * phase.v_t >= 0.0
    assert len(motions) >= 8


def test_two_phase_stick_slip_boundary():
    """Lancioni et al. (25), plastic: stick and slip meet at v_t = H v_n, H = (G21 -+ mu G22)/(G11 -+ mu G12)."""
    G11, G12, G22, mu, v_n = 1.7, 0.6, 2.3, 0.35, -1.0
    for sign in (1.0, -1.0):
        H = (G12 - sign * mu * G22) / (G11 - sign * mu * G12)
        inside = impact("poisson_two_phase", G22, G12, G11, H * v_n - sign * 1e-9, v_n, mu, 0.0)
        outside = impact("poisson_two_phase", G22, G12, G11, H * v_n + sign * 1e-9, v_n, mu, 0.0)
        assert inside.v_t == 0.0
        assert sign * outside.v_t > 0.0


def awkward_rows(count: int) -> np.ndarray:
    """Semidefinite matrices over many decades, many of rank one or nearly; special values of v, mu and e."""
    rng = np.random.default_rng(7)
    w_t = rng.standard_normal((count, 3)) * 10.0 ** rng.uniform(-8, 3, (count, 1))
    w_n = rng.standard_normal((count, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1))
    along = w_n * (10.0 ** rng.uniform(-4, 4, count) * rng.choice([-1, 1], count))[:, None]
    off = np.where(rng.random(count) < 0.5, 0.0, 10.0 ** rng.uniform(-17, -1, count))[:, None]
    off = off * rng.standard_normal((count, 3)) * np.linalg.norm(along, axis=1)[:, None]
    w_t = np.where(rng.random((count, 1)) < 0.4, along + off, w_t)
    A, B, C = (w_t * w_t).sum(1), (w_t * w_n).sum(1), (w_n * w_n).sum(1)
    u = rng.standard_normal((count, 3))
    v_t, v_n = (w_t * u).sum(1), (w_n * u).sum(1)
    v_t, v_n = np.where(v_n > 0, -v_t, v_t), -np.abs(v_n)
    pick = rng.random(count)
    v_t[pick < 0.05], v_n[pick > 0.95] = 0.0, 0.0
    mu = rng.choice([0.0, 0.1, 0.5, 1.0, 3.0, 50.0], count)
    pick = rng.random(count)
    mu = np.where(pick < 0.1, np.abs(B) / A, np.where(pick > 0.9, C / np.abs(B), mu))
    e = rng.choice([0.0, 1e-9, 0.5, 0.9, 1.0], count)
    return np.column_stack([A, B, C, v_t, v_n, np.minimum(mu, 1e8), e, 0 * e])


@pytest.mark.parametrize("law", Law)
def test_any_semidefinite_matrix(law):
    """No NaN, no pull, no penetration; momentum holds; the code says where there is no solution."""
    rows = np.ascontiguousarray(awkward_rows(60_000))
    A, B, C, v_t, v_n, mu, _, _ = rows.T
    out, codes = np.zeros((len(rows), 8)), np.zeros(len(rows), dtype=np.int64)
    tables.apply_law_to_rows(int(law), rows, out, codes)
    assert np.isin(codes, (0, 1)).all()
    assert (codes == 1).mean() < 0.05
    assert np.isfinite(out).all()
    p_t, p_n, _, _, _, _, v_t_plus, v_n_plus = out.T
    ok = codes == 0
    assert (p_n >= 0.0).all()
    assert (v_n_plus[ok] >= 0.0).all()
    assert (np.abs(p_t) <= mu * p_n * (1 + 1e-9)).all()
    v = np.abs(v_t) + np.abs(v_n) + np.abs(v_t_plus) + np.abs(v_n_plus) + 1e-300
    # 1e-8: a rank-one matrix counts as such up to RANK_TOLERANCE, and then v_t+ = v_n+ = 0 up to VELOCITY_TOLERANCE
    assert (np.abs(v_t + A * p_t + B * p_n - v_t_plus) / (v + A * np.abs(p_t) + np.abs(B) * p_n)).max() < 1e-8
    assert (np.abs(v_n + B * p_t + C * p_n - v_n_plus) / (v + np.abs(B * p_t) + C * p_n)).max() < 1e-8


def test_an_unknown_law_is_refused():
    status = impact_laws.apply_law(99, 1.0, 0.0, 1.0, 0.0, -1.0, 0.1, 0.5, 0.0, np.zeros(8))
    assert status == impulse.UNKNOWN_LAW

"""v_n = 0 in an inconsistent state: the impact without collision, and Liu's jump rule."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.kernels.impact.laws import (
    apply_law,
)
from jounce.kernels.records.codes import (
    BRACH,
    BRACH_EXTENDED,
    CHATTERJEE_RUINA,
    ENERGETIC,
    NEWTON,
    POISSON,
    POISSON_TWO_PHASE,
    SMITH,
    WHITTAKER,
)
from tests.impact.cases import random_rows, reference_process


def jamming_rows(count: int) -> np.ndarray:
    """Rows with v_n = 0 and k_N < 0 in the direction of slip."""
    rows = random_rows(count, seed=77, least_det=1e-2)
    rows = rows[np.abs(rows[:, 1]) > 0.05 * np.sqrt(rows[:, 0] * rows[:, 2])]
    rows[:, 4] = 0.0
    rows[:, 3] = np.abs(rows[:, 3]) * np.sign(rows[:, 1])
    rows[:, 5] = rows[:, 2] / np.abs(rows[:, 1]) * (1.0 + rows[:, 5])
    return rows


def liu_jump(Q11, Q12, Q22, slip, mu0, e_p):
    """Liu, Zhao & Chen (23)-(28): final slip, final normal velocity, total normal impulse."""
    mu = mu0 if slip < 0 else -mu0
    P1 = -slip / (mu * Q11 + Q12)
    x2 = (mu * Q12 + Q22) * P1
    P2 = Q11 * x2 / (Q12**2 - Q11 * Q22)
    P3 = e_p * (P1 + P2)
    return 0.0, (-(Q12**2) / Q11 + Q22) * P3, P1 + P2 + P3


@pytest.mark.parametrize("law", [POISSON, POISSON_TWO_PHASE])
def test_liu_jump_rule_is_the_poisson_tangential_impact(law):
    out = np.zeros(8)
    for row in jamming_rows(3_000):
        A, B, C, v_t, _, mu, e, _ = row
        assert apply_law(law, *row, out) == 0
        slip, normal, impulse = liu_jump(A, B, C, v_t, mu, e)
        assert out[6] == slip
        assert out[7] == pytest.approx(normal, rel=1e-11)
        assert out[1] == pytest.approx(impulse, rel=1e-11)
        assert out[1] > 0.0
        assert out[5] > 0.0


def test_energetic_tangential_impact_returns_e_squared_of_its_own_compression():
    out = np.zeros(8)
    for i, row in enumerate(jamming_rows(2_000)):
        e = row[6]
        assert apply_law(ENERGETIC, *row, out) == 0
        assert out[2] == (5 if row[3] > 0 else 6)
        assert out[6] == 0.0
        assert out[7] > 0.0
        assert out[3] < 0.0
        assert out[4] == pytest.approx(-e * e * out[3], rel=1e-12)
        assert out[5] > 0.0
        if i < 60:
            exact = reference_process("energetic", *row[:7])
            assert out[7] == pytest.approx(float(exact["v_n"]), rel=1e-12)
            assert out[1] == pytest.approx(float(exact["p_n"]), rel=1e-12)


def test_newton_ends_the_tangential_impact_at_rest():
    """Newton's ratio of zero is zero: the contact ends in stick without separating."""
    out = np.zeros(8)
    for row in jamming_rows(300):
        assert apply_law(NEWTON, *row, out) == 0
        assert out[1] > 0.0
        assert out[6:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("law", [ENERGETIC, POISSON, NEWTON, POISSON_TWO_PHASE])
def test_a_consistent_contact_is_left_alone(law):
    out = np.zeros(8)
    for row in jamming_rows(500):
        row[5] = 0.999 * row[2] / abs(row[1])  # just below the jam
        assert apply_law(law, *row, out) == 0
        assert out[:3].tolist() == [0.0, 0.0, 0.0]
        assert out[6:].tolist() == [row[3], 0.0]
        row[5] *= 1.1
        row[3] = -row[3]  # above it, but slip in the other direction
        assert apply_law(law, *row, out) == 0
        assert out[1] == 0.0


@pytest.mark.parametrize("law", [WHITTAKER, SMITH, BRACH, BRACH_EXTENDED, CHATTERJEE_RUINA])
def test_newton_type_laws_know_no_tangential_impact(law):
    out = np.zeros(8)
    for row in jamming_rows(50):
        assert apply_law(law, *row, out) == 0
        assert out[1] == 0.0


def test_jam_during_an_impact_joins_the_tangential_impact():
    """The limit v_n -> 0- of an impact that jams is the tangential impact, not nothing."""
    out, limit = np.zeros(8), np.zeros(8)
    for row in jamming_rows(300):
        apply_law(ENERGETIC, *row, limit)
        row[4] = -1e-10 * abs(row[3])
        apply_law(ENERGETIC, *row, out)
        assert out[7] == pytest.approx(limit[7], rel=1e-4)
        assert out[1] == pytest.approx(limit[1], rel=1e-4)

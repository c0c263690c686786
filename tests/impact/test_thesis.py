"""Burns' thesis, chapter 3 (and Burns & Piiroinen): cases, figures, and each misprint beside what is right.

Equation numbers are the thesis'. Its mu are s = -sgn(V_TC) times the impulse ratios of the kernels; its B-hat is -B.
"""

from __future__ import annotations

import numpy as np
import pytest

from jounce.analysis.impacts.compare_laws import compare_laws
from jounce.analysis.impacts.impact import impact, impact_many
from jounce.kernels.impact.brach_laws import brach_case, brach_ratios
from tests.impact.cases import Rod, random_rows

FIGURES = {  # theta, V_T, V_N, spin, cases for e = 0, 0.5, 1
    "3.3": (np.arctan(2.0), -2.0, -1.5, 1.9, (6, 6, 6)),
    "3.4": (0.5, 4.5, -3.0, -0.8, (3, 7, 7)),
    "3.5": (2.3, -2.46, -2.0, 2.9, (3, 3, 3)),
}
SWEEPS = {"3.8": (2.3, 2.9, -2.0, 0.9, 0.6), "3.10": (0.8, 0.5, -2.0, 0.9, 0.6), "3.11": (0.2, -0.8, -1.0, 0.6, 0.5)}


def rod_ratios(figure: str, e: float):
    theta, V_T, V_N, spin, _ = FIGURES[figure]
    rod = Rod(theta)
    v_t, v_n = rod.contact_velocity(V_T, V_N, spin)
    return rod, v_t, v_n, -np.sign(v_t), brach_ratios(rod.A, rod.B, rod.C, v_t, v_n, e)


def sweep(figure: str, values: np.ndarray, law: str):
    theta, spin, V_N, e, mu = SWEEPS[figure]
    rod = Rod(theta)
    v_n = V_N - rod.x * spin
    return compare_laws("v_t", values, laws=[law], **rod.matrix, v_n=v_n, mu=mu, e=e)


def changes(table, key) -> list[tuple[float, int, int]]:
    """Where an integer column changes, with the values on both sides."""
    codes, where = table[key].to_numpy(), table["v_t"].to_numpy()
    return [(where[i + 1], int(codes[i]), int(codes[i + 1])) for i in np.flatnonzero(np.diff(codes))]


@pytest.mark.parametrize("figure", FIGURES)
def test_cases_of_table_3_1(figure):
    for e, case in zip((0.0, 0.5, 1.0), FIGURES[figure][4], strict=True):
        _, _, _, s, (_, near, far, r_M, r_s) = rod_ratios(figure, e)
        assert brach_case(near, far, r_M, r_s, s) == case


def test_singular_friction_at_atan_2():
    rod, _, _, s, ratios = rod_ratios("3.3", 0.5)
    assert abs(s * ratios[4]) == pytest.approx(4.0 / 3.0, rel=1e-14)
    assert s * ratios[4] == pytest.approx((rod.inertia + rod.x**2) / (s * rod.x * rod.y) * s * s, rel=1e-14)  # (3.13)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_bounds_are_what_they_are_called(figure, e):
    """At r_C slip stops, at r_E no energy is lost, at r_M most is, from the energies themselves (3.15)."""
    rod, v_t, v_n, _, (r_C, near, far, r_M, r_s) = rod_ratios(figure, e)

    def after(r):
        p_n = -(1 + e) * v_n / (rod.C + rod.B * r)
        return v_t + (rod.A * r + rod.B) * p_n, v_n + (rod.B * r + rod.C) * p_n, p_n

    def loss(r):
        v_t_plus, v_n_plus, p_n = after(r)
        return -0.5 * p_n * (r * (v_t + v_t_plus) + v_n + v_n_plus)

    assert after(r_C)[0] == pytest.approx(0.0, abs=1e-12)
    for r in (near, far):
        assert loss(r) == pytest.approx(0.0, abs=1e-11)
    h = 1e-4 * abs(r_M)
    assert loss(r_M) > loss(r_M + h)
    assert loss(r_M) > loss(r_M - h)
    assert rod.C + rod.B * r_s == pytest.approx(0.0, abs=1e-14)


def test_misprint_larger_root():
    """ "mu_E1 is the larger of the two roots": in Fig 3.3 the root with the plus sign of (3.16) is the smaller."""
    rod, v_t, v_n, s, (_, near, far, _, _) = rod_ratios("3.3", 0.5)
    e, k2, x, y = 0.5, rod.inertia, rod.x, rod.y
    top = v_t * (k2 + x * x) + e * x * y * v_n
    root = np.sqrt((1 - e * e) * k2 * (x * x + y * y + k2) * v_n**2 + ((x * x + k2) * v_t + x * y * v_n) ** 2)
    bottom = (e + 1) * (k2 + y * y) * v_n + 2 * x * y * v_t
    mu_E1, mu_E2 = s * (top + root) / bottom, s * (top - root) / bottom
    assert sorted([mu_E1, mu_E2]) == pytest.approx(sorted([s * near, s * far]), rel=1e-12)
    assert mu_E1 * mu_E2 < 0.0  # one of each sign, as Case 6 needs
    assert (mu_E1 < mu_E2) == (s * bottom < 0.0)
    assert mu_E1 < mu_E2


def test_misprint_3_18():
    """e = 1: the denominator is (k^2 + y^2) V_NC + x y V_TC, without the printed 2."""
    rod, v_t, v_n, s, (_, near, far, _, _) = rod_ratios("3.3", 1.0)
    k2, x, y = rod.inertia, rod.x, rod.y
    top = v_t * (k2 + x * x) + x * y * v_n
    assert near == 0.0
    assert far == pytest.approx(top / ((k2 + y * y) * v_n + x * y * v_t), rel=1e-12)
    assert abs(far - top / ((k2 + y * y) * v_n + 2 * x * y * v_t)) > 1e-2
    assert s * far > 0.0


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_misprint_3_19(e):
    """mu_M has no factor 2, and (3.20) holds: mu_C at e = 0, mu_E1 at e = 1 and mu_M at e = 0 are one number."""
    _, V_T, V_N, spin, _ = FIGURES["3.3"]
    rod, v_t, v_n, s, (r_C, _, _, r_M, _) = rod_ratios("3.3", e)
    k2, x, y = rod.inertia, rod.x, rod.y
    top = (x * x + k2) * (V_T * (x * x + k2) + k2 * y * spin + x * y * V_N)
    bottom = (e + 1) * (x * x + k2) * k2 * v_n + (x * x + k2) * (V_N * y * y + x * y * V_T)
    bottom += e * (V_N * y * y * k2 - y * y * k2 * x * spin)
    assert r_M == pytest.approx(top / bottom, rel=1e-12)
    assert abs(r_M - 2 * top / bottom) > 0.1
    if e == 0.0:
        common = s * ((k2 + x * x) * v_t + x * y * v_n) / ((k2 + y * y) * v_n + x * y * v_t)
        assert s * r_C == pytest.approx(common, rel=1e-12)
        assert s * r_M == pytest.approx(common, rel=1e-12)
        assert s * rod_ratios("3.3", 1.0)[4][2] == pytest.approx(common, rel=1e-12)


def test_misprint_3_12():
    """The spin jumps by (x - s mu y)(1+e) V_NC/(...): with the printed + angular momentum about C (3.9) is not kept."""
    _, V_T, V_N, spin, _ = FIGURES["3.3"]
    rod, v_t, v_n, s, _ = rod_ratios("3.3", 0.5)
    e, mu, k2, x, y = 0.5, 0.2, rod.inertia, rod.x, rod.y
    outcome = impact("brach", **rod.matrix, v_t=v_t, v_n=v_n, mu=mu, e=e)
    bottom = k2 + x * (x - s * mu * y)
    V_N_plus = V_N - k2 * (1 + e) * v_n / bottom  # (3.10)
    V_T_plus = V_T - s * mu * k2 * (1 + e) * v_n / bottom  # (3.11)
    assert outcome.p_n == pytest.approx(V_N_plus - V_N, rel=1e-13)
    assert outcome.p_t == pytest.approx(V_T_plus - V_T, rel=1e-13)

    def momentum_error(sign):
        spin_plus = spin + (x + sign * s * mu * y) * (1 + e) * v_n / bottom
        before = -k2 * spin + y * V_T - x * V_N
        return -k2 * spin_plus + y * V_T_plus - x * V_N_plus - before

    assert momentum_error(-1.0) == pytest.approx(0.0, abs=1e-14)
    assert abs(momentum_error(+1.0)) > 1e-2


def test_misprint_impossible_cases():
    """Cases 2 and 4 cannot occur; with s = -sgn V_TC cases 1 and 8 do not either."""
    seen = set()
    for A, B, C, v_t, v_n, _, e, _ in random_rows(100_000, seed=31):
        ratios = brach_ratios(A, B, C, v_t, v_n, e)
        seen.add(brach_case(*ratios[1:], -np.sign(v_t)))
    assert seen == {3, 5, 6, 7}


@pytest.mark.parametrize(("figure", "energetic", "brach", "printed"), [
    ("3.8", (2, 4), (171, 172), -0.125), ("3.8", (3, 1), (162, 161), 0.012), ("3.10", (2, 4), (161, 162), -0.0713),
])  # fmt: skip
def test_stick_begins_at_the_same_slip_in_both_laws(figure, energetic, brach, printed):
    """Figs 3.8 and 3.10: maps I/II and mu_f/mu_C meet at one V_TC; the printed values are grid points near it."""
    values = np.linspace(printed - 0.02, printed + 0.02, 40_001)
    (one,) = [
        where for where, *pair in changes(sweep(figure, values, "energetic"), "region") if tuple(pair) == energetic
    ]
    (two,) = [
        where for where, *pair in changes(sweep(figure, values, "brach_extended"), "region") if tuple(pair) == brach
    ]
    assert one == pytest.approx(two, abs=1.1e-6)
    assert one == pytest.approx(printed, abs=7e-3)


def test_fig_3_8_stick_has_maps_two_three_three():
    """In Fig 3.8(b) stick goes through map II, III, III (and II): regions 4, 6, 5, 3."""
    table = sweep("3.8", np.linspace(-0.2, 0.05, 20_001), "energetic")
    assert [after for _, _, after in changes(table, "region")] == [4, 6, 5, 3, 1]


def test_fig_3_11_interrupted_stick():
    """Brach: mu_C, then mu_f, then mu_C again; the energetic law reverses slip and never sticks there."""
    values = np.linspace(-0.02, 1.0, 51_001)
    table = sweep("3.11", values, "brach_extended")
    bounds = (table["region"] % 10).to_numpy()
    table = table.assign(bound=bounds)
    steps = [(before, after) for _, before, after in changes(table, "bound")]
    assert steps == [(1, 2), (2, 1), (1, 2), (2, 1), (1, 3)]
    stuck = table["v_t_after"].to_numpy() == 0.0
    assert stuck.sum() > 1000
    between = (values > 0.035) & (values < 0.050)
    assert not stuck[between].any()
    assert (table["v_t_after"].to_numpy()[between] < 0.0).all()
    where = [where for where, before, after in changes(table, "bound") if (before, after) == (1, 3)]
    assert where == pytest.approx([0.6421], abs=1e-4)  # mu_f -> -mu_E, printed under Fig 3.8
    energetic = sweep("3.11", values, "energetic")
    assert (energetic["v_t_after"].abs() > 0.0).all()
    assert {after for _, _, after in changes(energetic, "region")} == {9, 7, 1}


def test_fig_3_9_centre_of_mass_velocity():
    """V_T+ = V_T + p_t jumps in Brach's law (more) and is continuous in the energetic law but for v_t = 0."""
    values = np.linspace(-0.4, 0.2, 60_001)
    jumps = {}
    for law in ("energetic", "brach_extended"):
        p_t = sweep("3.8", values, law)["p_t"].to_numpy()
        jumps[law] = np.abs(np.diff(values + p_t)).max()
    assert jumps["brach_extended"] > 20 * jumps["energetic"]


# ---- the energetic maps ------------------------------------------------------------------------------------------


def rates(rows):
    """The thesis' rate constants from its hatted quantities: A-hat = A, B-hat = -B, C-hat = C."""
    A, B_hat, C, mu = rows[:, 0], -rows[:, 1], rows[:, 2], rows[:, 5]
    plus = (-B_hat - mu * A, C + mu * B_hat)
    minus = (-B_hat + mu * A, C - mu * B_hat)
    stick = (np.zeros_like(A), (A * C - B_hat**2) / A)
    return plus, minus, stick


def decision_tree(rows, region_2_on_true: bool):
    """Fig 3.7, right is true. The printed tree leaves which side region 2 is on to the eye: it is the false branch."""
    (kTp, kNp), (kTm, kNm), _ = rates(rows)
    v_t, v_n, e = rows[:, 3], rows[:, 4], rows[:, 6]
    right = np.where(
        kNp * v_t - (1 + e) * kTp * v_n > 0,
        1,
        np.where(kNp * v_t - kTp * v_n > 0, np.where(kTm > 0, 3, 7), np.where(kTm > 0, 5, 9)),
    )
    stays = kNm * v_t - (1 + e) * kTm * v_n > 0
    stays = stays if region_2_on_true else ~stays
    left = np.where(stays, 2, np.where(kNm * v_t - kTm * v_n > 0, np.where(kTp > 0, 10, 6), np.where(kTp > 0, 8, 4)))
    return np.where(v_t > 0, right, left)


@pytest.fixture(scope="module")
def energetic():
    rows = random_rows(100_000, seed=12)
    return rows, impact_many("energetic", *rows[:, :7].T)


def test_decision_tree_and_misprint_region_2(energetic):
    rows, outcome = energetic
    jam = np.where(rows[:, 3] > 0, rates(rows)[0][1], rates(rows)[1][1]) <= 0
    assert (decision_tree(rows, False) == outcome.region)[~jam].all()
    # In a jam the printed inequalities are multiplied by a negative k_N; the tree still finds 5 and 6.
    assert set(outcome.region[jam]) == {5, 6}
    assert (decision_tree(rows, False) == outcome.region)[jam].all()
    even = outcome.region % 2 == 0
    assert (decision_tree(rows, True) != outcome.region)[even].mean() > 0.5


def maps(rows, region, square_under_root: bool):
    """Maps I-III, (3.45)-(3.50), with Table 3.2; the misprint of (3.49) on request."""
    plus, minus, stick = rates(rows)
    odd = region % 2 == 1
    kT, kN = (np.where(odd, plus[i], minus[i]) for i in (0, 1))
    sticks = np.isin(region, (3, 4, 5, 6))
    kT2, kN2 = (np.where(sticks, stick[i], np.where(odd, minus[i], plus[i])) for i in (0, 1))
    v_t, v_n, e = rows[:, 3], rows[:, 4], rows[:, 6]
    S = kN / kT * v_t - v_n
    with np.errstate(invalid="ignore"):
        two = np.sqrt((1 - kN2 / kN) * S**2 + e**2 * kN2 / kN * v_n**2)
        three = e * np.sqrt((1 - kN2 / kN) * S**2 + kN2 / kN * v_n**2)
        wrong = e * np.sqrt((1 - kN2 / kN) * S**2 + e**2 * kN2 / kN * v_n**2)
    first, second = region <= 2, np.isin(region, (3, 4, 7, 8))
    tangential = np.where(second, two, wrong if square_under_root else three)
    v_t_plus = np.where(first, v_t - (1 + e) * kT / kN * v_n, kT2 / kN2 * (S + tangential))
    return v_t_plus, np.where(first, -e * v_n, np.where(second, two, three))


def test_maps_and_misprint_of_map_three(energetic):
    rows, outcome = energetic
    v_t, v_n = maps(rows, outcome.region, square_under_root=False)
    size = np.abs(rows[:, 3]) + np.abs(rows[:, 4]) + np.abs(outcome.v_t) + outcome.v_n
    # The printed form divides by k_N: it loses digits near k_N = 0, where ours does not.
    (_, kNp), (_, kNm), _ = rates(rows)
    tame = np.abs(np.where(rows[:, 3] > 0, kNp, kNm)) > 1e-2 * rows[:, 2]
    assert np.abs((v_t - outcome.v_t) / size)[tame].max() < 1e-11
    assert np.abs((v_n - outcome.v_n) / size)[tame].max() < 1e-11
    printed, _ = maps(rows, outcome.region, square_under_root=True)
    slips = tame & np.isin(outcome.region, (9, 10))
    assert np.nanmax(np.abs((printed - outcome.v_t) / size)[slips]) > 1e-2


def test_map_three_at_and_near_k_N_zero():
    """(3.51)-(3.52) at k_N = 0 are the limit, and the form without 1/k_N is smooth through it."""
    A, B, C, v_t, v_n, e = 2.0, 0.8, 1.5, 0.4, -1.0, 0.6
    mu = C / B
    k_T, k_0 = B - mu * A, C - B * B / A
    exact = e * np.sqrt(v_n**2 + 2 * k_0 * v_t * v_n / k_T)
    assert C - mu * B == 0.0
    outcome = impact("energetic", A, B, C, v_t, v_n, mu, e)
    assert outcome.v_n == pytest.approx(exact, rel=1e-15)
    assert outcome.v_t == 0.0
    for shift in (1e-15, 1e-12, -1e-12, 1e-9):
        near = impact("energetic", A, B, C, v_t, v_n, mu * (1 + shift), e)
        assert near.v_n == pytest.approx(exact, rel=1e-14 + 2 * abs(shift))


def test_misprint_whittaker():
    """|P1| <= mu P2 with v_T+ = 0, or P1 = -mu P2 sgn(v_T+): not, as printed, P1 <= mu P2 or -mu P2 sgn(P1)."""
    rows = random_rows(20_000, seed=9)
    outcome = impact_many("whittaker", *rows[:, :7].T)
    slips = outcome.v_t != 0.0
    cone = rows[:, 5] * outcome.p_n
    assert np.abs(outcome.p_t + cone * np.sign(outcome.v_t))[slips].max() < 1e-13 * cone.max()
    assert (np.abs(outcome.p_t) <= cone * (1 + 1e-13))[~slips].all()
    printed = -cone * np.sign(outcome.p_t)  # has the sign opposite to itself
    assert (np.abs(outcome.p_t - printed) > 0.1 * cone)[slips].all()


def test_misprint_glocker_pfeiffer():
    """P2exp = e_p P2comp, not e_p P1comp."""
    for row in random_rows(300, seed=10):
        outcome = impact("poisson_two_phase", *row[:7])
        compression, expansion = outcome.phases
        assert expansion.p_n == pytest.approx(row[6] * compression.p_n, rel=1e-9)
        assert compression.v_n == 0.0

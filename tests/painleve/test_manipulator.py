"""Liu, Zhao & Chen, The bouncing motion appearing in a robotic system with unilateral constraint (2007), sections 3-6.

Each test says what is printed there; where that is wrong, ours stands beside it.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce.analysis import painleve
from jounce.analysis.painleve import ScalarMode
from jounce.analysis.painleve.scalar_problem import evaluate_rows, make_problem
from tests.painleve import maximal_coordinates as maximal

H = 5 / 3
REACH = math.acos(H - 1.0)  # |theta1| <= 0.8411, as printed
OVER = {"theta1": (-REACH, REACH), "d_theta1": (-3.0, 3.0)}


@pytest.fixture(scope="module")
def system():
    return jounce.compile_model(jounce.systems.manipulator())


def on_belt(system, theta1, rate=0.0, height=H):
    theta2 = math.acos(height - math.cos(theta1))
    rate2 = -rate * math.sin(theta1) / math.sin(theta2)
    return system.state(theta1=theta1, theta2=theta2, d_theta1=rate, d_theta2=rate2)


def printed_coefficients(theta1, theta2, rate1, rate2, mu):
    """A and B of (11) with Appendix A, no torques, l = m = 1, g = 9.8; mu carries the sign of the slip (mu < 0: +)."""
    d = theta1 - theta2
    s1, s2 = np.sin(theta1), np.sin(theta2)
    k1, k2 = mu * np.cos(theta1) + s1, mu * np.cos(theta2) + s2
    f = -4 / 3 + 3 / 4 * np.cos(d) ** 2
    g1 = 3 / 2 * np.cos(d) * k2 - k1
    g2 = 3 / 8 * np.cos(d) * k1 - k2
    h1 = 3 / 8 * rate1**2 * np.sin(2 * d) + rate2**2 * np.sin(d) / 2 + 9.8 * (1.5 * s1 - 0.75 * s2 * np.cos(d))
    h2 = -3 / 32 * rate2**2 * np.sin(2 * d) - rate1**2 * np.sin(d) / 2 + 9.8 * (s2 / 2 - 9 / 16 * s1 * np.cos(d))
    B = s1 * h1 / f + 4 * s2 * h2 / f + rate1**2 * np.cos(theta1) + rate2**2 * np.cos(theta2)
    return s1 * g1 / f + 4 * s2 * g2 / f, B


def printed_critical_friction(theta1, theta2):
    """(13), its first cosine read as cos(theta1 - theta2)."""
    s1, s2 = mp.sin(theta1), mp.sin(theta2)
    return abs(
        4
        * (3 * mp.cos(theta1 - theta2) * s1 * s2 - (s1**2 + 4 * s2**2))
        / (mp.sin(2 * theta1) - 5 * mp.sin(2 * theta2))
    )


def test_coefficients_against_full_coordinates(system) -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        theta, rate = random.uniform(-1.4, 1.4, 2), random.uniform(-4.0, 4.0, 2)
        slip, mu = int(random.choice([1, -1])), float(random.uniform(0.0, 2.0))
        state = system.state(theta1=theta[0], theta2=theta[1], d_theta1=rate[0], d_theta2=rate[1])
        ours = painleve.coefficients(system, state, slip=slip, mu=mu)
        reference = maximal.manipulator(theta.tolist(), rate.tolist(), slip, mu)
        assert pytest.approx(float(reference.A), rel=1e-11, abs=1e-12) == ours.A
        assert pytest.approx(float(reference.B), rel=1e-11, abs=1e-11) == ours.B


def test_appendix_without_torques_is_right(system) -> None:
    """Printed A and B hold where no torque acts (the misprint in h2 is in the term of tau1)."""
    for theta1, rate in ((0.3, 1.0), (0.7, -2.0), (-0.6, 0.4)):
        state = on_belt(system, theta1, rate)
        for slip in (1, -1):
            ours = painleve.coefficients(system, state, slip=slip, mu=0.5)
            A, B = printed_coefficients(state["theta1"], state["theta2"], rate, state["d_theta2"], -slip * 0.5)
            assert pytest.approx((A, B), rel=1e-12) == (ours.A, ours.B)


def test_case_4_starts_inconsistent(system) -> None:
    """A = -.0167 as printed; the printed B = -3.492 is WRONG: at rest, the spring relaxed, it is -2.9144."""
    state = system.state(theta1=0.7, theta2=0.4468)
    ours = painleve.coefficients(system, state, Kr=150.0, C1=2.0, C2=2.0, d0=0.7 - 0.4468, v_t=-0.4, mu=0.5)
    assert round(ours.A, 4) == -0.0167
    assert pytest.approx(-2.9144427, abs=1e-7) == ours.B
    assert pytest.approx(float(maximal.manipulator(["0.7", "0.4468"], [0, 0], 1, "0.5").B), rel=1e-12) == ours.B
    assert ours.slip == 1
    assert ours.mode is ScalarMode.INCONSISTENT
    assert ours.normal_forces == ()


def test_critical_friction_is_13(system) -> None:
    for theta1 in (-0.7, -0.2, 0.1, 0.5, 0.8):
        state = on_belt(system, theta1)
        found = painleve.critical_friction(system, state)
        assert found.mu == pytest.approx(float(printed_critical_friction(state["theta1"], state["theta2"])), rel=1e-12)
        assert pytest.approx(0.0, abs=1e-14) == painleve.coefficients(system, state, slip=found.slip, mu=found.mu).A
        assert painleve.critical_friction(system, state, slip=-found.slip).mu == math.inf


def test_minimal_critical_friction(system) -> None:
    """Printed: .4807. To more digits it is .480632, so the printed one is a unit of its last digit too large."""
    found = painleve.minimal_critical_friction(system, {"theta1": (-REACH, REACH)})
    best = mp.findroot(
        lambda x: mp.diff(lambda y: printed_critical_friction(y, mp.acos(mp.mpf(5) / 3 - mp.cos(y))), x),
        mp.mpf("0.7164"),
    )
    exact = printed_critical_friction(best, mp.acos(mp.mpf(5) / 3 - mp.cos(best)))
    assert found.mu == pytest.approx(float(exact), rel=1e-13)
    assert found.state["theta1"] == pytest.approx(float(best), abs=1e-6)
    assert abs(found.mu - 0.4807) < 1e-4
    assert np.nanmin(found.curve) >= found.mu
    assert painleve.critical_friction(system, found.state).mu == pytest.approx(found.mu, rel=1e-12)


def test_minimal_critical_friction_over_the_height(system) -> None:
    """Fig 2: it falls as the pivot is raised from H = l, to 0 at H = 2l, like sqrt(2l - H)."""
    minima = []
    heights = (1.0, 1.4, 1.99, 1.9999)
    for height in heights:
        reach = math.acos(height - 1.0)
        state = on_belt(system, 0.9 * reach, height=height)
        found = painleve.minimal_critical_friction(
            system, {"theta1": (-reach, reach)}, state=state, points=201, H=height
        )
        minima.append(found.mu)
    assert (np.diff(minima) < 0.0).all()
    assert minima[-1] < 0.01
    assert minima[-1] / minima[-2] == pytest.approx(math.sqrt(1e-4 / 1e-2), rel=5e-3)


def test_low_pivot_has_low_critical_friction_too(system) -> None:
    """Below H = l the minimum does not go on rising as the text says: with the elbow above the pivot it falls again."""
    reach = math.acos(0.2 - 1.0)
    state = on_belt(system, 0.9 * reach, height=0.2)
    found = painleve.minimal_critical_friction(system, {"theta1": (-reach, reach)}, state=state, H=0.2)
    assert found.mu == pytest.approx(0.50623, abs=1e-5)
    assert found.state["theta1"] < -math.pi / 2


def test_aligned_links(system) -> None:
    """(19): mu0* = sqrt(4 l^2 - H^2)/H at theta* = .5857. The printed .633 is WRONG: it is .6633."""
    aligned = math.acos(H / 2)
    found = painleve.critical_friction(system, system.state(theta1=aligned, theta2=aligned))
    assert round(aligned, 4) == 0.5857
    assert found.mu == pytest.approx(math.sqrt(4 - H**2) / H, rel=1e-13)
    assert round(found.mu, 4) == 0.6633


def reference_eigenvalues(point, mu):
    """Of the reduced flow (18) in the plane, by differences in 30 digits: no use of its structure."""
    x1, x2 = mp.mpf(point.state["theta1"]), mp.mpf(point.state["d_theta1"])

    def residual(a, b):
        found = maximal.manipulator(*maximal.closed(a, b, mp.mpf(5) / 3), point.slip, mu)
        return found.A, found.B

    x1, x2 = mp.findroot(residual, (x1, x2))
    h = mp.mpf(10) ** -9
    J = mp.matrix(2)
    for column, (a, b) in enumerate(((h, 0), (0, h))):
        ahead = maximal.desingularised(x1 + a, x2 + b, point.slip, mu, mp.mpf(5) / 3)
        behind = maximal.desingularised(x1 - a, x2 - b, point.slip, mu, mp.mpf(5) / 3)
        for row in range(2):
            J[row, column] = (ahead[row] - behind[row]) / (2 * h)
    assert abs(J[0, 1]) < 1e-12  # A does not depend on the velocity: triangular, so real eigenvalues
    return (float(x1), float(x2)), sorted(float(mp.re(value)) for value in mp.eig(J)[0])


# mu, theta1, theta1', lambda1, kind: as printed. At mu = .8 the text only says "saddle"; its lambda2 = 22 is WRONG.
PRINTED = [
    ("0.5", 0.6819, -1.006, 1.273, "unstable node"),
    ("0.5", 0.744, -0.982, -1.379, "saddle"),
    ("0.8", 0.5266, 1.6153, None, "saddle"),
    ("0.8", 0.7944, -0.8617, None, "saddle"),
]


def test_singular_points(system) -> None:
    found = {mu: painleve.singular_points(system, OVER, v_t=0.0, mu=float(mu)) for mu in ("0.5", "0.8")}
    assert [len(points) for points in found.values()] == [2, 2]
    for mu, theta1, rate, first, kind in PRINTED:
        point = min(found[mu], key=lambda p: abs(p.state["theta1"] - theta1))
        assert point.state["theta1"] == pytest.approx(theta1, abs=6e-5)
        assert point.state["d_theta1"] == pytest.approx(rate, abs=6e-4)
        assert point.kind == kind
        if first is not None:
            assert point.eigenvalues[0] == pytest.approx(first, abs=6e-4)
        place, eigenvalues = reference_eigenvalues(point, mu)
        assert (point.state["theta1"], point.state["d_theta1"]) == pytest.approx(place, abs=1e-10)
        assert sorted(point.eigenvalues) == pytest.approx(eigenvalues, rel=1e-8)


def test_second_eigenvalue_is_not_22(system) -> None:
    values = [point.eigenvalues[1] for point in painleve.singular_points(system, OVER, v_t=0.0, mu=0.5)]
    assert values == pytest.approx([1.96378, 5.07951], abs=1e-5)


def test_moving_belt_makes_the_paradox_attracting(system) -> None:
    """The paper's "cannot enter the paradox from slip" holds for a belt at rest only.

    On a belt with v_t = -1 the mirror images theta1' > 0 slide in the same direction; the first is a STABLE node, and
    sliding from theta1 = .6, theta1' = 1 runs into it at t = .115.
    """
    points = painleve.singular_points(system, OVER, v_t=-1.0, mu=0.5)
    assert [point.kind for point in points] == ["unstable node", "stable node", "saddle", "saddle"]
    target = points[1]
    problem = make_problem(system, None, None, {"v_t": -1.0, "mu": 0.5})

    def motion(z):
        q, u = np.split(np.asarray(z, dtype=float)[None, :], 2, axis=1)
        return evaluate_rows(problem, np.zeros(1), q, u)

    def sliding(_, z):
        m = motion(z)
        return np.concatenate([z[2:], (m.free - m.B / m.A(1) * (m.normal - 0.5 * m.tangential))[0]])

    def jam(_, z):
        return motion(z).A(1)[0] - 1e-6

    jam.terminal = True
    start = on_belt(system, 0.6, 1.0)
    end = solve_ivp(sliding, (0, 1), [*start.q, *start.u], events=jam, rtol=1e-9, atol=1e-11, method="LSODA")
    assert end.t[-1] == pytest.approx(0.115, abs=5e-4)
    assert end.y[:, -1] == pytest.approx([*target.state.q, *target.state.u], abs=1e-4)


@pytest.mark.parametrize("mu", [0.5, 0.8, 1.2])
def test_admissible_sets(system, mu) -> None:
    """Figs 3, 5, 6: every point of the map has the signs of the printed A and B, in its own direction of slip."""
    found = painleve.mode_map(system, OVER, points=161, v_t=0.0, mu=mu)
    theta1, rate1 = np.meshgrid(*found.values, indexing="ij")
    inside = np.abs(theta1) < 0.999 * REACH
    theta2 = np.arccos(np.where(inside, H - np.cos(theta1), 0.5))
    rate2 = -rate1 * np.sin(theta1) / np.sin(theta2)
    slip_velocity = rate1 * np.cos(theta1) + rate2 * np.cos(theta2)
    A, B = printed_coefficients(theta1, theta2, rate1, rate2, -mu * np.sign(slip_velocity))
    clear = inside & (np.abs(A) > 1e-9) & (np.abs(B) > 1e-9) & (np.abs(slip_velocity) > 1e-9)
    expected = np.select([(A > 0) & (B > 0), (A > 0) & (B < 0), (A < 0) & (B > 0)], [1, 2, 3], 4)
    assert clear.sum() > 0.98 * inside.sum()
    assert (found.own_modes[clear] == expected[clear]).all()


def paradox(found, upper: bool):
    """The values of theta1 at which a state with theta1' > 0 (or < 0) is paradoxical in its own direction of slip."""
    rates = found.values[1] > 0.0 if upper else found.values[1] < 0.0
    return found.values[0][(found.own_modes[:, rates] >= ScalarMode.INDETERMINATE).any(axis=1)]


def test_where_the_paradox_is(system) -> None:
    """The text on Figs 3, 5, 6: a strip at theta1' < 0; then both sides of the aligned links; then theta1 < 0 too."""
    aligned, step = math.acos(H / 2), 2 * REACH / 400
    for mu, strips in (
        (0.5, {False: [(0.6819, 0.7440)], True: []}),
        (0.8, {False: [(aligned, 0.7944)], True: [(0.5266, aligned)]}),
        (1.2, {False: [(aligned, 0.8100)], True: [(-0.7948, -0.7410), (0.3693, aligned)]}),
    ):
        found = painleve.mode_map(system, OVER, points=401, v_t=0.0, mu=mu)
        for upper, intervals in strips.items():
            theta1 = paradox(found, upper)
            assert all(any(low - step < x < high + step for low, high in intervals) for x in theta1)
            for low, high in intervals:
                part = theta1[(theta1 > low - step) & (theta1 < high + step)]
                assert (part[0], part[-1]) == pytest.approx((low, high), abs=1.01 * step)


def test_paradox_grows_with_friction(system) -> None:
    parts = []
    for mu in (0.4, 0.5, 0.8, 1.2):
        fractions = painleve.mode_map(system, OVER, points=101, v_t=0.0, mu=mu).fractions()
        assert sum(fractions.values()) == pytest.approx(1.0, rel=1e-12)
        parts.append(fractions[ScalarMode.INDETERMINATE] + fractions[ScalarMode.INCONSISTENT])
    assert parts[0] == 0.0  # below the minimal critical friction
    assert (np.diff(parts) > 0.0).all()


def test_area_fractions_of_a_strip(system) -> None:
    """For one direction of slip A < 0 on a strip of theta1 of known width (mu = .5), whatever theta1'."""
    fractions = painleve.mode_map(system, OVER, points=401, v_t=0.0, mu=0.5).fractions(slip=1)
    strip = (0.7440094324 - 0.6819065749) / (2 * REACH)
    paradoxical = fractions[ScalarMode.INDETERMINATE] + fractions[ScalarMode.INCONSISTENT]
    assert paradoxical == pytest.approx(strip, abs=1.0 / 400)

"""Where the papers' texts mislead: each statement that needs care as a test of its own (Lancioni's: test_wiper.py)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce.analysis import painleve
from jounce.analysis.painleve import ScalarMode
from tests.papers.two_link_reference import PendulumReference
from tests.papers.wiper_reference import WiperReference

G = 9.81


@pytest.fixture(scope="module")
def rod():
    return jounce.compile_model(jounce.systems.slender_rod())


@pytest.fixture(scope="module")
def manipulator():
    return jounce.compile_model(jounce.systems.manipulator())


def on_belt(system, theta1: float, rate: float):
    theta2 = math.acos(5 / 3 - math.cos(theta1))
    rate2 = -rate * math.sin(theta1) / math.sin(theta2)
    return system.state(theta1=theta1, theta2=theta2, d_theta1=rate, d_theta2=rate2)


# ------------------------------------------------------------------------------------------- Liu, Zhao & Chen


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10])
def test_slip_enters_the_paradox_on_a_moving_belt(manipulator, tolerance: float) -> None:
    """v_t = -1, mu = .5, theta1 = .6, theta1' = 1: sliding ends at A = B = 0 at t = .115, and the run goes on."""
    options = jounce.Options(law="poisson", tolerance=tolerance)
    run = jounce.simulate(manipulator, on_belt(manipulator, 0.6, 1.0), 1.0, options=options, v_t=-1.0, mu=0.5)
    assert run.status.ok
    first = run.events.iloc[0]
    assert first.t == pytest.approx(0.115, abs=5e-4)
    assert first.mode_before == "SLIP+"
    state = run.at(first.t, side="left")
    found = painleve.coefficients(manipulator, state, slip=1, v_t=-1.0, mu=0.5)
    assert abs(found.A) < 1e-4
    assert abs(found.B) < 1e-4


def test_slip_does_not_enter_the_paradox_on_a_belt_at_rest(manipulator) -> None:
    """From sliding states all over the plane: whatever ends the slide, A stays positive until then."""
    ended = set()
    for theta1 in np.linspace(-0.8, 0.8, 17):
        for rate in (-2.5, -1.2, -0.4, 0.4, 1.2, 2.5):
            start = on_belt(manipulator, theta1, rate)
            if painleve.coefficients(manipulator, start, v_t=0.0, mu=0.5).mode is not ScalarMode.SLIDING:
                continue
            run = jounce.simulate(manipulator, start, 1.0, v_t=0.0, mu=0.5)
            if len(run.events) == 0:
                continue
            first = run.events.iloc[0]
            ended.add(first.kind)
            state = run.at(first.t, side="left")
            slip = 1 if first.mode_before == "SLIP+" else -1
            assert painleve.coefficients(manipulator, state, slip=slip, v_t=0.0, mu=0.5).A > 1e-3
    assert {"lift_off", "stick"} <= ended
    assert "paradox" not in ended


# ------------------------------------------------------------------------------------------- Burns & Piiroinen


def landing(rod, theta: float, **options):
    """The frictionless rod falls nearly level on a fixed floor; the motion once no end approaches any more."""
    start = rod.state(y=1.0 + abs(math.sin(theta)), theta=theta)
    run = jounce.simulate(rod, start, 0.6, options=jounce.Options(**options), A=0.0, mu=0.0, e=0.8)
    return run.final, run


@pytest.mark.parametrize("theta", [1e-2, 1e-5, 1e-8])
def test_level_contact_is_discontinuous(rod, theta: float) -> None:
    """The two ends one after the other do not become v+ = -e v- as theta -> 0; both at once do, at any theta."""
    speed = math.sqrt(2 * G * 1.0)
    for joint_gap, level in ((0.1, True), (0.0, False)):
        policy = {"simultaneous": "joint", "joint_gap": joint_gap, "law": "newton"}
        _, run = landing(rod, theta, **policy if level else {"simultaneous": "sequential"})
        struck = run.events[(run.events.kind == "impact") & (run.events.t < 0.46)]
        after = run.at(float(struck.t.iloc[-1]), side="right")
        fall = speed + G * (float(struck.t.iloc[-1]) - math.sqrt(2 / G))
        if level:
            assert after["d_y"] == pytest.approx(0.8 * fall, rel=3e-2 if theta > 1e-3 else 1e-4)
        else:
            assert abs(after["d_y"] - 0.8 * fall) > 0.1 or abs(after["d_theta"]) > 0.1


def test_angle_below_which_both_ends_strike_is_an_option(rod) -> None:
    """theta_crit: at theta = .001 the ends are .002 apart; joint_gap decides whether they strike together."""
    spins = {}
    for joint_gap in (1e-4, 1e-2):
        final, _ = landing(rod, 1e-3, simultaneous="joint", joint_gap=joint_gap, law="newton")
        spins[joint_gap] = abs(final["d_theta"])
    assert spins[1e-2] < 1e-12
    assert spins[1e-4] > 0.05


@pytest.mark.parametrize(("omega", "e"), [(3.0, 0.9), (4.1, 0.6)])
def test_restitution_is_of_the_velocity_relative_to_the_floor(rod, omega: float, e: float) -> None:
    """(5.40)-(5.48) lack the floor: q2'+ = -e q2'- + (1 + e) A omega cos(omega t)."""
    options = jounce.Options(simultaneous="joint", law="newton")
    run = jounce.simulate(rod, rod.state(y=4.0, theta=0.0), 6.0, options=options, omega=omega, e=e, A=0.7)
    impacts = run.events[(run.events.kind == "impact") & (run.events.contact == "P1")]
    assert len(impacts) >= 3
    for t in impacts.t[:3]:
        before, after = run.at(t, side="left")["d_y"], run.at(t, side="right")["d_y"]
        assert after == pytest.approx(-e * before + (1 + e) * 0.7 * omega * math.cos(omega * t), rel=1e-12)


def test_force_on_a_sliding_end(rod) -> None:
    """State 3: lambda2 = (g + sin theta'^2 - A omega^2 sin omega t)/(1 + 3 cos^2 - 3 s mu sin cos), s = -sgn slip."""
    theta, spin, omega, mu = -0.5, 0.4, 2.0, 0.3
    t = 0.3
    floor, rate = math.sin(omega * t), omega * math.cos(omega * t)
    y = floor - math.sin(theta)  # P2 on the floor
    for d_x in (3.0, -3.0):
        start = rod.state(t=t, y=y, theta=theta, d_x=d_x, d_theta=spin, d_y=rate - math.cos(theta) * spin)
        run = jounce.simulate(rod, start, t + 1e-3, omega=omega, mu=mu, e=0.0)
        s = -math.copysign(1.0, d_x - math.sin(theta) * spin)
        sine, cosine = math.sin(theta), math.cos(theta)
        top = G + sine * spin**2 - omega**2 * math.sin(omega * t)
        expected = top / (1 + 3 * cosine**2 - 3 * s * mu * sine * cosine)
        forces = run.contact_forces(np.array([t]))
        assert float(forces["lambda_N"].sel(contact="P2").squeeze()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("omega", "e"), [(3.0, 0.9), (3.55085, 0.8), (4.405, 0.8)])
def test_the_start_of_the_appendix_is_no_orbit(rod, omega: float, e: float) -> None:
    """tau = .705258553846737, q2 = 7.145273725460764 at rest: the level rod does not come back within six periods."""
    options = jounce.Options(simultaneous="joint", law="newton")
    start = rod.state(t=0.705258553846737, y=7.145273725460764, theta=0.0)
    period = 2 * math.pi / omega
    run = jounce.simulate(rod, start, start.t + 6.001 * period, options=options, omega=omega, e=e, mu=0.05)
    returns = run.states(start.t + period * np.arange(1, 7))
    assert (np.abs(returns[:, [1, 4]] - [start["y"], 0.0]).max(axis=1) > 0.1).all()


# ------------------------------------------------------------------------------------------- thesis, chapter 6


def test_alpha_3_of_the_pendulum() -> None:
    """[T - l1 l2 m2 s12 phi'^2 - l1 K - l1 c12 (m2 l1 s12 theta'^2 + F)]/(l1^2 (m1 + m2 s12^2)), not as printed."""
    p = PendulumReference(m1=0.4, m2=0.7, l1=0.8, l2=1.1, T=2.0, d=1.0)
    theta, phi, dtheta, dphi, force_1, force_2 = 3.9, 4.3, 0.7, -1.2, -5.0, 12.0
    s12, c12, s1, c1 = math.sin(theta - phi), math.cos(theta - phi), math.sin(theta), math.cos(theta)
    K = -s1 * force_1 - c1 * force_2 + G * s1 * (p.m1 + p.m2)
    F = math.cos(phi) * force_2 + math.sin(phi) * force_1 - p.m2 * G * math.sin(phi)
    top = p.T - p.l1 * p.l2 * p.m2 * s12 * dphi**2 - p.l1 * K - p.l1 * c12 * (p.m2 * p.l1 * s12 * dtheta**2 + F)
    expected = top / (p.l1**2 * (p.m1 + p.m2 * s12**2))
    found = p.accelerations(np.array([theta, phi, dtheta, dphi]), force_2, force_1)[0]
    assert found == pytest.approx(expected, rel=1e-12)


# ------------------------------------------------------------------------------------------- Lancioni et al.


@pytest.mark.parametrize("length", [1.0, 0.7])
def test_a_of_the_wiper_has_the_square_of_the_length(length: float) -> None:
    """A = m/[l^2 m1 (m2 + m1 cos^2)], m = l^2 (m1 cos^2 + m2 sin^2 -+ mu m2 sin cos); slip > 0 takes the lower sign."""
    system = jounce.compile_model(jounce.systems.wiper())
    m1, m2, mu = 0.15, 1.2, 0.45
    for phi in (-0.6, 0.2, 0.9):
        s, c = math.sin(phi), math.cos(phi)
        for slip in (1, -1):
            ours = painleve.coefficients(
                system, system.state(phi=phi, y=length * c), slip=slip, l=length, m1=m1, m2=m2, mu=mu
            )
            m = length**2 * (m1 * c**2 + m2 * s**2 - slip * mu * m2 * s * c)
            assert pytest.approx(m / (length**2 * m1 * (m2 + m1 * c**2)), rel=1e-12) == ours.A


def test_impact_while_the_belt_runs_back() -> None:
    """(25) for slip < 0 has H = (G21 - mu G22)/(G11 - mu G12): the ratio of the velocity jumps of an impact in slip."""
    reference = WiperReference(mu=0.3, e=0.5, phi0=0.3)
    phi, mu = 0.3, 0.3
    s, c = math.sin(phi), math.cos(phi)
    M = np.array([[0.1, 0.1 * s], [0.1 * s, 1.1]])
    F = np.array([[s, c], [1.0, 0.0]])
    g = F.T @ np.linalg.solve(M, F)
    for v_t, sign in ((-6.0, -1.0), (6.0, 1.0)):
        v_n, after = reference.impact(phi, -0.5, v_t)
        assert after * v_t > 0
        ratio = (after - v_t) / (v_n + 0.5)
        assert ratio == pytest.approx((g[1, 0] - sign * mu * g[1, 1]) / (g[0, 0] - sign * mu * g[0, 1]), rel=1e-12)
        ours = jounce.impact("poisson_two_phase", g[1, 1], g[0, 1], g[0, 0], v_t, -0.5, mu, 0.5)
        assert (ours.v_n, ours.v_t) == pytest.approx((v_n, after), rel=1e-12)

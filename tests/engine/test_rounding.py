"""Where a force or a gap is smaller than its rounding: nothing may repeat, crawl or end there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from tests.references import ball

GRAVITY = 9.81


@pytest.fixture(scope="module")
def wiper():
    """The windscreen wiper."""
    return jounce.compile_model(jounce.systems.wiper())


def test_a_gap_that_opens_below_its_rounding_stays_open(wiper):
    """Stick, slip for 4 ns, release with g" of 1e-7 m/s^2: it takes 40 us until the gap is larger than its rounding."""
    start = wiper.state(
        phi=0.35546348031961145, y=0.9411096431216899, d_phi=0.4302112809239516, d_y=0.05881571027681451
    )
    options = jounce.Options(law="poisson_two_phase", tolerance=1e-12, max_events=1000)
    run = jounce.simulate(wiper, start, 3.0, options=options, mu=0.6468090825639174, e=0.0)
    assert run.status.name == "FINISHED"
    assert run.events.kind.value_counts().to_dict() == {"impact": 15, "slip": 15, "lift_off": 15}
    # it is a periodic motion: equal stages follow at equal times
    for kind in ("impact", "slip", "lift_off"):
        times = run.events.t[run.events.kind == kind].to_numpy()
        assert np.ptp(np.diff(times)) < 1e-8


def test_a_force_below_the_resolution_of_its_terms_does_not_stop_the_clock(wiper):
    """lambda_N is 1e-4 N, a difference of forces of 10 N: no shorter piece resolves its last digits."""
    x = 0.4780078125
    start = wiper.state(phi=x - 0.05, y=math.cos(x - 0.05) + 0.05)
    given = {"mu": 0.4, "e": 0.2, "phi0": x, "v_belt": 0.0, "v_amplitude": 1.0}
    ends = []
    for tolerance in (1e-12, 1e-11):
        options = jounce.Options(law="poisson_two_phase", tolerance=tolerance)
        run = jounce.simulate(wiper, start, 6.5, options=options, **given)
        assert run.status.name == "FINISHED"
        assert len(run.data.step_t) < 1000  # 369: one piece a step; there were pieces of a thousandth
        ends.append(np.array([*run.final.q, *run.final.u]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def test_a_cone_that_is_met_a_moment_early_is_no_paradox(wiper):
    """Stick ends 0.4 ns before the force leaves its cone: slip, stick, slip follow; each must be allowed again."""
    given = {
        "m1": 0.15661141923183677, "m2": 1.2642414554871213, "l": 1.0421957478962507, "g": 12.220320470047996,
        "k_y": 124.23001449643469, "c_y": 9.881389113474897, "k_phi": 111.98850053258838, "c_phi": 0.0,
        "phi0": 0.4080570412050263, "y0": 0.8478449054402364, "mu": 0.8271533471377643, "e": 0.3602064499353078,
        "v_belt": -0.6821992793724837, "v_amplitude": 0.0, "v_period": 3.527319268443112,
    }  # fmt: skip
    start = wiper.state(
        phi=0.48826964091759445, y=1.0891995897431792, d_phi=0.8811460110318009, d_y=-0.0021129533052851807
    )
    finals = []
    for tolerance in (1.7757032445542963e-09, 1e-10):
        options = jounce.Options(law="poisson_two_phase", tolerance=tolerance)
        run = jounce.simulate(wiper, start, 1.5, options=options, **given)
        assert run.status.name == "FINISHED"
        assert "paradox" not in set(run.events.kind)
        finals.append(np.array([*run.final.q, *run.final.u]))
    assert np.abs(finals[0] - finals[1]).max() < 1e-6


@pytest.mark.parametrize(("theta", "rate"), [(0.6, 1.0), (0.62, 1.0), (0.65, 1.05), (0.6, 1.1)])
def test_the_singular_point_of_sliding_is_left_once(theta, rate):
    """The manipulator slides into A = B = 0 (Génot & Brogliato 1999): a few rows tell it, not a hundred."""
    system = jounce.compile_model(jounce.systems.manipulator())
    guess = system.state(theta1=theta, theta2=0.57, d_theta1=rate)
    start = jounce.painleve.closed_state(system, guess, solve_for="theta2", v_t=-1.0)
    run = jounce.simulate(system, start, 0.5, v_t=-1.0, mu=0.5, mu_s=0.8, e=0.5)
    assert run.status.name == "FINISHED"
    kinds = run.events.kind.value_counts().to_dict()
    assert kinds["paradox"] == 1
    assert "grazing" not in kinds
    impacts = run.events[run.events.kind == "impact"]
    assert (impacts.v_n_before <= 0.0).all()


@pytest.mark.parametrize("omega", [2.0, 3.0, 5.0, 7.0])
@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_a_table_that_just_reaches_gravity_throws_nothing(omega, e):
    """A omega^2 = g: lambda_N = m g (1 - sin) touches zero once a period, and the ball rides on."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    A = GRAVITY / omega**2
    run = jounce.simulate(system, system.state(y=1e-3), 30.0, A=A, omega=omega, e=e, g=GRAVITY)
    assert run.status.name == "FINISHED"
    assert set(run.events.kind) <= {"impact", "chatter"}
    t, y = run.final.t, run.final["y"]
    assert y == pytest.approx(A * math.sin(omega * t), abs=1e-12)


def test_impacts_at_the_critical_table_against_40_digits():
    """The gap's curvature reaches zero from below: the upper parabola of the flight is nearly a straight line."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    given = {"A": GRAVITY / 49.0, "omega": 7.0, "e": 0.8, "g": GRAVITY}
    run = jounce.simulate(system, system.state(y=1e-3), 2.6, **given)
    exact = ball.table_impacts(20, **given, y=1e-3, v=0.0, t=0.0)
    times = run.events.t[run.events.kind == "impact"].to_numpy()[:20]
    assert np.abs(times - [float(impact.t) for impact in exact]).max() < 1e-9

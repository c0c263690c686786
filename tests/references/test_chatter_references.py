"""The references of accumulating impacts, and the loops of the benchmarks that know them, against each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from benchmarks import closed_form
from tests.references import ball, chatter, rod, sliding
from tests.references.arithmetic import mp

TINY = mp.mpf(10) ** -35


def test_chatter_on_a_fixed_table_is_the_closed_form():
    end = chatter.table_chatter(A=0, omega=1, e=0.9, y=1, v=0)
    assert abs(end.t - ball.accumulation_time(1, 0.9)) < TINY


@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_chatter_with_friction_on_a_fixed_plane(tilt):
    """Friction acts through the normal impulse, which is m times the fall's speed plus gravity's over the chatter."""
    e, mu, height, speed = mp.mpf(0.6), mp.mpf(0.15), 1, mp.mpf(4)
    end = chatter.table_chatter(A=0, omega=1, e=e, y=height, v=0, mu=mu, v_x=speed, tilt=tilt)
    down, along = mp.mpf(9.81) * mp.cos(tilt), mp.mpf(9.81) * mp.sin(tilt)
    total = mp.sqrt(2 * height / down) * (1 + e) / (1 - e)
    assert abs(end.t - total) < TINY
    assert end.v_x > 0
    assert abs(end.v_x - (speed + (along - mu * down) * total)) < TINY


def test_chatter_on_a_moving_table_meets_its_own_impacts():
    settings = {"A": 0.5, "omega": 3, "e": 0.5, "y": 0.5, "v": 0}
    end = chatter.table_chatter(**settings)
    impacts = ball.table_impacts(60, **settings)
    left = [end.t - impact.t for impact in impacts[25:40]]
    assert all(value > 0 for value in left)
    ratios = [b / a for a, b in itertools.pairwise(left)]
    assert float(ratios[-1]) == pytest.approx(0.5, abs=1e-8)


@pytest.mark.parametrize("mu", [0, 0.2])
def test_double_chatter_stops_both_ends_below_the_critical_restitution(mu):
    """a_(n+1) = (1 + e) a_n/2 - e a_(n-1): the ratio of approach speeds tends to the larger root."""
    e = 0.05
    body = rod.Rod(A=0, e=e, mu=mu)
    end = chatter.rod_chatter(body, (0, 0.5, 0.01), (1, 0, 0))
    assert end.ends == ("P1", "P2")
    assert abs(end.q[1]) < 1e-24
    assert abs(end.q[2]) < 1e-24
    mirrored = chatter.rod_chatter(body, (0, 0.5, -0.01), (-1, 0, 0))
    assert abs(mirrored.t - end.t) < 1e-24
    assert abs(mirrored.u[0] + end.u[0]) < 1e-24
    spent = body.energy((0, mp.mpf(0.5), 0), (mp.mpf(1), 0, 0)) - end.u[0] ** 2 / 2
    assert abs(end.energy_loss - spent) < 1e-24
    if mu == 0:
        assert end.u[0] == 1
        speeds = [-impact.v_before[1] for impact in rod.rod_impacts(body, 24, (0, 0.5, 0.01), (1, 0, 0))]
        larger = ((1 + e) / 2 + math.sqrt((1 + e) ** 2 / 4 - 4 * e)) / 2
        assert float(speeds[-1] / speeds[-2]) == pytest.approx(larger, abs=1e-4)


def test_chatter_of_one_end_above_the_critical_restitution():
    body = rod.Rod(A=0, e=0.5, mu=0.1)
    end = chatter.rod_chatter(body, (0, 0.5, 0.03), (1, 0, 0))
    assert end.ends == ("P2",)
    assert body.gap("P1", end.t, end.q, end.u)[0] > 1e-4
    assert abs(body.gap("P2", end.t, end.q, end.u)[1]) < 1e-24


def test_swing_by_quadrature_is_the_frictionless_slide():
    body = rod.Rod(A=0, e=0.5)
    start = chatter.rod_chatter(body, (0, 0.5, 0.05), (1, 0, 0))
    assert start.ends == ("P1",)
    duration, q, u = chatter._swing(body, start)
    x, _, theta = (float(value) for value in start.q)
    end = sliding.rod_slide(sliding.SlidingRod(A=0.0, mu=0.0), 0.0, x, theta, float(start.u[0]), float(start.u[2]))
    assert end.kind == "landing"
    np.testing.assert_allclose([end.t, *end.q, *end.u], [float(v) for v in (duration, *q, *u)], atol=1e-12)


def test_rod_settles_through_a_cascade_of_single_chatters():
    body = rod.Rod(A=0, e=0.5)
    rest = chatter.rod_settle(body, (0, 0.5, 0.01), (1, 0, 0))
    mirrored = chatter.rod_settle(body, (0, 0.5, -0.01), (-1, 0, 0))
    assert rest.single_chatters > 5
    assert abs(rest.t - mirrored.t) < 1e-14
    assert abs(rest.x + mirrored.x) < 1e-14
    assert rest.v_x == 1
    # the first single chatter alone comes before, and the fall from 0.5 m before that
    assert rest.t > chatter.rod_chatter(body, (0, 0.5, 0.01), (1, 0, 0)).t > mp.sqrt(1 / mp.mpf(9.81))


def test_hand_written_ball_through_chatter_rest_and_lift_off():
    """The loop that judges the peers of the benchmark: chatter, rest, release, the next flight."""
    A, omega, e = 1.0, 4.0, 0.3
    t0, y0, v0 = 0.9, 0.2, 0.0
    stop = chatter.table_chatter(A=A, omega=omega, e=e, t=t0, y=y0, v=v0)
    release = ball.table_lift_off(A=A, omega=omega, after=stop.t)
    assert release.t_release - stop.t > 0.05
    middle = (release.t_release + release.t_landing) / 2
    s, g = mp.mpf(float(middle)) - release.t_release, mp.mpf(9.81)
    result = closed_form.ball_on_table(t0, y0, v0, A, omega, e, 9.81, float(middle), 10**6)
    assert result[4] == 1
    assert result[1] == pytest.approx(float(release.y_release + s * (release.v_release - g * s / 2)), abs=1e-12)
    assert result[2] == pytest.approx(float(release.v_release - g * s), abs=1e-12)
    after = closed_form.ball_on_table(t0, y0, v0, A, omega, e, 9.81, 1e9, result[3] + 1)
    assert after[0] == pytest.approx(float(release.t_landing), abs=1e-5)  # 1e9 - left keeps seven digits


@pytest.mark.parametrize("spin", [0.0, 20.0])
def test_hand_written_rod_against_40_digits(spin):
    body = rod.Rod(omega=4.405, mu=0.05, e=0.9)
    impacts = rod.rod_impacts(body, 8, (0, 6, 0.3), (0.5, 0, spin))
    t_end = float(impacts[-1].t) - 1e-3
    q, u = rod.rod_state(body, t_end, impacts[:-1])
    z = np.array([0.0, 6.0, 0.3, 0.5, 0.0, spin])
    _, count, status = closed_form.slender_rod(0.0, z, 1.0, 4.405, 0.05, 0.9, 9.81, 1.0, 1.0, t_end, 10**6)
    assert (count, status) == (len([i for i in impacts if i.t < t_end]), closed_form.FINISHED)
    np.testing.assert_allclose(z, [float(v) for v in (*q, *u)], atol=1e-9)

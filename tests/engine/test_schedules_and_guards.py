"""Parameters that change on the way, and guards of one's own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce.system import System
from tests.engine.models import rubbing_mass, watched_ball
from tests.engine.support import of_kind, simulate, unexplained

G = 9.81


@cache
def ball() -> System:
    return jounce.compile_model(watched_ball())


@cache
def mass() -> System:
    return jounce.compile_model(rubbing_mass())


def test_gravity_changes_in_flight():
    """Free fall with g, then with g/2: the impact in closed form."""
    run = simulate("bouncing_ball", 1.0, {"y": 1.0}, e=0.5, schedule=[(0.2, {"g": G / 2})])
    y, v = 1 - G * 0.02, -0.2 * G
    landing = 0.2 + (v + np.sqrt(v * v + G * y)) / (G / 2)
    assert of_kind(run, "impact")["t"].iloc[0] == pytest.approx(landing, abs=1e-12)
    assert of_kind(run, "schedule")["t"].tolist() == [0.2]
    assert unexplained(run) < 1e-8


def test_friction_changes_during_a_slide():
    """x' = 3 - mu g t with mu = 0.1 until t = 1, then 0.3: it stops in closed form."""
    run = simulate(mass(), 3.0, {"y": 0.0, "d_x": 3.0}, mu=0.1, schedule=[(1.0, {"mu": 0.3})])
    stop = 1.0 + (3.0 - 0.1 * G) / (0.3 * G)
    stick = of_kind(run, "stick").iloc[0]
    assert stick["t"] == pytest.approx(stop, abs=1e-10)
    assert unexplained(run) < 1e-8


def test_a_schedule_can_release_a_stuck_mass():
    """The plane is tilted at t = 1 beyond its friction: the mass slides from then on."""
    run = simulate(mass(), 2.0, {"y": 0.0}, mu=0.2, schedule=[(1.0, {"tilt": 0.5})])
    acceleration = G * (np.sin(0.5) - 0.2 * np.cos(0.5))
    assert run.at(1.0)["d_x"] == pytest.approx(0.0, abs=1e-14)
    assert run.final["x"] == pytest.approx(acceleration / 2, rel=1e-9)


def test_a_schedule_can_drop_the_floor():
    """The table's amplitude jumps to zero under a riding ball: it falls onto the lower table."""
    t0, A, omega = 0.2, 0.3, 5.0
    start, schedule = {"y": 0.0, "d_y": A * omega}, [(t0, {"A": 0.0})]
    run = simulate("ball_on_table", 2.0, start, A=A, omega=omega, e=0.0, schedule=schedule)
    y, v = A * np.sin(omega * t0), A * omega * np.cos(omega * t0)
    landing = t0 + (v + np.sqrt(v * v + 2 * G * y)) / G
    assert of_kind(run, "impact")["t"].iloc[-1] == pytest.approx(landing, abs=1e-10)


def test_several_changes_at_one_time_are_one_event():
    run = simulate("bouncing_ball", 0.3, {"y": 1.0}, schedule=[(0.1, {"g": 5.0}), (0.1, {"e": 0.3}), (0.2, {"g": 1.0})])
    assert of_kind(run, "schedule")["t"].tolist() == [0.1, 0.2]


def test_a_schedule_before_the_start_is_in_force():
    run = simulate("bouncing_ball", 0.3, {"y": 1.0}, schedule=[(0.0, {"g": 2.0})])
    assert run.final["d_y"] == pytest.approx(-0.6, abs=1e-12)


def test_a_schedule_beyond_the_end_does_nothing():
    run = simulate("bouncing_ball", 0.3, {"y": 1.0}, schedule=[(5.0, {"g": 2.0})])
    assert run.final["d_y"] == pytest.approx(-0.3 * G, abs=1e-12)
    assert run.status.name == "FINISHED"


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ([(0.1, {"gravity": 1.0})], "unknown parameter 'gravity'"),
        ([(np.nan, {"g": 1.0})], "finite"),
        ([(0.1, {"g": np.inf})], "finite"),
    ],
)
def test_bad_schedules(schedule, message):
    with pytest.raises(jounce.SimulationError, match=message):
        simulate("bouncing_ball", 1.0, {"y": 1.0}, schedule=schedule)


def passages(count):
    """Times at which a ball dropped from 1 m with e = 0.8 passes 0.5 m, in turn down and up."""
    first = np.sqrt(2 / G)
    times = [np.sqrt(1 / G)]
    landing, speed = first, 0.8 * np.sqrt(2 * G)
    while len(times) < count:
        root = np.sqrt(speed**2 - G)
        times += [landing + (speed - root) / G, landing + (speed + root) / G]
        landing, speed = landing + 2 * speed / G, 0.8 * speed
    return times[:count]


def test_guards_are_reported_with_their_times():
    """Apexes and passages of a bouncing ball in closed form, to 1e-11; the run goes on."""
    run = simulate(ball(), 1.2, {"y": 1.0})
    times = of_kind(run, "user")["t"].to_numpy()
    first = np.sqrt(2 / G)
    apex = first + 0.8 * first
    expected = np.sort([*passages(3), apex])
    np.testing.assert_allclose(times[times > 1e-9], expected, rtol=0, atol=1e-11)
    assert run.status.name == "FINISHED"


def test_a_user_event_is_no_contact_event():
    """A guard's row names no contact: it belongs to none."""
    run = simulate(ball(), 1.2, {"y": 1.0})
    rows = of_kind(run, "user")
    assert len(rows)
    assert not rows["contact"].isin(["floor"]).any()
    assert rows[["mode_before", "mode_after", "v_n_before", "law", "p_n"]].isna().all().all()


@pytest.mark.parametrize(("direction", "which"), [(0, 0), (-1, 0), (1, 1)])
def test_a_run_stops_at_a_guard_in_its_direction(direction, which):
    """+1 increasing, -1 decreasing, 0 both."""
    run = simulate(ball(), 5.0, {"y": 1.0}, stop_at={"passing": direction})
    assert run.status.name == "STOPPED"
    assert "passing" in run.status.message
    assert run.t_end == pytest.approx(passages(3)[which], abs=1e-11)
    assert run.final["y"] == pytest.approx(0.5, abs=1e-11)
    assert run.status.ok


def test_stop_at_by_name_means_both_directions():
    run = simulate(ball(), 5.0, {"y": 1.0}, stop_at="passing")
    assert run.t_end == pytest.approx(passages(1)[0], abs=1e-11)


def test_a_run_continues_after_a_stop():
    """From the guard's own zero: the next passage is the other one, not the same again."""
    system = ball()
    first = jounce.simulate(system, system.state(y=1.0), 5.0, stop_at="passing")
    second = jounce.simulate(system, first.final, 5.0, stop_at="passing")
    assert second.t_end == pytest.approx(passages(2)[1], abs=1e-10)


@pytest.mark.parametrize(
    ("stop_at", "message"), [("bottom", "unknown guard 'bottom'"), ({"apex": 2}, "must be -1, 0 or 1")]
)
def test_bad_stops(stop_at, message):
    with pytest.raises(jounce.SimulationError, match=message):
        simulate(ball(), 1.0, {"y": 1.0}, stop_at=stop_at)

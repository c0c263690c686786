"""The interpolant and what ``at`` makes of it."""

from __future__ import annotations

import numpy as np
import pytest

from jounce import SimulationError
from jounce.simulation.dense_output import interpolate
from tests.trajectory.handmade import GRAVITY, BallRun, sliding_block


@pytest.mark.parametrize("m", [4, 7])
def test_nested_form_against_its_definition(m):
    rng = np.random.default_rng(1)
    coefficients = rng.normal(size=(20, 1 + m, 6))
    x = rng.uniform(0, 1, 20)

    def nested(row, k, x):
        """F_k + w (F_{k+1} + ...) with w = 1-x after odd k and x after even k."""
        if k == m:
            return row[m]
        return row[k] + ((1 - x) if k % 2 else x) * nested(row, k + 1, x)

    expected = [row[0] + value * nested(row, 1, value) for row, value in zip(coefficients, x, strict=True)]
    np.testing.assert_allclose(interpolate(coefficients, x), expected, rtol=1e-14, atol=1e-14)


def test_start_value_is_exact():
    coefficients = np.random.default_rng(2).normal(size=(3, 5, 4))
    np.testing.assert_array_equal(interpolate(coefficients, np.zeros(3)), coefficients[:, 0])


def test_first_flight_is_the_parabola():
    run = BallRun().trajectory()
    first_impact = BallRun().sides[0][0]
    for t in np.linspace(0, first_impact, 17, endpoint=False):
        state = run.at(t)
        assert state["y"] == pytest.approx(1 - GRAVITY * t * t / 2, abs=1e-14)
        assert state["d_y"] == pytest.approx(-GRAVITY * t, abs=1e-14)
        assert state.t == t


def test_both_sides_of_every_jump():
    made = BallRun()
    run = made.trajectory()
    for t, y, before, after in made.sides:
        left, right = run.at(t, side="left"), run.at(t, side="right")
        assert left["y"] == pytest.approx(y, abs=1e-14)
        assert right["y"] == pytest.approx(y, abs=1e-14)
        assert left["d_y"] == pytest.approx(before, abs=1e-13)
        assert right["d_y"] == after
        assert run.at(t)["d_y"] == after, "the right side is the default"


def test_where_nothing_jumps_the_sides_agree():
    made = BallRun()
    run = made.trajectory()
    boundary = made.t[1]  # a step boundary in mid-flight
    np.testing.assert_allclose(run.at(boundary, side="left").u, run.at(boundary).u, atol=1e-14)


def test_ends():
    made = BallRun()
    run = made.trajectory()
    assert run.at(run.t_start) == run.start
    assert run.at(run.t_start, side="left") == run.start
    assert run.at(run.t_end) == run.final
    assert run.at(run.t_end, side="left")["d_y"] == pytest.approx(made.v_end, abs=1e-13)


def test_an_event_at_the_very_end_has_two_sides():
    run = BallRun().trajectory(u_final=np.array([7.0]))
    assert run.at(run.t_end)["d_y"] == 7.0
    assert run.at(run.t_end, side="left")["d_y"] == pytest.approx(BallRun().v_end, abs=1e-13)


def test_a_step_cut_short_keeps_its_length():
    """An event may end a step early: the step stays valid up to the next one, with its own h."""
    made = BallRun()
    whole = made.trajectory()
    cut = [k for k in range(len(made.t)) if k % 2 == 0]  # drop the second half of every flight
    merged_h = [made.h[k] + made.h[k + 1] for k in cut]
    coefficients = made.data().step_coefficients.copy()
    for k, h in zip(cut, merged_h, strict=True):
        stretch = 2.0 * h  # the integrator wanted twice the flight
        _, v = coefficients[k, 0]
        c = GRAVITY * stretch**2 / 2
        coefficients[k, 1:3] = [(stretch * v - c, -GRAVITY * stretch), (c, 0.0)]
    events = made.data().event_int.copy()
    events[:, 6] //= 2
    run = made.trajectory(
        step_t=np.array(made.t)[cut],
        step_h=2.0 * np.array(merged_h),
        step_mode=np.zeros(len(cut), dtype=np.int64),
        step_coefficients=coefficients[cut],
        step_work=np.array(made.work)[[*cut, -1]],
        event_int=events,
    )
    times = np.linspace(0, run.t_end, 101)
    for side in ("left", "right"):
        np.testing.assert_allclose(run.states(times, side), whole.states(times, side), atol=1e-13)
    assert np.abs(run.energy["residual"]).max() < 1e-13


def test_extrapolated_chatter_leaves_a_straight_line():
    """Where no step covers a time (a chatter finished by extrapolation) both sides are joined by a line."""
    made = BallRun()
    hole = (made.t[2], made.t[2] + 0.01)
    step_t = np.array(made.t)
    step_t[2:] += 0.01
    run = made.trajectory(step_t=step_t, t_end_reached=made.t_end + 0.01)
    before, after = run.at(hole[0] - 1e-12), run.at(hole[1])
    middle = run.at(hole[0] + 0.005)
    np.testing.assert_allclose(middle.q, (before.q + after.q) / 2, atol=1e-9)
    np.testing.assert_allclose(middle.u, (before.u + after.u) / 2, atol=1e-9)


@pytest.mark.parametrize("t", [-1e-9, 1e9, np.nan])
def test_outside_the_run(t):
    with pytest.raises(SimulationError, match="outside this run"):
        BallRun().trajectory().at(t)


def test_wrong_side():
    with pytest.raises(SimulationError, match="'left' or 'right'"):
        BallRun().trajectory().at(0.1, side="both")  # type: ignore[arg-type]


def test_modes_and_their_sides():
    run = sliding_block()
    t_stick = run.data.step_t[1]
    assert run.modes(0.1).values.tolist() == [["SLIP+", "OPEN"]]
    assert run.modes(t_stick, side="left").values.tolist() == [["SLIP+", "OPEN"]]
    assert run.modes([t_stick, run.t_end]).values.tolist() == [["STICK", "OPEN"]] * 2
    assert [(str(mode), end) for _, end, mode in run.mode_intervals("floor")] == [
        ("SLIP+", t_stick),
        ("STICK", run.t_end),
    ]
    with pytest.raises(SimulationError, match="contacts: floor, stop"):
        run.mode_intervals("flor")

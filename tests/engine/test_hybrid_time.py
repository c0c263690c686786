"""Both sides of every jump, the event table, what is kept, files, and the same run twice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import jounce
from jounce.kernels.records.recording import EVENT_CAPACITY, STEP_CAPACITY
from tests.engine.models import rubbing_mass
from tests.engine.support import of_kind, ready_made, simulate

COLUMNS = [
    "t", "kind", "contact", "mode_before", "mode_after", "v_n_before", "v_n_after",
    "v_t_before", "v_t_after", "p_n", "p_t", "law", "region", "energy_loss", "guard", "reset", "face",
]  # fmt: skip


@pytest.fixture(scope="module")
def rod_run():
    return simulate("slender_rod", 20.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8)


def contact_velocities(run, name, state):
    """(gamma_N, gamma_T) of one end of the rod, from its definition."""
    side = {"P1": -1, "P2": 1}[name]
    p = run.parameters
    _, _, theta = state.q
    d_x, d_y, d_theta = state.u
    normal = d_y + side * np.cos(theta) * d_theta - p["A"] * p["omega"] * np.cos(p["omega"] * state.t)
    return normal, d_x - side * np.sin(theta) * d_theta


def test_the_columns_are_those_promised(rod_run):
    assert list(rod_run.events.columns) == COLUMNS
    assert rod_run.events["t"].is_monotonic_increasing
    assert set(rod_run.events["law"].dropna()) == {"energetic"}


def test_both_sides_of_every_impact_are_kept(rod_run):
    """The state left and right of a jump gives the velocities of the event table, to 1e-9; positions do not jump."""
    impacts = of_kind(rod_run, "impact")
    alone = impacts[~impacts["t"].duplicated(keep=False)]
    assert len(alone) > 10
    for row in alone.itertuples():
        left, right = rod_run.at(row.t, "left"), rod_run.at(row.t, "right")
        np.testing.assert_allclose(left.q, right.q, rtol=0, atol=1e-10)
        v_n, v_t = contact_velocities(rod_run, row.contact, left)
        assert v_n == pytest.approx(row.v_n_before, abs=1e-9)
        assert v_t == pytest.approx(row.v_t_before, abs=1e-9)
        v_n, v_t = contact_velocities(rod_run, row.contact, right)
        assert v_n == pytest.approx(row.v_n_after, abs=1e-9)
        assert v_t == pytest.approx(row.v_t_after, abs=1e-9)
        assert row.v_n_before < 0 < row.v_n_after


def test_an_impact_changes_momentum_by_its_impulse(rod_run):
    """m (u+ - u-) = W_N p_n + W_T p_t for the rod, to 1e-9."""
    impacts = of_kind(rod_run, "impact")
    for row in impacts[~impacts["t"].duplicated(keep=False)].itertuples():
        left, right = rod_run.at(row.t, "left"), rod_run.at(row.t, "right")
        side, theta = {"P1": -1, "P2": 1}[row.contact], left["theta"]
        turning = 3 * side * (np.cos(theta) * row.p_n - np.sin(theta) * row.p_t)
        np.testing.assert_allclose(right.u - left.u, [row.p_t, row.p_n, turning], rtol=0, atol=1e-8)
        assert abs(row.p_t) <= 0.05 * row.p_n * (1 + 1e-12)


def test_the_default_side_is_the_right_one(rod_run):
    t = of_kind(rod_run, "impact")["t"].iloc[0]
    assert rod_run.at(t) == rod_run.at(t, "right")
    assert rod_run.at(t) != rod_run.at(t, "left")


def test_the_ends_of_a_run(rod_run):
    assert rod_run.at(0.0).as_dict() == rod_run.start.as_dict()  # of the start nobody knew the modes
    assert rod_run.at(20.0) == rod_run.final
    with pytest.raises(jounce.SimulationError, match="outside this run"):
        rod_run.at(20.1)
    with pytest.raises(jounce.SimulationError, match="left"):
        rod_run.at(1.0, "middle")


def test_a_mode_lasts_from_one_event_to_the_next():
    """mode_before of an event is the mode just before it, mode_after the mode just after."""
    run = simulate("belt_oscillator", 20.0, {"x": 0.0, "d_x": 0.2})
    events = of_kind(run, "stick", "slip", "reversal")
    assert len(events) > 5
    for row in events.itertuples():
        assert run.modes([row.t], "left").item() == row.mode_before
        assert run.modes([row.t], "right").item() == row.mode_after


@pytest.mark.parametrize("record", ["events", "nothing"])
def test_what_is_recorded_does_not_change_the_run(rod_run, record):
    """The same end to the last bit, whatever is kept."""
    options = jounce.Options(record=record)
    run = simulate("slender_rod", 20.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8, options=options)
    assert run.final == rod_run.final
    np.testing.assert_array_equal(run.data.total_impact_loss, rod_run.data.total_impact_loss)
    np.testing.assert_array_equal(run.data.step_work[-1], rod_run.data.step_work[-1])
    with pytest.raises(jounce.SimulationError, match="record='all'"):
        run.at(1.0)
    if record == "events":
        pd.testing.assert_frame_equal(run.events, rod_run.events)
    else:
        assert len(run.events) == 0
    energy = run.energy
    assert energy.sizes["time"] == 2
    assert float(energy["residual"][-1]) == pytest.approx(float(rod_run.energy["residual"][-1]), abs=1e-9)


def test_the_same_run_twice_is_the_same(rod_run):
    again = simulate("slender_rod", 20.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8)
    pd.testing.assert_frame_equal(again.events, rod_run.events)
    np.testing.assert_array_equal(again.data.step_coefficients, rod_run.data.step_coefficients)
    assert again.final == rod_run.final


def test_long_runs_fill_more_than_one_buffer():
    """More events and steps than the engine's buffers hold: none lost, times in order, dense to the end."""
    run = simulate("ball_on_table", 30_000.0, {"y": 2.0}, A=1.0, omega=5.0, e=0.8)
    assert len(run.events) > EVENT_CAPACITY
    assert len(run.data.step_t) > STEP_CAPACITY
    assert (np.diff(run.events["t"]) >= 0).all()
    assert (np.diff(run.data.step_t) >= 0).all()
    t = np.linspace(0, 30_000, 100_001)
    gap = run.states(t)[:, 0] - np.sin(5.0 * t)
    assert gap.min() > -1e-8


def test_a_run_in_two_halves_is_the_whole(rod_run):
    """Stopped in flight and continued: the same impacts, to what 20 s of a chaotic rod leave of rounding."""
    system = ready_made("slender_rod")
    parameters = {"omega": 4.405, "mu": 0.05, "e": 0.8}
    first = jounce.simulate(system, system.state(y=6, theta=0.3), 3.0, **parameters)
    second = jounce.simulate(system, first.final, 6.0, **parameters)
    times = np.concatenate([first.events["t"], second.events["t"]])
    whole = rod_run.events["t"].to_numpy()
    np.testing.assert_allclose(times, whole[whole <= 6.0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("record", ["all", "events", "nothing"])
def test_a_run_comes_back_from_its_file(tmp_path, record):
    """A real run with friction, chatter and a schedule: saved, loaded, the same everywhere."""
    system = jounce.compile_model(rubbing_mass())
    options = jounce.Options(record=record)
    run = simulate(
        system, 3.0, {"y": 0.5, "d_x": 3.0}, A=0.1, omega=4.0, mu=0.05, options=options, schedule=[(2.0, {"mu": 0.3})]
    )
    run.save(tmp_path / "run.nc")
    back = jounce.load(tmp_path / "run.nc")
    pd.testing.assert_frame_equal(back.events, run.events)
    xr.testing.assert_identical(back.energy, run.energy)
    assert (back.final, back.status, back.options) == (run.final, run.status, run.options)
    if record == "all":
        t = np.linspace(0, 3, 301)
        xr.testing.assert_identical(back.dataset(t, "left"), run.dataset(t, "left"))
        xr.testing.assert_allclose(back.contact_forces(t[:-1]), run.contact_forces(t[:-1]))


def test_contact_forces_of_a_slide():
    """lambda_N = m (g + table's acceleration), lambda_T = -mu lambda_N sign(slip), from the closed form."""
    system = jounce.compile_model(rubbing_mass())
    run = simulate(system, 0.5, {"y": 0.0, "d_x": 3.0, "d_y": 0.4}, A=0.1, omega=4.0, mu=0.05)
    t = np.linspace(0.01, 0.49, 50)
    forces = run.contact_forces(t)
    normal = 9.81 - 0.1 * 16 * np.sin(4.0 * t)
    np.testing.assert_allclose(forces["lambda_N"].squeeze(), normal, rtol=0, atol=1e-9)
    np.testing.assert_allclose(forces["lambda_T"].squeeze(), -0.05 * normal, rtol=0, atol=1e-9)

"""The ledger of runs whose every joule is known."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.trajectory.handmade import GRAVITY, BallRun, sliding_block


def test_ledger_closes_with_impacts_on_moving_surfaces():
    made = BallRun()
    ledger = made.trajectory().energy
    assert np.abs(ledger["residual"]).max() < 1e-13
    assert float(ledger["impact_loss"][-1]) == pytest.approx(sum(made.losses), rel=1e-15)
    assert float(ledger["surface_work"][-1]) == pytest.approx(made.work[-1][2], rel=1e-15)
    assert float(ledger["kinetic"][-1]) == pytest.approx(made.mass * made.v_end**2 / 2, rel=1e-13)
    assert float(ledger["potential"][0]) == pytest.approx(made.mass * GRAVITY, rel=1e-15)


def test_both_sides_of_a_jump_are_rows():
    made = BallRun()
    ledger = made.trajectory().energy
    t, _, before, after = made.sides[0]
    rows = ledger.isel(time=np.flatnonzero(ledger["time"].values == t))
    assert rows["jump"].values.tolist() == [0, 1]
    np.testing.assert_allclose(rows["kinetic"], [made.mass * v**2 / 2 for v in (before, after)], rtol=1e-13)
    np.testing.assert_allclose(rows["impact_loss"], [0.0, made.losses[0]], atol=1e-14)
    np.testing.assert_allclose(rows["surface_work"], [0.0, made.work[2][2]], atol=1e-13)
    assert np.all(np.diff(ledger["time"]) >= 0)
    assert np.all(np.diff(ledger["jump"]) >= 0)


def test_friction_of_a_sliding_block():
    run = sliding_block(v=3.0)
    ledger = run.energy
    assert float(ledger["friction_loss"][-1]) == pytest.approx(4.5, rel=1e-14)
    assert np.abs(ledger["residual"]).max() < 1e-13
    assert float(ledger["impact_loss_by_contact"].sum()) == 0.0


def test_a_missing_joule_shows():
    made = BallRun()
    floats = np.array(made.floats)
    floats[1, 7] += 0.25
    ledger = made.trajectory(event_float=floats).energy
    assert float(ledger["residual"][-1]) == pytest.approx(0.25, abs=1e-12)


def test_losses_are_kept_by_contact():
    run = sliding_block()
    floats, ints = run.data.event_float.copy(), run.data.event_int.copy()
    ints[0, [0, 1, 4]] = (0, 1, 0)  # an impact of the second contact
    floats[0, 7] = 2.0
    from dataclasses import replace

    from jounce import Trajectory

    ledger = Trajectory(replace(run.data, event_float=floats, event_int=ints), run.model).energy
    np.testing.assert_array_equal(ledger["impact_loss_by_contact"][-1], [0.0, 2.0])
    assert float(ledger["impact_loss"][-1]) == 2.0


def test_a_scheduled_change_of_gravity_does_work():
    """Halving g at height y takes m g y / 2 out of the potential: that is work of whoever changed it."""
    made = BallRun()
    t = made.t[1]
    before, after = np.array([2.0, GRAVITY, 0.5]), np.array([2.0, GRAVITY / 2, 0.5])
    run = made.trajectory(schedule=[(0.0, before), (t, after)])
    y = run.at(t)["y"]
    ledger = run.energy
    at = int(np.flatnonzero(ledger["time"].values == t)[0])
    assert float(ledger["applied_work"][at]) == pytest.approx(-made.mass * GRAVITY / 2 * y, rel=1e-12)
    assert abs(float(ledger["residual"][at])) < 1e-12


def test_units():
    ledger = BallRun().trajectory().energy
    assert all(ledger[name].attrs["units"] == "J" for name in ledger.data_vars)


@pytest.mark.parametrize(
    ("length", "mass", "unit"), [("m", "kg", "J"), ("", "", "J"), ("mm", "kg", ""), ("m", "g", ""), ("um", "ug", "")]
)
def test_energies_are_joules_where_lengths_and_masses_are_in_si_units(length, mass, unit):
    y, dy = jounce.coordinate("y", length)
    m, turns = jounce.parameter("m", 1.0, mass), jounce.parameter("turns", 3.0, "rpm")
    model = jounce.Model.from_lagrangian(
        "falling", coordinates=[y], kinetic=m * dy**2 / 2, potential=0, forces={y: -m * turns}
    )
    run = jounce.simulate(model, {"y": 1.0}, 0.1)
    assert run.energy["kinetic"].attrs["units"] == run.energy["impact_loss_by_contact"].attrs["units"] == unit
    upper, lower = jounce.plot.plot_energy(run).axes[:2]
    wanted = " [J]" if unit else ""
    assert (upper.get_ylabel(), lower.get_ylabel()) == (f"energy{wanted}", f"residual{wanted}")

"""The tables: events, dataset, what a run without a record still knows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import jounce
from jounce import SimulationError
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode, describe_mode, mode_codes
from tests.trajectory.handmade import BallRun, sliding_block

COLUMNS = (
    "t kind contact mode_before mode_after v_n_before v_n_after v_t_before v_t_after p_n p_t law region energy_loss "
    "guard reset face"
)


def test_event_columns_are_those_promised():
    assert list(BallRun().trajectory().events.columns) == COLUMNS.split()


def test_impacts_by_name():
    made = BallRun()
    events = made.trajectory().events
    assert events["kind"].tolist() == ["impact"] * 3
    assert events["contact"].tolist() == ["floor"] * 3
    assert events["law"].tolist() == ["energetic"] * 3
    assert events["mode_after"].tolist() == ["OPEN"] * 3
    np.testing.assert_allclose(events["v_n_after"], -made.e * events["v_n_before"], rtol=1e-15)
    np.testing.assert_array_equal(events["energy_loss"], made.losses)


def test_what_has_no_meaning_is_nan():
    events = sliding_block().events
    assert events["kind"].tolist() == ["stick", "schedule"]
    assert events["mode_before"].tolist()[0] == "SLIP+"
    assert events.loc[0, ["p_n", "p_t", "law", "region", "energy_loss"]].isna().all()
    assert events.loc[1, ["contact", "mode_before", "mode_after", "v_n_before", "v_t_after", "law"]].isna().all()


def test_event_kinds_are_those_promised():
    names = "impact chatter lift_off stick slip reversal touch separate grazing paradox schedule user reset"
    assert [str(kind) for kind in EventKind] == names.split()
    assert [int(kind) for kind in EventKind] == list(range(13))


def test_kernel_codes_agree():
    """The kernels keep plain integers: they must mean the same."""
    from jounce.kernels.records import codes

    assert list(Mode) == [codes.OPEN, codes.SLIP_POSITIVE, codes.SLIP_NEGATIVE, codes.STICK, codes.PRESSED]
    kinds = (
        codes.IMPACT, codes.CHATTER, codes.LIFT_OFF, codes.STICK_BEGINS, codes.SLIP_BEGINS, codes.REVERSAL,
        codes.TOUCH, codes.SEPARATE, codes.GRAZING, codes.PARADOX, codes.SCHEDULE, codes.USER,
        codes.RESET_EVENT,
    )  # fmt: skip
    assert list(kinds) == list(EventKind)


def test_modes_print_as_words():
    assert [str(mode) for mode in Mode] == ["OPEN", "SLIP+", "SLIP-", "STICK", "PRESSED"]
    code = int(Mode.STICK) + 8 * int(Mode.OPEN) + 64 * int(Mode.SLIP_NEGATIVE)
    assert mode_codes(code, 3).tolist() == [Mode.STICK, Mode.OPEN, Mode.SLIP_NEGATIVE]
    assert describe_mode(code, ["a", "b", "c"]) == "a:STICK b:OPEN c:SLIP-"


def test_dataset_has_names_units_and_origin():
    run = sliding_block()
    data = run.dataset([0.0, 0.5, 1.0])
    assert {name: data[name].attrs["units"] for name in ("x", "y", "d_x", "d_y")} == {
        "x": "m",
        "y": "m",
        "d_x": "m/s",
        "d_y": "m/s",
    }
    assert data["time"].attrs["units"] == "s"
    assert json.loads(data.attrs["parameters"]) == run.parameters == {"m": 1.0, "g": 9.81, "mu": 0.4}
    assert data.attrs["model"] == "block"
    assert data.attrs["version"] == jounce.__version__
    assert data.attrs["status"] == run.status.name
    assert data["mode"].sel(contact="floor").values.tolist() == [Mode.SLIP_POSITIVE, Mode.SLIP_POSITIVE, Mode.STICK]
    assert float(data["x"].sel(time=0.5)) == run.at(0.5)["x"]


def test_dataset_goes_into_a_file(tmp_path):
    import xarray as xr

    data = BallRun().trajectory().dataset([0.0, 0.1, 0.2])
    data.to_netcdf(tmp_path / "samples.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "samples.nc", engine="h5netcdf") as back:
        np.testing.assert_array_equal(back["y"], data["y"])


@pytest.mark.parametrize("record", ["events", "nothing"])
def test_without_steps_the_ends_remain(record):
    made = BallRun()
    full = made.data()
    changes = {
        "record": record,
        "step_t": np.empty(0),
        "step_h": np.empty(0),
        "step_mode": np.empty(0, dtype=np.int64),
        "step_coefficients": np.empty((0, 5, 2)),
        "step_work": full.step_work[-1:],
    }
    if record == "nothing":
        changes |= {"event_float": np.empty((0, 8)), "event_int": np.empty((0, 8), dtype=np.int64)}
    run = made.trajectory(**changes)
    assert run.final["y"] == made.y_end
    assert len(run.events) == (3 if record == "events" else 0)
    assert list(run.events.columns) == COLUMNS.split()
    assert len(run.energy["time"]) == 2
    assert float(run.energy["impact_loss"][-1]) == pytest.approx(sum(made.losses), rel=1e-15)
    assert np.abs(run.energy["residual"]).max() < 1e-13
    with pytest.raises(SimulationError, match="record='all'"):
        run.at(0.1)


def test_repr_says_what_it_is():
    text = repr(BallRun().trajectory())
    assert "ball" in text
    assert "3 events" in text

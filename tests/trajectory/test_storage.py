"""Files: everything comes back, nothing foreign is believed, nothing half-written is left."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from contextlib import contextmanager

import h5netcdf
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import jounce
from jounce import StorageError, netcdf
from jounce.storage import FORMAT_VERSION
from tests.trajectory.handmade import BallRun, sliding_block


@contextmanager
def edited(path):
    """The file open for changes, with a checksum that fits them afterwards: as a stranger may write it."""
    path.write_bytes(path.read_bytes()[: -netcdf._SEAL_LENGTH])
    with h5netcdf.File(path, "a") as raw:
        yield raw
    content = path.read_bytes()
    path.write_bytes(content + netcdf._seal(hashlib.sha256(content)))


@pytest.fixture(params=["ball", "block"])
def run(request):
    return BallRun().trajectory() if request.param == "ball" else sliding_block()


@pytest.fixture
def file(tmp_path):
    BallRun().trajectory().save(tmp_path / "run.nc")
    return tmp_path / "run.nc"


def test_everything_comes_back(run, tmp_path):
    run.save(tmp_path / "run.nc")
    back = jounce.load(tmp_path / "run.nc")
    times = np.linspace(run.t_start, run.t_end, 50)
    for side in ("left", "right"):
        xr.testing.assert_identical(back.dataset(times, side), run.dataset(times, side))
    pd.testing.assert_frame_equal(back.events, run.events)
    xr.testing.assert_identical(back.energy, run.energy)
    assert back.final == run.final
    assert back.start == run.start
    assert back.parameters == run.parameters
    assert (back.status.name, back.status.message) == (run.status.name, run.status.message)
    assert back.options == run.options
    assert back.mode_intervals("floor") == run.mode_intervals("floor")
    assert len(back.data.schedule) == len(run.data.schedule)
    assert repr(back) == repr(run)


@pytest.mark.parametrize("record", ["events", "nothing"])
def test_a_run_without_steps(record, tmp_path):
    changes = {
        "record": record,
        "step_t": np.empty(0),
        "step_h": np.empty(0),
        "step_mode": np.empty(0, dtype=np.int64),
        "step_coefficients": np.empty((0, 5, 2)),
        "step_work": np.array(BallRun().work)[-1:],
    }
    if record == "nothing":
        changes |= {"event_float": np.empty((0, 8)), "event_int": np.empty((0, 8), dtype=np.int64)}
    run = BallRun().trajectory(**changes)
    run.save(tmp_path / "run.nc")
    back = jounce.load(tmp_path / "run.nc")
    xr.testing.assert_identical(back.energy, run.energy)
    pd.testing.assert_frame_equal(back.events, run.events)
    assert back.data.record == record


def test_reading_needs_no_compiler(file):
    code = (
        f"import sys, jounce; run = jounce.load({str(file)!r}); run.at(0.3); run.events; run.energy; "
        "run.dataset([0.1]); assert 'jounce.toolchain.compiler' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_loaded_run_has_its_model(file):
    model = jounce.load(file).model
    assert model.name == "ball"
    assert [contact.name for contact in model.contacts] == ["floor"]
    assert len(model.drawing) == 2


def test_other_programs_can_read_it(file):
    with xr.open_dataset(file, engine="h5netcdf") as data:
        assert data["step_t"].dims == ("step",)
        assert data.attrs["model"] == "ball"


def test_no_file(tmp_path):
    with pytest.raises(StorageError, match="no file"):
        jounce.load(tmp_path / "absent.nc")


def test_a_text_file(tmp_path):
    (tmp_path / "run.nc").write_text("t,y\n0,1\n")
    with pytest.raises(StorageError, match="not a result of Jounce"):
        jounce.load(tmp_path / "run.nc")


def test_a_foreign_netcdf_file(tmp_path):
    xr.Dataset({"a": ("x", [1.0])}).to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    with pytest.raises(StorageError, match="not a run of Jounce"):
        jounce.load(tmp_path / "run.nc")


def test_a_truncated_file(file):
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(StorageError, match="damaged"):
        jounce.load(file)


def test_a_flipped_bit_in_the_numbers(file):
    content = bytearray(file.read_bytes())
    number = BallRun().data().step_coefficients[0, 1].tobytes()
    assert content.count(number) == 1
    content[content.index(number)] ^= 1
    file.write_bytes(content)
    with pytest.raises(StorageError, match="damaged"):
        jounce.load(file)


def test_a_changed_model(file):
    with edited(file) as raw:
        raw.attrs["model_definition"] = raw.attrs["model_definition"].replace('"ball"', '"bell"')
    with pytest.raises(StorageError, match="hash"):
        jounce.load(file)


def test_code_in_the_model_is_not_run(file, tmp_path):
    with edited(file) as raw:
        evil = f'["exec", "open({str(tmp_path / "owned")!r}, \\"w\\")"]'
        raw.attrs["model_definition"] = raw.attrs["model_definition"].replace(
            '"potential": [', f'"potential": {evil}, "x": ['
        )
    with pytest.raises(StorageError):
        jounce.load(file)
    assert not (tmp_path / "owned").exists()


def test_a_newer_format(file):
    with edited(file) as raw:
        raw.attrs["format_version"] = FORMAT_VERSION + 1
    with pytest.raises(StorageError, match="upgrade"):
        jounce.load(file)


def test_an_older_format_has_no_modes(file):
    with edited(file) as raw:
        raw.attrs["format_version"] = 4
        del raw._h5file["step_order"]
        for name in ("mode_start", "order_start", "order_final", "modes_dropped"):
            del raw._h5file.attrs[name]
    run = jounce.load(file)
    assert run.final.mode_names == run.at(run.t_end, "left").mode_names == ()


@pytest.mark.parametrize("missing", ["step_h", "event_int"])
def test_a_missing_array(file, missing):
    with edited(file) as raw:
        del raw._h5file[missing]
    with pytest.raises(StorageError, match=missing):
        jounce.load(file)


def test_an_unwritable_place(run, tmp_path):
    with pytest.raises(StorageError, match="cannot be written"):
        run.save(tmp_path / "absent" / "run.nc")


def test_a_failed_save_leaves_the_old_file(run, tmp_path, monkeypatch):
    target = tmp_path / "run.nc"
    run.save(target)
    before = target.read_bytes()
    monkeypatch.setattr("jounce.storage._plain", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.save(target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target], "no temporary file is left"


def test_saving_replaces(run, tmp_path):
    target = tmp_path / "run.nc"
    target.write_text("old")
    run.save(target)
    assert jounce.load(target).final == run.final

"""Files of every format that was ever written are read, with the numbers that they were written with."""

from __future__ import annotations

from pathlib import Path

import h5netcdf
import numpy as np
import pytest

import jounce
from jounce.storage import FORMAT_VERSION
from tests.trajectory.handmade import GRAVITY, BallRun

FILES = Path(__file__).parent / "old_files"


@pytest.mark.parametrize("version", range(1, FORMAT_VERSION + 1))
def test_a_run_of_every_format(version: int) -> None:
    path = FILES / f"run_format_{version}.nc"
    with h5netcdf.File(path, "r") as file:
        assert file.attrs["format_version"] == version
    run, known = jounce.load(path), BallRun()
    assert run.status.name == "FINISHED"
    assert run.t_end == known.t_end
    assert (run.final["y"], run.final["d_y"]) == pytest.approx((known.y_end, known.v_end), abs=1e-14)
    for (t, y, before, after), loss in zip(known.sides, known.losses, strict=True):
        assert run.at(t, side="left")["d_y"] == pytest.approx(before, abs=1e-13)
        assert run.at(t)["d_y"] == pytest.approx(after, abs=1e-13)
        assert run.at(t)["y"] == pytest.approx(y, abs=1e-13)
        assert run.events.loc[np.isclose(run.events["t"], t), "energy_loss"].item() == pytest.approx(loss, rel=1e-14)
    half = known.sides[0][0] / 2
    assert run.at(half)["y"] == pytest.approx(1.0 - GRAVITY * half**2 / 2, abs=1e-13)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-13

"""Files of every format that was ever written are read, with the numbers that they were written with."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import h5netcdf
import numpy as np
import pytest

import jounce
from jounce.analysis.orbits import files as orbit_files
from jounce.analysis.stores import chunk_store
from jounce.storage import FORMAT_VERSION, WITHOUT_RESETS
from jounce.studio.catalogue import Catalogue
from jounce.studio.session import load_session, read_session
from tests.trajectory.handmade import GRAVITY, BallRun

FILES = Path(__file__).parent / "old_files"

#: Kind of result -> the formats of which a file is kept. Stores of format 1 were given up before any release; what
#: compliant contacts remember is in files since format 3. Runs with resets have a format of their own since 6. Basins
#: are stores as diagrams are, equilibria files as orbits are: kept are those since the release.
KINDS = {
    "run": range(1, WITHOUT_RESETS + 1),
    "compliant_run": range(3, WITHOUT_RESETS + 1),
    "reset_run": range(6, FORMAT_VERSION + 1),
    "orbit": range(1, orbit_files.FORMAT_VERSION + 1),
    "branch": range(1, orbit_files.FORMAT_VERSION + 1),
    "diagram": range(chunk_store.OLDEST_VERSION, chunk_store.FORMAT_VERSION + 1),
    "basins": range(5, chunk_store.FORMAT_VERSION + 1),
    "equilibrium": range(3, orbit_files.FORMAT_VERSION + 1),
}


@pytest.mark.parametrize("version", KINDS["run"])
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


def versions(kind: str) -> list[Path]:
    """The kept files of a kind, in the order of their formats."""
    return sorted(FILES.glob(f"{kind}_format_*"))


def test_no_format_is_missing() -> None:
    kept = {kind: [int(re.findall(r"_(\d+)\.", path.name)[0]) for path in versions(kind)] for kind in KINDS}
    assert kept == {kind: list(formats) for kind, formats in KINDS.items()}


@pytest.mark.parametrize("path", versions("orbit"), ids=lambda path: path.stem)
def test_an_orbit_of_every_format(path: Path) -> None:
    """One bounce a period, e = 0.9: multipliers of modulus e, the ball leaves the table with e g T/(1 + e)."""
    orbit = jounce.load(path)
    T, e = 2 * np.pi / 3, 0.9
    assert orbit.period == pytest.approx(T, rel=1e-12)
    assert np.abs(orbit.multipliers) == pytest.approx([e, e], rel=1e-7)
    assert orbit.events["v_n_after"].item() == pytest.approx(e * GRAVITY * T / (1 + e), rel=1e-9)


@pytest.mark.parametrize("path", versions("branch"), ids=lambda path: path.stem)
def test_a_branch_of_every_format(path: Path) -> None:
    branch = jounce.load(path)
    assert branch.parameter == "omega"
    assert (branch.values.min(), branch.values.max()) == pytest.approx((2.95, 3.05), abs=1e-12)
    np.testing.assert_allclose(branch.table["period"], 2 * np.pi / branch.values, rtol=1e-12)


@pytest.mark.parametrize("path", versions("compliant_run"), ids=lambda path: path.stem)
def test_a_compliant_run_of_every_format(path: Path) -> None:
    """A ball that falls a metre meets its floor at sqrt(2/g)."""
    run = jounce.load(path)
    assert list(run.events["kind"]) == ["touch", "separate"]
    assert run.events["t"][0] == pytest.approx(np.sqrt(2 * (run.start["y"] - 0.1) / GRAVITY), rel=1e-9)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-6


@pytest.mark.parametrize("path", versions("reset_run"), ids=lambda path: path.stem)
def test_a_run_with_resets_of_every_format(path: Path) -> None:
    """A ball whose every bounce is made faster by a tenth, e = 0.8: v = 0.88^n sqrt(2g)."""
    run = jounce.load(path)
    kicks = run.events[run.events.kind == "reset"].t.to_numpy()
    assert run.final["n"] == len(kicks) == 3
    assert run.at(float(kicks[1]))["d_y"] == pytest.approx(0.88**2 * np.sqrt(2 * GRAVITY), rel=1e-12)
    assert run.at(float(kicks[1]), side="left")["n"] == 1
    assert float(np.abs(run.energy["residual"]).max()) < 1e-12


@pytest.mark.parametrize("path", versions("diagram"), ids=lambda path: path.stem)
def test_a_diagram_of_every_format(path: Path, tmp_path: Path) -> None:
    """The same sweep computed now ends on the same attractors, at the same points."""
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    old = jounce.load(tmp_path / "diagram.zarr")
    table = jounce.compile_model(jounce.systems.ball_on_table())
    start = table.state(y=1.0, d_y=4.0)
    now = jounce.sweep(table, "omega", np.linspace(3.2, 3.4, 3), "phase:0", start, e=0.8, transient=20, keep=5)
    assert list(old.attractors["kind"]) == list(now.attractors["kind"]) == ["periodic"] * 3
    assert list(old.attractors["period"]) == list(now.attractors["period"])
    points = [np.concatenate([chunk.quantity for chunk in diagram.points("y")]) for diagram in (old, now)]
    np.testing.assert_allclose(points[0], points[1], atol=1e-8)


@pytest.mark.parametrize("path", versions("basins"), ids=lambda path: path.stem)
def test_basins_of_every_format(path: Path, tmp_path: Path) -> None:
    """At omega = 3 and e = 0.9 a ball comes to rest, or bounces once a period: which start does what is kept."""
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    old = jounce.load(tmp_path / "basins.zarr")
    assert {name: list(values) for name, values in old.axes.items()} == {"y": [2.0, 6.4], "d_y": [0.0, 1.0]}
    table = jounce.compile_model(jounce.systems.ball_on_table())
    now = jounce.basins(table, old.axes, "phase:0", omega=3.0, e=0.9)
    np.testing.assert_array_equal(old.index, now.index)
    assert set(old.attractors["kind"]) == {"rest", "periodic"}


@pytest.mark.parametrize("path", versions("equilibrium"), ids=lambda path: path.stem)
def test_an_equilibrium_of_every_format(path: Path) -> None:
    """A mass of 2 kg on a spring of 5 kN/m with a damper of 12 N s/m: the eigenvalues of a damped oscillator."""
    rest = jounce.load(path)
    assert rest.state["y"] == pytest.approx(-2 * GRAVITY / 5e3, rel=1e-9)
    assert sorted(rest.eigenvalues, key=np.imag) == pytest.approx(sorted(np.roots([2, 12, 5e3]), key=np.imag), rel=1e-7)


def test_a_model_file_of_the_first_version() -> None:
    model = jounce.Model.from_file(FILES / "hopper_model_1.toml")
    run = jounce.simulate(model, None, 0.5)
    assert run.status.name == "FINISHED"
    drop = run.events[run.events["kind"] == "impact"]["t"].iloc[0]  # the leg is at rest: both fall as one
    assert 0.4 - GRAVITY * drop**2 / 2 == pytest.approx(0.01 * np.sin(15.0 * drop), abs=1e-10)


@pytest.mark.parametrize("number", [0, 1])
def test_sessions_of_the_studio(number: int) -> None:
    """0: before sessions held models and actions; 1: with both."""
    content = load_session(str(FILES / f"studio_session_{number}.studio.json"))
    catalogue = Catalogue()
    read = read_session(content, catalogue)
    assert read.items() >= {key: value for key, value in content.items() if key != "diagram"}.items()
    assert read["diagram"].items() >= content["diagram"].items()
    assert catalogue.entry(read["system"]).system.nc == 1

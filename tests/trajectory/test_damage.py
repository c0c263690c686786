"""Damaged files: one flipped bit, a cut or a missing file ends in the same numbers or in an error with a name."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import zarr

import jounce
from jounce import OptionError, StorageError, netcdf
from jounce.analysis.stores import seals
from jounce.analysis.stores.chunk_store import read_description
from jounce.cli.output import check_writable
from tests.sweeps.support import ball


def run_numbers(run) -> list[np.ndarray]:
    names = ("step_t", "step_h", "step_mode", "step_coefficients", "step_work", "event_float", "event_int", "q_final")
    return [np.asarray(getattr(run.data, name)) for name in names] + [np.array(list(run.parameters.values()))]


def orbit_numbers(orbit) -> list[np.ndarray]:
    return [orbit.state.q, orbit.state.u, orbit.monodromy, orbit.multipliers, np.array([orbit.period, orbit.closure])]


def branch_numbers(branch) -> list[np.ndarray]:
    return [part for point in branch.points for part in (*orbit_numbers(point.solution), point.section)]


def diagram_numbers(diagram) -> list[np.ndarray]:
    return [diagram.values, *(diagram.store.read(name) for name in diagram.store.fields)]


def basins_numbers(basins) -> list[np.ndarray]:
    return [*diagram_numbers_of_axes(basins), basins.index]


def diagram_numbers_of_axes(basins) -> list[np.ndarray]:
    return [*basins.axes.values(), *(basins.store.read(name) for name in basins.store.fields)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """One result of each kind on disk, with what it says."""
    folder = tmp_path_factory.mktemp("saved")
    system = ball()
    run = jounce.simulate(system, system.state(y=1.0), t_end=5.0, omega=3.0, e=0.8)
    run.save(folder / "run.nc")
    orbit = jounce.find_orbit(system, system.state(y=0.3, d_y=2.0), omega=3.0, e=0.2)
    orbit.save(folder / "orbit.nc")
    branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.1), step=0.05)
    branch.save(folder / "branch.nc")
    jounce.sweep(
        system, "omega", np.linspace(3.0, 3.2, 6), "phase:0", transient=50, keep=4, store=folder / "sweep.zarr", e=0.8
    )
    grid = {"y": np.linspace(0.5, 1.5, 3), "d_y": np.linspace(0.0, 1.0, 3)}
    found = jounce.basins(system, grid, "phase:0", transient=50, keep=4, store=folder / "basins.zarr", omega=3.0, e=0.8)
    assert found.index.shape == (3, 3)  # and kept in the folder
    return folder


NUMBERS = {
    "run.nc": run_numbers,
    "orbit.nc": orbit_numbers,
    "branch.nc": branch_numbers,
    "sweep.zarr": diagram_numbers,
    "basins.zarr": basins_numbers,
}
TRIALS = {"run.nc": 150, "orbit.nc": 60, "branch.nc": 40, "sweep.zarr": 150, "basins.zarr": 100}


def files_of(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def damaged(original: Path, target: Path, generator: random.Random) -> str:
    """A copy with one flipped bit, or with one file cut or, in a store, missing; what was done."""
    if original.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(original, target)
    else:
        shutil.copy(original, target)
    file = generator.choice(files_of(target))
    content = bytearray(file.read_bytes())
    kind = generator.choice(["bit", "bit", "bit", "cut", "missing" if original.is_dir() else "cut"])
    place = generator.randrange(len(content)) if content else 0
    if kind == "bit" and content:
        content[place] ^= 1 << generator.randrange(8)
    elif kind == "missing":
        file.unlink()
        return f"{file.relative_to(target)} missing"
    else:
        content = content[:place]
    file.write_bytes(content)
    return f"{file.name} {kind} at {place}"


@pytest.mark.parametrize("name", list(NUMBERS))
def test_a_damaged_result_is_never_believed(saved, name, tmp_path):
    generator, numbers = random.Random(7), NUMBERS[name]
    expected = numbers(jounce.load(saved / name))
    refused = 0
    for _ in range(TRIALS[name]):
        what = damaged(saved / name, tmp_path / name, generator)
        try:
            found = numbers(jounce.load(tmp_path / name))
        except StorageError as error:
            refused += 1
            assert str(tmp_path / name) in str(error), what  # noqa: PT017 - the message names the file
            continue
        if not getattr(jounce.load(tmp_path / name), "complete", True):
            continue  # a missing mark: the unit counts as not computed, and says so
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=what)
    assert refused > TRIALS[name] / 2


def test_a_damaged_unit_is_computed_again(saved, tmp_path):
    """The remedy that the message names works."""
    target = tmp_path / "sweep.zarr"
    shutil.copytree(saved / "sweep.zarr", target)
    chunk = next(file for file in files_of(target / "samples") if file.name != "zarr.json")
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 4
    chunk.write_bytes(content)
    with pytest.raises(StorageError, match=r"delete .*finished.* and repeat") as caught:
        diagram_numbers(jounce.load(target))
    marker = Path(str(caught.value).split("delete ")[1].split(" and repeat")[0])
    assert marker.exists()
    shutil.rmtree(marker)
    again = jounce.sweep(
        ball(), "omega", np.linspace(3.0, 3.2, 6), "phase:0", transient=50, keep=4, store=target, e=0.8
    )
    for one, other in zip(diagram_numbers(jounce.load(saved / "sweep.zarr")), diagram_numbers(again), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_lazy_dataset_is_checked_too(saved, tmp_path):
    target = tmp_path / "sweep.zarr"
    shutil.copytree(saved / "sweep.zarr", target)
    whole = jounce.load(saved / "sweep.zarr").dataset
    diagram = jounce.load(target)
    data = diagram.dataset
    np.testing.assert_array_equal(data["samples"][0, 1:3, ::2].values, whole["samples"].values[0, 1:3, ::2])
    np.testing.assert_array_equal(data["kind"].sel(lane=0).values, diagram.store.read("kind", 0))
    np.testing.assert_array_equal(data["samples"].isel(omega=[4, 1]).values, whole["samples"].values[:, [4, 1]])
    for file in files_of(target / "samples"):
        if file.name != "zarr.json":
            file.unlink()
    with pytest.raises(StorageError, match="samples"):
        jounce.load(target).dataset["samples"].values  # noqa: B018 - reads


def test_old_files_without_checksums_are_read(saved, tmp_path):
    """Format 3 of runs and 2 of orbits had none."""
    for name, version in (("run.nc", 3), ("orbit.nc", 2), ("branch.nc", 2)):
        target = tmp_path / name
        target.write_bytes((saved / name).read_bytes()[: -netcdf._SEAL_LENGTH])
        with pytest.raises(StorageError, match="checksum at its end is missing"):
            jounce.load(target)
        with h5netcdf.File(target, "a") as raw:
            raw.attrs["format_version"] = version
        for one, other in zip(
            NUMBERS[name](jounce.load(target)), NUMBERS[name](jounce.load(saved / name)), strict=True
        ):
            np.testing.assert_array_equal(one, other)


def test_old_stores_are_read_but_not_continued(saved, tmp_path):
    """Format 2 marked finished units with a 1."""
    target = tmp_path / "sweep.zarr"
    shutil.copytree(saved / "sweep.zarr", target)
    shutil.rmtree(target / "finished")
    marks = zarr.create_array(str(target / "finished"), shape=(1, 1), chunks=(1, 1), dtype="int8", fill_value=0)
    marks[...] = 1
    metadata = json.loads((target / "zarr.json").read_text())
    attributes = metadata["attributes"]
    metadata["attributes"] = {
        "jounce_version": "0.1",
        "format_version": 2,
        "description": attributes["description"],
    }
    (target / "zarr.json").write_text(json.dumps(metadata))
    old = jounce.load(target)
    assert old.complete
    for one, other in zip(diagram_numbers(old), diagram_numbers(jounce.load(saved / "sweep.zarr")), strict=True):
        np.testing.assert_array_equal(one, other)
    marks[...] = 0
    with pytest.raises(StorageError, match="begun by an earlier Jounce"):
        jounce.sweep(ball(), "omega", np.linspace(3.0, 3.2, 6), "phase:0", transient=50, keep=4, store=target, e=0.8)


def test_a_store_with_foreign_codecs_is_not_opened(saved, tmp_path):
    """zarr builds what metadata name; a stranger can compute all digests."""
    target = tmp_path / "sweep.zarr"
    shutil.copytree(saved / "sweep.zarr", target)
    file = target / "samples" / "zarr.json"
    metadata = json.loads(file.read_text())
    metadata["codecs"] = [{"name": "numcodecs.pickle", "configuration": {}}]
    file.write_text(json.dumps(metadata))
    group = json.loads((target / "zarr.json").read_text())
    group["attributes"]["metadata"]["samples"] = seals.text_digest(file.read_bytes())
    group["attributes"]["seal"] = seals.seal(group["attributes"])
    (target / "zarr.json").write_text(json.dumps(group))
    with pytest.raises(StorageError, match="does not describe an array of Jounce"):
        jounce.load(target)


def test_hostile_models_in_every_kind_of_result(saved, tmp_path):
    """The same content goes in by every door; none of them runs it."""
    marker = tmp_path / "owned"
    evil = ["/", [f"open({str(marker)!r}, 'w')"]]
    for name in NUMBERS:
        target = tmp_path / name
        if name.endswith(".nc"):
            target.write_bytes((saved / name).read_bytes()[: -netcdf._SEAL_LENGTH])
            with h5netcdf.File(target, "a") as raw:
                definition = json.loads(raw.attrs["model_definition"])
                raw.attrs["model_definition"] = json.dumps({**definition, "potential": evil})
            content = target.read_bytes()
            target.write_bytes(content + netcdf._seal(hashlib.sha256(content)))
        else:
            shutil.copytree(saved / name, target)
            group = json.loads((target / "zarr.json").read_text())
            group["attributes"]["description"]["model"]["potential"] = evil
            group["attributes"]["seal"] = seals.seal(group["attributes"])
            (target / "zarr.json").write_text(json.dumps(group))
        with pytest.raises(StorageError, match="potential"):
            _ = jounce.load(target).model
        assert not marker.exists()
    orbit = jounce.load(saved / "orbit.nc")
    with pytest.raises(StorageError, match="checkpoint"):
        jounce.continue_orbit(orbit, "omega", (2.9, 3.1), step=0.05, checkpoint=tmp_path / "branch.nc")


def test_descriptions_that_make_no_sense(saved, tmp_path):
    for key, value in (("items", -1), ("chunk", 0), ("ranges", [[0, 10**9]]), ("lanes", None), ("section", 3)):
        target = tmp_path / f"{key}.zarr"
        shutil.copytree(saved / "sweep.zarr", target)
        group = json.loads((target / "zarr.json").read_text())
        group["attributes"]["description"][key] = value
        group["attributes"]["seal"] = seals.seal(group["attributes"])
        (target / "zarr.json").write_text(json.dumps(group))
        with pytest.raises(StorageError, match="no store of Jounce"):
            jounce.load(target)


FULL_DISK = """
import resource, sys, jounce
system = jounce.compile_model(jounce.systems.ball_on_table())
run = jounce.simulate(system, system.state(y=1.0), t_end=5.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
try:
    run.save(sys.argv[1])
except jounce.StorageError as error:
    print("refused:", error)
"""


def test_a_full_disk_is_a_named_error_and_keeps_the_old_file(tmp_path):
    target = tmp_path / "run.nc"
    target.write_text("the old file")
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(target)], capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert "refused:" in result.stdout
    assert "cannot be written" in result.stdout
    assert target.read_text() == "the old file"
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_full_disk_in_a_store(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    from zarr.storage import LocalStore

    system = ball()
    with monkeypatch.context() as patched:
        patched.setattr(LocalStore, "set", full)
        with pytest.raises(StorageError, match="No space left"):
            jounce.sweep(system, "omega", [3.0], "phase:0", transient=5, keep=1, store=tmp_path / "s.zarr", e=0.8)
    assert not (tmp_path / "s.zarr").exists()
    assert list(tmp_path.iterdir()) == []
    with contextlib.suppress(StorageError):
        read_description(tmp_path / "s.zarr")


def test_files_take_the_place_of_files_only(tmp_path):
    """Moved onto a link a file would take the link's place, moved onto a pipe or /dev/null that of the device."""
    run = jounce.simulate(ball(), {"y": 1.0}, 0.5)
    pipe, file, link = tmp_path / "pipe", tmp_path / "run.nc", tmp_path / "link.nc"
    os.mkfifo(pipe)
    link.symlink_to(file)
    for write in (run.save, jounce.systems.bouncing_ball().to_file):
        with pytest.raises(StorageError, match="a device, a pipe or a socket"):
            write(pipe)
        with pytest.raises(StorageError, match="a folder"):
            write(tmp_path)
    assert pipe.is_fifo()
    run.save(link)
    assert link.is_symlink()
    assert jounce.load(file).final == jounce.load(link).final
    with pytest.raises(OptionError, match='"-" is standard output'):
        check_writable(str(pipe), "--json")

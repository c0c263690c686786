"""The result of a sweep depends on neither threads nor interruptions nor the machines it runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.analysis.stores.chunk_store import ChunkStore, read_description
from jounce.errors import OptionError, StorageError
from tests.sweeps import long_work
from tests.sweeps.support import REPOSITORY, assert_identical, ball


def finished_units(path: Path) -> int:
    store = ChunkStore(path, read_description(path))
    return sum(store.finished(lane, chunk) for lane in range(len(store.ranges)) for chunk in store.chunks(lane))


def begin(kind: str, store: Path) -> subprocess.Popen[str]:
    paths = [str(REPOSITORY), str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "tests.sweeps.long_work", kind, str(store)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=REPOSITORY)


@pytest.mark.parametrize("kind", ["sweep", "basins"])
def test_killed_and_resumed_is_identical(kind: str, tmp_path: Path) -> None:
    """kill -9 twice on the way, at different places; then go on with another number of threads."""
    killed, whole = tmp_path / "killed.zarr", tmp_path / "whole.zarr"
    counts = []
    for units in (2, 3):
        process = begin(kind, killed)
        assert process.stdout is not None
        for _ in range(units):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        counts.append(finished_units(killed))
    assert 0 < counts[0] < counts[1]
    partial = jounce.load(killed)
    assert not partial.complete
    long_work.run(kind, str(killed), threads=1, progress=None)
    long_work.run(kind, str(whole), threads=3, progress=None)
    assert_identical(killed, whole)
    if kind == "basins":
        np.testing.assert_array_equal(jounce.load(killed).index, jounce.load(whole).index)
    else:
        assert jounce.load(killed).attractors.equals(jounce.load(whole).attractors)


def test_ctrl_c_leaves_a_store_that_goes_on(tmp_path: Path) -> None:
    calls = []

    def interrupt(fraction: float) -> None:
        calls.append(fraction)
        if len(calls) == 2:
            raise KeyboardInterrupt

    stopped, whole = tmp_path / "stopped.zarr", tmp_path / "whole.zarr"
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        long_work.run("sweep", str(stopped), progress=interrupt)
    assert time.monotonic() - began < 20.0
    units = finished_units(stopped)
    assert 2 <= units < 10
    long_work.run("sweep", str(stopped), progress=None)
    long_work.run("sweep", str(whole), progress=None)
    assert_identical(stopped, whole)


def test_chunks_do_not_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value starts afresh from the point carried to it: how values are cut into chunks is nobody's business."""

    def run(name: str) -> Path:
        jounce.sweep(ball(), "omega", np.linspace(3.0, 4.5, 60), "plane:d_y=0:-1", ball().state(y=1.0, d_y=4.0),
                     transient=200, keep=10, direction="both", store=tmp_path / name, e=0.8)  # fmt: skip
        return tmp_path / name

    from tests.sweeps.support import contents

    one = contents(run("one"))
    monkeypatch.setattr("jounce.analysis.attractors.work.LARGEST_CHUNK", 7)
    other = contents(run("other"))
    assert one["finished"].shape != other["finished"].shape
    for field in one.keys() - {"finished"}:
        np.testing.assert_array_equal(one[field], other[field], err_msg=field)


def test_a_store_continues_only_its_own_sweep(tmp_path: Path) -> None:
    def run(**changes) -> None:
        choices = {"transient": 10, "keep": 2, "store": tmp_path / "sweep.zarr", "e": 0.8} | changes
        jounce.sweep(ball(), "omega", choices.pop("values", [3.0, 3.1]), "phase:0", **choices)

    run()
    run()
    for changes, word in (
        ({"e": 0.9}, "parameters"),
        ({"keep": 3}, "keep"),
        ({"values": [3.0, 3.2]}, "values"),
        ({"options": jounce.Options(tolerance=1e-9)}, "options"),
        ({"start": ball().state(y=2.0)}, "starts"),
    ):
        with pytest.raises(StorageError, match=f"another computation: it differs in .*{word}"):
            run(**changes)
    (tmp_path / "empty").mkdir()
    with pytest.raises(StorageError, match="no store of Jounce"):
        run(store=tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="no store of Jounce"):
        run(store=tmp_path / "file")


def test_saved_and_loaded(tmp_path: Path) -> None:
    diagram = jounce.sweep(ball(), "omega", [3.0, 3.1, 3.2], "phase:0", transient=50, keep=5)
    diagram.save(tmp_path / "diagram.zarr")
    loaded = jounce.load(tmp_path / "diagram.zarr")
    assert isinstance(loaded, jounce.Diagram)
    assert loaded.attractors.equals(diagram.attractors)
    with pytest.raises(StorageError, match="exists already"):
        diagram.save(tmp_path / "diagram.zarr")
    with pytest.raises(StorageError, match="not 'basins'"):
        jounce.Basins.load(tmp_path / "diagram.zarr")


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jounce.analysis.attractors.work.CONNECT", 0.5)
    with pytest.raises(OptionError, match="no Dask scheduler answers"):
        jounce.sweep(ball(), "omega", [3.0], "phase:0", transient=5, keep=1, cluster="tcp://127.0.0.1:1")

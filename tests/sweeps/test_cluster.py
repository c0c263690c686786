"""The same chunks on a Dask cluster, one of whose workers is killed on the way."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.sweeps import long_work
from tests.sweeps.support import REPOSITORY, assert_identical

distributed = pytest.importorskip("distributed")


def test_a_cluster_with_a_killed_worker_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(REPOSITORY), str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    remote, local = tmp_path / "remote.zarr", tmp_path / "local.zarr"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        killed = []

        def kill_one(fraction: float) -> None:
            if not killed:
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        long_work.run("sweep", str(remote), progress=kill_one, cluster=client)
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
        address = cluster.scheduler_address
        long_work.run("basins", str(tmp_path / "basins.zarr"), progress=None, cluster=address)
    long_work.run("sweep", str(local), progress=None)
    assert_identical(remote, local)
    long_work.run("basins", str(tmp_path / "local_basins.zarr"), progress=None)
    assert_identical(tmp_path / "basins.zarr", tmp_path / "local_basins.zarr")

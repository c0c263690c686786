"""A sweep or a basin computation in a process of its own, so that a test can kill it: ``long_work.py KIND STORE``."""

from __future__ import annotations

import sys
import time

import numpy as np

import jounce
from jounce.analysis.attractors import work
from tests.sweeps.support import ball

work.LARGEST_CHUNK = 24  # many units of little work


def slowly(fraction: float) -> None:
    """Progress that says how far it is and leaves the killer time."""
    print(f"{fraction:.4f}", flush=True)
    time.sleep(0.05)


def run(kind: str, store: str, threads: int = 2, progress=slowly, **choices) -> object:
    if kind == "sweep":
        return jounce.sweep(
            ball(), "omega", np.linspace(2.5, 5.0, 240), "phase:0",
            starts=[ball().state(y=1.0, d_y=4.0), (3.0, ball().state(y=4.7, d_y=-5.7))], direction="both",
            transient=300, keep=20, store=store, threads=threads, progress=progress, e=0.8, **choices,
        )  # fmt: skip
    grid = {"y": np.linspace(-0.5, 12.0, 40), "d_y": np.linspace(-10.0, 10.0, 30)}
    return jounce.basins(
        ball(), grid, "phase:0", transient=300, keep=20, store=store, threads=threads, progress=progress, omega=3.0,
        e=0.9, **choices,
    )  # fmt: skip


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])

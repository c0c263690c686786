"""Small sweeps that the tests share, and the comparison of two stores."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import jounce
from jounce.analysis.stores.chunk_store import ChunkStore, read_description

REPOSITORY = Path(__file__).parents[2]


@cache
def ball() -> jounce.System:
    return jounce.compile_model(jounce.systems.ball_on_table())


@cache
def rod() -> jounce.System:
    return jounce.compile_model(jounce.systems.slender_rod())


def contents(path: Path) -> dict[str, np.ndarray]:
    """Every array of a store."""
    store = ChunkStore(path, read_description(path))
    return {name: np.asarray(array[...]) for name, array in store.arrays.items()}


def assert_identical(first: Path, second: Path) -> None:
    """Two stores hold the same bits."""
    one, other = contents(first), contents(second)
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)

"""Basins: every cell against a simulation of its own, and attractors told apart by their points."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.analysis.attractors.matching import Found, Matcher
from jounce.analysis.attractors.table import AttractorKind
from jounce.errors import OptionError, SimulationError, StorageError
from jounce.kernels.records import attractor_codes as codes
from tests.sweeps.support import ball
from tests.sweeps.test_section import one_bounce


@pytest.fixture(scope="module")
def basins() -> jounce.Basins:
    grid = {"y": np.linspace(-1.0, 12.0, 27), "d_y": np.linspace(-10.0, 10.0, 21)}
    return jounce.basins(ball(), grid, "phase:0", transient=1500, keep=12, omega=3.0, e=0.9)


def test_the_coexisting_attractors_of_the_ball(basins: jounce.Basins) -> None:
    """omega = 3, e = 0.9: lying, one bounce a period (the paper's p1), three in six (p3) and others."""
    table = basins.attractors
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["share"].is_monotonic_decreasing
    found = set(zip(table["kind"], table["period"], table["impacts"], strict=True))
    assert {("rest", 0, 0), ("periodic", 1, 1), ("periodic", 3, 3), ("periodic", 6, 3)} <= found
    number = int(table.index[(table["period"] == 1) & (table["impacts"] == 1)][0])
    t, y, d_y = one_bounce(3.0, 0.9)
    s = 2 * math.pi / 3.0 - t
    point = basins.points[number].iloc[0]
    assert point["y"] == pytest.approx(y + d_y * s - 9.81 * s * s / 2, abs=1e-6)


def test_starts_inside_the_table_are_impossible(basins: jounce.Basins) -> None:
    below = basins.axes["y"] < 0.0
    assert (basins.index[below] == -1).all()
    assert (basins.index[~below] >= 0).all()
    assert basins.dataset["index"].sel(y=-1.0).max() == -1


def test_each_cell_is_where_a_simulation_ends(basins: jounce.Basins) -> None:
    """Twelve cells, each simulated by itself and compared with the points of its attractor."""
    generator = np.random.default_rng(0)
    T = 2 * math.pi / 3.0
    for _ in range(12):
        i, k = generator.integers(3, 27), generator.integers(0, 21)
        start = ball().state(y=basins.axes["y"][i], d_y=basins.axes["d_y"][k])
        final = jounce.simulate(
            ball(), start, 600 * T, omega=3.0, e=0.9, options=jounce.Options(record="nothing")
        ).final
        points = basins.points[int(basins.index[i, k])]
        distance = np.hypot(points["y"] - final["y"], points["d_y"] - final["d_y"])
        assert distance.min() < 1e-4


def test_saved_and_loaded(basins: jounce.Basins, tmp_path: Path) -> None:
    basins.save(tmp_path / "basins.zarr")
    loaded = jounce.load(tmp_path / "basins.zarr")
    assert isinstance(loaded, jounce.Basins)
    np.testing.assert_array_equal(loaded.index, basins.index)
    assert loaded.attractors.equals(basins.attractors)
    with pytest.raises(StorageError, match="not 'sweep'"):
        jounce.Diagram.load(tmp_path / "basins.zarr")


def found(cell: int, kind: AttractorKind, status: int, points: np.ndarray, whole: bool) -> Found:
    """One cell; ``whole``: its points are the whole of a periodic motion."""
    facts = np.zeros((1, codes.FACTS), np.int64)
    facts[0, [codes.KIND, codes.STATUS, codes.COUNT]] = kind, status, len(points)
    facts[0, codes.PERIOD] = len(points) if whole else -1
    room = np.full((1, points.shape[1]), np.nan)  # rows without points, as stores have them
    return Found(np.array([cell]), facts, np.vstack([points, room])[None])


def label(matcher: Matcher, *cell: Any) -> int:
    return int(matcher.labels(found(*cell))[0])


def test_many_cells_are_labelled_as_one_by_one() -> None:
    """Orbits of one and of two points, rests, stops and clouds between them, in any order."""
    random = np.random.default_rng(3)
    cells = []
    for k in range(120):
        kind = [AttractorKind.PERIODIC, AttractorKind.REST, AttractorKind.STOPPED, AttractorKind.CHAOTIC][
            int(random.choice(4, p=[0.6, 0.2, 0.1, 0.1]))
        ]
        points = np.round(random.uniform(0, 3, (int(random.integers(1, 3)), 2))) + 1e-6 * random.normal(size=2)
        if kind is AttractorKind.CHAOTIC:
            points = random.normal(0.0, 1.0, (2, 2))
        cells.append(found(k, kind, int(random.integers(2)), points, kind is AttractorKind.PERIODIC))
    one, many = (Matcher(np.zeros(2), np.ones(2), 1e-4) for _ in range(2))
    singly = [int(one.labels(cell)[0]) for cell in cells]
    padded = [np.pad(cell.points, ((0, 0), (0, 3 - cell.points.shape[1]), (0, 0))) for cell in cells]
    together = Found(np.arange(120), np.vstack([cell.facts for cell in cells]), np.vstack(padded))
    assert many.labels(together).tolist() == singly
    assert [(known.cell, known.count) for known in many.known] == [(known.cell, known.count) for known in one.known]


def test_periodic_points_are_matched_as_sets() -> None:
    matcher = Matcher(np.array([-1.0, 0.0, 2 * math.pi]), np.ones(3), 1e-4)
    orbit = np.array([[0.1, 1.0, 0.2], [0.7, 2.0, 3.0]])
    assert label(matcher, 0, AttractorKind.PERIODIC, 0, orbit, True) == 0
    shifted = orbit[::-1] + np.array([5.0, 1e-6, 2 * math.pi])  # another order, time and turn
    assert label(matcher, 1, AttractorKind.PERIODIC, 0, shifted, True) == 0
    twice = np.vstack([orbit, orbit + np.array([0.0, 1e-6, 0.0])])  # found as period 4 by a slow transient
    assert label(matcher, 2, AttractorKind.PERIODIC, 0, twice, True) == 0
    assert label(matcher, 3, AttractorKind.PERIODIC, 0, orbit + np.array([0.0, 0.01, 0.0]), True) == 1
    assert label(matcher, 4, AttractorKind.PERIODIC, 0, orbit[:1], True) == 2  # half of an orbit is another one
    assert label(matcher, 5, AttractorKind.REST, 0, orbit[:1], True) == 3
    assert label(matcher, 6, AttractorKind.STOPPED, 3, orbit[:0], False) == 4
    assert label(matcher, 7, AttractorKind.STOPPED, 9, orbit[:0], False) == 5
    assert label(matcher, 8, AttractorKind.STOPPED, 3, orbit[:0], False) == 4


def test_clouds_are_matched_by_their_overlap() -> None:
    generator = np.random.default_rng(1)
    matcher = Matcher(np.array([0.0, 0.0]), np.ones(2), 1e-4)
    assert label(matcher, 0, AttractorKind.CHAOTIC, 0, generator.normal(0.0, 1.0, (100, 2)), False) == 0
    assert label(matcher, 1, AttractorKind.CHAOTIC, 0, generator.normal(0.0, 1.0, (100, 2)), False) == 0
    assert label(matcher, 2, AttractorKind.CHAOTIC, 0, generator.normal(9.0, 1.0, (100, 2)), False) == 1


@pytest.mark.parametrize(
    ("grid", "error", "message"),
    [
        ({}, OptionError, "grid is"),
        ({"z": [1.0]}, SimulationError, "unknown name 'z'"),
        ({"y": []}, OptionError, "at least one finite number"),
    ],
)
def test_wrong_grids_are_named(grid: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        jounce.basins(ball(), grid, "phase:0")

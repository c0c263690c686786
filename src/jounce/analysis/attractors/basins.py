"""basins: which start leads to which attractor."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.analysis.attractors.matching import Found, new_matcher
from jounce.analysis.attractors.search import FACT_NAMES, KEPT_NAMES, PATIENCE, AttractorSearch
from jounce.analysis.attractors.table import attractor_table
from jounce.analysis.attractors.work import MOST_STARTS, Lane, Progress, Work, check_place, checked_numbers, chunk_size
from jounce.analysis.sections.section_map import SectionMap
from jounce.analysis.stores.chunk_store import ChunkStore
from jounce.analysis.stores.seals import digest
from jounce.analysis.stores.stored_result import StoredResult
from jounce.errors import OptionError, SimulationError, StorageError, is_one_of, suggestion
from jounce.kernels.records import attractor_codes as codes
from jounce.kernels.records.tolerances import START_PENETRATION
from jounce.netcdf import replace_file
from jounce.simulation.options import Options, as_options, check_range, refuse_options
from jounce.simulation.section import Section
from jounce.system.compilation import compile_model
from jounce.system.evaluation import rows_of
from jounce.system.inputs import StateLike, SystemLike, as_state, as_system, beside_parameters
from jounce.units import in_seconds, in_units

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from jounce.system.state import State
    from jounce.system.system import System

IMPOSSIBLE = -1  # the index of a start inside a surface
LABELS = "labels.bin"


@beside_parameters
def basins(
    system: SystemLike,
    grid: Mapping[str, Any],
    section: Section | str,
    start: StateLike | None = None,
    *,
    transient: int = 900,
    patience: int = PATIENCE,
    keep: int = 100,
    match: float = 1e-4,
    store: str | PathLike[str] | None = None,
    options: Options | None = None,
    threads: int | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
    longest_return: float | str | None = None,
    recurrence: float = 1e-8,
    **parameters: float | str,
) -> Basins:
    """The attractor to which every start of a grid leads.

    grid        {"y": numpy.linspace(...), "d_y": ...}: the values of some of t, coordinates and velocities
    start       what the others are; default: the model's own start
    transient   returns to the section after which a motion that has not repeated is tested for chaos
    patience    motions that are undecided then are followed for up to so many times transient + keep returns, while
                they are unsettled and while some of those called chaotic still settle
    match       distance of section points, relative to their sizes, within which periodic motions are the same

    Section, keep, store, threads, cluster and the rest are those of ``sweep``.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> grid = {"y": [2.0, 6.4], "d_y": [0.0, 1.0]}
    >>> basins = jounce.basins(system, grid, "phase:0", omega=3.0, e=0.9)
    >>> len(basins.attractors)
    2
    """
    system, options = as_system(system, "basins"), as_options(options)
    refuse_options(parameters, system)
    longest = in_seconds(longest_return, "longest_return", OptionError)
    check_place(threads, store, progress)
    axes = _checked_grid(system, grid)
    search = AttractorSearch(
        system, Section.parse(section), None, system.numbers(parameters), transient, keep, recurrence, longest,
        options, patience=patience,
    ).settled(np.zeros(1))  # fmt: skip
    check_range("match", match, 1e-15, 1.0)
    base = as_state(system, start, "start", parameters)
    period = float(search.periods(np.zeros(1))[0])
    starts = grid_points(search, axes, base, period)
    description = {
        "kind": "basins",
        **search.description(),
        "axes": list(axes),
        "shape": [len(values) for values in axes.values()],
        "items": len(starts),
        "chunk": chunk_size(len(starts), search.transient + search.keep),
        "ranges": [[0, len(starts)]],
        "starts": hashlib.sha256(starts.tobytes()).hexdigest(),
        "match": match,
        "base": base.as_dict(),
    }
    opened = ChunkStore.open(store, description, search.fields(), axes)
    item_values = np.zeros(len(starts))
    Work(search, opened, [Lane(starts, carried=False)], item_values, np.full(len(starts), period)).run(
        threads, cluster, progress
    )
    found = Basins(opened)
    found.know(search.system.model)
    return found


def _checked_grid(system: System, grid: Mapping[str, Any]) -> dict[str, np.ndarray]:
    valid = ("t", *system.coordinate_names, *system.velocity_names)
    if not isinstance(grid, Mapping) or not grid:
        raise OptionError(f"grid is {grid!r}; give values for some of {', '.join(valid)}")
    axes = {}
    for name, values in grid.items():
        if not is_one_of(name, valid):
            raise SimulationError(f"grid: unknown name {name!r}; {suggestion(name, valid)}")
        axes[name] = checked_numbers(
            f"grid: {name}", in_units(values, system.model.units[name], f"grid: {name}", OptionError)
        )
    starts = math.prod(array.size for array in axes.values())
    if starts > MOST_STARTS:
        raise OptionError(f"a grid of {starts:.3g} starts; at most {MOST_STARTS:.3g} are taken, compute it in parts")
    return axes


def grid_points(search: AttractorSearch, axes: dict[str, np.ndarray], base: State, period: float) -> np.ndarray:
    """(phase, q, u) of every cell, the last axis fastest; NaN for starts inside a surface.

    Of a machine with discrete states their values in ``base`` follow; what compliant contacts remember is not known.
    """
    system, p = search.system, search.map.parameters
    names = ("t", *system.coordinate_names, *system.velocity_names)
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    points = np.repeat(np.concatenate(([base.t], base.q, base.u))[None, :], mesh[0].size, axis=0)
    for name, values in zip(axes, mesh, strict=True):
        points[:, names.index(name)] = values.ravel()
    rigid = [contact.compliance is None for contact in system.model.contacts]
    if any(rigid):
        t, q, u = np.split(points, [1, 1 + system.n], axis=1)
        gaps = rows_of(system.functions.gaps, 2 * system.nc, t.ravel(), q, u, p)[:, ::2][:, rigid]
        count = 2 * system.nc + system.nj + system.ng
        sizes = rows_of(system.functions.sizes, count, t.ravel(), q, u, p)[:, : system.nc][:, rigid]
        points[~(gaps >= -START_PENETRATION * sizes).all(axis=1), 1:] = np.nan
    if search.timeless:
        points[:, 0] = 0.0
    elif period > 0.0:
        points[:, 0] /= period
    if not system.state_names:
        return points
    memory = system.memory_of(base).copy()
    memory[: -len(system.state_names)] = np.nan
    return np.hstack([points, np.repeat(memory[None, :], len(points), axis=0)])


class Basins(StoredResult):
    """Which start leads to which attractor.

    axes         name -> values, in the order of the grid
    index        the number of the attractor of every cell, shape of the grid; -1: the start lies inside a surface
    attractors   pandas: one row an attractor: kind, period, signature, ..., share of the possible starts
    points       attractor number -> its section points, as a pandas table
    dataset      xarray: index and what was found of every cell

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> grid = {"y": [2.0, 6.4], "d_y": [0.0, 1.0]}
    >>> basins = jounce.basins(system, grid, "phase:0", omega=3.0, e=0.9)
    >>> sorted(set(basins.attractors["kind"]))
    ['periodic', 'rest']
    """

    kind = "basins"
    entries: ClassVar = {"axes": list, "shape": list, "match": float}

    def __init__(self, store: ChunkStore) -> None:
        super().__init__(store)
        self.axes: dict[str, np.ndarray] = {name: store.read(name) for name in store.description["axes"]}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid."""
        return tuple(self.description["shape"])

    @property
    def quantities(self) -> tuple[str, ...]:
        """What a section point consists of."""
        return (*KEPT_NAMES, *self.model.coordinates, *self.model.velocity_units)

    @cached_property
    def index(self) -> np.ndarray:
        """The attractor of every cell: 0 attracts the most."""
        if not self.complete:
            raise StorageError(f"{self.store.path} is incomplete: repeat the computation to finish it")
        kept = self._kept_labels()
        if kept is not None:
            return kept.reshape(self.shape)
        labels = self._labels()
        content = np.append(labels, digest(labels)).astype("<i8").tobytes()
        with suppress(StorageError):  # matching takes seconds: a folder that cannot be written costs no more than that
            replace_file(self.store.path / LABELS, [content])
        return labels.reshape(self.shape)

    def _kept_labels(self) -> np.ndarray | None:
        """The labels found earlier, unless their file is damaged or of an earlier format: then they are found anew."""
        try:
            content = np.frombuffer((self.store.path / LABELS).read_bytes(), "<i8").astype(np.int64)
        except (OSError, ValueError):
            return None
        labels = content[:-1]
        sound = labels.size == self.store.items and digest(labels) == content[-1]
        return labels if sound else None

    def _labels(self) -> np.ndarray:
        """Match the cells in order, then number the attractors by the size of their basins."""
        section_map = SectionMap(compile_model(self.model), self.section, **self.description["parameters"])
        base = section_map.system.state(**self.description["base"])
        matcher = new_matcher(section_map, base, self.axes, float(self.description["match"]))
        columns = [0, *range(len(KEPT_NAMES), len(self.quantities))]
        labels = np.full(self.store.items, IMPOSSIBLE, np.int64)
        for chunk in self.store.chunks(0):
            part = self.store.slice(0, chunk)
            facts, samples, end = (self.store.read(name, 0, part) for name in ("facts", "samples", "end"))
            # starts inside a surface were never begun
            possible = np.flatnonzero(facts[:, codes.RETURNS] + np.isfinite(end).all(axis=1) > 0)
            cells = part.start + possible
            labels[cells] = matcher.labels(Found(cells, facts[possible], samples[possible][:, :, columns]))
        order = sorted(range(len(matcher.known)), key=lambda number: (-matcher.known[number].count, number))
        rank = np.argsort(np.array(order, dtype=np.int64)) if order else np.zeros(0, np.int64)
        there = labels >= 0
        labels[there] = rank[labels[there]]
        return labels

    @cached_property
    def _cells(self) -> list[int]:
        """The first cell of every attractor."""
        flat = self.index.ravel()
        return [int(np.argmax(flat == number)) for number in range(int(flat.max(initial=-1)) + 1)]

    @cached_property
    def attractors(self) -> pd.DataFrame:
        """One row an attractor, the one that attracts most first."""
        names = (*FACT_NAMES, "exponent", "signature")
        facts = {name: self.store.read(name, 0)[self._cells] for name in names}
        table = attractor_table(facts, self.model)
        cells = np.bincount(self.index[self.index >= 0], minlength=len(self._cells))
        table.insert(0, "share", cells / max(int(cells.sum()), 1))
        if "sure" in self.store.fields:
            flat, sure = self.index.ravel(), self.store.read("sure", 0)
            table["sure"] = [float(sure[flat == number].mean()) for number in range(len(self._cells))]
        return table.drop(columns="returns")

    @cached_property
    def points(self) -> list[pd.DataFrame]:
        """The section points of every attractor, as the first cell found them."""
        import pandas as pd

        tables = []
        for cell in self._cells:
            count = int(self.store.read("count", 0, cell))
            tables.append(pd.DataFrame(self.store.read("samples", 0, cell)[:count], columns=list(self.quantities)))
        return tables

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Index, kind, period and status over the grid."""
        import xarray as xr

        data = {name: (tuple(self.axes), self.store.read(name, 0).reshape(self.shape)) for name in FACT_NAMES}
        data["index"] = (tuple(self.axes), self.index)
        attributes = {"section": self.section, "parameters": json.dumps(self.description["parameters"])}
        return xr.Dataset(data, coords=dict(self.axes), attrs=attributes)

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        size = " x ".join(f"{len(values)} {name}" for name, values in self.axes.items())
        return f"Basins({self.model.name}: {size}, section {self.section}{state})"

"""Diagram: the result of a sweep, on disk, read as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from jounce.analysis.attractors.search import FACT_NAMES, KEPT_NAMES
from jounce.analysis.attractors.table import attractor_table
from jounce.analysis.stores.chunk_store import ChunkStore
from jounce.analysis.stores.stored_result import StoredResult
from jounce.errors import SimulationError, suggestion
from jounce.html_summary import summary, table

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

WIDEST = 12  # branches that a notebook lists


class SectionPoints(NamedTuple):
    """Points of one lane: the parameter, the quantity, and of their attractor the kind (AttractorKind) and period."""

    lane: int
    parameter: np.ndarray
    quantity: np.ndarray
    kind: np.ndarray
    period: np.ndarray


class Diagram(StoredResult):
    """The attractors of a system over a parameter.

    parameter, values   what was varied
    attractors          pandas: one row a lane and value: kind, period, signature, impacts, status, exponent, ...
    branches            pandas: the same, neighbours of one kind, period and signature in one row
    lanes               pandas: one row a lane: its start and its direction
    dataset             xarray, read as it is needed: samples (lane, value, sample, quantity) and the facts
    complete            False for the store of an interrupted sweep

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> diagram = jounce.sweep(system, "omega", [3.3, 3.4], "phase:0", {"y": 6.0}, e=0.8, transient=100)
    >>> list(diagram.attractors["kind"])
    ['periodic', 'periodic']
    """

    kind = "sweep"
    entries: ClassVar = {"parameter": str, "lanes": list}

    def __init__(self, store: ChunkStore) -> None:
        super().__init__(store)
        self.parameter: str = store.description["parameter"]
        self.values = store.read(self.parameter)

    @property
    def quantities(self) -> tuple[str, ...]:
        """What a sample consists of."""
        return (*KEPT_NAMES, *self.model.coordinates, *self.model.velocity_units)

    @cached_property
    def lanes(self) -> pd.DataFrame:
        """One row a lane."""
        import pandas as pd

        lanes = pd.DataFrame([{"start": row["start"], "direction": row["direction"]} for row in self._lanes])
        return lanes.assign(
            first=[self.values[first] for first, _ in self.store.ranges],
            last=[self.values[end - 1] for _, end in self.store.ranges],
        )

    @property
    def _lanes(self) -> list[dict[str, Any]]:
        return list(self.description["lanes"])

    @cached_property
    def attractors(self) -> pd.DataFrame:
        """One row a lane and value, by lane and then by value."""
        import pandas as pd

        names = (*FACT_NAMES, "exponent", "signature")
        tables = []
        for lane, (first, end) in enumerate(self.store.ranges):
            table = attractor_table(
                {name: self.store.read(name, lane, slice(first, end)) for name in names}, self.model
            )
            if "sure" in self.store.fields:
                table["sure"] = self.store.read("sure", lane, slice(first, end))
            table.insert(0, self.parameter, self.values[first:end])
            for column in ("direction", "start"):
                table.insert(0, column, self._lanes[lane][column])
            table.insert(0, "lane", lane)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def branches(self) -> pd.DataFrame:
        """One row a run of neighbouring values with the same kind, period and signature: lane, first, last, ..."""
        table = self.attractors
        same = ["lane", "start", "direction", "kind", "period", "signature", "status"]
        run = (table[same] != table[same].shift()).any(axis=1).cumsum()
        runs = table.groupby(run, sort=True)
        found = runs[same].first()
        found.insert(3, "first", runs[self.parameter].first())
        found.insert(4, "last", runs[self.parameter].last())
        found["values"] = runs.size()
        return found.reset_index(drop=True)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Everything, as arrays with names; nothing is read before it is used."""
        import xarray as xr

        from jounce.analysis.stores.lazy_array import lazy_variable

        names = [*FACT_NAMES, *(name for name in self.store.fields if name != "facts")]
        variables = {name: lazy_variable(self.store, name, {"item": self.parameter}) for name in names}
        coordinates = {
            self.parameter: self.values,
            "quantity": list(self.quantities),
            "start": ("lane", [row["start"] for row in self._lanes]),
            "direction": ("lane", [row["direction"] for row in self._lanes]),
        }
        return xr.Dataset(variables, coordinates, {"section": self.section, "parameter": self.parameter})

    def points(self, quantity: str) -> Iterator[SectionPoints]:
        """The section points of one quantity, chunk by chunk."""
        if quantity not in self.quantities:
            raise SimulationError(f"samples have no {quantity!r}; {suggestion(quantity, self.quantities)}")
        column = self.quantities.index(quantity)
        for lane in range(len(self.store.ranges)):
            for chunk in self.store.chunks(lane):
                if not self.store.finished(lane, chunk):
                    continue
                part = self.store.slice(lane, chunk)
                samples = self.store.read("samples", lane, part)[:, :, column]
                there = np.isfinite(samples)
                item, _ = np.nonzero(there)
                facts = (self.store.read(name, lane, part)[item] for name in ("kind", "period"))
                yield SectionPoints(lane, self.values[part][item], samples[there], *facts)

    def _repr_html_(self) -> str:
        """For notebooks: the widest branches; ``jounce.show(diagram)`` draws it."""
        widest = self.branches.nlargest(WIDEST, "values").sort_values(["lane", "first"])
        columns = ("start", "direction", "first", "last", "kind", "period", "signature")
        rows = [tuple(getattr(row, name) for name in columns) for row in widest.itertuples()]
        facts = {"values": len(self.values), "section": self.section, "complete": self.complete}
        return summary(f"Diagram of {self.model.name} over {self.parameter}", facts, table(columns, rows))

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return (
            f"Diagram({self.model.name}: {len(self.values)} values of {self.parameter} from {self.values[0]:g} to "
            f"{self.values[-1]:g}, {len(self._lanes)} lanes, section {self.section}{state})"
        )

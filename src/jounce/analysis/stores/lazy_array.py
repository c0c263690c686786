"""Arrays of a store for xarray: read when they are used, unit by unit, with the checks of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from jounce.analysis.stores.chunk_store import ChunkStore


def lazy_variable(store: ChunkStore, name: str, renamed: Mapping[str, str]) -> xr.Variable:
    """An array or a named column of a store, with the names of its dimensions."""
    owner, column = store.columns.get(name, (name, None))
    given = store.arrays[owner].metadata.dimension_names
    dimensions = [renamed.get(dimension, dimension) for dimension in (given if column is None else given[:-1])]
    return xr.Variable(dimensions, indexing.LazilyIndexedArray(LazyArray(store, name)))


class LazyArray(BackendArray):
    """One array, or one named column, of a store."""

    def __init__(self, store: ChunkStore, name: str) -> None:
        self.store, self.name = store, name
        owner, column = store.columns.get(name, (name, None))
        array = store.arrays[owner]
        self.shape = tuple(array.shape) if column is None else tuple(array.shape[:-1])
        self.dtype = np.dtype(array.dtype)

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        """Only the lanes and the span of items that the key touches are read."""
        lanes, items, *rest = key
        chosen = range(self.shape[0])[lanes]
        span = range(self.shape[1])[items]
        if isinstance(span, int):
            low, high = span, span + 1
        else:
            low, high = (min(span), max(span) + 1) if len(span) else (0, 0)
        numbers = [chosen] if isinstance(chosen, int) else list(chosen)
        found = np.stack([self.store.read(self.name, lane, slice(low, high)) for lane in numbers])
        local = span - low if isinstance(span, int) else [k - low for k in span]
        picked = found[:, local]
        picked = picked[0] if isinstance(chosen, int) else picked
        lead = (slice(None),) * ((not isinstance(chosen, int)) + (not isinstance(span, int)))
        return picked[(*lead, *rest)]

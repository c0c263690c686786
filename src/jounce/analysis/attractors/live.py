"""Attractors as they are found, in memory: for a view that fills while it is computed and may be given up any time.

``sweep`` and ``basins`` keep everything in a store and can be resumed; here nothing is kept, the first results come
after milliseconds, and a flag that another thread sets ends the work within one step of the engine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jounce.analysis.attractors.search import FACT_NAMES, AttractorSearch, Engine

BATCH_SECONDS = 0.03  # a batch is as long as this takes, so that pictures follow one another smoothly
FIRST_BATCH = 2
LARGEST_BATCH = 2048


@dataclass(frozen=True, eq=False)
class Found:
    """The attractors of a batch of items.

    first     the number of the first item, in the order in which they were asked for
    samples   section points, [items, keep, quantities]; NaN beyond what an attractor has
    facts     whole numbers by name: kind (AttractorKind), period, count, ...
    ends      the last point (phase, q, u) of every item
    """

    first: int
    values: np.ndarray
    samples: np.ndarray
    facts: dict[str, np.ndarray]
    exponents: np.ndarray
    ends: np.ndarray


def stream(
    search: AttractorSearch, values: np.ndarray, starts: np.ndarray, *, carried: bool, cancel: np.ndarray
) -> Iterator[Found]:
    """The attractors of all items in their order, batch by batch; ends early once ``cancel[0]`` is not zero.

    values   of the parameter, one an item
    starts   points (phase, q, u): carried from item to item, one row; otherwise one row an item
    cancel   two int64, watched by the engine
    """
    engine = Engine(search)
    periods = search.periods(values)
    first, size = 0, FIRST_BATCH
    here = starts[0]
    while first < len(values) and not cancel[0]:
        part = slice(first, min(first + size, len(values)))
        began = time.perf_counter()
        rows = np.stack([here, starts[0]]) if carried else starts[part]
        results = engine.run(values[part], periods[part], rows, carried, cancel)
        if results is None:
            return
        here = results["end"][-1]
        facts = {name: results["facts"][:, k] for k, name in enumerate(FACT_NAMES)}
        yield Found(first, values[part], results["samples"], facts, results["exponent"], results["end"])
        first = part.stop
        spent = max(time.perf_counter() - began, 1e-6)
        size = int(np.clip(size * BATCH_SECONDS / spent, 1, min(2 * size, LARGEST_BATCH)))

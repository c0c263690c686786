"""Basins on a plane of starts, coarse first, then finer where neighbours end differently.

The starts form a grid of n x n cells, n a power of two times the coarsest step. A level visits every ``step``-th cell;
a cell of the next level is computed only if the visited cells around it do not all lead to the same attractor, and has
their attractor otherwise. A basin that no visited cell has met is missed, as it is by any grid of that step.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.attractors.basins import IMPOSSIBLE, grid_points
from jounce.analysis.attractors.matching import Found, Matcher, new_matcher
from jounce.analysis.attractors.search import FACT_NAMES, KEPT_NAMES, AttractorSearch
from jounce.analysis.attractors.work import Job, run_job, thread_count

if TYPE_CHECKING:
    from jounce.system.state import State

COARSEST = 16
PORTION = 64  # cells of one piece of work
UNKNOWN = -2  # not visited yet


@dataclass(frozen=True, eq=False)
class Level:
    """Some cells of a level.

    step    from cell to cell of this level: each stands for a block of step x step
    cells   their places in the grid, row * n + column, the first axis along the rows
    labels  their attractors in the order in which they are met; -1: inside a surface
    share   of the level that is done
    """

    step: int
    cells: np.ndarray
    labels: np.ndarray
    share: float


class Refinement:
    """One plane of starts and what is known of it."""

    def __init__(self, search: AttractorSearch, axes: dict[str, np.ndarray], base: State, match: float = 1e-4) -> None:
        """``axes`` has two entries of equal length."""
        self.search = search.settled(np.zeros(1))
        self.period = float(self.search.periods(np.zeros(1))[0])
        self.starts = grid_points(self.search, axes, base, self.period)
        self.n = round(np.sqrt(len(self.starts)))
        self.labels = np.full((self.n, self.n), UNKNOWN, np.int64)
        self.matcher: Matcher = new_matcher(self.search.map, base, axes, match)
        self.facts: list[dict[str, int]] = []  # of every attractor, as its first cell found them
        self.columns = [0, *range(len(KEPT_NAMES), len(self.search.quantities))]

    def run(self, cancel: np.ndarray) -> Iterator[Level]:
        """All levels; ends early once ``cancel[0]`` is not zero."""
        step = COARSEST
        with ThreadPoolExecutor(thread_count(None)) as pool:
            while step >= 1 and not cancel[0]:
                yield from self._level(step, pool, cancel)
                step //= 2

    def _level(self, step: int, pool: ThreadPoolExecutor, cancel: np.ndarray) -> Iterator[Level]:
        copied, wanted = self._plan(step)
        if len(copied):
            yield Level(step, copied, self.labels.ravel()[copied], 0.0)
        portions = [wanted[k : k + PORTION] for k in range(0, len(wanted), PORTION)]
        running: list[Future[Any]] = [pool.submit(self._compute, portion, cancel) for portion in portions]
        # labelled in order, whichever thread is faster: the numbers of the attractors do not depend on it
        for k, (portion, future) in enumerate(zip(portions, running, strict=True)):
            results = future.result()
            if results is None:
                for other in running:
                    other.cancel()
                return
            labels = self._label(portion, results)
            self.labels.ravel()[portion] = labels
            yield Level(step, portion, labels, (k + 1) / len(portions))

    def _plan(self, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Cells of this level that take their neighbours' attractor, and those that must be computed."""
        mesh = np.meshgrid(*(np.arange(0, self.n, step),) * 2, indexing="ij")
        rows, columns = (part.ravel() for part in mesh)
        fresh = self.labels[rows, columns] == UNKNOWN
        rows, columns = rows[fresh], columns[fresh]
        cells = rows * self.n + columns
        if step == COARSEST:
            return cells[:0], cells
        around = self._around(rows, columns, 2 * step)
        alike = (around == around[:, :1]).all(axis=1)
        self.labels.ravel()[cells[alike]] = around[alike, 0]
        return cells[alike], cells[~alike]

    def _around(self, rows: np.ndarray, columns: np.ndarray, coarse: int) -> np.ndarray:
        """The labels of the coarser cells next to each cell, 4 x 4 of them: one ring more than the corners."""
        last = (self.n - 1) // coarse
        row = np.clip(rows[:, None] // coarse + np.arange(-1, 3), 0, last) * coarse
        column = np.clip(columns[:, None] // coarse + np.arange(-1, 3), 0, last) * coarse
        around: np.ndarray = self.labels[row[:, :, None], column[:, None, :]].reshape(len(rows), -1)
        return around

    def _compute(self, cells: np.ndarray, cancel: np.ndarray) -> dict[str, np.ndarray] | None:
        if cancel[0]:
            return None
        nothing = np.zeros(len(cells))
        periods = np.full(len(cells), self.period)
        return run_job(Job(self.search, nothing, periods, self.starts[cells], carried=False), cancel)

    def _label(self, cells: np.ndarray, results: dict[str, np.ndarray]) -> np.ndarray:
        facts = {name: results["facts"][:, k] for k, name in enumerate(FACT_NAMES)}
        possible = np.isfinite(self.starts[cells, : 1 + 2 * self.search.system.n]).all(axis=1)
        labels = np.full(len(cells), IMPOSSIBLE, np.int64)
        points = results["samples"][possible][:, :, self.columns]
        labels[possible] = self.matcher.labels(Found(cells[possible], results["facts"][possible], points))
        for number in range(len(self.facts), len(self.matcher.known)):
            first = int(np.argmax(labels == number))
            self.facts.append({name: int(values[first]) for name, values in facts.items()})
        return labels

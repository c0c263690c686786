"""A density raster: how many points fall on every pixel of a view."""

from __future__ import annotations

import time

import numpy as np

PAUSE = 0.25  # s between two pictures of a raster that fills
MARGIN = 0.04  # room above and below where the range is not given


class Raster:
    """Counts on a grid; the vertical range grows with the points unless it is fixed."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.range = (np.inf, -np.inf)
        self.fixed = False
        self.counts = np.zeros(width * height, np.uint32)
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []
        self._shown = 0.0

    def fix(self, low: float, high: float) -> None:
        """Show this range, whatever the points are."""
        self.range, self.fixed = (low, max(high, np.nextafter(low, np.inf))), True

    def add(self, x: np.ndarray, y: np.ndarray) -> None:
        """Points with x from 0 to 1 and y in its own unit."""
        if not len(y):
            return
        if not self.fixed:
            self._kept.append((x, y.astype(np.float32)))
            low, high = float(y.min()), float(y.max())
            if low < self.range[0] or high > self.range[1]:
                self._widen(min(low, self.range[0]), max(high, self.range[1]))
                return
        self._count(x, y)

    def _widen(self, low: float, high: float) -> None:
        """A larger range: all points so far are counted anew, which the margin makes rare."""
        room = MARGIN * (high - low) or 0.5
        self.range = (low - room, high + room)
        self.counts[:] = 0
        for x, y in self._kept:
            self._count(x, y)

    def _count(self, x: np.ndarray, y: np.ndarray) -> None:
        low, high = self.range
        column = np.minimum((x * self.width).astype(np.int64), self.width - 1)
        row = np.floor((high - y) / (high - low) * self.height).astype(np.int64)
        inside = (row >= 0) & (row < self.height)
        np.add.at(self.counts, row[inside] * self.width + column[inside], 1)

    def due(self) -> bool:
        """Whether it is time for another picture."""
        now = time.perf_counter()
        if now - self._shown < PAUSE:
            return False
        self._shown = now
        return True

    def image(self) -> np.ndarray:
        """Logarithm of the counts as bytes, row by row from the top; 0 where nothing is."""
        most = max(int(self.counts.max(initial=0)), 1)
        shade = np.log1p(self.counts) * (215.0 / np.log1p(most)) + 40.0
        return np.where(self.counts > 0, np.rint(shade), 0.0).astype(np.uint8)

"""A density raster: how many points fall on every pixel of a view."""

from __future__ import annotations

import numpy as np

MARGIN = 0.04  # room above and below where the range is not given


class Raster:
    """Counts on a grid, made when a picture is wanted; the vertical range grows with the points unless it is fixed."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.range = (np.inf, -np.inf)
        self.fixed = False
        self.counts = np.zeros(width * height, np.int64)
        self._new: list[tuple[np.ndarray, np.ndarray]] = []
        self._counted: list[tuple[np.ndarray, np.ndarray]] = []  # kept only where the range may grow

    def fix(self, low: float, high: float) -> None:
        """Show this range, whatever the points are."""
        self.range, self.fixed = (low, max(high, np.nextafter(low, np.inf))), True

    def add(self, x: np.ndarray, y: np.ndarray) -> None:
        """Points with x from 0 to 1 and y in its own unit, to be counted with the next picture."""
        if len(y):
            self._new.append((x, y))

    def count(self) -> None:
        """Count what was added; where the range must grow, all points so far, which the margin makes rare."""
        if not self._new:
            return
        x, y = (np.concatenate(parts) for parts in zip(*self._new, strict=True))
        self._new.clear()
        if not self.fixed:
            low, high = float(y.min()), float(y.max())
            if low < self.range[0] or high > self.range[1]:
                self._widen(min(low, self.range[0]), max(high, self.range[1]))
            self._counted.append((x, y))
        self._count(x, y)

    def _widen(self, low: float, high: float) -> None:
        room = MARGIN * (high - low) or 0.5
        self.range = (low - room, high + room)
        self.counts[:] = 0
        for x, y in self._counted:
            self._count(x, y)

    def _count(self, x: np.ndarray, y: np.ndarray) -> None:
        low, high = self.range
        column = np.minimum((x * self.width).astype(np.int64), self.width - 1)
        row = np.floor((high - y) * (self.height / (high - low)))
        inside = (row >= 0) & (row < self.height)
        pixels = row[inside].astype(np.int64) * self.width + column[inside]
        self.counts += np.bincount(pixels, minlength=len(self.counts))

    def image(self) -> np.ndarray:
        """Logarithm of the counts as bytes, row by row from the top; 0 where nothing is."""
        self.count()
        most = max(int(self.counts.max(initial=0)), 1)
        shades = np.rint(np.log1p(np.arange(most + 1)) * (215.0 / np.log1p(most)) + 40.0).astype(np.uint8)
        shades[0] = 0
        return shades[self.counts]

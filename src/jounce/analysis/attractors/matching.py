"""Which motions end on the same attractor: their section points are compared as sets.

Periodic motions are the same if each point of one has a point of the other within a small distance (whatever their
order, phase or detected period); chaotic ones if most points of one lie near the cloud of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.attractors.table import AttractorKind
from jounce.analysis.scales import start_sizes
from jounce.analysis.sections.recurrence import state_periods
from jounce.kernels.records import attractor_codes as codes

if TYPE_CHECKING:
    from jounce.analysis.sections.section_map import SectionMap
    from jounce.system.state import State

NEAR_IN_CLOUD = 0.05  # of the cloud's extent
MOST_OF_CLOUD = 0.5
CLOUD_POINTS = 2000
MOST_AT_ONCE = 100_000  # distances of points that are computed together


@dataclass
class Known:
    """One attractor met so far: its first cell, its points, how many cells lead to it."""

    kind: AttractorKind
    status: int
    cell: int
    points: np.ndarray
    count: int = 0


@dataclass(frozen=True, eq=False)
class Found:
    """What was found of some cells, in the order of their numbers.

    cells    the numbers
    facts    one row a cell, as kernels/records/attractor_codes.py names them
    points   [cell, point, component], of each as many as its facts say
    """

    cells: np.ndarray
    facts: np.ndarray
    points: np.ndarray

    @property
    def clouds(self) -> np.ndarray:
        """Cells whose points are not the whole of a motion."""
        kind = self.facts[:, codes.KIND]
        whole = (kind == codes.PERIODIC) & (self.facts[:, codes.COUNT] == self.facts[:, codes.PERIOD])
        return ~whole & (kind != codes.REST) & (kind != codes.STOPPED_MOTION)

    def ended_as(self, other: Known) -> np.ndarray:
        """Cells that ended in the same way."""
        return (self.facts[:, codes.KIND] == other.kind) & (self.facts[:, codes.STATUS] == other.status)


class Matcher:
    """Attractors in the order in which they are met.

    periods     of the components of a point (state_periods): 0 none, negative: the component does not count
    sizes       how large the components are; a point that lies further out has its own size
    tolerance   distance relative to that size within which points of periodic motions are the same
    """

    def __init__(self, periods: np.ndarray, sizes: np.ndarray, tolerance: float) -> None:
        self.counts = periods >= 0.0
        self.periods, self.sizes = periods[self.counts], sizes[self.counts]
        self.tolerance = tolerance
        self.known: list[Known] = []

    def labels(self, found: Found) -> np.ndarray:
        """The numbers of the attractors of cells, met in order.

        Cells between two clouds are compared with one known attractor after the other, all at once: a cell has the
        first that is the same, whether the cells before it have met that one or begun it.
        """
        labels = np.empty(len(found.cells), np.int64)
        clouds = np.flatnonzero(found.clouds).tolist()
        for begin, end in zip([0, *(k + 1 for k in clouds)], [*clouds, len(labels)], strict=True):
            self._label_sets(found, np.arange(begin, end), labels)
            if end < len(labels):
                labels[end] = self._label_cloud(found, end)
        return labels

    def _label_cloud(self, found: Found, k: int) -> int:
        points = self._points(found, k)
        for number, other in enumerate(self.known):
            if found.ended_as(other)[k] and self._same_cloud(other, points):
                other.count += 1
                if len(other.points) < CLOUD_POINTS:
                    other.points = np.vstack([other.points, points])
                return number
        return self._begin(found, k)

    def _label_sets(self, found: Found, rows: np.ndarray, labels: np.ndarray) -> None:
        """Label cells whose points are the whole of their motions."""
        number = 0
        while len(rows):
            if number == len(self.known):
                labels[rows[0]] = self._begin(found, int(rows[0]))
                rows = rows[1:]
            other = self.known[number]
            same = found.ended_as(other)[rows]
            same[same] = self._same_sets(other, found, rows[same])
            other.count += int(same.sum())
            labels[rows[same]] = number
            rows = rows[~same]
            number += 1

    def _begin(self, found: Found, k: int) -> int:
        """A new attractor."""
        kind, status = found.facts[k, codes.KIND], found.facts[k, codes.STATUS]
        self.known.append(Known(AttractorKind(int(kind)), int(status), int(found.cells[k]), self._points(found, k), 1))
        return len(self.known) - 1

    def _points(self, found: Found, k: int) -> np.ndarray:
        """The components that count of the points of a cell."""
        return found.points[k, : found.facts[k, codes.COUNT]][:, self.counts]

    def _difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """|a_i - b_j| by components, angles the short way: shape (..., len a, len b, components)."""
        d = a[..., None, :] - b
        turns = np.where(self.periods > 0.0, self.periods, np.inf)
        wrapped = d - np.where(self.periods > 0.0, self.periods, 0.0) * np.round(d / turns)
        return np.abs(wrapped)

    def _same_sets(self, other: Known, found: Found, rows: np.ndarray) -> np.ndarray:
        """Which of these cells have all their points near points of another motion, and that one near theirs."""
        if other.kind is AttractorKind.STOPPED:
            return np.ones(len(rows), dtype=bool)
        counts = found.facts[rows, codes.COUNT]
        if not len(other.points):
            return np.asarray(counts == 0)
        same: np.ndarray = counts > 0
        # most cells of another motion are told apart by their first points
        first = found.points[rows[same], 0][:, self.counts]
        size = np.maximum(np.abs(first), self.sizes)[:, None, :]
        same[same] = (self._difference(first, other.points) / size).max(axis=2).min(axis=1) <= self.tolerance
        more = np.flatnonzero(same & ((counts > 1) | (len(other.points) > 1)))
        for count in np.unique(counts[more]).tolist():  # cells with as many points all at once
            cells = more[counts[more] == count]
            at_once = max(1, MOST_AT_ONCE // (count * len(other.points)))
            for part in np.split(cells, range(at_once, len(cells), at_once)):
                same[part] = self._same_set(other, found.points[rows[part], :count][:, :, self.counts])
        return same

    def _same_set(self, other: Known, points: np.ndarray) -> np.ndarray:
        """Of cells with the same number of points: (cell, point, component)."""
        size = np.maximum(np.abs(points), self.sizes)[:, :, None, :]
        distance = (self._difference(points, other.points) / size).max(axis=3)
        farthest = np.maximum(distance.min(axis=1).max(axis=1), distance.min(axis=2).max(axis=1))
        return np.asarray(farthest <= self.tolerance)

    def _same_cloud(self, other: Known, points: np.ndarray) -> bool:
        """Whether most of some points lie near the cloud of others."""
        if not len(points) or not len(other.points):
            return len(points) == len(other.points)
        extent = np.ptp(np.vstack([points, other.points]), axis=0)
        distance = (self._difference(points, other.points) / np.where(extent > 0.0, extent, 1.0)).max(axis=2)
        return bool(np.mean(distance.min(axis=1) <= NEAR_IN_CLOUD) >= MOST_OF_CLOUD)


def new_matcher(section_map: SectionMap, base: State, axes: Mapping[str, np.ndarray], tolerance: float) -> Matcher:
    """A matcher for points (t, q, u) of a section, reached from a grid of starts: sizes are those of the starts.

    The time counts where the section leaves it free.
    """
    system = section_map.system
    free = not section_map.timeless and section_map.section.kind != "phase"
    period = system.period(section_map.parameters) if free else None
    sizes = start_sizes(system, section_map.parameters, base, axes)
    return Matcher(
        np.concatenate([[period or -1.0], state_periods(system)]), np.concatenate([[period or 1.0], sizes]), tolerance
    )

"""Which motions end on the same attractor: their section points are compared as sets.

Periodic motions are the same if each point of one has a point of the other within a small distance (whatever their
order, phase or detected period); chaotic ones if most points of one lie near the cloud of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.attractors.table import AttractorKind
from jounce.analysis.scales import start_sizes
from jounce.analysis.sections.recurrence import state_periods

if TYPE_CHECKING:
    from jounce.analysis.sections.section_map import SectionMap
    from jounce.system.state import State

NEAR_IN_CLOUD = 0.05  # of the cloud's extent
MOST_OF_CLOUD = 0.5
CLOUD_POINTS = 2000


@dataclass
class Known:
    """One attractor met so far: its first cell, its points, how many cells lead to it."""

    kind: AttractorKind
    status: int
    cell: int
    points: np.ndarray
    count: int = 0
    scale: np.ndarray = field(default_factory=lambda: np.ones(0))


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

    def label(self, cell: int, kind: AttractorKind, status: int, points: np.ndarray, whole: bool) -> int:
        """The number of the attractor with these points; ``whole``: they are the whole of a periodic motion."""
        points = points[:, self.counts]
        cloud = not whole and kind not in (AttractorKind.REST, AttractorKind.STOPPED)
        for number, other in enumerate(self.known):
            if other.kind is kind and other.status == status and self._same(other, points, cloud):
                other.count += 1
                if cloud and len(other.points) < CLOUD_POINTS:
                    other.points = np.vstack([other.points, points])
                return number
        self.known.append(Known(kind, status, cell, points, 1))
        return len(self.known) - 1

    def _difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """|a_i - b_j| by components, angles the short way: shape (len a, len b, components)."""
        d = a[:, None, :] - b[None, :, :]
        turns = np.where(self.periods > 0.0, self.periods, np.inf)
        wrapped = d - np.where(self.periods > 0.0, self.periods, 0.0) * np.round(d / turns)
        return np.abs(wrapped)

    def _same(self, other: Known, points: np.ndarray, cloud: bool) -> bool:
        if other.kind is AttractorKind.STOPPED or not len(points) or not len(other.points):
            return len(points) == len(other.points) or other.kind is AttractorKind.STOPPED
        if not cloud:
            size = np.maximum(np.abs(points), self.sizes)[:, None, :]
            first = self._difference(points[:1], other.points) / size[:1]
            if first.max(axis=2).min() > self.tolerance:
                return False
            distance = (self._difference(points, other.points) / size).max(axis=2)
            return bool(max(distance.min(axis=0).max(), distance.min(axis=1).max()) <= self.tolerance)
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

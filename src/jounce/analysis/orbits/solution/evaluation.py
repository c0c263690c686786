"""The equations of a periodic orbit at one guess: see shooting.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats

if TYPE_CHECKING:
    from jounce.analysis.stability.variation import Variation


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The equations at one guess.

    residual, jacobian   R and dR/d(reduced unknowns)
    expand               reduced unknowns -> changes of the guess: states move along their constraints only
    closure              the largest jump at a node, relative to the sizes of the variables
    segments             the flow from node to node
    sizes                of the variables, in which bases are orthonormal
    errors               the jumps at the ends of the segments, in sizes
    """

    residual: Floats
    jacobian: Floats
    expand: Floats
    closure: float
    segments: tuple[Variation, ...]
    bases: tuple[Floats, ...]
    sizes: Floats
    errors: tuple[Floats, ...] = ()

    @property
    def full(self) -> Floats:
        """The errors at the nodes that are arrived at, in all components: what ``residual`` is the projection of."""
        return np.concatenate([self.errors[node - 1] for node in range(len(self.errors))])

    def lifted(self, left: Floats) -> Floats:
        """A vector on the residual as one on ``full``: bases may turn from guess to guess, all components do not."""
        ends = np.cumsum([basis.shape[1] for basis in self.bases])
        parts = np.split(left[: ends[-1]], ends[:-1])
        return np.concatenate([basis @ part for basis, part in zip(self.bases, parts, strict=True)])

    @property
    def matrices(self) -> list[Floats]:
        """d z(end)/d z(start) of every segment, in sizes of the variables."""
        return [segment.matrix * self.sizes / self.sizes[:, None] for segment in self.segments]

    @cached_property
    def monodromy(self) -> Floats:
        """d z(T)/d z(0) at the first node."""
        total = np.eye(len(self.segments[0].matrix))
        for segment in self.segments:
            total = segment.matrix @ total
        return total

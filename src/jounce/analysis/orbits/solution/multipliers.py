"""The multipliers of an orbit: the eigenvalues of its monodromy matrix, the trivial ones told apart exactly.

An autonomous orbit is shifted along itself by a perturbation along f = z': M f = f. Written in an orthonormal basis
that begins with f the matrix is block triangular, so the others are the eigenvalues of what remains, without a search
for the one that is nearest to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from jounce.model.names import is_integral

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.evaluation import Evaluation
    from jounce.analysis.orbits.solution.shooting import Shooting

#: Multipliers are known to about this, where closed forms tell; of strongly unstable orbits relative to the largest.
NEUTRAL, _RELATIVE = 1e-9, 1e-13


def _none() -> np.ndarray:
    return np.zeros(0, dtype=complex)


@dataclass(frozen=True, eq=False)
class Multipliers:
    """values: all of them, by modulus; trivial: which are 1 for every orbit; reduced: of ``reduced_monodromy``."""

    values: np.ndarray = field(default_factory=_none)
    trivial: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    reduced: np.ndarray = field(default_factory=_none)

    @property
    def nontrivial(self) -> np.ndarray:
        """Those that decide stability."""
        chosen: np.ndarray = self.values[~self.trivial]
        return chosen

    @property
    def width(self) -> float:
        """How near to the unit circle a multiplier is on it, as far as it is known."""
        return NEUTRAL + _RELATIVE * self.radius

    @property
    def unstable(self) -> int:
        """How many lie outside the unit circle."""
        return int(np.sum(np.abs(self.nontrivial) > 1.0 + self.width))

    @property
    def neutral(self) -> int:
        """How many lie on the unit circle, as far as they are known."""
        return int(np.sum(np.abs(np.abs(self.nontrivial) - 1.0) <= self.width))

    @property
    def radius(self) -> float:
        """The largest modulus of the nontrivial ones."""
        return float(np.abs(self.nontrivial).max(initial=0.0))


def reduced_monodromy(problem: Shooting, evaluation: Evaluation) -> np.ndarray:
    """The monodromy matrix on the constraints, without trivial directions."""
    basis, sizes = evaluation.bases[0], evaluation.sizes
    matrix = basis.T @ (evaluation.monodromy * sizes / sizes[:, None]) @ basis
    if problem.multiple == 0:
        along = basis.T @ (evaluation.segments[0].rate_start / sizes)
        along /= np.linalg.norm(along)
        across = np.linalg.svd(along[None, :])[2][1:]
        matrix = across @ matrix @ across.T
    reduced: np.ndarray = matrix
    return reduced


def multipliers_of(problem: Shooting, evaluation: Evaluation) -> Multipliers:
    """Nontrivial multipliers, trivial ones, and zeros for the directions that constraints take away."""
    reduced = np.linalg.eigvals(reduced_monodromy(problem, evaluation))
    nontrivial = reduced.astype(complex)
    ones = (problem.multiple == 0) + len(problem.symmetry.ignorable)
    missing = problem.width - len(problem.fixed(0)) - len(nontrivial) - (problem.multiple == 0)
    internal = sum(is_integral(name) for name in problem.system.coordinate_names)  # their integrals are no variables
    trivial = np.ones(ones - internal, dtype=complex)
    values = np.concatenate([nontrivial, np.zeros(missing), trivial])
    marks = np.concatenate([np.zeros(len(nontrivial) + missing, dtype=bool), np.ones(len(trivial), dtype=bool)])
    order = np.lexsort((-values.imag, -values.real, -np.round(np.abs(values), 12)))
    return Multipliers(values[order], marks[order], reduced)

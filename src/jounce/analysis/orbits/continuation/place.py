"""A point of a branch with all that the next step of a walk needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.signature import Signature

if TYPE_CHECKING:
    from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
    from jounce.analysis.orbits.solution.shooting import Shooting

Equations = TypeVar("Equations")
Found = TypeVar("Found", bound="PeriodicOrbit | Equilibrium")


@dataclass(frozen=True, eq=False)
class Stability:
    """The multipliers or eigenvalues that decide stability, seen from its border: the unit circle, the imaginary axis.

    values     all of them
    unstable   how many lie beyond the border
    neutral    how many lie on it, as far as they are known
    margin     how far the nearest is from it
    width      how near to it one lies on it, as far as it is known
    trusted    whether the motion has a derivative at all of its events
    """

    values: np.ndarray
    unstable: int
    neutral: int
    margin: float
    width: float
    trusted: bool = True


@dataclass(frozen=True, eq=False)
class Place(Generic[Equations, Found]):
    """A point of a branch.

    equations    whose solution it is, and with which the next step is solved
    unknowns     the free parameters are the last of them
    direction    of the branch, turned the way ahead, of unit length in the metric
    solution     the orbit or equilibrium
    tests        test functions of bifurcations
    """

    equations: Equations
    unknowns: Floats
    evaluation: Any
    direction: Floats
    solution: Found
    tests: dict[str, float]
    stability: Stability

    @property
    def value(self) -> float:
        """The parameter; of two, the second."""
        return float(self.unknowns[-1])

    @property
    def signature(self) -> Signature:
        """The events of the motion, in order."""
        return self.solution.signature


OrbitPlace: TypeAlias = "Place[Shooting, PeriodicOrbit]"

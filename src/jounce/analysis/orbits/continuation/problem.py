"""What a walk along a branch asks of the thing that it follows: all that differs from one kind of branch to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jounce.analysis.orbits.solution.mode_surface import Floats

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.branch import BranchPoint, Solution
    from jounce.analysis.orbits.continuation.place import Place
    from jounce.analysis.orbits.continuation.walk import Walk


@dataclass(frozen=True)
class Pace:
    """Steps, in units of the largest one.

    first      the length of the first one
    smallest   where the search for a continuation is given up
    growth     by how much the next one is longer if Newton's method was quick
    """

    first: float = 0.25
    smallest: float = 1e-5
    growth: float = 1.6


@dataclass(frozen=True)
class Freedom:
    """A parameter that is free along a branch: its name, its bounds and the largest step in it."""

    name: str
    low: float
    high: float
    span: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the bounds."""
        return self.low <= value <= self.high


class Problem(ABC):
    """A family of solutions with one unknown more than equations.

    pace       of its steps
    free       its parameters, which are the last unknowns in this order
    turn       the test function that vanishes where the parameter turns
    spectrum   what decides its stability, in words
    accuracy   to which a bifurcation is known at best
    """

    pace = Pace()
    turn = ""
    spectrum = ""
    accuracy = 0.0

    def __init__(self, free: tuple[Freedom, ...]) -> None:
        self.free = free

    @abstractmethod
    def begin(self, walk: Walk) -> Place[Any, Any]:
        """The first place of a walk, whose metric is set on the way."""

    @abstractmethod
    def place(
        self, walk: Walk, equations: Any, unknowns: Floats, evaluation: Any, direction: Floats, solution: Any = None
    ) -> Place[Any, Any]:
        """The place of unknowns that solve the equations; ``solution`` if it is known."""

    @abstractmethod
    def solution(self, equations: Any, unknowns: Floats) -> Solution:
        """The orbit or equilibrium of unknowns that solve the equations."""

    @abstractmethod
    def point(self, solution: Solution) -> BranchPoint:
        """What a branch keeps of a solution."""

    @abstractmethod
    def is_same(self, first: BranchPoint, there: Place[Any, Any]) -> bool:
        """Whether a place, at the parameter of the first point, is that point."""

    def prepared(self, walk: Walk, here: Place[Any, Any]) -> tuple[Place[Any, Any], str]:
        """The same place, ready for a step; or the reason why there is none."""
        return here, ""

    def missed(self, walk: Walk, here: Place[Any, Any], there: Place[Any, Any] | None) -> tuple[Place[Any, Any], str]:
        """Where to go on from if a step leads nowhere (None) or to another signature; or the reason to end."""
        words = "Newton's method no longer converges" if there is None else "the signature changes"
        return walk.shortened(here, f"{words} beyond {self.at(here)}")

    def at(self, here: Place[Any, Any]) -> str:
        """The free parameters at a place, in words."""
        values = here.unknowns[-len(self.free) :].tolist()
        return ", ".join(f"{free.name} = {value:.9g}" for free, value in zip(self.free, values, strict=True))

    def passed(self, walk: Walk, here: Place[Any, Any], there: Place[Any, Any]) -> str:
        """Note the bifurcations between two places; the reason if the branch ends at one of them."""
        return ""

    def otherwise(self, walk: Walk, here: Place[Any, Any], guess: Floats, length: float) -> Place[Any, Any] | None:
        """What ``Walk.solve`` gives, the motion computed in another way; None where there is no other way."""
        return None

    def memory(self, here: Place[Any, Any]) -> dict[str, Any] | None:
        """What a walk that is interrupted needs to go on from here, as JSON keeps it; None where it begins anew."""
        return None

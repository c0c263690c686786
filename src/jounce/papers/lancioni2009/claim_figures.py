"""How a claim of Lancioni et al. (2009) is drawn: orbits, either side of a threshold, diagrams, equilibria."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.lancioni2009 import figures as wiper_figures
from jounce.papers.lancioni2009.motion import Attractor
from jounce.papers.lancioni2009.thresholds import HARMONIC, threshold_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE = "Simulation 1: m1 = 0.1, k_phi = 100"
TWO = "Simulation 2: m1 = 0.4, k_phi = 25"
SINE = "belt sin(2πt/4)"


def figures() -> Any:
    """The drawing functions, imported only when a picture is made."""
    return wiper_figures


def threshold_claim(
    name: str,
    statement: str,
    where: str,
    parameters: str,
    printed: str,
    figure: Callable[[float], Figure],
    expected: Verdict = Verdict.HOLDS,
    note: str = "",
    other: tuple[str, str] | None = None,
) -> Claim:
    """A claim about a threshold, computed and drawn from the same value.

    other   words and the name of the threshold that another reading of the claim would give
    """
    return Claim(
        name,
        statement,
        where,
        parameters,
        printed,
        lambda: threshold_of(name),
        lambda: figure(threshold_of(name)),
        expected,
        note,
        None if other is None else lambda: f"{other[0]}: {threshold_of(other[1]):.6f}",
    )


def sides(parameter: str, delta: float, start: Any = None, **fixed: Any) -> Callable[[float], Figure]:
    """The settled orbit just below and just above."""
    return lambda value: figures().either_side(parameter, value, delta, start, **fixed)


def diagram(parameter: str, low: float, high: float, **fixed: Any) -> Callable[[float], Figure]:
    """The largest velocity of the settled motion against a parameter."""
    return lambda value: figures().branch(parameter, low, high, value, **fixed)


def equilibria(parameter: str, quantity: str, low: float, high: float, **fixed: Any) -> Callable[[float], Figure]:
    """A quantity of the sliding equilibrium against a parameter."""
    return lambda value: figures().equilibrium_curve(parameter, quantity, low, high, value, **fixed)


def orbits(*cases: dict[str, Any], span: float = 0.6, settle: float = 60.0) -> Callable[[], Figure]:
    """Settled orbits side by side."""

    def draw() -> Figure:
        motions = []
        for case in cases:
            title = ", ".join(f"{key} = {value:.4g}" for key, value in case.items() if key not in HARMONIC)
            motions.append((title, Attractor(settle=settle, **case)))
        return figures().orbit_panels(motions, span=span)

    return draw

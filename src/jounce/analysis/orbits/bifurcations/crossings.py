"""Bifurcations between two neighbouring places of a branch: located, with an honest uncertainty, and none left out.

Every test function that changes its sign has a zero, and every zero moves multipliers across the unit circle
(eigenvalues across the imaginary axis): a fold, branch point or flip one, a Neimark-Sacker or Hopf point two. If their
number changes and the zeros that were found do not add up to that the stretch is divided, and what remains unexplained
at last is reported as such: stability never changes without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Protocol

import numpy as np

from jounce.analysis.orbits.bifurcations.test_functions import CROSSES, PAIRS, confirmed, find_zero, has_balanced_pair
from jounce.analysis.orbits.continuation.arclength import Metric
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.errors import SimulationError

#: Test functions that vanish where the parameter turns.
_TURNS = ("fold", "limit_point")
#: Halvings of a stretch whose crossings do not add up.
_DIVISIONS = 4
#: Places from which a zero's polynomial is made, its degree, and how wide they are spread, in lengths of the stretch.
_PLACES, _DEGREE = 9, 5
#: Places closer together than this, in lengths of the stretch, are one for a prediction.
_APART = 0.01
_WINDOWS = (0.25, 0.06, 0.015)
#: Around a zero that is met exactly noise is looked at this wide, with polynomials of this degree.
_NOISE_WINDOW, _NOISE_DEGREE = 0.01, 3
#: Multipliers are known to the tolerance with which orbits are integrated at best, relative to their size.
_ROUNDING = 1e-12
#: A parameter that changes by less than this part of its extent along a stretch stands still.
_UNMOVED = 1e-9
#: Rounding of a motion of some hundred steps reaches this many units in the last place of the parameter.
_LEAST_ULPS = 64.0
#: How many standard deviations of the noise are stated.
_SIGMAS = 3.0


class Curve(Protocol):
    """What is followed, and its places: see walk.py and place.py."""

    @property
    def metric(self) -> Metric:
        """How far apart two places are."""

    @property
    def extent(self) -> float:
        """How large the parameter is."""

    def solve(self, here: Any, guess: Floats, length: float) -> Any:
        """The place at a length ahead of ``here``, from a guess."""

    def otherwise(self, here: Any, guess: Floats, length: float) -> Any:
        """The same computed in another way: the difference is what either may be off by; None where there is none."""


@dataclass(frozen=True, eq=False)
class Zero:
    """A bifurcation: where on the stretch, the parameter there and how surely, the place nearest to it.

    kind        of the test function; "stability_change" for what could not be resolved
    unknowns    of the solution there
    along       the direction of the branch there; at a branch point the equations alone do not tell it
    """

    kind: str
    at: float
    value: float
    uncertainty: float
    place: Any
    unknowns: Floats
    along: Floats


class Stretch:
    """A branch between two places, as a curve over the length along the first one's tangent."""

    def __init__(self, curve: Curve, here: Any, there: Any) -> None:
        self.curve, self.here = curve, here
        self.length = curve.metric.inner(here.direction, there.unknowns - here.unknowns)
        self.known: dict[float, Any] = {0.0: here, self.length: there}

    def place(self, at: float) -> Any:
        """The place at a length, predicted by the polynomial through those known nearest to it."""
        if at not in self.known:
            self.known[at] = self.curve.solve(self.here, self.unknowns(at), at)
        return self.known[at]

    def zero(self, name: str) -> float:
        """The length at which a test function vanishes that has different signs at the ends."""
        ends = [self.known[at].tests[name] for at in (0.0, self.length)]
        return find_zero(lambda at: float(self.place(at).tests[name]), 0.0, self.length, *ends)

    def unknowns(self, at: float) -> Floats:
        """The unknowns at a length by interpolation."""
        nearest: list[float] = []
        for length in sorted(self.known, key=lambda length: abs(length - at)):
            # apart from one another: differences of neighbours must not drown in what Newton's method leaves
            if all(abs(length - other) > _APART * abs(self.length) for other in nearest) and len(nearest) < _DEGREE:
                nearest.append(length)
        lengths = np.array(nearest)
        total = np.zeros_like(self.here.unknowns)
        for k, length in enumerate(nearest):
            others = np.delete(lengths, k)
            total += self.known[length].unknowns * np.prod((at - others) / (length - others))
        return total


def crossings(curve: Curve, here: Any, there: Any, divisions: int = _DIVISIONS) -> list[Zero]:
    """Every bifurcation between two places of one signature, in order."""
    found = [zero for kind in here.tests if kind in CROSSES if (zero := _zero(curve, here, there, kind)) is not None]
    stretch = Stretch(curve, here, there)
    if _adds_up(here, there, found):
        return sorted(found, key=lambda zero: zero.at)
    middle = None
    if divisions > 0:
        try:
            middle = stretch.place(stretch.length / 2)
        except SimulationError:
            middle = None
    if middle is None:
        return sorted([*found, _unresolved(stretch, there)], key=lambda zero: zero.at)
    first = crossings(curve, here, middle, divisions - 1)
    return [*first, *crossings(curve, middle, there, divisions - 1)]


def _adds_up(here: Any, there: Any, found: list[Zero]) -> bool:
    """Whether the change of the number of unstable directions is the sum of what the zeros can do.

    Directions that are neutral within their accuracy may count on either side.
    """
    before, after = here.stability, there.stability
    change, slack = after.unstable - before.unstable, max(before.neutral, after.neutral)
    if abs(change) <= slack:
        return True
    jumps = [CROSSES[zero.kind] for zero in found]
    reachable = {sum(s * j for s, j in zip(signs, jumps, strict=True)) for signs in product((-1, 1), repeat=len(jumps))}
    return any(abs(change - total) <= slack for total in reachable)


def _unresolved(stretch: Stretch, there: Any) -> Zero:
    """Stability changes in between, and no zero of a test function says how."""
    values = [stretch.here.value, there.value]
    middle, half = float(np.mean(values)), abs(values[1] - values[0]) / 2
    return Zero("stability_change", stretch.length / 2, middle, half, there, there.unknowns, there.direction)


def _zero(curve: Curve, here: Any, there: Any, kind: str) -> Zero | None:
    """The zero of one test function between two places, if it changes its sign there and is what its name says."""
    if not _changes(here.tests[kind], there.tests[kind]):
        return None
    trusted = here.stability.trusted and there.stability.trusted
    if kind not in _TURNS and not trusted:
        return None  # multipliers that are not to be trusted
    if kind == "branch_point" and here.stability.neutral and there.stability.neutral:
        return None  # a family of solutions: singular everywhere
    if kind in PAIRS and _stays_balanced(kind, here.stability, there.stability):
        return None
    stretch = Stretch(curve, here, there)  # of its own: a search that strays to another branch leaves nothing behind
    if kind in _TURNS and trusted and _changes(here.tests["branch_point"], there.tests["branch_point"]):
        return None  # the vertex of a pitchfork, where both tests vanish: a branch point
    try:
        zero = _branch_point(stretch) if kind == "branch_point" else _simple_zero(stretch, kind)
    except (SimulationError, RuntimeError, np.linalg.LinAlgError):
        zero = _turn(stretch, kind) if kind in _TURNS else None
    return zero if zero is not None and confirmed(kind, zero.place.stability.values) else None


def _stays_balanced(kind: str, here: Any, there: Any) -> bool:
    """Whether a pair multiplies to zero at both ends, so that the test function has no sign but that of rounding.

    Without losses multipliers come in pairs a, 1/a (eigenvalues in pairs a, -a) all along a branch.
    """
    balanced = all(has_balanced_pair(kind, end.values, end.width) for end in (here, there))
    return balanced and abs(here.unstable - there.unstable) != 2


def _turn(stretch: Stretch, kind: str) -> Zero:
    """The parameter turns in between, and more is not known."""
    here, there = stretch.here, stretch.known[stretch.length]
    spread = abs(here.value - there.value) + stretch.length * max(abs(p.tests[kind]) for p in (here, there))
    return Zero(kind, stretch.length / 2, here.value, spread, here, here.unknowns, here.direction)


def _changes(a: float, b: float) -> bool:
    """Whether the sign changes; zero counts as positive, so that a place that lies on a bifurcation hides none."""
    return (a >= 0.0) != (b >= 0.0)


def _simple_zero(stretch: Stretch, kind: str) -> Zero | None:
    """A zero at which Newton's method works as anywhere: met exactly, its noise seen from places around it."""
    here, there = stretch.here, stretch.known[stretch.length]
    at = stretch.zero(kind)
    best = stretch.place(at)
    moved = max(abs(here.value - best.value), abs(there.value - best.value))
    if kind in _TURNS and moved < _UNMOVED * stretch.curve.extent:
        return None  # next to a Hopf point the parameter hardly moves: its direction is rounding
    samples = _around(stretch, at, _NOISE_WINDOW)
    tests, values = (_Fit(samples, row, _NOISE_DEGREE) for row in _rows(stretch, samples, kind))
    slope = tests.slope(at)
    rise = values.slope(at) if kind not in _TURNS else 0.0  # at a fold a shift along the branch changes nothing
    off = 0.0 if slope == 0.0 else abs(rise / slope)
    spread = _SIGMAS * (tests.noise * off + values.noise) + off * abs(best.tests[kind])
    spread += _method_effect(stretch, kind, at, off) + (0.0 if kind in _TURNS else _rounding_effect(stretch, samples))
    return Zero(kind, at, best.value, _floored(spread, best.value), best, best.unknowns, best.direction)


def _branch_point(stretch: Stretch) -> Zero | None:
    """Where branches cross the equations are singular: the zero is that of polynomials through places around it.

    Newton's method leaves an error of rounding/|1 - mu| along the other branch, so the nearest places are not the best
    ones. The window shrinks as long as that makes the estimate surer.
    """
    here, there, kind = stretch.here, stretch.known[stretch.length], "branch_point"
    at = stretch.length * here.tests[kind] / (here.tests[kind] - there.tests[kind])
    best: tuple[float, float] | None = None
    samples: list[float] = []
    for window in _WINDOWS:
        tried = _around(stretch, at if best is None else best[0], window)
        found = _Fit(tried, next(_rows(stretch, tried, kind)), _DEGREE).zero(0.0, stretch.length)
        if found is None or (best is not None and found[1] >= best[1]):
            break
        # what Newton's method leaves is alike at places of one window: the window before tells more than their scatter
        moved = 0.0 if best is None else abs(found[0] - best[0])
        best, samples = (found[0], max(found[1], moved)), tried
    if best is None:
        return None
    at, doubt = best
    tests, values = (_Fit(samples, row, _DEGREE) for row in _rows(stretch, samples, kind))
    value, slope, rise = float(values(at)), tests.slope(at), values.slope(at)
    off = 0.0 if slope == 0.0 else abs(rise / slope)
    nearest = min(samples, key=lambda s: abs(s - at))
    spread = doubt * abs(rise) + _SIGMAS * (tests.noise * off + values.noise)
    spread += _method_effect(stretch, kind, nearest, off) + _rounding_effect(stretch, samples)
    unknowns, along = _on_curve(stretch, samples, at)
    return Zero(kind, at, value, _floored(spread, value), stretch.place(nearest), unknowns, along)


def _on_curve(stretch: Stretch, samples: list[float], at: float) -> tuple[Floats, Floats]:
    """The unknowns and the direction of the branch at a length, from the polynomial through the samples."""
    curve = np.polynomial.chebyshev.chebfit(
        _scaled(samples, samples), np.array([stretch.place(s).unknowns for s in samples]), _DEGREE
    )
    scaled, slopes = _scaled([at], samples), np.polynomial.chebyshev.chebder(curve)
    unknowns = np.asarray(np.polynomial.chebyshev.chebval(scaled, curve)[:, 0], dtype=np.float64)
    along = np.asarray(np.polynomial.chebyshev.chebval(scaled, slopes)[:, 0], dtype=np.float64)
    return unknowns, along / stretch.curve.metric.norm(along)


def _scaled(lengths: list[float], samples: list[float]) -> Floats:
    """Lengths with the samples from -1 to 1."""
    low, high = min(samples), max(samples)
    return (2.0 * np.array(lengths) - low - high) / (high - low)


def _floored(spread: float, value: float) -> float:
    return max(spread, _LEAST_ULPS * float(np.spacing(abs(value))))


def _around(stretch: Stretch, at: float, window: float) -> list[float]:
    """Chebyshev lengths around a point, inside the stretch."""
    half = min(window * stretch.length, max(at, stretch.length - at))
    low, high = max(0.0, at - half), min(stretch.length, at + half)
    angles = np.pi * (np.arange(_PLACES) + 0.5) / _PLACES
    return [float((low + high) / 2 + (high - low) / 2 * np.cos(angle)) for angle in angles[::-1]]


def _rows(stretch: Stretch, samples: list[float], kind: str) -> Iterator[Floats]:
    """The test function and the parameter at the samples."""
    places = [stretch.place(at) for at in samples]
    yield np.array([place.tests[kind] for place in places])
    yield np.array([place.value for place in places])


def _method_effect(stretch: Stretch, kind: str, at: float, off: float) -> float:
    """By how much the zero moves if the motion is computed in another way."""
    place = stretch.place(at)
    try:
        other = stretch.curve.otherwise(stretch.here, place.unknowns, at)
    except SimulationError:
        return 0.0
    if other is None:
        return 0.0
    return float(abs(other.value - place.value) + off * abs(other.tests[kind] - place.tests[kind]))


def _rounding_effect(stretch: Stretch, samples: list[float]) -> float:
    """What the rounding of a multiplier, relative to its size, makes of the parameter at which it is critical."""
    ends = [stretch.place(at) for at in (min(samples), max(samples))]
    change = sum(end.stability.margin for end in ends)
    return _ROUNDING * abs(ends[1].value - ends[0].value) / change if change > 0.0 else 0.0


class _Fit:
    """A least-squares polynomial through samples: its value, slope, zero, and the noise that it leaves."""

    def __init__(self, lengths: list[float], values: Floats, degree: int) -> None:
        self.lengths, self.values = np.array(lengths), values
        self.fit = np.polynomial.Chebyshev.fit(self.lengths, values, degree)
        self.lower = np.polynomial.Chebyshev.fit(self.lengths, values, degree - 1)
        freedom = max(len(values) - degree - 1, 1)
        self.noise = float(np.sqrt(np.sum((self.fit(self.lengths) - values) ** 2) / freedom))

    def __call__(self, at: float) -> float:
        return float(self.fit(at))

    def slope(self, at: float) -> float:
        """The derivative."""
        return float(self.fit.deriv()(at))

    def zero(self, low: float, high: float) -> tuple[float, float] | None:
        """The zero between the samples and how far that of the next lower degree is from it; None without one."""
        found = [_zero_of(polynomial, self.lengths, low, high) for polynomial in (self.fit, self.lower)]
        if found[0] is None or found[1] is None:
            return None
        slope = abs(self.slope(found[0]))
        doubt = abs(found[0] - found[1]) + (self.noise / slope if slope > 0.0 else np.inf)
        return found[0], doubt


def _zero_of(polynomial: Any, lengths: Floats, low: float, high: float) -> float | None:
    from scipy.optimize import brentq

    grid = np.clip(np.concatenate([[low if len(lengths) == 0 else lengths.min()], lengths, [lengths.max()]]), low, high)
    for a, b in pairwise(grid.tolist()):
        if polynomial(a) * polynomial(b) <= 0.0 and a < b:
            return float(brentq(polynomial, a, b, xtol=1e-15 * max(abs(a), abs(b)), rtol=1e-15))
    return None

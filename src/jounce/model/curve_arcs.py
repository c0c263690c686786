"""What is known of a curve (x(s), y(s)): that it is one, and its arcs with bounds on its derivatives.

A curve is given by a text of [x, y, start, end, open, ranges]: trees in its parameter S and in the symbols of the
values that it depends on, the two ends of S, and the least and the largest of each of these values; a closed curve of
numbers has no more than the first four. In place of x and y there may be {"place": x, "slope": x'}, where a derivative
by SymPy would have wide bounds. Bounds hold for all values in their ranges. That the curve is closed and does
not cross itself is asked at the ends and in the middle of the ranges.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError
from jounce.model import closest
from jounce.model.curves import ROUGH, Curve
from jounce.model.intervals import Interval, NoRuleError, interval_of
from jounce.model.numeric import numpy_function

Pair = tuple[Any, Any]

BOUND = "s."  # the name of the parameter in trees: no name of a model has a dot
#: The parameter of every curve.
S = sp.Symbol(BOUND, real=True)
MOST_VALUES = 6
#: The values that a curve depends on.
VALUES = tuple(sp.Symbol(f"v{j}.", real=True) for j in range(MOST_VALUES))
_KINKS = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, sp.atan2)
MOST_NODES = 400  # of both expressions: each is differentiated three times
_FIRST_ARCS, _MOST_ARCS = 16, 1024
_SHORTEST = 1e-6  # half an arc, as a part of the whole parameter
#: How far an arc may lie from its tangent, as a part of the size of the curve, and by which angle it may turn.
_FLAT, _TURN = 0.01, 0.25
_TURN_AT_MOST = 1.0  # where the bound on the turn holds for all values in ranges, and one curve turns by much less
#: Of the size of the curve: by how much its end may miss its start.
_CLOSES = 1e-9
_CROSSINGS = 256  # corners of the polygon that is asked whether the curve crosses itself
_FAR = 1e6  # sizes of an open curve after which its straight ends are no longer looked at
_TURN_OF_ANGLE, _EVERYWHERE = (-math.pi, math.pi), (-sys.float_info.max, sys.float_info.max)
_MOST_BOXES = 20_000  # intervals of the parameter and the values together that a question is divided into


@dataclass(frozen=True)
class Measured:
    """A curve that has been found to be closed or open, regular, simple, and counter-clockwise if it is closed.

    arcs     closest.ARC numbers each; where the curve depends on values, places of arcs are those in the middle
    ranges   of the values that it depends on
    limits   outside of which there are no bounds: the ranges, and nothing for an angle over whose turn it repeats
    """

    start: float
    end: float
    size: float
    is_open: bool
    ranges: tuple[Interval, ...]
    limits: tuple[Interval, ...]
    arcs: tuple[float, ...]
    point: Callable[..., list[float]]

    @property
    def ends(self) -> tuple[float, ...]:
        """What the search knows of the curve as a whole (closest.py)."""
        return self.start, self.end, self.size, float(self.is_open), float(len(self.ranges))

    def profile(self, s: float, values: Any, point: list[float]) -> None:
        """c, c', c'' at s."""
        point[:] = self.point(s, values)

    @property
    def rows(self) -> np.ndarray:
        """The arcs, one a row."""
        return np.array(self.arcs).reshape(-1, closest.ARC)

    def curvature(self, s: float, values: Any = ()) -> float:
        """Positive where the curve turns to the left."""
        _, _, dx, dy, ddx, ddy = self.point(s, values)
        return float((dx * ddy - dy * ddx) / math.hypot(dx, dy) ** 3)

    def samples(self) -> list[tuple[float, ...]]:
        """Values in their ranges: the ends and the middles of all."""
        return list(product(*((low, 0.5 * (low + high), high) for low, high in self.ranges)))


def hollow(content: str) -> float | None:
    """A parameter at which the curve is straight or hollow; None where it is convex everywhere, by bounds."""
    return _bent(content, lambda bend, _: bend[0] > 0.0, lambda curvature: not curvature > 0.0)


def too_sharp(content: str, sign: float, radius: float) -> float | None:
    """A parameter at which the curvature, times sign, is not less than 1/radius; None where bounds say that it is."""
    return _bent(
        content,
        lambda bend, speed: max(sign * bend[0], sign * bend[1]) * radius < speed**3,
        lambda curvature: sign * curvature * radius >= 1.0,
    )


def _bent(content: str, excluded: Callable[[Interval, float], bool], found: Callable[[float], bool]) -> float | None:
    """A parameter at which a curvature is found that ranges of x'y'' - y'x'' and a least speed do not exclude.

    Intervals on which bounds leave it open are halved, the parameter or one of the values that the curve depends on;
    what stays open on the shortest ones counts as found.
    """
    curve, orders = measured(content), derivatives(content)
    whole = [(curve.start, curve.end), *curve.ranges]
    todo = [[(float(row[0]), float(row[1])), *curve.ranges] for row in curve.rows]
    seen = 0
    while todo:
        box = todo.pop()
        seen += 1
        first, second = ([_range(part, box) for part in orders[order]] for order in (1, 2))
        if excluded(_bend(first, second), _slowest(first)):
            continue
        middle = [0.5 * (low + high) for low, high in box]
        widths = [_part(box[k], whole[k]) for k in range(len(box))]
        if found(curve.curvature(middle[0], middle[1:])) or max(widths) < _SHORTEST or seen > _MOST_BOXES:
            return middle[0]
        todo += _halved(box, widths.index(max(widths)))
    return None


def _range(part: sp.Expr, box: list[Interval]) -> Interval:
    """Of an expression of the parameter and the values, which are in these intervals."""
    return interval_of(part, dict(zip((S, *VALUES), box, strict=False)))


def _bend(first: list[Interval], second: list[Interval]) -> Interval:
    """x'y'' - y'x''."""
    return _difference(_times(first[0], second[1]), _times(first[1], second[0]))


def _slowest(first: list[Interval]) -> float:
    """The least |c'|."""
    return math.hypot(*(max(low, -high, 0.0) for low, high in first))


def _part(interval: Interval, whole: Interval) -> float:
    return (interval[1] - interval[0]) / (whole[1] - whole[0])


def _halved(box: list[Interval], k: int) -> list[list[Interval]]:
    low, high = box[k]
    middle = 0.5 * (low + high)
    return [[*box[:k], half, *box[k + 1 :]] for half in ((low, middle), (middle, high))]


@lru_cache(maxsize=64)
def parts(content: str) -> tuple[Any, Any, float, float, bool, tuple[Interval, ...]]:
    """x, y, start, end, whether the curve is open, and the ranges of what it depends on."""
    x, y, start, end, *rest = json.loads(content)
    is_open, ranges = rest or (False, [])
    return x, y, start, end, is_open, tuple((low, high) for low, high in ranges)


@lru_cache(maxsize=64)
def derivatives(content: str) -> tuple[Pair, ...]:
    """(x, y) and their first three derivatives."""
    from jounce.model.trees import from_tree

    known = {symbol.name: symbol for symbol in (S, *VALUES)}

    def orders(given: Any, name: str) -> list[sp.Expr]:
        place, *slope = (given["place"], given["slope"]) if isinstance(given, dict) else (given,)
        found = [from_tree(place, known, name)]
        found.append(from_tree(slope[0], known, name) if slope else sp.diff(found[0], S))
        found.append(sp.diff(found[1], S))
        return [*found, sp.diff(found[2], S)]

    x, y, *_ = parts(content)
    return tuple(zip(orders(x, "curve: x"), orders(y, "curve: y"), strict=True))


@lru_cache(maxsize=64)
def measured(content: str) -> Measured:
    """Divide a curve into arcs, and check it."""
    _, _, start, end, is_open, ranges = parts(content)
    orders = derivatives(content)
    given = VALUES[: len(ranges)]
    function = numpy_function([S, *given], [part for pair in orders[:3] for part in pair])

    def point(s: float, values: Any = ()) -> list[float]:
        return [float(number) for number in function(s, *values[: len(given)])]

    curve = Measured(start, end, 0.0, is_open, ranges, ranges, (), point)
    with np.errstate(all="ignore"):
        sizes = [_check_closed(curve, values) for values in curve.samples()]
        numbers = tuple(number for arc in _arcs(orders, curve, min(sizes)) for number in arc)
        for values in curve.samples():
            _check_simple(curve, values)
    limits = tuple(_EVERYWHERE if _repeats(curve, k, max(sizes)) else ends for k, ends in enumerate(ranges))
    return replace(curve, size=max(sizes), limits=limits, arcs=numbers)


def _repeats(curve: Measured, k: int, size: float) -> bool:
    """Whether a value is an angle from -pi to pi after which the curve is where it was."""
    if curve.ranges[k] != _TURN_OF_ANGLE:
        return False
    middles = [0.5 * (low + high) for low, high in curve.ranges]
    first, last = ([*middles[:k], end, *middles[k + 1 :]] for end in _TURN_OF_ANGLE)
    places = np.linspace(curve.start, curve.end, 65)
    return all(math.dist(curve.point(s, first)[:2], curve.point(s, last)[:2]) <= _CLOSES * size for s in places)


def check_expressions(place: list[sp.Expr], start: float, end: float, ranges: Any = ()) -> None:
    """What expressions of a curve may hold."""
    if len(ranges) > MOST_VALUES:
        raise ModelError(f"curve: it depends on {len(ranges)} parameters; at most {MOST_VALUES}")
    for low, high in ranges:
        if not -math.inf < low < high < math.inf:
            raise ModelError(f"curve: a range from {low:g} to {high:g}; the largest value must be above the least")
    if not start < end:
        raise ModelError(f"curve: it runs from {start:g} to {end:g}; the end must be larger than the start")
    nodes = sum(1 for part in place for _ in sp.preorder_traversal(part))
    if nodes > MOST_NODES:
        raise ModelError(f"curve: its expressions have {nodes} parts; at most {MOST_NODES}. Give points: jounce.table")
    for part in place:
        strange = part.free_symbols - {S, *VALUES[: len(ranges)]}
        if strange:
            names = ", ".join(sorted(symbol.name for symbol in strange))
            raise ModelError(
                f"curve: {names} in its expressions, which may hold numbers and the curve's parameter only. Of a "
                "parameter of the model say between which values it stays: ranges={name: (least, largest)}"
            )
        kinks = sorted(part.atoms(*_KINKS), key=str)
        if kinks:
            raise ModelError(f"curve: {kinks[0]} is not smooth; a curve needs two continuous derivatives")
        for curve in part.atoms(Curve):
            if curve.args[1].roughness() <= ROUGH:
                raise ModelError(
                    "curve: a table of points joined by lines or by monotone cubics has no continuous curvature; "
                    'use jounce.table(s, ..., kind="periodic"), or kind="spline" for a curve that is open'
                )


def _check_closed(curve: Measured, values: Any) -> float:
    """The size of the curve, whose end must be its start if it is closed."""
    places = np.linspace(curve.start, curve.end, 65)
    samples = np.array([curve.point(s, values) for s in places])
    if not np.isfinite(samples).all():
        s = places[~np.isfinite(samples).all(axis=1)][0]
        raise ModelError(f"curve: at {s:g} its place or a derivative is not a finite number")
    size = float(np.ptp(samples[:, :2], axis=0).max())
    if curve.is_open:
        return size
    sizes = [np.abs(samples[:, k : k + 2]).max() for k in (2, 4)]
    for first, scale, what in ((0, size, "place"), (2, sizes[0], "direction"), (4, sizes[1], "curvature")):
        miss = float(np.abs(samples[-1, first : first + 2] - samples[0, first : first + 2]).max())
        if not miss <= _CLOSES * scale:
            raise ModelError(
                f"curve: it is not closed. Its {what} at {curve.end:g} is not that at {curve.start:g}: they differ by "
                f"{miss:g}. A floor or a hill is a PathOn"
            )
    return size


def _arcs(orders: tuple[Pair, ...], curve: Measured, size: float) -> Iterator[list[float]]:
    """Arcs that are flat, turn by a small angle only and have no place where c' vanishes, all by bounds."""
    marks = np.linspace(curve.start, curve.end, _FIRST_ARCS + 1)
    todo = [(float(a), float(b)) for a, b in pairwise(marks)][::-1]
    done = 0
    middles = [0.5 * (low + high) for low, high in curve.ranges]
    while todo:
        a, b = todo.pop()
        middle, w = 0.5 * (a + b), 0.5 * (b - a)
        box = [(a, b), *curve.ranges]
        try:
            first, second, third = ([_range(part, box) for part in orders[order]] for order in (1, 2, 3))
        except NoRuleError as found:
            raise ModelError(f"curve: {found} has no bounds here; give points: jounce.table") from None
        bound, change = (math.hypot(*(max(map(abs, part)) for part in pair)) for pair in (second, third))
        x, y, dx, dy, _, _ = curve.point(middle, middles)
        speed, turn = (_slowest(first), _TURN_AT_MOST) if curve.ranges else (math.hypot(dx, dy), _TURN)
        if bound * w <= turn * speed and 0.5 * bound * w * w <= _FLAT * size and math.isfinite(change):
            done += 1
            yield [a, b, x, y, dx, dy, bound, change]
            continue
        if done + len(todo) > _MOST_ARCS or w < _SHORTEST * (curve.end - curve.start):
            raise ModelError(
                f"curve: near {middle:g} it has no direction (both derivatives vanish), is not bounded or turns too "
                "sharply; a curve needs (x', y') that is nowhere zero"
                + (", for all values in the ranges of its parameters" if curve.ranges else "")
            )
        todo += [(middle, b), (a, middle)]


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _difference(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _check_simple(curve: Measured, values: Any) -> None:
    """The polygon of many places of the curve does not cross itself, and goes counter-clockwise once if it is closed.

    An open curve goes on straight beyond its ends.
    """
    places = np.linspace(curve.start, curve.end, _CROSSINGS + 1)
    samples = np.array([curve.point(s, values)[:4] for s in places])
    corners = samples[:-1, :2]
    if curve.is_open:
        far = _FAR * float(np.ptp(samples[:, :2], axis=0).max())
        away = [end[2:] * (far / math.hypot(*end[2:])) for end in (samples[0], samples[-1])]
        corners = np.array([samples[0, :2] - away[0], *samples[:, :2], samples[-1, :2] + away[1]])
        places = np.array([curve.start, *places, curve.end])
    following = np.roll(corners, -1, axis=0)
    last = len(corners) - 1
    for i, j in _crossings(corners, following):
        if curve.is_open and j == last:
            continue  # there is no side from the end to the start
        where = " (an open curve goes on straight beyond its ends)" if curve.is_open else ""
        raise ModelError(f"curve: it crosses itself, near {places[i]:.4g} and {places[j]:.4g}{where}")
    area = float(np.sum(corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0])) / 2.0
    if area < 0.0 and not curve.is_open:
        raise ModelError("curve: it goes clockwise; let its parameter run the other way, (x(-s), y(-s))")


def _crossings(begin: np.ndarray, end: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of sides of a polygon, not next to one another, of which each has the other's ends on both of its sides."""

    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        way, other = b - a, c - a
        return np.sign(way[..., 0] * other[..., 1] - way[..., 1] * other[..., 0])

    p, q, r, t = begin[:, None], end[:, None], begin[None], end[None]
    crossed = (side(p, q, r) * side(p, q, t) < 0) & (side(r, t, p) * side(r, t, q) < 0)
    count = len(begin)
    for i, j in np.argwhere(crossed):
        if i < j and (j - i) % count > 1 and (i - j) % count > 1:
            yield int(i), int(j)

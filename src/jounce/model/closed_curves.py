"""What is known of a closed curve (x(s), y(s)): that it is one, and its arcs with bounds on its derivatives.

A curve is given by a text of [x, y, start, end]: trees in its parameter S, and the two ends of that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
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
_KINKS = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, sp.atan2)
MOST_NODES = 400  # of both expressions: each is differentiated three times
_FIRST_ARCS, _MOST_ARCS = 16, 1024
_SHORTEST = 1e-6  # half an arc, as a part of the whole parameter
#: How far an arc may lie from its tangent, as a part of the size of the curve, and by which angle it may turn.
_FLAT, _TURN = 0.01, 0.25
#: Of the size of the curve: by how much its end may miss its start.
_CLOSES = 1e-9
_CROSSINGS = 256  # corners of the polygon that is asked whether the curve crosses itself


@dataclass(frozen=True)
class Measured:
    """A curve that has been found to be closed, regular, simple and counter-clockwise.

    arcs     closest.ARC numbers each
    bends    the least of x'y'' - y'x'' on each arc, and the largest: positive where the curve is convex
    """

    start: float
    end: float
    size: float
    arcs: tuple[float, ...]
    bends: tuple[Interval, ...]
    point: Callable[[float], list[float]]

    def profile(self, s: float, _: Any, point: list[float]) -> None:
        """c, c', c'' at s."""
        point[:] = self.point(s)

    @property
    def rows(self) -> np.ndarray:
        """The arcs, one a row."""
        return np.array(self.arcs).reshape(-1, closest.ARC)

    def curvature(self, s: float) -> float:
        """Positive where the curve is convex."""
        _, _, dx, dy, ddx, ddy = self.point(s)
        return float((dx * ddy - dy * ddx) / math.hypot(dx, dy) ** 3)

    def hollow(self) -> float | None:
        """A parameter at which the curve is straight or hollow; None where it is convex everywhere."""
        for row, (least, _) in zip(self.rows, self.bends, strict=True):
            if not least > 0.0:
                return float(0.5 * (row[0] + row[1]))
        return None


def too_sharp(content: str, sign: float, radius: float) -> float | None:
    """A parameter at which the curvature, times sign, is not less than 1/radius; None where bounds say that it is.

    Arcs on which bounds leave it open are halved; what stays open on the shortest ones counts as too sharp.
    """
    found, orders = measured(content), derivatives(content)
    shortest = _SHORTEST * (found.end - found.start)
    todo = [(float(row[0]), float(row[1])) for row in found.rows]
    while todo:
        a, b = todo.pop()
        first, second = ([interval_of(part, {S: (a, b)}) for part in orders[order]] for order in (1, 2))
        bend = _difference(_times(first[0], second[1]), _times(first[1], second[0]))
        slowest = math.hypot(*(max(low, -high, 0.0) for low, high in first))
        if max(sign * bend[0], sign * bend[1]) * radius < slowest**3:
            continue
        middle = 0.5 * (a + b)
        if sign * found.curvature(middle) * radius >= 1.0 or b - a < shortest:
            return middle
        todo += [(a, middle), (middle, b)]
    return None


@lru_cache(maxsize=64)
def derivatives(content: str) -> tuple[Pair, ...]:
    """(x, y) and their first three derivatives."""
    from jounce.model.trees import from_tree

    x, y, _, _ = json.loads(content)
    found: list[Pair] = [(from_tree(x, {BOUND: S}, "curve: x"), from_tree(y, {BOUND: S}, "curve: y"))]
    for _ in range(3):
        found.append((sp.diff(found[-1][0], S), sp.diff(found[-1][1], S)))
    return tuple(found)


@lru_cache(maxsize=64)
def measured(content: str) -> Measured:
    """Divide a curve into arcs, and check it."""
    *_, start, end = json.loads(content)
    orders = derivatives(content)
    function = numpy_function([S], [part for pair in orders[:3] for part in pair])

    def point(s: float) -> list[float]:
        return [float(number) for number in function(s)]

    with np.errstate(all="ignore"):
        size = _check_closed(point, start, end)
        arcs, bends = _arcs(orders, point, start, end, size)
        _check_simple(point, start, end)
    numbers = tuple(number for arc in arcs for number in arc)
    return Measured(start, end, size, numbers, tuple(bends), point)


def check_expressions(place: Pair, start: float, end: float) -> None:
    """What expressions of a curve may hold."""
    if not start < end:
        raise ModelError(f"curve: it runs from {start:g} to {end:g}; the end must be larger than the start")
    nodes = sum(1 for part in place for _ in sp.preorder_traversal(part))
    if nodes > MOST_NODES:
        raise ModelError(f"curve: its expressions have {nodes} parts; at most {MOST_NODES}. Give points: jounce.table")
    for part in place:
        if part.free_symbols - {S}:
            names = ", ".join(sorted(symbol.name for symbol in part.free_symbols - {S}))
            raise ModelError(
                f"curve: {names} in its expressions, which may hold numbers and the curve's parameter only"
            )
        kinks = sorted(part.atoms(*_KINKS), key=str)
        if kinks:
            raise ModelError(f"curve: {kinks[0]} is not smooth; a curve needs two continuous derivatives")
        for curve in part.atoms(Curve):
            if curve.args[1].roughness() <= ROUGH:
                raise ModelError(
                    "curve: a table of points joined by lines or by monotone cubics has no continuous curvature; "
                    'use jounce.table(s, ..., kind="periodic")'
                )


def _check_closed(point: Callable[[float], list[float]], start: float, end: float) -> float:
    """The size of the curve, whose end must be its start."""
    samples = np.array([point(s) for s in np.linspace(start, end, 65)])
    if not np.isfinite(samples).all():
        s = np.linspace(start, end, 65)[~np.isfinite(samples).all(axis=1)][0]
        raise ModelError(f"curve: at {s:g} its place or a derivative is not a finite number")
    size = float(np.ptp(samples[:, :2], axis=0).max())
    sizes = [np.abs(samples[:, k : k + 2]).max() for k in (2, 4)]
    for first, scale, what in ((0, size, "place"), (2, sizes[0], "direction"), (4, sizes[1], "curvature")):
        miss = float(np.abs(samples[-1, first : first + 2] - samples[0, first : first + 2]).max())
        if not miss <= _CLOSES * scale:
            raise ModelError(
                f"curve: it is not closed. Its {what} at {end:g} is not that at {start:g}: they differ by {miss:g}"
            )
    return size


def _arcs(
    orders: tuple[Pair, ...], point: Callable[[float], list[float]], start: float, end: float, size: float
) -> tuple[list[list[float]], list[Interval]]:
    """Arcs that are flat, turn by a small angle only and have no place where c' vanishes, all by bounds."""
    marks = np.linspace(start, end, _FIRST_ARCS + 1)
    todo = [(float(a), float(b)) for a, b in pairwise(marks)][::-1]
    done: list[list[float]] = []
    bends: list[Interval] = []
    while todo:
        a, b = todo.pop()
        middle, w = 0.5 * (a + b), 0.5 * (b - a)
        try:
            first, second, third = ([interval_of(part, {S: (a, b)}) for part in orders[order]] for order in (1, 2, 3))
        except NoRuleError as found:
            raise ModelError(f"curve: {found} has no bounds here; give points: jounce.table") from None
        bound, change = (math.hypot(*(max(map(abs, part)) for part in pair)) for pair in (second, third))
        x, y, dx, dy, _, _ = point(middle)
        speed = math.hypot(dx, dy)
        if bound * w <= _TURN * speed and 0.5 * bound * w * w <= _FLAT * size and math.isfinite(change):
            done.append([a, b, x, y, dx, dy, bound, change])
            bends.append(_difference(_times(first[0], second[1]), _times(first[1], second[0])))
            continue
        if len(done) + len(todo) > _MOST_ARCS or w < _SHORTEST * (end - start):
            raise ModelError(
                f"curve: near {middle:g} it has no direction (both derivatives vanish), is not bounded or turns too "
                "sharply; a curve needs (x', y') that is nowhere zero"
            )
        todo += [(middle, b), (a, middle)]
    return done, bends


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _difference(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _check_simple(point: Callable[[float], list[float]], start: float, end: float) -> None:
    """The polygon of many places of the curve goes counter-clockwise once and does not cross itself."""
    corners = np.array([point(s)[:2] for s in np.linspace(start, end, _CROSSINGS, endpoint=False)])
    following = np.roll(corners, -1, axis=0)
    area = float(np.sum(corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0])) / 2.0
    for i, j in _crossings(corners, following):
        places = [start + (end - start) * k / _CROSSINGS for k in (i, j)]
        raise ModelError(f"curve: it crosses itself, near {places[0]:.4g} and {places[1]:.4g}")
    if area < 0.0:
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

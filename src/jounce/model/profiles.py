"""Closed curves (x(s), y(s)) and the places on them that touch, as nodes of expressions.

A profile is a leaf that holds the expressions of a curve. Functions of it know where it is met by something at
(u, v), or by a line with the normal (u, v), in the frame of the curve:

    Foot      S(u, v)      the parameter of the place nearest to (u, v):      (c(S) - (u, v)).c'(S) = 0
    Distance  d(u, v)      n(S).((u, v) - c(S)), signed, n the outer normal:  d_u = n_x, d_v = n_y
    NormalX, NormalY       n(S), with the tangent t and the curvature k:      n_u = t t_x k/(1 + k d)
    Support   S(u, v)      the parameter of the lowest place along (u, v):    u x'(S) + v y'(S) = 0
    Reach     h(u, v)      u x(S) + v y(S):                                   h_u = x(S), h_v = y(S)

S is known by an equation F(S, u, v) = 0, so S_u = -F_u/F_s; the values of Distance and Reach are least at S, so their
derivatives need no derivative of S. All derivatives are therefore expressions of S, and SymPy sees functions of two
variables. ``written`` writes all but Foot and Support out for the generated code. How S is found: closest.py.
"""

from __future__ import annotations

import hashlib
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

PROFILE = "profile_"  # begins the names of profiles in generated code
BOUND = "s."  # the name of the parameter in trees: no name of a model has a dot
#: The parameter of every profile.
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


class Profile(sp.AtomicExpr):
    """The expressions of a closed curve between two values of its parameter, checked when it is first used."""

    content: str

    def __new__(cls, content: str) -> Any:
        """From the text of [x, y, start, end], trees in the parameter and two numbers."""
        made = sp.AtomicExpr.__new__(cls)
        made.content = content
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.content,)

    _hashable_content = __getnewargs__

    @property
    def parts(self) -> list[Any]:
        """[x, y, start, end]."""
        return list(json.loads(self.content))

    @property
    def place(self) -> Pair:
        """(x, y) as expressions of S."""
        return _derivatives(self.content)[0]

    def derivative(self, order: int) -> Pair:
        """The order-th derivative of both."""
        return _derivatives(self.content)[order]

    def at(self, order: int, s: sp.Expr) -> Pair:
        """The same at a parameter."""
        x, y = self.derivative(order)
        return x.xreplace({S: s}), y.xreplace({S: s})

    def normal(self, s: sp.Expr) -> Pair:
        """The outer normal, of length 1, of a curve that goes counter-clockwise."""
        x, y = self.at(1, s)
        length = sp.sqrt(x**2 + y**2)
        return y / length, -x / length

    @property
    def measured(self) -> Measured:
        """Its arcs and what is known of it as a whole."""
        return measured(self.content)

    def search(self, u: float, v: float, near: bool) -> float:
        """S, as the generated code finds it."""
        found = self.measured
        best = [0.0] * 10
        room = [0.0] * 6, [0.0] * closest.STACK, best
        ends = [found.start, found.end, found.size]
        arcs = found.arcs
        count = len(arcs) // closest.ARC
        if not (math.isfinite(u) and math.isfinite(v)):
            return math.nan
        closest.closest(u, v, 1.0 if near else 0.0, (), arcs, count, ends, *room, found.profile)
        return best[5]

    def _sympystr(self, _: Any) -> str:
        """A name that two curves do not share: SymPy orders leaves by it."""
        return f"{PROFILE}{hashlib.sha256(self.content.encode()).hexdigest()[:12]}"

    def _pythoncode(self, _: Any) -> str:
        """What SymPy's ``lambdify`` hands to the functions below."""
        return repr(self.content)

    _numpycode = _pythoncode


class OfProfile(sp.Function):
    """A function of (u, v, profile)."""

    nargs = 3
    is_real = True
    near = True

    def __new__(cls, u: Any, v: Any, profile: Profile, **_: Any) -> Any:
        """A number where both arguments are."""
        if u.is_Number and v.is_Number:
            return sp.Float(cls.at(float(u), float(v), profile))
        return sp.Expr.__new__(cls, u, v, profile)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """The value at numbers."""
        raise NotImplementedError

    @classmethod
    def everywhere(cls, u: Any, v: Any, content: str) -> Any:
        """The values at arrays, for ``lambdify``."""
        profile = Profile(content)
        return np.vectorize(lambda a, b: cls.at(float(a), float(b), profile), otypes=[float])(u, v)


class Foot(OfProfile):
    """The parameter of the place nearest to (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return Foot.everywhere(u, v, content)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """S(u, v)."""
        return profile.search(u, v, near=True)

    def fdiff(self, argindex: int = 1) -> Any:
        """-F_u/F_s with F = (c - (u, v)).c'."""
        u, v, profile = self.args
        (x, y), (dx, dy), (ddx, ddy) = (profile.at(order, self) for order in range(3))
        rise = dx**2 + dy**2 + (x - u) * ddx + (y - v) * ddy
        return (sp.Integer(0), dx / rise, dy / rise)[argindex % 3]


class Distance(OfProfile):
    """The distance of (u, v) from the curve, negative inside of it."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return Distance.everywhere(u, v, content)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """n(S).((u, v) - c(S))."""
        x, y, dx, dy = profile.measured.point(profile.search(u, v, near=True))[:4]
        return (dy * (u - x) - dx * (v - y)) / math.hypot(dx, dy)

    def fdiff(self, argindex: int = 1) -> Any:
        """n."""
        return (sp.Integer(0), NormalX(*self.args), NormalY(*self.args))[argindex % 3]

    def written(self) -> sp.Expr:
        """In terms of the foot."""
        u, v, profile = self.args
        s = Foot(u, v, profile)
        (x, y), (n_x, n_y) = profile.at(0, s), profile.normal(s)
        return n_x * (u - x) + n_y * (v - y)


class _Normal(OfProfile):
    """A component of the outer normal at the place nearest to (u, v)."""

    component = 0

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """y'/|c'| or -x'/|c'|."""
        _, _, dx, dy, _, _ = profile.measured.point(profile.search(u, v, near=True))
        return (dy, -dx)[cls.component] / math.hypot(dx, dy)

    def fdiff(self, argindex: int = 1) -> Any:
        """It turns with the foot by k/(1 + k d), along the tangent (-n_y, n_x)."""
        u, v, profile = self.args
        if argindex > 2:
            return sp.Integer(0)
        s = Foot(u, v, profile)
        (dx, dy), (ddx, ddy) = profile.at(1, s), profile.at(2, s)
        bend = (dx * ddy - dy * ddx) / (dx**2 + dy**2) ** sp.Rational(3, 2)
        tangent = -NormalY(u, v, profile), NormalX(u, v, profile)
        return tangent[self.component] * tangent[argindex - 1] * bend / (1 + bend * Distance(u, v, profile))

    def written(self) -> sp.Expr:
        """In terms of the foot."""
        u, v, profile = self.args
        return profile.normal(Foot(u, v, profile))[self.component]


class NormalX(_Normal):
    """n_x."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return NormalX.everywhere(u, v, content)


class NormalY(_Normal):
    """n_y."""

    component = 1

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return NormalY.everywhere(u, v, content)


class Support(OfProfile):
    """The parameter of the lowest place along (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return Support.everywhere(u, v, content)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """S(u, v)."""
        return profile.search(u, v, near=False)

    def fdiff(self, argindex: int = 1) -> Any:
        """-F_u/F_s with F = u x' + v y'."""
        u, v, profile = self.args
        (dx, dy), (ddx, ddy) = profile.at(1, self), profile.at(2, self)
        rise = u * ddx + v * ddy
        return (sp.Integer(0), -dx / rise, -dy / rise)[argindex % 3]


class Reach(OfProfile):
    """u x + v y at the lowest place along (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str) -> Any:
        return Reach.everywhere(u, v, content)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile) -> float:
        """u x(S) + v y(S)."""
        x, y = profile.measured.point(profile.search(u, v, near=False))[:2]
        return u * x + v * y

    def fdiff(self, argindex: int = 1) -> Any:
        """c(S)."""
        u, v, profile = self.args
        return (sp.Integer(0), *profile.at(0, Support(u, v, profile)))[argindex % 3]

    def written(self) -> sp.Expr:
        """In terms of the support."""
        u, v, profile = self.args
        x, y = profile.at(0, Support(u, v, profile))
        return u * x + v * y


#: Name -> function, as files and generated code know them.
FUNCTIONS: dict[str, type[OfProfile]] = {
    kind.__name__: kind for kind in (Foot, Distance, NormalX, NormalY, Support, Reach)
}


def written(expression: sp.Expr) -> sp.Expr:
    """The expression in terms of Foot and Support."""
    parts = expression.atoms(Distance, NormalX, NormalY, Reach)
    # one after another: the arguments of none of these hold another one
    return expression.xreplace({part: part.written() for part in parts}) if parts else expression


def tables_in(expression: sp.Expr) -> set[Curve]:
    """Curves through points of which the distances in an expression are made, at the places that touch.

    A distance has as many continuous derivatives as its curve: in ``written``, by the normal, it would seem rougher.
    """
    found: set[Curve] = set()
    for part in expression.atoms(Distance, Reach):
        u, v, profile = part.args
        place = profile.at(0, (Foot if isinstance(part, Distance) else Support)(u, v, profile))
        found |= place[0].atoms(Curve) | place[1].atoms(Curve)
    return found


# ----------------------------------------------------------------------------------------- what is known of a curve


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


def too_sharp(profile: Profile, sign: float, radius: float) -> float | None:
    """A parameter at which the curvature, times sign, is not less than 1/radius; None where bounds say that it is.

    Arcs on which bounds leave it open are halved; what stays open on the shortest ones counts as too sharp.
    """
    found, derivatives = profile.measured, _derivatives(profile.content)
    shortest = _SHORTEST * (found.end - found.start)
    todo = [(float(row[0]), float(row[1])) for row in found.rows]
    while todo:
        a, b = todo.pop()
        first, second = ([interval_of(part, {S: (a, b)}) for part in derivatives[order]] for order in (1, 2))
        bend = _difference(_times(first[0], second[1]), _times(first[1], second[0]))
        slowest = math.hypot(*(max(low, -high, 0.0) for low, high in first))
        if max(sign * bend[0], sign * bend[1]) * radius < slowest**3:
            continue
        middle = 0.5 * (a + b)
        if sign * found.curvature(middle) * radius >= 1.0 or b - a < shortest:
            return middle
        todo += [(a, middle), (middle, b)]
    return None


def profile_of(x: sp.Expr, y: sp.Expr, start: float, end: float) -> Profile:
    """The profile of expressions of S; a ModelError says what is wrong with them."""
    from jounce.model.trees import to_tree  # which reads profiles

    _check_expressions((x, y), start, end)
    made = Profile(json.dumps([to_tree(x), to_tree(y), start, end]))
    made.measured  # noqa: B018 - it is checked
    return made


@lru_cache(maxsize=64)
def _derivatives(content: str) -> tuple[Pair, ...]:
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
    derivatives = _derivatives(content)
    function = numpy_function([S], [part for pair in derivatives[:3] for part in pair])

    def point(s: float) -> list[float]:
        return [float(number) for number in function(s)]

    with np.errstate(all="ignore"):
        size = _check_closed(point, start, end)
        arcs, bends = _arcs(derivatives, point, start, end, size)
        _check_simple(point, start, end)
    numbers = tuple(number for arc in arcs for number in arc)
    return Measured(start, end, size, numbers, tuple(bends), point)


def _check_expressions(place: Pair, start: float, end: float) -> None:
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
    derivatives: tuple[Pair, ...], point: Callable[[float], list[float]], start: float, end: float, size: float
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
            first, second, third = (
                [interval_of(part, {S: (a, b)}) for part in derivatives[order]] for order in (1, 2, 3)
            )
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

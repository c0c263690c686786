"""Curves (x(s), y(s)) and the places on them that touch, as nodes of expressions.

A profile is a leaf that holds the expressions of a curve. Functions of it know where it is met by something at
(u, v), or by a line with the normal (u, v), in the frame of the curve:

    Foot      S(u, v)      the parameter of the place nearest to (u, v):      (c(S) - (u, v)).c'(S) = 0
    Distance  d(u, v)      n(S).((u, v) - c(S)), signed, n to the right of c': d_u = n_x, d_v = n_y
    NormalX, NormalY       n(S), with the tangent t and the curvature k:      n_u = t t_x k/(1 + k d)
    Support   S(u, v)      the parameter of the lowest place along (u, v):    u x'(S) + v y'(S) = 0
    Reach     h(u, v)      u x(S) + v y(S):                                   h_u = x(S), h_v = y(S)

S is known by an equation F(S, u, v) = 0, so S_u = -F_u/F_s; the values of Distance and Reach are least at S, so their
derivatives need no derivative of S. All derivatives are therefore expressions of S, and SymPy sees functions of two
variables, and of the values w that the curve depends on, if it does:

    S_w = -F_w/F_s ,   d_w = -n.c_w ,   h_w = (u, v).c_w ,
    n_w = t (x' y'_w - y' x'_w + (x' y'' - y' x'') S_w)/|c'|^2 .

``written`` writes all but Foot and Support out for the generated code. How S is found: closest.py. The normal of a
closed curve, counter-clockwise, is the outer one. An open curve goes on straight beyond its ends.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from jounce.model import closest
from jounce.model.cases import Piecewise
from jounce.model.curve_arcs import VALUES, Measured, Pair, S, check_expressions, derivatives, measured, parts
from jounce.model.curves import Curve

_PROFILE = 3  # its place among the arguments of functions, from 1 on: values follow
PROFILE = "profile_"  # begins the names of profiles in generated code


class Profile(sp.AtomicExpr):
    """The expressions of a curve between two values of its parameter, checked when it is first used."""

    content: str

    def __new__(cls, content: str) -> Any:
        """From the text of [x, y, start, end, open, ranges] that curve_arcs.py reads."""
        made = sp.AtomicExpr.__new__(cls)
        made.content = content
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.content,)

    _hashable_content = __getnewargs__

    @property
    def parts(self) -> list[Any]:
        """[x, y, start, end], of an open curve or one that depends on values [..., open, ranges]."""
        return list(json.loads(self.content))

    @property
    def is_open(self) -> bool:
        """Whether it goes on straight beyond its ends."""
        return parts(self.content)[4]

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Of the values that it depends on."""
        return parts(self.content)[5]

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Of the values that it depends on, in its expressions."""
        return VALUES[: len(self.ranges)]

    def inner(self, order: int) -> Pair:
        """The order-th derivative of (x, y) between the ends, in S and ``symbols``."""
        return derivatives(self.content)[order]

    def at(self, order: int, s: sp.Expr, values: Any = (), by: int | None = None) -> Pair:
        """The order-th derivative at a parameter, or that by one of the values in place of S once more."""
        given = dict(zip(VALUES, values, strict=False))

        def asked(order: int, s: sp.Expr) -> Pair:
            x, y = self.inner(order)
            x, y = (x, y) if by is None else (sp.diff(x, VALUES[by]), sp.diff(y, VALUES[by]))
            return x.xreplace({S: s, **given}), y.xreplace({S: s, **given})

        inside = asked(order, s)
        if not self.is_open:
            return inside
        ends = [sp.Float(at) for at in parts(self.content)[2:4]]
        beyond = [_straight(asked, order, s, at) for at in ends]
        conditions = sp.StrictLessThan(s, ends[0]), sp.StrictGreaterThan(s, ends[1]), sp.true
        x, y = (Piecewise(*zip(cases, conditions, strict=True)) for cases in zip(*beyond, inside, strict=True))
        return x, y

    def normal(self, s: sp.Expr, values: Any = ()) -> Pair:
        """The normal to the right, of length 1: the outer one of a curve that goes counter-clockwise."""
        x, y = self.at(1, s, values)
        length = sp.sqrt(x**2 + y**2)
        return y / length, -x / length

    @property
    def measured(self) -> Measured:
        """Its arcs and what is known of it as a whole."""
        return measured(self.content)

    def search(self, u: float, v: float, values: tuple[float, ...], near: bool) -> float:
        """S, as the generated code finds it."""
        found = self.measured
        best = [0.0] * 10
        room = [0.0] * 6, [0.0] * closest.STACK, best
        arcs = found.arcs
        count = len(arcs) // closest.ARC
        inside = all(low <= value <= high for value, (low, high) in zip(values, found.limits, strict=True))
        if not inside or not all(map(math.isfinite, (u, v, *values))):
            return math.nan
        closest.closest(u, v, 1.0 if near else 0.0, values, arcs, count, found.ends, *room, found.profile)
        return best[5]

    def met(self, s: float, values: tuple[float, ...]) -> tuple[float, float, float, float]:
        """c and c' at a place that touches, which may lie beyond the ends of an open curve."""
        found = self.measured
        at = min(max(s, found.start), found.end) if found.is_open else s
        x, y, dx, dy = found.point(at, values)[:4]
        return x + (s - at) * dx, y + (s - at) * dy, dx, dy

    def _sympystr(self, _: Any) -> str:
        """A name that two curves do not share: SymPy orders leaves by it."""
        return f"{PROFILE}{hashlib.sha256(self.content.encode()).hexdigest()[:12]}"

    def _pythoncode(self, _: Any) -> str:
        """What SymPy's ``lambdify`` hands to the functions below."""
        return repr(self.content)

    _numpycode = _pythoncode


def _straight(asked: Callable[[int, sp.Expr], Pair], order: int, s: sp.Expr, end: sp.Expr) -> Pair:
    """What a curve is beyond an end, or a derivative of it."""
    if order > 1:
        return sp.Integer(0), sp.Integer(0)
    way = asked(1, end)
    if order == 1:
        return way
    place = asked(0, end)
    return place[0] + (s - end) * way[0], place[1] + (s - end) * way[1]


class OfProfile(sp.Function):
    """A function of (u, v, profile, and the values that the curve depends on)."""

    is_real = True

    def __new__(cls, u: Any, v: Any, profile: Profile, *values: Any, **_: Any) -> Any:
        """A number where all arguments are."""
        if all(part.is_Number for part in (u, v, *values)):
            return sp.Float(cls.at(float(u), float(v), profile, *map(float, values)))
        return sp.Expr.__new__(cls, u, v, profile, *values)

    @property
    def place(self) -> sp.Expr:
        """The parameter of the place that touches."""
        raise NotImplementedError

    @property
    def values(self) -> tuple[sp.Expr, ...]:
        """What the curve depends on."""
        return tuple(self.args[3:])

    def along(self, order: int, by: int | None = None) -> Pair:
        """A derivative of the curve at the place that touches."""
        return self.args[2].at(order, self.place, self.values, by)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """The value at numbers."""
        raise NotImplementedError

    @classmethod
    def everywhere(cls, u: Any, v: Any, content: str, *values: Any) -> Any:
        """The values at arrays, for ``lambdify``."""
        profile = Profile(content)
        each = np.vectorize(lambda a, b, *c: cls.at(float(a), float(b), profile, *map(float, c)), otypes=[float])
        return each(u, v, *values)


class _Near(OfProfile):
    """A function of the place nearest to (u, v)."""

    @property
    def place(self) -> sp.Expr:
        """S."""
        return self if isinstance(self, Foot) else Foot(*self.args)


class _Lowest(OfProfile):
    """A function of the lowest place along (u, v)."""

    @property
    def place(self) -> sp.Expr:
        """S."""
        return self if isinstance(self, Support) else Support(*self.args)


class Foot(_Near):
    """The parameter of the place nearest to (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return Foot.everywhere(u, v, content, *values)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """S(u, v)."""
        return profile.search(u, v, values, near=True)

    def fdiff(self, argindex: int = 1) -> Any:
        """-F_u/F_s with F = (c - (u, v)).c'."""
        u, v = self.args[:2]
        (x, y), (dx, dy), (ddx, ddy) = map(self.along, range(3))
        rise = dx**2 + dy**2 + (x - u) * ddx + (y - v) * ddy
        if argindex <= _PROFILE:
            return (dx / rise, dy / rise, sp.Integer(0))[argindex - 1]
        (x_w, y_w), (dx_w, dy_w) = (self.along(order, argindex - _PROFILE - 1) for order in range(2))
        return -(x_w * dx + y_w * dy + (x - u) * dx_w + (y - v) * dy_w) / rise


class Distance(_Near):
    """The distance of (u, v) from the curve, negative inside of a closed one and left of an open one."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return Distance.everywhere(u, v, content, *values)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """n(S).((u, v) - c(S))."""
        x, y, dx, dy = profile.met(profile.search(u, v, values, near=True), values)
        return (dy * (u - x) - dx * (v - y)) / math.hypot(dx, dy)

    def fdiff(self, argindex: int = 1) -> Any:
        """n, and -n.c_w."""
        if argindex <= _PROFILE:
            return (NormalX(*self.args), NormalY(*self.args), sp.Integer(0))[argindex - 1]
        x_w, y_w = self.along(0, argindex - _PROFILE - 1)
        return -NormalX(*self.args) * x_w - NormalY(*self.args) * y_w

    def written(self) -> sp.Expr:
        """In terms of the foot."""
        u, v, profile, *values = self.args
        (x, y), (n_x, n_y) = self.along(0), profile.normal(self.place, values)
        return n_x * (u - x) + n_y * (v - y)


class _Normal(_Near):
    """A component of the normal at the place nearest to (u, v)."""

    component = 0

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """y'/|c'| or -x'/|c'|."""
        _, _, dx, dy = profile.met(profile.search(u, v, values, near=True), values)
        return (dy, -dx)[cls.component] / math.hypot(dx, dy)

    def fdiff(self, argindex: int = 1) -> Any:
        """It turns with the foot by k/(1 + k d), along the tangent (-n_y, n_x), and with the curve."""
        if argindex == _PROFILE:
            return sp.Integer(0)
        (dx, dy), (ddx, ddy) = self.along(1), self.along(2)
        curl, tangent = dx * ddy - dy * ddx, (-NormalY(*self.args), NormalX(*self.args))
        if argindex < _PROFILE:
            bend = curl / (dx**2 + dy**2) ** sp.Rational(3, 2)
            return tangent[self.component] * tangent[argindex - 1] * bend / (1 + bend * Distance(*self.args))
        dx_w, dy_w = self.along(1, argindex - _PROFILE - 1)
        turn = dx * dy_w - dy * dx_w + curl * self.place.fdiff(argindex)
        return tangent[self.component] * turn / (dx**2 + dy**2)

    def written(self) -> sp.Expr:
        """In terms of the foot."""
        _, _, profile, *values = self.args
        return profile.normal(self.place, values)[self.component]


class NormalX(_Normal):
    """n_x."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return NormalX.everywhere(u, v, content, *values)


class NormalY(_Normal):
    """n_y."""

    component = 1

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return NormalY.everywhere(u, v, content, *values)


class Support(_Lowest):
    """The parameter of the lowest place along (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return Support.everywhere(u, v, content, *values)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """S(u, v)."""
        return profile.search(u, v, values, near=False)

    def fdiff(self, argindex: int = 1) -> Any:
        """-F_u/F_s with F = u x' + v y'."""
        u, v = self.args[:2]
        (dx, dy), (ddx, ddy) = self.along(1), self.along(2)
        rise = u * ddx + v * ddy
        if argindex <= _PROFILE:
            return (-dx / rise, -dy / rise, sp.Integer(0))[argindex - 1]
        dx_w, dy_w = self.along(1, argindex - _PROFILE - 1)
        return -(u * dx_w + v * dy_w) / rise


class Reach(_Lowest):
    """u x + v y at the lowest place along (u, v)."""

    @staticmethod
    def _imp_(u: Any, v: Any, content: str, *values: Any) -> Any:
        return Reach.everywhere(u, v, content, *values)

    @classmethod
    def at(cls, u: float, v: float, profile: Profile, *values: float) -> float:
        """u x(S) + v y(S)."""
        x, y, _, _ = profile.met(profile.search(u, v, values, near=False), values)
        return u * x + v * y

    def fdiff(self, argindex: int = 1) -> Any:
        """c(S), and (u, v).c_w."""
        if argindex <= _PROFILE:
            return (*self.along(0), sp.Integer(0))[argindex - 1]
        x_w, y_w = self.along(0, argindex - _PROFILE - 1)
        return self.args[0] * x_w + self.args[1] * y_w

    def written(self) -> sp.Expr:
        """In terms of the support."""
        u, v = self.args[:2]
        x, y = self.along(0)
        return u * x + v * y


#: Name -> function, as files and generated code know them.
FUNCTIONS: dict[str, type[OfProfile]] = {
    kind.__name__: kind for kind in (Foot, Distance, NormalX, NormalY, Support, Reach)
}


def written(expressions: Sequence[sp.Expr]) -> list[sp.Expr]:
    """The expressions in terms of Foot and Support; what they share is looked at once."""
    known: dict[sp.Basic, sp.Basic] = {}

    def of(part: sp.Basic) -> Any:
        if part not in known:
            if isinstance(part, Distance | NormalX | NormalY | Reach):
                known[part] = of(part.written())
            else:
                args = tuple(map(of, part.args))
                known[part] = part if args == part.args else part.func(*args)
        return known[part]

    return [of(expression) for expression in expressions]


def ranges_in(expression: Any) -> dict[str, tuple[float, float]]:
    """Parameters that curves in an expression depend on, each with its least and its largest value."""
    found: dict[str, tuple[float, float]] = {}
    for part in expression.atoms(OfProfile) if isinstance(expression, sp.Basic) else ():
        for value, (low, high) in zip(part.values, part.args[2].ranges, strict=True):
            if value.is_Symbol:
                least, largest = found.get(value.name, (-math.inf, math.inf))
                found[value.name] = max(low, least), min(high, largest)
    return found


def with_tables(parts: set[sp.Basic]) -> set[sp.Basic]:
    """Parts of an expression; in place of distances what is not smooth in their curves: points, and straight ends.

    A distance has as many continuous derivatives as its curve: in ``written``, by the normal, it would seem rougher.
    """
    found = set()
    for part in parts:
        if not isinstance(part, Distance | Reach):
            found.add(part)
            continue
        place = part.along(0)
        found |= place[0].atoms(Curve, sp.Piecewise) | place[1].atoms(Curve, sp.Piecewise)
    return found


def profile_of(x: Any, y: Any, start: float, end: float, is_open: bool = False, ranges: Any = ()) -> Profile:
    """The profile of expressions of S and of VALUES in these ranges; a ModelError says what is wrong with them.

    In place of an expression there may be a pair of it and its derivative by S.
    """
    from jounce.model.trees import to_tree  # which reads profiles

    pairs = [part if isinstance(part, tuple) else (part,) for part in (x, y)]
    check_expressions([expression for pair in pairs for expression in pair], start, end, ranges)
    trees = [[to_tree(expression) for expression in pair] for pair in pairs]
    places = [tree[0] if len(tree) == 1 else {"place": tree[0], "slope": tree[1]} for tree in trees]
    more = [is_open, [[low, high] for low, high in ranges]] if is_open or ranges else []
    made = Profile(json.dumps([*places, start, end, *more]))
    made.measured  # noqa: B018 - it is checked
    return made

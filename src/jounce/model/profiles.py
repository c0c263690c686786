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
from typing import Any

import numpy as np
import sympy as sp

from jounce.model import closest
from jounce.model.closed_curves import Measured, Pair, S, check_expressions, derivatives, measured
from jounce.model.curves import Curve

PROFILE = "profile_"  # begins the names of profiles in generated code


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
        return derivatives(self.content)[0]

    def derivative(self, order: int) -> Pair:
        """The order-th derivative of both."""
        return derivatives(self.content)[order]

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


def with_tables(parts: set[sp.Basic]) -> set[sp.Basic]:
    """Parts of an expression, with the curves through points that distances among them are made of in their place.

    A distance has as many continuous derivatives as its curve: in ``written``, by the normal, it would seem rougher.
    """
    found = set()
    for part in parts:
        if not isinstance(part, Distance | Reach):
            found.add(part)
            continue
        u, v, profile = part.args
        place = profile.at(0, (Foot if isinstance(part, Distance) else Support)(u, v, profile))
        found |= place[0].atoms(Curve) | place[1].atoms(Curve)
    return found


def profile_of(x: sp.Expr, y: sp.Expr, start: float, end: float) -> Profile:
    """The profile of expressions of S; a ModelError says what is wrong with them."""
    from jounce.model.trees import to_tree  # which reads profiles

    check_expressions((x, y), start, end)
    made = Profile(json.dumps([to_tree(x), to_tree(y), start, end]))
    made.measured  # noqa: B018 - it is checked
    return made

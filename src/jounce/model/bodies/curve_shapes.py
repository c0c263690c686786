"""Curves that touch: cams, ellipses, splines through measured points, floors, hills; by closest points (profiles.py).

In the frame of its body a closed curve c(s) goes counter-clockwise, n(s) is its outer normal; an open one has its free
side on the left. With p the centre of a circle in that frame, and with the normal m of a line there,

    on a circle:   g = d(p) - r ,           d the signed distance of p from the curve, along n at the foot of p
    in a hole:     g = -d(p) - r ,          along -n; on an open curve too
    on a line:     g = m.(body - P) + h ,   h = the least m.c(s), at the lowest place of the curve
    two ellipses:  the distance of one's centre from the curve on which it is when they touch (``_sum_of_ellipses``)

One foot counts, the nearest. Two feet that are equally near are a kink of the gap, which must not be where the gap is
zero: a line needs a curve that is convex, a circle one of less radius than the hollows of the free side (``check``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError
from jounce.model import drawing
from jounce.model.bodies.body import Body, Frame, Pair, check_frame, pair, rate
from jounce.model.bodies.geometry import CircleOn, Line, Touch, Touches
from jounce.model.curve_arcs import VALUES, S, hollow, too_sharp
from jounce.model.curves import Curve
from jounce.model.expressions import as_expression
from jounce.model.intervals import interval_of
from jounce.model.profiles import Distance, Foot, NormalX, NormalY, OfProfile, Profile, Reach, Support, profile_of
from jounce.model.symbols import time

_DRAWN = 36  # corners of the picture
_TRIED = 360  # places of the curve at which a circle is tried for a second foot
#: Of the radius: a second foot that is nearer by less is rounding.
_NEARER = 1e-9
#: Of the width of a table: an end of the parameter that is outside by less is at its end.
_MISSED = 1e-12


class CurveShape:
    """What curves share: a place in the frame of a body, and how they are met."""

    body: Frame
    center: Any
    inside: bool
    ranges: Any
    is_open = False

    def __post_init__(self) -> None:
        check_frame(self.body, type(self).__name__)
        for part in pair(self.center, f"{self._where}: center"):
            if part.has(time):
                raise ModelError(f"{self._where}: the centre of a curve may not depend on time")
        self.profile  # noqa: B018 - what is wrong with the curve is said here

    def expressions(self) -> tuple[Pair, float, float]:
        """(x, y) as expressions of profiles.S, and the ends of this parameter."""
        raise NotImplementedError

    @property
    def _where(self) -> str:
        return f"{type(self).__name__} on {self.body.name!r}"

    @cached_property
    def profile(self) -> Profile:
        """The curve, checked."""
        try:
            (x, y), start, end = self.expressions()
            known = dict(zip(self.values, VALUES, strict=False))
            ends = [self._ranges[value] for value in self.values]
            return profile_of(x.xreplace(known), y.xreplace(known), start, end, self.is_open, ends)
        except ModelError as error:
            raise ModelError(f"{self._where}: {error}") from None

    @cached_property
    def _ranges(self) -> dict[sp.Symbol, tuple[float, float]]:
        """Parameter of the model -> its least and its largest value."""
        given = {} if self.ranges is None else self.ranges
        if not isinstance(given, Mapping) or not all(isinstance(key, sp.Symbol) for key in given):
            raise ModelError("ranges are a dictionary, parameter -> (least, largest value)")
        found = {}
        for key, ends in given.items():
            low, high = pair(ends, f"ranges: {key}")
            if not (low.is_number and high.is_number):
                raise ModelError(f"ranges: the ends of {key} are {low} and {high}; they must be numbers")
            found[key] = float(low), float(high)
        return found

    @cached_property
    def values(self) -> tuple[sp.Symbol, ...]:
        """The parameters of the model in the curve's expressions, of those with a range."""
        x, y = self.expressions()[0]
        return tuple(key for key in self._ranges if key in x.free_symbols | y.free_symbols)

    @property
    def value_ranges(self) -> dict[str, tuple[float, float]]:
        """Name of such a parameter -> its least and its largest value."""
        return {value.name: self._ranges[value] for value in self.values}

    def _met(self, kind: type[OfProfile], u: sp.Expr, v: sp.Expr) -> sp.Expr:
        """A function of the curve where it is met by (u, v)."""
        return kind(u, v, self.profile, *self.values)

    def touches(self, a: Any) -> Touches:
        """The nearest place of the curve to a circle, or its lowest over a line."""
        return [(sp.true, self._on_line(a) if isinstance(a, Line) else self._on_circle(a))]

    @property
    def side(self) -> int:
        """1 where the free side is that of the normal to the right of the curve, -1 where it is the other one."""
        return -1 if self.inside or self.is_open else 1

    def _on_circle(self, a: CircleOn) -> Touch:
        p, c = self.body.local(a.place), pair(self.center, "center")
        u, v = p[0] - c[0], p[1] - c[1]
        s, sign = self._met(Foot, u, v), self.side
        n = self._met(NormalX, u, v), self._met(NormalY, u, v)
        gap = sign * self._met(Distance, u, v) - a.radius
        return Touch(gap, self.body.turned((sign * n[0], sign * n[1])), self._point(s))

    def _on_line(self, a: Line) -> Touch:
        """The normal points from the curve to the line: -m."""
        P, _, m = a._frame()
        x, y = self.body.point(self.center)
        u, v = _turned_back(self.body, m)
        s = self._met(Support, u, v)
        gap = m[0] * (x - P[0]) + m[1] * (y - P[1]) + self._met(Reach, u, v)
        return Touch(gap, (-m[0], -m[1]), self._point(s))

    def slip(self, a: Any) -> sp.Expr:
        """t . (v_a - v_b) without the place that touches, of which only the height counts.

        Of a circle, with p' the velocity of its centre as the body sees it and t = (n_y, -n_x) in the body's frame,
        t.p' + r (omega_a + spin) - d omega: p' compares with the body's material at the centre, and that at the
        surface, d below, is slower by omega d. Of a line with the direction e and the normal m, e.v - h omega less the
        line's own speed, which is the same all along it; h is the height of the place over the body's origin.
        """
        if isinstance(a, Line):
            P, e, m = a._frame()
            c_x, c_y = self.body.turned(self.center)
            below = self._met(Reach, *_turned_back(self.body, m)) + m[0] * c_x + m[1] * c_y
            v, w = self.body.motion, a.surface_velocity(P)
            return e[0] * (v[0] - w[0]) + e[1] * (v[1] - w[1]) - below * v[2]
        p, c = self.body.local(a.place), pair(self.center, "center")
        velocity = [rate(part, [frame for frame in (a.body, self.body) if isinstance(frame, Body)]) for part in p]
        u, v, sign = p[0] - c[0], p[1] - c[1], self.side
        n_x, n_y = self._met(NormalX, u, v), self._met(NormalY, u, v)
        along = sign * (n_y * velocity[0] - n_x * velocity[1])
        height = sign * self._met(Distance, u, v)
        return along + a.radius * (a.body.motion[2] + a.spin) - height * self.body.motion[2]

    def _point(self, s: sp.Expr) -> Pair:
        c, place = pair(self.center, "center"), self.profile.at(0, s, self.values)
        return self.body.point((c[0] + place[0], c[1] + place[1]))

    def drawn(self) -> list[Any]:
        """The outline, by its corners; of an open curve with a part of what is beyond its ends."""
        found, c = self.profile.measured, pair(self.center, "center")
        places = np.linspace(found.start, found.end, _DRAWN, endpoint=self.is_open)
        if self.is_open:
            ends, middle = (found.start, found.end), [0.5 * (low + high) for low, high in found.ranges]
            ahead = [0.5 * found.size / math.hypot(*found.point(end, middle)[2:4]) for end in ends]
            places = np.array([found.start - ahead[0], *places, found.end + ahead[1]])
        inner = [self.profile.at(0, sp.Float(s), self.values) for s in places]
        points = [self.body.point((c[0] + x, c[1] + y)) for x, y in inner]
        if not self.inside and not self.is_open:
            return [drawing.Polygon(points, self.body.name)]
        sides = [(points[k - 1], points[k]) for k in range(1 if self.is_open else 0, len(points))]
        return [drawing.Segment(*side, self.body.name) for side in sides]  # a ring or a line, not a plate

    def check(self, name: str, a: Any) -> None:
        """What touches it touches it at one place: see the head of this file."""
        where = f"contact {name!r}: {self._where}"
        if isinstance(a, Line):
            self._check_line(where)
            return
        if isinstance(a, EllipseOn):
            self._check_ellipse(where, a)
            return
        radius = as_expression(a.radius, f"{where}: radius")
        if radius == 0 or (not self.inside and not self.is_open and hollow(self.profile.content) is None):
            return
        if not radius.is_number:
            raise ModelError(
                f"{where}: the radius {radius} of the circle must be a number, because the curve has hollows on its "
                "free side, in which a circle that is too large touches at two places"
            )
        self._check_radius(where, float(radius))

    def _check_ellipse(self, where: str, a: EllipseOn) -> None:
        if not isinstance(self, EllipseOn):
            raise ModelError(
                f"{where}: a curve against another one is served for two ellipses only; a {type(self).__name__} is met "
                "by PointOn, CircleOn, Corners and Line"
            )
        try:
            _Ellipses(a, self).profile  # noqa: B018 - it is made and checked
        except ModelError as error:
            does = "does not fit into every place of the hole" if self.inside else str(error)
            raise ModelError(f"{where}: {does} of semi-axes {self.a}, {self.b}: {a.a}, {a.b}") from None

    def _check_line(self, where: str) -> None:
        if self.inside or self.is_open:
            what = "does not fit into a hole" if self.inside else "and an open curve have no closest points here"
            raise ModelError(f"{where}: a line {what}")
        found = hollow(self.profile.content)
        if found is not None:
            raise ModelError(
                f"{where}: it is straight or hollow near the parameter {found:.4g}, where a line touches it at "
                "two places or along a stretch; against a line a curve must be convex"
            )

    def _check_radius(self, where: str, radius: float) -> None:
        """No place at which the circle touches has another place as near to its centre."""
        found, sign = self.profile.measured, float(self.side)
        sharp = too_sharp(self.profile.content, -sign, radius)
        if sharp is not None:
            raise ModelError(
                f"{where}: its hollow near the parameter {sharp:.4g} may have a radius of curvature of {radius:g} or "
                f"less; a circle of radius {radius:g} touches it at two places"
            )
        ends = np.linspace(found.start, found.end, _TRIED, endpoint=False)
        beyond = 0.5 * (found.end - found.start) * np.linspace(0, 1, _TRIED // 4)
        places = [*(found.start - beyond), *ends, *(found.end + beyond)] if self.is_open else ends
        for values, s in product(found.samples(), places):
            x, y, dx, dy = self.profile.met(float(s), values)
            length = math.hypot(dx, dy)
            u, v = x + sign * radius * dy / length, y - sign * radius * dx / length
            if abs(Distance.at(u, v, self.profile, *values)) < radius * (1.0 - _NEARER):
                raise ModelError(
                    f"{where}: a circle of radius {radius:g} that touches it at the parameter {s:.4g} meets it at "
                    "another place too; it does not fit"
                )


@dataclass(frozen=True, eq=False)
class CurveOn(CurveShape):
    """A closed smooth curve on a body, or the hole of a body with this outline if ``inside``.

    curve       (x(s), y(s)) in the body's frame, counter-clockwise: expressions of ``parameter`` and numbers, with two
                continuous derivatives; points become such expressions by jounce.table(s, ..., kind="periodic")
    parameter   the symbol s, which runs from ``start`` to ``end``
    center      where the origin of the curve is in the body's frame
    ranges      parameters of the model in ``curve``, each with its least and its largest value: {lift: (0.1, 0.3)}

    >>> import sympy as sp
    >>> cam = jounce.Body("cam", mass=1.0, inertia=0.1)
    >>> s = sp.Symbol("s")
    >>> egg = jounce.CurveOn(cam, (sp.cos(s), 0.7 * sp.sin(s)), s)
    >>> jounce.contact_between("egg", egg, jounce.Line(jounce.ground, (0, -1))).name
    'egg'
    """

    body: Frame
    curve: Any
    parameter: Any
    start: Any = 0
    end: Any = 2 * sp.pi
    center: Any = (0, 0)
    inside: bool = False
    ranges: Any = None

    def expressions(self) -> tuple[Pair, float, float]:
        """The curve as it is given."""
        return _given(self)


@dataclass(frozen=True, eq=False)
class PathOn(CurveShape):
    """An open smooth curve on a body, with the free side on its left: a floor or a hill from left to right.

    Beyond its ends it goes on straight.

    curve       (x(s), y(s)) in the body's frame: expressions of ``parameter`` and numbers, with two continuous
                derivatives; points become such expressions by jounce.table(s, ..., kind="spline")
    parameter   the symbol s, which runs from ``start`` to ``end``
    center      where the origin of the curve is in the body's frame
    ranges      parameters of the model in ``curve``, each with its least and its largest value

    >>> import sympy as sp
    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> s = sp.Symbol("s")
    >>> hill = jounce.PathOn(jounce.ground, (s, -(s**2) / 4), s, -2, 2)
    >>> jounce.contact_between("hill", jounce.CircleOn(bar, radius=0.1), hill, friction=0.5).name
    'hill'
    """

    body: Frame
    curve: Any
    parameter: Any
    start: Any
    end: Any
    center: Any = (0, 0)
    ranges: Any = None
    inside = False
    is_open = True

    def expressions(self) -> tuple[Pair, float, float]:
        """The curve as it is given; a table whose points reach from end to end needs no value beyond them."""
        (x, y), start, end = _given(self)
        return (_continued(x, start, end), _continued(y, start, end)), start, end


def _continued(part: sp.Expr, start: float, end: float) -> sp.Expr:
    found = {}
    for curve in part.atoms(Curve):
        argument, points = curve.args
        low, high = interval_of(argument, {S: (start, end)}) if argument.free_symbols <= {S} else (-math.inf, math.inf)
        first, last = points.breaks[0], points.breaks[-1]
        slack = _MISSED * (last - first)
        if not points.repeats and first - slack <= low and high <= last + slack:
            found[curve] = Curve(argument, points.continued())
    return part.xreplace(found)


def _given(shape: CurveOn | PathOn) -> tuple[Pair, float, float]:
    if not isinstance(shape.parameter, sp.Symbol):
        raise ModelError(f"the parameter must be a symbol, such as sympy.Symbol('s'), not {shape.parameter!r}")
    x, y = (part.xreplace({shape.parameter: S}) for part in pair(shape.curve, "curve"))
    ends = [as_expression(end, "start, end") for end in (shape.start, shape.end)]
    if any(end.free_symbols for end in ends):
        raise ModelError("start and end of the parameter must be numbers")
    return (x, y), float(ends[0]), float(ends[1])


@dataclass(frozen=True, eq=False)
class EllipseOn(CurveShape):
    """An ellipse on a body, or an elliptic hole if ``inside``: its centre and its semi-axes along the body's axes.

    ranges   parameters of the model in the semi-axes, each with its least and its largest value

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> egg = jounce.EllipseOn(bar, a=0.5, b=0.3)
    >>> jounce.contact_between("egg", egg, jounce.Line(jounce.ground, (0, -1)), friction=0.5).name
    'egg'
    """

    body: Frame
    center: Any = (0, 0)
    a: Any = 1
    b: Any = 1
    inside: bool = False
    ranges: Any = None

    def expressions(self) -> tuple[Pair, float, float]:
        """(a cos s, b sin s)."""
        a, b = self.axes
        return (a * sp.cos(S), b * sp.sin(S)), 0.0, math.tau

    def touches(self, a: Any) -> Touches:
        """Of another ellipse, too."""
        return [(sp.true, _Ellipses(a, self).touch())] if isinstance(a, EllipseOn) else super().touches(a)

    def slip(self, a: Any) -> sp.Expr:
        """Of another ellipse, too."""
        return _Ellipses(a, self).slip() if isinstance(a, EllipseOn) else super().slip(a)

    @cached_property
    def axes(self) -> Pair:
        """The semi-axes."""
        axes = [as_expression(axis, f"semi-axis {name}") for name, axis in (("a", self.a), ("b", self.b))]
        for name, axis in zip("ab", axes, strict=True):
            if axis.is_number and not axis > 0:
                raise ModelError(f"the semi-axis {name} is {axis}; it must be a positive number")
        return axes[0], axes[1]


class _Ellipses:
    """Ellipse a on ellipse b, or in the hole b.

    Where they touch, the centre of a is on a curve in b's frame. Its parameter is the angle phi of b's outer normal
    n = (cos phi, sin phi), and it depends on the angle psi of a against b. An ellipse with the semi-axes A, B that is
    turned by psi has

        the height   h = sqrt(m + d cos 2(phi - psi)) ,        m, d = (A^2 + B^2)/2, (A^2 - B^2)/2 ,
        the place    (m cos phi + d cos(phi - 2 psi), m sin phi - d sin(phi - 2 psi))/h        over the tangent,
        the radius   rho = A^2 B^2/h^3    of curvature,

    and the curve is that of b's places and a's, c' = (rho_b + rho_a) t, in a hole b's less a's, c' = (rho_b - rho_a) t:
    it is convex, or a does not fit.
    """

    def __init__(self, a: EllipseOn, b: EllipseOn) -> None:
        self.a, self.b, self.sign = a, b, b.side
        self.turn = as_expression(a.body.pose[2] - b.body.pose[2], "the angle between two ellipses")
        p, c = b.body.local(a.body.point(a.center)), pair(b.center, "center")
        known = b._ranges | a._ranges
        self.ranges = {value: known[value] for value in dict.fromkeys((*b.values, *a.values))}
        self.args = p[0] - c[0], p[1] - c[1], self.profile, self.turn, *self.ranges

    @cached_property
    def profile(self) -> Profile:
        """The curve on which a's centre is."""
        psi, *values = VALUES
        known = dict(zip(self.ranges, values, strict=False))
        (axes_a, axes_b), sign = (_renamed(shape.axes, known) for shape in (self.a, self.b)), self.sign
        theirs, ours = _ellipse(S, sp.Integer(0), axes_b), _ellipse(S, psi, axes_a)
        rho = theirs[3] + sign * ours[3]
        x = theirs[1] + sign * ours[1], -rho * sp.sin(S)
        y = theirs[2] + sign * ours[2], rho * sp.cos(S)
        return profile_of(x, y, 0.0, math.tau, False, [(-math.pi, math.pi), *self.ranges.values()])

    def touch(self) -> Touch:
        """The gap is the distance of a's centre from the curve."""
        b, phi = self.b, Foot(*self.args)
        n = b.body.turned((self.sign * NormalX(*self.args), self.sign * NormalY(*self.args)))
        _, x, y, _ = _ellipse(phi, sp.Integer(0), b.axes)
        c = pair(b.center, "center")
        return Touch(self.sign * Distance(*self.args), n, b.body.point((c[0] + x, c[1] + y)))

    def slip(self) -> sp.Expr:
        """t.(v_a - v_b) of the centres' material, and omega_a h_a + sign omega_b h_b.

        Of the places that touch only the heights h over the tangent count.
        """
        a, b, phi = self.a, self.b, Foot(*self.args)
        n_x, n_y = self.touch().normal
        v_a, v_b = (shape.body.velocity_at(shape.body.point(shape.center)) for shape in (a, b))
        h_a, h_b = _ellipse(phi, self.turn, a.axes)[0], _ellipse(phi, sp.Integer(0), b.axes)[0]
        along = n_y * (v_a[0] - v_b[0]) - n_x * (v_a[1] - v_b[1])
        return along + a.body.motion[2] * h_a + self.sign * b.body.motion[2] * h_b


def _renamed(both: Pair, names: Mapping[Any, Any]) -> Pair:
    return both[0].xreplace(names), both[1].xreplace(names)


def _ellipse(phi: sp.Expr, psi: sp.Expr, axes: Pair) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]:
    """Height, place and radius of curvature where the outer normal has the angle phi: see _Ellipses."""
    m, d = (axes[0] ** 2 + axes[1] ** 2) / 2, (axes[0] ** 2 - axes[1] ** 2) / 2
    h = sp.sqrt(m + d * sp.cos(2 * (phi - psi)))
    x = (m * sp.cos(phi) + d * sp.cos(phi - 2 * psi)) / h
    y = (m * sp.sin(phi) - d * sp.sin(phi - 2 * psi)) / h
    return h, x, y, axes[0] ** 2 * axes[1] ** 2 / h**3


def _turned_back(body: Frame, vector: Pair) -> Pair:
    """A vector of the ground in the directions of a frame."""
    _, _, theta = body.pose
    return (
        vector[0] * sp.cos(theta) + vector[1] * sp.sin(theta),
        vector[1] * sp.cos(theta) - vector[0] * sp.sin(theta),
    )

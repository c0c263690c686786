"""Closed curves that touch: cams, ellipses, splines through measured points; by their closest points (profiles.py).

In the frame of its body a curve c(s) goes counter-clockwise, n(s) is its outer normal. With p the centre of a circle in
that frame, and with the normal m of a line there,

    on a circle:   g = d(p) - r ,           d the signed distance of p from the curve, along n at the foot of p
    in a hole:     g = -d(p) - r ,          along -n
    on a line:     g = m.(body - P) + h ,   h = the least m.c(s), at the lowest place of the curve

One foot counts, the nearest. Two feet that are equally near are a kink of the gap, which must not be where the gap is
zero: a line needs a curve that is convex, a circle one of less radius than the hollows of the free side (``check``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError
from jounce.model import drawing
from jounce.model.bodies.body import Body, Frame, Pair, check_frame, pair, rate
from jounce.model.bodies.geometry import CircleOn, Line, Touch, Touches
from jounce.model.closed_curves import S, too_sharp
from jounce.model.expressions import as_expression
from jounce.model.profiles import Distance, Foot, NormalX, NormalY, Profile, Reach, Support, profile_of
from jounce.model.symbols import time

_DRAWN = 36  # corners of the picture
_TRIED = 360  # places of the curve at which a circle is tried for a second foot
#: Of the radius: a second foot that is nearer by less is rounding.
_NEARER = 1e-9


class ClosedCurve:
    """What closed curves share: a place in the frame of a body, and how they are met."""

    body: Frame
    center: Any
    inside: bool

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
            return profile_of(x, y, start, end)
        except ModelError as error:
            raise ModelError(f"{self._where}: {error}") from None

    def touches(self, a: Any) -> Touches:
        """The nearest place of the curve to a circle, or its lowest over a line."""
        return [(sp.true, self._on_line(a) if isinstance(a, Line) else self._on_circle(a))]

    def _on_circle(self, a: CircleOn) -> Touch:
        p, c = self.body.local(a.place), pair(self.center, "center")
        u, v = p[0] - c[0], p[1] - c[1]
        s, sign = Foot(u, v, self.profile), -1 if self.inside else 1
        n = NormalX(u, v, self.profile), NormalY(u, v, self.profile)
        gap = sign * Distance(u, v, self.profile) - a.radius
        return Touch(gap, self.body.turned((sign * n[0], sign * n[1])), self._point(s))

    def _on_line(self, a: Line) -> Touch:
        """The normal points from the curve to the line: -m."""
        P, _, m = a._frame()
        x, y = self.body.point(self.center)
        u, v = _turned_back(self.body, m)
        s = Support(u, v, self.profile)
        gap = m[0] * (x - P[0]) + m[1] * (y - P[1]) + Reach(u, v, self.profile)
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
            below = Reach(*_turned_back(self.body, m), self.profile) + m[0] * c_x + m[1] * c_y
            v, w = self.body.motion, a.surface_velocity(P)
            return e[0] * (v[0] - w[0]) + e[1] * (v[1] - w[1]) - below * v[2]
        p, c = self.body.local(a.place), pair(self.center, "center")
        velocity = [rate(part, [frame for frame in (a.body, self.body) if isinstance(frame, Body)]) for part in p]
        u, v, sign = p[0] - c[0], p[1] - c[1], -1 if self.inside else 1
        n_x, n_y = NormalX(u, v, self.profile), NormalY(u, v, self.profile)
        along = sign * (n_y * velocity[0] - n_x * velocity[1])
        height = sign * Distance(u, v, self.profile)
        return along + a.radius * (a.body.motion[2] + a.spin) - height * self.body.motion[2]

    def _point(self, s: sp.Expr) -> Pair:
        c, place = pair(self.center, "center"), self.profile.at(0, s)
        return self.body.point((c[0] + place[0], c[1] + place[1]))

    def drawn(self) -> list[Any]:
        """The outline, by its corners."""
        found, c = self.profile.measured, pair(self.center, "center")
        places = [found.point(s)[:2] for s in np.linspace(found.start, found.end, _DRAWN, endpoint=False)]
        points = [self.body.point((c[0] + x, c[1] + y)) for x, y in places]
        if not self.inside:
            return [drawing.Polygon(points, self.body.name)]
        return [
            drawing.Segment(points[k - 1], points[k], self.body.name) for k in range(len(points))
        ]  # a ring, not a plate

    def check(self, name: str, a: Any) -> None:
        """What touches it touches it at one place: see the head of this file."""
        where = f"contact {name!r}: {self._where}"
        hollow = self.profile.measured.hollow()
        if isinstance(a, Line):
            if self.inside:
                raise ModelError(f"{where}: a line does not fit into a hole")
            if hollow is not None:
                raise ModelError(
                    f"{where}: it is straight or hollow near the parameter {hollow:.4g}, where a line touches it at "
                    "two places or along a stretch; against a line a curve must be convex"
                )
            return
        radius = as_expression(a.radius, f"{where}: radius")
        if radius == 0 or (hollow is None and not self.inside):
            return
        if not radius.is_number:
            raise ModelError(
                f"{where}: the radius {radius} of the circle must be a number, because the curve has hollows on its "
                "free side, in which a circle that is too large touches at two places"
            )
        self._check_radius(where, float(radius))

    def _check_radius(self, where: str, radius: float) -> None:
        """No place at which the circle touches has another place as near to its centre."""
        found, sign = self.profile.measured, -1.0 if self.inside else 1.0
        sharp = too_sharp(self.profile.content, -sign, radius)
        if sharp is not None:
            raise ModelError(
                f"{where}: its hollow near the parameter {sharp:.4g} has the radius of curvature "
                f"{abs(1 / found.curvature(sharp)):.4g}; a circle of radius {radius:g} touches it at two places"
            )
        for s in np.linspace(found.start, found.end, _TRIED, endpoint=False):
            x, y, dx, dy, _, _ = found.point(s)
            length = math.hypot(dx, dy)
            u, v = x + sign * radius * dy / length, y - sign * radius * dx / length
            if abs(Distance.at(u, v, self.profile)) < radius * (1.0 - _NEARER):
                raise ModelError(
                    f"{where}: a circle of radius {radius:g} that touches it at the parameter {s:.4g} meets it at "
                    "another place too; it does not fit"
                )


@dataclass(frozen=True, eq=False)
class CurveOn(ClosedCurve):
    """A closed smooth curve on a body, or the hole of a body with this outline if ``inside``.

    curve       (x(s), y(s)) in the body's frame, counter-clockwise: expressions of ``parameter`` and numbers, with two
                continuous derivatives; points become such expressions by jounce.table(s, ..., kind="periodic")
    parameter   the symbol s, which runs from ``start`` to ``end``
    center      where the origin of the curve is in the body's frame
    """

    body: Frame
    curve: Any
    parameter: Any
    start: Any = 0
    end: Any = 2 * sp.pi
    center: Any = (0, 0)
    inside: bool = False

    def expressions(self) -> tuple[Pair, float, float]:
        """The curve as it is given."""
        if not isinstance(self.parameter, sp.Symbol):
            raise ModelError(f"the parameter must be a symbol, such as sympy.Symbol('s'), not {self.parameter!r}")
        x, y = (part.xreplace({self.parameter: S}) for part in pair(self.curve, "curve"))
        ends = [as_expression(end, "start, end") for end in (self.start, self.end)]
        if any(end.free_symbols for end in ends):
            raise ModelError("start and end of the parameter must be numbers")
        return (x, y), float(ends[0]), float(ends[1])


@dataclass(frozen=True, eq=False)
class EllipseOn(ClosedCurve):
    """An ellipse on a body, or an elliptic hole if ``inside``: its centre and its semi-axes along the body's axes."""

    body: Frame
    center: Any = (0, 0)
    a: Any = 1
    b: Any = 1
    inside: bool = False

    def expressions(self) -> tuple[Pair, float, float]:
        """(a cos s, b sin s)."""
        axes = [as_expression(axis, f"semi-axis {name}") for name, axis in (("a", self.a), ("b", self.b))]
        for name, axis in zip("ab", axes, strict=True):
            if not axis.is_number or not axis > 0:
                raise ModelError(f"the semi-axis {name} is {axis}; it must be a positive number")
        return (axes[0] * sp.cos(S), axes[1] * sp.sin(S)), 0.0, math.tau


def _turned_back(body: Frame, vector: Pair) -> Pair:
    """A vector of the ground in the directions of a frame."""
    _, _, theta = body.pose
    return (
        vector[0] * sp.cos(theta) + vector[1] * sp.sin(theta),
        vector[1] * sp.cos(theta) - vector[0] * sp.sin(theta),
    )

"""Where bodies touch: points, circles and corners on one side; lines, edges, circles and polygons on the other.

For a pair (a, b) every shape here answers two questions, in ground coordinates:

    gap g        the distance of a's surface from b's, positive where they are apart
    normal n     of length 1 at contact, pointing from b to a: the direction in which the gap grows

The tangent is n turned by -90 degrees, t = (n_y, -n_x): along +x on a level floor. The slip velocity is

    gamma_T = t . (v_a - v_b)

with the velocities of the two material points that touch: the rotation of both bodies counts, and so does the motion
of a shape that is prescribed in time. Exchanging a and b changes neither g nor gamma_T.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model import drawing
from jounce.model.bodies.body import Body, Frame, Pair, check_frame, ground, pair, rate
from jounce.model.bodies.joints import unit_vector
from jounce.model.bodies.polygons import outermost, outline_fault
from jounce.model.cases import Piecewise
from jounce.model.expressions import as_expression
from jounce.model.symbols import time


@dataclass(frozen=True)
class Touch:
    """One way of touching: the gap, the normal and the place on the surface b that is nearest."""

    gap: sp.Expr
    normal: Pair
    place: Pair
    depth: sp.Expr | None = None  # penetration of a compliant contact where it is not the negative gap


#: Ways of touching with the conditions under which they are the nearest, the first that holds counts; the last: true.
Touches = list[tuple[Any, Touch]]


# ---------------------------------------------------------------------------------------------- the touching side


@dataclass(frozen=True, eq=False)
class CircleOn:
    """A disc fixed to a body, or the hole of a body if ``inside``: centre (a, b) of its frame and radius.

    The centre and the radius may depend on time; ``spin`` is a prescribed angular velocity of the rim (a driven
    roller).

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> jounce.contact_between("rim", jounce.CircleOn(bar, radius=0.1), jounce.Line(jounce.ground)).gap
    bar_y - 0.1
    """

    body: Frame
    center: Any = (0, 0)
    radius: Any = 0
    inside: bool = False
    spin: Any = 0

    def __post_init__(self) -> None:
        check_frame(self.body, type(self).__name__)
        pair(self.center, f"{type(self).__name__} on {self.body.name!r}: the place")
        radius = as_expression(self.radius, f"{type(self).__name__} on {self.body.name!r}: radius")
        if radius.is_number and not isinstance(self, PointOn) and not (radius.is_finite and radius > 0):
            raise ModelError(
                f"{type(self).__name__} on {self.body.name!r}: the radius is {float(radius):g}; it must be positive "
                "and finite. A point is PointOn(body, (a, b))"
            )

    @property
    def place(self) -> Pair:
        """The centre in ground coordinates."""
        return self.body.point(self.center)

    def surface_velocity(self, at: Pair) -> Pair:
        """The velocity of the rim's material at a place on the rim."""
        v, w = self.body.velocity_at(at), self.body.drift(self.center)
        c = self.place
        return v[0] + w[0] - self.spin * (at[1] - c[1]), v[1] + w[1] + self.spin * (at[0] - c[0])

    def touches(self, a: CircleOn) -> Touches:
        """Circle on circle: outside |c_a - c_b| - r_a - r_b.

        Inside, with the clearance c = r_b - r_a and the eccentricity e = |c_a - c_b|, the gap is (c^2 - e^2)/(2 c): it
        vanishes where c - e does, with the same rate, and has no kink where the centres coincide. The depth of a
        compliant contact is e - c.
        """
        (X, Y), (x, y) = a.place, self.place
        e_x, e_y = X - x, Y - y
        if self.inside:
            c = as_expression(self.radius, "radius") - a.radius
            # nothing may divide by zero where the centres coincide; at contact the last term is below rounding
            e = sp.sqrt(e_x**2 + e_y**2 + (c * sp.Rational(1, 10**9)) ** 2)
            n = (-e_x / e, -e_y / e)
            gap = (c**2 - e_x**2 - e_y**2) / (2 * c)
            return [(sp.true, Touch(gap, n, (x - self.radius * n[0], y - self.radius * n[1]), e - c))]
        distance = sp.sqrt(e_x**2 + e_y**2)
        n = (e_x / distance, e_y / distance)
        place = (x + self.radius * n[0], y + self.radius * n[1])
        return [(sp.true, Touch(distance - a.radius - self.radius, n, place))]

    def drawn(self) -> list[Any]:
        """The circle as the picture shows it; a point is shown by the contact's own dot."""
        if self.radius == 0:
            return []
        body = self.body.name
        if self.inside:
            return [drawing.Circle(self.place, self.radius, None, body, False)]
        return [drawing.Circle(self.place, self.radius, self.body.pose[2], body)]


@dataclass(frozen=True, eq=False)
class PointOn(CircleOn):
    """The point (a, b) of a body: PointOn(body, (a, b)).

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> jounce.contact_between("tip", jounce.PointOn(bar, (0.5, 0)), jounce.Line(jounce.ground)).gap
    bar_y + 0.5*sin(bar_theta)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius != 0 or self.inside:
            raise ModelError("PointOn has no radius; use CircleOn(body, (a, b), radius)")


@dataclass(frozen=True, eq=False)
class CornerOn(PointOn):
    """A sharp corner with the directions of its two edges, one of a line that ends there; it may draw its outline."""

    beside: Any = ()
    outline: tuple[Pair, ...] = ()

    def drawn(self) -> list[Any]:
        """The polygon of the corners, or the rod of two; nothing where the body has a picture of its own."""
        if getattr(self.body, "shapes", ()) or len(self.outline) < 2:
            return []
        points = [self.body.point(place) for place in self.outline]
        if len(points) == 2:
            return [drawing.Segment(points[0], points[1], self.body.name)]
        return [drawing.Polygon(points, self.body.name)]


@dataclass(frozen=True, eq=False)
class Corners:
    """The corners of a polygon on a body, one contact each; the picture is that polygon.

    corners   a list of points (a, b), named 1, 2, ..., or a dictionary name -> point

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> corners = jounce.Corners(bar, {"left": (-0.5, 0), "right": (0.5, 0)})
    >>> [contact.name for contact in jounce.contact_between("foot", corners, jounce.Line(jounce.ground))]
    ['foot_left', 'foot_right']
    """

    body: Frame
    corners: Any

    def points(self) -> dict[str, PointOn]:
        """Name -> point."""
        check_frame(self.body, "Corners")
        if not isinstance(self.corners, Mapping | list | tuple):
            raise ModelError(f"Corners on {self.body.name!r}: expected a list of points, not {self.corners!r}")
        named = self.corners if isinstance(self.corners, Mapping) else dict(enumerate(self.corners, start=1))
        if not named:
            raise ModelError(f"Corners on {self.body.name!r} has no corner; give points, e.g. [(0.1, 0), (-0.1, 0)]")
        places = {str(name): pair(place, f"Corners on {self.body.name!r}") for name, place in named.items()}
        outline = drawing.around(list(places.values()))
        return {
            name: CornerOn(self.body, place, beside=outermost(place, places.values()), outline=outline)
            for name, place in places.items()
        }


# ---------------------------------------------------------------------------------------------- the touched side


class _Straight:
    """What a line and an edge share: ``start``, a direction, and a surface that may move in time."""

    body: Frame
    speed: Any

    def _ends(self) -> tuple[Pair, Pair]:
        """A point of the line and its direction, both in the body's frame."""
        raise NotImplementedError

    def _frame(self) -> tuple[Pair, Pair, Pair]:
        """(a point of the line, its direction of length 1, its normal), in ground coordinates."""
        start, direction = self._ends()
        e = self.body.turned(unit_vector(direction, f"{type(self).__name__} on {self.body.name!r}: direction"))
        return self.body.point(start), e, (-e[1], e[0])

    def surface_velocity(self, at: Pair) -> Pair:
        """Of the body, plus the prescribed motion of the line (its point and its turning), plus the belt's speed."""
        start, direction = self._ends()
        P, e, _ = self._frame()
        v, w = self.body.velocity_at(at), self.body.drift(start)
        a, b = unit_vector(direction, "direction")
        turning = a * sp.diff(b, time) - b * sp.diff(a, time)
        return (
            v[0] + w[0] - turning * (at[1] - P[1]) + self.speed * e[0],
            v[1] + w[1] + turning * (at[0] - P[0]) + self.speed * e[1],
        )


@dataclass(frozen=True, eq=False)
class Line(_Straight):
    """An endless line on the ground or on a body, with the free side on its left.

    start, direction   a point and a direction, in the body's frame; both may depend on time
    speed              of the surface along the direction: a belt

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> slope = jounce.Line(jounce.ground, (0, 1), (2, -1), speed=0.3)  # a belt that runs down
    >>> jounce.contact_between("belt", jounce.PointOn(bar), slope, friction=0.4).name
    'belt'
    """

    body: Frame
    start: Any = (0, 0)
    direction: Any = (1, 0)
    speed: Any = 0

    def __post_init__(self) -> None:
        check_frame(self.body, "Line")
        unit_vector(self.direction, f"Line on {self.body.name!r}: direction")
        pair(self.start, f"Line on {self.body.name!r}: start")

    def _ends(self) -> tuple[Pair, Pair]:
        return pair(self.start, "start"), pair(self.direction, "direction")

    def touches(self, a: CircleOn) -> Touches:
        """n . (c_a - P) - r_a."""
        P, _, n = self._frame()
        return [(sp.true, _face(a, P, n))]

    def drawn(self) -> list[Any]:
        """The line, solid on its right; on a body, a piece of it as long as the given direction."""
        P, e, _ = self._frame()
        if self.body is ground:
            return [drawing.Ground((P, (P[0] + e[0], P[1] + e[1])))]
        d = self.body.turned(self.direction)
        return [drawing.Segment(P, (P[0] + d[0], P[1] + d[1]), self.body.name)]


@dataclass(frozen=True, eq=False)
class Edge(_Straight):
    """A straight edge from ``start`` to ``end``, with the free side on its left and rounded by distance at its ends.

    Beyond the ends the gap is the distance from the end; behind the edge, between its ends, it is negative. What passes
    an end and comes behind the edge ends the run (GAP_JUMPS). For a closed outline, or a plate with two sides, use
    PolygonOn.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> shelf = jounce.Edge(jounce.ground, (0, 0), (1, 0))  # its free side is above
    >>> jounce.contact_between("shelf", jounce.CircleOn(bar, radius=0.1), shelf).name
    'shelf'
    """

    body: Frame
    start: Any
    end: Any
    speed: Any = 0

    def __post_init__(self) -> None:
        check_frame(self.body, "Edge")
        unit_vector(self._ends()[1], f"Edge on {self.body.name!r}: from start to end")

    def _ends(self) -> tuple[Pair, Pair]:
        start, end = pair(self.start, "Edge: start"), pair(self.end, "Edge: end")
        return start, (end[0] - start[0], end[1] - start[1])

    @property
    def face_count(self) -> int:
        """How many faces a sharp corner may be on: the edge, and its two ends, through which it leaves."""
        return 3

    def touches(self, a: CircleOn) -> Touches:
        """n . (c_a - P) - r_a between the ends, |c_a - end| - r_a beyond."""
        P, e, n = self._frame()
        Q = self.body.point(self.end)
        return [
            (_negative(_dot(e, a.place, P)), _corner(a, P)),
            (_negative(-_dot(e, a.place, Q)), _corner(a, Q)),
            (sp.true, _face(a, P, n)),
        ]

    def drawn(self) -> list[Any]:
        """The edge."""
        return [drawing.Segment(self.body.point(self.start), self.body.point(self.end), self.body.name)]


@dataclass(frozen=True, eq=False)
class PolygonOn:
    """A convex polygon on a body, its corners counter-clockwise; the gap is the distance from edges and corners.

    rounding   radius of its corners where they touch another outline; 0: they are sharp

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> step = jounce.PolygonOn(jounce.ground, [(0, 0), (1, 0), (1, 0.2), (0, 0.2)])
    >>> jounce.contact_between("step", jounce.CircleOn(bar, radius=0.1), step, restitution=0.5).name
    'step'
    """

    body: Frame
    corners: Any
    rounding: Any = 0

    def __post_init__(self) -> None:
        check_frame(self.body, "PolygonOn")
        places = [pair(corner, f"PolygonOn on {self.body.name!r}: a corner") for corner in self.corners]
        if len(places) < 3:
            raise ModelError(f"PolygonOn on {self.body.name!r} has {len(places)} corners; it needs at least 3")
        if any(part.has(time) for place in places for part in place):
            raise ModelError(
                f"PolygonOn on {self.body.name!r}: corners that depend on time; give the outline to a driven body"
            )
        if all(part.is_number for place in places for part in place):
            fault = outline_fault([(float(x), float(y)) for x, y in places])
            if fault:
                raise ModelError(
                    f"PolygonOn on {self.body.name!r}: {fault}; the corners must go counter-clockwise round a convex "
                    "outline"
                )

    def touching_corners(self) -> dict[str, CircleOn]:
        """The corners as what touches: points, or discs that touch both edges from inside.

        With the inner normals n, m of the two edges the centre c of a disc has n.(c - P) = m.(c - P) = r.
        """
        places = [pair(corner, "corner") for corner in self.corners]
        if self.rounding == 0:
            return {str(k + 1): self._corner(places, k) for k in range(len(places))}
        where, found = f"PolygonOn on {self.body.name!r}: an edge", {}
        for k, P in enumerate(places):
            before, after = places[k - 1], places[(k + 1) % len(places)]
            d, e = (unit_vector((B[0] - A[0], B[1] - A[1]), where) for A, B in ((before, P), (P, after)))
            share = self.rounding / (1 + d[0] * e[0] + d[1] * e[1])
            center = (P[0] - share * (d[1] + e[1]), P[1] + share * (d[0] + e[0]))
            found[str(k + 1)] = CircleOn(self.body, center, self.rounding)
        return found

    def _corner(self, places: list[Pair], k: int) -> CornerOn:
        """Corner k as it is, sharp."""
        x, y = places[k]
        others = (places[k - 1], places[(k + 1) % len(places)])
        return CornerOn(self.body, places[k], beside=tuple((X - x, Y - y) for X, Y in others))

    def surface_velocity(self, at: Pair) -> Pair:
        """Of the body."""
        return self.body.velocity_at(at)

    @property
    def face_count(self) -> int:
        """How many faces a sharp corner may be on."""
        return len(self.corners)

    def touches(self, a: CircleOn) -> Touches:
        """The height over the nearest edge or the distance from the nearest corner; inside, the largest height."""
        p, found = self.body.local(a.place), []
        for condition, height, n in self._features(p):
            place = (p[0] - height * n[0], p[1] - height * n[1])
            found.append((condition, Touch(height - a.radius, self.body.turned(n), self.body.point(place))))
        return found

    def slip(self, a: CircleOn) -> sp.Expr:
        """t . p' + r (omega_a + spin) - h omega, with p' the velocity of a's centre as the body sees it.

        Only the tangent, in the body's frame, and the height h differ from case to case. p' compares with the body's
        material at the centre itself; that at the surface, h below, is slower by omega h along the tangent.
        """
        p = self.body.local(a.place)
        velocity = [rate(part, [frame for frame in (a.body, self.body) if isinstance(frame, Body)]) for part in p]
        features = self._features(p)
        along = Piecewise(*((n[1], condition) for condition, _, n in features))
        across = Piecewise(*((-n[0], condition) for condition, _, n in features))
        height = Piecewise(*((height, condition) for condition, height, _ in features))
        turning = a.radius * (a.body.motion[2] + a.spin) - height * self.body.motion[2]
        return along * velocity[0] + across * velocity[1] + turning

    def _features(self, p: Pair) -> list[tuple[Any, sp.Expr, Pair]]:
        """(condition, height over it, its normal) of every edge and corner, in the body's frame, where they rest.

        Outside, the plane is divided into strips in front of the edges and wedges in front of the corners; what is in
        none of them is inside, below the edge over which it is highest.
        """
        corners = [pair(corner, "corner") for corner in self.corners]
        count = len(corners)
        ends = list(zip(corners, corners[1:] + corners[:1], strict=True))
        where = f"PolygonOn on {self.body.name!r}: an edge"
        directions = [unit_vector((Q[0] - P[0], Q[1] - P[1]), where) for P, Q in ends]
        normals = [(e[1], -e[0]) for e in directions]
        heights = [_dot(n, p, P) for n, P in zip(normals, corners, strict=True)]
        strips, wedges, inside = [], [], []
        for k, ((P, Q), e) in enumerate(zip(ends, directions, strict=True)):
            front = (_not_negative(heights[k]), _not_negative(_dot(e, p, P)), _not_negative(-_dot(e, p, Q)))
            strips.append((sp.And(*front), heights[k], normals[k]))
            wedge = (_negative(_dot(e, p, P)), _negative(-_dot(directions[k - 1], p, P)))
            distance = sp.sqrt((p[0] - P[0]) ** 2 + (p[1] - P[1]) ** 2)
            wedges.append((sp.And(*wedge), distance, ((p[0] - P[0]) / distance, (p[1] - P[1]) / distance)))
            highest = sp.And(*(_not_negative(heights[k] - other) for other in heights[k + 1 :]))
            inside.append((highest if k < count - 1 else sp.true, heights[k], normals[k]))
        return [*strips, *wedges, *inside]

    def drawn(self) -> list[Any]:
        """The outline."""
        return [drawing.Polygon([self.body.point(corner) for corner in self.corners], self.body.name)]


def _face(a: CircleOn, P: Pair, n: Pair) -> Touch:
    """The distance from a line through P, signed."""
    (X, Y) = a.place
    height = n[0] * (X - P[0]) + n[1] * (Y - P[1])
    return Touch(height - a.radius, n, (X - height * n[0], Y - height * n[1]))


def _corner(a: CircleOn, P: Pair) -> Touch:
    """The distance from a point."""
    (X, Y) = a.place
    x, y = X - P[0], Y - P[1]
    distance = sp.sqrt(x**2 + y**2)
    return Touch(distance - a.radius, (x / distance, y / distance), P)


def _dot(e: Pair, p: Pair, P: Pair) -> sp.Expr:
    """e . (p - P)."""
    return e[0] * (p[0] - P[0]) + e[1] * (p[1] - P[1])


def _not_negative(value: sp.Expr) -> Any:
    """A condition as it stands: SymPy would look for its sign in all its parts."""
    return sp.GreaterThan(value, 0, evaluate=False)


def _negative(value: sp.Expr) -> Any:
    return sp.StrictLessThan(value, 0, evaluate=False)

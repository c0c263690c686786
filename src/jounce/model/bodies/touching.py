"""contact_between: two shapes -> Contact, with gap and slip velocity written from the geometry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model import drawing
from jounce.model.bodies.body import Frame
from jounce.model.bodies.curve_shapes import CurveShape, EllipseOn
from jounce.model.bodies.geometry import CircleOn, CornerOn, Corners, Edge, Line, PointOn, PolygonOn, Touch, Touches
from jounce.model.cases import Piecewise
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression

_SURFACES = (Line, Edge, PolygonOn)


class DrawnContact(Contact):
    """The contact of two shapes: its gap and slip are written, and its pictures made, when they are asked for."""

    a: Any  # CircleOn; on a closed curve a Line, too
    b: Any
    frames: tuple[Frame, Frame]
    has_slip: bool

    def __init__(self, name: str, a: Any, b: Any, friction: Any, coefficients: Mapping[str, Any]) -> None:
        own = {"name": name, "friction": 0 if friction is None else friction, "has_slip": friction is not None}
        for attribute, value in {**own, **coefficients, "a": a, "b": b, "frames": (a.body, b.body)}.items():
            object.__setattr__(self, attribute, value)

    @property
    def has_friction(self) -> bool:
        """Whether the contact can carry a tangential force."""
        return bool(self.has_slip)

    @property
    def has_faces(self) -> bool:
        """Whether it is the contact of a sharp corner, which may slide off the end of a face."""
        return isinstance(self.a, PointOn) and isinstance(self.b, Edge | PolygonOn) and self.compliance is None

    @property
    def beside(self) -> tuple[Any, ...]:
        """The directions in which the outline of its corner goes on, where they are known."""
        return self.a.beside if isinstance(self.a, CornerOn) else ()

    @property
    def curve_ranges(self) -> dict[str, tuple[float, float]]:
        """Those of its shapes; the gap need not be written for it."""
        found: dict[str, tuple[float, float]] = {}
        for shape in (self.a, self.b):
            for name, (low, high) in shape.value_ranges.items() if isinstance(shape, CurveShape) else ():
                least, largest = found.get(name, (low, high))
                found[name] = max(low, least), min(high, largest)
        return found

    def nearest(self, value: Callable[[Touch], Any]) -> Any:
        """A value of the way of touching that is the nearest."""
        return Piecewise(*((value(touch), condition) for condition, touch in self._touches))

    @cached_property
    def _touches(self) -> Touches:
        touches: Touches = self.b.touches(self.a)
        return touches

    @cached_property
    def gap(self) -> Any:  # type: ignore[override]
        """g(q, t)."""
        return self.nearest(lambda touch: touch.gap)

    @cached_property
    def slip(self) -> Any:  # type: ignore[override]
        """gamma_T(q, u, t)."""
        if not self.has_slip:
            return None
        if isinstance(self.b, PolygonOn | CurveShape):
            return self.b.slip(self.a)
        return self.nearest(lambda touch: _slip(self.a, self.b, touch))

    @cached_property
    def penetration(self) -> Any:  # type: ignore[override]
        """The depth of a compliant contact."""
        return self._touches[-1][1].depth if self.compliance is not None else None

    @cached_property
    def shapes(self) -> tuple[Any, ...]:
        """What is drawn: both sides, and the place where they touch."""
        point = self.nearest(lambda touch: _rim(self.a, touch)[0]), self.nearest(lambda touch: _rim(self.a, touch)[1])
        return (*self.a.drawn(), *self.b.drawn(), drawing.Point(point, self.name))

    def plain(self) -> Contact:
        """The contact alone."""
        return Contact(**{entry.name: getattr(self, entry.name) for entry in fields(Contact)})


def contact_between(name: str, a: Any, b: Any, *, friction: Any = None, **coefficients: Any) -> Any:
    """The contact of two shapes; for Corners a list of contacts, one a corner, named <name>_<corner>.

    a, b           PointOn, CircleOn or Corners, against Line, Edge, PolygonOn, CircleOn, CurveOn or EllipseOn, in
                   either order; CurveOn or EllipseOn against a Line; a PolygonOn against a Line, an Edge or another
                   PolygonOn gives the contacts of the corners of each on the other, named <name>_a_<corner> and
                   <name>_b_<corner>
    friction       mu; without it the contact is frictionless
    coefficients   everything else a Contact takes: restitution, static_friction, tangential_restitution, law,
                   compliance

    Gap and slip are those of docs/notation.md: g grows along the normal from b to a, gamma_T is the velocity of a
    against b along the normal turned by -90 degrees.

    >>> ball = jounce.Body("ball", mass=1.0, inertia=0.1, center=(0, 2))
    >>> floor = jounce.Line(jounce.ground)
    >>> touch = jounce.contact_between("touch", jounce.CircleOn(ball, radius=0.5), floor, restitution=0.5)
    >>> model = jounce.Model.from_bodies("drop", bodies=[ball], contacts=[touch], gravity=9.81)
    >>> round(float(jounce.simulate(model, None, t_end=1.0).events["t"].iloc[0]), 6)  # sqrt(2 * 1.5/g)
    0.553001
    """
    allowed = {entry.name for entry in fields(Contact)} - {"name", "gap", "slip", "penetration"}
    for given in coefficients:
        if given not in allowed:
            raise ModelError(f"contact_between has no argument {given!r}; {suggestion(given, allowed)}")
    if isinstance(a, _SURFACES) and isinstance(b, _SURFACES) and (isinstance(a, PolygonOn) or isinstance(b, PolygonOn)):
        return _both_ways(name, a, b, friction, coefficients)
    a, b = _ordered(name, a, b)
    if isinstance(a, Corners):
        named = a.points().items()
        return [DrawnContact(f"{name}_{label}", point, b, friction, coefficients) for label, point in named]
    return DrawnContact(name, a, b, friction, coefficients)


def _both_ways(name: str, a: Any, b: Any, friction: Any, coefficients: dict[str, Any]) -> list[Any]:
    """Corners on faces, both ways: straight outlines that meet touch at a corner of one of them."""
    _check_corners(name, a, b)
    return [
        contact_between(f"{name}_{side}_{label}", corner, face, friction=friction, **coefficients)
        for side, shape, face in (("a", a, b), ("b", b, a))
        for label, corner in _corners(shape).items()
    ]


def _check_corners(name: str, a: Any, b: Any) -> None:
    """Corners of both outlines are sharp, or those of both are round.

    A sharp corner that slides off the end of a face is left to the corner that it meets there
    (kernels/contact/faces.py): a round one lies inside of its outline and would let it pass.
    """
    rounded = {getattr(shape, "rounding", 0) != 0 for shape in (a, b) if not isinstance(shape, Line)}
    if len(rounded) > 1:
        raise ModelError(
            f"contact {name!r}: one outline has round corners and the other sharp ones; give both a rounding "
            "(PolygonOn(..., rounding=r), an Edge as a thin PolygonOn), or none"
        )


def _corners(shape: Any) -> dict[str, CircleOn]:
    """The corners of an outline by name; an endless line has none."""
    if isinstance(shape, PolygonOn):
        return shape.touching_corners()
    if isinstance(shape, Edge):
        _, (e_x, e_y) = shape._ends()
        return {
            "start": CornerOn(shape.body, shape.start, beside=((e_x, e_y),)),
            "end": CornerOn(shape.body, shape.end, beside=((-e_x, -e_y),)),
        }
    return {}


def _ordered(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The touching side first."""
    if isinstance(a, CurveShape) or isinstance(b, CurveShape):
        return _with_curve(name, a, b)
    if isinstance(a, _SURFACES) or (isinstance(a, CircleOn) and (a.inside or isinstance(b, Corners))):
        a, b = b, a
    if not isinstance(a, (CircleOn, Corners)) or not isinstance(b, (CircleOn, *_SURFACES)):
        raise ModelError(
            f"contact {name!r}: {type(a).__name__} against {type(b).__name__} is no contact; one side must be PointOn, "
            "CircleOn or Corners, the other Line, Edge, PolygonOn, CircleOn or CurveOn"
        )
    if isinstance(a, CircleOn) and a.inside:
        raise ModelError(f"contact {name!r}: two holes cannot touch; one side must be a point or a disc")
    _check_bodies(name, a, b)
    if isinstance(a, CircleOn) and isinstance(b, CircleOn) and a.radius == b.radius == 0:
        raise ModelError(f"contact {name!r}: two points have no normal; give one of them a radius")
    if isinstance(a, CircleOn) and isinstance(b, CircleOn):
        _check_hole(name, a, b)
    return a, b


def _with_curve(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The curve second: it is met by points, discs and lines, an ellipse by another one."""
    if isinstance(a, CurveShape) and (not isinstance(b, CurveShape) or a.inside or not isinstance(a, EllipseOn)):
        a, b = b, a
    if not isinstance(a, (CircleOn, Corners, Line, EllipseOn)) or (not isinstance(a, Corners | Line) and a.inside):
        what = "a hole" if isinstance(a, CircleOn | EllipseOn) else type(a).__name__
        raise ModelError(
            f"contact {name!r}: {type(b).__name__} against {what} is no contact; a curve is met by PointOn, "
            "CircleOn, Corners and Line, an EllipseOn by another one. Two other curves, a curve and an edge, and a "
            "curve in a round hole have no closest points here"
        )
    _check_bodies(name, a, b)
    b.check(name, a if not isinstance(a, Corners) else PointOn(a.body))
    return a, b


def _check_bodies(name: str, a: Any, b: Any) -> None:
    if a.body is b.body:
        raise ModelError(f"contact {name!r}: both sides belong to {a.body.name!r}, so they never move against another")


def _check_hole(name: str, a: CircleOn, b: CircleOn) -> None:
    """A disc fits into a hole."""
    if b.inside and as_expression(b.radius - a.radius, f"contact {name!r}: radius").is_nonpositive:
        raise ModelError(
            f"contact {name!r}: the hole's radius {float(b.radius):g} must be larger than that of the disc, "
            f"{float(a.radius):g}"
        )


def _slip(a: CircleOn, b: Any, touch: Touch) -> sp.Expr:
    """t . (v_a - v_b), t = (n_y, -n_x), at the place of a's surface and at the one of b's."""
    n_x, n_y = touch.normal
    v_a, v_b = a.surface_velocity(_rim(a, touch)), b.surface_velocity(touch.place)
    return n_y * (v_a[0] - v_b[0]) - n_x * (v_a[1] - v_b[1])


def _rim(a: CircleOn | Line | EllipseOn, touch: Touch) -> Any:
    """The place of a's surface that touches: c_a - r_a n; of a line, the place above or below the nearest of b."""
    if isinstance(a, Line | EllipseOn):
        return touch.place[0] + touch.gap * touch.normal[0], touch.place[1] + touch.gap * touch.normal[1]
    X, Y = a.place
    return X - a.radius * touch.normal[0], Y - a.radius * touch.normal[1]

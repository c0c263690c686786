"""contact_between: two shapes -> Contact, with gap and slip velocity written from the geometry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model import drawing
from jounce.model.bodies.body import Frame
from jounce.model.bodies.geometry import CircleOn, Corners, Edge, Line, PolygonOn, Touch
from jounce.model.cases import Piecewise
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression

_SURFACES = (Line, Edge, PolygonOn)


@dataclass(frozen=True)
class DrawnContact(Contact):
    """A contact that knows its pictures: the shapes that touch and the place where they do."""

    shapes: Any = ()
    frames: tuple[Frame, ...] = ()

    def plain(self) -> Contact:
        """The contact alone."""
        return Contact(**{entry.name: getattr(self, entry.name) for entry in fields(Contact)})


def contact_between(name: str, a: Any, b: Any, *, friction: Any = None, **coefficients: Any) -> Any:
    """The contact of two shapes; for Corners a list of contacts, one a corner, named <name>_<corner>.

    a, b           PointOn, CircleOn or Corners, against Line, Edge, PolygonOn or CircleOn, in either order
    friction       mu; without it the contact is frictionless
    coefficients   everything else a Contact takes: restitution, static_friction, tangential_restitution, law,
                   compliance

    Gap and slip are those of docs/notation.md: g grows along the normal from b to a, gamma_T is the velocity of a
    against b along the normal turned by -90 degrees.
    """
    allowed = {entry.name for entry in fields(Contact)} - {"name", "gap", "slip", "penetration"}
    for given in coefficients:
        if given not in allowed:
            raise ModelError(f"contact_between has no argument {given!r}; {suggestion(given, allowed)}")
    a, b = _ordered(name, a, b)
    if isinstance(a, Corners):
        named = a.points().items()
        return [_contact(f"{name}_{label}", point, b, friction, coefficients) for label, point in named]
    return _contact(name, a, b, friction, coefficients)


def _ordered(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The touching side first."""
    if isinstance(a, _SURFACES) or (isinstance(a, CircleOn) and (a.inside or isinstance(b, Corners))):
        a, b = b, a
    if not isinstance(a, (CircleOn, Corners)) or not isinstance(b, (CircleOn, *_SURFACES)):
        raise ModelError(
            f"contact {name!r}: {type(a).__name__} against {type(b).__name__} is no contact; one side must be PointOn, "
            "CircleOn or Corners, the other Line, Edge, PolygonOn or CircleOn"
        )
    if isinstance(a, CircleOn) and a.inside:
        raise ModelError(f"contact {name!r}: two holes cannot touch; one side must be a point or a disc")
    if a.body is b.body:
        raise ModelError(f"contact {name!r}: both sides belong to {a.body.name!r}, so they never move against another")
    if isinstance(a, CircleOn) and isinstance(b, CircleOn) and a.radius == b.radius == 0:
        raise ModelError(f"contact {name!r}: two points have no normal; give one of them a radius")
    if isinstance(a, CircleOn) and isinstance(b, CircleOn):
        _check_hole(name, a, b)
    return a, b


def _check_hole(name: str, a: CircleOn, b: CircleOn) -> None:
    """A disc fits into a hole."""
    if b.inside and as_expression(b.radius - a.radius, f"contact {name!r}: radius").is_nonpositive:
        raise ModelError(
            f"contact {name!r}: the hole's radius {float(b.radius):g} must be larger than that of the disc, "
            f"{float(a.radius):g}"
        )


def _contact(name: str, a: CircleOn, b: Any, friction: Any, coefficients: dict[str, Any]) -> DrawnContact:
    touches = b.touches(a)

    def nearest(value: Callable[[Touch], Any]) -> Any:
        return Piecewise(*((value(touch), condition) for condition, touch in touches))

    shapes = (
        *a.drawn(),
        *b.drawn(),
        drawing.Point((nearest(lambda t: _rim(a, t)[0]), nearest(lambda t: _rim(a, t)[1])), name),
    )
    slip = None
    if friction is not None:
        slip = b.slip(a) if isinstance(b, PolygonOn) else nearest(lambda touch: _slip(a, b, touch))
    return DrawnContact(
        name,
        nearest(lambda touch: touch.gap),
        slip,
        0 if friction is None else friction,
        **coefficients,
        penetration=touches[-1][1].depth if coefficients.get("compliance") is not None else None,
        shapes=shapes,
        frames=(a.body, b.body),
    )


def _slip(a: CircleOn, b: Any, touch: Touch) -> sp.Expr:
    """t . (v_a - v_b), t = (n_y, -n_x), at the place of a's surface and at the one of b's."""
    n_x, n_y = touch.normal
    v_a, v_b = a.surface_velocity(_rim(a, touch)), b.surface_velocity(touch.place)
    return n_y * (v_a[0] - v_b[0]) - n_x * (v_a[1] - v_b[1])


def _rim(a: CircleOn, touch: Touch) -> Any:
    """The place of a's surface that touches: c_a - r_a n."""
    X, Y = a.place
    return X - a.radius * touch.normal[0], Y - a.radius * touch.normal[1]

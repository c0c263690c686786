"""The drawing of a machine from its parts: shapes of bodies or links between joints and tips, pins, guides, springs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from jounce.model import drawing
from jounce.model.bodies.body import Body, Frame, Pair, ground, pair
from jounce.model.bodies.forces import Spring
from jounce.model.bodies.geometry import PointOn
from jounce.model.bodies.joints import Pin, Translational, unit_vector
from jounce.model.bodies.touching import DrawnContact
from jounce.model.expressions import as_expression, value_at

if TYPE_CHECKING:
    from jounce.model.bodies.machine import Parts


def machine_drawing(parts: Parts, values: Mapping[str, float]) -> list[Any]:
    """Shapes from back to front; ``values`` (defaults and start, by name) only decide the size of blocks and guides."""
    size = _size(parts, values)
    contacts = [contact for contact in parts.contacts if type(contact) is DrawnContact]  # journals are pins
    surfaces = [shape for contact in contacts for shape in contact.shapes[:-1]]
    back = [shape for shape in surfaces if isinstance(shape, drawing.Ground)]
    outlines = [shape for shape in surfaces if not isinstance(shape, drawing.Ground)]
    shown = {shape.body for shape in outlines}
    shapes: list[Any] = [*back]
    sliders = [joint for joint in parts.joints if isinstance(joint, Translational)]
    shapes += [_rail(joint, size, values) for joint in sliders if _needs_rail(joint, parts)]
    shapes += outlines
    for body in parts.bodies:
        shapes += _body_shapes(body, parts, size, body.name in shown)
    for force in parts.forces:
        ends = force.ends()
        if ends is not None:
            shapes.append(drawing.Coil(*ends) if isinstance(force, Spring) else drawing.Segment(*ends, "ground"))
    shapes += _pins(parts)
    shapes += [contact.shapes[-1] for contact in contacts]
    return _without_repetition(shapes)


def _body_shapes(body: Body, parts: Parts, size: float, outlined: bool) -> list[Any]:
    given = body.shapes if isinstance(body.shapes, (list, tuple)) else [body.shapes]
    if given:
        return [_placed(shape, body) for shape in given]
    points = _attachments(body, parts)
    if not outlined:
        points += [point for point in _tips(body, parts) if point not in points]
    held = [joint for joint in parts.joints if isinstance(joint, Translational) and joint.second is body]
    shapes: list[Any] = [_block(joint, body, size) for joint in held]
    if len(points) >= 3:
        shapes.append(drawing.Polygon([body.point(point) for point in drawing.around(points)], body.name))
    elif len(points) == 2:
        shapes.append(drawing.Segment(body.point(points[0]), body.point(points[1]), body.name))
    elif outlined or shapes:
        pass
    else:
        if points and points[0] != (0, 0):
            shapes.append(drawing.Segment(body.point(points[0]), body.pose[:2], body.name))
        shapes.append(drawing.Circle(body.pose[:2], 0.05 * size, body.theta, body.name))
    return shapes


def _attachments(frame: Frame, parts: Parts) -> list[Pair]:
    """The distinct points at which joints and springs hold a body."""
    places = [(holder, place) for joint in parts.joints for holder, place in joint.attachments()]
    for force in parts.forces:
        if force.ends() is not None:
            places += [(force.first, force.at_first), (force.second, force.at_second)]  # type: ignore[attr-defined]
    found: list[Pair] = []
    for holder, place in places:
        point = pair(place, "a point")
        if holder is frame and point not in found:
            found.append(point)
    return found


def _tips(body: Body, parts: Parts) -> list[Pair]:
    """The distinct points with which a body touches others."""
    sides = [side for contact in parts.contacts if isinstance(contact, DrawnContact) for side in (contact.a, contact.b)]
    return list(dict.fromkeys(side.center for side in sides if isinstance(side, PointOn) and side.body is body))


def _placed(shape: Any, body: Body) -> Any:
    """A shape of the body's own frame in the ground's."""
    match shape:
        case drawing.Segment():
            return drawing.Segment(body.point(shape.start), body.point(shape.end), shape.body or body.name)
        case drawing.Circle():
            angle = body.theta if shape.angle is None else body.theta + shape.angle
            return replace(shape, center=body.point(shape.center), angle=angle, body=shape.body or body.name)
        case drawing.Polygon():
            return drawing.Polygon([body.point(point) for point in shape.points], shape.body or body.name)
    return replace(shape, position=body.point(shape.position))  # a Point


def _block(joint: Translational, body: Body, size: float) -> drawing.Polygon:
    """A rectangle along the axis, where the slider is held."""
    (e_x, e_y), (X, Y) = joint.first.turned(unit_vector(joint.axis, "axis")), body.point(joint.at_second)
    a, b = 0.09 * size, 0.05 * size
    signs = ((-a, -b), (a, -b), (a, b), (-a, b))
    return drawing.Polygon([(X + s * e_x - n * e_y, Y + s * e_y + n * e_x) for s, n in signs], body.name)


def _needs_rail(joint: Translational, parts: Parts) -> bool:
    """A guide is drawn on the ground, and on a body that has no other picture."""
    if joint.first is ground:
        return True
    return isinstance(joint.first, Body) and not joint.first.shapes and len(_attachments(joint.first, parts)) < 2


def _rail(joint: Translational, size: float, values: Mapping[str, float]) -> drawing.Segment:
    """A piece of the axis around the start of the slider."""
    e = joint.first.turned(unit_vector(joint.axis, "axis"))
    P, S = joint.first.point(joint.at_first), joint.second.point(joint.at_second)
    middle = _number(e[0] * (S[0] - P[0]) + e[1] * (S[1] - P[1]), values)
    middle = middle if math.isfinite(middle) else 0.0
    ends = [(P[0] + s * e[0], P[1] + s * e[1]) for s in (middle - 0.5 * size, middle + 0.5 * size)]
    return drawing.Segment(ends[0], ends[1], joint.first.name)


def _pins(parts: Parts) -> list[drawing.Point]:
    pins = []
    for joint in parts.joints:
        if isinstance(joint, Pin):
            holder, place = (joint.second, joint.at_second) if joint.second is ground else (joint.first, joint.at_first)
            pins.append(drawing.Point(holder.point(place), fixed=holder is ground))
    return pins


def _size(parts: Parts, values: Mapping[str, float]) -> float:
    """The extent of the machine at its start: of all centres and joints."""
    xs, ys = [], []
    for frame in (ground, *parts.bodies):
        for place in [*_attachments(frame, parts), *([(0, 0)] if isinstance(frame, Body) else [])]:
            x, y = (_number(part, values) for part in frame.point(place))
            if math.isfinite(x) and math.isfinite(y):
                xs.append(x)
                ys.append(y)
    extent = max(max(xs) - min(xs), max(ys) - min(ys)) if xs else 0.0
    return extent if extent > 0 else 1.0


def _number(expression: Any, values: Mapping[str, float]) -> float:
    expression = as_expression(expression, "a length of the picture")
    return value_at(expression, {symbol: values[symbol.name] for symbol in expression.free_symbols})


def _without_repetition(shapes: list[Any]) -> list[Any]:
    """One drawing of what several contacts share."""
    kept: list[Any] = []
    seen = set()
    for shape in shapes:
        key = (type(shape).__name__, str([getattr(shape, entry.name) for entry in fields(shape)]))
        if key not in seen:
            seen.add(key)
            kept.append(shape)
    return kept

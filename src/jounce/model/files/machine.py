"""The part of a model file that describes a machine: bodies, the joints and forces between them, shapes that touch."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from jounce.model.bodies import (
    Body,
    CircleOn,
    ClearanceJoint,
    Corners,
    CurveOn,
    Damper,
    Driver,
    Edge,
    EllipseOn,
    Force,
    Line,
    PathOn,
    PointOn,
    PolygonOn,
    Revolute,
    Rigid,
    Spring,
    Torque,
    TorsionSpring,
    Translational,
    contact_between,
    ground,
)
from jounce.model.bodies.joints import Joint
from jounce.model.contact import Contact
from jounce.model.files.entries import Entries
from jounce.model.files.source import Trail
from jounce.model.symbols import plain_symbol

JOINTS: dict[str, type] = {kind.__name__: kind for kind in (Revolute, Translational, Rigid, Driver, ClearanceJoint)}
FORCES: dict[str, type] = {kind.__name__: kind for kind in (Spring, Damper, TorsionSpring, Force, Torque)}
_SHAPES = (PointOn, CircleOn, Corners, Line, Edge, PolygonOn, CurveOn, EllipseOn, PathOn)
SURFACES: dict[str, type] = {kind.__name__: kind for kind in _SHAPES}
_FOUND_BY_GEOMETRY = ("gap", "slip", "penetration", "offset", "load", "preload", "lever")


class Machine:
    """The bodies of a file; their coordinates become names for every expression that follows."""

    def __init__(self, entries: Entries, given: dict[str, Any]) -> None:
        self.entries = entries
        if given:
            entries.frames["ground"] = ground
        self.bodies = [self._body(name, table) for name, table in given.items()]

    def _body(self, name: str, given: Any) -> Body:
        trail = ("bodies", name)
        if name == "ground":
            raise self.entries.error(trail, "this is the name of what does not move; rename the body")
        body: Body = self.entries.made(Body, given, trail, name=name)
        self.entries.frames[name] = body
        self.entries.symbols |= {symbol.name: symbol for symbol in (*body.pose, *body.motion)}
        return body

    def joints(self, given: dict[str, Any]) -> list[Joint]:
        """[joints.pin] type = "Revolute", first = "ground", second = "crank", ..."""
        return [self._element(JOINTS, table, ("joints", name), name=name) for name, table in given.items()]

    def forces(self, given: dict[str, Any]) -> list[Any]:
        """[forces.return_spring] type = "Spring", ...; the name is for people."""
        return [self._element(FORCES, table, ("forces", name)) for name, table in given.items()]

    def _element(self, kinds: dict[str, type], given: Any, trail: Trail, **known: Any) -> Any:
        kind = self.entries.choice(self.entries.table(given, trail), "type", kinds, trail)
        return self.entries.made(kind, given, trail, also=("type",), **known)

    def contact(self, name: str, given: dict[str, Any], trail: Trail) -> Any:
        """between = [{shape = "PointOn", body = "rod"}, {shape = "Line", body = "ground"}], and the coefficients."""
        pair = given["between"]
        place = (*trail, "between")
        if not isinstance(pair, list) or len(pair) != 2:
            raise self.entries.error(place, "expected two shapes, [{shape = ..., body = ...}, {...}]")
        sides = [self._surface(table, (*place, k)) for k, table in enumerate(pair)]
        allowed = [entry.name for entry in fields(Contact) if entry.name not in ("name", *_FOUND_BY_GEOMETRY)]
        self.entries.table(given, trail, ["between", *allowed])
        # a contact of no meaning but with these coefficients: what they are, is known to the reader of contacts
        plain = {key: value for key, value in given.items() if key != "between"}
        coefficients = self.entries.made(Contact, plain, trail, name=name, gap=None)
        return contact_between(name, *sides, **{key: getattr(coefficients, key) for key in plain})

    def _surface(self, given: Any, trail: Trail) -> Any:
        kind = self.entries.choice(self.entries.table(given, trail), "shape", SURFACES, trail)
        if kind not in (CurveOn, PathOn, EllipseOn):
            return self.entries.made(kind, given, trail, also=("shape",))
        known = {"ranges": self._ranges(given["ranges"], (*trail, "ranges"))} if "ranges" in given else {}
        given = {key: value for key, value in given.items() if key != "ranges"}
        if kind is EllipseOn:
            return self.entries.made(kind, given, trail, also=("shape",), **known)
        # parameter = "s" is a name for the expressions of this curve alone
        place, name = (*trail, "parameter"), given.get("parameter")
        taken = [*self.entries.symbols, *self.entries.definitions]
        if not isinstance(name, str) or not name.isidentifier() or name in taken:
            raise self.entries.error(place, 'a name for the parameter of the curve, such as "s", that nothing else has')
        self.entries.symbols[name] = plain_symbol(name)
        try:
            return self.entries.made(kind, given, trail, also=("shape",), **known)
        finally:
            del self.entries.symbols[name]

    def _ranges(self, given: Any, trail: Trail) -> dict[Any, Any]:
        """ranges = { lift = [0.1, 0.3] }: the least and the largest value of parameters of the model."""
        found = {}
        for name, ends in self.entries.table(given, trail, self.entries.symbols).items():
            if not isinstance(ends, list) or len(ends) != 2:
                raise self.entries.error((*trail, name), "expected two numbers, the least and the largest value")
            found[self.entries.symbols[name]] = tuple(self.entries.number(end, (*trail, name)) for end in ends)
        return found

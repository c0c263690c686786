"""A model as plain data: for its hash, and for files that rebuild it without running foreign code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model import drawing as shapes
from jounce.model.compliance import Compliance
from jounce.model.compliant_contact import memory_names
from jounce.model.contact import Contact
from jounce.model.expressions import from_tree, to_tree
from jounce.model.model import Model
from jounce.model.symbols import plain_symbol, time, velocity_name

_CONTACT_EXPRESSIONS = ("gap", "slip", "friction", "static_friction", "restitution", "tangential_restitution")
_COMPLIANCE_EXPRESSIONS = ("normal", "tangential", "loss", "surface", "elastic", "back")


def equations(model: Model) -> dict[str, Any]:
    """What the generated code depends on: names, order and expressions, but no default values and no texts."""
    return {
        "name": model.name,
        "coordinates": list(model.coordinates),
        "parameters": list(model.parameters),
        "mass": [to_tree(entry) for entry in model.M],
        "forces": [to_tree(entry) for entry in model.h],
        "contacts": [[_optional(getattr(contact, key)) for key in _CONTACT_EXPRESSIONS] for contact in model.contacts],
        "joints": [to_tree(expression) for expression in model.joints.values()],
        "guards": [to_tree(expression) for expression in model.guards.values()],
        "potential": to_tree(model.potential),
        "applied_power": to_tree(model.applied_power),
    } | _compliance_data(model)


def _compliance_data(model: Model) -> dict[str, Any]:
    """What compliant contacts and joints with play add; nothing without them: other files stay as they were."""
    laws = [contact.compliance for contact in model.contacts]
    if not any(laws) and all(contact.offset is None for contact in model.contacts):
        return {}
    data = [
        None
        if law is None
        else {key: to_tree(getattr(law, key)) for key in _COMPLIANCE_EXPRESSIONS}
        | {"law": law.law, "pulls": law.pulls, "branch": law.branch}
        | {"coefficients": {name: to_tree(sp.sympify(value)) for name, value in law.coefficients.items()}}
        for law in laws
    ]
    depths = [_optional(contact.penetration) for contact in model.contacts]
    offsets = [
        None if contact.offset is None else [to_tree(part) for part in contact.offset] for contact in model.contacts
    ]
    return {"compliance": data, "penetration": depths, "offset": offsets}


def _compliance(entry: Any, read: Any) -> Compliance | None:
    if entry is None:
        return None
    return Compliance(
        law=entry["law"],
        pulls=entry["pulls"],
        branch=entry["branch"],
        coefficients={name: read(tree) for name, tree in entry["coefficients"].items()},
        **{key: read(entry[key]) for key in _COMPLIANCE_EXPRESSIONS},
    )


def equations_hash(model: Model, *extra: str) -> str:
    """A short hash of the equations (and of ``extra`` texts), the same in every session and on every machine."""
    digest = hashlib.sha256(json.dumps(equations(model), sort_keys=True).encode())
    for text in extra:
        digest.update(text.encode())
    return digest.hexdigest()[:16]


def to_definition(model: Model) -> dict[str, Any]:
    """The whole model as JSON-ready data."""
    return equations(model) | {
        "coordinates": dict(model.coordinates),
        "parameters": [asdict(parameter) for parameter in model.parameters.values()],
        "contact_names": [[contact.name, contact.law] for contact in model.contacts],
        "joint_names": list(model.joints),
        "guard_names": list(model.guards),
        "period": _optional(model.period),
        "start": dict(model.start),
        "drawing": [_shape_data(shape) for shape in model.drawing],
        "description": model.description,
        "source": model.source,
    }


def from_definition(data: dict[str, Any]) -> Model:
    """The model of ``to_definition``'s data; raises ModelError when the data are damaged."""
    try:
        return _rebuild(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ModelError(f"the stored model cannot be read: {type(error).__name__}: {error}") from None


def _rebuild(data: dict[str, Any]) -> Model:
    names = list(data["coordinates"])
    parameters = {
        entry["name"]: (entry["default"], entry["unit"], entry["description"]) for entry in data["parameters"]
    }
    laws = data.get("compliance", [None] * len(data["contacts"]))
    named = [Contact(name, 0, compliance=law) for (name, _), law in zip(data["contact_names"], laws, strict=True)]
    words = (*names, *map(velocity_name, names), *parameters, *memory_names(named))
    known = {name: plain_symbol(name) for name in words} | {"t": time}

    depths = data.get("penetration", [None] * len(data["contacts"]))
    offsets = data.get("offset", [None] * len(data["contacts"]))

    def read(tree: Any) -> Any:
        return None if tree is None else from_tree(tree, known)

    contacts = [
        Contact(
            name,
            law=law,
            compliance=_compliance(compliance, read),
            penetration=read(depth),
            offset=None if offset is None else tuple(map(read, offset)),
            **dict(zip(_CONTACT_EXPRESSIONS, map(read, trees), strict=True)),
        )
        for (name, law), trees, compliance, depth, offset in zip(
            data["contact_names"], data["contacts"], laws, depths, offsets, strict=True
        )
    ]
    return Model(
        data["name"],
        data["coordinates"],
        sp.Matrix(len(names), len(names), [read(tree) for tree in data["mass"]]),
        [read(tree) for tree in data["forces"]],
        contacts=contacts,
        joints=dict(zip(data["joint_names"], map(read, data["joints"]), strict=True)),
        guards=dict(zip(data["guard_names"], map(read, data["guards"]), strict=True)),
        potential=read(data["potential"]),
        parameters=parameters,
        period=read(data["period"]),
        start=data["start"],
        drawing=[_shape(entry, read) for entry in data["drawing"]],
        description=data["description"],
        source=data["source"],
        applied_power=read(data["applied_power"]),
    )


def _optional(expression: sp.Basic | None) -> Any:
    return None if expression is None else to_tree(expression)


def _shape_data(shape: Any) -> list[Any]:
    """Name, expressions, and (where a shape has them) a last entry of plain attributes."""
    match shape:
        case shapes.Segment():
            return ["Segment", *map(to_tree, (*shape.start, *shape.end)), {"body": shape.body}]
        case shapes.Coil():
            return ["Coil", *map(to_tree, (*shape.start, *shape.end))]
        case shapes.Polygon():
            return ["Polygon", *(to_tree(part) for point in shape.points for part in point), {"body": shape.body}]
        case shapes.Circle():
            numbers = [*map(to_tree, (*shape.center, shape.radius)), _optional(shape.angle)]
            return ["Circle", *numbers, {"body": shape.body, "filled": shape.filled}]
        case shapes.Ground():
            first, second = shape.points
            return ["Ground", *map(to_tree, (*first, *second))]
        case _:
            return ["Point", *map(to_tree, shape.position), {"contact": shape.contact, "fixed": shape.fixed}]


def _shape(entry: list[Any], read: Any) -> Any:
    rest = entry[-1] if isinstance(entry[-1], dict) else {}
    match entry[:-1] if rest else entry:
        case ["Segment", x1, y1, x2, y2]:
            return shapes.Segment((read(x1), read(y1)), (read(x2), read(y2)), **rest)
        case ["Coil", x1, y1, x2, y2]:
            return shapes.Coil((read(x1), read(y1)), (read(x2), read(y2)))
        case ["Polygon", *numbers]:
            parts = [read(number) for number in numbers]
            return shapes.Polygon(tuple(zip(parts[::2], parts[1::2], strict=True)), **rest)
        case ["Circle", x, y, radius, angle]:
            return shapes.Circle((read(x), read(y)), read(radius), read(angle), **rest)
        case ["Ground", x1, y1, x2, y2]:
            return shapes.Ground(((read(x1), read(y1)), (read(x2), read(y2))))
        case ["Point", x, y]:
            return shapes.Point((read(x), read(y)), **rest)
        case ["Point", x, y, contact]:  # as files of version 0.1 have it
            return shapes.Point((read(x), read(y)), contact)
    raise ModelError(f"the stored model has an unknown shape {entry!r}")

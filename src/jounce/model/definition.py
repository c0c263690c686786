"""A model as plain data: for its hash, and for files that rebuild it without running foreign code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

import sympy as sp

from jounce.model import drawing as shapes
from jounce.model.definition_reader import COMPLIANCE_EXPRESSIONS, CONTACT_EXPRESSIONS, from_definition
from jounce.model.expressions import as_expression
from jounce.model.model import Model
from jounce.model.trees import to_tree

__all__ = ["equations", "equations_hash", "from_definition", "to_definition"]


def equations(model: Model) -> dict[str, Any]:
    """What the generated code depends on: names, order and expressions, but no default values and no texts."""
    return {
        "name": model.name,
        "coordinates": list(model.coordinates),
        "parameters": list(model.parameters),
        "mass": [to_tree(entry) for entry in model.M],
        "forces": [to_tree(entry) for entry in model.h],
        "contacts": [[_optional(getattr(contact, key)) for key in CONTACT_EXPRESSIONS] for contact in model.contacts],
        "joints": [to_tree(expression) for expression in model.joints.values()],
        "guards": [to_tree(expression) for expression in model.guards.values()],
        "potential": to_tree(model.potential),
        "applied_power": to_tree(model.applied_power),
    } | (_compliance_data(model) | _load_data(model) | _reset_data(model))


def _compliance_data(model: Model) -> dict[str, Any]:
    """What compliant contacts and joints with play add; nothing without them: other files stay as they were."""
    laws = [contact.compliance for contact in model.contacts]
    if not any(laws) and all(contact.offset is None for contact in model.contacts):
        return {}
    data = [
        None
        if law is None
        else {key: to_tree(getattr(law, key)) for key in COMPLIANCE_EXPRESSIONS}
        | {"law": law.law, "pulls": law.pulls, "branch": law.branch}
        | {
            "coefficients": {
                name: to_tree(as_expression(value, f"{law.law}: {name}")) for name, value in law.coefficients.items()
            }
        }
        for law in laws
    ]
    depths = [_optional(contact.penetration) for contact in model.contacts]
    offsets = [
        None if contact.offset is None else [to_tree(part) for part in contact.offset] for contact in model.contacts
    ]
    return {"compliance": data, "penetration": depths, "offset": offsets}


def _load_data(model: Model) -> dict[str, Any]:
    """What contacts add that others load; nothing without them."""
    if all(contact.load is None for contact in model.contacts):
        return {}
    loads = [
        None
        if contact.load is None
        else {"of": list(contact.load), "preload": to_tree(contact.preload), "lever": _optional(contact.lever)}
        for contact in model.contacts
    ]
    return {"loads": loads}


def _reset_data(model: Model) -> dict[str, Any]:
    """What resets and discrete states add; nothing without them."""
    if not model.resets and not model.states:
        return {}
    resets = [
        {
            "name": reset.name,
            "guard": reset.guard,
            "direction": reset.direction,
            "only_if": _optional(reset.only_if),
            "map": [[name, to_tree(value)] for name, value in reset.map.items()],
        }
        for reset in model.resets
    ]
    return {"resets": resets, "states": list(model.states)}


def equations_hash(model: Model, *extra: str) -> str:
    """A short hash of the equations (and of ``extra`` texts), the same in every session and on every machine."""
    digest = hashlib.sha256(json.dumps(equations(model), sort_keys=True).encode())
    for text in extra:
        digest.update(text.encode())
    return digest.hexdigest()[:16]


def to_definition(model: Model) -> dict[str, Any]:
    """The whole model as JSON-ready data."""
    return (
        equations(model)
        | {
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
        | ({"scales": dict(model.scales)} if model.scales else {})
        | ({"states": [asdict(state) for state in model.states.values()]} if model.states else {})
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

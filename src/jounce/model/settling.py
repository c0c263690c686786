"""What a model is given, in its own symbols: checked by name, in the form in which it is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.compliant_contact import check_law
from jounce.model.contact import Contact
from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.model.expressions import identically_zero
from jounce.model.lagrangian import tidy, time_derivative
from jounce.model.loads import with_load
from jounce.model.names import is_integral, key_name, velocity_name, velocity_unit
from jounce.model.speeds import SPEEDS_IN, friction_at_rest
from jounce.model.vocabulary import Vocabulary, check_identifier
from jounce.units import in_unit

if TYPE_CHECKING:
    from jounce.model.model import Model


def settled_mass(words: Vocabulary, given: Any) -> sp.ImmutableMatrix:
    """The mass matrix, from a matrix, its rows, its diagonal or its only entry."""
    n, names = len(words.coordinates), list(words.coordinates)
    rows = matrix_rows(given)
    if all(len(row) == 1 for row in rows) and len(rows) == n:
        rows = [[row[0] if i == j else 0 for j in range(n)] for i, row in enumerate(rows)]
    if len(rows) != n or any(len(row) != n for row in rows):
        shape = f"{len(rows)} x {len(rows[0]) if rows else 0}"
        raise ModelError(f"the mass matrix has shape {shape}; the {n} coordinates need {n} x {n}")

    def entry(i: int, j: int) -> sp.Expr:
        return words.expression(rows[i][j], f"mass matrix, entry [{names[i]},{names[j]}]", velocities=False)

    return sp.ImmutableMatrix(n, n, entry)


def matrix_rows(given: Any) -> list[list[Any]]:
    """The rows of a matrix, of a list of rows or of diagonal entries, or of one entry."""
    if isinstance(given, sp.MatrixBase):
        return [list(given.row(i)) for i in range(given.rows)]
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        given = [given]
    return [list(row) if isinstance(row, (list, tuple)) else [row] for row in given]


def settled_column(words: Vocabulary, given: Any, kind: str) -> list[sp.Expr]:
    """One expression for each coordinate."""
    names = list(words.coordinates)
    if isinstance(given, Mapping):
        named = {key_name(key, kind): value for key, value in given.items()}
        for name in named:
            if name not in names:
                raise ModelError(f"{kind} on {name!r}: no such coordinate; {suggestion(name, names, 'coordinates')}")
        given = [named.get(name, 0) for name in names]
    elif isinstance(given, sp.MatrixBase):
        given = list(given)
    elif not isinstance(given, (list, tuple)):
        given = [given]
    if len(given) != len(names):
        raise ModelError(f"{len(given)} {kind}s for {len(names)} coordinates ({', '.join(names)})")
    return [words.expression(value, f"{kind} on {name!r}") for name, value in zip(names, given, strict=True)]


def as_list(given: Any) -> Any:
    """A list or tuple as it is, one object as a list of one."""
    return given if isinstance(given, (list, tuple)) else [given]


def settled_contact(words: Vocabulary, contact: Any) -> Contact:
    """A contact in the symbols of the model."""
    if not isinstance(contact, Contact):
        raise ModelError(f"contacts: expected a Contact, not {contact!r}")
    check_identifier(contact.name, "contact")
    check_law(contact)
    where = f"contact {contact.name!r}"
    if contact.law is not None and not isinstance(contact.law, str):
        raise ModelError(f"{where}: the law must be a name such as 'energetic', or None, not {contact.law!r}")
    offset = contact.offset
    if offset is not None and not (isinstance(offset, list | tuple) and len(offset) == 2):
        raise ModelError(f"{where}: the offset must be a pair (x, y), not {offset!r}")
    contact = with_load(words, contact)
    return replace(
        contact,
        gap=words.expression(contact.gap, f"{where}: gap", velocities=False),
        slip=None if contact.slip is None else words.expression(contact.slip, f"{where}: slip"),
        penetration=None
        if contact.penetration is None
        else words.expression(contact.penetration, f"{where}: penetration", velocities=False),
        offset=None
        if contact.offset is None
        else tuple(words.expression(part, f"{where}: offset", velocities=False) for part in contact.offset),
        **settled_coefficients(words, contact),
    )


def settled_coefficients(words: Vocabulary, contact: Contact) -> dict[str, sp.Expr]:
    """Friction and restitution of a contact in the symbols of the model."""
    where = f"contact {contact.name!r}"
    speeds = SPEEDS_IN["friction"]
    friction = words.expression(contact.friction, f"{where}: friction", velocities=False, internal=True, speeds=speeds)
    at_rest, static = friction_at_rest(friction, where), contact.static_friction
    settled = {"friction": friction, "static_friction": at_rest}
    if static is not None:
        settled["static_friction"] = words.expression(
            static, f"{where}: static_friction", velocities=False, internal=True
        )
    for name in ("restitution", "tangential_restitution"):
        value = getattr(contact, name)
        settled[name] = words.expression(value, f"{where}: {name}", velocities=False, speeds=SPEEDS_IN[name])
    return settled


def settled_guards(words: Vocabulary, guards: Any) -> dict[str, sp.Expr]:
    """The user's guards in the symbols of the model."""
    return settled_expressions(words, guards, "guard", velocities=True)


def settled_expressions(words: Vocabulary, given: Any, kind: str, *, velocities: bool) -> dict[str, sp.Expr]:
    """Joints or guards by name."""
    if not isinstance(given, Mapping):
        raise ModelError(f"{kind}s: expected a dictionary name -> expression, not {given!r}")
    for name in given:
        # a joint of several equations names each of them joint.direction
        for part in str(name).split(".") if kind == "joint" else [name]:
            check_identifier(part, kind)
    return {name: words.expression(value, f"{kind} {name!r}", velocities=velocities) for name, value in given.items()}


def settled_period(words: Vocabulary, given: Any) -> sp.Expr:
    """The forcing period in the parameters of the model."""
    period = words.expression(given, "period", velocities=False)
    others = sorted(symbol.name for symbol in period.free_symbols - set(words.p))
    if others:
        raise ModelError(f"period depends on {others[0]!r}; only parameters may appear")
    return period


def settled_numbers(words: Vocabulary, given: Any, what: str) -> dict[str, float]:
    """Numbers by the names of coordinates and velocities."""
    if not isinstance(given, Mapping):
        raise ModelError(f"{what}: expected a dictionary coordinate or velocity -> number, not {given!r}")
    units = words.coordinates | {velocity_name(name): velocity_unit(unit) for name, unit in words.coordinates.items()}
    numbers = {}
    for key, value in given.items():
        name = key_name(key, what)
        if name not in units:
            raise ModelError(f"{what}: {name!r} is no coordinate or velocity; {suggestion(name, units)}")
        try:
            numbers[name] = float(in_unit(value, units[name], f"{what}: {name!r}", ModelError))
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{what}: {name!r} must be a number, not {value!r}") from None
        if not math.isfinite(numbers[name]):
            raise ModelError(f"{what}: {name!r} is {numbers[name]}; it must be finite")
    return numbers


def settled_scales(words: Vocabulary, given: Any) -> dict[str, float]:
    """How large coordinates and velocities are, by name."""
    scales = settled_numbers(words, given, "scales")
    for name, value in scales.items():
        if not value > 0.0:
            raise ModelError(f"scales: {name!r} is {value}; it must be positive")
    return scales


def settled_shape(words: Vocabulary, shape: Any) -> Any:
    """A shape of the drawing in the symbols of the model."""

    def settle(value: Any) -> sp.Expr:
        return words.expression(value, f"drawing: {type(shape).__name__}", velocities=False)

    def pair(values: Any) -> tuple[sp.Expr, sp.Expr]:
        if not isinstance(values, (list, tuple)) or len(values) != 2:
            raise ModelError(f"drawing: {type(shape).__name__} needs pairs (x, y), not {values!r}")
        return settle(values[0]), settle(values[1])

    match shape:
        case Segment():
            return replace(shape, start=pair(shape.start), end=pair(shape.end))
        case Coil():
            return Coil(pair(shape.start), pair(shape.end))
        case Polygon():
            return replace(shape, points=tuple(pair(point) for point in shape.points))
        case Circle():
            angle = None if shape.angle is None else settle(shape.angle)
            return replace(shape, center=pair(shape.center), radius=settle(shape.radius), angle=angle)
        case Ground():
            first, second = shape.points
            return Ground((pair(first), pair(second)))
        case Point():
            return replace(shape, position=pair(shape.position))
    raise ModelError(f"drawing: expected Segment, Circle, Polygon, Coil, Ground or Point, not {shape!r}")


def check_distinct(model: Model) -> None:
    """Raise a ModelError where two parts have one name, or a shape belongs to no contact."""
    taken: dict[str, str] = {}
    named = [(contact.name, "contact") for contact in model.contacts]
    named += [(name, "joint") for name in model.joints] + [(name, "guard") for name in model.guards]
    named += [(reset.name, "reset") for reset in model.resets if reset.name not in model.guards]
    for name, kind in named:
        if name in taken:
            raise ModelError(f"{kind} {name!r} has the same name as a {taken[name]}; names must differ")
        taken[name] = kind
    contacts = [contact.name for contact in model.contacts]
    for shape in model.drawing:
        if isinstance(shape, Point) and shape.contact is not None and shape.contact not in contacts:
            hint = suggestion(shape.contact, contacts, "contacts")
            raise ModelError(f"drawing: Point belongs to contact {shape.contact!r}, which does not exist; {hint}")


def settled_power(model: Model, words: Vocabulary, whole: Vocabulary) -> sp.Expr:
    """The rate of u.M.u/2 + V without contacts and joints: u.(h + Mdot u/2) + dV/dt.

    ``whole`` has the names of compliant contacts, too: they are in the value of a switch that slides.
    """
    power = model.applied_power
    if power is None:
        pairs = zip(words.coordinates, words.u, strict=True)
        u = sp.Matrix([0 if is_integral(name) else u_i for name, u_i in pairs])
        rate = model.M.applyfunc(lambda entry: time_derivative(entry, words.q, words.u))
        total = (u.T * (model.h + rate * u / 2))[0, 0] + time_derivative(model.V, words.q, words.u)
        power = tidy(total, words.u)
    power = whole.expression(power, "applied power")
    return sp.Integer(0) if identically_zero(power) else power

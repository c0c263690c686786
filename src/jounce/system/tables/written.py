"""Contacts whose gap and slip velocity are expressions of the places of one or two bodies: joints that rub, gears.

Their rates, directions and what is left of their second derivatives are written by the functions that write them for a
compiled model, and lowered to instructions that run before anything asks for a contact.
"""

from __future__ import annotations

import sympy as sp

from jounce.codegen.kinematics import Constraint, position_constraint, velocity_constraint
from jounce.kernels.bodies import layout
from jounce.kernels.records.workspace import MAX_CONTACTS
from jounce.model.bodies.machine_model import MachineModel
from jounce.model.contact import Contact
from jounce.model.magnitude import magnitude
from jounce.system.tables.lowering import NotInTablesError, Programs, Stage


def written_row(model: MachineModel, programs: Programs, contact: Contact) -> list[int]:
    """The row of a contact that is settled in the symbols of the model."""
    if len(model.contacts) > MAX_CONTACTS:
        raise NotInTablesError(
            f"more than {MAX_CONTACTS} contacts of which {contact.name!r} has a gap or a slip of its own, so that "
            "nothing says which are near"
        )
    normal, tangential = position_constraint(model, contact.gap), velocity_constraint(model, contact.slip)
    sides = _sides(model, contact.name, normal, tangential)
    row = [0] * layout.TOUCH_ROW
    row[layout.KIND], row[layout.HAS_SLIP] = layout.WRITTEN, int(contact.has_friction)
    row[layout.BODY_A], row[layout.BODY_B] = sides
    motion = (normal.value, normal.rate, tangential.rate, normal.bias, tangential.bias)
    entries = [
        part.direction[3 * body + j] if body < len(model.parts.bodies) else sp.Integer(0)
        for part in (normal, tangential)
        for body in sides
        for j in range(3)
    ]
    row[layout.WRITTEN_MOTION : layout.WRITTEN_SIZES] = [programs.touching(part) for part in (*motion, *entries)]
    sizes = [sp.Integer(0) if part is None else magnitude(part) for part in (contact.gap, contact.slip)]
    at = layout.WRITTEN_SIZES
    row[at : at + 2] = [programs.touching(size, Stage.GUARDS) for size in sizes]
    return row


def _sides(model: MachineModel, name: str, *parts: Constraint) -> tuple[int, int]:
    """The two bodies that a contact moves; the number behind the last body is the ground."""
    count = len(model.parts.bodies)
    bodies = sorted({k // 3 for part in parts for k, entry in enumerate(part.direction) if entry != 0})
    if len(bodies) > 2 or any(body >= count for body in bodies):
        raise NotInTablesError(f"contact {name!r} with a gap or a slip that moves more than two bodies")
    first, second = (*bodies, count, count)[:2]
    return (first, second) if bodies else (0, count)

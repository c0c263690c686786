"""What can be narrow in the user's forces and coefficients of a machine of tables, with its range over a step.

The range of an expression over a box is known to generated code alone (codegen/ranges.py). That of the few forces and
coefficients which can be narrow is generated and compiled by itself: it grows with these, not with the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from jounce.codegen.cache import load_ranges
from jounce.codegen.held_sides import Sides
from jounce.codegen.ranges import FORCE, FRICTION, FRICTION_BACK, can_be_narrow
from jounce.model.bodies.forces import Force, Torque, generalised
from jounce.model.bodies.machine_model import MachineModel
from jounce.model.bodies.parts import own_values
from jounce.model.contact import Contact
from jounce.model.expressions import expressions_in
from jounce.model.speeds import sliding_friction
from jounce.model.symbols import slip, time
from jounce.system.functions import NarrowParts

Output = tuple[int, int, int]


def narrow_parts(model: MachineModel, held: tuple[Sequence[sp.Symbol], Sides]) -> NarrowParts | None:
    """The ranges of what can be narrow; None where nothing can, or where there is too much of it to be watched.

    held   the sides of jumps: codegen/held_sides.py
    """
    outputs = dict(_forces(model)) | {
        (kind, i, 0): sliding_friction(contact.friction, sign * contact.slip)
        for i, contact in enumerate(model.contacts)
        if has_narrow_friction(model, contact)
        for kind, sign in ((FRICTION, 1), (FRICTION_BACK, -1))
    }
    found = load_ranges(model, outputs, held) if outputs else None
    if found is None:
        return None
    code, ranges = found
    return NarrowParts(code.functions["ranges"], ranges.outputs, ranges.watched)


def has_narrow_friction(model: MachineModel, contact: Contact) -> bool:
    """Whether the friction of a rigid contact changes with its speed or its place in a way that can be narrow."""
    moving = {time, slip, *model.q}
    return contact.compliance is None and contact.has_friction and can_be_narrow(contact.friction, moving)


def _forces(model: MachineModel) -> Iterator[tuple[Output, sp.Expr]]:
    """The forces of the user's that can be narrow, summed up on every coordinate."""
    words, parts = model.vocabulary, model.parts
    moving = {time, *words.q, *words.u}
    places = {body: 3 * k for k, body in enumerate(parts.bodies)}
    sums: dict[int, list[sp.Expr]] = {}
    for force in parts.forces:
        given = [words.expression(value, "a force") for value in expressions_in(list(own_values(force)))]
        if not isinstance(force, Force | Torque) or not any(can_be_narrow(value, moving) for value in given):
            continue
        for load in force.loads():
            for j, component in enumerate(generalised(load)):
                if load[0] in places and component != 0:
                    sums.setdefault(places[load[0]] + j, []).append(words.expression(component, "a force"))
    own = list(words.coordinates)
    for internal in parts.internal_forces():
        value = words.expression(internal.value, "an internal state")
        if can_be_narrow(value, moving):
            sums[own.index(internal.coordinate)] = [value]
    for k, terms in sums.items():
        yield (FORCE, k, 0), sp.Add(*terms)

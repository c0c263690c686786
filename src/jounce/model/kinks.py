"""Where the forces of a model are not smooth: the zeros at which steps must end.

A step over a kink or a jump of a force is no better than its error estimate, which expects smooth functions. The engine
locates the zeros of guards and ends its steps there; so the expressions whose signs decide between smooth branches are
guards of the model as well, without rows in the table of events:

    |a|, sign(a), Heaviside(a)        a
    Max and Min of a, b, c, ...       a - b, a - c, b - c, ...      (nested ones count as one)
    Piecewise                         both sides of each comparison
    curves through points             a function with zeros at all breaks, where one of two derivatives jumps there

Curves in gaps and joints reach the accelerations by their second derivative, those in slip velocities by their first:
the cam that a mass rides on is as rough as its second derivative.

Surfaces may begin or cease to move at once: a belt that is switched on, a table that is stopped, a parcel that comes
from one belt onto the next. There the velocities of closed contacts jump and not those of bodies, so that a contact
collides, opens or begins to slide, as where a schedule changes the speed. A gap with a kink in space is another thing:
it has no normal there (simulation/kinks.py).

A force that jumps with a velocity may hold the motion where it jumps, as friction does: there its zeros follow one
another without end. Such forces have become switches (jumps.py), which have a mode for it and guards of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.relational import Relational

from jounce.model.curves import ROUGH, Curve
from jounce.model.expressions import expressions_in
from jounce.model.jumps import MOST_CASES, NOT_SMOOTH, jumps_at, never_holds, normal
from jounce.model.profiles import Distance, Reach, with_tables
from jounce.model.switching.switch import switch_surfaces
from jounce.model.symbols import slip, time

if TYPE_CHECKING:
    from jounce.model.contact import Contact
    from jounce.model.model import Model

PRESSED = -1  # in place of a number of derivatives: an expression of the depth of a compliant contact
#: Guards that a model may have in all; kernels/records/workspace.py has the same number.
MOST_GUARDS = 16


class Kink(IntEnum):
    """What is not smooth at the zeros of an expression; kernels/records/codes.py has the same numbers."""

    KINK = 1  # a force has a kink
    LEAP = 2  # a force may jump
    SURFACE = 3  # the velocity of a surface may jump


def force_kinks(model: Model, forces: Iterable[sp.Expr] | None = None) -> dict[sp.Expr, Kink]:
    """The expressions at whose zeros forces, coefficients or surfaces are not smooth, and what may jump there.

    A guard of the model stays the one it is; of others there are as many as there is room for. ``forces`` are the
    expressions that forces are made of, where the model has not written them out.
    """
    guards = set(model.guards.values())
    # compliant contacts begin and end at events of their own, or where Options.contact_detection finds them; while they
    # are pressed their laws may have kinks at other depths
    opened = {model.symbols[name]: sp.Integer(0) for name in model.vocabulary.memory[::2]}
    written = model.h.xreplace(opened) if forces is None else list(forces)
    parts: list[tuple[object, int]] = [(written, 0), (list(model.joints.values()), 2)]
    for contact in model.contacts:
        parts += [(contact.friction, 0), (contact.static_friction, 0), (contact.preload, 0)]
        if contact.compliance is not None and not contact.compliance.is_smooth:
            parts.append((_while_pressed(contact), PRESSED))
        if not contact.moves_smoothly:
            parts += [(contact.slip, 1), (contact.gap, 2)]
    found: dict[sp.Expr, Kink] = {}
    borders = [
        entry
        for part, derivatives in parts
        for expression in expressions_in(part)
        for entry in _borders(model, expression, derivatives)
    ]
    for contact in model.contacts:
        borders += [] if contact.moves_smoothly else _surface_borders(model, contact)
    for border, kink in borders:
        known = -border if -border in found or -border in guards else border
        found[known] = max(found.get(known, kink), kink)
    shared = {border: kink for border, kink in found.items() if border in guards}
    others = [(border, kink) for border, kink in found.items() if border not in guards]
    return shared | dict(others[: max(0, MOST_GUARDS - len(guards))])


def _while_pressed(contact: Contact) -> sp.Expr:
    """The normal force of a compliant contact at any depth: where it begins is an event of its own."""
    depth = -contact.gap if contact.penetration is None else contact.penetration
    begins = [part for part in contact.compliance.normal.atoms(sp.Max) if set(part.args) == {depth, sp.Integer(0)}]
    return contact.compliance.normal.xreplace(dict.fromkeys(begins, depth))


def _surface_borders(model: Model, contact: Contact) -> Iterator[tuple[sp.Expr, Kink]]:
    """Where surfaces begin or cease to move: of gaps borders of time alone, of slip velocities those of place too."""
    for expression, places in ((contact.gap, ()), (contact.slip, model.q)):
        if expression is None:
            continue
        for part in sorted(expression.atoms(*NOT_SMOOTH), key=sp.default_sort_key):
            # a kink of a slip velocity is a jump of the force that lets a contact stick
            jumps = expression is contact.gap or isinstance(part, sp.sign | sp.Heaviside | sp.Piecewise)
            for border in signs_of(part, 0):
                moving = border.free_symbols & {time, *model.q, *model.u}
                if moving and moving <= {time, *places} and not border.has(*NOT_SMOOTH, Curve):
                    yield border, Kink.SURFACE if jumps else Kink.LEAP


def _borders(model: Model, expression: sp.Expr, derivatives: int) -> Iterator[tuple[sp.Expr, Kink]]:
    """Expressions of time and motion whose signs decide between the branches of one expression, and if it may jump.

    Of one that is seen by its derivatives only curves are asked: the others are kinks of gaps, which are found there.
    Of a compliant law depths of zero are not asked.
    """
    moving, surfaces = {time, *model.q, *model.u}, set(switch_surfaces(model.guards).values())
    kinds = (*NOT_SMOOTH, Curve) if derivatives <= 0 else (Curve,)
    for part in sorted(with_tables(expression.atoms(*kinds, Distance, Reach)), key=sp.default_sort_key):
        jumps = isinstance(part, sp.sign | sp.Heaviside | sp.Piecewise)
        for border in signs_of(part, derivatives):
            symbols = border.free_symbols
            inside = border.args[0] if isinstance(border, Curve) else border
            smooth = not inside.has(*NOT_SMOOTH, Curve) and slip not in symbols
            if not smooth or not symbols & moving or {border, -border} & surfaces:
                continue
            if isinstance(part, Curve):
                yield border, _kink_of(part, derivatives)
            elif not (jumps and symbols & set(model.u)):
                yield border, Kink.LEAP if jumps else Kink.KINK
            elif not jumps_at(expression, border, model.u):
                yield border, Kink.KINK
            elif never_holds(model.q, model.u, model.h, normal(border)[0]):
                yield border, Kink.LEAP


def _kink_of(curve: Curve, derivatives: int) -> Kink:
    """What jumps at the breaks of a curve in whose accelerations it is seen by so many derivatives."""
    order = curve.args[1].roughness() - max(derivatives, 0)
    return Kink.KINK if order > 0 else Kink.LEAP if order == 0 else Kink.SURFACE


def signs_of(part: sp.Expr, derivatives: int) -> Iterator[sp.Expr]:
    """The expressions whose signs decide between the branches of one part that is not smooth."""
    if isinstance(part, sp.Max | sp.Min):
        yield from (a - b for a, b in combinations(_leaves(part), 2))
    elif isinstance(part, sp.Piecewise):
        if len(part.args) <= MOST_CASES:
            for _, condition in part.args:
                for relation in sorted(condition.atoms(Relational), key=sp.default_sort_key):
                    yield relation.lhs - relation.rhs
    elif isinstance(part, Curve):
        if part.args[1].roughness() - max(derivatives, 0) <= ROUGH:
            yield part.args[1].crossings(part.args[0], 0.0 if derivatives == PRESSED else -math.inf)
    else:
        yield part.args[0]


def _leaves(part: sp.Expr) -> list[sp.Expr]:
    """What nested Max and Min choose from."""
    if not isinstance(part, sp.Max | sp.Min):
        return [part]
    return [leaf for argument in sorted(part.args, key=sp.default_sort_key) for leaf in _leaves(argument)]

"""Switches that are dry friction: where contacts push along their surfaces too.

What keeps a switch on its surface, S = -a/b (sliding.py), is an expression of the model's forces, and those of contacts
and of friction in joints are not among them: they are solved for together, mode by mode, or are given by a law of their
own. A switch whose force acts along its own surface,

    h_1 = -F s_u ,   F >= 0 ,   s affine in u ,

is what friction is: a contact with the slip velocity s that sticks with a force between -F and F, whose value is one of
the unknowns of the mode. So where contacts push along s, and where there are more of them than switches may be, such a
switch becomes a contact without a gap, ``Contact(slip=s, friction=1, load=(), preload=F)``: -F sign(dx) of a cart whose
pendulum rests on the ground, the relay -F sign(x + T dx) of a block on a rough floor. An F that depends on |s| is its
friction, the same in both directions (Stribeck).

Where F turns negative during a run there is no such contact, and the audit says so. A switch whose F is known to be
negative, or depends on other velocities or switches, or that acts along another direction, stays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from jounce.model.arithmetic import value_at
from jounce.model.contact import Contact
from jounce.model.expressions import identically_zero
from jounce.model.jumps import NOT_SMOOTH, in_value, jumps_at
from jounce.model.lagrangian import gradient
from jounce.model.names import is_integral
from jounce.model.switching.folds import eliminated
from jounce.model.symbols import plain_symbol
from jounce.model.symbols import slip as slip_speed

if TYPE_CHECKING:
    from jounce.model.switching.sliding import Sliding
    from jounce.model.vocabulary import Vocabulary


def pressed_along(switching: Sliding, contacts: Iterable[Contact]) -> list[str]:
    """The switches along whose surfaces closed contacts push.

    A rigid stop without friction whose normal is the way of the surface is none of them: it holds the surface by
    itself.
    """
    contacts = list(contacts)
    return [
        name
        for name, surface, push in zip(switching.names, switching.sided, switching.pushes, strict=True)
        if any(_pushes(switching.words, surface, push, contact) for contact in contacts)
    ]


def _pushes(words: Vocabulary, surface: sp.Expr, push: sp.MatrixBase, contact: Contact) -> bool:
    """Whether the forces of a contact move a surface that they do not hold."""
    if contact.slip is not None and contact.friction != 0 and moves(push, gradient(contact.slip, words.u)):
        return True
    normal = gradient(contact.gap if contact.penetration is None else contact.penetration, words.q)
    if not moves(push, normal):
        return False
    return contact.compliance is not None or not _parallel(normal, gradient(surface, words.u))


def moves(push: sp.MatrixBase, direction: Sequence[sp.Expr]) -> bool:
    """Whether a force in a direction moves the surface whose s_u.M^-1 is ``push``."""
    return not identically_zero((push * sp.Matrix(direction))[0, 0])


def _parallel(one: Sequence[sp.Expr], other: Sequence[sp.Expr]) -> bool:
    first = next(k for k, entry in enumerate(other) if entry != 0)
    return all(identically_zero(a * other[first] - b * one[first]) for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class Brake:
    """A switch as a contact: the contact, the forces without it, and h_1, what it adds to them for S = 1."""

    contact: Contact
    forces: sp.ImmutableMatrix
    way: sp.ImmutableMatrix


def as_brake(
    words: Vocabulary,
    name: str,
    surface: sp.Expr,
    forces: sp.ImmutableMatrix,
    switches: Iterable[str],
    start: Mapping[str, float],
) -> Brake | None:
    """The contact that a switch is; None where it is none.

    The forces hold the value of a switch by its name, or jump with the sign of its surface; ``switches`` are the names
    of all that the model has.
    """
    value = plain_symbol(name)
    written = [_in_value(words, force, surface, value) for force in forces]
    if any(force is None for force in written):
        return None
    way = sp.ImmutableMatrix([sp.diff(force, value) for force in written])
    found = _along_own_slip(words, surface, way)
    if found is None:
        return None
    slip, size = found
    if size.free_symbols & set(words.u):
        size = _of_slip(words, size, slip)
    if size is None or size.free_symbols & {value, *(plain_symbol(switch) for switch in switches)}:
        return None
    if _is_never_negative(words, -size) or not value_at(size, _defaults(words, start)) >= 0:
        return None
    by_speed = size.free_symbols & {slip_speed, *words.u}
    friction, preload = (size, sp.Integer(1)) if by_speed else (sp.Integer(1), size)
    without = sp.ImmutableMatrix([sp.sympify(force).xreplace({value: sp.Integer(0)}) for force in written])
    return Brake(Contact(name, slip=slip, friction=friction, load=(), preload=preload), without, way)


def _in_value(words: Vocabulary, force: sp.Expr, surface: sp.Expr, value: sp.Symbol) -> sp.Expr | None:
    """A force with the value of a switch; itself where it has none of it; None where it is not linear in it."""
    if value not in force.free_symbols and not jumps_at(force, surface, words.u):
        return force
    return in_value(force, surface, value, words.u)


def _along_own_slip(words: Vocabulary, surface: sp.Expr, way: sp.MatrixBase) -> tuple[sp.Expr, sp.Expr] | None:
    """Slip and F of forces ``way`` = -F times the gradient of the slip; None where they act along another direction.

    Of one velocity alone the slip is that velocity, so that F is the force.
    """
    along = gradient(surface, words.u)
    moved = [k for k, part in enumerate(along) if part != 0]
    if not moved or surface.has(*NOT_SMOOTH) or any(part.free_symbols & set(words.u) for part in along):
        return None
    size = -way[moved[0]] / along[moved[0]]
    if not all(identically_zero(force + size * part) for force, part in zip(way, along, strict=True)):
        return None
    if len(moved) > 1:
        return surface, size
    lever = along[moved[0]]
    side = 1 if _is_never_negative(words, lever) else -1 if _is_never_negative(words, -lever) else 0
    return (sp.expand(surface / lever), -side * way[moved[0]]) if side else None


def _of_slip(words: Vocabulary, size: sp.Expr, slip: sp.Expr) -> sp.Expr | None:
    """What depends on velocities as a function of the slip speed, the same in both directions; None if it is none.

    It may depend on internal states, too.
    """
    moving = [u for name, u in zip(words.coordinates, words.u, strict=True) if not is_integral(name)]
    speed = sp.Dummy(positive=True)
    written = (size.xreplace(eliminated(slip, moving, side * speed) or {}) for side in (1, -1))
    forward, back = (
        way.replace(lambda part: isinstance(part, sp.Abs), lambda part: sp.Abs(*part.args)) for way in written
    )
    if forward.free_symbols & set(moving) or not identically_zero(forward - back):
        return None
    return forward.xreplace({speed: slip_speed})


def without_brake(words: Vocabulary, power: sp.Expr, surface: sp.Expr, brake: Brake) -> sp.Expr | None:
    """An applied power without that of a switch that is a contact now; None where it is no sum of both."""
    value = plain_symbol(brake.contact.name)
    written = in_value(power, surface, value, words.u)
    own = (brake.way.T * sp.Matrix(words.u))[0, 0]
    if written is None or not identically_zero(sp.diff(written, value) - own):
        return None
    return written.xreplace({value: sp.Integer(0)})


def _defaults(words: Vocabulary, start: Mapping[str, float]) -> dict[sp.Symbol, float]:
    """Every symbol at its default: the time 0, the default start, the default parameters and states."""
    values = {symbol: start.get(name, 0.0) for name, symbol in words.symbols.items()}
    defaults = {entry.symbol: entry.default for entry in (*words.parameters.values(), *words.states.values())}
    return values | defaults | {slip_speed: 0.0}


def _is_never_negative(words: Vocabulary, expression: sp.Expr) -> bool:
    """Whether an expression is positive or zero wherever parameters have the signs of their defaults."""
    signs = {
        symbol: sp.Dummy(positive=True) if default > 0 else sp.Dummy(nonnegative=True)
        for symbol in words.p
        if symbol.name in words.parameters and (default := words.parameters[symbol.name].default) >= 0
    }
    return _nonnegative(expression.xreplace(signs))


def _nonnegative(expression: sp.Expr) -> bool:
    """What SymPy knows, and what it does not ask: of cases and steps."""
    if isinstance(expression, sp.Piecewise):
        return all(_nonnegative(value) for value, _ in expression.args)
    if isinstance(expression, sp.Heaviside):
        return True
    if isinstance(expression, sp.Max):
        return any(_nonnegative(part) for part in expression.args)
    if isinstance(expression, sp.Min | sp.Mul | sp.Add) and not expression.is_nonnegative:
        return all(_nonnegative(part) for part in expression.args)
    return bool(expression.is_nonnegative)

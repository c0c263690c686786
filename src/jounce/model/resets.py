"""Resets and discrete states: what changes at an instant by a rule of the user's, not by a law of impact.

    n = jounce.discrete("n")
    kick = jounce.Reset("impact:floor", {dy: dy + 0.5, n: n + 1}, only_if=n < 10, name="kick")
    jounce.Model(..., contacts=[floor], resets=[kick])

A reset happens where a guard vanishes or at an event of a contact. Its map is a simultaneous assignment: every right
side is evaluated with the state before. Discrete states are constant in between and may stand in every expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.logic.boolalg import Boolean, BooleanAtom

from jounce.errors import ModelError, suggestion
from jounce.model.cases import Piecewise
from jounce.model.expressions import expressions_in
from jounce.model.names import EVENT_KINDS, LEAVES, RUN_BEGINS, is_integral
from jounce.model.vocabulary import check_identifier

if TYPE_CHECKING:
    from jounce.model.contact import Contact
    from jounce.model.model import Model
    from jounce.model.vocabulary import Vocabulary

#: Resets that a model may have; kernels/records/workspace.py has the same number.
MOST_RESETS = 15
OF_COMPLIANT = ("touch", "separate", "grazing")


@dataclass(frozen=True)
class Reset:
    """An instantaneous change of the state.

    guard      when: an expression of coordinates, velocities, time, parameters and discrete states that vanishes, the
               name of a guard of the model, an event of a contact, such as "impact:foot" or "lift_off:foot", or
               "run:start", where a run begins (not one that goes on where another ended)
    map        what: {symbol: expression} of coordinates, velocities and discrete states; what is not named stays
    direction  of the guard: +1 it increases through zero, -1 it decreases, 0 both
    only_if    a condition at that instant, such as theta < -0.1 or sympy.Eq(side, 1), without which nothing happens
    name       by which events and sections name it; by default made from the guard

    At a contact's event the state before the reset is the one behind the impact.

    >>> x, dx = jounce.coordinate("x", "m")
    >>> turn = jounce.Reset(x**2 - 1, {dx: -dx}, direction=1, name="turn")
    >>> pacer = jounce.Model("pacer", [x], [1], [0], resets=[turn], start={dx: 1.0})
    >>> jounce.simulate(pacer, None, t_end=4.5).events["t"].tolist()
    [1.0, 3.0]
    """

    guard: Any
    map: Any
    direction: int = 0
    only_if: Any = None
    name: str = ""

    @property
    def event(self) -> tuple[str, str] | None:
        """(kind, contact) of the event at which it happens; None for a guard."""
        if not isinstance(self.guard, str) or ":" not in self.guard:
            return None
        kind, _, contact = self.guard.removeprefix("event:").partition(":")
        return kind.strip(), contact.strip()


def settled_resets(
    words: Vocabulary, given: Any, guards: dict[str, sp.Expr], contacts: tuple[Contact, ...]
) -> tuple[tuple[Reset, ...], dict[str, sp.Expr]]:
    """The resets in the model's own symbols, and the guards with those that resets have brought along.

    A guard that a reset brings has the reset's name; resets with the same expression share the guard of the first.
    """
    listed = given if isinstance(given, list | tuple) else [given]
    found: list[Reset] = []
    guards = dict(guards)
    own: dict[sp.Expr, str] = {guards[reset.name]: reset.name for reset in listed if _brings_own(reset, guards)}
    for number, reset in enumerate(listed, start=1):
        if not isinstance(reset, Reset):
            raise ModelError(f"resets: expected a Reset, not {reset!r}")
        name = reset.name or _default_name(reset, number)
        check_identifier(name, "reset")
        where = f"reset {name!r}"
        if name in (other.name for other in found):
            raise ModelError(f"{where} is there twice; names must differ: give name=...")
        guard = _trigger(words, reset, where, guards, contacts)
        if isinstance(guard, sp.Expr):
            if guard not in own:
                own[guard] = name
                guards[name] = guard
            guard = own[guard]
        found.append(_settled(words, replace(reset, guard=guard, name=name), where))
    return tuple(found), guards


def _brings_own(reset: Any, guards: dict[str, sp.Expr]) -> bool:
    """Whether a reset of a settled model has a guard of its own among the guards."""
    return isinstance(reset, Reset) and isinstance(reset.guard, str) and reset.guard == reset.name in guards


def _default_name(reset: Reset, number: int) -> str:
    if reset.event is not None:
        return "_".join(reset.event)
    return f"{reset.guard}_reset" if isinstance(reset.guard, str) else f"reset_{number}"


def _trigger(
    words: Vocabulary, reset: Reset, where: str, guards: dict[str, sp.Expr], contacts: tuple[Contact, ...]
) -> str | sp.Expr:
    """The name of a guard, "kind:contact", or the expression of a guard of its own."""
    if reset.event is not None:
        if reset.guard == RUN_BEGINS:
            return RUN_BEGINS
        kind, contact = reset.event
        names = [entry.name for entry in contacts]
        if kind not in EVENT_KINDS:
            raise ModelError(
                f"{where}: there are no events of kind {kind!r}; {suggestion(kind, EVENT_KINDS, 'kinds of events')}"
            )
        if contact not in names:
            raise ModelError(f"{where}: there is no contact {contact!r}; {suggestion(contact, names, 'contacts')}")
        compliant = contacts[names.index(contact)].compliance is not None
        if compliant and kind not in OF_COMPLIANT:
            raise ModelError(f"{where}: contact {contact!r} is compliant; its events are {', '.join(OF_COMPLIANT)}")
        if reset.direction != 0:
            raise ModelError(f"{where}: an event of a contact has no direction")
        return f"{kind}:{contact}"
    if isinstance(reset.guard, str):
        if reset.guard not in guards:
            hint = suggestion(reset.guard, guards, "guards")
            raise ModelError(f"{where}: there is no guard {reset.guard!r}; {hint}. Events are written 'impact:foot'")
        return reset.guard
    guard = words.expression(reset.guard, f"{where}: guard")
    # what ends the sliding of a switch may depend on other sides alone: it is asked where these change
    ends_sliding = reset.name.removesuffix(LEAVES) in words.states
    if not ends_sliding and not guard.free_symbols - set(words.p) - set(words.states_symbols):
        raise ModelError(f"{where}: the guard depends on no coordinate, velocity or time, so it never vanishes")
    return guard


def _settled(words: Vocabulary, reset: Reset, where: str) -> Reset:
    if type(reset.direction) not in (int, float) or reset.direction not in (-1, 0, 1):
        raise ModelError(f"{where}: the direction is {reset.direction!r}; it must be +1, -1 or 0 (both)")
    if not isinstance(reset.map, Mapping) or not reset.map:
        raise ModelError(f"{where}: expected a map {{symbol: expression}}, not {reset.map!r}")
    own = [name for name in words.coordinates if not is_integral(name)]
    valid = [*own, *(symbol.name for symbol in (*words.u, *words.states_symbols))]
    assigned: dict[str, sp.Expr] = {}
    for key, value in reset.map.items():
        name = key if isinstance(key, str) else getattr(key, "name", repr(key))
        if name not in valid:
            hint = suggestion(name, valid, "coordinates, velocities and discrete states")
            raise ModelError(f"{where}: {name!r} cannot be assigned; {hint}")
        assigned[name] = words.expression(value, f"{where}: {name}")
    return replace(
        reset,
        map=assigned,
        direction=int(reset.direction),
        only_if=None
        if reset.only_if is None
        else words.expression(as_number(reset.only_if, f"{where}: only_if"), f"{where}: only_if"),
    )


def as_number(given: Any, where: str) -> sp.Expr:
    """A condition as an expression: 1 where it holds, else 0."""
    if isinstance(given, sp.Piecewise):  # of a settled model
        return given
    if isinstance(given, bool | BooleanAtom | sp.Expr) or not isinstance(given, Boolean):
        raise ModelError(
            f"{where} is {given!r}; it must be a condition such as theta < -0.1, or sympy.Eq(side, 1) for "
            "equality (Python's == compares symbols, not their values)"
        )
    return Piecewise((sp.Integer(1), given), (sp.Integer(0), sp.true))


def parts_that_matter(model: Model) -> list[sp.Expr]:
    """Expressions of resets that shape the motion: guards, conditions, right sides; coordinates that are assigned.

    Whether the motion repeats in a coordinate is asked of these as well: one that is assigned has its whole value.
    """
    parts: list[sp.Expr] = []
    for reset in model.resets:
        parts += [model.guards[reset.guard]] if reset.event is None else []
        parts += [reset.only_if] if reset.only_if is not None else []
        parts += list(reset.map.values())
        parts += [model.symbols[name] for name in reset.map if name in model.coordinates]
    return parts


def unread_states(model: Model) -> tuple[str, ...]:
    """Discrete states that change nothing but themselves, as a counter of steps does: a motion repeats without them."""
    read: set[str] = set()
    parts = [*model.may_read_states, model.guards]
    for expression in expressions_in([*parts, [reset.only_if for reset in model.resets]]):
        read |= {symbol.name for symbol in expression.free_symbols}
    grown = True
    while grown:
        grown = False
        for reset in model.resets:
            for name, value in reset.map.items():
                used = {symbol.name for symbol in value.free_symbols} - {name}
                if (name not in model.states or name in read) and not used <= read:
                    read |= used
                    grown = True
    return tuple(name for name in model.states if name not in read)

"""Discrete states that take real values: variables of the motion, as a held force is, and no flags or counters.

Neighbouring motions differ in a state that takes a value which changes smoothly with the motion or a parameter. They
differ too in one that has a map of its own, as the sampled a -> 1 - 7 a^2/5 + b has: it stretches differences of its
own values, whatever the motion does. A flag or counter does not. It takes whole numbers by operations that give whole
numbers again, between which nothing lies, or moves by steps, s -> +-s + c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp
from sympy.logic.boolalg import Boolean

if TYPE_CHECKING:
    from jounce.model.model import Model

#: functions whose values stay as they are but for jumps
_STEPS = (sp.sign, sp.Heaviside, sp.floor, sp.ceiling, Boolean)
#: of whole numbers these are whole
_WHOLE = (sp.Add, sp.Mul, sp.Max, sp.Min, sp.Abs)


def real_states(model: Model) -> tuple[str, ...]:
    """Discrete states whose values change smoothly with the motion, a parameter, or by a map of their own.

    A state that takes the value of such a state is one as well.
    """
    moving = {symbol.name for symbol in (*model.q, *model.u, *model.p, model.symbols["t"])}
    changes = _changes(model)
    known: dict[sp.Basic, frozenset[str]] = {}
    followed = [_followed(value, known) for _, value in changes]
    whole = _whole_states(model, changes)
    found = {
        name
        for (name, value), symbols in zip(changes, followed, strict=True)
        if not symbols & moving and not symbols | {name} <= whole and not all(map(_steps, _cases(value)))
    }
    grown = True
    while grown:
        more = {name for (name, _), symbols in zip(changes, followed, strict=True) if symbols & (moving | found)}
        grown, found = not more <= found, more | found
    return tuple(name for name in model.states if name in found)


def own_maps(model: Model, states: tuple[str, ...]) -> tuple[str, ...]:
    """Of these states those that change by a map of their own, perhaps through others of them; no memories, no sums."""
    reads: dict[str, frozenset[str]] = {name: frozenset() for name in states}
    for name, value in _changes(model):
        if name in reads:
            reads[name] |= frozenset().union(*(_read(case, model.symbols[name]) for case in _cases(value))) & {*states}
    grown = True
    while grown:  # what each depends on in any number of steps
        further = {name: read.union(*(reads[other] for other in read)) for name, read in reads.items()}
        grown, reads = further != reads, further
    return tuple(name for name in states if name in reads[name])


def _read(value: sp.Expr, state: sp.Symbol) -> frozenset[str]:
    """The symbols with which a new value changes; without the state itself where it only adds to that."""
    symbols = _followed(value, {})
    return symbols if state.name in _followed(value - state, {}) else symbols - {state.name}


def _changes(model: Model) -> list[tuple[str, sp.Expr]]:
    """Every value that a reset gives to a discrete state."""
    return [(name, value) for reset in model.resets for name, value in reset.map.items() if name in model.states]


def _followed(value: sp.Basic, known: dict[sp.Basic, frozenset[str]]) -> frozenset[str]:
    """The symbols with which a value changes smoothly: none by conditions and signs, which are flags.

    Read off its form and not from derivatives: those of the conditions under which a switch slides behind joints have
    more terms than anybody can wait for.
    """
    if isinstance(value, sp.Symbol):
        return frozenset((value.name,))
    if isinstance(value, _STEPS):
        return frozenset()
    if value not in known:
        known[value] = frozenset().union(*(_followed(part, known) for part in _parts(value)))
    return known[value]


def _cases(value: sp.Expr) -> list[sp.Expr]:
    """The values of a case distinction, or the value itself."""
    if not isinstance(value, sp.Piecewise):
        return [value]
    return [case for part, _ in value.args for case in _cases(part)]


def _steps(value: sp.Expr) -> bool:
    """Whether a value is +-s + c of one state s, or a number."""
    symbols = value.free_symbols
    if len(symbols) > 1:
        return False
    return all((value - symbol).is_number or (value + symbol).is_number for symbol in symbols)


def _whole_states(model: Model, changes: list[tuple[str, sp.Expr]]) -> set[str]:
    """The states that begin with whole numbers and are given whole numbers only."""
    whole = {name for name, state in model.states.items() if float(state.default).is_integer()}
    while True:
        known: dict[sp.Basic, bool] = {}
        broken = {name for name, value in changes if name in whole and not _is_whole(value, whole, known)}
        if not broken:
            return whole
        whole -= broken


def _is_whole(value: sp.Basic, whole: set[str], known: dict[sp.Basic, bool]) -> bool:
    """Whether a value is a whole number where these states are."""
    if isinstance(value, sp.Symbol):
        return value.name in whole
    if isinstance(value, _STEPS):
        return True
    if isinstance(value, sp.Number):
        return bool(value.is_finite and value == int(value))
    if value not in known:
        known[value] = (
            isinstance(value, (sp.Piecewise, *_WHOLE))
            or (isinstance(value, sp.Pow) and value.exp.is_Integer and bool(value.exp > 0))
        ) and all(_is_whole(part, whole, known) for part in _parts(value))
    return known[value]


def _parts(value: sp.Basic) -> tuple[sp.Basic, ...]:
    """What a value is made of, without conditions."""
    return tuple(part for part, _ in value.args) if isinstance(value, sp.Piecewise) else value.args

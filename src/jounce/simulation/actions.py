"""Actions: what events set in one run, ``on={"impact:foot": {"F": 150}}``.

An action is a reset that is made for the run, and a parameter that it sets is a discrete state of the run: its value at
the start is that of the parameter. So actions have rows among the events, a part in the ledger and in the audit, and a
run that is cut goes on as one that is not. The derived model is compiled once and cached by content like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy as sp

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.model.names import EVENT_KINDS
from jounce.model.parsing import parse_expression
from jounce.model.resets import OF_COMPLIANT, Reset
from jounce.simulation.options import is_finite
from jounce.simulation.section import FORMS, KINDS, Section
from jounce.system.checks import check_joints_keep, check_parameters
from jounce.system.compilation import compile_model
from jounce.units import in_unit

if TYPE_CHECKING:
    from jounce.system.system import System

Actions = Mapping[Any, Mapping[str, Any]]
Changes = tuple[tuple[str, sp.Expr], ...]


def with_actions(system: System, on: Actions | None) -> tuple[System, tuple[str, ...]]:
    """The system in which events act, and the parameters that are discrete states in it."""
    if on is None:
        return system, ()
    if not isinstance(on, Mapping):
        raise SimulationError(
            f"on must be {{event: {{parameter: value}}}}, e.g. {{'impact:foot': {{'F': 150}}}}; not {on!r}"
        )
    asked = tuple((_event(system, event), _changes(system, event, changes)) for event, changes in on.items())
    names = {name for _, changes in asked for name, _ in changes}
    return _derived(system, asked), tuple(name for name in system.parameter_names if name in names)


def _event(system: System, given: str | Section) -> Section:
    """The event that a key names: a section, the name of a guard or of a reset."""
    if isinstance(given, str) and given in system.reset_names:
        section = Section.reset(given)
    elif isinstance(given, str) and given in system.guard_names:
        section = Section.guard(given)
    elif isinstance(given, str) and ":" not in given and given not in KINDS:
        names = (*system.guard_names, *system.reset_names, *KINDS)
        raise SimulationError(
            f"on: there is no event {given!r}; {suggestion(given, names, 'events')}. They are written {FORMS}"
        )
    else:
        section = Section.parse(given)
    if section.kind == "phase":
        raise SimulationError(f"on: {section} is a time; give what happens there as schedule=[(t, {{...}})]")
    if section.kind == "event" and section.name not in EVENT_KINDS:
        hint = suggestion(section.name, EVENT_KINDS, "kinds of events")
        raise SimulationError(f"on: nothing can be set at events of kind {section.name!r}; {hint}")
    section.check(system)
    return section


def _changes(system: System, event: str | Section, given: Any) -> Changes:
    """What an event sets, as expressions of the model's symbols."""
    where = f"on {event}"
    if not isinstance(given, Mapping) or not given:
        raise SimulationError(f"{where}: expected {{parameter: value}}, not {given!r}")
    model = system.model
    valid = (*system.parameter_names, *system.state_names, *system.coordinate_names, *system.velocity_names)
    changes = []
    for key, value in given.items():
        name: Any = getattr(key, "name", key)
        if not is_one_of(name, valid):
            raise SimulationError(f"{where}: unknown name {name!r}; {suggestion(name, valid, 'parameters and states')}")
        if name in system.parameter_names:
            check_joints_keep(system, name, where)
            if model.period is not None and name in {symbol.name for symbol in model.period.free_symbols}:
                raise SimulationError(f"{where}: {name!r} makes the period of the forcing, which a run cannot change")
        changes.append((name, _value(system, name, value, f"{where}: {name}")))
    _check_values(system, changes, where)
    return tuple(changes)


def _value(system: System, name: str, given: Any, where: str) -> sp.Expr:
    """A number, a text with a unit, or an expression of the model's symbols."""
    value = in_unit(given, system.model.units[name], where, SimulationError)
    if isinstance(value, str):
        return parse_expression(value, system.model.symbols, where)
    if isinstance(value, sp.Expr):
        return value
    if not is_finite(value):
        raise SimulationError(f"{where} is {given!r}; it must be a finite number or an expression")
    return sp.Float(float(value), 17)


def _check_values(system: System, changes: list[tuple[str, sp.Expr]], where: str) -> None:
    """Friction, restitution and masses make sense with the numbers that are set."""
    numbers = {name: float(value) for name, value in changes if name in system.parameter_names and value.is_Number}
    start = system.state()
    try:
        check_parameters(system, start.t, start.q, start.u, system.parameters(**numbers))
    except SimulationError as error:
        raise SimulationError(f"{where}: {str(error).replace(' at the start', '')}") from None


@lru_cache(maxsize=32)
def _derived(system: System, asked: tuple[tuple[Section, Changes], ...]) -> System:
    model = system.model
    resets = {reset.name: reset for reset in model.resets}
    for section, changes in asked:
        if section.kind == "reset":  # what it sets belongs to the map of that reset
            resets[section.name] = replace(resets[section.name], map={**resets[section.name].map, **dict(changes)})
            continue
        for guard, name in _triggers(system, section):
            while name in (*resets, *system.guard_names, *system.contact_names, *system.joint_names):
                name += "_"
            resets[name] = Reset(guard, dict(changes), section.direction, name=name)
    acted = {name for _, changes in asked for name, _ in changes} & set(model.parameters)
    rest = {name: entry for name, entry in model.parameters.items() if name not in acted}
    held = {name: entry for name, entry in model.parameters.items() if name in acted}
    return compile_model(
        replace(model, parameters=rest, states={**model.states, **held}, resets=tuple(resets.values()))
    )


def _triggers(system: System, section: Section) -> Iterator[tuple[Any, str]]:
    """(when, name) of the resets of one event; an event without a contact is that of any contact that can have it."""
    if section.kind == "guard":
        yield section.name, f"on_{section.name}"
    elif section.kind == "plane":
        quantity = parse_expression(section.name, system.model.symbols, f"on {section}")
        yield quantity - section.value, "on_plane"
    else:
        for contact in system.model.contacts:
            able = contact.compliance is None or section.name in OF_COMPLIANT
            if contact.name == section.contact or (not section.contact and able):
                yield f"{section.name}:{contact.name}", f"on_{section.name}_{contact.name}"

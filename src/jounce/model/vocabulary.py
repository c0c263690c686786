"""The names of one model: which symbols its expressions may use, in which order."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.cases import as_written
from jounce.model.expressions import as_expression, check_computable, expressions_in
from jounce.model.names import Parameter, integral_name, is_integral, key_name, velocity_name
from jounce.model.symbols import (
    CoordinateSymbol,
    DiscreteSymbol,
    ParameterSymbol,
    approach_speed,
    declared_parameter,
    penetration,
    penetration_rate,
    plain_symbol,
    slip,
    time,
)

# Parameters are passed to simulate() by keyword, beside these.
LONGEST_NAME = 100  # names become part of file names
RESERVED = ("t", "t_end", "system", "start", "options", "schedule", "stop_at", "tolerance", "record", "progress")
ALSO = ("on", "controller")  # a discrete state may well be "on"

SPEED_PLACES = {
    slip.name: "friction",
    approach_speed.name: "restitution",
    penetration.name: "own compliance",
    penetration_rate.name: "own compliance",
}


@dataclass(frozen=True)
class Vocabulary:
    """Coordinates (name -> unit) and parameters (name -> Parameter) of one model, and their symbols.

    ``memory`` names what the engine remembers of compliant contacts: symbols that no user sets. ``states`` are the
    discrete states, with their initial values as defaults.
    """

    coordinates: dict[str, str]
    parameters: dict[str, Parameter]
    memory: tuple[str, ...] = ()
    states: dict[str, Parameter] = field(default_factory=dict)

    @classmethod
    def collect(
        cls,
        coordinates: Any,
        parameters: Any,
        contents: Iterable[Any],
        memory: tuple[str, ...] = (),
        states: Any = (),
    ) -> Vocabulary:
        """Gather the names of a model: those listed, then the parameters met in its expressions, as written."""
        contents = list(contents)
        vocabulary = cls(
            _named_coordinates(coordinates),
            _named_parameters(parameters, contents),
            memory,
            _named_states(states, contents),
        )
        vocabulary.check_names()
        return vocabulary

    @cached_property
    def q(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the coordinates."""
        return tuple(plain_symbol(name) for name in self.coordinates)

    @cached_property
    def u(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the velocities."""
        return tuple(plain_symbol(velocity_name(name)) for name in self.coordinates)

    @cached_property
    def _velocities(self) -> frozenset[sp.Symbol]:
        return frozenset(self.u)

    @cached_property
    def p(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the parameters."""
        return tuple(plain_symbol(name) for name in self.parameters)

    @cached_property
    def states_symbols(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the discrete states."""
        return tuple(plain_symbol(name) for name in self.states)

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All symbols by name, time included."""
        remembered = (plain_symbol(name) for name in self.memory)
        own = (*self.q, *self.u, *self.p, *remembered, *self.states_symbols, time)
        return {symbol.name: symbol for symbol in own}

    def check_names(self) -> None:
        """Refuse names that are no identifiers, are reserved, or mean two things.

        In the coefficients of a contact ``slip`` is jounce.slip, in an expression as in a text: a parameter of that
        name would be taken for it.
        """
        if not self.coordinates:
            raise ModelError("a model needs at least one coordinate")
        taken: dict[str, str] = {"t": "the time"}
        named = [(name, "coordinate") for name in self.coordinates]
        named += [
            (velocity_name(name), "internal state" if is_integral(name) else f"the velocity of {name!r}:")
            for name in self.coordinates
        ]
        named += [(name, "parameter") for name in self.parameters]
        named += [(name, "the engine's memory") for name in self.memory]
        named += [(name, "discrete state") for name in self.states]
        for name, kind in named:
            check_identifier(name, kind)
            if name in taken:
                raise ModelError(f"{kind} {name!r} has the same name as {taken[name]}; rename one of them")
            if name in RESERVED or (name in ALSO and kind == "parameter"):
                raise ModelError(f"{kind} {name!r}: this name is reserved for an argument of simulate(); rename it")
            if name in SPEED_PLACES:
                meaning = f"jounce.{name} in the {SPEED_PLACES[name]} of a contact"
                raise ModelError(f"{kind} {name!r}: this name stands for {meaning}; rename it, such as 'own_{name}'")
            taken[name] = f"the {kind} {name!r}" if not kind.startswith("the") else kind.rstrip(":")
        for parameter in self.parameters.values():
            if not math.isfinite(parameter.default):
                raise ModelError(f"parameter {parameter.name!r}: the default {parameter.default} is not finite")
        for state in self.states.values():
            if not math.isfinite(state.default):
                raise ModelError(f"discrete state {state.name!r}: the initial value {state.default} is not finite")

    def expression(
        self,
        value: Any,
        where: str,
        *,
        velocities: bool = True,
        internal: bool | None = None,
        speeds: tuple[sp.Symbol, ...] = (),
    ) -> sp.Expr:
        """The value as an expression of this model's own symbols; ``where`` names it in messages.

        ``internal`` says whether internal states may appear; where nothing is said they may where velocities may.
        ``speeds`` are jounce.slip and jounce.approach_speed where they have a meaning.
        """
        expression = as_expression(value, where)
        if expression.is_Number and expression.is_finite:
            return expression
        expression = as_written(expression)
        check_computable(expression, where)
        symbols = self.symbols
        known = {symbol: symbols[symbol.name] for symbol in expression.free_symbols if symbol.name in symbols}
        expression = expression.xreplace(known)
        own = expression.free_symbols
        unknown = (symbol for symbol in own if symbols.get(symbol.name) != symbol and symbol not in speeds)
        for name in sorted(symbol.name for symbol in unknown):
            if name in SPEED_PLACES:
                raise ModelError(f"{where}: jounce.{name} has a meaning in the {SPEED_PLACES[name]} of a contact only")
            hint = suggestion(name, symbols, "symbols")
            raise ModelError(f"{where}: {name!r} is no coordinate, velocity, parameter or t; {hint}")
        used = sorted(symbol.name for symbol in own & self._velocities)
        refused = {True: not velocities, False: not (velocities if internal is None else internal)}
        for name in used:
            if refused[integral_name(name) not in self.coordinates]:
                kind = "internal state" if integral_name(name) in self.coordinates else "velocity"
                raise ModelError(
                    f"{where} depends on the {kind} {name!r}; it may depend on coordinates, parameters and t"
                )
        return expression


def check_identifier(name: Any, kind: str) -> None:
    """Names are used as keyword arguments and as variables of the generated code."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ModelError(f"{kind} {_shown(name)}: a name must be a Python identifier, such as 'theta' or 'left_end'")
    if not name.isascii():
        raise ModelError(f"{kind} {name!r}: a name must consist of the letters a-z, digits and underscores")
    if len(name) > LONGEST_NAME:
        raise ModelError(f"{kind} {name[:20] + '...'!r}: a name of {len(name)} letters; at most {LONGEST_NAME}")


def _shown(name: Any) -> str:
    """What a message shows of a thing that is no name."""
    shown = repr(name)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def given_scales(coordinates: Any, scales: Any) -> dict[str, Any]:
    """The scales that were given with the symbols of coordinates, and those given by name."""
    if not isinstance(scales, Mapping):
        raise ModelError(f"scales: expected a dictionary coordinate or velocity -> number, not {scales!r}")
    items = coordinates if isinstance(coordinates, (list, tuple)) else [coordinates]
    items = [item[0] if isinstance(item, tuple) and len(item) == 2 else item for item in items]
    own = {item.name: item.scale for item in items if isinstance(item, CoordinateSymbol) and item.scale > 0.0}
    return own | dict(scales)


def _named_coordinates(given: Any) -> dict[str, str]:
    if isinstance(given, Mapping):
        pairs = [(key_name(item, "coordinates"), unit) for item, unit in given.items()]
    else:
        items = given if isinstance(given, (list, tuple)) else [given]
        # the pair returned by coordinate() is accepted in place of its first half
        items = [item[0] if isinstance(item, tuple) and len(item) == 2 else item for item in items]
        pairs = [_coordinate_pair(item) for item in items]
    named: dict[str, str] = {}
    for name, unit in pairs:
        if name in named:
            raise ModelError(f"coordinate {name!r} is listed twice")
        named[name] = unit
    return named


def _coordinate_pair(item: Any) -> tuple[str, str]:
    if isinstance(item, CoordinateSymbol):
        return item.name, item.unit
    if isinstance(item, sp.Symbol):
        return item.name, ""
    if isinstance(item, str):
        return item, ""
    raise ModelError(f"coordinates: expected symbols or names, not {item!r}")


def _named_parameters(given: Any, contents: Iterable[Any]) -> dict[str, Parameter]:
    listed = _listed_parameters(given)
    found = {
        symbol
        for item in contents
        for expression in expressions_in(item)
        for symbol in expression.free_symbols
        if isinstance(symbol, ParameterSymbol)
    }
    listed += [symbol.parameter for symbol in sorted(found, key=lambda symbol: symbol.serial)]
    named: dict[str, Parameter] = {}
    for parameter in listed:
        first = named.setdefault(parameter.name, parameter)
        if replace(first, description=parameter.description) != parameter:
            raise ModelError(
                f"parameter {parameter.name!r} is declared twice, with default {first.default} {first.unit} "
                f"and with default {parameter.default} {parameter.unit}; declare it once"
            )
    return named


def _named_states(given: Any, contents: Iterable[Any]) -> dict[str, Parameter]:
    """Discrete states: those listed, name -> initial value, then those met in expressions and maps, as written."""
    if not isinstance(given, Mapping) and not (given is None or (isinstance(given, tuple) and not given)):
        raise ModelError(f"states: expected a dictionary name -> initial value, not {given!r}")
    named = {entry.name: entry for entry in _listed_parameters(given)} if given else {}
    found = {symbol for item in contents for symbol in _discrete_symbols(item)}
    for symbol in sorted(found, key=lambda symbol: symbol.serial):
        first = named.setdefault(symbol.name, symbol.state)
        if first.default != symbol.state.default:
            raise ModelError(
                f"discrete state {symbol.name!r} has two initial values, {first.default} and {symbol.state.default}"
            )
    return named


def _discrete_symbols(item: Any) -> Iterable[DiscreteSymbol]:
    """Those in nested expressions; of a reset also what it assigns."""
    for part in item if isinstance(item, list | tuple) else [item]:
        if isinstance(getattr(part, "map", None), Mapping):
            yield from (key for key in part.map if isinstance(key, DiscreteSymbol))
    for expression in expressions_in(item):
        yield from expression.atoms(DiscreteSymbol)


def _listed_parameters(given: Any) -> list[Parameter]:
    if isinstance(given, Mapping):
        listed = []
        for key, value in given.items():
            name = key_name(key, "parameters")
            if isinstance(value, Parameter):
                listed.append(value)
                continue
            entries = value if isinstance(value, tuple) else (value,)
            try:
                listed.append(declared_parameter(name, *entries))
            except (TypeError, ValueError, OverflowError, IndexError):
                raise ModelError(f"parameter {name!r}: the default must be a number, not {value!r}") from None
        return listed
    if not isinstance(given, list | tuple | set | frozenset | type(None)):
        given = [given]
    listed = []
    for item in given or ():
        if isinstance(item, ParameterSymbol):
            listed.append(item.parameter)
        elif isinstance(item, Parameter):
            listed.append(item)
        else:
            raise ModelError(f"parameters: expected what jounce.parameter() returns, not {item!r}")
    return listed

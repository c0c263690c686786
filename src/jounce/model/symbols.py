"""The words of a model: time, coordinates with their velocities, and parameters with default and unit.

Inside a Model a symbol is known by its name alone. What ``coordinate`` and ``parameter`` return are SymPy symbols that
also carry their unit and default, so that a model needs no second list of them.
"""

from __future__ import annotations

import itertools
import uuid
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.names import Parameter, velocity_name, velocity_unit
from jounce.units import coherent, in_unit, is_quantity

_serial = itertools.count()
_SESSION = uuid.uuid4().hex
_FOREIGN: dict[tuple[str, int], int] = {}  # numbers of parameters that another process has made


class CoordinateSymbol(sp.Symbol):
    """A coordinate (or its velocity) that remembers its unit, and how large it is if the user says so (else 0)."""

    unit: str
    scale: float

    def __new__(cls, name: str, unit: str = "", scale: float = 0.0, **assumptions: Any) -> CoordinateSymbol:
        """A symbol beside SymPy's own cache."""
        symbol: CoordinateSymbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.unit, symbol.scale = unit, scale
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return CoordinateSymbol, (self.name, self.unit)

    def _hashable_content(self) -> tuple[Any, ...]:
        # SymPy's cache would otherwise swap in an older symbol of the same name and another unit.
        return (*super()._hashable_content(), self.unit, self.scale)


class ParameterSymbol(sp.Symbol):
    """A parameter that remembers its default, unit and description."""

    parameter: Parameter
    serial: int

    def __new__(cls, name: str, parameter: Parameter | None = None, **assumptions: Any) -> ParameterSymbol:
        """A symbol beside SymPy's own cache."""
        symbol: ParameterSymbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.parameter = parameter if parameter is not None else Parameter(name, 0.0)
        symbol.serial = next(_serial)  # parameters are listed in the order in which they were written
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _same_parameter, (self.parameter, self.serial, _SESSION)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.serial)


class DiscreteSymbol(sp.Symbol):
    """A discrete state that remembers its initial value, unit and description."""

    state: Parameter
    serial: int

    def __new__(cls, name: str, state: Parameter | None = None, **assumptions: Any) -> DiscreteSymbol:
        """A symbol beside SymPy's own cache."""
        symbol: DiscreteSymbol = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.state = state if state is not None else Parameter(name, 0.0)
        symbol.serial = next(_serial)
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return DiscreteSymbol, (self.name, self.state)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.state.default, self.state.unit)


def _same_parameter(parameter: Parameter, serial: int, session: str) -> ParameterSymbol:
    """A pickled parameter: the same one where it was made; elsewhere one for each that was pickled."""
    number = serial if session == _SESSION else _FOREIGN.setdefault((session, serial), next(_serial))
    symbol = ParameterSymbol(parameter.name, parameter)
    symbol.serial = number
    return symbol


def plain_symbol(name: str) -> sp.Symbol:
    """The symbol of this name inside a Model."""
    return sp.Symbol(name, real=True)


time = plain_symbol("t")

#: In the friction of a contact: its slip speed, the absolute value of its slip velocity.
slip = plain_symbol("slip")
#: In the restitution of a contact: the speed at which it closes as it hits.
approach_speed = plain_symbol("approach_speed")
#: In an own law of compliance: how deep the surfaces are in each other, and the rate of that.
penetration = plain_symbol("penetration")
penetration_rate = plain_symbol("penetration_rate")


def coordinate(name: str, unit: str = "", scale: float | str | None = None) -> tuple[sp.Symbol, sp.Symbol]:
    """A coordinate and its velocity, e.g. ``y, dy = coordinate("y", "m")``; the velocity is named d_y.

    ``scale`` says how large the coordinate is where the motion itself does not show it: errors are measured by it.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> y, dy
    (y, d_y)
    """
    _check_text("coordinate", name, unit)
    given = in_unit(scale, unit, f"coordinate {name!r}: the scale", ModelError)
    size = 0.0 if scale is None else _default_value(name, given)
    if scale is not None and not 0.0 < size < float("inf"):
        raise ModelError(f"coordinate {name!r}: the scale is {scale!r}; it must be a positive number")
    return CoordinateSymbol(name, unit, size), CoordinateSymbol(velocity_name(name), velocity_unit(unit))


def coordinates(names: str, unit: str = "") -> list[tuple[sp.Symbol, sp.Symbol]]:
    """Several coordinates of one unit, e.g. ``(x, dx), (y, dy) = coordinates("x y", "m")``.

    >>> (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    >>> dx
    d_x
    """
    if not isinstance(names, str):
        raise ModelError(f'coordinates: expected names in one text, like "x y", not {names!r}')
    return [coordinate(name, unit) for name in names.replace(",", " ").split()]


def parameter(name: str, default: float | str, unit: str = "", description: str = "") -> sp.Symbol:
    """A parameter with its default value, e.g. ``g = parameter("g", 9.81, "m/s^2", "gravity")``.

    A default with a unit of its own, ``parameter("m", "200 g", "kg")``, is converted; where no unit is declared the SI
    unit without prefixes is: ``parameter("m", "200 g")`` is 0.2 kg.

    >>> g = jounce.parameter("g", "981 cm/s^2", description="gravity")
    >>> g
    g
    """
    _check_text("parameter", name, unit)
    return ParameterSymbol(name, declared_parameter(name, default, unit, description))


def declared_parameter(
    name: str, default: Any, unit: str = "", description: str = "", kind: str = "parameter"
) -> Parameter:
    """A parameter from what stands in a declaration: a number or a text with a unit, the unit to count in."""
    if is_quantity(default):
        what = f"{kind} {name!r}: the default"
        if unit:
            default = in_unit(default, unit, what, ModelError)
        else:
            default, unit = coherent(default, what, ModelError)
    return Parameter(name, _default_value(name, default), unit, description)


def parameters(**specifications: float | str | tuple[Any, ...]) -> tuple[sp.Symbol, ...]:
    """Several parameters, e.g. ``m, g = parameters(m=(1.0, "kg", "mass"), g="9.81 m/s^2")``.

    >>> m, e = jounce.parameters(m=(1.0, "kg", "mass"), e=0.8)
    >>> m * e
    e*m
    """
    symbols = []
    for name, given in specifications.items():
        entries = given if isinstance(given, tuple) else (given,)
        if not 1 <= len(entries) <= 3:
            raise ModelError(
                f"parameter {name!r} is {given!r}; write its default, (default, unit) or (default, unit, text)"
            )
        symbols.append(parameter(name, *entries))
    return tuple(symbols)


def internal(name: str, unit: str = "", scale: float | str | None = None) -> sp.Symbol:
    """An internal state, whose rate ``Model(..., rates={z: ...})`` gives: ``z = internal("z", "m")``.

    ``scale`` says how large it is where the motion itself does not show it: errors are measured by it.

    >>> x, dx = jounce.coordinate("x", "m")
    >>> z = jounce.internal("z", "m")
    >>> lag = jounce.Model("lag", [x], [1], [0], rates={z: 2 * (1 - z)})
    >>> round(jounce.simulate(lag, {"z": 0.0}, t_end=1.0).final["z"], 6)  # 1 - exp(-2)
    0.864665
    """
    _check_text("internal state", name, unit)
    given = in_unit(scale, unit, f"internal state {name!r}: the scale", ModelError)
    size = 0.0 if scale is None else _default_value(name, given)
    if scale is not None and not 0.0 < size < float("inf"):
        raise ModelError(f"internal state {name!r}: the scale is {scale!r}; it must be a positive number")
    return CoordinateSymbol(name, unit, size)


def discrete(name: str, initial: float | str = 0.0, unit: str = "", description: str = "") -> sp.Symbol:
    """A discrete state, constant but for resets, with its value at a start: ``side = discrete("side", 1)``.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> count = jounce.discrete("count")
    >>> floor = jounce.Contact("floor", gap=y, restitution=0.9)
    >>> tally = jounce.Reset("impact:floor", {count: count + 1})
    >>> ball = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], resets=[tally], start={y: 1.0})
    >>> jounce.simulate(ball, None, t_end=2.0).final["count"]
    3.0
    """
    _check_text("discrete state", name, unit)
    return DiscreteSymbol(name, declared_parameter(name, initial, unit, description, "discrete state"))


def _check_text(kind: str, name: Any, unit: Any) -> None:
    if not isinstance(name, str):
        raise ModelError(f"the name of a {kind} must be text, not {name!r}")
    if not isinstance(unit, str):
        raise ModelError(f"{kind} {name!r}: the unit must be text, not {unit!r}")


def _default_value(name: str, default: Any) -> float:
    try:
        return float(default)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"parameter {name!r}: the default must be a number, not {default!r}") from None

"""The names of a model: of velocities, of integrals, of events; and parameters with default and unit.

Nothing here knows an expression: a compiled model is run by these names, without SymPy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jounce.errors import ModelError
from jounce.units import TIME, counts_in_si

if TYPE_CHECKING:
    import sympy as sp

VELOCITY_PREFIX = "d_"
INTEGRAL_PREFIX = "integral_of_"  # of the coordinate whose velocity is an internal state (internal_states.py)

#: Events of contacts that may have resets; kernels/records/codes.py numbers them in this order.
EVENT_KINDS = ("impact", "chatter", "lift_off", "stick", "slip", "reversal", "touch", "separate", "grazing")
#: The event with which a run begins whose modes are not known: not one that goes on where another ended.
RUN_BEGINS = "run:start"
LEAVES = "_leaves"  # ending of the name of the reset at which a switch ends its sliding

#: What loads a contact that has no gap of its own (loads.py).
PIN, GUIDE, CONTACT, FIXED = "pin", "guide", "contact", "fixed"
ALWAYS_CLOSED = (PIN, GUIDE, FIXED)

#: Whether the force of a compliant contact can vanish before the gap opens, and what then presses it again; the last
#: one pulls until the gap opens.
NEVER_PULLS, RETURNS_WITH_RATE, RETURNS_WITH_FORCE, ADHERES = 0, 1, 2, 3


@dataclass(frozen=True)
class Parameter:
    """A number that may change from run to run without recompiling anything."""

    name: str
    default: float
    unit: str = ""
    description: str = ""

    @property
    def symbol(self) -> sp.Symbol:
        """The symbol under which the parameter appears in a Model's expressions."""
        from jounce.model.symbols import plain_symbol  # SymPy is not loaded for the names alone

        return plain_symbol(self.name)


def velocity_name(coordinate_name: str) -> str:
    """The name of a coordinate's velocity: d_<coordinate>; of the integral of an internal state that state."""
    if is_integral(coordinate_name):
        return coordinate_name.removeprefix(INTEGRAL_PREFIX)
    return VELOCITY_PREFIX + coordinate_name


def integral_name(state: str) -> str:
    """The coordinate whose velocity is the internal state of this name."""
    return INTEGRAL_PREFIX + state


def is_integral(coordinate_name: str) -> bool:
    """Whether a coordinate is the integral of an internal state."""
    return coordinate_name.startswith(INTEGRAL_PREFIX)


def velocity_unit(unit: str) -> str:
    """The unit of the velocity of a coordinate in this unit; time is in seconds."""
    if unit == "s" or unit.endswith(" s"):
        return unit[:-1].strip()
    return f"{unit}/s" if unit else ""


def limit_guard(name: str) -> str:
    """The name of the guard of a switch that may slide: positive while its value lies within -1 and 1."""
    return f"{name}{LEAVES}"


def switch_names(states: Iterable[str], guards: Collection[str]) -> tuple[str, ...]:
    """Those of the discrete states that are switches: a guard says where they change."""
    return tuple(name for name in states if f"{name}_switches" in guards)


class Quantities:
    """Coordinates with units, parameters and discrete states: the numbers of a model and of its outline."""

    coordinates: dict[str, str]
    parameters: dict[str, Parameter]
    states: dict[str, Parameter]

    @property
    def velocity_units(self) -> dict[str, str]:
        """Velocity name -> unit."""
        return {velocity_name(name): velocity_unit(unit) for name, unit in self.coordinates.items()}

    @cached_property
    def units(self) -> dict[str, str]:
        """The declared unit of every number that a run is given: time, coordinates, velocities, parameters, states."""
        declared = {entry.name: entry.unit for entry in (*self.parameters.values(), *self.states.values())}
        return {"t": TIME, **self.coordinates, **self.velocity_units, **declared}

    @property
    def energy_unit(self) -> str:
        """The unit of energies: J where every length and mass is declared in SI; not known ("") where one is not."""
        declared = [*self.coordinates.values(), *(parameter.unit for parameter in self.parameters.values())]
        return "J" if all(map(counts_in_si, declared)) else ""


def own_law_name(contact: str) -> str:
    """The reset by which an own impact law of a contact acts."""
    return f"{contact}_law"


def key_name(key: Any, what: str) -> str:
    """The name that a key of a dictionary stands for: a text, or a symbol."""
    name = key if isinstance(key, str) else getattr(key, "name", None)
    if not isinstance(name, str):
        raise ModelError(f"{what}: {key!r} is no name; write a text or a symbol in its place")
    return name

"""What a compiled model is run by: its names, units, numbers and kinds of parts, without expressions and without SymPy.

An outline is plain data. ``outline_of`` in outlining.py reads it off a model; the cache of compiled models keeps it as
text, so that a ready-made system runs without its symbols (system/stored.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from jounce.model.names import Parameter, Quantities


@dataclass(frozen=True)
class ComplianceOutline:
    """What a run knows of a law of compliance: whether it may pull, the coordinate of its branch, whose law it is."""

    pulls: int
    branch: str | None
    own: bool


@dataclass(frozen=True)
class ContactOutline:
    """A contact without its expressions.

    law                      the name of its own impact law, or None
    load, kind_of_load       what loads a contact without a gap (names.py), and in which way
    depends_on_speed         whether a coefficient changes with a velocity
    tangential_restitution   whether one is given
    """

    name: str
    has_friction: bool
    law: str | None
    compliance: ComplianceOutline | None
    load: tuple[str, ...] | None
    kind_of_load: str | None
    depends_on_speed: bool
    tangential_restitution: bool


@dataclass(frozen=True)
class ResetOutline:
    """A reset without its expressions: the name of its guard or its event, and what it assigns.

    starts_switch   the guard that is the surface of the switch which this reset starts; "" for every other reset
    """

    name: str
    guard: str
    direction: int
    event: tuple[str, str] | None
    targets: tuple[str, ...]
    starts_switch: str


@dataclass(frozen=True)
class Outline(Quantities):
    """A model without its expressions.

    compliant_memory   how many numbers the engine remembers of compliant contacts, before the discrete states
    real_states        discrete states whose values change with the motion or a parameter
    unread_states      discrete states that change nothing but themselves
    has_period         whether a period of the forcing is given
    ranges             parameters of curves, each with its least and its largest value
    """

    name: str
    coordinates: dict[str, str]
    parameters: dict[str, Parameter]
    states: dict[str, Parameter]
    start: dict[str, float]
    scales: dict[str, float]
    contacts: tuple[ContactOutline, ...]
    joints: tuple[str, ...]
    guards: tuple[str, ...]
    resets: tuple[ResetOutline, ...]
    compliant_memory: int
    real_states: tuple[str, ...]
    unread_states: tuple[str, ...]
    has_period: bool
    ranges: dict[str, tuple[float, float]]

    @cached_property
    def memory(self) -> int:
        """How many numbers stand behind the parameters: those of compliant contacts, then the discrete states."""
        return self.compliant_memory + len(self.states)

    @cached_property
    def carried_states(self) -> tuple[str, ...]:
        """Discrete states that are variables of the motion: neighbouring motions differ in them, and go by them."""
        return tuple(name for name in self.real_states if name not in self.unread_states)

    def to_data(self) -> dict[str, Any]:
        """What JSON can hold."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Outline:
        """The outline that ``to_data`` wrote."""
        read: dict[str, Any] = dict(data)
        for part in ("parameters", "states"):
            read[part] = {name: Parameter(**entry) for name, entry in data[part].items()}
        for part in ("joints", "guards", "real_states", "unread_states"):
            read[part] = tuple(data[part])
        read["ranges"] = {name: tuple(ends) for name, ends in data["ranges"].items()}
        read["contacts"] = tuple(_contact(entry) for entry in data["contacts"])
        read["resets"] = tuple(_reset(entry) for entry in data["resets"])
        return cls(**read)


def _contact(entry: dict[str, Any]) -> ContactOutline:
    law, load = entry["compliance"], entry["load"]
    compliance = None if law is None else ComplianceOutline(**law)
    return ContactOutline(**{**entry, "compliance": compliance, "load": None if load is None else tuple(load)})


def _reset(entry: dict[str, Any]) -> ResetOutline:
    event = None if entry["event"] is None else tuple(entry["event"])
    return ResetOutline(**{**entry, "event": event, "targets": tuple(entry["targets"])})

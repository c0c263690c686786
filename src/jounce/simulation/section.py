"""Section: where a motion is looked at, so that the flow becomes a map.

    Section.phase(0.25)                  t = (k + 0.25) T of the forcing           "phase:0.25"
    Section.impact("P1")                 just after every impact of a contact      "impact:P1"
    Section.event("lift_off", "P1")      just after any other event                "event:lift_off:P1", "lift_off:P1"
    Section.reset("heelstrike")          just after a reset of the model           "reset:heelstrike"
    Section.guard("turning", +1)         a guard of the model vanishes             "guard:turning:+1"
    Section.plane("d_y", 0.0, -1)        an expression takes a value               "plane:d_y=0:-1"

Directions: +1 the quantity increases through its value, -1 it decreases, 0 both. A string may stand for a section
everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jounce.errors import OptionError, suggestion
from jounce.simulation.events import EventKind
from jounce.simulation.options import is_finite
from jounce.system.compilation import compile_model

if TYPE_CHECKING:
    from jounce.system.system import System

FORMS = (
    "phase:FRACTION, impact:CONTACT, event:KIND:CONTACT, reset:NAME, guard:NAME:DIRECTION, "
    "plane:EXPRESSION=VALUE:DIRECTION"
)
#: Kinds of events that belong to contacts.
KINDS = tuple(str(kind) for kind in EventKind if kind not in (EventKind.SCHEDULE, EventKind.USER, EventKind.RESET))


@dataclass(frozen=True)
class Section:
    """One section; made by ``phase``, ``impact``, ``event``, ``reset``, ``guard``, ``plane`` or ``parse``.

    kind        "phase", "event", "reset", "guard" or "plane"
    fraction    of the forcing period, for a phase
    name        the kind of event, the reset, the guard, or the text of the expression
    contact     of the event; "" for any
    value       that the expression takes
    direction   +1 increasing, -1 decreasing, 0 both

    >>> jounce.Section.parse("impact:table")
    Section(kind='event', fraction=0.0, name='impact', contact='table', value=0.0, direction=0)
    >>> jounce.Section.parse("phase:0.25").fraction
    0.25
    """

    kind: str
    fraction: float = 0.0
    name: str = ""
    contact: str = ""
    value: float = 0.0
    direction: int = 0

    def __post_init__(self) -> None:
        for field in ("kind", "name", "contact"):
            if not isinstance(getattr(self, field), str):
                raise OptionError(f"section: the {field} is {getattr(self, field)!r}; it must be a text")
        if not (isinstance(self.fraction, int | float) and 0.0 <= self.fraction < 1.0):
            raise OptionError(f"section: the fraction of the period is {self.fraction!r}; it must be in [0, 1)")
        if type(self.direction) not in (int, float) or self.direction not in (-1, 0, 1):
            raise OptionError(f"section: the direction is {self.direction!r}; it must be +1, -1 or 0 (both)")
        if not is_finite(self.value):
            raise OptionError(f"section: the value is {self.value!r}; it must be a finite number")

    @classmethod
    def phase(cls, fraction: float = 0.0) -> Section:
        """t = (k + fraction) T, with T the period of the model's forcing."""
        return cls("phase", fraction=fraction)

    @classmethod
    def impact(cls, contact: str = "") -> Section:
        """Just after every impact of a contact; of any contact when none is named."""
        return cls.event("impact", contact)

    @classmethod
    def event(cls, kind: str, contact: str = "") -> Section:
        """Just after every event of a kind, of one contact or of any."""
        if kind not in KINDS:
            raise OptionError(f"section: there are no events of kind {kind!r}; {suggestion(str(kind), KINDS, 'kinds')}")
        return cls("event", name=kind, contact=contact)

    @classmethod
    def reset(cls, name: str) -> Section:
        """Just after a reset of the model."""
        return cls("reset", name=name)

    @classmethod
    def guard(cls, name: str, direction: int = 0) -> Section:
        """A guard of the model vanishes."""
        return cls("guard", name=name, direction=direction)

    @classmethod
    def plane(cls, expression: Any, value: float = 0.0, direction: int = 0) -> Section:
        """An expression of coordinates, velocities, parameters and t takes a value; text or SymPy."""
        if not isinstance(expression, str):
            import sympy as sp

            expression = sp.sstr(expression, full_prec=True)
        return cls("plane", name=expression, value=value, direction=direction)

    @classmethod
    def parse(cls, text: Section | str) -> Section:
        """The section that a text writes; a Section is returned as it is."""
        if isinstance(text, Section):
            return text
        if not isinstance(text, str):
            raise OptionError(f"section: expected a Section or text like {FORMS}; not {text!r}")
        kind, _, rest = (part.strip() for part in text.partition(":"))
        if kind in KINDS:
            return cls.event(kind, rest)
        match kind:
            case "phase":
                return cls.phase(_number(rest or "0", text))
            case "reset":
                return cls.reset(rest)
            case "event":
                return cls.event(*(part.strip() for part in rest.split(":", 1)))
            case "guard":
                name, direction = _direction(rest, text)
                return cls.guard(name, direction)
            case "plane":
                expression, direction = _direction(rest, text)
                expression, _, value = expression.partition("=")
                return cls.plane(expression.strip(), _number(value or "0", text), direction)
        hint = suggestion(kind, ("phase", "event", "reset", "guard", "plane", *KINDS), "kinds")
        raise OptionError(f"section {text!r}: it must have one of the forms {FORMS}; {hint}")

    def __str__(self) -> str:
        way = f"{self.direction:+d}" if self.direction else "0"
        match self.kind:
            case "phase":
                return f"phase:{self.fraction!r}"
            case "event":
                head = "impact" if self.name == "impact" else f"event:{self.name}"
                return f"{head}:{self.contact}" if self.contact else head
            case "reset":
                return f"reset:{self.name}"
            case "guard":
                return f"guard:{self.name}:{way}"
        return f"plane:{self.name}={self.value!r}:{way}"

    def check(self, system: System) -> None:
        """Whether the system has what the section names; an OptionError lists what it has."""
        if self.kind == "phase" and (not system.outline.has_period or system.autonomous):
            declare = (
                ", since time stands nowhere in it; "
                if system.autonomous
                else "; declare it, Model(..., period=2*pi/omega), or "
            )
            raise OptionError(
                f"section {self}: {system.outline.name} has no forcing period{declare}use impact:CONTACT "
                f"({', '.join(system.contact_names) or 'it has no contacts'}), a reset, a guard or a plane"
            )
        if self.kind == "event" and self.contact and self.contact not in system.contact_names:
            hint = suggestion(self.contact, system.contact_names, "contacts")
            raise OptionError(f"section {self}: there is no contact {self.contact!r}; {hint}")
        if self.kind == "reset" and self.name not in system.reset_names:
            hint = suggestion(self.name, system.reset_names, "resets")
            raise OptionError(f"section {self}: there is no reset {self.name!r}; {hint}")
        if self.kind == "guard" and self.name not in system.guard_names:
            hint = suggestion(self.name, system.guard_names, "guards")
            raise OptionError(f"section {self}: there is no guard {self.name!r}; {hint}. Or use plane:EXPRESSION=VALUE")

    def attach(self, system: System) -> tuple[System, int]:
        """The system that can stop at this section and the index of the guard that does it (-1: none).

        A plane is one more guard of the model: the system is derived, compiled and cached by content like any other.
        The guard that belongs to a reset stops where the reset happens.
        """
        self.check(system)
        if self.kind == "guard" and self.name not in system.reset_names:
            return system, system.guard_names.index(self.name)
        if self.kind == "plane":
            derived = _with_plane(system, self.name, self.value)
            return derived, len(derived.guard_names) - 1  # behind it stand the kinks of forces
        return system, -1

    def watch(self, system: System) -> tuple[int, int]:
        """What the record of a run is to watch for: the kind of event plus 1, and its contact or reset; (0, -1): none.

        A contact of -1 stands for any.
        """
        if self.kind == "event":
            contact = system.contact_names.index(self.contact) if self.contact else -1
            return EventKind[self.name.upper()] + 1, contact
        if self.kind == "reset" or (self.kind == "guard" and self.name in system.reset_names):
            return EventKind.RESET + 1, system.reset_names.index(self.name)
        return 0, -1


@lru_cache(maxsize=32)
def _with_plane(system: System, expression: str, value: float) -> System:
    from jounce.model.parsing import parse_expression  # SymPy, for planes alone

    model = system.model
    quantity = parse_expression(expression, model.symbols, "section: plane")
    name = "section"
    while name in (*system.guard_names, *system.contact_names, *system.joint_names):
        name += "_"
    return compile_model(replace(model, guards={**model.guards, name: quantity - value}))


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"section {whole!r}: {text!r} is not a number; sections look like {FORMS}") from None


def _direction(rest: str, whole: str) -> tuple[str, int]:
    """``name:+1`` -> (name, 1); without a direction both count."""
    name, colon, direction = rest.rpartition(":")
    if not colon:
        return rest, 0
    if direction.strip() not in ("+1", "1", "-1", "0"):
        raise OptionError(f"section {whole!r}: the direction is {direction!r}; it must be +1, -1 or 0 (both)")
    return name.strip(), int(direction)

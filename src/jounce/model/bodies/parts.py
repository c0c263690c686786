"""Parts: what a machine is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import sympy as sp

from jounce.model.bodies.body import Body, Frame
from jounce.model.bodies.forces import ForceElement
from jounce.model.bodies.joints import Joint
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression
from jounce.model.internal_states import MASS, state_name
from jounce.model.names import integral_name


@dataclass(frozen=True)
class InternalForce:
    """The force on the coordinate of an internal state: its mass times its rate (internal_states.py)."""

    coordinate: str
    value: sp.Expr


@dataclass(frozen=True)
class Parts:
    """What a machine is made of."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[ForceElement, ...]
    contacts: tuple[Contact, ...]
    gravity: tuple[Any, Any]
    rates: Mapping[Any, Any] = field(default_factory=dict)

    def internal_forces(self) -> list[InternalForce]:
        """What moves the internal states, in their order."""
        return [
            InternalForce(integral_name(state_name(key)), MASS * as_expression(rate, f"rate of {state_name(key)!r}"))
            for key, rate in self.rates.items()
        ]

    def potential(self) -> sp.Expr:
        """V of springs and gravity, in the symbols of the bodies."""
        g_x, g_y = self.gravity
        pulled = (body.mass * (g_x * body.x + g_y * body.y) for body in self.bodies)
        return sp.Add(*(force.potential() for force in self.forces)) - sp.Add(*pulled)

    def shapes(self) -> Iterator[Any]:
        """Every number that decides where bodies are held and touch, and what they weigh."""
        for body in self.bodies:
            yield from (body.mass, body.inertia)
        for joint in self.joints:
            if not joint.has_play:  # the sides of its contact have its numbers
                yield from (value for name, value in named_values(joint) if name not in joint.of_friction)
        for contact in self.contacts:
            for side in ("a", "b"):
                if hasattr(contact, side):
                    yield from own_values(getattr(contact, side))
        yield from self.gravity

    def coefficients(self) -> Iterator[Any]:
        """Friction and restitution of all contacts."""
        for contact in self.contacts:
            yield from (contact.friction, contact.static_friction, contact.restitution, contact.tangential_restitution)


def own_values(part: Any) -> Iterator[Any]:
    """The fields of a part that are neither bodies nor names."""
    yield from (value for _, value in named_values(part))


def named_values(part: Any) -> Iterator[tuple[str, Any]]:
    """These fields with their names."""
    for entry in fields(part):
        value = getattr(part, entry.name)
        if not isinstance(value, Frame | str):
            yield entry.name, value

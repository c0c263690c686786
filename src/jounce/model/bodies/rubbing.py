"""Friction in joints without play: what a Revolute and a Translational add to a machine.

A rubbing joint is a contact of the joint's name without a gap, loaded by the joint's own forces (model/loads.py). Its
viscous part is a damper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.body import Frame, Pair
from jounce.model.bodies.forces import ForceElement, Load
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression

_COEFFICIENTS = ("radius", "friction", "preload", "length", "viscous")


def check_rubbing(joint: Any, where: str) -> None:
    """Numbers must be positive or zero; without friction nothing else of it makes sense."""
    for what in _COEFFICIENTS:
        value = getattr(joint, what, None)
        if value is None:
            continue
        expression = as_expression(value, f"{where}: {what}")
        positive = what in ("radius", "length")
        if expression.is_number and not (expression.is_finite and (expression > 0 if positive else expression >= 0)):
            least = "positive" if positive else "finite and not negative"
            raise ModelError(f"{where}: the {what} is {float(expression):g}; it must be {least}")
    if not rubs(joint) and (joint.preload != 0 or joint.static_friction is not None):
        given = "preload" if joint.preload != 0 else "static_friction"
        raise ModelError(f"{where} has a {given} but no friction; give friction=")


def rubs(joint: Any) -> bool:
    """Whether a joint has dry friction."""
    return bool(joint.friction != 0)


def rubbing_contact(joint: Any, slip: sp.Expr, equations: tuple[str, ...], lever: sp.Expr | None) -> Contact:
    """The contact of a joint's friction, loaded by some of its equations."""
    return Contact(
        joint.name,
        slip=slip,
        friction=joint.friction,
        static_friction=joint.static_friction,
        load=tuple(f"{joint.name}.{equation}" for equation in equations),
        preload=as_expression(joint.preload, f"joint {joint.name!r}: preload"),
        lever=lever,
    )


@dataclass(frozen=True, eq=False)
class AxialDamper(ForceElement):
    """A force on the second body at a place, its opposite on the first at the same place."""

    first: Frame
    second: Frame
    place: Pair
    force: Pair

    def loads(self) -> Iterator[Load]:
        """Both forces."""
        F_x, F_y = self.force
        yield self.second, self.place, (F_x, F_y)
        yield self.first, self.place, (-F_x, -F_y)

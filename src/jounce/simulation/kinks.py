"""What to say of gaps that are not smooth, where a run fails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jounce.model.model import Model


def kink_advice(model: Model, contacts: Iterable[str]) -> str:
    """A sentence on the first of these contacts whose gap may have a kink, where it has no normal; "" if there is none.

    Piecewise gaps are not named: curves through points are made of smooth pieces (model/tables.py). Nor are kinks in
    time: where a surface starts or stops at once it has a normal (model/kinks.py).
    """
    import sympy as sp  # here, because runs that succeed need it not

    kinks = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside)
    for contact in (contact for contact in model.contacts if contact.name in set(contacts)):
        parts = sorted((part for part in contact.gap.atoms(*kinks) if part.free_symbols & set(model.q)), key=str)
        if parts:
            return (
                f"The gap of contact {contact.name!r} contains {parts[0]} and has no normal where that has a kink: "
                "give the sides of the kink as contacts of their own (Min(a, b) >= 0 is a >= 0 and b >= 0), and a "
                "corner that points outwards as a circle of small radius or a PolygonOn. "
            )
    return ""

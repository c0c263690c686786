"""The dimension of an expression, from the declared units of its symbols.

Units are declared for people, and some are left out: a dimension is given only where all terms of every sum agree.
Numbers fit any other term; a symbol without a unit has the dimension of a number, and fits no length.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy as sp

from jounce.model.curves import Curve
from jounce.model.profiles import Distance, Reach
from jounce.units import UnitError, parse_unit

if TYPE_CHECKING:
    from jounce.model.contact import Contact

#: Powers of length, time, mass, current, temperature; the radian is 1. None: not known.
Dimension = tuple[Fraction, ...] | None

_ANGLE, _COUNT = 3, 6
_NAMES = ("m", "s", "kg", "A", "K")
_NUMBER: tuple[Fraction, ...] = (Fraction(0),) * (_COUNT - 1)


def dimension(expression: sp.Expr, units: Mapping[str, str]) -> Dimension:
    """Of an expression in symbols with these units (name -> unit)."""
    known: dict[sp.Basic, Dimension] = {}
    for part in sp.postorder_traversal(expression):
        if part not in known:
            known[part] = _rule(part, known, units)
    return known[expression]


def _rule(e: sp.Basic, known: dict[sp.Basic, Dimension], units: Mapping[str, str]) -> Dimension:
    if isinstance(e, sp.Symbol):
        return _of_unit(units.get(e.name, ""))
    if not e.args:
        return _NUMBER
    parts = [known[part] for part in e.args]
    if isinstance(e, sp.Add | sp.Max | sp.Min | sp.Abs):
        return _common(e.args, parts)
    if isinstance(e, sp.Mul):
        return _sum(parts)
    if isinstance(e, sp.Pow):
        power = e.exp
        if not power.is_Rational:
            return _NUMBER if parts[0] == _NUMBER else None
        return None if parts[0] is None else tuple(a * Fraction(int(power.p), int(power.q)) for a in parts[0])
    if isinstance(e, Distance):
        return parts[0]  # its point, in the curve's frame
    if isinstance(e, Reach):
        return None  # the curve is made of numbers
    return _NUMBER if isinstance(e, sp.Function) and not isinstance(e, sp.Piecewise | Curve) else None


def _of_unit(unit: str) -> Dimension:
    try:
        powers = parse_unit(unit).dimension
    except UnitError:
        return None
    return (*powers[:_ANGLE], *powers[_ANGLE + 1 :])


def _sum(parts: list[Dimension]) -> Dimension:
    total = _NUMBER
    for part in parts:
        if part is None:
            return None
        total = tuple(a + b for a, b in zip(total, part, strict=True))
    return total


def _common(terms: tuple[sp.Basic, ...], parts: list[Dimension]) -> Dimension:
    """What all terms have; numbers among them fit anything."""
    found = {part for term, part in zip(terms, parts, strict=True) if term.free_symbols}
    return found.pop() if len(found) == 1 else (_NUMBER if not found else None)


def written(powers: tuple[Fraction, ...]) -> str:
    """m^2/s of (2, -1, ...)."""
    above = [_power(name, a) for name, a in zip(_NAMES, powers, strict=True) if a > 0]
    below = [_power(name, -a) for name, a in zip(_NAMES, powers, strict=True) if a < 0]
    bottom = "/" + (below[0] if len(below) == 1 else f"({' '.join(below)})") if below else ""
    return (" ".join(above) or "1") + bottom


def _power(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


def friction_problem(contact: Contact, units: Mapping[str, str], moving: Collection[str]) -> str | None:
    """Why mu would not be a number; None where it is, or where the units do not say.

    Friction compares lambda_T with mu lambda_N. Powers lambda_N dg/dt and lambda_T gamma_T have one dimension, so that
    the forces have one exactly where dg/dt and gamma_T do. Coordinates and velocities (``moving``) without a unit say
    nothing.
    """
    if contact.slip is None or (contact.friction == 0 and contact.static_friction == 0):
        return None
    if contact.load is not None:
        return None  # friction against rolling is a length: it is that of the slip as it is written
    met = {symbol.name for part in (contact.gap, contact.slip) for symbol in part.free_symbols}
    if any(not units[name] for name in met.intersection(moving)):
        return None
    gap, slip = dimension(contact.gap, units), dimension(contact.slip, units)
    if gap is None or slip is None:
        return None
    way = (slip[0], slip[1] + 1, *slip[2:])
    if gap == way:
        return None
    return (
        f"contact {contact.name!r}: its gap is in {written(gap)} and its slip velocity in {written(slip)}. Normal "
        f"force and friction then belong to ways of two kinds, {written(gap)} and {written(way)}, and the friction "
        "coefficient is not a pure number. Write the gap as a distance, sqrt(x**2 + y**2) - R in place of "
        "x**2 + y**2 - R**2, and the slip as a velocity along the surface"
    )

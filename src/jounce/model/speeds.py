"""Coefficients of a contact that depend on how fast it slides or hits.

The friction is a function mu(s) of the slip speed s = |gamma_T|. The engine integrates one direction of sliding at a
time, and looks for the end of it a little beyond: mu(gamma_T) and mu(-gamma_T) are smooth there, mu(|gamma_T|) is not.
The restitution is a function of the speed |gamma_N|: before an impact the speed at which the contact closes, and after
it, where nothing but gravity acts, the one of the next impact.
"""

from __future__ import annotations

import sympy as sp

from jounce.errors import ModelError
from jounce.model.cases import Abs
from jounce.model.contact import Contact
from jounce.model.symbols import approach_speed, penetration, penetration_rate, slip

#: Every symbol that stands for a velocity or a depth of the contact in whose coefficients it is written.
SPEEDS = {symbol.name: symbol for symbol in (slip, approach_speed, penetration, penetration_rate)}
#: In which coefficients of a contact they have a meaning.
SPEEDS_IN = {
    "friction": (slip,),
    "restitution": (approach_speed,),
    "tangential_restitution": (approach_speed,),
}
SLOW = sp.Rational(1, 1000)  # of the approach speed: whether slower bounces are still the same ones


def depends_on_speed(contact: Contact) -> bool:
    """Whether a coefficient of a rigid contact changes with a velocity."""
    coefficients = (contact.friction, contact.restitution, contact.tangential_restitution)
    return contact.compliance is None and any(part.free_symbols & set(SPEEDS.values()) for part in coefficients)


def friction_at_rest(friction: sp.Expr, where: str) -> sp.Expr:
    """mu(0), which is the static friction where none is given."""
    value = friction.xreplace({slip: sp.Integer(0)})
    if value.has(sp.nan, sp.zoo, sp.oo, sp.S.NegativeInfinity):
        raise ModelError(
            f"{where}: the friction {friction} has no value at rest, slip = 0; write it so that it has one, "
            "such as 1/(1 + slip) in place of 1/slip"
        )
    return value


def sliding_friction(friction: sp.Expr, velocity: sp.Expr) -> sp.Expr:
    """mu while the contact slides with this slip velocity, which is positive but for what lies beyond the end of it."""
    if slip not in friction.free_symbols:
        return friction
    speed = friction.replace(lambda part: isinstance(part, sp.Abs) and part.args[0] == slip, lambda part: slip)
    beyond = velocity if _is_smooth_at_zero(speed) else sp.Max(velocity, 0, evaluate=False)
    return speed.xreplace({slip: beyond})


def _is_smooth_at_zero(friction: sp.Expr) -> bool:
    """False where a function of the slip ends at zero, as its roots and logarithms do."""
    powers = (part for part in friction.atoms(sp.Pow) if slip in part.base.free_symbols)
    if any(not part.exp.is_integer for part in powers):
        return False
    return not any(slip in part.free_symbols for part in friction.atoms(sp.log))


def at_approach(restitution: sp.Expr, rate: sp.Expr, fraction: sp.Expr = sp.S.One) -> sp.Expr:
    """The restitution at the normal velocity ``rate``, or at a fraction of it."""
    if approach_speed not in restitution.free_symbols:
        return restitution
    return restitution.xreplace({approach_speed: fraction * Abs(rate)})


def regular_friction(friction: sp.Expr, velocity: sp.Expr) -> sp.Expr:
    """mu of a compliant contact, whose friction passes through zero smoothly."""
    return friction.xreplace({slip: Abs(velocity)})

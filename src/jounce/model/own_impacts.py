"""Impact laws of one's own: the impulses as a function of the impact's numbers.

    def superball(impact):
        return -2 * impact.v_n / impact.C, -2 * impact.v_t / impact.A

    jounce.Contact("floor", gap=y - r, slip=dx + r * dtheta, law=jounce.OwnImpact(superball))

The engine reflects the contact without friction, gamma_N+ = -gamma_N-, which can be undone: the velocities before are

    u- = u+ - M^-1 W_N (2 gamma_N+/C),   C = W_N.M^-1 W_N .

A reset behind it puts u- + M^-1 (W_N p_n + W_T p_t) in their place, with the impulses of the law. So own laws have
events, a part in the ledger (reset_work, what they give or take), in the audit and in derivatives of the flow, and no
kernel knows them. Friction while the contact is closed is that of a second contact, which the first one loads
(model/loads.py) and which has no part in impacts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy as sp

from jounce.errors import ModelError
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression, identically_zero
from jounce.model.lagrangian import gradient, time_derivative
from jounce.model.names import own_law_name
from jounce.model.resets import Reset

if TYPE_CHECKING:
    from jounce.model.vocabulary import Vocabulary


class ImpactNumbers(NamedTuple):
    """What a law may use; all are expressions of the model's symbols.

    v_n, v_t   the normal velocity before the impact, negative, and the slip velocity; 0 without slip
    A, B, C    mobilities: W_T.M^-1 W_T, W_T.M^-1 W_N, W_N.M^-1 W_N. An impulse (p_n, p_t) changes v_n by C p_n + B p_t
               and v_t by B p_n + A p_t
    e          the restitution of the contact
    """

    v_n: sp.Expr
    v_t: sp.Expr
    A: sp.Expr
    B: sp.Expr
    C: sp.Expr
    e: sp.Expr


@dataclass(frozen=True)
class OwnImpact:
    """A law of impact for ``Contact(law=...)``: a function of ImpactNumbers that returns (p_n, p_t), or p_n alone.

    It is called once, with symbols: cases are written as ``sympy.Piecewise``, ``Min`` and ``Max``. The ``friction`` of
    the contact is that while it is closed, under the name ``<contact>_friction``; in impacts there is what the function
    gives. Impacts of several contacts with own laws at one instant are not resolved together.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> newton = jounce.OwnImpact(lambda n: -(1 + n.e) * n.v_n / n.C)
    >>> floor = jounce.Contact("floor", gap=y, restitution=0.5, law=newton)
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> run = jounce.simulate(model, None, t_end=0.6)
    >>> t = run.events["t"].iloc[0]
    >>> round(run.at(t)["d_y"] / run.at(t, side="left")["d_y"], 12)
    -0.5
    """

    impulse: Callable[[ImpactNumbers], Any]


def with_own_impacts(
    words: Vocabulary,
    mass: sp.MatrixBase,
    contacts: tuple[Contact, ...],
    laws: Mapping[str, OwnImpact],
    joints: Mapping[str, Any],
) -> tuple[tuple[Contact, ...], list[Reset]]:
    """The contacts as the engine reflects them, and the resets that put the laws in the place of the reflection."""
    settled, resets = [], []
    for contact in contacts:
        law = laws.get(contact.name)
        if law is None:
            settled.append(contact)
            continue
        _check(contact, law, joints)
        resets.append(_reset(words, mass, contact, law))
        zero, smooth = sp.Integer(0), replace(contact, slip=None, friction=sp.Integer(0), static_friction=sp.Integer(0))
        # of the laws that reflect one that relates both ends: joints and rolling resistance have no part in it
        settled.append(replace(smooth, restitution=sp.Integer(1), law="whittaker"))
        if contact.friction != 0 or contact.static_friction != 0:
            name = f"{contact.name}_friction"
            settled.append(replace(contact, name=name, gap=zero, restitution=zero, load=(contact.name,), preload=zero))
    return tuple(settled), resets


def _flat(contacts: Any) -> list[Any]:
    """The contacts one by one: ``gear_pair`` and ``contact_between`` give lists, which may stand among the others."""
    if not isinstance(contacts, list | tuple):
        return [contacts]
    return [one for contact in contacts for one in (contact if isinstance(contact, list | tuple) else [contact])]


def own_laws(contacts: Any) -> tuple[Any, dict[str, OwnImpact]]:
    """The contacts without their own laws, and these by the names of the contacts."""
    listed = _flat(contacts)
    own = {c.name: c.law for c in listed if isinstance(c, Contact) and isinstance(c.law, OwnImpact)}
    return [replace(c, law=None) if isinstance(c, Contact) and c.name in own else c for c in listed], own


def impulses_in(laws: Mapping[str, OwnImpact]) -> list[Any]:
    """What the laws return for symbols: their parameters are those of the model."""
    numbers = ImpactNumbers(*sp.symbols("v_n v_t A B C e", real=True))
    return [law.impulse(numbers) for law in laws.values() if callable(law.impulse)]


def _check(contact: Contact, law: OwnImpact, joints: Mapping[str, Any]) -> None:
    where = f"contact {contact.name!r}: OwnImpact"
    if not callable(law.impulse):
        raise ModelError(f"{where} needs a function of the impact's numbers, not {law.impulse!r}")
    if contact.compliance is not None:
        raise ModelError(f"{where} is a law of rigid contacts; one with compliance= has forces and no impulses")
    if contact.friction != 0 and contact.slip is None:
        raise ModelError(f"{where}: it has friction but no slip velocity; give slip=, e.g. the tangential velocity")
    if joints:
        raise ModelError(
            f"{where}: joints take part in impacts; write the model in minimal coordinates, without joints"
        )


def _product(a: sp.MatrixBase, b: sp.MatrixBase) -> sp.Expr:
    """a.b, a plain zero where it vanishes identically."""
    value = (a.T * b)[0, 0]
    return sp.Integer(0) if identically_zero(value) else value


def _reset(words: Vocabulary, mass: sp.MatrixBase, contact: Contact, law: OwnImpact) -> Reset:
    q, u = words.q, words.u
    normal = sp.Matrix(gradient(contact.gap, q))
    along = sp.zeros(len(u), 1) if contact.slip is None else sp.Matrix(gradient(contact.slip, u))
    pushed, dragged = mass.LUsolve(normal), mass.LUsolve(along)
    A, B, C = (_product(a, b) for a, b in ((along, dragged), (along, pushed), (normal, pushed)))
    away = time_derivative(contact.gap, q, u)  # behind the reflection
    back = 2 * away / C
    v_t = sp.Integer(0) if contact.slip is None else contact.slip - B * back
    given = law.impulse(ImpactNumbers(-away, v_t, A, B, C, contact.restitution))
    pair = given if isinstance(given, tuple | list) else (given, 0)
    if len(pair) != 2:
        raise ModelError(f"contact {contact.name!r}: OwnImpact must return (p_n, p_t) or p_n, not {given!r}")
    p_n, p_t = (words.expression(as_expression(part, "OwnImpact"), f"contact {contact.name!r}: law") for part in pair)
    change = pushed * (p_n - back) + dragged * p_t
    moved = {u_k.name: u_k + part for u_k, part in zip(u, change, strict=True) if part != 0}
    return Reset(f"impact:{contact.name}", moved, name=own_law_name(contact.name))

"""A compliant contact inside a model: its force becomes part of h, its memory a few extra symbols.

For each compliant contact the engine keeps two numbers behind the parameters, <contact>_pressed (0 or 1) and
<contact>_inverse_approach (1/v of the last touch), which no user sets. h gains

    pressed (F_N W + F_T W_T) ,      W = -d(delta)/dq ,

and a law with internal state one coordinate, <contact>_branch, whose velocity is the force s of its Maxwell branch [N]:
mass s' = drive is then an equation of motion like any other, and mass s^2/2 the energy in the branch's spring.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

from jounce.errors import ModelError
from jounce.model.cases import Abs
from jounce.model.compliance import (
    LAWS,
    Compliance,
    ComplianceLaw,
    OwnCompliance,
    Response,
    State,
)
from jounce.model.contact import Contact
from jounce.model.derivatives import derivative
from jounce.model.expressions import as_expression, value_at
from jounce.model.lagrangian import gradient, time_derivative
from jounce.model.names import RETURNS_WITH_FORCE, RETURNS_WITH_RATE, velocity_name
from jounce.model.speeds import regular_friction
from jounce.model.symbols import penetration, penetration_rate, plain_symbol, time
from jounce.model.vocabulary import Vocabulary

#: v_s of friction relative to the contact's own speed: friction that slides as fast is developed but for 5e-5. Part of
#: the law, not of the accuracy of steps: an oblique impact misses Coulomb's by v_s^2 times the mean of 1/(2 slip^2),
#: and steps are as many for 1/10 as for 1/1000 (tests/compliant/test_friction_speed.py).
OWN_SPEED = sp.Rational(1, 100)
#: Added to v_s^2: nothing beside the square of any speed, but no quotient of two zeros where nothing moves.
NO_SPEED = sp.Float(2.0**-1000)


def memory_names(contacts: Any) -> tuple[str, ...]:
    """The names of what the engine remembers, two a compliant contact."""
    listed = contacts if isinstance(contacts, (list, tuple)) else [contacts]
    return tuple(
        name
        for contact in listed
        if isinstance(contact, Contact) and contact.compliance is not None
        for name in (f"{contact.name}_pressed", f"{contact.name}_inverse_approach")
    )


def remembering_contacts(model: Any) -> list[int]:
    """The contacts of a model whose force depends on the speed with which they touched."""
    return [
        i
        for i, contact in enumerate(model.contacts)
        if isinstance(contact.compliance, Compliance)
        and plain_symbol(memory_names(contact)[1]) in contact.compliance.normal.free_symbols
    ]


def branch_name(contact: str) -> str:
    """The coordinate that a law with internal state adds."""
    return f"{contact}_branch"


def added_coordinates(contacts: Iterable[Contact]) -> dict[str, str]:
    """Name -> unit of the coordinates that laws with internal state add."""
    return {
        branch_name(contact.name): "N s"
        for contact in contacts
        if isinstance(contact.compliance, ComplianceLaw) and contact.compliance.has_branch
    }


def apply_compliance(
    words: Vocabulary, mass: sp.ImmutableMatrix, forces: sp.ImmutableMatrix, contacts: tuple[Contact, ...]
) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix, tuple[Contact, ...]]:
    """Mass matrix, forces and contacts with every law turned into expressions; ``words`` knows the added names."""
    added = len(words.coordinates) - mass.rows
    M = sp.diag(mass, sp.zeros(added, added)) if added else sp.Matrix(mass)
    h = sp.Matrix([*forces, *[0] * added])
    settled = []
    for contact in contacts:
        law = contact.compliance
        if not isinstance(law, ComplianceLaw):
            settled.append(contact)
            continue
        pressed, inverse = (plain_symbol(name) for name in memory_names(contact))
        depth = -contact.gap if contact.penetration is None else contact.penetration
        normals = gradient(depth, words.q)
        law = law_in_symbols_of(words, law, contact.name)
        pressing = Pressing(
            depth=depth,
            rate=time_derivative(depth, words.q, words.u),
            inverse_approach=inverse,
            branch=plain_symbol(velocity_name(branch_name(contact.name))),
            slip=contact.slip,
            mobility=_mobility(normals, M),
        )
        response, tangential = forces_of(law, contact, pressing)
        drift = _rest(contact.slip, words.u)
        tangents = gradient(contact.slip, words.u) if contact.slip is not None else [sp.Integer(0)] * len(words.u)
        for k, (normal, tangent) in enumerate(zip(normals, tangents, strict=True)):
            h[k] += pressed * (-response.force * normal + tangential * tangent)
        if response.branch is not None:
            k = list(words.coordinates).index(branch_name(contact.name))
            M[k, k], h[k] = response.branch[0], pressed * response.branch[1]
        compliance = Compliance(
            law=type(law).__name__,
            normal=response.force,
            tangential=tangential,
            loss=response.loss,
            surface=response.force * derivative(depth, time) - tangential * drift,
            elastic=response.elastic,
            back=return_of(response, pressing.rate),
            pulls=response.pulls,
            branch=None if response.branch is None else branch_name(contact.name),
            coefficients=law.coefficients(),
        )
        settled.append(replace(contact, compliance=compliance))
    return sp.ImmutableMatrix(M), sp.ImmutableMatrix(h), tuple(settled)


def pressing_forces(words: Vocabulary, mass: sp.MatrixBase, contacts: tuple[Contact, ...]) -> sp.ImmutableMatrix:
    """What compliant contacts add to the forces on the coordinates of a model."""
    whole = replace(words, coordinates=words.coordinates | added_coordinates(contacts))
    _, forces, _ = apply_compliance(whole, sp.ImmutableMatrix(mass), sp.zeros(mass.rows, 1), contacts)
    return sp.ImmutableMatrix(forces[: mass.rows])


class Pressing(NamedTuple):
    """What the forces of a compliant contact depend on: symbols, or expressions of the model.

    depth      positive inside; ``rate`` is its derivative
    branch     the force of the Maxwell branch
    slip       the slip velocity, None without friction
    mobility   sum_j W_j^2/M_jj
    """

    depth: sp.Expr
    rate: sp.Expr
    inverse_approach: sp.Expr
    branch: sp.Expr
    slip: sp.Expr | None
    mobility: sp.Expr


def forces_of(law: ComplianceLaw, contact: Contact, at: Pressing) -> tuple[Response, sp.Expr]:
    """What the law answers, and F_T."""
    state = State(
        delta=sp.Max(at.depth, 0, evaluate=False),  # a contact that may close has no sign to be found
        rate=at.rate,
        inverse_approach=at.inverse_approach,
        restitution=contact.restitution,
        branch=at.branch,
    )
    response = law.respond(state)
    if at.slip is None or contact.friction == 0:
        return response, sp.Integer(0)
    developed = at.slip / sp.sqrt(at.slip**2 + _friction_speed_squared(law, response, at))
    # friction opposes the slip whether the contact pushes or pulls (adhesion, strong damping on the way out)
    return response, -regular_friction(contact.friction, at.slip) * Abs(response.force) * developed


def return_of(response: Response, rate: sp.Expr) -> sp.Expr:
    """What turns positive when a contact that was let go inside its gap is pressed again."""
    return {RETURNS_WITH_RATE: rate, RETURNS_WITH_FORCE: response.force}.get(response.pulls, sp.Integer(-1))


def _friction_speed_squared(law: ComplianceLaw, response: Response, at: Pressing) -> sp.Expr:
    """v_s^2: as given, or a part of the contact's own energy per mass, so that it is a speed in any units."""
    if law.friction_speed is not None:
        return law.friction_speed**2
    return OWN_SPEED**2 * (at.rate**2 + 2 * response.elastic * at.mobility) + NO_SPEED


def _mobility(normals: list[sp.Expr], mass: sp.Matrix) -> sp.Expr:
    """sum_j W_j^2/M_jj of the coordinates that have a mass."""
    terms = (W**2 / mass[k, k] for k, W in enumerate(normals) if W != 0 and mass[k, k] != 0)
    return sp.Add(*terms)


def _rest(slip: Any, u: tuple[sp.Symbol, ...]) -> sp.Expr:
    """w_T: what is left of a slip velocity when all velocities are zero."""
    return sp.Integer(0) if slip is None else slip.xreplace(dict.fromkeys(u, sp.Integer(0)))


def law_in_symbols_of(words: Vocabulary, law: ComplianceLaw, name: str) -> ComplianceLaw:
    """The law with its coefficients in the model's own symbols."""
    own = {
        key: words.expression(
            value,
            f"contact {name!r}: {type(law).__name__}, {key}",
            velocities=False,
            speeds=(penetration, penetration_rate) if isinstance(law, OwnCompliance) else (),
        )
        for key, value in law.coefficients().items()
    }
    return replace(law, **own)


def check_law(contact: Contact) -> None:
    """Refuse what is no law of compliant contact."""
    if contact.compliance is None or isinstance(contact.compliance, (ComplianceLaw, Compliance)):
        return
    raise ModelError(
        f"contact {contact.name!r}: compliance is {contact.compliance!r}; it must be a law, one of "
        f"{', '.join(LAWS)}, e.g. compliance=jounce.Hertz(stiffness=1e9), or None for a rigid contact"
    )


def compliance_problem(contact: Contact, values: dict[sp.Symbol, float]) -> str | None:
    """What is wrong with the coefficients of a compliant contact at these values, or None."""
    law = contact.compliance
    if not isinstance(law, Compliance):
        return None
    for name, expression in law.coefficients.items():
        if law.law == OwnCompliance.__name__ and name != "friction_speed":
            continue  # expressions of the penetration, whose signs are the user's
        value = value_at(as_expression(expression, f"{law.law}: {name}"), values)
        least = 0.0 if name == "damping" and law.law == "KelvinVoigt" else 1e-300
        if not least <= value < float("inf"):
            return f"{law.law}: {name} is {value:.6g}; it must be positive"
    if law.law == "Flores2011" and not value_at(contact.restitution, values) > 0.0:
        return "Flores2011 divides by the restitution, which is 0; ask for a positive one"
    return None

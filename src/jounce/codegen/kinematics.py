"""Gaps, slip velocities and joints, with the derivatives the engine needs."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from jounce.model.contact import Contact
from jounce.model.derivatives import derivative
from jounce.model.lagrangian import gradient, time_derivative
from jounce.model.model import Model
from jounce.model.speeds import SLOW, at_approach, friction_at_rest, sliding_friction
from jounce.model.symbols import time


@dataclass(frozen=True)
class Constraint:
    """A scalar with its rate in the form  rate' = direction.u' + bias."""

    value: sp.Expr
    rate: sp.Expr
    bias: sp.Expr
    direction: tuple[sp.Expr, ...]


def position_constraint(model: Model, g: sp.Expr) -> Constraint:
    """g(q, t): W = dg/dq, gamma = W.u + g_t, and g'' = W.u' + c with c = (d gamma/dq).u + d gamma/dt."""
    rate = time_derivative(g, model.q, model.u)
    direction = tuple(gradient(g, model.q))
    return Constraint(g, rate, time_derivative(rate, model.q, model.u), direction)


def velocity_constraint(model: Model, slip: sp.Expr | None) -> Constraint:
    """gamma_T(q, u, t), affine in u: W_T = d gamma_T/du and gamma_T' = W_T.u' + c_T."""
    if slip is None:
        zero = sp.Integer(0)
        return Constraint(zero, zero, zero, (zero,) * model.n)
    direction = tuple(_free_of(slope, model.u) for slope in gradient(slip, model.u))
    return Constraint(sp.Integer(0), slip, time_derivative(slip, model.q, model.u), direction)


def _free_of(rate: sp.Expr, u: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The coefficient of an affine function, which must not mention the velocities however it is written."""
    return rate.xreplace(dict.fromkeys(u, sp.Integer(0))) if rate.free_symbols & set(u) else rate


def contact_rows(model: Model) -> list[sp.Expr]:
    """Per contact [g, gamma_N, gamma_T, c_N, c_T, W_N (n), W_T (n)]."""
    rows: list[sp.Expr] = []
    for contact in model.contacts:
        normal = position_constraint(model, contact.gap)
        if contact.compliance is None:
            tangential = velocity_constraint(model, contact.slip)
        else:
            # its friction is part of h, and it never sticks: only the slip velocity itself is asked for
            zero = sp.Integer(0)
            tangential = Constraint(zero, zero if contact.slip is None else contact.slip, zero, (zero,) * model.n)
        rows += [normal.value, normal.rate, tangential.rate, normal.bias, tangential.bias]
        rows += [*normal.direction, *tangential.direction]
    return rows


def gap_rows(model: Model) -> list[sp.Expr]:
    """Per contact [g, gamma_N]."""
    return [row for contact in model.contacts for row in (contact.gap, gap_rate(model, contact.gap))]


def gap_rate(model: Model, gap: sp.Expr) -> sp.Expr:
    """gamma_N = W_N.u + g_t."""
    return time_derivative(gap, model.q, model.u)


#: What `surfaces` gives of each contact, in the order of the kernels' constants of these names.


def surface_rows(model: Model) -> list[sp.Expr]:
    """Per contact the SURFACE_COLUMNS; one that others load has its preload and lever in place of restitutions."""
    rows: list[sp.Expr] = []
    for contact in model.contacts:
        velocity = sp.Integer(0) if contact.slip is None else contact.slip
        rows += coefficients_at(contact, velocity, gap_rate(model, contact.gap))
    return rows


def coefficients_at(contact: Contact, velocity: sp.Expr, rate: sp.Expr) -> list[sp.Expr]:
    """The SURFACE_COLUMNS of a contact at a slip velocity and a normal velocity."""
    friction = [
        sliding_friction(contact.friction, velocity),
        sliding_friction(contact.friction, -velocity),
        contact.static_friction,
        friction_at_rest(contact.friction, f"contact {contact.name!r}"),
    ]
    if contact.load is not None:
        return [*friction, contact.preload, sp.Integer(0) if contact.lever is None else contact.lever, sp.Integer(0)]
    return [
        *friction,
        at_approach(contact.restitution, rate),
        at_approach(contact.tangential_restitution, rate),
        at_approach(contact.restitution, rate, SLOW),
    ]


def compliance_rows(model: Model) -> list[sp.Expr]:
    """Per contact [F_N, F_T, loss, surface power, elastic energy, return] as if pressed; zeros for rigid contacts."""
    if all(contact.compliance is None for contact in model.contacts):
        return []
    rigid = [sp.Integer(0)] * 6
    return [row for contact in model.contacts for row in (contact.compliance.rows if contact.compliance else rigid)]


def joint_rows(model: Model) -> list[sp.Expr]:
    """Per joint [g, g', c, J (n)] with g'' = J.u' + c."""
    rows: list[sp.Expr] = []
    for expression in model.joints.values():
        joint = position_constraint(model, expression)
        rows += [joint.value, joint.rate, joint.bias, *joint.direction]
    return rows


def power_rows(model: Model) -> list[sp.Expr]:
    """[applied, friction loss, surface power, loss] of h and the pressed contacts in it, then per joint g_t.

    Only the switch of a contact, its first memory, makes its share count.
    """
    friction = surface = loss = sp.Integer(0)
    switches = iter(model.memory[::2])
    for contact in model.contacts:
        if contact.compliance is None:
            continue
        _, tangential, lost, passed, *_ = contact.compliance.rows
        pressed = next(switches)
        if contact.slip is not None:
            friction -= pressed * tangential * contact.slip
        surface += pressed * passed
        loss += pressed * lost
    drifts = [derivative(joint, time) for joint in model.joints.values()]
    return [model.applied_power, friction, surface, loss, *drifts]


def energy_rows(model: Model) -> list[sp.Expr]:
    """T and V, then the energy in the springs of each compliant contact."""
    laws = (contact.compliance for contact in model.contacts)
    return [model.kinetic, model.V, *(law.elastic for law in laws if law is not None)]


def reset_rows(model: Model) -> list[sp.Expr]:
    """T + V, then per reset whether its condition holds (1 or 0), then all right sides, reset after reset."""
    if not model.resets:
        return []
    u = sp.Matrix([0 if name in branches(model) else u for name, u in zip(model.coordinates, model.u, strict=True)])
    energy = (u.T * model.M * u)[0, 0] / 2 + model.V
    return [energy, *reset_conditions(model), *assigned_rows(model)]


def reset_conditions(model: Model) -> list[sp.Expr]:
    """Of each reset 1 where it happens, else 0."""
    return [sp.Integer(1) if reset.only_if is None else reset.only_if for reset in model.resets]


def assigned_rows(model: Model) -> list[sp.Expr]:
    """The right sides of all resets, reset after reset."""
    return [value for reset in model.resets for value in reset.map.values()]


def branches(model: Model) -> list[str]:
    """Coordinates whose velocity is the force of a Maxwell branch: their share of u.M.u/2 is a spring's energy."""
    return [contact.compliance.branch for contact in model.contacts if contact.compliance is not None]

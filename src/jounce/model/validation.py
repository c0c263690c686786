"""The checks a model passes when it is made: structure by derivatives, values at the default start."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.start import check_loads_known
from jounce.model.compliant_contact import compliance_problem
from jounce.model.dimensions import friction_problem
from jounce.model.expressions import identically_zero, value_at
from jounce.model.lagrangian import gradient
from jounce.model.magnitude import magnitude
from jounce.model.surfaces import CLOSED, load_problem, surface_problem
from jounce.model.symbols import approach_speed, slip

if TYPE_CHECKING:
    from jounce.model.contact import Contact
    from jounce.model.model import Model


def check_model(model: Model) -> None:
    """Raise a ModelError for the first thing about the model that makes no sense."""
    _check_symmetric(model)
    for contact in model.contacts:
        check_contact_structure(model, contact)
    for name, expression in model.joints.items():
        if not expression.free_symbols & set(model.q):
            raise ModelError(f"joint {name!r} does not depend on any coordinate")
    if any(name in model.joints for contact in model.contacts for name in contact.load or ()):
        check_loads_known(model.vocabulary, model.joints, model.start)
    values = default_values(model)
    _check_positive_definite(model, values)
    for contact in model.contacts:
        check_surface(contact, values)
        warn_of_units(model, contact, stacklevel=5)
    if model.start:
        _check_start(model, values)
    if model.period is not None:
        period = value_at(model.period, values)
        if not period > 0 or not math.isfinite(period):
            raise ModelError(f"the forcing period is {period} at the default parameters; it must be positive")


def default_values(model: Model) -> dict[sp.Symbol, float]:
    """Every symbol at its default: t = 0, the default start, the default parameters."""
    values = {symbol: model.start.get(name, 0.0) for name, symbol in model.symbols.items()}
    values |= {entry.symbol: entry.default for entry in (*model.parameters.values(), *model.states.values())}
    return values


def _check_symmetric(model: Model) -> None:
    for i, row in enumerate(model.coordinates):
        for j, column in list(enumerate(model.coordinates))[:i]:
            if not identically_zero(model.M[i, j] - model.M[j, i]):
                raise ModelError(
                    f"the mass matrix is not symmetric: M[{row},{column}] = {model.M[i, j]} but "
                    f"M[{column},{row}] = {model.M[j, i]}"
                )


def check_contact_structure(model: Model, contact: Contact) -> None:
    """Refuse a gap without coordinates, a slip that is no velocity, friction without a slip."""
    where = f"contact {contact.name!r}"
    if contact.load is None and not contact.gap.free_symbols & set(model.q):
        raise ModelError(f"{where}: the gap does not depend on any coordinate, so the contact can never close")
    check_one_restitution(contact)
    if contact.slip is None:
        if not (contact.friction.is_zero and contact.static_friction.is_zero):  # 0.0 is none, too
            raise ModelError(f"{where} has friction but no slip velocity; give slip=, e.g. the tangential velocity")
        return
    rates = gradient(contact.slip, model.u)
    for u_i, rate in zip(model.u, rates, strict=True):
        if not all(identically_zero(second) for second in gradient(rate, model.u) if second != 0):
            raise ModelError(f"{where}: the slip velocity is not affine in the velocity {u_i.name!r}")
    if all(rate == 0 for rate in rates):
        names = ", ".join(u_i.name for u_i in model.u)
        raise ModelError(f"{where}: the slip velocity does not depend on any velocity ({names})")


def warn_of_units(model: Model, contact: Contact, stacklevel: int) -> None:
    """Warn of a friction coefficient that is no pure number."""
    problem = friction_problem(contact, model.units, {*model.coordinates, *model.velocity_units})
    if problem:
        warnings.warn(problem, stacklevel=stacklevel)


def check_one_restitution(contact: Contact) -> None:
    """Refuse a compliant contact whose restitution depends on the speed of approach."""
    if contact.compliance is not None and approach_speed in contact.restitution.free_symbols:
        raise ModelError(
            f"contact {contact.name!r}: the damping of a compliant contact is found from one restitution; "
            "approach_speed has a meaning for rigid contacts"
        )


def _check_positive_definite(model: Model, values: dict[sp.Symbol, float]) -> None:
    """Sylvester: pivots of a symmetric elimination are positive exactly if the matrix is positive definite."""
    matrix = [[value_at(entry, values) for entry in model.M.row(i)] for i in range(model.n)]
    where = "at the default start with the default parameters"
    if not all(math.isfinite(entry) for row in matrix for entry in row):
        raise ModelError(f"the mass matrix is not finite {where}; give start= a place where the model makes sense")
    for k, name in enumerate(model.coordinates):
        scale = abs(value_at(model.M[k, k], values))
        if not matrix[k][k] > 1e-14 * scale:
            raise ModelError(
                f"the mass matrix is not positive definite {where} (pivot {matrix[k][k]:.3g} at coordinate {name!r}); "
                "check the kinetic energy, or give start= a place where the model makes sense"
            )
        for i in range(k + 1, model.n):
            factor = matrix[i][k] / matrix[k][k]
            for j in range(k + 1, model.n):
                matrix[i][j] -= factor * matrix[k][j]


def check_surface(contact: Contact, values: dict[sp.Symbol, float]) -> None:
    """Refuse coefficients that no surface has."""
    values = {**values, slip: 0.0}
    mu, mu_static = value_at(contact.friction, values), value_at(contact.static_friction, values)
    # what depends on the approach speed is looked at when there is one
    e, e_t = (
        0.0 if approach_speed in part.free_symbols else value_at(part, values)
        for part in (contact.restitution, contact.tangential_restitution)
    )
    problem = surface_problem(mu, mu_static, e, e_t)
    if problem:
        raise ModelError(f"contact {contact.name!r}: {problem} at the defaults")
    problem = compliance_problem(contact, values)
    if problem:
        raise ModelError(f"contact {contact.name!r}: {problem} at the defaults")
    if contact.load is not None:
        problem = load_problem(
            value_at(contact.preload, values), 0.0 if contact.lever is None else value_at(contact.lever, values)
        )
        if problem:
            raise ModelError(f"contact {contact.name!r}: {problem} at the defaults")


def _size(model: Model, expression: sp.Expr, values: dict[sp.Symbol, float]) -> float:
    """By what a gap or a joint is measured: its terms, and what it changes where the machine moves by its own size.

    A joint that holds a coordinate at zero, or at the rounding of a sine, has no terms of its own.
    """
    reach: dict[str, float] = {}
    for name, symbol in zip(model.coordinates, model.q, strict=True):
        unit = model.units[name]
        reach[unit] = max(reach.get(unit, 0.0), abs(values[symbol]))
    size = float(value_at(magnitude(expression), values))
    for name, symbol in zip(model.coordinates, model.q, strict=True):
        if symbol in expression.free_symbols:
            size += abs(value_at(gradient(expression, [symbol])[0], values)) * reach[model.units[name]]
    return size


def start_below(contact: str, gap: float) -> ModelError:
    """The error of a default start at which a gap is negative."""
    return ModelError(
        f"contact {contact!r}: the gap is {gap:.6g} at the default start; it must not be negative. Start elsewhere: "
        "Model(..., start={...}), or Body(..., center=(...)) in a machine of bodies"
    )


def _check_start(model: Model, values: dict[sp.Symbol, float]) -> None:
    for contact in model.contacts:
        if contact.compliance is not None:
            continue  # may start pressed
        gap = value_at(contact.gap, values)
        if not gap >= 0.0 and not gap >= -CLOSED * _size(model, contact.gap, values):
            raise start_below(contact.name, gap)
    for name, expression in model.joints.items():
        error = value_at(expression, values)
        if error != 0.0 and not abs(error) <= CLOSED * _size(model, expression, values):
            raise ModelError(f"joint {name!r} is violated by {error:.6g} at the default start; it must be zero there")

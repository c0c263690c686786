"""Ballistic flight: where free motion is a parabola, how fast can a gap close?

If M and h depend on parameters only, the coordinates of free flight are parabolas in time, exactly. A gap along such
a flight has g'' = W_N.u' + c_N; if q and t enter it only through sines and cosines, and u only where it is constant,
then -K <= g'' <= K_up for the whole flight, with bounds that depend on the parameters and the constant velocities:
each expression is enclosed as centre +- radius,

    (c1 +- r1) + (c2 +- r2) = (c1 + c2) +- (r1 + r2) ,     sin(anything) = 0 +- 1 ,
    (c1 +- r1) (c2 +- r2) = c1 c2 +- (|c1| r2 + r1 |c2| + r1 r2) .

The engine then finds the next contact by certified steps instead of polynomials (kernels/flow/flight.py). Next to the
contact it takes the curvature itself; how far that is off a moment later is |g'''|, bounded in the same way.
Where the gap itself is a linear function of q plus something bounded, as above a table that shakes, it is also bounded
from below by a parabola, its level above the highest crest: over most of a flight that alone shows that nothing can
touch.
"""

from __future__ import annotations

import sympy as sp

from jounce.codegen.kinematics import position_constraint
from jounce.model.expressions import MOST_TERMS, identically_zero, terms_of
from jounce.model.lagrangian import gradient, time_derivative
from jounce.model.model import Model
from jounce.model.symbols import time

Enclosure = tuple[sp.Expr, sp.Expr]


def flight_acceleration(model: Model) -> sp.Matrix | None:
    """u' = M^-1 h where that depends on parameters only, so that free flight is a parabola; None elsewhere."""
    moving = {*model.q, *model.u, time}
    if model.joints or not model.contacts or (model.M.free_symbols | model.h.free_symbols) & moving:
        return None
    return model.M.LUsolve(model.h)


def flight_curvature(model: Model, gap: sp.Expr, acceleration: sp.Matrix) -> sp.Expr:
    """g'' = W_N.u' + c_N on a flight."""
    constraint = position_constraint(model, gap)
    return constraint.bias + sum(w * a for w, a in zip(constraint.direction, acceleration, strict=True))


def flight_rows(model: Model, acceleration: sp.Matrix | None) -> list[sp.Expr]:
    """Per contact [g, gamma_N, g''] on a flight; nothing where flight is not ballistic."""
    if acceleration is None:
        return []
    gaps = [contact.gap for contact in model.contacts]
    rates = [position_constraint(model, gap).rate for gap in gaps]
    curvatures = [flight_curvature(model, gap, acceleration) for gap in gaps]
    return [row for rows in zip(gaps, rates, curvatures, strict=True) for row in rows]


def flight_bounds(model: Model, acceleration: sp.Matrix | None) -> list[sp.Expr] | None:
    """K, K_up, K_jerk, level, level', level'' of every contact; None where flight is not ballistic or a gap unbounded.

    |g'''| <= K_jerk; -1 where there is no such bound.
    """
    if acceleration is None:
        return None
    moving = {*model.q, *model.u, time}
    steady = {u for u, a in zip(model.u, acceleration, strict=True) if identically_zero(a)}
    if not all(_of_sines(contact.gap, moving) for contact in model.contacts):
        return None
    bounds = []
    for contact in model.contacts:
        curvature = flight_curvature(model, contact.gap, acceleration)
        enclosure = enclose(sp.expand(curvature), moving - steady) if terms_of(curvature) <= MOST_TERMS else None
        if enclosure is None:
            return None
        bounds += [enclosure[1] - enclosure[0], enclosure[0] + enclosure[1]]
        bounds.append(jerk_bound(model, curvature, acceleration, moving - steady))
        bounds += level_parabola(model, contact.gap, acceleration, moving)
    return bounds


def jerk_bound(model: Model, curvature: sp.Expr, acceleration: sp.Matrix, moving: set[sp.Symbol]) -> sp.Expr:
    """The largest |d curvature/dt| on a flight; -1 where that has no bound."""
    slopes = zip(gradient(curvature, model.u), acceleration, strict=True)
    jerk = time_derivative(curvature, model.q, model.u) + sum(slope * a for slope, a in slopes)
    enclosure = enclose(sp.expand(jerk), moving) if terms_of(jerk) <= MOST_TERMS else None
    return sp.Integer(-1) if enclosure is None else sp.Abs(enclosure[0]) + enclosure[1]


def _of_sines(gap: sp.Expr, moving: set[sp.Symbol]) -> bool:
    """Whether all functions of moving symbols are sines, cosines and powers: others stay in the curvature."""

    def known(part: sp.Expr) -> bool:
        return isinstance(part, sp.sin | sp.cos) or (isinstance(part, sp.Pow) and part.exp.is_Integer and part.exp > 0)

    return all(known(part) for part in gap.atoms(sp.Function, sp.Pow) if part.free_symbols & moving)


def level_parabola(model: Model, gap: sp.Expr, acceleration: sp.Matrix, moving: set[sp.Symbol]) -> list[sp.Expr]:
    """level, level', level'' with g >= level in flight; a level of -1 for ever where there is no such bound."""
    if terms_of(gap) > MOST_TERMS:
        return [sp.Integer(-1), sp.Integer(0), sp.Integer(0)]
    rest = sp.expand(gap)
    weights = []
    for q in model.q:
        weight = rest.coeff(q, 1)
        weights.append(sp.Integer(0) if weight.free_symbols & moving else weight)
        rest = sp.expand(rest - weights[-1] * q)
    enclosure = enclose(rest, moving)
    if enclosure is None:
        return [sp.Integer(-1), sp.Integer(0), sp.Integer(0)]
    level, rate, curvature = (
        sp.Add(*(w * x for w, x in zip(weights, values, strict=True))) for values in (model.q, model.u, acceleration)
    )
    return [level + enclosure[0] - enclosure[1], rate, curvature]


def enclose(expression: sp.Expr, moving: set[sp.Symbol]) -> Enclosure | None:
    """(centre, radius) of an expression while the ``moving`` symbols take any value; None if it has no such bound."""
    if not expression.free_symbols & moving:
        return expression, sp.Integer(0)
    if isinstance(expression, sp.sin | sp.cos):
        return sp.Integer(0), sp.Integer(1)
    if isinstance(expression, sp.Pow) and expression.exp.is_Integer and expression.exp > 0:
        factors = (expression.base,) * int(expression.exp)
    elif isinstance(expression, sp.Add | sp.Mul):
        factors = expression.args
    else:
        return None
    parts = [enclose(part, moving) for part in factors]
    centre, radius = (
        (sp.Integer(0), sp.Integer(0)) if isinstance(expression, sp.Add) else (sp.Integer(1), sp.Integer(0))
    )
    for part in parts:
        if part is None:
            return None
        if isinstance(expression, sp.Add):
            centre, radius = centre + part[0], radius + part[1]
        else:
            radius = sp.Abs(centre) * part[1] + radius * sp.Abs(part[0]) + radius * part[1]
            centre = centre * part[0]
    return centre, radius

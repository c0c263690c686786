"""Ballistic flight: where free motion is a parabola, how fast can a gap close?

If M and h depend on parameters only, the coordinates of free flight are parabolas in time, exactly. A gap along such
a flight has g'' = W_N.u' + c_N; if q and t enter it only through sines and cosines, and u only where it is constant,
then g'' >= -K for the whole flight with a K that depends on the parameters and the constant velocities: each
expression is enclosed as centre +- radius,

    (c1 +- r1) + (c2 +- r2) = (c1 + c2) +- (r1 + r2) ,     sin(anything) = 0 +- 1 ,
    (c1 +- r1) (c2 +- r2) = c1 c2 +- (|c1| r2 + r1 |c2| + r1 r2) .

The engine then finds the next contact by certified steps instead of polynomials (kernels/flight.py).
"""

from __future__ import annotations

import sympy as sp

from jounce.compilation.kinematics import position_constraint
from jounce.model.model import Model
from jounce.model.symbols import time

Enclosure = tuple[sp.Expr, sp.Expr]


def curvature_bounds(model: Model) -> list[sp.Expr] | None:
    """K of every contact, or None where flight is not ballistic or a gap cannot be enclosed."""
    moving = {*model.q, *model.u, time}
    if model.joints or not model.contacts or (model.M.free_symbols | model.h.free_symbols) & moving:
        return None
    acceleration = model.M.LUsolve(model.h)
    steady = {u for u, a in zip(model.u, acceleration, strict=True) if sp.simplify(a) == 0}
    bounds = []
    for contact in model.contacts:
        gap = position_constraint(model, contact.gap)
        curvature = gap.bias + sum(w * a for w, a in zip(gap.direction, acceleration, strict=True))
        enclosure = enclose(sp.expand(curvature), moving - steady)
        if enclosure is None:
            return None
        bounds.append(enclosure[1] - enclosure[0])
    return bounds


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

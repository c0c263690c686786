"""Guards along a ballistic flight: which of them are parabolas of its time?

On a flight with constant acceleration a (bounds.py) every coordinate is a polynomial of the time s of the flight, of
degree 2, or 1 where its acceleration is zero; its velocity has one degree less, the time t itself has degree 1. A guard
that is a polynomial of these, with any functions of parameters and constant velocities as coefficients, is then a
polynomial of s. If its degree is at most 2 it is known, exactly, from what it is now:

    phi(s) = phi + phi' s + phi'' s^2/2 ,     phi' = phi_t + sum_j (phi_qj u_j + phi_uj a_j) .

The engine then finds where it vanishes by the formula for a quadratic equation (kernels/events/flight_guards.py).
"""

from __future__ import annotations

import sympy as sp

from jounce.model.derivatives import derivative
from jounce.model.expressions import MOST_TERMS, identically_zero, terms_of
from jounce.model.model import Model
from jounce.model.symbols import time

NO_PARABOLA = -1
MOST = 2


def guard_degrees(model: Model, acceleration: sp.Matrix | None) -> tuple[int, ...]:
    """The degree of every guard in the time of a flight; NO_PARABOLA above 2, and where flight is not ballistic."""
    if acceleration is None:
        return (NO_PARABOLA,) * len(model.watched)
    degrees = {time: 1}
    for q, u, a in zip(model.q, model.u, acceleration, strict=True):
        if identically_zero(a):
            degrees[q] = 1
        else:
            degrees[q], degrees[u] = 2, 1
    return tuple(_degree(guard, degrees) for guard in model.watched)


def _degree(guard: sp.Expr, degrees: dict[sp.Symbol, int]) -> int:
    """The degree of one guard whose variables have the given degrees; all other symbols are constant."""
    variables = [x for x in degrees if x in guard.free_symbols]
    if not variables:
        return 0
    if terms_of(guard) > MOST_TERMS or not guard.is_polynomial(*variables):
        return NO_PARABOLA
    terms = sp.Poly(guard, *variables).monoms()
    degree = max(sum(power * degrees[x] for power, x in zip(term, variables, strict=True)) for term in terms)
    return degree if degree <= MOST else NO_PARABOLA


def guard_rates(model: Model, degrees: tuple[int, ...], acceleration: sp.Matrix | None) -> list[sp.Expr]:
    """phi', phi'' of every guard along a flight; zeros where it is no parabola."""
    rows: list[sp.Expr] = []
    for guard, degree in zip(model.watched, degrees, strict=True):
        if degree == NO_PARABOLA or acceleration is None:
            rows += [sp.Integer(0), sp.Integer(0)]
            continue
        rate = _along_flight(model, guard, acceleration)
        rows += [rate, sp.expand(_along_flight(model, rate, acceleration)) if degree == MOST else sp.Integer(0)]
    return rows


def _along_flight(model: Model, expression: sp.Expr, acceleration: sp.Matrix) -> sp.Expr:
    """The derivative of an expression of (t, q, u) along a flight."""
    terms = [derivative(expression, time)]
    terms += [derivative(expression, q) * u for q, u in zip(model.q, model.u, strict=True)]
    terms += [derivative(expression, u) * a for u, a in zip(model.u, acceleration, strict=True)]
    return sp.Add(*terms)

"""Kinetic and potential energy -> mass matrix M and right side h of M u' = h."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from jounce.errors import ModelError
from jounce.model.derivatives import derivative
from jounce.model.expansion import expanded
from jounce.model.expressions import identically_zero
from jounce.model.symbols import time

# Beyond this many operations writing products of circular functions as sums costs more time than shorter code gains.
_TRIGONOMETRIC_LIMIT = 150
# A product of k sines and cosines is a sum of 2^(k-1) of them. Identities of mechanisms have two to four factors.
_MOST_FACTORS = 4


def gradient(expression: sp.Expr, symbols: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The derivatives by the symbols; most of a mechanism's are zero, which its free symbols show."""
    free = expression.free_symbols
    return [derivative(expression, symbol) if symbol in free else sp.Integer(0) for symbol in symbols]


def time_derivative(expression: sp.Expr, q: Sequence[sp.Symbol], u: Sequence[sp.Symbol]) -> sp.Expr:
    """d/dt at fixed velocities: sum_k (d/dq_k) u_k + d/dt."""
    *along, explicit = gradient(expression, (*q, time))
    return sp.Add(*(slope * u_k for slope, u_k in zip(along, u, strict=True))) + explicit


def lagrange_equations(
    kinetic: sp.Expr, potential: sp.Expr, forces: Sequence[sp.Expr], q: Sequence[sp.Symbol], u: Sequence[sp.Symbol]
) -> tuple[sp.ImmutableMatrix, list[sp.Expr]]:
    """M and h of d/dt(dT/du) - dT/dq + dV/dq = Q for T = T2 + T1 + T0 (moving frames included).

    With dT/du = M u + b, M = d2T/du2 and b, M functions of (q, t):  h = Q + dT/dq - dV/dq - d/dt(M u + b)|_{u fixed}.
    """
    momenta = gradient(kinetic, u)
    mass = sp.ImmutableMatrix(len(q), len(q), lambda i, j: tidy(derivative(momenta[i], u[j]), u))
    used = sorted(symbol.name for symbol in mass.free_symbols & set(u))
    if used and not all(identically_zero(derivative(entry, u_i)) for entry in mass for u_i in u):
        raise ModelError(f"the kinetic energy is not quadratic in the velocities: d2T/du2 depends on {used[0]!r}")
    if used:
        mass = mass.applyfunc(lambda entry: tidy(entry.xreplace(dict.fromkeys(u, sp.Integer(0))), u))
    h = []
    for i, q_i in enumerate(q):
        inertial = derivative(kinetic, q_i) - time_derivative(momenta[i], q, u)
        h.append(tidy(forces[i] - derivative(potential, q_i) + inertial, u))
    return mass, h


def is_scleronomic(kinetic: sp.Expr, u: Sequence[sp.Symbol]) -> bool:
    """Whether T is a pure quadratic form in u, free of t: then T2 + V changes by u.Q + V_t alone."""
    if kinetic.has(time):
        return False
    at_rest = dict.fromkeys(u, sp.Integer(0))
    linear = [momentum.xreplace(at_rest) for momentum in gradient(kinetic, u)]
    return all(identically_zero(term) for term in (kinetic.xreplace(at_rest), *linear))


def tidy(expression: sp.Expr, velocities: Sequence[sp.Symbol]) -> sp.Expr:
    """The shortest of an expression, its expansion and (if it is small) its expansion without products of sines."""
    candidates = [expression, expanded(expression, velocities)]
    if candidates[1].count_ops() <= _TRIGONOMETRIC_LIMIT:
        candidates.append(_products_as_sums(candidates[1]))
    return min(candidates, key=lambda candidate: candidate.count_ops())


def _products_as_sums(expansion: sp.Expr) -> sp.Expr:
    """The expression with cos a cos b = (cos(a - b) + cos(a + b))/2 and its like applied to every term.

    Sines and cosines of different arguments are linearly independent, so whatever cancels by Pythagoras' rule or by
    those of sums cancels here when like terms are added, in a time that is known: SymPy's ``trigsimp`` looks for
    factors, which takes minutes for some expressions of a hundred operations.
    """
    return sp.Add(*(_product_as_sum(term) for term in sp.Add.make_args(expansion)))


def _product_as_sum(term: sp.Expr) -> sp.Expr:
    """One term of ``_products_as_sums``; as it is if it has too many factors that are sines or cosines."""
    circular: list[sp.Expr] = []
    rest = sp.Integer(1)
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if not (isinstance(base, sp.sin | sp.cos) and power.is_Integer and power > 0):
            rest *= factor
        elif len(circular) + power > _MOST_FACTORS:
            return term
        else:
            circular += [base] * int(power)
    if len(circular) < 2:
        return term
    total = circular[0]
    for factor in circular[1:]:
        total = sp.Add(*(_linear_product(part, factor) for part in sp.Add.make_args(total)))
    return sp.Add(*(rest * part for part in sp.Add.make_args(total)))


def _linear_product(part: sp.Expr, factor: sp.Expr) -> sp.Expr:
    """A number times at most one sine or cosine, multiplied by another one, without products."""
    number, circle = part.as_coeff_Mul()
    if circle == 1:
        return number * factor
    a, b = circle.args[0], factor.args[0]
    if isinstance(circle, sp.sin) == isinstance(factor, sp.sin):
        sign = -1 if isinstance(factor, sp.sin) else 1
        return number * sp.cos(a - b) / 2 + sign * number * sp.cos(a + b) / 2
    sign = -1 if isinstance(factor, sp.sin) else 1
    return number * sp.sin(a + b) / 2 + sign * number * sp.sin(a - b) / 2

"""Kinetic and potential energy -> mass matrix M and right side h of M u' = h."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from jounce.errors import ModelError
from jounce.model.expressions import identically_zero, multiplied_out
from jounce.model.symbols import time

# Beyond this size a trigonometric simplification costs more time than the shorter code gains.
_TRIGONOMETRIC_LIMIT = 150


def gradient(expression: sp.Expr, symbols: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The derivatives by the symbols; most of a mechanism's are zero, which its free symbols show."""
    free = expression.free_symbols
    return [sp.diff(expression, symbol) if symbol in free else sp.Integer(0) for symbol in symbols]


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
    mass = sp.ImmutableMatrix(len(q), len(q), lambda i, j: tidy(sp.diff(momenta[i], u[j])))
    used = sorted(symbol.name for symbol in mass.free_symbols & set(u))
    if used and not all(identically_zero(sp.diff(entry, u_i)) for entry in mass for u_i in u):
        raise ModelError(f"the kinetic energy is not quadratic in the velocities: d2T/du2 depends on {used[0]!r}")
    if used:
        mass = mass.applyfunc(lambda entry: tidy(entry.xreplace(dict.fromkeys(u, sp.Integer(0)))))
    h = []
    for i, q_i in enumerate(q):
        inertial = sp.diff(kinetic, q_i) - time_derivative(momenta[i], q, u)
        h.append(tidy(forces[i] - sp.diff(potential, q_i) + inertial))
    return mass, h


def is_scleronomic(kinetic: sp.Expr, u: Sequence[sp.Symbol]) -> bool:
    """Whether T is a pure quadratic form in u, free of t: then T2 + V changes by u.Q + V_t alone."""
    if kinetic.has(time):
        return False
    at_rest = dict.fromkeys(u, sp.Integer(0))
    linear = [momentum.xreplace(at_rest) for momentum in gradient(kinetic, u)]
    return all(identically_zero(term) for term in (kinetic.xreplace(at_rest), *linear))


def tidy(expression: sp.Expr) -> sp.Expr:
    """The shortest of an expression, its expansion and (if it is small) its trigonometric simplification."""
    candidates = [expression, multiplied_out(expression)]
    if _has_trigonometric_product(candidates[1]) and candidates[1].count_ops() <= _TRIGONOMETRIC_LIMIT:
        candidates.append(sp.trigsimp(candidates[1]))
    return min(candidates, key=lambda candidate: candidate.count_ops())


def _has_trigonometric_product(expanded: sp.Expr) -> bool:
    """Whether a term has two circular functions as factors: what the rules of Pythagoras and of sums make shorter.

    Looking for such rules takes SymPy a tenth of a second for an expression that has none.
    """
    return any(
        sum(int(factor.as_base_exp()[1] != 1) + 1 for factor in sp.Mul.make_args(term) if factor.has(sp.sin, sp.cos))
        > 1
        for term in sp.Add.make_args(expanded)
    )

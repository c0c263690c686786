"""Surfaces of switches with a fold, 2 a x + v|v|: where they are crossed, slid along, and where the motion rests.

The time-optimal servo x'' = -a sign(2 a x + x'|x'|) switches on a curve that has a fold where its velocity vanishes.
With y = v, the argument of ``Abs``, and T = sign(y) the surface is smooth on either side of the fold, and moves by

    s' = y (alpha + T beta S) ,      y' = c + d S ,        M u' = h_0 + h_1 S .

So S = -alpha/(T beta) holds it along the curve, without the y that both have, and the sign of s' next to the fold is
that of s'/|y| = T alpha + beta S. At the fold, y = 0, no value S moves the surface: what S decides there is y'. Where
|c| <= |d| the value S = -c/d keeps y zero, and with it s: the motion rests at the end of the curve (a sliding mode of
the second order; Levant 1993). It is where all motions nearby arrive if

    alpha d < 0 ,  beta < 0 :

the switch pushes s back, and its curve is met sooner than without the fold, so that the motion on either side loses
energy from one crossing to the next. It arrives along the curve, or by infinitely many crossings in a finite time
(Fuller 1960) whose velocities fall by a common ratio.

T is a switch of its own, of no force, with the surface y. Where y and s vanish together, as far as the steps can tell,
both are decided together (sliding.py): S and T slide at once while the motion rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from jounce.model.curves import Curve
from jounce.model.expressions import identically_zero

_KINKED = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, Curve)


def fold_of(surface: sp.Expr, velocities: Iterable[sp.Symbol]) -> sp.Expr | None:
    """The expression of velocities at whose zero a surface has its only kink; None if it has none, or others."""
    parts = surface.atoms(*_KINKED)
    if not parts or not all(isinstance(part, sp.Abs | sp.sign) for part in parts):
        return None
    folds = {_without_factor(part.args[0]) for part in parts}
    if len(folds) > 1:
        return None
    (fold,) = folds
    if fold.has(*_KINKED) or eliminated(fold, velocities) is None:
        return None
    above, below = (on_fold(surface, fold, sp.Integer(side)) for side in (1, -1))
    return fold if identically_zero((above - below).xreplace(eliminated(fold, velocities) or {})) else None


def _without_factor(argument: sp.Expr) -> sp.Expr:
    """One of an expression and its multiples."""
    rest = argument.as_coeff_Mul()[1]
    return -rest if rest.could_extract_minus_sign() else rest


def on_fold(surface: sp.Expr, fold: sp.Expr, side: sp.Expr) -> sp.Expr:
    """The surface with the sign of its fold given: smooth."""
    decided: dict[sp.Basic, sp.Expr] = {}
    for part in surface.atoms(sp.Abs, sp.sign):
        sign = side * sp.sign(sp.cancel(part.args[0] / fold))
        decided[part] = sign if isinstance(part, sp.sign) else sign * part.args[0]
    return surface.xreplace(decided)


def eliminated(
    expression: sp.Expr, symbols: Iterable[sp.Symbol], value: sp.Expr = sp.S.Zero
) -> dict[sp.Symbol, sp.Expr] | None:
    """A symbol in which an expression is linear, and what it is where the expression has that value."""
    for symbol in symbols:
        slope = sp.diff(expression, symbol)
        if slope != 0 and symbol not in slope.free_symbols:
            return {symbol: (value - expression.xreplace({symbol: sp.Integer(0)})) / slope}
    return None


@dataclass(frozen=True)
class Fold:
    """s' = y (alpha + T beta S) and y' = c + d S of a surface with a fold."""

    alpha: sp.Expr
    beta: sp.Expr
    c: sp.Expr
    d: sp.Expr
    side: sp.Symbol

    @property
    def attracts(self) -> sp.Expr:
        """Whether motions arrive at the end of the curve, both conditions of the top."""
        at_rest = {self.side: sp.Integer(0)}
        return sp.And(self.alpha.xreplace(at_rest) * self.d < 0, self.beta.xreplace(at_rest) < 0)


def folded(
    fold: sp.Expr, side: sp.Symbol, drift: tuple[sp.Expr, sp.Expr], push: tuple[sp.Expr, sp.Expr],
    velocities: Sequence[sp.Symbol],
) -> Fold | None:  # fmt: skip
    """The fold of a surface; None where the surface moves while the fold is at rest, or nothing holds it there.

    drift, push   of the surface and of the fold: what their rates are without the switch, and what its value adds
    """
    y = sp.Dummy(real=True)
    place = eliminated(fold, velocities, y)
    if place is None or identically_zero(push[1]):
        return None
    parts = [sp.cancel(part.xreplace(place) / y) for part in (drift[0], push[0] / side)]
    if any(y in sp.fraction(sp.together(part))[1].free_symbols for part in parts):
        return None
    alpha, beta = (part.xreplace({y: fold}) for part in parts)
    return Fold(alpha, beta, drift[1], push[1], side)

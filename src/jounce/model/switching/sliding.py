"""The values of switches: feedback that jumps, sign(s(t, q, u)), and the sliding mode in which it holds s = 0.

    relay = jounce.Switch("relay", x + dx)
    jounce.Model("servo", [x], [1], [-relay])

On either side of the surface the value of a switch is the sign of s. With M u' = h_0 + h_1 S the surface moves by

    s' = a + b S,   a = s_t + s_q.u + s_u.M^-1 h_0,   b = s_u.M^-1 h_1,

and where s' points to s = 0 from both sides, a + b <= 0 <= a - b, no motion leaves it: the switch takes the value with
which s stays zero, S = -a/b (Filippov 1960; the equivalent control of Utkin 1977), until that reaches -1 or 1. So a
switch is a discrete state: 1, -1, 0 while it slides, UNKNOWN before a run has begun; and resets where s vanishes, where
S = -a/b reaches its limits, where a run begins, and where an impact has made s jump (changes.py).

Several switches may slide at once: their values solve a linear system. Forces may hold products of switches,
sign(v) Heaviside(c - v): with the sides of all others known they are linear in each, and of two that slide at once and
stand in one product S_1 is the root of a quadratic equation that a linear system has for products which vanish:

    a_k + b_k1 S_1 + b_k2 S_2 + c_k S_1 S_2 = 0,  k = 1, 2     (the bilinear solution, Alexander & Seidman 1998).

Three of one product do not slide at once.

A force that jumps in time or place (a brake that is let go) may take b away while a switch slides: so what ends sliding
is (b - a)(b + a) = 0, which is passed there too, and not S^2 = 1.

Forces of compliant contacts are expressions, and part of h_0. Joints push too: where a surface depends on velocities
that they move, what they let through takes the place of M^-1 f (held_velocities.py). Its expressions grow fast with the
number of joints, of which a few are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.cases import Piecewise
from jounce.model.derivatives import derivative
from jounce.model.expansion import expanded
from jounce.model.expressions import identically_zero
from jounce.model.lagrangian import gradient
from jounce.model.switching.folds import Fold, folded, on_fold
from jounce.model.switching.held_velocities import HeldVelocities
from jounce.model.switching.switch import SLIDING
from jounce.model.symbols import plain_symbol, time

if TYPE_CHECKING:
    from jounce.model.vocabulary import Vocabulary

MOST = 3  # switches of one model whose forces move each other's surfaces
MOST_JOINTS = 4  # equations, where joints move a surface
JUMPING = (sp.sign, sp.Heaviside, sp.Piecewise)


def within(over: sp.Expr, under: sp.Expr) -> sp.Expr:
    """Positive where |over| < |under|, zero at the limits.

    A product and not the difference of two squares: of an internal state both are quotients by its mass, whose square
    is no double (internal_states.py).
    """
    return (under - over) * (under + over)


class Sliding:
    """The switches of one model in its own symbols, and their values."""

    def __init__(
        self,
        words: Vocabulary,
        surfaces: Mapping[str, sp.Expr],
        mass: sp.MatrixBase,
        forces: sp.MatrixBase,
        joints: Mapping[str, Any],
        folds: Mapping[str, str] | None = None,
    ) -> None:
        """``forces`` are linear in the values of the switches; ``folds``: switch -> that of the fold of its surface."""
        self.words = words
        self.names = list(surfaces)
        self.symbols = [plain_symbol(name) for name in self.names]
        self.surfaces = [words.expression(s, f"switch {name!r}") for name, s in surfaces.items()]
        for name, surface in zip(self.names, self.surfaces, strict=True):
            if not surface.free_symbols & {*words.q, *words.u, time}:
                raise ModelError(f"switch {name!r}: the surface depends on no coordinate, velocity or time")
            if surface.free_symbols & set(self.symbols):
                raise ModelError(f"switch {name!r}: the surface depends on a switch")
        places = {name: k for k, name in enumerate(self.names)}
        self.fold_at = {places[name]: places[fold] for name, fold in (folds or {}).items()}
        self._linearise(mass, forces, self._moving_joints(joints))
        self.groups = self._coupled()
        self.folds = {k: self._folded(k, j) for k, j in self.fold_at.items()}
        for k, fold in self.folds.items():  # s'/|y|, whose sign is known where y vanishes too
            self.rates[k] = fold.side * fold.alpha + fold.beta * self.symbols[k]
            self.B[k, k] = fold.beta
        self._solve()

    def _moving_joints(self, joints: Mapping[str, Any]) -> list[sp.Expr]:
        """The joints, where their forces move the surface of a switch."""
        moved = [
            name
            for name, surface in zip(self.names, self.surfaces, strict=True)
            if surface.free_symbols & set(self.words.u)
        ]
        if not joints or not moved:
            return []
        if len(joints) > MOST_JOINTS:
            raise ModelError(
                f"switch {moved[0]!r}: its surface depends on velocities, which the {len(joints)} joints move too; "
                f"with more than {MOST_JOINTS} joint equations write the model in minimal coordinates. Dry friction, "
                "whose direction turns with a velocity, is a contact with a load"
            )
        return [self.words.expression(g, f"joint {name!r}", velocities=False) for name, g in joints.items()]

    def _linearise(self, mass: sp.MatrixBase, forces: sp.MatrixBase, joints: list[sp.Expr]) -> None:
        """s' with the values of all switches in it, and B, what each value adds to it."""
        words = self.words
        directions = [forces.diff(symbol) for symbol in self.symbols]
        if any(symbol in direction.free_symbols for symbol, direction in zip(self.symbols, directions, strict=True)):
            raise ModelError("switches: forces must be linear in the values of switches, in each by itself")
        held = HeldVelocities(mass, joints, words.q, words.u)
        self.sided = [
            on_fold(s, self.surfaces[self.fold_at[k]], self.symbols[self.fold_at[k]]) if k in self.fold_at else s
            for k, s in enumerate(self.surfaces)
        ]
        # rows s_u.P.M^-1, by which forces move the surfaces
        self.pushes = [held.row(sp.Matrix(gradient(s, words.u))) for s in self.sided]
        self.rates = [
            derivative(s, time)
            + sp.Add(*(part * u for part, u in zip(gradient(s, words.q), words.u, strict=True)))
            + (push * forces)[0, 0]
            + held.drift(sp.Matrix(gradient(s, words.u)))
            for s, push in zip(self.sided, self.pushes, strict=True)
        ]
        self.B = sp.Matrix(
            [[expanded((push * direction)[0, 0], words.u) for direction in directions] for push in self.pushes]
        )
        self.ways = [held.row(direction).T for direction in directions]

    def _coupled(self) -> list[list[int]]:
        """The switches in groups: those of one group move each other's surfaces."""
        groups: list[list[int]] = []
        for k in range(len(self.names)):
            near = [group for group in groups if any(self.B[k, j] != 0 or self.B[j, k] != 0 for j in group)]
            groups = [group for group in groups if group not in near] + [sorted({k}.union(*near))]
        largest = max(groups, key=len)
        if len(largest) > MOST:
            names = ", ".join(self.names[k] for k in largest)
            raise ModelError(f"the switches {names} move each other's surfaces; at most {MOST} may do so")
        return groups

    def _folded(self, k: int, j: int) -> Fold:
        """The fold of surface k, whose side is switch j; such a pair moves no other switch."""
        drift = self._off(self.rates[k], k), self._off(self.rates[j], k)
        push = self.B[k, k], self.B[j, k]
        alone = sorted((k, j)) in self.groups
        found = folded(self.surfaces[j], self.symbols[j], drift, push, self.words.u) if alone else None
        if found is None:
            raise ModelError(f"switch {self.names[k]!r}: the motion cannot rest at the fold of its surface")
        return found

    def _off(self, expression: sp.Expr, *switches: int) -> sp.Expr:
        """An expression with the values of these switches zero."""
        return expression.xreplace({self.symbols[k]: sp.Integer(0) for k in switches})

    def _solve(self) -> None:
        """S of each switch: its side, or what keeps all sliding surfaces at zero; and where it leaves these limits."""
        self.values: list[sp.Expr] = list(self.symbols)
        self.limits: list[sp.Expr] = [sp.Integer(1)] * len(self.names)
        for group in self.groups:
            solved = self._sliding_sets(group)
            for k in (k for k in group if self.B[k, k] != 0):
                cases, limits = [], []
                for set_, found in solved:
                    on_them = sp.And(*(sp.Eq(self.symbols[j], SLIDING) for j in set_))
                    over, under = found.get(k, (sp.Integer(0), sp.Integer(1)))
                    cases.append((self._quotient(over, under) if k in found else self.symbols[k], on_them))
                    limits.append((within(over, under), on_them))
                self.values[k] = Piecewise(*cases, (self.symbols[k], sp.true))
                self.limits[k] = Piecewise(*limits, (sp.Integer(1), sp.true))

    def _sliding_sets(self, group: list[int]) -> list[tuple[tuple[int, ...], dict[int, tuple[sp.Expr, sp.Expr]]]]:
        """The switches of a group that may slide at once, the largest sets first, and their values as quotients."""
        if group[0] in self.fold_at or group[-1] in self.fold_at:
            k = group[0] if group[0] in self.fold_at else group[-1]
            return [(set_, self._held(set_)) for set_ in (tuple(group), (k,))]
        able = [k for k in group if self.B[k, k] != 0]
        sets = [set_ for size in range(len(able), 0, -1) for set_ in combinations(able, size)]
        return [(set_, found) for set_ in sets if (found := self._held(set_))]

    def _quotient(self, over: sp.Expr, under: sp.Expr) -> sp.Expr:
        """over/under; 0 where a force that jumps has taken the denominator away: sliding ends there at once."""
        if not self._may_vanish(under):
            return over / under
        return Piecewise((over / under, sp.Ne(under, 0)), (sp.Integer(0), sp.true))

    def _may_vanish(self, force: sp.Expr) -> bool:
        """Whether what a switch does to its surface may be taken away by other jumps."""
        return bool(force.has(*JUMPING) or force.free_symbols & set(self.symbols))

    def _held(self, sliding: tuple[int, ...]) -> dict[int, tuple[sp.Expr, sp.Expr]]:
        """The values with which these slide, as quotients; {} if none hold all surfaces at once, or are not known."""
        for k in (k for k in sliding if k in self.folds):
            fold, j = self.folds[k], self.fold_at[k]
            along = {k: (-fold.alpha, self.symbols[j] * fold.beta)}
            return along if len(sliding) == 1 else {k: (-fold.c, fold.d), j: (sp.Integer(0), sp.Integer(1))}
        B = self.B.extract(sliding, sliding)
        drift = [self._off(self.rates[k], *sliding) for k in sliding]
        if B.free_symbols & {self.symbols[k] for k in sliding}:
            return self._held_in_product(*sliding) if len(sliding) == 2 else {}
        determinant = B.det(method="berkowitz")
        if identically_zero(determinant):
            return {}
        values = -B.adjugate() * sp.Matrix(drift)
        return {k: (value, determinant) for k, value in zip(sliding, values, strict=True)}

    def _held_in_product(self, i: int, j: int) -> dict[int, tuple[sp.Expr, sp.Expr]]:
        """The values of two switches that slide and stand in one product; see the top."""
        first, second = self.symbols[i], self.symbols[j]
        (a, b, d, c), (e, f, g, h) = (
            (
                self._off(self.rates[k], i, j),
                self._off(self.B[k, i], j),
                self._off(self.B[k, j], i),
                sp.diff(self.B[k, i], second),
            )
            for k in (i, j)
        )
        alpha, beta, gamma = a * g - d * e, a * h + b * g - c * e - d * f, b * h - c * f
        known = sp.Integer(0) if identically_zero(alpha) else first
        if all(identically_zero(part) for part in (beta, gamma)) or identically_zero(g + h * known):
            return {}
        root = beta + sp.sqrt(beta**2 - 4 * alpha * gamma)
        known = {first: self._quotient(-2 * alpha, root)}
        return {i: (-2 * alpha, root), j: (-(e + f * first).xreplace(known), (g + h * first).xreplace(known))}

    def switched(self, force: sp.Expr, beside: sp.Expr | None = None) -> sp.Expr:
        """A force with the values of the switches in it; ``beside`` is what it is where its one switch does not slide.

        Of one switch the force on its surface is written as such: what S = -a/b cancels is gone, and not the
        difference of two forces that is left by their rounding.
        """
        beside = force if beside is None else beside
        present = [k for k, symbol in enumerate(self.symbols) if symbol in force.free_symbols]
        if len(present) == 1 and [present[0]] in self.groups and self.B[present[0], present[0]] != 0:
            (k,) = present
            over, under = -self._off(self.rates[k], k), self.B[k, k]
            vanishes = identically_zero(force.xreplace({self.symbols[k]: over / under}))
            value = self._quotient(over, under)
            on_surface = sp.Integer(0) if vanishes else force.xreplace({self.symbols[k]: value})
            return Piecewise((on_surface, sp.Eq(self.symbols[k], SLIDING)), (beside, sp.true))
        if beside != force and present:
            raise ModelError("switches: a force that is not linear in its switch has one alone, which may slide")
        group = next((group for group in self.groups if present and {*present} <= {*group}), [])
        if not group:
            return force.xreplace(dict(zip(self.symbols, self.values, strict=True)))
        cases = []
        for set_, found in self._sliding_sets(group):
            on_them = sp.And(*(sp.Eq(self.symbols[k], SLIDING) for k in set_))
            plain = force.xreplace({self.symbols[k]: over / under for k, (over, under) in found.items()})
            values = {self.symbols[k]: self._quotient(*quotient) for k, quotient in found.items()}
            cases.append((sp.Integer(0) if identically_zero(plain) else force.xreplace(values), on_them))
        return Piecewise(*cases, (force, sp.true))

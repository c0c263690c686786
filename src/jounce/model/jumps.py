"""Forces that jump with a velocity, ``-mu*N*sign(dx)``: switches by themselves.

A step cannot pass such a jump where the forces of both sides drive the motion onto it: dry friction holds what has come
to rest. What has the mode for that is a switch (switching/), and everything a switch must know stands in the forces.
With s the expression in ``sign``, ``Heaviside``, ``Abs`` or a comparison of a ``Piecewise``, and F+ and F- the forces
with s positive and negative throughout,

    F jumps where F+ - F- is not zero on s = 0, and there  F = (F+ + F-)/2 + S (F+ - F-)/2,  -1 <= S <= 1.

``sign(dx)*dx**2`` has no jump, and stays what it is. On s = 0 a velocity is eliminated, or a coordinate where no
velocity is linear in it, so that a case which cannot be
computed beside its own side (the root of a negative velocity) is not asked there. Beside the surface forces that are
linear in the sign have the side in its place, and others are left as they are written.

Two jumps in one product are two switches. A border with kinks is written as several smooth ones: |v| < c is c - v > 0
and c + v > 0. An internal state that stops at a limit (the spring of a slider that gives way, an integrator that is
clamped) has a rate that jumps to zero there: of both sides one drives it onto the limit and the other leaves it there,
so that the rule of that side holds on the limit as well. Nothing slides, and steps end there as at any other jump. What
a switch cannot be (more joints than switches bear, more than three jumps that move each other's
borders) is left to the steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.relational import Equality, Relational, Unequality

from jounce.model.curves import Curve
from jounce.model.expressions import identically_zero
from jounce.model.internal_states import MASS
from jounce.model.names import is_integral
from jounce.model.switching.folds import eliminated, fold_of
from jounce.model.symbols import plain_symbol, slip, time

if TYPE_CHECKING:
    from jounce.model.vocabulary import Vocabulary

NOT_SMOOTH = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise)
#: A Piecewise of more cases is a curve through points, whose pieces join smoothly as a rule.
MOST_CASES = 4
#: Decisions of a rate of which all combinations are asked.
MOST_OTHERS = 6
_INFINITE = (sp.nan, sp.zoo, sp.oo, -sp.oo)
_FOLDED = (sp.Abs, sp.Max, sp.Min)
_DECIDING = (sp.sign, sp.Heaviside, sp.Abs, sp.Piecewise)


@dataclass(frozen=True)
class Jump:
    """A surface at which forces jump: the forces on it, linear in the value, and those beside it."""

    name: str
    surface: sp.Expr
    sliding: sp.ImmutableMatrix
    beside: sp.ImmutableMatrix

    @property
    def value(self) -> sp.Symbol:
        """The symbol of the switch."""
        return plain_symbol(self.name)


def find_jumps(
    words: Vocabulary, forces: sp.MatrixBase, switches: Mapping[str, sp.Expr], taken: Iterable[str] = ()
) -> list[Jump]:
    """The surfaces at which forces jump with a velocity, one after the other; each has the forces of those before.

    ``switches`` are those that the model has, name -> surface; ``taken`` are names of other things.
    """
    names = {*taken, *switches}
    found: list[Jump] = []
    sliding = beside = sp.ImmutableMatrix(forces)
    others = {plain_symbol(name) for name in switches}
    known = {normal(surface)[0] for surface in switches.values()}
    moving, held = (_surfaces(forces, symbols, words.u) for symbols in (set(words.u), {*words.q, time}))
    for surface in (*moving, *(border for border in held if border not in moving)):
        if surface in known or never_holds(words.q, words.u, forces, surface):
            continue
        if surface not in moving and not _beside_others(sliding, surface, found):
            continue
        name = _name(words, surface, len(found) + 1, names)
        jump = _jump(words, name, surface, sliding, beside, others)
        if jump is not None:
            found.append(jump)
            others.add(jump.value)
            names.add(name)
            sliding, beside = jump.sliding, jump.beside
    return found


def _beside_others(forces: sp.MatrixBase, surface: sp.Expr, found: Sequence[Jump]) -> bool:
    """Whether a force that has a switch jumps at a surface of place or time: it may end what the switch holds.

    The guards of switches are smooth only if such a jump is a switch as well, whose side changes at an event.
    """
    values = {jump.value for jump in found}
    return any(
        force.free_symbols & values and any(border == surface for _, border, _ in _decisions(force)) for force in forces
    )


def without_kinked_borders(expression: sp.Expr, u: Sequence[sp.Symbol]) -> sp.Expr:
    """The expression with every jump at a border that has a kink written as jumps at smooth ones.

    With c > 0 the border c Max(a, b) + d is positive where one of c a + d and c b + d is, that of Min where both are,
    and |a| = Max(a, -a): Heaviside(c - |v|) = Heaviside(c - v) Heaviside(c + v).
    """
    written = {}
    for part in expression.atoms(sp.sign, sp.Heaviside, sp.Piecewise):
        choice = _choice(part, set(u))
        if choice is None:
            continue
        share = _share(choice)
        if isinstance(part, sp.Piecewise):
            first, second = part.args[0].expr, part.args[1].expr
            written[part] = second + (first - second) * share
        else:
            written[part] = 2 * share - 1 if isinstance(part, sp.sign) else share
    return expression.xreplace(written)


def _choice(part: sp.Basic, moved: set[sp.Symbol]) -> Any:
    """Where a sign, a step or the first of two cases is taken, if a border with kinks and velocities decides; or None.

    Of two cases both must have a value on either side.
    """
    if isinstance(part, sp.Piecewise):
        condition = part.args[0].cond
        plain = (
            len(part.args) == 2
            and part.args[1].cond == sp.true
            and isinstance(condition, sp.Gt | sp.Ge | sp.Lt | sp.Le)
        )
        if not plain or not all(case.expr.is_polynomial(*moved) for case in part.args):
            return None
        border = condition.gts - condition.lts
    else:
        border = part.args[0]
    return _positive(border) if border.has(*_FOLDED) and border.free_symbols & moved else None


def _positive(border: sp.Expr) -> Any:
    """The condition that a border is positive as And and Or of smooth ones; None where it cannot be written so."""
    part = next((part for part in sp.preorder_traversal(border) if isinstance(part, _FOLDED)), None)
    if part is None:
        return None if border.has(*NOT_SMOOTH) else sp.StrictGreaterThan(border, 0, evaluate=False)
    value = sp.Dummy(real=True)
    written = border.xreplace({part: value})
    factor = sp.diff(written, value)
    if not (factor.is_positive or factor.is_negative) or value in factor.free_symbols:
        return None
    leaves = (part.args[0], -part.args[0]) if isinstance(part, sp.Abs) else part.args
    choices = [_positive(sp.expand(written.xreplace({value: leaf}))) for leaf in leaves]
    if any(choice is None for choice in choices):
        return None
    any_of = factor.is_positive != isinstance(part, sp.Min)
    return sp.Or(*choices, evaluate=False) if any_of else sp.And(*choices, evaluate=False)


def _share(condition: Any) -> sp.Expr:
    """1 where a condition of ``_positive`` holds, 0 where it does not."""
    if isinstance(condition, sp.And):
        return sp.Mul(*(_share(part) for part in condition.args))
    if isinstance(condition, sp.Or):
        return 1 - sp.Mul(*(1 - _share(part) for part in condition.args))
    return sp.Heaviside(condition.lhs)


def jumps_at(expression: sp.Expr, surface: sp.Expr, u: Sequence[sp.Symbol]) -> bool:
    """Whether an expression jumps where a surface of velocities is zero, or cannot be said not to."""
    surface, on_it = normal(surface)[0], eliminated(normal(surface)[0], u)
    if on_it is None:
        return True
    upper, lower = (on_side(expression, surface, side).xreplace(on_it) for side in (1, -1))
    return bool((upper - lower).has(*_INFINITE)) or not identically_zero(upper - lower)


def never_holds(q: Sequence[sp.Symbol], u: Sequence[sp.Symbol], forces: sp.MatrixBase, surface: sp.Expr) -> bool:
    """Whether the rates of an internal state on both sides of a limit s = 0 never drive it there from both.

    With z' = f on one side and z' = F on the other, s' = s_z f + r and s_z F + r. Holding needs a negative product of
    the two, which is asked of every combination of the other decisions in the rate.
    """
    moved = [k for k, speed in enumerate(u) if speed in surface.free_symbols]
    if len(moved) != 1 or not is_integral(q[moved[0]].name):
        return False
    (k,) = moved
    rest = sp.diff(surface, time) + sum(sp.diff(surface, place) * speed for place, speed in zip(q, u, strict=True))
    sides = [sp.diff(surface, u[k]) * on_side(forces[k], surface, side) + MASS * rest for side in (1, -1)]
    others = dict.fromkeys(border for side in sides for _, border, _ in _decisions(side))
    if len(others) > MOST_OTHERS:
        return False
    for chosen in product((1, -1), repeat=len(others)):
        upper, lower = sides
        for border, side in zip(others, chosen, strict=True):
            upper, lower = on_side(upper, border, side), on_side(lower, border, side)
        if not sp.factor(upper * lower / MASS**2).is_nonnegative:
            return False
    return True


def on_side(expression: sp.Expr, surface: sp.Expr, side: int) -> sp.Expr:
    """The expression where the surface is positive (side 1) or negative (-1), whatever its value."""
    decided: dict[sp.Basic, sp.Basic] = {}
    for part, border, factor in _decisions(expression):
        if border == surface:
            decided[part] = _decided(part, side * factor)
    return expression.xreplace(decided)


def _decided(part: sp.Basic, side: int) -> sp.Basic:
    """A part where its own argument, or the difference of what it compares, has the sign ``side``."""
    if isinstance(part, sp.sign):
        return sp.Integer(side)
    if isinstance(part, sp.Heaviside):
        return sp.Integer((1 + side) // 2)
    if isinstance(part, sp.Abs):
        return side * part.args[0]
    return sp.true if isinstance(part, sp.Gt | sp.Ge) == (side > 0) else sp.false


def _decisions(expression: sp.Expr) -> Iterator[tuple[sp.Basic, sp.Expr, int]]:
    """(what decides, the expression of whose sign it does, 1 or -1: with that sign or against it)."""
    for part in sorted(expression.atoms(*_DECIDING), key=sp.default_sort_key):
        if not isinstance(part, sp.Piecewise):
            yield part, *normal(part.args[0])
        elif len(part.args) <= MOST_CASES:
            for _, condition in part.args:
                for relation in sorted(condition.atoms(Relational), key=sp.default_sort_key):
                    if not isinstance(relation, Equality | Unequality):
                        yield relation, *normal(relation.lhs - relation.rhs)


def normal(argument: sp.Expr) -> tuple[sp.Expr, int]:
    """One of an expression and its multiples."""
    number, rest = argument.as_coeff_Mul()
    factor = 1 if number > 0 else -1
    return (-rest, -factor) if rest.could_extract_minus_sign() else (rest, factor)


def _surfaces(forces: sp.MatrixBase, moving: set[sp.Symbol], velocities: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """Expressions of these symbols of whose signs the forces make something, in order: smooth ones, or with a fold."""
    borders = dict.fromkeys(border for force in forces for _, border, _ in _decisions(force))
    moved = [border for border in borders if border.free_symbols & moving]
    plain = [border for border in moved if slip not in border.free_symbols]
    return [border for border in plain if not border.has(*NOT_SMOOTH, Curve) or fold_of(border, velocities) is not None]


def _jump(
    words: Vocabulary, name: str, surface: sp.Expr, sliding: sp.ImmutableMatrix, beside: sp.ImmutableMatrix,
    others: set[sp.Symbol],
) -> Jump | None:  # fmt: skip
    """The forces that jump at a surface; None where none does, or where they cannot be written."""
    value, moves = plain_symbol(name), bool(surface.free_symbols & set(words.u))
    on_it = eliminated(surface, (*words.u, *words.q) if moves else (time, *words.q))
    if on_it is None and moves:
        return None
    on_it = on_it or {}
    upper, lower = ([on_side(force, surface, side).xreplace(on_it) for force in sliding] for side in (1, -1))
    if any(force.has(*_INFINITE) for force in (*upper, *lower)):
        return None
    jumps = [not identically_zero(above - below) for above, below in zip(upper, lower, strict=True)]
    if not any(jumps):
        return None
    entries = []
    for k, force in enumerate(sliding):
        if not jumps[k]:
            entries.append((force, beside[k]))
            continue
        linear = _linear(force, surface, value, words.u)
        if linear is not None:
            entries.append((linear, linear if beside[k] == force else None))
        else:  # beside its surface it is left as it is written: then no other jump may be in it
            slide = (upper[k] + lower[k]) / 2 + value * (upper[k] - lower[k]) / 2
            alone = beside[k] == force and not force.free_symbols & others
            entries.append((slide, force if alone else None))
    if any(other is None for _, other in entries):
        return None
    columns = [sp.ImmutableMatrix(len(entries), 1, list(column)) for column in zip(*entries, strict=True)]
    return Jump(name, surface, *columns)


def _linear(force: sp.Expr, surface: sp.Expr, value: sp.Symbol, u: Sequence[sp.Symbol]) -> sp.Expr | None:
    """A force that is linear in the value and can be computed with either side wherever the motion is; or None."""
    decided: dict[sp.Basic, sp.Expr] = {}
    for part, border, factor in _decisions(force):
        if border == surface and isinstance(part, sp.sign | sp.Heaviside):
            decided[part] = factor * value if isinstance(part, sp.sign) else (1 + factor * value) / 2
    written = force.xreplace(decided)
    left = any(border == surface and not isinstance(part, sp.Abs) for part, border, _ in _decisions(written))
    if not left and value in written.free_symbols and value not in sp.diff(written, value).free_symbols:
        return written
    upper, lower = (on_side(force, surface, side) for side in (1, -1))
    if upper.is_polynomial(*u) and lower.is_polynomial(*u):
        return (upper + lower) / 2 + value * (upper - lower) / 2
    return None


def in_value(force: sp.Expr, surface: sp.Expr, value: sp.Symbol, u: Sequence[sp.Symbol]) -> sp.Expr | None:
    """A force or a power that has the value of a switch in it, or its sides; linear in the value; None if it is not."""
    if value in force.free_symbols:
        return None if value in sp.diff(force, value).free_symbols else force
    border, factor = normal(surface)
    written = _linear(force, border, value, u)
    return None if written is None else written.xreplace({value: factor * value})


def _name(words: Vocabulary, surface: sp.Expr, number: int, taken: Collection[str]) -> str:
    name = f"sign_{surface.name if isinstance(surface, sp.Symbol) else number}"
    while name in taken or name in words.symbols:
        name += "_"
    return name

"""Where switches change: resets on their surfaces, at the limits of sliding, where a run begins and behind impacts.

Leaving a surface, the velocities are moved back onto it along M^-1 h_1 (sliding.py), by what the errors of integration
have added up to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.cases import Piecewise
from jounce.model.expressions import identically_zero
from jounce.model.lagrangian import gradient
from jounce.model.magnitude import magnitude
from jounce.model.names import RUN_BEGINS, limit_guard, velocity_name
from jounce.model.resets import Reset
from jounce.model.switching.folds import fold_of
from jounce.model.switching.sliding import Sliding, within
from jounce.model.switching.switch import AT_CONTACT, MEETS, SLIDING, UNKNOWN, switch_states

if TYPE_CHECKING:
    from jounce.model.contact import Contact
    from jounce.model.vocabulary import Vocabulary

ROUNDING = 8 * 2.0**-52  # of a surface, relative to its terms: nearer to zero a start lies on it


class Switching(Sliding):
    """The switches of one model with the resets that change them."""

    def _side(self, k: int) -> sp.Expr:
        """What becomes of switch k on its surface if it moves no other's: up, down, or sliding."""
        rest, b = self._off(self.rates[k], k), self.B[k, k]
        if b == 0:
            return Piecewise((sp.Integer(1), rest > 0), (sp.Integer(-1), sp.true))
        cases = [(sp.Integer(1), rest + b > 0), (sp.Integer(-1), rest - b < 0), (sp.Integer(SLIDING), sp.true)]
        return Piecewise(*cases)

    def _known(self, k: int) -> sp.Expr:
        """The rounding of a surface: nearer to zero a start lies on it."""
        return ROUNDING * magnitude(self.surfaces[k])

    def _anew(self, k: int, asked: Iterable[int] = ()) -> sp.Expr:
        """What a switch is where nothing is known of it: by the sign of its surface, on it by the motion.

        ``asked`` are those whose side before does not count.
        """
        if [k] not in self.groups:
            return self._together(k, asked)
        s, known = self.surfaces[k], self._known(k)
        return Piecewise((sp.Integer(1), s > known), (sp.Integer(-1), s < -known), (self._side(k), sp.true))

    def _crossed(self, k: int) -> sp.Expr:
        """What becomes of a switch whose surface has passed zero."""
        return self._side(k) if [k] in self.groups else self._together(k, (), crossed=k)

    def _together(self, k: int, asked: Iterable[int], crossed: int = -1) -> sp.Expr:
        """Switch k of a group in which those on their surfaces decide together: of all their sides and slides the first
        that is consistent, in which as many slide as can."""
        group = next(group for group in self.groups if k in group)
        cases = []
        for sides in sorted(product((SLIDING, 1, -1), repeat=len(group)), key=lambda sides: -sides.count(SLIDING)):
            holds = self._consistent(dict(zip(group, sides, strict=True)), set(asked), crossed)
            cases.append((sp.Integer(sides[group.index(k)]), holds))
        return Piecewise(*cases, (-self.symbols[k] if k == crossed else self.symbols[k], sp.true))

    def _consistent(self, sides: dict[int, int], asked: set[int], crossed: int) -> Any:
        """Whether these sides of a group go with what is known of it and with the motion."""
        sliding = tuple(i for i, side in sides.items() if side == SLIDING)
        able = all(self.B[i, i] != 0 or any(self.fold_at.get(k) == i for k in sliding) for i in sliding)
        found = self._held(sliding) if sliding and able else {}
        if len(found) != len(sliding):
            return sp.false
        fixed = {self.symbols[i]: sp.Integer(side) for i, side in sides.items() if side != SLIDING}
        values = {self.symbols[i]: self._quotient(*found[i]).xreplace(fixed) for i in sliding}
        conditions = []
        for i, side in sides.items():
            symbol, s, known = self.symbols[i], self.surfaces[i], self._known(i)
            slid, kept = (sp.false, sp.false) if i in asked else (sp.Eq(symbol, SLIDING), sp.Eq(symbol, side))
            unknown = sp.true if i in asked else sp.Eq(symbol, UNKNOWN)
            met = sp.Or(slid, sp.Eq(symbol, MEETS), sp.And(unknown, s <= known, s >= -known))
            on_it = sp.true if i == crossed else met
            if side == SLIDING:
                over, under = (part.xreplace(fixed) for part in found[i])
                pushed_back = self.B[i, i].xreplace(fixed).xreplace(values) <= 0
                conditions.append(sp.And(on_it, within(over, under) >= 0, pushed_back))
                if self.fold_at.get(i) in sliding:
                    conditions.append(self.folds[i].attracts)
                continue
            away = side * self.rates[i].xreplace(fixed).xreplace(values) >= 0
            beyond = sp.And(unknown, side * s > known)
            conditions.append(sp.Or(beyond, sp.And(on_it, away), sp.false if i == crossed else kept))
        return sp.And(*conditions)

    def resets(self, contacts: Iterable[Contact]) -> list[Reset]:
        """Where switches change."""
        found = []
        for k, (name, symbol) in enumerate(zip(self.names, self.symbols, strict=True)):
            sliding = sp.Eq(symbol, SLIDING)
            found.append(
                Reset(RUN_BEGINS, {symbol: self._anew(k)}, only_if=sp.Eq(symbol, UNKNOWN), name=f"{name}_starts")
            )
            crossing = Piecewise((sp.Integer(1), sliding), (self.sided[k], sp.true))
            at_rest = self._coming_to_rest(k)
            found.append(Reset(crossing, {symbol: self._crossed(k), **at_rest}, name=f"{name}_switches"))
            if self.B[k, k] != 0 and self.limits[k].free_symbols - {symbol}:
                found.append(Reset(self.limits[k], self._leaving(k), name=limit_guard(name)))
        return [*found, *self._after_impacts(contacts)]

    def _coming_to_rest(self, crossed: int) -> dict[str, sp.Expr]:
        """The velocities on the fold, where the motion rests there behind the crossing of a surface or of its fold.

        What is left of them by the errors of integration would move the surface on as long as it rests.
        """
        for k, j in self.fold_at.items():
            if crossed in (k, j):
                rests = self._consistent({k: SLIDING, j: SLIDING}, set(), crossed)
                back = Piecewise((self._back(self.surfaces[j], self.ways[k]), rests), (sp.Integer(0), sp.true))
                return self._moved(self.ways[k], back)
        return {}

    def _moved(self, ways: sp.MatrixBase, back: sp.Expr) -> dict[str, sp.Expr]:
        """The velocities moved back along ``ways``."""
        velocities = zip(self.words.coordinates, self.words.u, ways, strict=True)
        return {velocity_name(name): u - back * way for name, u, way in velocities if way != 0}

    def _leaving(self, k: int) -> dict[str, sp.Expr]:
        """The side to which a switch leaves, and the velocities on the surface."""
        others = {symbol: self.values[j] for j, symbol in enumerate(self.symbols) if j != k}
        rate = self._off(self.rates[k].xreplace(others), k)  # -b S: b < 0 where it has slid, or 0 now
        side = Piecewise((sp.Integer(1), rate > 0), (sp.Integer(-1), sp.true))
        left = {self.names[k]: side}
        if k in self.folds:  # next to its fold the surface is nearly tangential to the ways: they are left as they are
            ways = self.ways[k]
            fold, j = self.folds[k], self.fold_at[k]
            rests = sp.Eq(self.symbols[j], SLIDING)
            onward = Piecewise((sp.Integer(1), fold.c > 0), (sp.Integer(-1), sp.true))
            against = Piecewise((onward, fold.d < 0), (-onward, sp.true))
            left = {
                self.names[k]: Piecewise((against, rests), (side, sp.true)),
                self.names[j]: Piecewise((onward, rests), (self.symbols[j], sp.true)),
            }
            back = Piecewise((self._back(self.surfaces[j], ways), rests), (sp.Integer(0), sp.true))
        else:  # along the force of the switch; where a force that jumps may have taken that away, along the normal
            ways = self.pushes[k].T if self._may_vanish(self.B[k, k]) else self.ways[k]
            back = self._back(self.surfaces[k], ways)
        return {**left, **self._moved(ways.xreplace(others), back.xreplace(others))}

    def _back(self, surface: sp.Expr, ways: sp.MatrixBase) -> sp.Expr:
        """How far the velocities are from a surface along ``ways``."""
        return surface / sp.Matrix(gradient(surface, self.words.u)).dot(ways)

    def _after_impacts(self, contacts: Iterable[Contact]) -> list[Reset]:
        """Impacts that make surfaces jump: the switches are asked anew."""
        found = []
        for contact in contacts:
            if contact.compliance is not None:
                continue
            directions = [gradient(contact.gap, self.words.q)]
            directions += [] if contact.slip is None else [gradient(contact.slip, self.words.u)]
            jumping = [
                k
                for k, push in enumerate(self.pushes)
                if not all(identically_zero((push * sp.Matrix(direction))[0, 0]) for direction in directions)
            ]
            if jumping:
                asked = {self.symbols[k]: self._anew(k, jumping) for k in jumping}
                found.append(Reset(f"impact:{contact.name}", asked, name=f"{AT_CONTACT}{contact.name}"))
        return found


def with_folds(
    words: Vocabulary,
    surfaces: Mapping[str, sp.Expr],
    mass: sp.MatrixBase,
    forces: sp.MatrixBase,
    joints: Mapping[str, Any],
    *,
    room: int,
    found: Iterable[str],
) -> tuple[Vocabulary, Switching]:
    """The switches of a model, with those of the folds of surfaces where they fit, and the names with theirs.

    ``room`` is that for guards. Of the switches in ``found``, which the model has not asked for, none is without the
    fold of its surface: at its end the value -a/b of the other ones is that of two zeros.
    """
    folds = fold_names(words, surfaces)
    if folds and 2 * len(surfaces) + len(folds) <= room:
        extended = replace(words, states=words.states | switch_states(name for name, _ in folds.values()))
        extended.check_names()
        own = dict(surfaces) | dict(folds.values())
        try:
            return extended, Switching(
                extended, own, mass, forces, joints, {name: fold for name, (fold, _) in folds.items()}
            )
        except ModelError:
            pass
    if set(folds) & set(found):
        raise ModelError("switches: the fold of a surface that is coupled to others is left to the steps")
    return words, Switching(words, surfaces, mass, forces, joints)


def fold_names(words: Vocabulary, surfaces: Mapping[str, sp.Expr]) -> dict[str, tuple[str, sp.Expr]]:
    """Switch -> name and surface of the switch that is the fold of its own; none whose surface is a switch already."""
    settled = {name: words.expression(s, f"switch {name!r}") for name, s in surfaces.items()}
    found = {}
    for name, surface in settled.items():
        fold = fold_of(surface, words.u)
        if fold is not None and not {fold, -fold} & set(settled.values()):
            found[name] = (f"{name}_fold", fold)
    return found

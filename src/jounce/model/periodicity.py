"""The one answer to which coordinates a model repeats in, and after how many turns.

A coordinate that enters the mechanics only through sines and cosines of (c q + anything else), with c a fraction, is an
angle: L turns of 2 pi change nothing, L the common denominator of all c. One that enters nowhere is cyclic in the sense
of Lagrange: only its velocity matters. All others, as the angle of a torsion spring, must return to their values.

A constant torque, or a potential that is linear in the angle, leaves the mechanics periodic: forces are periodic, the
energy is not. What only looks on (guards, the applied power of the ledger) is asked about apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import sympy as sp

from jounce.model.curves import Curve
from jounce.model.expressions import expressions_in
from jounce.model.model import Model
from jounce.model.resets import parts_that_matter

NOWHERE = -1  # a coordinate that appears in no expression
NEVER = 0  # one in which the expressions do not repeat
MOST_TURNS = 64  # a coefficient that needs more is a measured number, not a ratio of gears
_CIRCULAR = (sp.sin, sp.cos, sp.tan)


def mechanics_turns(model: Model) -> tuple[int, ...]:
    """For each coordinate the number of turns after which masses, forces, contacts, joints and resets repeat.

    NEVER (0) where they do not, NOWHERE (-1) where none of them contains the coordinate.
    """
    return turns(model, (model.M, model.h, model.contacts, model.joints, parts_that_matter(model)))


def turns(model: Model, parts: Iterable[object]) -> tuple[int, ...]:
    """The same of any expressions, nested as ``expressions_in`` takes them."""
    found = _Occurrences(set(model.q))
    for part in parts:
        for expression in expressions_in(part):
            found.visit(expression)
    return tuple(found.turns(q) for q in model.q)


def _repeats_by_turns(part: sp.Basic) -> bool:
    """Whether it is a curve through points that begins again after 2 pi."""
    return isinstance(part, Curve) and part.args[1].repeats and abs(part.args[1].period / math.tau - 1.0) < 1e-14


class _Occurrences:
    """Where the symbols stand: bare, or in sines and cosines with which coefficients."""

    def __init__(self, symbols: set[sp.Symbol]) -> None:
        self.symbols = symbols
        self.bare: set[sp.Basic] = set()
        self.multiples: dict[sp.Basic, int] = {}
        self._seen: set[sp.Basic] = set()

    def turns(self, symbol: sp.Symbol) -> int:
        """What was found of one symbol."""
        if symbol in self.bare:
            return NEVER
        return self.multiples.get(symbol, NOWHERE)

    def visit(self, expression: sp.Basic) -> None:
        """Note the symbols of one expression; a subexpression that has been seen is not walked again."""
        stack = [expression]
        while stack:
            part = stack.pop()
            if part in self._seen:
                continue
            self._seen.add(part)
            if isinstance(part, sp.Symbol):
                if part in self.symbols:
                    self.bare.add(part)
            elif isinstance(part, _CIRCULAR) or _repeats_by_turns(part):
                stack.append(self._rest(part.args[0]))
            else:
                stack.extend(part.args)

    def _rest(self, argument: sp.Expr) -> sp.Expr:
        """What is left of the argument of a sine without the symbols that only turn it."""
        turning = {}
        for symbol in argument.free_symbols & self.symbols:
            multiple = _denominator(sp.diff(argument, symbol))
            if multiple:
                turning[symbol] = sp.Integer(0)
                self.multiples[symbol] = math.lcm(self.multiples.get(symbol, 1), multiple)
                if self.multiples[symbol] > MOST_TURNS:
                    self.bare.add(symbol)
        return argument.xreplace(turning)


def _denominator(coefficient: sp.Expr) -> int:
    """The denominator of a fraction; 0 if the coefficient is none, or one that needs too many turns."""
    if not (coefficient.is_Rational or coefficient.is_Float):
        return 0
    exact = coefficient if coefficient.is_Rational else Fraction(float(coefficient))
    fraction = Fraction(exact.numerator, exact.denominator)
    return fraction.denominator if fraction.denominator <= MOST_TURNS else 0

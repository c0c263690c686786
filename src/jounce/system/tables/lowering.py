"""Expressions -> references to constants and values, and the instructions that compute the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import sympy as sp

from jounce.codegen.held_sides import Held, Sides, with_held_sides
from jounce.codegen.ranges import is_watched
from jounce.kernels.bodies import programs
from jounce.kernels.bodies.layout import LAW_ROW, MOST_VALUES, SAYS
from jounce.model.curves import Curve
from jounce.model.expressions import as_expression, value_at
from jounce.model.symbols import time
from jounce.model.vocabulary import Vocabulary


class NotInTablesError(Exception):
    """Something about a machine that tables do not hold: it is compiled."""


class Stage(IntEnum):
    """What an expression may depend on, in the order in which programs run."""

    SHAPES = 0  # time and parameters
    TOUCHES = 1  # the state as well: gaps and slip velocities that are expressions
    FORCES = 2  # the same
    GUARDS = 3  # the same; nothing but guards and sizes of terms ask for them
    RESETS = 4  # the same; nothing but resets asks for them
    LAWS = 5  # coordinates and what laws are given (kernels/bodies/laws.py); each law is run by itself


_ONE: dict[Any, int] = {
    sp.sin: programs.SINE,
    sp.cos: programs.COSINE,
    sp.tan: programs.TANGENT,
    sp.exp: programs.EXPONENTIAL,
    sp.log: programs.LOGARITHM,
    sp.sign: programs.SIGN,
    sp.atan: programs.ARCTANGENT,
    sp.tanh: programs.HYPERBOLIC_TANGENT,
    sp.Not: programs.NEITHER,
}
_MANY: dict[Any, int] = {
    sp.Add: programs.ADD,
    sp.Mul: programs.MULTIPLY,
    sp.Max: programs.LARGER,
    sp.Min: programs.SMALLER,
    sp.And: programs.BOTH,
    sp.Or: programs.EITHER,
}
#: relation -> (operation, whether its sides change places)
_RELATIONS: dict[Any, tuple[int, bool]] = {
    sp.StrictLessThan: (programs.LESS, False),
    sp.LessThan: (programs.LESS_OR_EQUAL, False),
    sp.StrictGreaterThan: (programs.LESS, True),
    sp.GreaterThan: (programs.LESS_OR_EQUAL, True),
    sp.Equality: (programs.EQUAL, False),
    sp.Unequality: (programs.UNEQUAL, False),
}


class Programs:
    """The numbers of one machine."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.constants = [0.0]
        self.instructions: list[list[list[int]]] = [[] for _ in Stage]
        self.count = 0
        self.uses_time = False
        self.timed: list[sp.Expr] = []  # what was asked for that contains time
        self.narrow = False  # something that is not covered can be flat nearly everywhere: codegen/ranges.py
        self.covered = False  # whether the range of what is lowered is known by other means: narrow.py
        self.noted: list[sp.Expr] = []  # expressions of the user's that are forces and coefficients
        self._references: list[dict[sp.Basic, int]] = [{} for _ in Stage]
        self._loads: dict[sp.Basic, tuple[int, int]] = {time: (programs.TIME, 0)}
        self._loads |= {symbol: (programs.PARAMETER, k) for k, symbol in enumerate(words.p)}
        first = len(words.p) + len(words.memory)
        self._loads |= {symbol: (programs.PARAMETER, first + k) for k, symbol in enumerate(words.states_symbols)}
        self._state = {symbol: (programs.POSITION, k) for k, symbol in enumerate(words.q)}
        self._state |= {symbol: (programs.VELOCITY, k) for k, symbol in enumerate(words.u)}
        self._given: dict[sp.Basic, tuple[int, int]] = {}  # what the law that is being written may read
        self.sides: Sides = {}  # what decides where a force jumps: codegen/held_sides.py
        self._laws: dict[tuple[sp.Expr, ...], int] = {}
        self.laws: list[list[int]] = []  # first instruction, the one behind the last, references

    def law(self, says: Sequence[sp.Expr], given: Sequence[sp.Symbol]) -> int:
        """A law that says these expressions of what it is given, of coordinates, time and parameters; from 1 on.

        Laws that say the same are one.
        """
        key = (*says, *given)
        if key not in self._laws:
            own = self.instructions[Stage.LAWS]
            first, self._references[Stage.LAWS] = len(own), {}
            self._given = {symbol: self._state[symbol] for symbol in self.words.q}
            self._given |= {symbol: (programs.VELOCITY, k) for k, symbol in enumerate(given)}
            references = [self._noted(expression, Stage.LAWS) for expression in says]
            self.laws.append([first, len(own), *references, *[0] * (LAW_ROW - SAYS - len(references))])
            self._laws[key] = len(self.laws)
        return self._laws[key]

    def reference(self, value: Any, where: str, stage: Stage = Stage.SHAPES) -> int:
        """The reference to a number or an expression."""
        if type(value) in (int, float):
            return self._constant(float(value))
        return self._noted(self.words.expression(as_expression(value, where), where), stage)

    def touching(self, expression: sp.Expr, stage: Stage = Stage.TOUCHES) -> int:
        """The reference to what a contact is made of, in the symbols of the model: where it repeats is known apart."""
        return self._root(expression, stage)

    def hold(self, symbols: Sequence[sp.Symbol], sides: Sides) -> None:
        """Let jumps of forces be decided by sides, which stand behind all else in the vector of parameters."""
        first = len(self.words.p) + len(self.words.memory) + len(self.words.states)
        self._loads |= {symbol: (programs.PARAMETER, first + k) for k, symbol in enumerate(symbols)}
        self.sides = sides

    def force(self, value: Any, where: str) -> int:
        """The reference to a force of the user's."""
        expression = self.words.expression(as_expression(value, where), where)
        return self._noted(with_held_sides(expression, self.sides), Stage.FORCES)

    def moving(self, value: Any, where: str) -> tuple[int, int, int]:
        """References to an expression of time and its first two derivatives."""
        if type(value) in (int, float):
            return self._constant(float(value)), 0, 0
        expression = self.words.expression(as_expression(value, where), where)
        if not expression.has(time):
            return self._lowered(expression, Stage.SHAPES), 0, 0
        rate = sp.diff(expression, time)
        parts = (expression, rate, sp.diff(rate, time))
        first, second, third = (self._root(part, Stage.SHAPES) for part in parts)
        return first, second, third

    def steady(self, value: Any, where: str) -> int:
        """The reference to something that must not depend on time."""
        if type(value) not in (int, float) and as_expression(value, where).has(time):
            raise NotInTablesError(f"{where} depends on time")
        return self.reference(value, where)

    def _constant(self, value: float) -> int:
        if value == 0.0:
            return 0
        self.constants.append(value)
        return len(self.constants) - 1

    def _noted(self, expression: sp.Expr, stage: Stage) -> int:
        if stage < Stage.GUARDS or stage is Stage.LAWS:
            self.noted.append(expression)
        return self._root(expression, stage)

    def _root(self, expression: sp.Expr, stage: Stage) -> int:
        if expression.has(time):
            self.timed.append(expression)
        return self._lowered(expression, stage)

    def _lowered(self, e: sp.Basic, stage: Stage) -> int:
        for other in (Stage.SHAPES, stage) if stage is Stage.LAWS else range(stage + 1):
            if e in self._references[other]:
                return self._references[other][e]
        reference = self._made(e, stage)
        self._references[stage][e] = reference
        return reference

    def _made(self, e: sp.Basic, stage: Stage) -> int:
        if isinstance(e, sp.Expr) and e.is_number:
            return self._constant(value_at(e, {}))
        reads = self._given if stage is Stage.LAWS else self._state
        if stage is not Stage.SHAPES and isinstance(e, sp.Expr) and not e.free_symbols & set(reads):
            return self._lowered(e, Stage.SHAPES)
        if isinstance(e, sp.Symbol):
            return self._loaded(e, stage, reads)
        if not self.covered and stage < Stage.GUARDS and is_watched(e) and e.free_symbols & {time, *reads}:
            self.narrow = True
        kind = next((base for base in (*_ONE, *_MANY, *_RELATIONS, sp.Pow) if isinstance(e, base)), None)
        below: Callable[[Any], int] = lambda part: self._lowered(part, stage)  # noqa: E731
        if kind in _ONE:
            return self._emit(stage, _ONE[kind], below(e.args[0]))
        if kind in _MANY:
            total = below(e.args[0])
            for part in e.args[1:]:
                total = self._emit(stage, _MANY[kind], total, below(part))
            return total
        if kind in _RELATIONS:
            operation, turned = _RELATIONS[kind]
            a, b = below(e.args[0]), below(e.args[1])
            return self._emit(stage, operation, *((b, a) if turned else (a, b)))
        if kind is sp.Pow:
            return self._power(e.args[0], e.args[1], stage)
        if isinstance(e, Held):
            return self._emit(stage, programs.HELD, below(e.args[0]), below(e.args[1]))
        if isinstance(e, sp.Abs):
            return self._emit(stage, programs.ABSOLUTE, below(e.args[0]))
        if isinstance(e, sp.atan2):
            return self._emit(stage, programs.DIRECTION_OF, below(e.args[0]), below(e.args[1]))
        if isinstance(e, Curve):
            return below(e.args[1].cases(e.args[0]))
        if isinstance(e, sp.Piecewise) and e.args[-1].cond == sp.true:
            chosen = below(e.args[-1].expr)
            for case in reversed(e.args[:-1]):
                chosen = self._emit(stage, programs.SELECT, below(case.cond), below(case.expr), chosen)
            return chosen
        raise NotInTablesError(f"{type(e).__name__} in an expression")

    def _power(self, base: sp.Expr, exponent: sp.Expr, stage: Stage) -> int:
        x = self._lowered(base, stage)
        if exponent.is_Rational and exponent < 0:
            upwards = x if exponent == -1 else self._power(base, -exponent, stage)
            return self._emit(stage, programs.INVERSE, upwards)
        if exponent.is_Integer:
            return self._emit(stage, programs.WHOLE_POWER, x, int(exponent))
        if exponent.is_Rational and exponent.q == 2:
            root, whole = self._emit(stage, programs.ROOT, x), int(exponent - sp.S.Half)
            if whole == 0:
                return root
            return self._emit(stage, programs.MULTIPLY, self._emit(stage, programs.WHOLE_POWER, x, whole), root)
        return self._emit(stage, programs.POWER, x, self._lowered(exponent, stage))

    def _loaded(self, symbol: sp.Symbol, stage: Stage, reads: Mapping[sp.Basic, tuple[int, int]]) -> int:
        if symbol in self._loads:
            self.uses_time |= symbol == time
            # at the head: what comes later may need it, whatever its stage
            return self._emit(Stage.SHAPES, *self._loads[symbol])
        if symbol in reads and stage is not Stage.SHAPES:
            return self._emit(stage, *reads[symbol])
        raise NotInTablesError(f"{symbol} where tables hold functions of time and parameters")

    def _emit(self, stage: Stage, operation: int, *operands: int) -> int:
        self.count += 1
        if self.count > MOST_VALUES:
            raise NotInTablesError(f"more than {MOST_VALUES} values that depend on parameters, time or the state")
        padded = [*operands, 0, 0, 0][:3]
        self.instructions[stage].append([operation, self.count - 1, *padded])
        return -self.count

    def arrays(self) -> tuple[np.ndarray, np.ndarray, list[int], list[list[int]]]:
        """Constants, instructions, where each stage ends, and laws, which stand behind all others."""
        rows = [row for stage in self.instructions for row in stage]
        ends = np.cumsum([len(stage) for stage in self.instructions]).tolist()
        code = np.array(rows, dtype=np.int64).reshape(-1)
        before = ends[Stage.RESETS]
        laws = [[first + before, last + before, *references] for first, last, *references in self.laws]
        return np.array(self.constants), code if code.size else np.zeros(1, np.int64), ends, laws

"""Curves through points as constants of generated code: their values, and their ranges from one place to another.

The piece is the number of breaks <= x. It lies in a range that is halved as often as the number of breaks asks for, by
selections: no jump that a processor could guess wrongly, and the same instructions for every x. A range of ``size``
breaks after ``first`` is asked at its ceil(size/2)-th break; what is left has floor(size/2) on either side or one less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from jounce.model.curves import Points

DOUBLE, INTEGER = ir.DoubleType(), ir.IntType(64)


class CurveTable:
    """One curve in an LLVM module; tables become constants when something asks for them."""

    def __init__(self, module: ir.Module, name: str, points: Points) -> None:
        self.module, self.name, self.points = module, name, points

    def value(self, builder: ir.IRBuilder, x: Any) -> Any:
        """f(x), by Horner's rule in x - a, a the break before the piece."""
        if self.points.repeats:
            x = builder.fsub(x, self._whole_periods(builder, x))
        piece = self._found(builder, x)
        inside = builder.icmp_signed(">", piece, INTEGER(0))
        anchor = builder.select(inside, builder.sub(piece, INTEGER(1)), INTEGER(0))
        step = builder.fsub(x, self._number(builder, "breaks", self.points.breaks, anchor))
        width = max(map(len, self.points.pieces))
        padded = [(0.0,) * (width - len(numbers)) + numbers for numbers in self.points.pieces]
        table = [number for numbers in padded for number in numbers]
        row = builder.mul(piece, INTEGER(width))
        total = self._number(builder, "pieces", table, row)
        for power in range(1, width):
            coefficient = self._number(builder, "pieces", table, builder.add(row, INTEGER(power)))
            total = builder.fadd(builder.fmul(total, step), coefficient)
        return total

    def piece(self, builder: ir.IRBuilder, x: Any) -> Any:
        """The number of the piece in which x lies, in any period."""
        return self._found(builder, builder.fsub(x, self._whole_periods(builder, x)) if self.points.repeats else x)

    def extreme(self, builder: ir.IRBuilder, low: Any, high: Any, least: bool) -> Any:
        """The least or the largest value of the pieces that [low, high] reaches; of all where a period ends inside."""
        ends = [piece[0 if least else 1] for piece in self.points.extent()]
        everywhere = DOUBLE((min if least else max)(ends[1:-1] if self.points.repeats else ends))
        if self.points.repeats:
            whole = self._whole_periods(builder, low)
            low, high = builder.fsub(low, whole), builder.fsub(high, whole)
            ends[0] = ends[-1] = everywhere.constant
        first, last = self._found(builder, low), self._found(builder, high)
        before = builder.block
        loop, after = builder.append_basic_block("pieces"), builder.append_basic_block("ranged")
        builder.branch(loop)
        builder.position_at_end(loop)
        piece, found = builder.phi(INTEGER), builder.phi(DOUBLE)
        end = self._number(builder, "low" if least else "high", ends, piece)
        better = builder.select(builder.fcmp_ordered("<" if least else ">", end, found), end, found)
        following = builder.add(piece, INTEGER(1))
        for value, start, later in (
            (piece, first, following),
            (found, DOUBLE(math.inf if least else -math.inf), better),
        ):
            value.add_incoming(start, before)
            value.add_incoming(later, loop)
        builder.cbranch(builder.icmp_signed("<=", following, last), loop, after)
        builder.position_at_end(after)
        return better

    def _whole_periods(self, builder: ir.IRBuilder, x: Any) -> Any:
        """How far x lies behind the first period, in whole ones."""
        floor = self.module.declare_intrinsic("llvm.floor", [DOUBLE], ir.FunctionType(DOUBLE, [DOUBLE]))
        period = DOUBLE(self.points.period)
        turns = builder.fdiv(builder.fsub(x, DOUBLE(self.points.breaks[0])), period)
        return builder.fmul(period, builder.call(floor, [turns]))

    def _found(self, builder: ir.IRBuilder, x: Any) -> Any:
        """The number of breaks <= x."""
        first, size = INTEGER(0), len(self.points.breaks)
        while size > 0:
            half = (size + 1) // 2
            asked = builder.add(first, INTEGER(half - 1))
            reached = builder.fcmp_ordered(">=", x, self._number(builder, "breaks", self.points.breaks, asked))
            first = builder.select(reached, builder.add(first, INTEGER(half)), first)
            size -= half
        return first

    def _number(self, builder: ir.IRBuilder, name: str, numbers: Sequence[float], index: Any) -> Any:
        return builder.load(builder.gep(self._table(name, numbers), [INTEGER(0), index]))

    def _table(self, name: str, numbers: Sequence[float]) -> ir.GlobalVariable:
        return constant_numbers(self.module, f"{self.name}.{name}", numbers)


def constant_numbers(module: ir.Module, symbol: str, numbers: Sequence[float]) -> ir.GlobalVariable:
    """An array of numbers as a constant of the module, made once."""
    if symbol in module.globals:
        return module.globals[symbol]
    kind = ir.ArrayType(DOUBLE, len(numbers))
    made = ir.GlobalVariable(module, kind, symbol)
    made.linkage, made.global_constant = "internal", True
    made.initializer = ir.Constant(kind, [DOUBLE(number) for number in numbers])
    return made

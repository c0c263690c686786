"""Operators and functions of numbers, with the results that Python gives but for its exceptions.

Where Python raises, a division of whole numbers by zero gives zero, int() the nearest whole number that there is, or 0
of NaN, and reals follow IEEE 754. Whole numbers have 64 bits: beyond them they go on at the other end, and beside a
real number one of more than 53 bits is rounded. Sums and products stand in the order in which the kernel writes them,
and nothing is contracted: results do not depend on the processor.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from jounce.toolchain.translation.types import BOOL, COMPLEX, FLOAT, INT, Number
from jounce.toolchain.translation.values import UntranslatableError, Value, constant, real_text
from jounce.toolchain.translation.writer import Writer

PLAIN: dict[type[ast.operator], tuple[str, str]] = {  # of whole numbers and of reals
    ast.Add: ("add", "fadd"),
    ast.Sub: ("sub", "fsub"),
    ast.Mult: ("mul", "fmul"),
}
BITS: dict[type[ast.operator], str] = {
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}
IN_PYTHON: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
# "nobuiltin": the function of C itself, as Python calls it. LLVM would take sqrt(x) for pow(x, 0.5)
PURE = "nobuiltin nounwind willreturn memory(none)"
ONE_REAL = {"sin", "cos", "tan", "exp", "log", "tanh", "atan", "asin", "acos", "sinh", "cosh", "log1p", "expm1"}
TWO_REALS = {"atan2", "hypot", "pow"}
OF_TWO = TWO_REALS | {"copysign"}
LARGEST_SQUARED = 1 << 16  # exponents beyond are left to pow of C


def binary(w: Writer, op: ast.operator, left: Value, right: Value) -> Value:
    """left op right."""
    if left.is_known and right.is_known:
        try:
            result = IN_PYTHON[type(op)](left.known, right.known)
        except (ArithmeticError, ValueError):
            result = None  # what it is in a kernel
        # a power of a negative number with a real exponent is NaN in a kernel, whatever is known of it
        if result is not None and (not isinstance(result, complex) or COMPLEX in (left.type, right.type)):
            return constant(result)
    kind = max(number(left), number(right), key=lambda each: each.rank)
    if type(op) in BITS:
        return _bits(w, op, left, right)
    if isinstance(op, ast.Pow):
        return power(w, left, right)
    if isinstance(op, ast.Div):
        kind = max(kind, FLOAT, key=lambda each: each.rank)
    elif kind == BOOL:
        kind = INT
    left, right = w.converted(left, kind), w.converted(right, kind)
    if kind == COMPLEX:
        return _complex(w, op, left, right)
    if type(op) in PLAIN:
        name = PLAIN[type(op)][kind == FLOAT]
        return w.made(kind, f"{name} {kind.llvm} {left.text}, {right.text}")
    if isinstance(op, ast.Div):
        return w.made(FLOAT, f"fdiv double {left.text}, {right.text}")
    if isinstance(op, ast.FloorDiv | ast.Mod) and kind == INT:
        return _whole_division(w, left, right, remainder=isinstance(op, ast.Mod))
    if isinstance(op, ast.Mod):
        return _real_remainder(w, left, right)
    raise UntranslatableError(f"no operator {type(op).__name__} of {kind.name}")


def number(value: Value) -> Number:
    """The type of a value that must be a number."""
    if not isinstance(value.type, Number):
        raise UntranslatableError("an operator of something that is no number")
    return value.type


def _bits(w: Writer, op: ast.operator, left: Value, right: Value) -> Value:
    kind = BOOL if left.type == right.type == BOOL and not isinstance(op, ast.LShift | ast.RShift) else INT
    if FLOAT in (left.type, right.type):
        raise UntranslatableError("bits of a real number")
    left, right = w.converted(left, kind), w.converted(right, kind)
    if isinstance(op, ast.LShift | ast.RShift):
        return _shifted(w, op, left, right)
    return w.made(kind, f"{BITS[type(op)]} {kind.llvm} {left.text}, {right.text}")


def _shifted(w: Writer, op: ast.operator, left: Value, count: Value) -> Value:
    """By more bits than there are nothing is left but the sign; LLVM gives such a shift no meaning."""
    name = BITS[type(op)]
    if count.is_known:
        if not 0 <= count.known < 64:
            raise UntranslatableError(f"a shift by {count.known} bits")
        return w.made(INT, f"{name} i64 {left.text}, {count.text}")
    inside = w.made(BOOL, f"icmp ult i64 {count.text}, 64")
    least = w.made(INT, f"select i1 {inside.text}, i64 {count.text}, i64 63")
    result = w.made(INT, f"{name} i64 {left.text}, {least.text}")
    if isinstance(op, ast.RShift):
        return result
    return w.made(INT, f"select i1 {inside.text}, i64 {result.text}, i64 0")


def _whole_division(w: Writer, left: Value, right: Value, remainder: bool) -> Value:
    """Rounded towards minus infinity, with a remainder of the divisor's sign; 0 where the divisor is 0."""
    if right.is_known and right.known > 0 and right.known & (right.known - 1) == 0:
        if remainder:
            return w.made(INT, f"and i64 {left.text}, {right.known - 1}")
        return w.made(INT, f"ashr i64 {left.text}, {right.known.bit_length() - 1}")
    zero = w.made(BOOL, f"icmp eq i64 {right.text}, 0")
    # the processor stops at a division of the least number by -1, whose quotient is that number again
    least = w.made(BOOL, f"icmp eq i64 {left.text}, {-(1 << 63)}")
    minus = w.made(BOOL, f"icmp eq i64 {right.text}, -1")
    beyond = w.made(BOOL, f"and i1 {least.text}, {minus.text}")
    by_one = w.made(BOOL, f"or i1 {zero.text}, {beyond.text}")
    divisor = w.made(INT, f"select i1 {by_one.text}, i64 1, i64 {right.text}")
    rest = w.made(INT, f"srem i64 {left.text}, {divisor.text}")
    uneven = w.made(BOOL, f"icmp ne i64 {rest.text}, 0")
    signs = w.made(INT, f"xor i64 {rest.text}, {divisor.text}")
    apart = w.made(BOOL, f"icmp slt i64 {signs.text}, 0")
    off = w.made(BOOL, f"and i1 {uneven.text}, {apart.text}")
    if remainder:
        moved = w.made(INT, f"add i64 {rest.text}, {divisor.text}")
        result = w.made(INT, f"select i1 {off.text}, i64 {moved.text}, i64 {rest.text}")
    else:
        quotient = w.made(INT, f"sdiv i64 {left.text}, {divisor.text}")
        down = w.made(INT, f"sext i1 {off.text} to i64")
        result = w.made(INT, f"add i64 {quotient.text}, {down.text}")
    return w.made(INT, f"select i1 {zero.text}, i64 0, i64 {result.text}")


def _real_remainder(w: Writer, left: Value, right: Value) -> Value:
    """fmod, moved by the divisor where the signs differ; a zero has the divisor's sign."""
    rest = w.made(FLOAT, f"frem double {left.text}, {right.text}")
    uneven = w.made(BOOL, f"fcmp une double {rest.text}, {real_text(0.0)}")
    below = [w.made(BOOL, f"fcmp olt double {value.text}, {real_text(0.0)}") for value in (rest, right)]
    apart = w.made(BOOL, f"xor i1 {below[0].text}, {below[1].text}")
    moved = w.made(FLOAT, f"fadd double {rest.text}, {right.text}")
    value = w.made(FLOAT, f"select i1 {apart.text}, double {moved.text}, double {rest.text}")
    zero = w.call(FLOAT, "llvm.copysign.f64", [Value(FLOAT, real_text(0.0)), right])
    return w.made(FLOAT, f"select i1 {uneven.text}, double {value.text}, double {zero.text}")


def power(w: Writer, base: Value, exponent: Value) -> Value:
    """By squaring where the exponent is a whole number that is written in the kernel; else pow of C."""
    if exponent.is_known and exponent.type == INT and abs(exponent.known) <= LARGEST_SQUARED and base.type != COMPLEX:
        kind = FLOAT if base.type == FLOAT or exponent.known < 0 else INT
        base = w.converted(base, kind)
        if exponent.known == 0:
            return w.converted(constant(1), kind)
        result = _squared(w, base, abs(exponent.known))
        one = Value(FLOAT, real_text(1.0))
        return result if exponent.known > 0 else w.made(FLOAT, f"fdiv double {one.text}, {result.text}")
    if base.type == COMPLEX or exponent.type == COMPLEX:
        raise UntranslatableError("a power of a complex number")
    return w.call(FLOAT, "pow", [w.converted(base, FLOAT), w.converted(exponent, FLOAT)], PURE)


def _squared(w: Writer, base: Value, exponent: int) -> Value:
    result = None
    while True:
        if exponent & 1:
            result = base if result is None else binary(w, ast.Mult(), result, base)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        base = binary(w, ast.Mult(), base, base)


def _complex(w: Writer, op: ast.operator, left: Value, right: Value) -> Value:
    """Sums and products; a quotient is a function of kernels (helpers.py)."""
    a, b, c, d = (w.part(value, k, FLOAT) for value in (left, right) for k in (0, 1))
    if isinstance(op, ast.Add | ast.Sub):
        name = PLAIN[type(op)][1]
        parts = [w.made(FLOAT, f"{name} double {x.text}, {y.text}") for x, y in ((a, c), (b, d))]
    elif isinstance(op, ast.Mult):
        ac, bd, ad, bc = (w.made(FLOAT, f"fmul double {x.text}, {y.text}") for x, y in ((a, c), (b, d), (a, d), (b, c)))
        parts = [
            w.made(FLOAT, f"fsub double {ac.text}, {bd.text}"),
            w.made(FLOAT, f"fadd double {ad.text}, {bc.text}"),
        ]
    else:
        raise UntranslatableError(f"no operator {type(op).__name__} of complex numbers")
    return w.grouped(COMPLEX, parts)


def negative(w: Writer, value: Value) -> Value:
    """-value."""
    if value.is_known:
        return constant(-value.known)
    kind = number(value)
    if kind == FLOAT:
        return w.made(FLOAT, f"fneg double {value.text}")
    if kind == COMPLEX:
        parts = [w.made(FLOAT, f"fneg double {w.part(value, k, FLOAT).text}") for k in (0, 1)]
        return w.grouped(COMPLEX, parts)
    return w.made(INT, f"sub i64 0, {w.converted(value, INT).text}")


def compared(w: Writer, op: ast.cmpop, left: Value, right: Value) -> Value:
    """left op right, a truth."""
    kind = max(number(left), number(right), key=lambda each: each.rank)
    left, right = w.converted(left, kind), w.converted(right, kind)
    if type(op) not in COMPARED:
        raise UntranslatableError(f"no comparison {type(op).__name__}")
    whole, real = COMPARED[type(op)]
    if kind == COMPLEX and not isinstance(op, ast.Eq | ast.NotEq):
        raise UntranslatableError("an order of complex numbers")
    if kind == COMPLEX:
        first, second = (compared(w, op, w.part(left, k, FLOAT), w.part(right, k, FLOAT)) for k in (0, 1))
        return w.made(BOOL, f"{'and' if isinstance(op, ast.Eq) else 'or'} i1 {first.text}, {second.text}")
    if kind == FLOAT:
        return w.made(BOOL, f"fcmp {real} double {left.text}, {right.text}")
    if kind == BOOL and whole not in ("eq", "ne"):
        left, right, kind = w.converted(left, INT), w.converted(right, INT), INT
    return w.made(BOOL, f"icmp {whole} {kind.llvm} {left.text}, {right.text}")


def largest(w: Writer, values: list[Value], smallest: bool = False) -> Value:
    """max or min: of equal ones, and beside NaN, the first."""
    result = values[0]
    for value in values[1:]:
        kind = max(number(result), number(value), INT, key=lambda each: each.rank)
        result, value = w.converted(result, kind), w.converted(value, kind)
        beyond = compared(w, ast.Lt() if smallest else ast.Gt(), value, result)
        result = w.made(kind, f"select i1 {beyond.text}, {kind.llvm} {value.text}, {kind.llvm} {result.text}")
    return result


def absolute(w: Writer, value: Value) -> Value:
    """|value|."""
    if value.type == FLOAT:
        return w.call(FLOAT, "llvm.fabs.f64", [value])
    if value.type == COMPLEX:
        raise UntranslatableError("the absolute value of a complex number")
    value = w.converted(value, INT)
    below = w.made(BOOL, f"icmp slt i64 {value.text}, 0")
    return w.made(INT, f"select i1 {below.text}, i64 {negative(w, value).text}, i64 {value.text}")


def whole(w: Writer, value: Value) -> Value:
    """int(value): towards zero."""
    return w.call(INT, "llvm.fptosi.sat.i64.f64", [value]) if value.type == FLOAT else w.converted(value, INT)


def of_mathematics(w: Writer, name: str, arguments: list[Value]) -> Value:
    """A function of ``math``."""
    if len(arguments) != (2 if name in OF_TWO else 1):
        raise UntranslatableError(f"math.{name} of {len(arguments)} numbers")
    if arguments[0].is_known and name in ("sqrt", "floor", "ceil", "fabs"):
        try:
            return constant(getattr(math, name)(arguments[0].known))
        except (ArithmeticError, ValueError):
            pass  # what it is in a kernel
    reals = [w.converted(argument, FLOAT) for argument in arguments]
    if name in ONE_REAL or name in TWO_REALS:
        return w.call(FLOAT, name, reals, PURE)
    if name in ("sqrt", "fabs", "copysign"):
        return w.call(FLOAT, f"llvm.{name}.f64", reals)
    if name in ("floor", "ceil"):
        return whole(w, w.call(FLOAT, f"llvm.{name}.f64", reals))
    if name == "isnan":
        return w.made(BOOL, f"fcmp uno double {reals[0].text}, {reals[0].text}")
    if name in ("isinf", "isfinite"):
        size = absolute(w, reals[0])
        return w.made(BOOL, f"fcmp {'oeq' if name == 'isinf' else 'olt'} double {size.text}, {real_text(math.inf)}")
    raise UntranslatableError(f"no function math.{name}")

"""Calls in kernels: of other kernels, of blocks and C functions, of functions of numbers."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.toolchain import tools
from jounce.toolchain.abi import Signature
from jounce.toolchain.translation import arithmetic, helpers
from jounce.toolchain.translation.types import (
    COMPLEX,
    FLOAT,
    INT,
    NOTHING,
    UNKNOWN,
    Number,
    Record,
    Rows,
    of_c,
    record_type,
)
from jounce.toolchain.translation.values import UntranslatableError, Value
from jounce.toolchain.translation.writer import describe

if TYPE_CHECKING:
    from jounce.toolchain.translation.expressions import Expressions

_OF_MATHEMATICS = {function: name for name, function in vars(math).items() if callable(function)}


def call(f: Expressions, function: Any, arguments: list[Value]) -> Value:
    """The value of a call."""
    if isinstance(function, tools.Kernel):
        return kernel(f, function.py_func, arguments)
    if isinstance(function, tools.CBlock):
        return c_function(f, f'@"{function.symbol}"', function.signature, arguments, declared=function.symbol)
    if isinstance(function, tools.CallAt):
        pointer = f.made(INT, f"inttoptr i64 {arguments[0].text} to ptr")
        return c_function(f, pointer.text, function.signature, arguments[1:])
    if isinstance(function, tools.RecordAt):
        assert function.record.dtype is not None
        return f.made(record_type(function.record.dtype), f"inttoptr i64 {arguments[0].text} to ptr")
    if function in _OF_MATHEMATICS:
        return arithmetic.of_mathematics(f, _OF_MATHEMATICS[function], arguments)
    least, most, special = _SPECIAL.get(function, (0, 0, None))
    if special is None:
        raise UntranslatableError(f"kernels cannot call {function!r}")
    if not least <= len(arguments) <= most:
        raise UntranslatableError(f"{len(arguments)} arguments of {function!r}")
    return special(f, arguments)


def kernel(f: Expressions, function: Callable[..., Any], arguments: list[Value]) -> Value:
    """A call of another kernel."""
    from jounce.toolchain.translation.module import instance  # which translates functions by this

    wanted = function.__code__.co_argcount
    if len(arguments) != wanted:
        raise UntranslatableError(f"{len(arguments)} arguments of {function.__name__}, which takes {wanted}")
    callee = instance(function, tuple(argument.type for argument in arguments))
    f.callees[callee.symbol] = callee
    given = [f.converted(argument, kind) for argument, kind in zip(arguments, callee.arguments, strict=True)]
    return f.called(callee.result, f'@"{callee.symbol}"', given)


def c_function(f: Expressions, pointer: str, signature: Signature, arguments: list[Value], declared: str = "") -> Value:
    """A call of a C function: arrays go as pointers and lengths."""
    if len(arguments) != len(signature.arguments):
        raise UntranslatableError(f"{len(arguments)} arguments of {declared or signature}")
    given: list[Value] = []
    for wanted, argument in zip(signature.arguments, arguments, strict=True):
        kind = of_c(wanted)
        if isinstance(kind, Rows):
            if not isinstance(argument.type, Rows) or argument.type.element != kind.element:
                raise UntranslatableError(f"{describe(argument.type)} where {describe(kind)} is asked for")
            given.append(Value(Rows(kind.element, (UNKNOWN,)), f.pointer(argument)))
            given += [f.length(argument, axis) for axis in kind.carried]
        else:
            given.append(f.converted(argument, kind))
    result = of_c(signature.result)
    return f.call(result, declared, given) if declared else f.called(result, pointer, given)


def complex_quotient(f: Expressions, left: Value, right: Value) -> Value:
    """left/right."""
    parts = [f.part(f.converted(value, COMPLEX), k, FLOAT) for value in (left, right) for k in (0, 1)]
    both = kernel(f, helpers.complex_quotient, parts)
    return f.grouped(COMPLEX, [f.part(both, k, FLOAT) for k in (0, 1)])


def power(f: Expressions, base: Value, exponent: Value) -> Value:
    """base ** exponent with a whole exponent that is known when the kernel runs."""
    if base.type != FLOAT:
        raise UntranslatableError("a power of a whole number with an exponent that may be negative")
    return kernel(f, helpers.real_power, [base, exponent])


def _address(f: Expressions, arguments: list[Value]) -> Value:
    rows, offset = arguments
    if not isinstance(rows.type, Rows):
        raise UntranslatableError("the address of something that is no array")
    pointer = f.element(f.pointer(rows), rows.type.element, f.converted(offset, INT).text)
    return Value(Rows(rows.type.element, (UNKNOWN,)), pointer)


def _scratch(f: Expressions, arguments: list[Value]) -> Value:
    kind = arguments[0].type
    assert isinstance(kind, Number)
    pointer = f"%scratch.{f.new()}"
    f.head.append(f"  {pointer} = alloca [{tools.SCRATCH} x {kind.llvm}], align 16")
    return Value(Rows(kind, (UNKNOWN,)), pointer)


def _copy_record(f: Expressions, arguments: list[Value]) -> Value:
    target, source = arguments
    if not isinstance(target.type, Record) or source.type is not target.type:
        raise UntranslatableError(f"a copy of {describe(source.type)} to {describe(target.type)}")
    size = Value(INT, str(target.type.dtype.itemsize))
    f.outside["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target.text}, ptr {source.text}, i64 {size.text}, i1 false)")
    return Value(NOTHING, "")


def _complex(f: Expressions, arguments: list[Value]) -> Value:
    return f.grouped(COMPLEX, [f.converted(argument, FLOAT) for argument in arguments])


# least and most arguments, and what it is
_SPECIAL: dict[Any, tuple[int, float, Callable[[Expressions, list[Value]], Value]]] = {
    builtins.max: (2, math.inf, arithmetic.largest),
    builtins.min: (2, math.inf, lambda f, values: arithmetic.largest(f, values, smallest=True)),
    builtins.abs: (1, 1, lambda f, values: arithmetic.absolute(f, values[0])),
    builtins.int: (1, 1, lambda f, values: arithmetic.whole(f, values[0])),
    builtins.float: (1, 1, lambda f, values: f.converted(values[0], FLOAT)),
    builtins.bool: (1, 1, lambda f, values: f.truth(values[0])),
    builtins.complex: (2, 2, _complex),
    np.floor: (1, 1, lambda f, values: f.call(FLOAT, "llvm.floor.f64", [f.converted(values[0], FLOAT)])),
    tools.address: (2, 2, _address),
    tools.scratch: (1, 1, _scratch),
    tools.copy_record: (2, 2, _copy_record),
}

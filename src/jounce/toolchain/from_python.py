"""Kernels for Python to call: compiled for the types of the arguments, and kept by content like blocks."""

from __future__ import annotations

import ctypes
import hashlib
import struct
from contextlib import suppress
from typing import Any

import numpy as np
from llvmlite import binding as llvm

from jounce.toolchain import machine_code
from jounce.toolchain.c_function import address_of
from jounce.toolchain.emission import Code, emitted
from jounce.toolchain.tools import Kernel
from jounce.toolchain.translation.module import entry_text
from jounce.toolchain.translation.types import (
    BOOL,
    CARRIED,
    COMPLEX,
    FLOAT,
    INT,
    NOTHING,
    NUMBERS,
    Group,
    Number,
    Rows,
    Type,
    number_of,
    record_type,
)


class FromPython:
    """A kernel for Python."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._made: dict[tuple[Type, ...], tuple[Any, Any, struct.Struct]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call it with numbers, contiguous arrays, records and tuples of these."""
        kinds = tuple(map(type_of, arguments))
        if kinds not in self._made:
            self._made[kinds] = self._compiled(kinds)
        function, result, layout = self._made[kinds]
        numbers: list[Any] = []
        for argument in arguments:
            _gather(argument, numbers)
        memory = ctypes.create_string_buffer(layout.pack(*numbers), max(layout.size, 8 * _count(result), 8))
        function(ctypes.addressof(memory))
        return _unpacked(result, memory.raw, [0])

    def _compiled(self, kinds: tuple[Type, ...]) -> tuple[Any, Any, struct.Struct]:
        from jounce.toolchain.jit import code_folder  # which has all tools

        function = self._kernel.py_func
        if len(kinds) != function.__code__.co_argcount:
            raise TypeError(f"{function.__name__} takes {function.__code__.co_argcount} arguments, not {len(kinds)}")
        key = hashlib.sha256(f"{self._kernel.content().key} {kinds}".encode()).hexdigest()[:24]
        symbol = f"python.{function.__module__}.{function.__name__}.{key}"
        path = code_folder() / f"{symbol}.code"
        code = machine_code.read(path)
        if code is None:
            for block in self._kernel.content().needs:
                block.address  # noqa: B018  linked before what calls it
            code = _made(function, kinds, symbol)
            with suppress(OSError):  # it is compiled again by the next process
                machine_code.write(path, code)
        for block in self._kernel.content().needs:
            block.address  # noqa: B018
        address = machine_code.link(code)[symbol]
        layout = struct.Struct("=" + "".join(map(_layout, kinds)))
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address), code.facts["result"], layout


def _made(function: Any, kinds: tuple[Type, ...], symbol: str) -> Code:
    text, result = entry_text(function, kinds, symbol)
    module = llvm.parse_assembly(text)
    module.verify()
    return emitted(module, [symbol], unroll=False, result=_described(result))


_PLAIN = {bool: BOOL, np.bool_: BOOL, int: INT, np.int64: INT, float: FLOAT, np.float64: FLOAT, complex: COMPLEX}


def type_of(argument: Any) -> Type:
    """The type of an argument from Python."""
    plain = _PLAIN.get(type(argument))
    if plain is not None:
        return plain
    if isinstance(argument, tuple):
        return Group(tuple(map(type_of, argument)))
    if isinstance(argument, np.void) or (isinstance(argument, np.ndarray) and argument.dtype.fields):
        return record_type(argument.dtype)
    if isinstance(argument, np.ndarray):
        return Rows(number_of(argument.dtype), (CARRIED,) * argument.ndim)
    raise TypeError(f"kernels take numbers, arrays and records, not {type(argument).__name__}")


def _layout(kind: Type) -> str:
    """The words of an argument, as ``struct`` names them."""
    if isinstance(kind, Group):
        return "".join(map(_layout, kind.parts))
    if isinstance(kind, Rows):
        return "q" * (1 + len(kind.carried))
    return "d" if kind == FLOAT else "dd" if kind == COMPLEX else "q"


def _gather(argument: Any, numbers: list[Any]) -> None:
    """The numbers of an argument: of an array where it lies and how long it is."""
    if isinstance(argument, tuple):
        for part in argument:
            _gather(part, numbers)
    elif isinstance(argument, np.void):
        numbers.append(argument.__array_interface__["data"][0])
    elif isinstance(argument, np.ndarray):
        if not argument.flags.c_contiguous:
            raise TypeError("kernels take contiguous arrays")
        numbers.append(address_of(argument))
        if not argument.dtype.fields:
            numbers.extend(argument.shape)
    elif isinstance(argument, complex):
        numbers += [argument.real, argument.imag]
    else:
        numbers.append(argument)


def _described(result: Type) -> Any:
    """What a kernel returns, as JSON knows it."""
    if isinstance(result, Group):
        return [_described(part) for part in result.parts]
    if isinstance(result, Number):
        return result.name
    if result == NOTHING:
        return None
    raise TypeError("kernels return numbers")


def _count(result: Any) -> int:
    if isinstance(result, list):
        return sum(map(_count, result))
    return 0 if result is None else 2 if result == COMPLEX.name else 1


def _unpacked(result: Any, memory: bytes, place: list[int]) -> Any:
    """The result from words of eight bytes; ``place`` counts them."""
    if isinstance(result, list):
        return tuple(_unpacked(part, memory, place) for part in result)
    if result is None:
        return None
    first = 8 * place[0]
    place[0] += _count(result)
    kind = NUMBERS[result]
    if kind == COMPLEX:
        return complex(*struct.unpack_from("dd", memory, first))
    (value,) = struct.unpack_from("d" if kind == FLOAT else "q", memory, first)
    return bool(value) if kind == BOOL else value

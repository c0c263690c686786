"""Types of what passes between Python, the blocks of the engine and the functions of a model.

What a call passes is said here, and turned into the types of the translator where something is compiled (translation/).
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Type:
    """Nothing, a number, a pointer to numbers, a record that is passed by its address, or a contiguous array.

    kind          "void", "number", "pointer", "record" or "array"
    dtype         of the number, the record, or what is pointed to
    dimensions    of an array
    """

    kind: str
    dtype: np.dtype | None = None
    dimensions: int = 0

    def __call__(self, *arguments: Type) -> Signature:
        """The signature of a function that returns this."""
        return Signature(self, arguments)

    @property
    def ctype(self) -> Any:
        """The type of ctypes; an array has none, it is passed as its address and its shape."""
        if self.kind == "void":
            return None
        if self.kind == "number":
            return ctypes.c_double if self.dtype == np.float64 else ctypes.c_int64
        return ctypes.c_void_p


@dataclass(frozen=True)
class Signature:
    """What a function returns and takes; written ``i8(f8, pointer)``."""

    result: Type
    arguments: tuple[Type, ...]

    def prototype(self) -> Any:
        """Makes something callable of the address of a C function; calls leave Python's lock to others."""
        return ctypes.CFUNCTYPE(self.result.ctype, *(argument.ctype for argument in self.plain().arguments))

    def plain(self) -> Signature:
        """The signature of the C function: in place of each array a pointer and its shape."""
        arguments: list[Type] = []
        for argument in self.arguments:
            if argument.kind == "array":
                arguments += [Type("pointer", argument.dtype), *[i8] * argument.dimensions]
            else:
                arguments.append(argument)
        return Signature(self.result, tuple(arguments))


def record(dtype: np.dtype) -> Type:
    """A record of this layout."""
    return Type("record", dtype)


void = Type("void")
f8 = Type("number", np.dtype(np.float64))
i8 = Type("number", np.dtype(np.int64))
pointer = Type("pointer", f8.dtype)
integer_pointer = Type("pointer", i8.dtype)
f8_1d = Type("array", f8.dtype, 1)
f8_2d = Type("array", f8.dtype, 2)
f8_3d = Type("array", f8.dtype, 3)
i8_1d = Type("array", i8.dtype, 1)
i8_2d = Type("array", i8.dtype, 2)

STATE_SIGNATURE = void(f8, pointer, pointer, pointer, pointer)
BATCH_SIGNATURE = void(i8, pointer, pointer, pointer, pointer, pointer)

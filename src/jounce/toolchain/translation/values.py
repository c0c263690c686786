"""Values of kernels while they are translated."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from jounce.toolchain.translation.types import BOOL, COMPLEX, FLOAT, INT, Type


class UntranslatableError(Exception):
    """Something that kernels may not do; the message says what."""


class Unknown:
    """In place of a number that is known only when the kernel runs."""


UNKNOWN_NUMBER = Unknown()


@dataclass(frozen=True, slots=True)
class Value:
    """A value of this type under LLVM's name for it; ``known`` where it is a number that is written in the kernel."""

    type: Type
    text: str
    known: Any = UNKNOWN_NUMBER

    @property
    def is_known(self) -> bool:
        """Whether the number is known now."""
        return self.known is not UNKNOWN_NUMBER


@dataclass(frozen=True, slots=True)
class Thing:
    """Something of Python's that is no value of a kernel: a function, a module, a table of constants."""

    object: Any


def constant(number: complex) -> Value:
    """A number that is written in the kernel or is the value of a name of its module."""
    if isinstance(number, bool):
        return Value(BOOL, "true" if number else "false", number)
    if isinstance(number, int):
        if not -(1 << 63) <= number < 1 << 63:
            raise UntranslatableError(f"{number} has more than 64 bits")
        return Value(INT, str(number), number)
    if isinstance(number, float):
        return Value(FLOAT, real_text(number), number)
    return Value(COMPLEX, f"{{ double {real_text(number.real)}, double {real_text(number.imag)} }}", number)


def real_text(number: float) -> str:
    """LLVM's text of a double, to the last bit."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number))
    return f"0x{bits:016X}"

"""What a value in a kernel can be: a number, numbers in a row, a record, several of these, or nothing.

Rows of numbers are contiguous. The length of an axis is known when the kernel is translated (a field of a record), is
carried with the value (an array from Python), or is not known at all, which only the first axis can be: a pointer is a
row of unknown length, and to find an element the length of the first axis is not needed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from jounce.toolchain.abi import Type as CType

UNKNOWN, CARRIED = -1, -2  # lengths of an axis


@dataclass(frozen=True)
class Number:
    """A number; of two numbers in one operation the one of lower rank becomes one of the higher."""

    name: str
    llvm: str
    rank: int
    size: int  # bytes in memory


BOOL = Number("bool", "i1", 0, 1)
INT = Number("int", "i64", 1, 8)
FLOAT = Number("float", "double", 2, 8)
COMPLEX = Number("complex", "{ double, double }", 3, 16)
NUMBERS = {number.name: number for number in (BOOL, INT, FLOAT, COMPLEX)}


@dataclass(frozen=True)
class Nothing:
    """What a function without a result returns."""

    llvm: str = "void"


NOTHING = Nothing()


@dataclass(frozen=True)
class Rows:
    """Numbers in contiguous memory, by axes."""

    element: Number
    lengths: tuple[int, ...]

    @cached_property
    def carried(self) -> tuple[int, ...]:
        """The axes whose lengths the value carries."""
        return tuple(axis for axis, length in enumerate(self.lengths) if length == CARRIED)

    @cached_property
    def llvm(self) -> str:
        """A pointer, with the lengths behind it."""
        return group_text(("ptr", *["i64"] * len(self.carried))) if self.carried else "ptr"

    def without_first_length(self) -> Rows:
        """The same for somebody who does not ask for the length of its first axis."""
        return Rows(self.element, (UNKNOWN, *self.lengths[1:])) if self.lengths[0] >= 0 else self


class Record:
    """A record behind a pointer, by its layout; one object for each layout."""

    llvm = "ptr"

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.fields = dict(dtype.fields or {})
        self.name = hashlib.sha256(repr((dtype.descr, dtype.itemsize)).encode()).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"record {self.name}"


@dataclass(frozen=True)
class Group:
    """Several values: a tuple of Python."""

    parts: tuple[Type, ...]

    @cached_property
    def llvm(self) -> str:
        """A structure that is passed by value."""
        return group_text(tuple(part.llvm for part in self.parts))


Type = Number | Nothing | Rows | Record | Group


def group_text(parts: tuple[str, ...]) -> str:
    """LLVM's name of a structure."""
    return "{ " + ", ".join(parts) + " }"


@cache
def record_type(dtype: np.dtype) -> Record:
    """The type of records of this layout."""
    return Record(dtype)


def number_of(dtype: np.dtype) -> Number:
    """The type of the numbers of an array."""
    if dtype == np.float64:
        return FLOAT
    if dtype == np.int64:
        return INT
    if dtype == np.complex128:
        return COMPLEX
    raise TypeError(f"kernels have no numbers of type {dtype}")


def of_memory(dtype: np.dtype) -> Type:
    """The type of what a field of a record holds."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return Rows(number_of(base), tuple(int(length) for length in shape))
    return record_type(dtype) if dtype.fields else number_of(dtype)


def of_c(kind: CType) -> Type:
    """The type of what a C function takes or returns."""
    if kind.kind == "void":
        return NOTHING
    assert kind.dtype is not None
    if kind.kind == "record":
        return record_type(kind.dtype)
    number = number_of(kind.dtype)
    if kind.kind == "number":
        return number
    return Rows(number, (UNKNOWN,) if kind.kind == "pointer" else (CARRIED,) * kind.dimensions)


def joined(first: Type, second: Type) -> Type | None:
    """The type of a variable that holds now the one, now the other; None if there is none."""
    if first == second:
        return first
    if isinstance(first, Number) and isinstance(second, Number):
        return first if first.rank > second.rank else second
    if isinstance(first, Rows) and isinstance(second, Rows):
        alike = first.element == second.element and first.lengths[1:] == second.lengths[1:]
        return Rows(first.element, (UNKNOWN, *first.lengths[1:])) if alike and not second.carried else None
    if isinstance(first, Group) and isinstance(second, Group) and len(first.parts) == len(second.parts):
        parts = tuple(joined(a, b) for a, b in zip(first.parts, second.parts, strict=True))
        if all(part is not None for part in parts):
            return Group(tuple(part for part in parts if part is not None))
    return None

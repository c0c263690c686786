"""The types of kernels for a reader and for mypy: numbers, and numbers in a row behind a pointer or in an array.

The translator reads which numbers are whole, real or complex from these (translation/module.py). Records have theirs in
kernels/records/fields.py.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

T = TypeVar("T")
# of kernels that are compiled twice: for derivatives by complex steps, and for rows of either kind
Scalar = TypeVar("Scalar", float, complex)
Entry = TypeVar("Entry", int, float)

Real = float
Integer = int
Truth = bool
Complex = complex


class Numbers(Protocol[T]):
    """An array of one dimension, or what lies behind a pointer."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its length; a pointer has none."""
        ...

    @property
    def size(self) -> int:
        """The same."""
        ...

    @overload
    def __getitem__(self, place: int, /) -> T: ...

    @overload
    def __getitem__(self, places: slice, /) -> Numbers[T]: ...

    def __setitem__(self, place: int | slice, value: T, /) -> None: ...


class Numbers2(Protocol[T]):
    """An array of two dimensions: an element, or a row."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its two lengths."""
        ...

    @overload
    def __getitem__(self, place: int, /) -> Numbers[T]: ...

    @overload
    def __getitem__(self, place: tuple[int, int], /) -> T: ...

    def __setitem__(self, place: tuple[int, int], value: T, /) -> None: ...


class Numbers3(Protocol[T]):
    """An array of three dimensions."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its three lengths."""
        ...

    @overload
    def __getitem__(self, place: int, /) -> Numbers2[T]: ...

    @overload
    def __getitem__(self, place: tuple[int, int], /) -> Numbers[T]: ...

    @overload
    def __getitem__(self, place: tuple[int, int, int], /) -> T: ...

    def __setitem__(self, place: tuple[int, int, int], value: T, /) -> None: ...


class Numbers4(Protocol[T]):
    """An array of four dimensions."""

    @overload
    def __getitem__(self, place: tuple[int, int], /) -> Numbers2[T]: ...

    @overload
    def __getitem__(self, place: tuple[int, int, int, int], /) -> T: ...

    def __setitem__(self, place: tuple[int, int, int, int], value: T, /) -> None: ...


Reals = Numbers[float]
Reals2 = Numbers2[float]
Reals3 = Numbers3[float]
Reals4 = Numbers4[float]
Integers = Numbers[int]
Integers2 = Numbers2[int]
Complexes = Numbers[complex]

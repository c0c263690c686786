"""C functions called from Python: blocks of the engine and functions of models."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from jounce.toolchain.abi import Signature

_NOTHING = ctypes.c_char * 0


def address_of(array: np.ndarray) -> int:
    """Where the numbers of a contiguous array lie; asking ``array.ctypes`` takes five times as long."""
    try:
        return ctypes.addressof(_NOTHING.from_buffer(array))  # type: ignore[arg-type]
    except TypeError:  # it is read-only
        return int(array.ctypes.data)


class CFunction:
    """A function at an address.

    Python passes a record as an array of one or as a structure, and arrays as they are: contiguous, with the right
    numbers in them.
    """

    __name__: str
    signature: Signature
    address: int

    @cached_property
    def at_addresses(self) -> Any:
        """The function itself: its arguments are numbers, and addresses of records and arrays."""
        return self.signature.prototype()(self.address)

    def __call__(self, *arguments: Any) -> Any:
        """Call it with numbers, records and arrays."""
        return self.at_addresses(*self._plain_arguments(arguments))

    def bound(self, *arguments: Any) -> Callable[[], Any]:
        """The same call for many times: arguments are checked and their addresses found once."""
        call = partial(self.at_addresses, *self._plain_arguments(arguments))
        call.arguments = arguments  # type: ignore[attr-defined]  # they stay as long as their addresses are known
        return call

    @cached_property
    def _wanted(self) -> list[tuple[str, Any, int]]:
        """(kind, dtype, dimensions) of every argument."""
        return [(argument.kind, argument.dtype, argument.dimensions) for argument in self.signature.arguments]

    def _plain_arguments(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Numbers, and addresses of records and arrays, with shapes."""
        plain: list[Any] = []
        for (kind, dtype, dimensions), argument in zip(self._wanted, arguments, strict=True):
            if kind == "number":
                plain.append(argument)
                continue
            if kind != "array" and isinstance(argument, ctypes.Structure):
                plain.append(ctypes.addressof(argument))
                continue
            own = argument.dtype
            if not (own is dtype or own == dtype) or not argument.flags.c_contiguous:
                raise TypeError(f"{self.__name__}: not a contiguous array of {dtype}")
            if kind != "array":
                plain.append(argument.ctypes.data)
                continue
            if argument.ndim != dimensions:
                raise TypeError(f"{self.__name__}: not an array of {dimensions} dimensions")
            plain.append(address_of(argument))
            plain += argument.shape
        return plain

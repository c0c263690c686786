"""C functions called from Python: blocks of the engine and functions of models."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from jounce.toolchain.abi import Signature


class CFunction:
    """A function at an address.

    Python passes a record as an array of one, and arrays as they are: contiguous, with the right numbers in them.
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
        plain: list[Any] = []
        for wanted, argument in zip(self.signature.arguments, arguments, strict=True):
            if wanted.kind == "number":
                plain.append(argument)
                continue
            dtype = argument.dtype
            if not (dtype is wanted.dtype or dtype == wanted.dtype) or not argument.flags.c_contiguous:
                raise TypeError(f"{self.__name__}: not a contiguous array of {wanted.dtype}")
            plain.append(argument.ctypes.data)
            if wanted.kind == "array":
                if argument.ndim != wanted.dimensions:
                    raise TypeError(f"{self.__name__}: not an array of {wanted.dimensions} dimensions")
                plain += argument.shape
        return self.at_addresses(*plain)

"""What kernels use beside numbers: other kernels, C functions, memory at an address.

The translator knows each by its type (translation/calls.py); called from Python it does what it does where kernels run
as Python (python_mode.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from jounce.toolchain import python_mode
from jounce.toolchain.abi import BATCH_SIGNATURE, STATE_SIGNATURE, Signature, Type
from jounce.toolchain.keys import Content, content_of

#: numbers of one piece of scratch
SCRATCH = 2048


class Tool:
    """Something that kernels use."""

    def __init__(self, key: str, plain: Callable[..., Any]) -> None:
        self._key, self._plain = key, plain

    def content(self) -> Content:
        """What it adds to a function that uses it (keys.py)."""
        return Content(self._key, frozenset())

    def __call__(self, *arguments: Any) -> Any:
        """What it does where kernels run as Python."""
        return self._plain(*arguments)


class RecordAt(Tool):
    """A function of kernels: the record of this type at an address."""

    def __init__(self, record: Type) -> None:
        super().__init__(f"record_at {record}", python_mode.record_at(record))
        self.record = record


class CallAt(Tool):
    """A function of kernels: calls the C function of this signature at the address that is its first argument."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(f"call_at {signature}", python_mode.call_at(signature))
        self.signature = signature


class CBlock(Tool):
    """A C function of the engine, which kernels know by its symbol and its signature."""

    symbol: str
    signature: Signature

    def content(self) -> Content:
        """A caller depends on its symbol and its signature, not on what is in it."""
        return Content(f"{self.symbol} {self.signature}", frozenset([self]))


class Kernel(Tool):
    """A function of the engine, built into whatever calls it, or compiled for Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__doc__ = function.__doc__

    def content(self) -> Content:
        """All of it is built into its caller."""
        return content_of(self.py_func)

    @cached_property
    def _for_python(self) -> Callable[..., Any]:
        if python_mode.CHOSEN:
            return python_mode.plain(self.py_func)
        from jounce.toolchain.from_python import FromPython  # which compiles

        return FromPython(self)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self._for_python(*arguments)


def _in_python(kind: complex) -> np.ndarray:
    return np.full(SCRATCH, math.nan, type(kind))


#: address(array or pointer, offset): the pointer to an element, counted flat
address = Tool("address", python_mode.address)
#: scratch(0.0) or scratch(0j): a pointer to SCRATCH numbers of that kind on the stack of the function that asks
scratch = Tool(f"scratch {SCRATCH}", _in_python)
#: copy_record(target, source): overwrite one record by another of the same type
copy_record = Tool("copy_record", python_mode.copy_record)
#: a function of a model at one state, and at many
call_state, call_batch = CallAt(STATE_SIGNATURE), CallAt(BATCH_SIGNATURE)

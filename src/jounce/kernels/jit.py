"""The decorators of the kernels and of generated models.

A model reaches the engine as the addresses of C functions: the engine is compiled once per machine, whatever the model,
and a model's functions are compiled once per model. Every model function has one of two signatures on raw pointers
to float64:

    f(t, q, u, p, out)                 one state
    f(count, t, q, u, p, out)          ``count`` states, row after row

A call costs 2 ns where array arguments cost 8 ns, one signature serves every shape, and an address is a plain integer
that fits into the records on which the engine works (docs/decisions/0001-records-and-addresses.md).

What has been compiled is kept as machine code in a folder whose name carries a hash of all of kernels/ and of the tools
that made it. Where it is found nothing but the linker is asked (docs/decisions/0011-machine-code-in-files.md). Where it
is missing, the first block has the whole engine compiled by several processes (build.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from jounce.kernels import build, machine_code
from jounce.kernels.abi import BATCH_SIGNATURE, STATE_SIGNATURE, Signature, Type

MEMORY = 16  # numbers that the engine may keep behind the parameters: two for each compliant contact


def cache_root() -> Path:
    """The folder for everything Jounce keeps between sessions: $JOUNCE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("JOUNCE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "jounce"


def _hash(*parts: bytes) -> str:
    digest = hashlib.sha256(machine_code.toolchain().encode())
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]


_TEXTS = {file: _hash(file.read_bytes()) for file in sorted(build.HERE.glob("*.py"))}
KERNEL_HASH = _hash(*(f"{file.name}={text};".encode() for file, text in _TEXTS.items()))
_MODEL_HASH = _hash(*(_TEXTS[build.HERE / f"{name}.py"].encode() for name in ("abi", "compiler", "jit", "nothing")))


@cache
def _kernel_folder() -> Path:
    return build.target or build.usable(cache_root() / f"kernels-{KERNEL_HASH}")


def _model_folder() -> Path:
    return build.usable(cache_root() / f"models-{_MODEL_HASH}")


class Tool:
    """Something that kernels use and that exists only where they are compiled: Numba asks for its type."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def made(self) -> Any:
        """What Numba works with."""
        return self._make()

    @cached_property
    def _numba_type_(self) -> Any:
        from jounce.kernels.compiler import type_of

        return type_of(self.made)


class Kernel(Tool):
    """A function of the engine, compiled for the types it meets, into whatever calls it or for Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__doc__ = function.__doc__

    @cached_property
    def made(self) -> Any:
        """What other kernels call."""
        from jounce.kernels.compiler import inner

        return inner(self.py_func)

    @cached_property
    def _for_python(self) -> Any:
        from jounce.kernels.compiler import outer

        return outer(self.py_func, _kernel_folder())

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self._for_python(*arguments)


kernel = Kernel


class Block(Tool):
    """A C function: its address for records, its symbol for other kernels; callable from Python.

    Python passes a record as an array of one, and arrays as they are: contiguous, with the right numbers in them.
    """

    def __init__(self, function: Callable[..., Any], signature: Signature, symbol: str, address: int) -> None:
        self.py_func, self.signature, self.symbol, self.address = function, signature, symbol, address
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def made(self) -> Any:
        """What Numba calls."""
        from numba import types

        from jounce.kernels.compiler import numba_signature

        return types.ExternalFunction(self.symbol, numba_signature(self.signature))

    @cached_property
    def at_addresses(self) -> Any:
        """The C function itself: its arguments are numbers, and addresses of records and arrays."""
        return self.signature.prototype()(self.address)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
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


def block(signature: Signature) -> Callable[[Callable[..., Any]], Block]:
    """A part of the engine that is compiled by itself and called through the linker.

    Numba compiles a function together with everything below it, again at every level above: a loop ten levels deep took
    minutes. A block is a C function of its own; callers see only its symbol.
    """

    def decorate(function: Callable[..., Any]) -> Block:
        symbol, folder = f"jounce_{function.__name__}_{KERNEL_HASH}", _kernel_folder()
        if build.deferred is not None:
            build.deferred.append(build.Deferred(function, lambda: _make(function, signature, symbol, folder)))
            return Block(function, signature, symbol, machine_code.promise(symbol))
        build.prepare(folder)
        return _linked(function, signature, symbol, folder)

    return decorate


def state_model_function(function: Callable[..., Any]) -> Block:
    """A generated function f(t, q, u, p, out)."""
    return _model_function(function, STATE_SIGNATURE)


def batch_model_function(function: Callable[..., Any]) -> Block:
    """A generated function f(count, t, q, u, p, out)."""
    return _model_function(function, BATCH_SIGNATURE)


def _model_function(function: Callable[..., Any], signature: Signature) -> Block:
    return _linked(function, signature, f"{function.__module__}.{function.__name__}", _model_folder())


def _linked(function: Callable[..., Any], signature: Signature, symbol: str, folder: Path) -> Block:
    """The function with its machine code, from the folder or made now and kept there."""
    path = folder / f"{symbol}.code"
    code = machine_code.read(path)
    if code is None:
        with build.locked(folder):
            # another process may have been faster
            code = machine_code.read(path) or _make(function, signature, symbol, folder)
    return Block(function, signature, symbol, machine_code.link(code))


def _make(function: Callable[..., Any], signature: Signature, symbol: str, folder: Path) -> machine_code.Code:
    """Compile a function and keep its code, unless its file was edited since the folder got its name."""
    from jounce.kernels.compiler import compiled

    code = compiled(function, signature, symbol)
    file = Path(function.__code__.co_filename)
    if file not in _TEXTS or _hash(file.read_bytes()) == _TEXTS[file]:
        machine_code.write(folder / f"{symbol}.code", code)
    return code


def _intrinsic(name: str) -> Tool:
    return Tool(lambda: getattr(import_module("jounce.kernels.intrinsics"), name))


#: address(array or pointer, offset): the pointer to an element, counted flat
address = _intrinsic("address")
#: copy_record(target, source): overwrite one record by another of the same type
copy_record = _intrinsic("copy_record")


def record_at(record: Type) -> Tool:
    """A function of kernels: the record of this type at an address."""

    def make() -> Any:
        from jounce.kernels import compiler, intrinsics

        return intrinsics.record_at(compiler.numba_type(record))

    return Tool(make)


def stack_space(count: int) -> Tool:
    """A function of kernels: a pointer to room for ``count`` numbers that lasts until the caller returns."""
    return Tool(lambda: import_module("jounce.kernels.intrinsics").stack_space(count))


def call_at(signature: Signature) -> Tool:
    """A function of kernels: calls the C function of this signature at the address that is its first argument."""

    def make() -> Any:
        from jounce.kernels import compiler, intrinsics

        return intrinsics.call_at(compiler.numba_signature(signature))

    return Tool(make)


call_state = call_at(STATE_SIGNATURE)
call_batch = call_at(BATCH_SIGNATURE)


def evaluate(function: Block, t: float, q: Any, u: Any, p: Any, out: Any) -> None:
    """Call one function f(t, q, u, p, out) of a model from Python.

    Behind the parameters lies the engine's memory of compliant contacts: here none is pressed. All arrays are put into
    one, since NumPy takes longer to say where an array lies than the function takes.
    """
    n = q.size
    end = 2 * n + p.size + MEMORY
    numbers = np.zeros(end + out.size)
    numbers[:n], numbers[n : 2 * n], numbers[2 * n : 2 * n + p.size], numbers[end:] = q, u, p, out
    begin, size = numbers.ctypes.data, numbers.itemsize
    function.at_addresses(t, begin, begin + size * n, begin + 2 * size * n, begin + size * end)
    out[:] = numbers[end:]

"""The one decorator of the kernels and of generated models, and the types of the function pointers.

A model reaches the engine as the addresses of C functions: the engine is compiled once per machine, whatever the model,
and a model's functions are compiled once per model. Every model function has one of two signatures on raw pointers
to float64:

    f(t, q, u, p, out)                 one state
    f(count, t, q, u, p, out)          ``count`` states, row after row

A call costs 2 ns where array arguments cost 8 ns, one signature serves every shape, and an address is a plain integer
that fits into the records on which the engine works (docs/decisions/0001-records-and-addresses.md).

Numba keys its cache by the file of the function itself: editing a helper in another file would leave a stale caller
behind. So the cache folder carries a hash of all of kernels/ and of Numba's version. The first use of a block has the
whole engine compiled by several processes (build.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.extending import intrinsic

from jounce.kernels import build
from jounce.kernels.placement import PlacedCompiler

f8 = types.float64
i8 = types.int64
pointer = types.CPointer(f8)
integer_pointer = types.CPointer(i8)
f8_1d = types.Array(f8, 1, "C")
f8_2d = types.Array(f8, 2, "C")
f8_3d = types.Array(f8, 3, "C")
i8_1d = types.Array(i8, 1, "C")
i8_2d = types.Array(i8, 2, "C")

MEMORY = 16  # numbers that the engine may keep behind the parameters: two for each compliant contact

UNUSED_ADDRESS = 1 << 20

STATE_SIGNATURE = types.void(f8, pointer, pointer, pointer, pointer)
BATCH_SIGNATURE = types.void(i8, pointer, pointer, pointer, pointer, pointer)


def cache_root() -> Path:
    """The folder for everything Jounce keeps between sessions: $JOUNCE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("JOUNCE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "jounce"


def _kernel_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


KERNEL_HASH = _kernel_hash()


@cache
def _kernel_folder() -> Path:
    return build.usable(cache_root() / f"kernels-{KERNEL_HASH}")


def _model_folder() -> Path:
    return build.usable(cache_root() / f"models-{numba.__version__}")


@contextmanager
def _numba_set(**settings: Any) -> Iterator[None]:
    """Settings of Numba for one decoration; the user's own come back afterwards."""
    before = {name: getattr(config, name) for name in settings}
    for name, value in settings.items():
        setattr(config, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def _compiling() -> Any:
    """How the engine is compiled: cached by content; loops over one to three coordinates are slower as vectors."""
    return _numba_set(
        CACHE_DIR=str(_kernel_folder()),
        CACHE_LOCATOR_CLASSES="jounce.kernels.build.ContentLocator,UserProvidedCacheLocator",
        LOOP_VECTORIZE=0,
    )


def kernel(function: Callable[..., Any]) -> Any:
    """A function of the engine, compiled on first use for the types it meets."""
    with _compiling():
        return numba.njit(cache=True, error_model="numpy")(function)


def entry(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """An entry into the engine from Python: an explicit signature, compiled at import or loaded from the cache."""

    def decorate(function: Callable[..., Any]) -> Any:
        def compiled() -> Any:
            with _compiling():
                return numba.njit(signature, cache=True, error_model="numpy", nogil=True)(function)

        if build.deferred is not None:
            build.deferred.append(build.Deferred(function, compiled))
            return function
        with build.locked(_kernel_folder()):
            return compiled()

    return decorate


def state_model_function(function: Callable[..., Any]) -> Any:
    """A generated function f(t, q, u, p, out) with a C address."""
    with _numba_set(CACHE_DIR=str(_model_folder())):
        return numba.cfunc(STATE_SIGNATURE, cache=True, pipeline_class=PlacedCompiler, error_model="numpy")(function)


def batch_model_function(function: Callable[..., Any]) -> Any:
    """A generated function f(count, t, q, u, p, out) with a C address."""
    with _numba_set(CACHE_DIR=str(_model_folder())):
        return numba.cfunc(BATCH_SIGNATURE, cache=True, pipeline_class=PlacedCompiler, error_model="numpy")(function)


def block(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """A part of the engine that is compiled by itself and called through the linker.

    Numba compiles a function together with everything below it, again at every level above: a loop ten levels deep took
    minutes. A block is a C function of its own; callers see only its symbol. Arguments are records, pointers, numbers.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        symbol = f"jounce_{function.__name__}_{KERNEL_HASH}"

        def compiled() -> Any:
            with _compiling():
                return numba.cfunc(signature, cache=True, pipeline_class=PlacedCompiler, error_model="numpy")(function)

        if build.deferred is not None:
            # a process that only compiles: the linker wants an address, nobody will go there
            llvm.add_symbol(symbol, UNUSED_ADDRESS)
            build.deferred.append(build.Deferred(function, compiled))
        else:
            build.prepare(_kernel_folder())
            with build.locked(_kernel_folder()):
                _blocks[function.__name__] = compiled()
            llvm.add_symbol(symbol, _blocks[function.__name__].address)
        return types.ExternalFunction(symbol, signature)

    return decorate


_blocks: dict[str, Any] = {}  # keeps the machine code alive


def block_address(name: str) -> int:
    """Where the block of this name lies, for a record that carries it."""
    return int(_blocks[name].address)


def call_at(signature: Any) -> Any:
    """What an intrinsic returns that calls the block of this signature at the address that is its first argument."""

    def generate(context, builder, _, arguments):  # type: ignore[no-untyped-def]
        description = ExternalFunctionDescriptor("block", signature.return_type, signature.args)
        function = builder.inttoptr(arguments[0], context.get_external_function_type(description).as_pointer())
        return context.call_external_function(builder, function, signature.args, arguments[1:])

    return signature.return_type(i8, *signature.args), generate


@intrinsic
def address(typing_context, array, offset):  # type: ignore[no-untyped-def]
    """The pointer to element ``offset`` of a contiguous array or of a pointer, counted flat."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        from numba.np.arrayobj import make_array

        if isinstance(signature.args[0], types.CPointer):
            data = arguments[0]
        else:
            data = make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return types.CPointer(array.dtype)(array, i8), generate


@intrinsic
def copy_record(typing_context, target, source):  # type: ignore[no-untyped-def]
    """Overwrite one record by another of the same type."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        from numba.core import cgutils

        byte = ir.IntType(8).as_pointer()
        to, origin = (builder.bitcast(argument, byte) for argument in arguments)
        cgutils.raw_memcpy(builder, to, origin, ir.Constant(ir.IntType(64), signature.args[0].size), 1)
        return context.get_dummy_value()

    return types.void(target, source), generate


def record_at(record: types.Record) -> Any:
    """A function of kernels: the record of this type at an address."""

    @intrinsic
    def at(typing_context, location):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.inttoptr(arguments[0], context.get_value_type(record))

        return record(i8), generate

    return at


def _call(context, builder, arguments, leading):  # type: ignore[no-untyped-def]
    double = ir.DoubleType()
    signature = ir.FunctionType(ir.VoidType(), [*leading, *[double.as_pointer()] * (len(arguments) - 1 - len(leading))])
    builder.call(builder.inttoptr(arguments[0], signature.as_pointer()), arguments[1:])
    return context.get_dummy_value()


@intrinsic
def call_state(typing_context, function, t, q, u, p, out):  # type: ignore[no-untyped-def]
    """Call the model function f(t, q, u, p, out) at an address."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _call(context, builder, arguments, [ir.DoubleType()])

    return types.void(i8, f8, pointer, pointer, pointer, pointer), generate


@intrinsic
def call_batch(typing_context, function, count, t, q, u, p, out):  # type: ignore[no-untyped-def]
    """Call the model function f(count, t, q, u, p, out) at an address."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _call(context, builder, arguments, [ir.IntType(64)])

    return types.void(i8, i8, pointer, pointer, pointer, pointer, pointer), generate


@entry(types.void(i8, f8, f8_1d, f8_1d, f8_1d, f8_1d))
def _evaluate(function, t, q, u, p, out):  # type: ignore[no-untyped-def]
    call_state(function, t, address(q, 0), address(u, 0), address(p, 0), address(out, 0))


def evaluate(function: Any, t: float, q: Any, u: Any, p: Any, out: Any) -> None:
    """Call one model function from Python; the arrays are contiguous float64.

    Behind the parameters lies the engine's memory of compliant contacts: here none is pressed.
    """
    padded = np.zeros(p.size + MEMORY)
    padded[: p.size] = p
    _evaluate(function.address, t, q, u, padded, out)

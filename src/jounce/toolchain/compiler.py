"""From Python functions to machine code, by Numba; imported only where something is compiled.

Numba's function for C comes with a way out for exceptions: it asks Python for its lock and prints a traceback. Kernels
raise none, and the helpers of Numba's runtime on that way are not there when the code is loaded without Numba
(machine_code.py). They are replaced by an end with a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numba
from llvmlite import binding as llvm
from numba import types

from jounce.toolchain.abi import Signature, Type
from jounce.toolchain.emission import Code, emitted
from jounce.toolchain.numba_private import (
    KernelCompiler,
    config,
    cpu_target,
    intermediate_code_only,
    linked_text,
    without_literals,
)

LINE = 64  # bytes of a line of the instruction cache
LINES = 61  # offsets, in lines: a page has 64

_HELPER = re.compile(r"^declare (?P<head>[^\n]*@(?:numba|NRT)_\w+\([^\n]*)$", re.MULTILINE)
_END = "call void @Py_FatalError(ptr @jounce_message)\n  unreachable\n}"
_MESSAGE = b"jounce: compiled code met an exception, which it never should\0"


@contextmanager
def _numba_set(**settings: Any) -> Iterator[None]:
    """Settings of Numba for one compilation; the user's own come back afterwards.

    NUMBA_DISABLE_JIT is for the user's functions: the engine does not exist without a compiler.
    """
    settings["DISABLE_JIT"] = 0
    before = {name: getattr(config, name) for name in settings}
    for name, value in settings.items():
        setattr(config, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def inner(function: Callable[..., Any]) -> Any:
    """Numba's function for other kernels to call, without the ways into it from Python and C that nobody takes.

    Kernels allocate nothing: without Numba's runtime (``_nrt``) nothing counts references to the arrays in records.
    """
    with _numba_set():
        return without_literals(
            numba.njit(
                error_model="numpy",
                no_cpython_wrapper=True,
                no_cfunc_wrapper=True,
                pipeline_class=KernelCompiler,
                _nrt=False,
            )(function)
        )


def outer(function: Callable[..., Any], folder: Path) -> Any:
    """Numba's function for Python to call, cached by content in ``folder``."""
    locators = "jounce.toolchain.content_locator.ContentLocator,UserProvidedCacheLocator"
    with _numba_set(CACHE_DIR=str(folder), CACHE_LOCATOR_CLASSES=locators, LOOP_VECTORIZE=0):
        return numba.njit(cache=True, error_model="numpy")(function)


@cache
def numba_type(argument: Type) -> Any:
    """What Numba calls this type."""
    if argument.kind == "void":
        return types.void
    of = numba.from_dtype(argument.dtype)
    if argument.kind == "pointer":
        return types.CPointer(of)
    return types.Array(of, argument.dimensions, "C") if argument.kind == "array" else of


def numba_signature(signature: Signature) -> Any:
    """What Numba calls this signature."""
    return numba_type(signature.result)(*(numba_type(argument) for argument in signature.arguments))


def type_of(thing: Any) -> Any:
    """The type by which Numba knows a function."""
    context = cpu_target.typing_context
    context.refresh()  # it may have been made just now
    return context.resolve_value_type(thing)


def compiled(function: Callable[..., Any], signature: Signature, symbol: str) -> Code:
    """The machine code of a function of kernels."""
    # Numba keeps its own function beside the one for C, since others might call that: with only the latter left, an
    # impact of the ball on its table takes a sixth less time. Without unrolling it takes a ninth less.
    return emitted(translated(function, signature, symbol), [symbol], unroll=False)


def translated(function: Callable[..., Any], signature: Signature, symbol: str) -> llvm.ModuleRef:
    """LLVM's module of a function of kernels with everything below it but blocks, not yet optimised."""
    plain = signature.plain()
    has_arrays = plain != signature
    target = _with_plain_arguments(function, signature) if has_arrays else function
    settings = {"error_model": "numpy", "pipeline_class": KernelCompiler, "_nrt": has_arrays}
    with _numba_set(LOOP_VECTORIZE=0), intermediate_code_only():
        callback = numba.cfunc(numba_signature(plain), **settings)(target)
        text = linked_text(callback)
    module = llvm.parse_assembly(_placed(_without_helpers(text), callback.native_name, function))
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != callback.native_name:
            value.linkage = "internal"
    module.get_function(callback.native_name).name = symbol
    module.verify()
    return module


def _with_plain_arguments(function: Callable[..., Any], signature: Signature) -> Callable[..., Any]:
    """The function of pointers and shapes that makes arrays of them and calls ``function``."""
    names, values = [], []
    for k, argument in enumerate(signature.arguments):
        names.append(f"a{k}")
        if argument.kind == "array":
            shape = [f"a{k}_{axis}" for axis in range(argument.dimensions)]
            names += shape
            values.append(f"carray(a{k}, ({', '.join(shape)},))")
        else:
            values.append(f"a{k}")
    space = {"function": inner(function), "carray": numba.carray}
    exec(f"def plain({', '.join(names)}):\n    return function({', '.join(values)})\n", space)
    return space["plain"]  # type: ignore[return-value]


def _without_helpers(text: str) -> str:
    """LLVM's text with the helpers of Numba's runtime replaced by an end with a message."""
    text, count = _HELPER.subn(lambda match: f"define internal {match['head']} {{\n  {_END}", text)
    if not count:
        return text
    message = "".join(f"\\{byte:02x}" for byte in _MESSAGE)
    text += f'\n@jounce_message = private constant [{len(_MESSAGE)} x i8] c"{message}"\n'
    return text if "@Py_FatalError(" in text.replace(_END, "") else text + "declare void @Py_FatalError(ptr)\n"


def prefix_length(name: str) -> int:
    """Bytes before the function of this name (see docs/decisions/0010).

    The linker gives every function pages of its own and puts it at their beginning. Here each function lies behind a
    prefix of its own length: an impact of the ball on its table was measured to take a tenth less time. The likely
    reason: a cache of instructions has eight places for lines at equal offsets within a page, and an impact runs
    through two dozen functions, whose first lines would throw one another out.
    """
    return LINE * (crc32(name.encode()) % LINES)


def _placed(text: str, name: str, function: Callable[..., Any]) -> str:
    """LLVM's text with the prefix before the function (LLVM language reference, "Prefix Data")."""
    head = re.compile(rf'^(define [^\n]*@"?{re.escape(name)}"?\([^\n]*) \{{$', re.MULTILINE)
    text, count = head.subn(rf"\1 prefix [{prefix_length(function.__name__)} x i8] zeroinitializer {{", text)
    if count != 1:
        raise RuntimeError(f"{name} is not defined once in its own module")
    return text

"""The names of Numba that its documentation does not promise, in one place.

tests/toolchain/test_numba_private.py says what each is for, and what to do when a version of Numba has it no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba import types
from numba.core import config, transforms
from numba.core.base import BaseContext
from numba.core.caching import _CacheLocator as CacheLocator
from numba.core.cgutils import raw_memcpy
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.registry import cpu_target
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext as TypingBase
from numba.core.typing.context import Context as TypingContext
from numba.core.untyped_passes import FixupArgs, GenericRewrites, IRProcessing, ReconstructSSA, TranslateByteCode
from numba.np import arrayobj
from numba.np.arrayobj import make_array

__all__ = [
    "CacheLocator",
    "ExternalFunctionDescriptor",
    "KernelCompiler",
    "config",
    "cpu_target",
    "intermediate_code_only",
    "linked_text",
    "make_array",
    "raw_memcpy",
    "without_literals",
]

_PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, GenericRewrites, ReconstructSSA, NopythonTypeInference,
    PreLowerStripPhis, IRLegalization, NativeLowering, NoPythonBackend,
)  # fmt: skip


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's way from bytecode to LLVM without what kernels have none of: closures, ``with``, array expressions."""

    def define_pipelines(self) -> list[PassManager]:
        """Its passes in order."""
        passes = PassManager("kernel")
        for step in _PASSES:
            passes.add_pass(step, step._name)
        passes.finalize()
        return [passes]


def without_literals(dispatcher: Any) -> Any:
    """Let callers have one version of a function for all integers, not one for each number they write in a call."""

    def get_call_template(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        plain = tuple(types.unliteral(argument) for argument in arguments)
        return type(dispatcher).get_call_template(dispatcher, plain, keywords)

    dispatcher.get_call_template = get_call_template
    return dispatcher


@contextmanager
def intermediate_code_only() -> Iterator[None]:
    """Numba translates, builds callees in and makes no machine code; nobody else compiles meanwhile.

    Numba optimises a function with everything below it and makes machine code of it, again at every level above. What
    counts is the code of the outermost level, which emission.py optimises and makes. Nor does it look up anew, for
    every sum and every element of an array, which of all its implementations serves these types, or write the layout of
    a record anew for every pass, or import and register all its own implementations again before every function, or
    find out after every pass where which variable lives, which only generators and lifted loops ask for. The engine
    takes less than half the processor time to compile, and is shorter.
    """
    cpu_target.target_context.refresh()  # what Numba has of its own, once
    own_call_type, own_text = BaseFunction.get_call_type, types.Record.__repr__

    def call_type(function: Any, context: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if keywords:
            return own_call_type(function, context, arguments, keywords)
        known = vars(function).setdefault("jounce_call_types", {})
        if known.get(arguments) is None:
            known[arguments] = own_call_type(function, context, arguments, keywords)
        return known[arguments]

    def text(record: Any) -> str:
        return str(vars(record).get("jounce_text") or vars(record).setdefault("jounce_text", own_text(record)))

    own_install = {context: context.install_registry for context in (BaseContext, TypingBase)}

    def install(context: Any, registry: Any) -> None:
        known, size = vars(context).setdefault("jounce_registries", {}), _entries(registry)
        if known.get(registry) != size:
            own_install[TypingBase if isinstance(context, TypingBase) else BaseContext](context, registry)
            known[registry] = size

    with global_compiler_lock, ExitStack() as stack:
        for owner, name, replacement in (
            (JITCodeLibrary, "_optimize_final_module", _build_in),
            (JITCodeLibrary, "_finalize_specific", _do_nothing),
            (JITCodeLibrary, "get_pointer_to_function", _no_address),
            (JITCPUCodegen, "_add_module", _do_nothing),
            (JITCPUCodegen, "set_env", _do_nothing),
            (BaseFunction, "get_call_type", call_type),
            (types.Record, "__repr__", text),
            (arrayobj, "fix_integer_index", _plain_index),
            (PostProcessor, "run", _only_order),
            (BaseContext, "install_registry", install),
            (TypingBase, "install_registry", install),
            (TypingBase, "_load_builtins", _do_nothing),
            (CPUContext, "load_additional_registries", _install_what_is_new),
            (TypingContext, "load_additional_registries", _install_what_is_new),
        ):
            stack.enter_context(_replaced(owner, name, replacement))
        yield


@contextmanager
def _replaced(owner: Any, name: str, replacement: Any) -> Iterator[None]:
    """An attribute of a class or of a module replaced for a while."""
    own = vars(owner).get(name)
    setattr(owner, name, replacement)
    try:
        yield
    finally:
        if own is None:  # it was inherited
            delattr(owner, name)
        else:
            setattr(owner, name, own)


def linked_text(callback: Any) -> str:
    """LLVM's text of a C callback with everything below it."""
    callback._library._ensure_finalized()
    return str(callback.inspect_llvm())


def _build_in(library: Any) -> None:
    """The first, cheap half of Numba's own optimisation: small callees become part of their callers."""
    settings = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
    passes, builder = library._codegen._module_pass_manager(**settings)
    passes.run(library._final_module, builder)


def _plain_index(context: Any, builder: Any, index_type: Any, index: Any, size: Any) -> Any:
    """An index as it is: no kernel counts from the end of an array, and to ask for that costs at every element."""
    return context.cast(builder, index, index_type, types.intp)


_own_processing = PostProcessor.run


def _only_order(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Blocks in order, and the ends of variables where they are asked for."""
    code = processor.func_ir
    if code.is_generator:
        _own_processing(processor, emit_dels, extend_lifetimes)
        return
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime = VariableLifetime(code.blocks)  # computed by whoever reads it
    code.generator_info = None
    if emit_dels:
        processor._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _entries(registry: Any) -> int:
    """How many implementations are registered: they are added, never taken away."""
    return sum(len(entries) for entries in vars(registry).values() if isinstance(entries, list))


def _install_what_is_new(context: Any) -> None:
    """What has been registered since: implementations that Numba itself makes as it compiles."""
    for registry in list(context._registries):
        context.install_registry(registry)


def _do_nothing(*arguments: Any) -> None:
    """In place of the machine code of a library, of its place in Numba's linker and of what is written into it."""


def _no_address(library: Any, name: str) -> int:
    """In place of the address of machine code that is not made."""
    return 0

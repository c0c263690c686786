"""From LLVM's intermediate code to object code, for a processor."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from llvmlite import binding as llvm

# intrinsics for which no processor has an instruction
_CALLED_INTRINSICS = {"sin", "cos", "exp", "log", "pow"}


class Code(NamedTuple):
    """The object code of some functions.

    symbols    their names for the linker
    needs      names of everything they call or read that is not their own
    facts      what else is known of them, as JSON knows it
    """

    symbols: tuple[str, ...]
    needs: tuple[str, ...]
    content: bytes
    facts: dict[str, Any]


class Target(NamedTuple):
    """The processor for which code is made."""

    triple: str
    name: str
    features: str


@cache
def target() -> Target:
    """This processor, or the one that JOUNCE_CPU_NAME and JOUNCE_CPU_FEATURES name in LLVM's words."""
    name, features = (os.environ.get(f"JOUNCE_CPU_{key}") for key in ("NAME", "FEATURES"))
    return Target(
        llvm.get_process_triple(),
        name or llvm.get_host_cpu_name(),
        _host_features() if features is None else features,
    )


def _host_features() -> str:
    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM does not know those of every processor
        return ""


@cache
def toolchain() -> str:
    """A hash of what makes machine code of a text by LLVM: code from another one is never loaded."""
    return hashlib.sha256("\n".join((version("llvmlite"), *target())).encode()).hexdigest()[:16]


def create_target_machine(level: int) -> llvm.TargetMachine:
    """LLVM's idea of the processor; the same for making code and for linking it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features = target()
    relocation = "static" if triple.startswith(("x86", "i386", "i686")) else "default"
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name, features=features, opt=level, reloc=relocation, codemodel="jitdefault", jit=True
    )


def emitted(module: llvm.ModuleRef, symbols: Sequence[str], unroll: bool = True, **facts: Any) -> Code:
    """The machine code of a module in which nothing but ``symbols`` must be left.

    Loops over one to three coordinates are slower as vectors, and those whose length is known only when they run are
    slower written out (``unroll``) eight times, with a way around that for the rest.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    options.loop_unrolling = unroll
    machine = _target_machine()
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    values = (*module.functions, *module.global_variables)
    names = {_name_for_linker(value.name) for value in values if value.is_declaration}
    return Code(tuple(symbols), tuple(sorted(names - {""})), machine.emit_object(module), facts)


def _name_for_linker(name: str) -> str:
    """What the linker will look for: the function of C behind an intrinsic of LLVM, or nothing where there is none."""
    if not name.startswith("llvm."):
        return name
    function = name.split(".")[1]
    return function if function in _CALLED_INTRINSICS else ""


@cache
def _target_machine() -> llvm.TargetMachine:
    return create_target_machine(3)

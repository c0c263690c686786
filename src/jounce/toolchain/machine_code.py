"""Compiled functions in files, and their way into the process.

A file holds one function: a line that names it and what it calls, then the object code. LLVM links it; Numba, which
made it (compiler.py), is not needed for that and not imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import threading
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding as llvm

_UNUSED_ADDRESS = 1 << 20
_LINKING = threading.Lock()


class Code(NamedTuple):
    """The object code of one function.

    symbol    its name for the linker
    needs     names of everything it calls or reads that is not its own
    """

    symbol: str
    needs: tuple[str, ...]
    content: bytes


class Target(NamedTuple):
    """The processor for which code is made."""

    triple: str
    name: str
    features: str


@cache
def target() -> Target:
    """This processor, or the one that Numba's own settings NUMBA_CPU_NAME and NUMBA_CPU_FEATURES ask for."""
    name, features = (os.environ.get(f"NUMBA_CPU_{key}") for key in ("NAME", "FEATURES"))
    return Target(
        llvm.get_process_triple(),
        name or llvm.get_host_cpu_name(),
        _host_features() if features is None else features,
    )


def _host_features() -> str:
    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM does not know those of every processor; Numba goes without, too
        return ""


@cache
def toolchain() -> str:
    """A hash of what makes machine code of a text: code from another one is never loaded."""
    parts = (sys.version.split()[0], version("numba"), version("llvmlite"), *target())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def write(path: Path, code: Code) -> None:
    """Keep the code, whole or not at all."""
    head = {"symbol": code.symbol, "needs": list(code.needs)}
    head["sha256"] = _digest(head, code.content)
    descriptor, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + code.content)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: Path) -> Code | None:
    """The code that was kept; None if there is none or it is damaged."""
    try:
        line, _, content = path.read_bytes().partition(b"\n")
        head = json.loads(line)
        if head.pop("sha256") != _digest(head, content):
            return None
        return Code(head["symbol"], tuple(head["needs"]), content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _digest(head: dict[str, Any], content: bytes) -> str:
    """Of everything in a file: a damaged name would make the linker look for another function."""
    return hashlib.sha256(json.dumps(head, sort_keys=True).encode() + b"\n" + content).hexdigest()


def link(code: Code) -> int:
    """The address of the function, ready to be called; later functions find it by its symbol."""
    with _LINKING:
        return _link(code, _linker())


def _link(code: Code, linker: llvm.ExecutionEngine) -> int:
    known = llvm.address_of_symbol(code.symbol)
    if known is not None:
        return int(known)
    # LLVM ends the process where a name is missing
    missing = [name for name in code.needs if llvm.address_of_symbol(name) is None]
    if missing or os.name == "nt":
        import numba  # noqa: F401  tells LLVM where the functions of its runtime and of C lie

        missing = [name for name in missing if llvm.address_of_symbol(name) is None]
    if missing:
        raise ImportError(f"machine code of {code.symbol} needs {', '.join(missing)}, which this process does not have")
    linker.add_object_file(llvm.ObjectFileRef.from_data(code.content))
    address = int(linker.get_function_address(code.symbol))
    llvm.add_symbol(code.symbol, address)
    return address


def promise(symbol: str) -> int:
    """For a process that only compiles: the linker wants an address for what is called, nobody will go there."""
    llvm.add_symbol(symbol, _UNUSED_ADDRESS)
    return _UNUSED_ADDRESS


def create_target_machine(level: int) -> llvm.TargetMachine:
    """LLVM's idea of the processor; the same for making code and for linking it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple, name, features = target()
    relocation = "static" if triple.startswith(("x86", "i386", "i686")) else "default"
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name, features=features, opt=level, reloc=relocation, codemodel="jitdefault", jit=True
    )


@cache
def _linker() -> llvm.ExecutionEngine:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), create_target_machine(0))

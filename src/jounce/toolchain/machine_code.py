"""Compiled functions in files, and their way into the process.

A file holds a block of the engine or the functions of a model: a line that names them and what they call, then the
object code. LLVM links it. The translator (compiler.py) is not needed for that and not imported.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import threading
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from jounce.toolchain.emission import Code, create_target_machine
from jounce.toolchain.folders import write_whole

_UNUSED_ADDRESS = 1 << 20
_LINKING = threading.Lock()
_SYMBOLS: dict[int, str] = {}


def write(path: Path, code: Code) -> None:
    """Keep the code, whole or not at all."""
    head: dict[str, Any] = {"symbols": code.symbols, "needs": code.needs, "facts": code.facts}
    head["sha256"] = _digest(head, code.content)
    write_whole(path, json.dumps(head).encode() + b"\n" + code.content)


def read(path: Path) -> Code | None:
    """The code that was kept; None if there is none or it is damaged."""
    try:
        line, _, content = path.read_bytes().partition(b"\n")
        head = json.loads(line)
        if head.pop("sha256") != _digest(head, content):
            return None
        return Code(tuple(head["symbols"]), tuple(head["needs"]), content, dict(head["facts"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def translation(module: llvm.ModuleRef) -> Code:
    """The intermediate code of a module, to be kept in the same way."""
    return Code((), (), module.as_bitcode(), {})


def _digest(head: dict[str, Any], content: bytes) -> str:
    """Of everything in a file: a damaged name would make the linker look for another function."""
    return hashlib.sha256(json.dumps(head, sort_keys=True).encode() + b"\n" + content).hexdigest()


def link(code: Code) -> dict[str, int]:
    """The addresses of the functions, ready to be called; later code finds them by their symbols."""
    with _LINKING:
        return _link(code, _linker())


def _link(code: Code, linker: llvm.ExecutionEngine) -> dict[str, int]:
    known = {symbol: llvm.address_of_symbol(symbol) for symbol in code.symbols}
    if all(known.values()):
        return {symbol: int(address) for symbol, address in known.items()}
    # LLVM ends the process where a name is missing
    missing = [name for name in code.needs if not _is_present(name)]
    if missing:
        names = ", ".join(code.symbols)
        raise ImportError(f"machine code of {names} needs {', '.join(missing)}, which this process does not have")
    linker.add_object_file(llvm.ObjectFileRef.from_data(code.content))
    addresses = {symbol: int(linker.get_function_address(symbol)) for symbol in code.symbols}
    for symbol, address in addresses.items():
        llvm.add_symbol(symbol, address)
        _SYMBOLS[address] = symbol
    return addresses


def symbol_at(address: int) -> str | None:
    """The name of the function that was linked to this address."""
    return _SYMBOLS.get(address)


def _is_present(name: str) -> bool:
    """Whether the linker finds this name; functions of C that it does not see by itself are shown to it."""
    if llvm.address_of_symbol(name) is not None:
        return True
    libraries = (ctypes.pythonapi, *_c_libraries())
    found = next((getattr(library, name) for library in libraries if hasattr(library, name)), None)
    if found is None:
        return False
    llvm.add_symbol(name, ctypes.cast(found, ctypes.c_void_p).value)
    return True


@cache
def _c_libraries() -> tuple[ctypes.CDLL, ...]:
    """The libraries of C: on Windows a process does not show their functions under its own name."""
    return (ctypes.CDLL("ucrtbase"), ctypes.CDLL("vcruntime140")) if os.name == "nt" else (ctypes.CDLL(None),)


def promise(symbol: str) -> int:
    """For a process that only compiles: the linker wants an address for what is called, nobody will go there."""
    llvm.add_symbol(symbol, _UNUSED_ADDRESS)
    return _UNUSED_ADDRESS


@cache
def _linker() -> llvm.ExecutionEngine:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), create_target_machine(0))

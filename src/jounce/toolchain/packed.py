"""The engine of a checkout in one file: a process that starts reads this, and asks for the key of no block.

The keys by which blocks are kept (keys.py) say exactly what must be compiled again. To know them takes a walk through
the bytecode and the layouts of all kernels: longer than a short run. So the blocks of a plain run are also kept
together, in one file a checkout, in the form of those that a wheel brings (shipped.py), with a hash of all texts and
tools. The first process after an edit finds another hash, compiles what the edit changed, and writes the file anew.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from jounce.toolchain import build, emission, machine_code, shipped
from jounce.toolchain.emission import Code
from jounce.toolchain.folders import cache_root, write_whole

#: The texts from which this process imports its kernels, all of which import this module first.
_TEXTS = shipped.sources()


@cache
def blocks() -> dict[str, Code]:
    """The blocks of a plain run by their symbols; none in a process that compiles for others."""
    tools = _tools()
    if build.target is not None:
        return {}
    engine = shipped.read(_path())
    if engine is not None and engine.head["sources"] == _TEXTS and engine.head["machine"] == tools:
        return engine.blocks
    return _made(tools)


def _path() -> Path:
    """One file for each place from which kernels are imported: an edit replaces it."""
    return cache_root() / f"engine-{hashlib.sha256(str(shipped.PACKAGE).encode()).hexdigest()[:16]}.code"


def _tools() -> str:
    """What makes machine code of kernels, besides their texts."""
    return f"{sys.version.split()[0]} {emission.toolchain()}"


def _made(tools: str) -> dict[str, Code]:
    """The blocks from their own files, kept together; a block that is missing or damaged is left to itself."""
    from jounce.toolchain.jit import code_folder  # which asks this module for its blocks

    build.prepare(code_folder())
    found = [(block.symbol, machine_code.read(block.path)) for block in build.blocks_of(build.STANDARD)]
    known = {symbol: code for symbol, code in found if code is not None}
    unchanged = shipped.sources.__wrapped__() == _TEXTS  # nobody has edited a kernel since it was imported
    if len(known) == len(found) and unchanged:
        with suppress(OSError):  # where nothing can be written the next process walks through the keys, too
            write_whole(_path(), shipped.as_bytes(tools, (), list(known.values())))
    return known

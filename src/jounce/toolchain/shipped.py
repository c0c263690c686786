"""The engine as it comes with an installed package, compiled when the package was built (ship.py).

One file a kind of processor holds all blocks:

    SHA-256 of the rest
    {"sources", "machine", "features", "blocks": [[symbol, needs, begin, end], ...]}
    object code of one block after the other

It is used if the kernels are those it was made from, and the processor has what the code asks for; of several files the
one that asks for most. Where none fits, the cache and the compiler serve as in a checkout (jit.py).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding as llvm

from jounce.toolchain import emission
from jounce.toolchain.emission import Code

PACKAGE = Path(__file__).parent.parent
FOLDER = PACKAGE / "shipped"


class Engine(NamedTuple):
    """One file: what is said of it, and its object code."""

    head: dict[str, Any]
    content: bytes

    @property
    def blocks(self) -> dict[str, Code]:
        """All blocks by their symbols."""
        rows = self.head["blocks"]
        return {row[0]: Code((row[0],), tuple(row[1]), self.content[row[2] : row[3]], {}) for row in rows}


@cache
def sources() -> str:
    """A hash of all texts from which the engine is made."""
    digest = hashlib.sha256()
    for folder in ("kernels", "toolchain"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            text = file.read_bytes()
            digest.update(f"{file.relative_to(PACKAGE).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def host_features() -> frozenset[str]:
    """What this processor can do beyond the least of its kind, in LLVM's words."""
    try:
        return frozenset(name for name, present in llvm.get_host_cpu_features().items() if present)
    except RuntimeError:  # LLVM does not know those of every processor
        return frozenset()


def machine() -> str:
    """System and kind of processor, such as linux-x86_64: other object code cannot even be linked."""
    return f"{sys.platform}-{emission.target().triple.partition('-')[0]}"


def write(path: Path, features: Sequence[str], blocks: Sequence[Code]) -> None:
    """Keep the blocks of an engine in one file."""
    path.write_bytes(as_bytes(machine(), features, blocks))


def as_bytes(made_for: str, features: Sequence[str], blocks: Sequence[Code]) -> bytes:
    """The content of such a file."""
    rows, begin = [], 0
    for code in blocks:
        rows.append([*code.symbols, code.needs, begin, begin + len(code.content)])
        begin += len(code.content)
    head = {"sources": sources(), "machine": made_for, "features": sorted(features), "blocks": rows}
    rest = json.dumps(head).encode() + b"\n" + b"".join(code.content for code in blocks)
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def read(path: Path) -> Engine | None:
    """What a file holds; None if it is damaged."""
    try:
        digest, _, rest = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        return None
    head, _, content = rest.partition(b"\n")
    return Engine(json.loads(head), content)


def fitting(folder: Path, features: frozenset[str]) -> dict[str, Code]:
    """The blocks of the best engine in a folder for a processor with these features; none where none fits."""
    engines = [engine for path in sorted(folder.glob("*.code")) if (engine := read(path)) is not None]
    usable = [
        engine
        for engine in engines
        if engine.head["machine"] == machine()
        and engine.head["sources"] == sources()
        and features.issuperset(engine.head["features"])
    ]
    return max(usable, key=lambda engine: len(engine.head["features"])).blocks if usable else {}


@cache
def blocks() -> dict[str, Code]:
    """The blocks that came with this installation and fit this processor, by their symbols."""
    return fitting(FOLDER, host_features()) if FOLDER.is_dir() else {}

"""From annotated Python functions to machine code; imported only where something is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from llvmlite import binding as llvm

from jounce.toolchain.abi import Signature
from jounce.toolchain.emission import Code, emitted
from jounce.toolchain.translation.module import block_text

LINE = 64  # bytes of a line of the instruction cache
LINES = 61  # offsets, in lines: a page has 64


def compiled(function: Callable[..., Any], signature: Signature, symbol: str) -> Code:
    """The machine code of a function of kernels."""
    return emitted(translated(function, signature, symbol), [symbol], unroll=False)


def translated(function: Callable[..., Any], signature: Signature, symbol: str) -> llvm.ModuleRef:
    """LLVM's module of a function of kernels with everything below it but blocks, not yet optimised."""
    # LLVM language reference, "Prefix Data"
    prefix = f" prefix [{prefix_length(function.__name__)} x i8] zeroinitializer"
    module = llvm.parse_assembly(block_text(function, signature, symbol, prefix))
    module.verify()
    return module


def prefix_length(name: str) -> int:
    """Bytes before the function of this name (see docs/decisions/0010).

    The linker gives every function pages of its own and puts it at their beginning. Here each function lies behind a
    prefix of its own length: an impact of the ball on its table was measured to take a tenth less time. The likely
    reason: a cache of instructions has eight places for lines at equal offsets within a page, and an impact runs
    through two dozen functions, whose first lines would throw one another out.
    """
    return LINE * (crc32(name.encode()) % LINES)

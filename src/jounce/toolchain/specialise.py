"""A block with everything that it calls, compiled as one for a record of which most is known.

The engine serves every machine: how many coordinates and contacts there are and which functions a model has is read
from the machine's record again and again. Where the record is known, each read of it becomes a read of a constant.
LLVM then sees loops of known length, branches that are never taken and calls of known functions, and builds small
blocks into those that call them. Sums keep their order: results are the same to the last bit.

What is optimised is the intermediate code that each block leaves beside its machine code (jit.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from llvmlite import binding as llvm

from jounce.toolchain import build, machine_code
from jounce.toolchain.emission import Code, emitted
from jounce.toolchain.jit import Block, code_folder

WORD = 8  # bytes
_CONSTANT = "jounce_constants"
_PREFIX = re.compile(r" prefix \[\d+ x i8\] zeroinitializer")  # of a function that lies by itself: compiler.py


def specialised(
    root: Block,
    symbol: str,
    argument: str,
    words: Sequence[int | str],
    known: Iterable[range],
    functions: Sequence[bytes],
) -> Code:
    """The machine code of ``root`` under another symbol, for one record.

    argument   the name that kernels give to the record
    words      the record, 8 bytes each: numbers, and names of functions in place of their addresses
    known      the bytes of it that never change
    functions  intermediate code of functions that the record names, to be built in
    """
    places = {place for part in known for place in part}
    size = len(words)
    module = llvm.parse_assembly(_constants(words))
    for code in functions:
        module.link_in(llvm.parse_bitcode(code))
    for block in build.below([root]):
        text = _PREFIX.sub("", str(llvm.parse_bitcode(_translation(block))))
        text = _reading_constants(text, argument, places) + f"\n@{_CONSTANT} = external constant [{size} x i64]\n"
        module.link_in(llvm.parse_assembly(text))
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration and value.name != root.symbol:
            value.linkage = "internal"
            # the linker knows internal names too: code that is linked later would find these in place of the blocks
            value.name = f"{symbol}.{value.name}"
    module.get_function(root.symbol).name = symbol
    module.verify()
    return emitted(module, [symbol])


def _reading_constants(text: str, argument: str, places: set[int]) -> str:
    """LLVM's text with the constants in place of the record, where it is known."""
    pointer = rf"ptr %arg\.{argument}"
    field = re.compile(rf"(getelementptr (?:[a-z]+ )*i8, ){pointer}, i64 (\d+)\b")
    text = field.sub(lambda m: f"{m[1]}ptr @{_CONSTANT}, i64 {m[2]}" if int(m[2]) in places else m[0], text)
    # the first field has no offset
    return re.sub(rf"(load i64, ){pointer},", rf"\1ptr @{_CONSTANT},", text) if 0 in places else text


def _constants(words: Sequence[int | str]) -> str:
    """LLVM's text of the record; of a function no more is known than that it lies somewhere."""
    names = sorted({word for word in words if isinstance(word, str)})
    outside = "".join(f'declare void @"{name}"()\n' for name in names)
    entries = (f'i64 ptrtoint (ptr @"{word}" to i64)' if isinstance(word, str) else f"i64 {word}" for word in words)
    return f"{outside}@{_CONSTANT} = constant [{len(words)} x i64] [{', '.join(entries)}], align {WORD}\n"


def _translation(block: Block) -> bytes:
    """The intermediate code of a block; an installed engine has none: its blocks are translated now."""
    code = machine_code.read(block.translation)
    if code is None:
        build.prepare(code_folder())
        code = machine_code.read(block.translation)
    if code is None:
        block.compile()
        code = machine_code.read(block.translation)
    if code is None:
        raise OSError(f"{block.translation} was written and cannot be read")
    return code.content

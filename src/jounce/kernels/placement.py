"""Where compiled functions begin in memory.

Numba gives every function pages of its own and puts it at their beginning. Here each function lies behind a prefix of
its own length, which its name decides: an impact of the ball on its table was measured to take a tenth less time. The
likely reason: a cache of instructions has eight places for lines at equal offsets within a page, and an impact runs
through two dozen functions, whose first lines would throw one another out.
"""

from __future__ import annotations

from zlib import crc32

from llvmlite.ir.values import FunctionAttributes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

LINE = 64  # bytes of a line of the instruction cache
LINES = 61  # offsets, in lines: a page has 64


def prefix_length(name: str) -> int:
    """Bytes before the function of this name."""
    return LINE * (crc32(name.encode()) % LINES)


class _Attributes(FunctionAttributes):
    """Attributes of a function that lies behind a prefix (LLVM language reference, "Prefix Data")."""

    length: int

    def _to_list(self, ret_type):  # type: ignore[no-untyped-def]
        return [*super()._to_list(ret_type), f"prefix [{self.length} x i8] zeroinitializer"]


class _Lower(Lower):
    """Lowering that adds the prefix."""

    def setup_function(self, fndesc):  # type: ignore[no-untyped-def]
        super().setup_function(fndesc)
        attributes = self.function.attributes
        attributes.add("nounwind")  # LLVM's text has attributes only where there are some
        attributes.__class__ = _Attributes
        attributes.length = prefix_length(fndesc.qualname)


@register_pass(mutates_CFG=True, analysis_only=False)
class _PlacedLowering(NativeLowering):
    """Numba's own pass, with the prefix."""

    _name = "jounce_placed_lowering"

    @property
    def lowering_class(self):  # type: ignore[no-untyped-def]
        return _Lower


class PlacedCompiler(CompilerBase):
    """Numba's compiler of machine code, with placed functions."""

    def define_pipelines(self):  # type: ignore[no-untyped-def]
        """Its one pipeline."""
        standard = DefaultPassBuilder.define_nopython_pipeline(self.state)
        placed = PassManager("placed")
        placed.passes = [(_PlacedLowering if cls is NativeLowering else cls, text) for cls, text in standard.passes]
        placed.finalize()
        return [placed]

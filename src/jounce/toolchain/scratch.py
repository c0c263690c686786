"""Numbers on the stack of a kernel, for what it computes with."""

from __future__ import annotations

from typing import Any

import numpy as np

#: numbers of one piece
SCRATCH = 2048


def on_stack() -> Any:
    """For Numba: a pointer to SCRATCH numbers of the type of the argument; nothing is in them yet."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def scratch(typing_context, kind):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            with builder.goto_entry_block():
                return builder.alloca(context.get_data_type(kind), size=ir.Constant(ir.IntType(64), SCRATCH))

        return types.CPointer(kind)(kind), generate

    return scratch


def in_python(kind: complex) -> np.ndarray:
    """The same where kernels run as Python."""
    return np.zeros(SCRATCH, type(kind))

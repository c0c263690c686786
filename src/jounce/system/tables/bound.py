"""The functions of one machine: kernels/bodies with the address of its tables as their first argument.

The engine calls every function of a model as f(t, q, u, p, out). The few instructions that put the tables before these
arguments are made for each system, in some milliseconds, and kept nowhere.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

from llvmlite import binding as llvm

from jounce.kernels.bodies.layout import TABLE_BATCH
from jounce.toolchain import emission, machine_code, python_mode
from jounce.toolchain.abi import BATCH_SIGNATURE, STATE_SIGNATURE, Signature
from jounce.toolchain.c_function import CFunction

_serial = itertools.count()


class BoundFunction(CFunction):
    """One function of a machine; it keeps the tables alive."""

    def __init__(self, name: str, signature: Signature, address: int, tables: Any) -> None:
        self.__name__, self.signature, self.address, self.tables = name, signature, address, tables


def bound_functions(kernels: Mapping[str, Any], tables: Any) -> dict[str, BoundFunction]:
    """Name -> function of (t, q, u, p, out), or of (count, t, q, u, p, out)."""
    signatures = {
        name: BATCH_SIGNATURE if kernel.signature == TABLE_BATCH else STATE_SIGNATURE
        for name, kernel in kernels.items()
    }
    addresses = _in_python(kernels, tables) if python_mode.CHOSEN else _linked(kernels, tables)
    return {name: BoundFunction(name, signatures[name], addresses[name], tables) for name in kernels}


def _linked(kernels: Mapping[str, Any], tables: Any) -> dict[str, int]:
    prefix, location = f"tables_{next(_serial)}", tables.record.ctypes.data
    texts = [f'target triple = "{emission.target().triple}"']
    for name, kernel in kernels.items():
        first = "i64" if kernel.signature == TABLE_BATCH else "double"
        extra = ", ptr %e" if kernel.signature == TABLE_BATCH else ""
        arguments = f"{first} %a, ptr %b, ptr %c, ptr %d, ptr %f{extra}"
        texts.append(
            f'define void @"{prefix}.{name}"({arguments}) {{\n'
            f"  tail call void inttoptr (i64 {kernel.address} to ptr)"
            f"(ptr inttoptr (i64 {location} to ptr), {arguments})\n  ret void\n}}"
        )
    module = llvm.parse_assembly("\n".join(texts))
    module.verify()
    found = machine_code.link(emission.emitted(module, [f"{prefix}.{name}" for name in kernels]))
    return {name: found[f"{prefix}.{name}"] for name in kernels}


def _in_python(kernels: Mapping[str, Any], tables: Any) -> dict[str, int]:
    """Where kernels run as Python: ways back from C, kept as long as the tables."""
    addresses = {}
    for name, kernel in kernels.items():
        signature = BATCH_SIGNATURE if kernel.signature == TABLE_BATCH else STATE_SIGNATURE
        tables.kept.append(signature.prototype()(partial(kernel, tables.record)))
        addresses[name] = int(ctypes.cast(tables.kept[-1], ctypes.c_void_p).value or 0)
    return addresses

"""The names of Numba that its documentation does not promise, in one place.

tests/toolchain/test_numba_private.py says what each is for, and what to do when a version of Numba has it no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import config
from numba.core.caching import _CacheLocator as CacheLocator
from numba.core.cgutils import raw_memcpy
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.registry import cpu_target
from numba.np.arrayobj import make_array

__all__ = [
    "CacheLocator",
    "ExternalFunctionDescriptor",
    "config",
    "cpu_target",
    "intermediate_code_only",
    "make_array",
    "raw_memcpy",
]


@contextmanager
def intermediate_code_only() -> Iterator[None]:
    """Numba translates, builds callees in and makes no machine code; nobody else compiles meanwhile.

    Numba optimises a function with everything below it and makes machine code of it, again at every level above. What
    counts is the code of the outermost level, which emission.py optimises and makes: without the levels between, the
    engine takes half the processor time to compile, and its code is shorter.
    """
    with global_compiler_lock:
        before = JITCodeLibrary._optimize_final_module, JITCodeLibrary._finalize_specific
        JITCodeLibrary._optimize_final_module = _build_in
        JITCodeLibrary._finalize_specific = _make_nothing
        try:
            yield
        finally:
            JITCodeLibrary._optimize_final_module, JITCodeLibrary._finalize_specific = before


def _build_in(library: Any) -> None:
    """The first, cheap half of Numba's own optimisation: small callees become part of their callers."""
    settings = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
    passes, builder = library._codegen._module_pass_manager(**settings)
    passes.run(library._final_module, builder)


def _make_nothing(library: Any) -> None:
    """In place of the machine code of a library."""

"""What the toolchain takes from inside Numba. Where a test fails after an update, its text says what to do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import codegen

from jounce.toolchain import compiler, numba_private
from jounce.toolchain.abi import f8, f8_1d, i8
from jounce.toolchain.compiler import compiled, inner
from jounce.toolchain.jit import Tool

SOURCES = Path(numba_private.__file__).parents[1]
PURPOSE = {
    "config": "settings for one compilation; else set the environment variables NUMBA_* before Numba is imported",
    "CacheLocator": "base of content_locator.py; else drop the cache of kernels that tests call from Python",
    "raw_memcpy": "copies a record; else declare llvm.memcpy and call it",
    "ExternalFunctionDescriptor": "how a C function is called by address; else write its type with llvmlite.ir",
    "cpu_target": "the typing context; else numba.typeof after registering with numba.extending.typeof_impl",
    "make_array": "the data pointer of an array; else extract field 4 of Numba's struct of arrays",
    "intermediate_code_only": "skips machine code nobody runs, remembers look-ups; else leave it out: twice the time",
    "linked_text": "a callback's LLVM text with its callees; else inspect_llvm() where Numba makes machine code too",
    "KernelCompiler": "only the passes that kernels need; else leave pipeline_class out: a tenth more time to compile",
    "without_literals": "one version of a kernel for f(1) and f(2); else leave it out: an eighth more time to compile",
}


def test_every_private_name_has_a_purpose_and_exists() -> None:
    assert set(PURPOSE) == set(numba_private.__all__)
    for name, purpose in PURPOSE.items():
        assert hasattr(numba_private, name), purpose


def test_no_other_file_looks_inside_numba() -> None:
    """Documented: numba itself, numba.types, numba.extending."""
    pattern = re.compile(r"^\s*(from|import) numba\.(?!types\b|extending\b)", re.MULTILINE)
    found = [file.name for file in SOURCES.rglob("*.py") if pattern.search(file.read_text(encoding="utf-8"))]
    assert found == ["numba_private.py"]


def test_numba_asks_a_tool_for_its_type() -> None:
    """Attribute ``_numba_type_``. If it is asked no more: register Tool with numba.extending.typeof_impl."""

    def three():
        return 3.0

    tool = Tool(lambda: numba.njit(three), "three", three)

    @numba.njit
    def six():
        return 2.0 * tool()

    assert six() == 6.0


def test_no_machine_code_is_made_of_what_is_only_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails, Numba finishes its libraries elsewhere: look for what calls LLVM's finalize_object."""
    made = []
    for name in ("finalize_object", "add_module"):  # what is added would be made with the user's next function
        own = getattr(codegen.JitEngine, name)
        watched = lambda *arguments, own=own: made.append(arguments) or own(*arguments)  # noqa: E731
        monkeypatch.setattr(codegen.JitEngine, name, watched)

    def third(x):
        return x / 3.0

    code = compiled(third, f8(f8), "jounce_test_private_third")
    assert b"jounce_test_private_third" in code.content
    assert not made
    # what the user compiles afterwards is complete
    assert numba.njit(third)(6.0) == 2.0
    assert made


def test_one_version_of_a_kernel_for_all_integers() -> None:
    """If this fails, calls ask another method of Numba's function than get_call_template for its version."""
    below = inner(lambda x, k: x + k)

    def above(x):
        return below(x, 1) + below(x, 2)

    compiled(above, f8(f8), "jounce_test_private_above")
    assert len(below.signatures) == 1


def test_fields_of_numba_arrays() -> None:
    """address() takes the data pointer of an array: of all fields the one that NumPy has as ctypes.data."""
    from jounce.toolchain import intrinsics

    @numba.njit
    def second(array):
        return intrinsics.address(array, 1)[0]

    assert second(np.array([1.0, 2.0])) == 2.0


def test_indices_are_taken_as_they_are() -> None:
    """If this fails, Numba asks for indices below zero elsewhere: an eighth more time of smooth motion with events."""

    def behind(values, place):
        return values[place]

    text: list[str] = []
    own = compiler._placed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "_placed", lambda *arguments: text.append(arguments[0]) or own(*arguments))
        compiled(behind, f8(f8_1d, i8), "jounce_test_private_behind")
    assert "icmp slt" not in text[0]
    assert "ashr" not in text[0]


def test_no_kernel_counts_from_the_end_of_an_array() -> None:
    """Compiled code would read what lies before the array."""
    found = []
    for file in sorted((SOURCES / "kernels").rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or not function.decorator_list:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Subscript):
                    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                    negative = [k for k in indices if isinstance(k, ast.UnaryOp) and isinstance(k.op, ast.USub)]
                    found += [f"{file.name}:{index.lineno}" for index in negative]
    assert not found

"""What mypy is told about kernels is what runs: fields of records, and the types of blocks."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import jounce.kernels
from jounce.kernels.records import fields
from jounce.toolchain.abi import Type
from jounce.toolchain.jit import engine_blocks
from tools.kernel_types import PATH, layouts, text


def test_the_fields_of_records_are_those_of_their_layouts() -> None:
    assert PATH.read_text(encoding="utf-8") == text(), "run python -m tools.kernel_types"
    for name, (_, layout) in layouts().items():
        assert list(getattr(fields, name).__annotations__) == list(layout.names or ())


def annotation(of: Type) -> str:
    """How a type of a signature is written in an annotation."""
    if of.kind == "void":
        return "None"
    assert of.dtype is not None
    if of.kind == "record":
        return next(name for name, (_, layout) in layouts().items() if layout == of.dtype)
    number = {"f": "Real", "i": "Integer"}[of.dtype.kind]
    if of.kind == "number":
        return number
    return f"{number}s" + (str(of.dimensions) if of.dimensions > 1 else "")


def test_annotations_of_blocks_are_their_signatures() -> None:
    """mypy compares kernels with one another, and those that are called with the annotations of blocks."""
    for info in pkgutil.walk_packages(jounce.kernels.__path__, "jounce.kernels."):
        importlib.import_module(info.name)
    for block in engine_blocks():
        said = inspect.get_annotations(block.py_func, eval_str=True)
        known = vars(importlib.import_module(block.py_func.__module__))
        wanted = dict(zip(inspect.signature(block.py_func).parameters, block.signature.arguments, strict=True))
        for name, of in {**wanted, "return": block.signature.result}.items():
            if said:
                assert said[name] == known.get(annotation(of)), f"{block.symbol}: {name} is {annotation(of)}"

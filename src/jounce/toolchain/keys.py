"""The key of a compiled function: a hash of everything that shapes its machine code.

A function is compiled together with the kernels it calls, the constants it reads and the layouts of the records it
works on; other blocks are known to it by symbol and signature alone. All of these are found by walking through the
function's own bytecode, so that nothing has to be listed by hand and whatever was not changed is not compiled again.
Texts, comments and places of files do not count. The tools that make the code are part of the folder's name (jit.py).
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


class Content(NamedTuple):
    """What a function is made of.

    key       hash of it
    needs     the tools behind the names in it that are linked, not built in
    """

    key: str
    needs: frozenset[Any]


@runtime_checkable
class Described(Protocol):
    """Something that says itself what it contributes to the code of a function that uses it."""

    def content(self) -> Content:
        """Its key and what it needs."""
        ...


_KNOWN: dict[Callable[..., Any], Content] = {}
_UNDER_WAY: list[Callable[..., Any]] = []
_WALKING = threading.RLock()


def content_of(function: Callable[..., Any]) -> Content:
    """What a Python function is made of, with all it calls."""
    with _WALKING:  # what another thread has under way would be taken for a function that calls itself
        return _content_of(function)


def _content_of(function: Callable[..., Any]) -> Content:
    if function in _KNOWN:
        return _KNOWN[function]
    if _UNDER_WAY and function is _UNDER_WAY[-1]:  # it calls itself: its name stands for it
        return Content(function.__qualname__, frozenset())
    if function in _UNDER_WAY:
        raise TypeError(f"{function.__module__}.{function.__qualname__} calls itself by way of others")
    _UNDER_WAY.append(function)
    try:
        parts: list[str] = []
        needs: set[Any] = set()
        _walk_code(function, function.__code__, parts, needs)
        parts.append(repr(sorted(inspect.get_annotations(function).items(), key=lambda each: each[0])))
        for cell in function.__closure__ or ():
            _describe(cell.cell_contents, function, parts, needs)
        content = Content(_digest(parts), frozenset(needs))
    finally:
        _UNDER_WAY.pop()
    _KNOWN[function] = content
    return content


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _walk_code(function: Callable[..., Any], code: types.CodeType, parts: list[str], needs: set[Any]) -> None:
    """The instructions, the constants, and the values behind the global names."""
    parts += text_of(code, function.__doc__)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _walk_code(function, constant, parts, needs)
    space = function.__globals__
    for name in code.co_names:  # attributes are among them: a name too many does no harm
        if name in space:
            parts.append(name)
            _describe(space[name], function, parts, needs)


def text_of(code: types.CodeType, description: str | None) -> list[str]:
    """The instructions of a function, its names and constants, without its description.

    Python takes the indentation out of descriptions when it compiles, from 3.13 on, so they are compared without it.
    """
    said = None if description is None else inspect.cleandoc(description)
    plain = [
        each
        for each in code.co_consts
        if not isinstance(each, types.CodeType) and not (isinstance(each, str) and inspect.cleandoc(each) == said)
    ]
    return [code.co_code.hex(), repr(code.co_varnames), repr(code.co_names), *map(repr, plain)]


def _describe(value: Any, function: Callable[..., Any], parts: list[str], needs: set[Any]) -> None:
    if isinstance(value, Described):
        content = value.content()
        parts.append(content.key)
        needs |= content.needs
    elif isinstance(value, bool | int | float | str | bytes | tuple | np.dtype | np.generic):
        parts.append(repr(value))
    elif isinstance(value, np.ndarray):
        parts += [str(value.dtype), str(value.shape), value.tobytes().hex()]
    elif isinstance(value, types.ModuleType):
        parts.append(f"{value.__name__} {getattr(value, '__version__', '')}")
    elif callable(value) and getattr(value, "__module__", None):
        parts.append(f"{value.__module__}.{getattr(value, '__qualname__', repr(value))}")
    else:
        raise TypeError(
            f"{function.__module__}.{function.__qualname__} reads a global {type(value).__name__}, "
            "which the key of its machine code does not know; constants are numbers, texts, tuples and arrays"
        )


def texts_behind(file: Path) -> set[Path]:
    """A file of this package and the others of it that it imports, directly or through others."""
    found: set[Path] = set()
    waiting = [file]
    root = Path(__file__).parent
    while waiting:
        text = waiting.pop()
        if text in found:
            continue
        found.add(text)
        imports = [node for node in ast.walk(ast.parse(text.read_bytes())) if isinstance(node, ast.ImportFrom)]
        names = [node.module for node in imports if node.module]
        names += [f"{node.module}.{alias.name}" for node in imports for alias in node.names]
        inside = [name.removeprefix(f"{__package__}.") for name in names if name.startswith(f"{__package__}.")]
        waiting += [other for name in inside if (other := root / f"{name.replace('.', '/')}.py").exists()]
    return found

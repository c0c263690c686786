"""The kernels as plain Python, for a debugger and for coverage: JOUNCE_PYTHON=1.

The functions are those that are compiled, line by line, on the same memory: a record becomes an object whose
attributes are views of its fields, a pointer a view of numbers, an address of a block is looked up. What Python does in
another way than the compiled code is replaced in the syntax tree, so that both give the same bits:

    a / b      by the rules of IEEE 754: a division by zero is infinite or NaN and no exception
    a ** k     with a whole number k by squaring
    a < b      a truth of Python's: those of NumPy have other sums
    math.f     the function of C: ``math`` raises where that is NaN or infinite, and has a ``hypot`` of its own
    int(x)     the nearest whole number of 64 bits, 0 of NaN, and so floor and ceil
    scratch    holds NaN, not what happened to lie there

Functions of models stay compiled (codegen/): they are called at their addresses.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import itertools
import math
import os
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from jounce.toolchain.abi import Signature, Type

CHOSEN = os.environ.get("JOUNCE_PYTHON", "0") not in ("", "0")
# the numbers behind a pointer that is known by its address alone; nobody goes beyond what is there
_BEHIND = 1 << 20
LARGEST = (1 << 63) - 1
_BLOCKS: dict[int, Callable[..., Any]] = {}
_numbers = itertools.count(1)


class Record:
    """A record at an address: fields as attributes, arrays and records in it as views."""

    def __init__(self, array: np.ndarray) -> None:
        fields = {name: array[name] for name in array.dtype.names or ()}
        inner = {name: Record(field) for name, field in fields.items() if field.dtype.names}
        self.__dict__["_array"] = array
        self.__dict__["_numbers"] = {
            name: field for name, field in fields.items() if field.ndim == 1 and name not in inner
        }
        self.__dict__.update({name: field[0] for name, field in fields.items() if field.ndim > 1} | inner)

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_numbers"][name][0]

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_numbers"][name][0] = value


def at(location: int, dtype: np.dtype, count: int) -> np.ndarray:
    """The numbers or records at an address."""
    return np.frombuffer(
        memoryview((ctypes.c_char * (dtype.itemsize * count)).from_address(int(location))).cast("B"), dtype
    )


def address(array: np.ndarray, offset: int) -> np.ndarray:
    """The pointer to element ``offset`` of a contiguous array or of a pointer, counted flat."""
    return array.reshape(-1)[offset:]


def copy_record(target: Record, source: Record) -> None:
    """Overwrite one record by another of the same type."""
    target._array[...] = source._array


def record_at(record: Type) -> Callable[[int], Record]:
    """The function that finds a record at an address."""
    assert record.dtype is not None
    dtype = record.dtype
    return lambda location: Record(at(location, dtype, 1))


def call_at(signature: Signature) -> Callable[..., Any]:
    """The function that calls what lies at an address: a block of ours, or the C function of a model."""

    def call(location: int, *arguments: Any) -> Any:
        block = _BLOCKS.get(int(location))
        return block(*arguments) if block else _c_function(signature, int(location))(*map(_plain, arguments))

    return call


@cache
def _c_function(signature: Signature, location: int) -> Any:
    return signature.prototype()(location)


def _plain(argument: Any) -> Any:
    """An argument for ctypes."""
    if isinstance(argument, Record):
        return argument._array.ctypes.data
    return argument.ctypes.data if isinstance(argument, np.ndarray) else argument


def place(block: Callable[..., Any]) -> int:
    """A number that stands for the address of a block."""
    number = next(_numbers)
    _BLOCKS[number] = block
    return number


def call(function: Callable[..., Any], signature: Signature, arguments: tuple[Any, ...]) -> Any:
    """Call the plain function of a block, with arguments as Python or as other kernels pass them."""
    taken = [_taken(wanted, argument) for wanted, argument in zip(signature.arguments, arguments, strict=True)]
    with np.errstate(all="ignore"):
        result = function(*taken)
    return None if signature.result.kind == "void" else _number(signature.result, result)


def _taken(wanted: Type, argument: Any) -> Any:
    """An argument in the type of the signature."""
    if wanted.kind == "number":
        return _number(wanted, argument)
    if wanted.kind == "record":
        if isinstance(argument, ctypes.Structure):
            argument = np.frombuffer(argument, wanted.dtype)  # type: ignore[call-overload]
        return argument if isinstance(argument, Record) else Record(argument)
    if wanted.kind == "pointer" and not isinstance(argument, np.ndarray):
        assert wanted.dtype is not None
        return at(argument, wanted.dtype, _BEHIND)
    return argument.reshape(-1) if wanted.kind == "pointer" else argument


def _number(wanted: Type, value: Any) -> Any:
    return np.float64(value) if wanted.dtype == np.float64 else np.int64(value)


def divide(a: Any, b: Any) -> Any:
    """a / b."""
    return (a if isinstance(a, complex) else np.float64(a)) / b


def power(a: Any, b: Any) -> Any:
    """a ** b; with a whole number b by squaring, as the compiled code does it."""
    if not isinstance(b, int | np.integer):
        return np.float64(a) ** b
    if b < 0:
        return divide(1.0, _squared(np.float64(a), -int(b)))
    return _squared(a, int(b)) if b else type(a)(1)


def _squared(a: Any, exponent: int) -> Any:
    result = None
    while True:
        if exponent & 1:
            result = a if result is None else result * a
        exponent >>= 1
        if not exponent:
            return result
        a = a * a


def whole(x: Any, rounded: Callable[[float], int] = int) -> int:
    """int(x), or another way to round."""
    if isinstance(x, int | np.integer) or -LARGEST <= x <= LARGEST:
        return min(max(rounded(x), -LARGEST - 1), LARGEST)
    return 0 if math.isnan(x) else LARGEST if x > 0.0 else -LARGEST - 1


class Mathematics:
    """``math`` with the values of compiled code."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(math, name)
        if not callable(own) or name in ("isnan", "isinf", "isfinite"):
            return own
        if name in ("floor", "ceil"):
            return lambda x: whole(x, own)
        return lambda *arguments: _of_c(name, len(arguments))(*arguments)


@cache
def _of_c(name: str, count: int) -> Callable[..., np.float64]:
    """A function of C of this many real numbers."""
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    function = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * count)((name, library))
    return lambda *arguments: np.float64(function(*arguments))


_HELPERS = {
    "jounce_divide": divide,
    "jounce_power": power,
    "jounce_math": Mathematics(),
    "jounce_truth": bool,
    "jounce_whole": whole,
}


class _Rewritten(ast.NodeTransformer):
    """The arithmetic of the compiled code; every node keeps its line."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return self._call("jounce_divide", node, node.left, node.right)
        if isinstance(node.op, ast.Pow):
            return self._call("jounce_power", node, node.left, node.right)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return self._call("jounce_truth", node, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div | ast.Pow):
            return node
        if any(isinstance(each, ast.Call) for each in ast.walk(node.target)):
            raise SyntaxError("a quotient or a power in a place that a call finds would be found twice")
        value = ast.parse(ast.unparse(node.target), mode="eval").body
        made = self.visit_BinOp(ast.BinOp(value, node.op, node.value))
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], made), node))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = {"math": "jounce_math", "int": "jounce_whole"}.get(node.id)
        return ast.copy_location(ast.Name(name, node.ctx), node) if name else node

    def _call(self, name: str, node: ast.AST, *arguments: ast.expr) -> ast.expr:
        made = ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
        return ast.fix_missing_locations(ast.copy_location(made, node))


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function whose arithmetic is that of the compiled one; a debugger shows the lines of its file."""
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    rewritten = ast.Module([_Rewritten().visit(definition)], [])
    space: dict[str, Any] = {}
    function.__globals__.update(_HELPERS)
    exec(compile(rewritten, inspect.getsourcefile(function) or "kernel", "exec"), function.__globals__, space)
    made: Callable[..., Any] = space[definition.name]
    return made

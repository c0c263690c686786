"""A function with everything below it as one text for LLVM.

A kernel is translated once for each combination of types of its arguments in a process, whatever calls it. Numbers in
its annotations are what it says; of rows and records, and of numbers that may be real or complex, the types are those
of what it is given. The types of variables are those of what is assigned to them: where a later line assigns a wider
type, the function is translated again with that one from its beginning.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from jounce.toolchain.abi import Signature
from jounce.toolchain.keys import text_of
from jounce.toolchain.translation.statements import Statements
from jounce.toolchain.translation.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NOTHING,
    NUMBERS,
    UNKNOWN,
    Group,
    Number,
    Rows,
    Type,
    of_c,
)
from jounce.toolchain.translation.values import UntranslatableError, Value
from jounce.toolchain.translation.writer import Writer, alias_nodes


class TranslationError(Exception):
    """A kernel does what kernels cannot do; the message says where and what."""


@dataclass
class Instance:
    """A kernel for one combination of types."""

    symbol: str
    arguments: tuple[Type, ...]
    result: Type
    text: str = ""
    callees: dict[str, Instance] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)


_POINTER = Rows(FLOAT, (UNKNOWN,))
_INSTANCES: dict[tuple[Callable[..., Any], tuple[Type, ...]], Instance] = {}
_numbers = itertools.count()
_TRANSLATING = threading.RLock()  # a thread must not find what another one has half written


def instance(function: Callable[..., Any], given: tuple[Type, ...]) -> Instance:
    """The kernel for arguments of these types."""
    says = _annotations(function)
    pairs = zip(_names(function), given, strict=True)
    arguments = tuple(_argument(function, says.get(name), kind) for name, kind in pairs)
    known = _INSTANCES.get((function, arguments))
    if known is not None:
        return known
    result = _written(says.get("return"))
    made = Instance(f"{function.__name__}.{next(_numbers)}", arguments, result or NOTHING)
    if result is not None:  # a kernel that calls itself finds it; one whose result is open cannot
        _INSTANCES[function, arguments] = made
    try:
        _translate(made, function, result)
    except BaseException:
        _INSTANCES.pop((function, arguments), None)
        raise
    _INSTANCES[function, arguments] = made
    return made


@cache
def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """What a kernel says of its arguments and its result."""
    return get_type_hints(function)


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def _written(annotation: Any) -> Type | None:
    """The type that an annotation names; None where there is none or it depends on what is given."""
    if annotation is type(None):
        return NOTHING
    if isinstance(annotation, type) and annotation.__name__ in NUMBERS:
        return NUMBERS[annotation.__name__]
    if get_origin(annotation) is tuple:
        parts = [_written(part) for part in get_args(annotation)]
        known = [part for part in parts if part is not None]
        return Group(tuple(known)) if len(known) == len(parts) else None
    return None


def _argument(function: Callable[..., Any], annotation: Any, given: Type) -> Type:
    """The type of an argument."""
    if isinstance(given, Rows):
        return given if _asks_for_lengths(function) else given.without_first_length()
    if isinstance(given, Number):
        if isinstance(annotation, TypeVar):  # real or complex: a whole number is a real one
            least = min((NUMBERS[kind.__name__] for kind in annotation.__constraints__), key=lambda each: each.rank)
            return max(given, least, key=lambda each: each.rank)
        return _written(annotation) or given
    return given


@cache
def _asks_for_lengths(function: Callable[..., Any]) -> bool:
    """Whether the kernel asks for lengths of its arguments."""
    names = _names(function)
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("shape", "size")
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        for node in ast.walk(definition(function))
    )


@cache
def _functions(file: str) -> dict[int, tuple[ast.FunctionDef, list[str]]]:
    """Syntax trees and code of the functions of a file, by the lines on which they begin, decorators included."""
    tree = ast.parse(Path(file).read_bytes())
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    by_line = {min([node.lineno, *(each.lineno for each in node.decorator_list)]): node for node in nodes}
    found: dict[int, tuple[ast.FunctionDef, list[str]]] = {}
    waiting = [compile(tree, file, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        if code.co_firstlineno in by_line and code.co_name == by_line[code.co_firstlineno].name:
            node = by_line[code.co_firstlineno]
            found[code.co_firstlineno] = node, text_of(code, ast.get_docstring(node, clean=False))
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


@cache
def definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """The syntax tree of a function, of the text from which it was imported."""
    file, code = inspect.getsourcefile(function) or "", function.__code__
    tree, text = _functions(file).get(code.co_firstlineno, (None, []))
    if tree is None or text != text_of(code, function.__doc__):  # what is kept is named by what was imported: keys.py
        raise TranslationError(f"{file} was edited since {function.__name__} was imported: start Python anew")
    return tree


def _assigned(node: ast.FunctionDef) -> set[str]:
    """The names of its variables, and of arguments that it changes."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _space(function: Callable[..., Any]) -> dict[str, Any]:
    """What the names stand for that are no variables: a name that the function assigns is one everywhere in it."""
    builtin = function.__globals__["__builtins__"]
    builtin = builtin if isinstance(builtin, dict) else vars(builtin)
    around = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    space = {**builtin, **function.__globals__, **around}
    for name in _assigned(definition(function)):
        space.pop(name, None)
    return space


@dataclass
class _Written:
    text: str
    result: Type
    callees: dict[str, Instance]
    outside: dict[str, str]


def _translate(made: Instance, function: Callable[..., Any], result: Type | None) -> None:
    """Write the text of an instance."""
    arguments = dict(zip(_names(function), made.arguments, strict=True))
    written = _function(function, arguments, result, f'define internal {{}} @"{made.symbol}"({{}}) nounwind')
    made.result, made.text, made.callees, made.outside = (
        written.result,
        written.text,
        written.callees,
        written.outside,
    )


def _function(
    function: Callable[..., Any], arguments: dict[str, Type], result: Type | None, head: str, of_c: bool = False
) -> _Written:
    """The text of a function."""
    types: dict[str, Type] = {}
    fixed, last = result is not None, result
    while True:
        writer = Statements(_space(function), types, last, fixed)
        try:
            listed = _begin(writer, definition(function), arguments, of_c)
            writer.body(definition(function).body)
            last = NOTHING if writer.result is None else writer.result
            if last != NOTHING and not writer.ended:
                raise UntranslatableError("its end is reached, where it returns nothing")
        except TranslationError:
            raise
        except Exception as error:
            place = f"{inspect.getsourcefile(function)}:{writer.line}"
            raise TranslationError(f"{place}, in the kernel {function.__name__}: {error}") from error
        writer.end("ret void")
        if not writer.widened:
            break
    first = head.format(last.llvm, ", ".join(listed))
    text = "\n".join([f"{first} {{", "entry:", *writer.head, *writer.lines, "}"])
    return _Written(text, last, writer.callees, writer.outside)


def _begin(writer: Statements, node: ast.FunctionDef, arguments: dict[str, Type], of_c: bool) -> list[str]:
    """Take the arguments; their list for LLVM. In C the lengths of an array are arguments of their own."""
    writer.line, assigned, listed = node.lineno, _assigned(node), []
    for name, kind in arguments.items():
        if of_c and isinstance(kind, Rows) and kind.carried:
            parts = [Value(Rows(kind.element, (UNKNOWN,)), f'%"arg.{name}"')]
            parts += [Value(INT, f'%"arg.{name}.{axis}"') for axis in kind.carried]
            listed += [f"{part.type.llvm} {part.text}" for part in parts]
            value = writer.grouped(kind, parts)
        else:
            value = Value(kind, f'%"arg.{name}"')
            listed.append(f"{kind.llvm} {value.text}")
        if name in assigned:
            writer.assign(ast.Name(name, ast.Store()), value)
        else:
            writer.given[name] = value
    return listed


def block_text(function: Callable[..., Any], signature: Signature, symbol: str, prefix: str = "") -> str:
    """The text of a C function with everything below it but other C functions."""
    arguments = dict(zip(_names(function), (of_c(kind) for kind in signature.arguments), strict=True))
    head = f'define {{}} @"{symbol}"({{}}) nounwind{prefix}'
    with _TRANSLATING:
        return _whole(_function(function, arguments, of_c(signature.result), head, of_c=True))


def entry_text(function: Callable[..., Any], given: tuple[Type, ...], symbol: str) -> tuple[str, Type]:
    """The text of a C function of one pointer for Python, and what it returns.

    Behind the pointer stand the arguments, in words of eight bytes; there the results are left, too.
    """
    with _TRANSLATING:
        return _entry_text(function, given, symbol)


def _entry_text(function: Callable[..., Any], given: tuple[Type, ...], symbol: str) -> tuple[str, Type]:
    callee = instance(function, given)
    writer = Writer()
    place = 0
    values = []
    for kind in given:
        value, place = _taken(writer, kind, place)
        values.append(value)
    converted = [writer.converted(value, kind) for value, kind in zip(values, callee.arguments, strict=True)]
    result = writer.called(callee.result, f'@"{callee.symbol}"', converted)
    _left(writer, result, 0)
    writer.end("ret void")
    text = "\n".join([f'define void @"{symbol}"(ptr %words) nounwind {{', *writer.lines, "}"])
    return _whole(_Written(text, NOTHING, {callee.symbol: callee}, writer.outside)), callee.result


def _word(writer: Writer, place: int) -> str:
    return writer.element("%words", FLOAT, str(place))


def _taken(writer: Writer, kind: Type, place: int) -> tuple[Value, int]:
    """An argument from the words at a place, and the place behind it."""
    if isinstance(kind, Rows) and kind.carried:
        kinds: list[Type] = [_POINTER, *[INT] * len(kind.carried)]
        parts = [writer.load(part, _word(writer, place + k)) for k, part in enumerate(kinds)]
        return writer.grouped(kind, parts), place + len(parts)
    if isinstance(kind, Group):
        parts = []
        for part in kind.parts:
            value, place = _taken(writer, part, place)
            parts.append(value)
        return writer.grouped(kind, parts), place
    if kind == BOOL:
        return writer.truth(writer.load(INT, _word(writer, place))), place + 1
    return writer.load(kind, _word(writer, place)), place + (2 if kind == COMPLEX else 1)


def _left(writer: Writer, value: Value, place: int) -> int:
    """Leave a result in the words at a place; the place behind it."""
    if isinstance(value.type, Group):
        for k, kind in enumerate(value.type.parts):
            place = _left(writer, writer.part(value, k, kind), place)
        return place
    if value.type == NOTHING:
        return place
    value = writer.converted(value, INT) if value.type == BOOL else value
    writer.store(value, _word(writer, place))
    return place + (2 if value.type == COMPLEX else 1)


def _whole(written: _Written) -> str:
    """A function with everything that it calls, each once, and what all of them need from outside."""
    found: dict[str, Instance] = {}
    waiting = list(written.callees.values())
    outside = dict(written.outside)
    while waiting:
        callee = waiting.pop()
        if callee.symbol not in found:
            found[callee.symbol] = callee
            outside.update(callee.outside)
            waiting += callee.callees.values()
    texts = [found[symbol].text for symbol in sorted(found)]
    return "\n".join([*outside.values(), written.text, *texts, alias_nodes(), ""])

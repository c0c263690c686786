"""Expressions of kernels: whatever has a value."""

from __future__ import annotations

import ast
import hashlib
import math
from typing import Any

import numpy as np

from jounce.toolchain.translation import arithmetic, calls
from jounce.toolchain.translation.types import (
    BOOL,
    CARRIED,
    COMPLEX,
    FLOAT,
    INT,
    UNKNOWN,
    Group,
    Number,
    Record,
    Rows,
    Type,
    joined,
    number_of,
    of_memory,
)
from jounce.toolchain.translation.values import Thing, UntranslatableError, Value, constant
from jounce.toolchain.translation.writer import Writer, describe

MISSING = object()


class Expressions(Writer):
    """The expressions of one function.

    space      names of its module and what they stand for
    given      arguments that are never assigned
    types      of its variables
    places     on the stack, of its variables
    widened    whether the type of a variable or of the result has changed since the function was begun
    callees    functions of kernels that it calls
    """

    def __init__(self, space: dict[str, Any]) -> None:
        super().__init__()
        self.space = space
        self.given: dict[str, Value] = {}
        self.types: dict[str, Type] = {}
        self.places: dict[str, str] = {}
        self.widened = False
        self.callees: dict[str, Any] = {}

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        found = self.thing(node)
        return self.as_value(found.object) if isinstance(found, Thing) else found

    def thing(self, node: ast.expr) -> Value | Thing:
        """The value of an expression, or what it stands for in Python."""
        evaluate = getattr(self, f"_{type(node).__name__.lower()}", None)
        if evaluate is None:
            raise UntranslatableError(f"kernels have no {type(node).__name__}")
        found: Value | Thing = evaluate(node)
        return found

    def as_value(self, thing: Any) -> Value:
        """A number, table or tuple of Python's as a value of the kernel."""
        if isinstance(thing, bool | int | float | complex):
            return constant(thing)
        if isinstance(thing, np.generic):
            return constant(thing.item())
        if isinstance(thing, np.ndarray):
            return self._table(thing)
        if isinstance(thing, tuple):
            parts = [self.as_value(part) for part in thing]
            return self.grouped(Group(tuple(part.type for part in parts)), parts)
        raise UntranslatableError(f"{thing!r} is no value of a kernel")

    def _table(self, table: np.ndarray) -> Value:
        """A constant array."""
        element = number_of(table.dtype)
        if element == COMPLEX:
            raise UntranslatableError("a table of complex numbers")
        name = f"table.{hashlib.sha256(repr((table.dtype, table.shape)).encode() + table.tobytes()).hexdigest()[:16]}"
        entries = ", ".join(f"{element.llvm} {constant(entry).text}" for entry in table.reshape(-1).tolist())
        self.outside[name] = f'@"{name}" = internal constant [{table.size} x {element.llvm}] [{entries}], align 8'
        return Value(Rows(element, table.shape), f'@"{name}"')

    def _constant(self, node: ast.Constant) -> Value | Thing:
        is_number = isinstance(node.value, bool | int | float | complex)
        return constant(node.value) if is_number else Thing(node.value)  # type: ignore[arg-type]

    def _name(self, node: ast.Name) -> Value | Thing:
        name = node.id
        if name in self.given:
            return self.given[name]
        if name in self.places:
            return self.load(self.types[name], self.places[name])
        thing = self.space.get(name, MISSING)
        if thing is MISSING:
            raise UntranslatableError(f"{name} is read before it is assigned")
        if isinstance(thing, bool | int | float | complex | np.generic | np.ndarray):
            return self.as_value(thing)
        return Thing(thing)

    def _attribute(self, node: ast.Attribute) -> Value | Thing:
        of = self.thing(node.value)
        if isinstance(of, Thing):
            if of.object is not math and of.object is not np:  # of others the key of the code knows no values: keys.py
                raise UntranslatableError(f"{node.attr} of {of.object!r}: import it by its own name")
            thing = getattr(of.object, node.attr)
            return Thing(thing) if callable(thing) else self.as_value(thing)
        if isinstance(of.type, Record):
            return self._field(of, of.type, node.attr)
        if isinstance(of.type, Number) and node.attr in ("real", "imag"):
            if of.type == COMPLEX:
                return self.part(of, int(node.attr == "imag"), FLOAT)
            return self.converted(of, FLOAT) if node.attr == "real" else constant(0.0)
        if isinstance(of.type, Rows) and node.attr == "shape":
            parts = [self.length(of, axis) for axis in range(len(of.type.lengths))]
            return self.grouped(Group((INT,) * len(parts)), parts)
        if isinstance(of.type, Rows) and node.attr == "size" and len(of.type.lengths) == 1:
            return self.length(of, 0)
        raise UntranslatableError(f"{describe(of.type)} has no {node.attr}")

    def length(self, rows: Value, axis: int) -> Value:
        """The length of an axis."""
        assert isinstance(rows.type, Rows)
        length = rows.type.lengths[axis]
        if length == CARRIED:
            return self.part(rows, 1 + rows.type.carried.index(axis), INT)
        if length == UNKNOWN:
            raise UntranslatableError("nobody knows how long this is")
        return constant(length)

    def field_place(self, record: Value, name: str) -> tuple[Type, str, str]:
        """Type, pointer and alias of a field."""
        kind = record.type
        assert isinstance(kind, Record)
        if name not in kind.fields:
            raise UntranslatableError(f"{describe(kind)} has no field {name}")
        dtype, offset = kind.fields[name][:2]
        pointer = record.text
        if offset:
            pointer = self.made(INT, f"getelementptr i8, ptr {record.text}, i64 {offset}").text
        return of_memory(dtype), pointer, f"{kind.name}.{name}"

    def _field(self, record: Value, of: Record, name: str) -> Value:
        kind, pointer, alias = self.field_place(record, name)
        return self.load(kind, pointer, alias) if isinstance(kind, Number) else Value(kind, pointer)

    def _subscript(self, node: ast.Subscript) -> Value:
        of = self.thing(node.value)
        if isinstance(of, Thing):
            return self._of_tuple(of.object, node.slice)
        if isinstance(of.type, Group):
            return self._of_group(of, of.type, self.value(node.slice))
        kind, pointer, alias = self.element_place(of, node.slice)
        if isinstance(kind, Number):
            return self.load(kind, pointer, alias)
        assert isinstance(kind, Rows)
        if not kind.carried:
            return Value(kind, pointer)
        assert isinstance(of.type, Rows)
        skipped = len(of.type.lengths) - len(kind.lengths)
        lengths = [self.length(of, skipped + axis) for axis in kind.carried]
        return self.grouped(kind, [Value(Rows(kind.element, (UNKNOWN,)), pointer), *lengths])

    def _of_group(self, group: Value, of: Group, index: Value) -> Value:
        """An entry of a tuple of the kernel."""
        if index.is_known:
            self.check_place(index, len(of.parts))
            return self.part(group, index.known, of.parts[index.known])
        kind, row = self.in_a_row([self.part(group, k, part) for k, part in enumerate(of.parts)])
        return self.load(kind, self.element(row, kind, index.text))

    def in_a_row(self, parts: list[Value]) -> tuple[Number, str]:
        """Numbers one behind the other on the stack, for somebody who counts: their type and where the first is."""
        kind = max((arithmetic.number(part) for part in parts), key=lambda each: each.rank)
        row = f"%row.{self.new()}"
        self.head.append(f"  {row} = alloca [{len(parts)} x {kind.llvm}]")
        for k, part in enumerate(parts):
            self.store(self.converted(part, kind), self.element(row, kind, str(k)))
        return kind, row

    def _of_tuple(self, thing: Any, place: ast.expr) -> Value:
        """An entry of a tuple of the module."""
        index = self.value(place)
        if not isinstance(thing, tuple):
            raise UntranslatableError(f"{thing!r} has no elements")
        if index.is_known:
            self.check_place(index, len(thing))
            return self.as_value(thing[index.known])
        rows = self._table(np.array(thing))
        if not isinstance(rows.type, Rows) or len(rows.type.lengths) != 1:
            raise UntranslatableError("an entry of a tuple of tuples that is not known beforehand")
        return self.load(rows.type.element, self.element(rows.text, rows.type.element, index.text))

    def check_place(self, index: Value, length: int) -> None:
        """What is known of a place is within; nothing is counted from the end."""
        if index.is_known and (index.known < 0 or 0 <= length <= index.known):
            raise UntranslatableError(f"place {index.known} of {length if length >= 0 else 'an array'}")

    def element_place(self, rows: Value, places: ast.expr) -> tuple[Type, str, str]:
        """Type, pointer and alias of an element, or of a part along the last axes."""
        kind = rows.type
        if not isinstance(kind, Rows):
            raise UntranslatableError(f"{describe(kind)} has no elements")
        nodes = places.elts if isinstance(places, ast.Tuple) else [places]
        if len(nodes) > len(kind.lengths):
            raise UntranslatableError(f"{len(nodes)} places in {describe(kind)}")
        offset = constant(0)
        for axis, node in enumerate(nodes):
            index = self.converted(self.value(node), INT)
            self.check_place(index, kind.lengths[axis])
            if axis:
                offset = arithmetic.binary(self, ast.Mult(), offset, self.length(rows, axis))
            offset = arithmetic.binary(self, ast.Add(), offset, index) if axis else index
        for axis in range(len(nodes), len(kind.lengths)):
            offset = arithmetic.binary(self, ast.Mult(), offset, self.length(rows, axis))
        pointer = self.element(self.pointer(rows), kind.element, offset.text)
        if len(nodes) == len(kind.lengths):
            return kind.element, pointer, "" if rows.text.startswith("@") else kind.element.name
        return Rows(kind.element, kind.lengths[len(nodes) :]), pointer, ""

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        return self.operated(node.op, left, right)

    def operated(self, op: ast.operator, left: Value, right: Value) -> Value:
        """left op right; what takes more than some instructions is a function."""
        if isinstance(op, ast.Div) and COMPLEX in (left.type, right.type):
            return calls.complex_quotient(self, left, right)
        if isinstance(op, ast.Pow) and right.type == INT and not right.is_known:
            return calls.power(self, left, right)
        return arithmetic.binary(self, op, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return arithmetic.negative(self, value)
        if isinstance(node.op, ast.Not):
            return self.made(BOOL, f"xor i1 {self.truth(value).text}, true")
        raise UntranslatableError(f"no operator {type(node.op).__name__}")

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
            return self._is_in(node)
        if len(node.ops) == 1:
            return arithmetic.compared(self, node.ops[0], self.value(node.left), self.value(node.comparators[0]))
        return self._branching(node)

    def _is_in(self, node: ast.Compare) -> Value:
        """Whether a number is one of those in a tuple."""
        value, among = self.value(node.left), node.comparators[0]
        if not isinstance(among, ast.Tuple):
            raise UntranslatableError("in something else than a tuple")
        if value.type == FLOAT:
            raise UntranslatableError("a real number in a tuple")  # Python finds NaN there if it is the same object
        equal = [arithmetic.compared(self, ast.Eq(), value, self.value(entry)) for entry in among.elts]
        result = equal[0]
        for other in equal[1:]:
            result = self.made(BOOL, f"or i1 {result.text}, {other.text}")
        return result

    def _boolop(self, node: ast.BoolOp) -> Value:
        """and, or: the last value that was looked at."""
        kind = self._type_of_all(node.values)
        if kind == BOOL:
            return self._branching(node)
        done, is_and = f"b{self.new()}", isinstance(node.op, ast.And)
        pointer = self.place(f"c{self.new()}", kind)
        for k, part in enumerate(node.values):
            value = self.converted(self.value(part), kind)
            self.store(value, pointer)
            if k + 1 < len(node.values):
                following = f"b{self.new()}"
                yes, no = (following, done) if is_and else (done, following)
                self.choose(self.truth(value), yes, no)
                self.open(following)
        self.begin(done)
        return self.load(kind, pointer)

    def _type_of_all(self, nodes: list[ast.expr]) -> Type:
        """The type of a choice among these: they are translated once for it, and that is forgotten."""
        kinds = [self._tried(node) for node in nodes]
        kind = kinds[0]
        for other in kinds[1:]:
            kind = self._type_of_both(kind, other)
        return kind

    def _type_of_both(self, first: Type, second: Type) -> Type:
        both = joined(first, second)
        if both is None:
            raise UntranslatableError(f"{describe(first)} or {describe(second)}")
        return both

    def _tried(self, node: ast.expr) -> Type:
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return BOOL
        lines, head, ended = len(self.lines), len(self.head), self.ended
        kind = self.value(node).type
        del self.lines[lines:], self.head[head:]
        self.ended = ended
        return kind

    def _branching(self, node: ast.expr) -> Value:
        """A truth that is found by ways through blocks."""
        pointer = self.place(f"c{self.new()}", BOOL)
        yes, no, done = (f"b{self.new()}" for _ in range(3))
        self.condition(node, yes, no)
        for label, truth in ((yes, True), (no, False)):
            self.open(label)
            self.store(constant(truth), pointer)
            self.go(done)
        self.open(done)
        return self.load(BOOL, pointer)

    def condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Go on at one of two blocks; what need not be looked at is not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, no, yes)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                following = f"b{self.new()}"
                if isinstance(node.op, ast.And):
                    self.condition(part, following, no)
                else:
                    self.condition(part, yes, following)
                self.open(following)
            self.condition(node.values[-1], yes, no)
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            self._chain(node, yes, no)
        else:
            self.choose(self.truth(self.value(node)), yes, no)

    def _chain(self, node: ast.Compare, yes: str, no: str) -> None:
        """a < b < c: b is looked at once."""
        left = self.value(node.left)
        for k, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.value(comparator)
            last = k + 1 == len(node.ops)
            following = yes if last else f"b{self.new()}"
            self.choose(arithmetic.compared(self, op, left, right), following, no)
            if not last:
                self.open(following)
            left = right

    def _ifexp(self, node: ast.IfExp) -> Value:
        yes, no, done = (f"b{self.new()}" for _ in range(3))
        self.condition(node.test, yes, no)
        before, branches = self.lines, []
        for label, branch in ((yes, node.body), (no, node.orelse)):
            self.lines, self.ended = [f"{label}:"], False
            branches.append((self.value(branch), self.lines))
        kind = self._type_of_both(branches[0][0].type, branches[1][0].type)
        pointer = self.place(f"c{self.new()}", kind)
        for value, lines in branches:
            self.lines, self.ended = lines, False
            self.store(self.converted(value, kind), pointer)
            self.go(done)
            before += lines
        self.lines = [*before, f"{done}:"]
        self.ended = False
        return self.load(kind, pointer)

    def _tuple(self, node: ast.Tuple) -> Value:
        parts = [self.value(part) for part in node.elts]
        return self.grouped(Group(tuple(part.type for part in parts)), parts)

    def _call(self, node: ast.Call) -> Value:
        if node.keywords:
            raise UntranslatableError("arguments have no names in kernels")
        function = self.thing(node.func)
        if not isinstance(function, Thing):
            raise UntranslatableError("a call of something that is no function")
        return calls.call(self, function.object, [self.value(argument) for argument in node.args])

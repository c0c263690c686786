"""Statements of kernels, and the function that they make."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from jounce.toolchain.translation import arithmetic
from jounce.toolchain.translation.expressions import Expressions
from jounce.toolchain.translation.types import INT, NOTHING, UNKNOWN, Group, Number, Rows, Type, joined
from jounce.toolchain.translation.values import Thing, UntranslatableError, Value, constant
from jounce.toolchain.translation.writer import describe


class Statements(Expressions):
    """The statements of one function.

    result     what it returns; None: not known yet
    fixed      whether ``result`` is what the function itself says
    """

    def __init__(self, space: dict[str, Any], types: dict[str, Type], result: Type | None, fixed: bool) -> None:
        super().__init__(space)
        self.types, self.result, self.fixed = types, result, fixed
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` lead
        self._left: set[str] = set()  # where some `break` has led
        self.line = 0

    def body(self, nodes: list[ast.stmt]) -> None:
        """One statement after the other."""
        for node in nodes:
            if self.ended:
                return
            self.line = node.lineno
            do: Callable[[Any], None] | None = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if do is None:
                raise UntranslatableError(f"kernels have no {type(node).__name__}")
            do(node)

    def variable(self, name: str, kind: Type) -> str:
        """The place of a variable that is given a value of this type."""
        known = self.types.get(name)
        both = kind if known is None else joined(known, kind)
        if both is None:
            assert known is not None
            raise UntranslatableError(f"{name} is {describe(known)} and then {describe(kind)}")
        if known is not None and both != known:
            self.widened = True  # what has been written before is of another type: the function is written again
        self.types[name] = both
        if name not in self.places:
            self.places[name] = self.place(f"x.{name}", both)
        return self.places[name]

    def assign(self, target: ast.expr, value: Value) -> None:
        """target = value."""
        if isinstance(target, ast.Name):
            place = self.variable(target.id, value.type)
            self.store(self.converted(value, self.types[target.id]), place)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value.type, Group) or len(value.type.parts) != len(target.elts):
                raise UntranslatableError(f"{describe(value.type)} for {len(target.elts)} variables")
            parts = [self.part(value, k, kind) for k, kind in enumerate(value.type.parts)]
            for each, part in zip(target.elts, parts, strict=True):
                self.assign(each, part)
        else:
            kind, pointer, alias = self.target(target)
            self.store(self.converted(value, kind), pointer, alias)

    def target(self, target: ast.expr) -> tuple[Type, str, str]:
        """Type, pointer and alias of a number in a record or in rows."""
        if isinstance(target, ast.Attribute):
            kind, pointer, alias = self.field_place(self.value(target.value), target.attr)
        elif isinstance(target, ast.Subscript):
            kind, pointer, alias = self.element_place(self.value(target.value), target.slice)
        else:
            raise UntranslatableError(f"an assignment to {type(target).__name__}")
        if not isinstance(kind, Number):
            raise UntranslatableError("an assignment to all numbers of an array")
        return kind, pointer, alias

    def _do_assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Tuple) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            targets = node.targets[0].elts
            if len(targets) == len(node.value.elts):
                values = [self.value(part) for part in node.value.elts]
                for target, value in zip(targets, values, strict=True):
                    self.assign(target, value)
                return
        value = self.value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                self._fill(target, target.slice, value)
            else:
                self.assign(target, value)

    def _fill(self, target: ast.Subscript, places: ast.Slice, value: Value) -> None:
        """rows[begin:end] = number, with lengths that are within the rows."""
        rows = self.value(target.value)
        if not isinstance(rows.type, Rows) or len(rows.type.lengths) != 1 or places.step is not None:
            raise UntranslatableError("a slice of something else than a row of numbers")
        begin = self.converted(self.value(places.lower), INT) if places.lower else constant(0)
        end = self.converted(self.value(places.upper), INT) if places.upper else self.length(rows, 0)
        self.check_place(begin, UNKNOWN)
        self.check_place(end, UNKNOWN)
        value = self.converted(value, rows.type.element)

        def store(index: Value) -> None:
            assert isinstance(rows.type, Rows)
            pointer = self.element(self.pointer(rows), rows.type.element, index.text)
            self.store(value, pointer, rows.type.element.name)

        self._count_through(begin, end, constant(1), store)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:  # as in Python the annotation of a variable does nothing
            self.assign(node.target, self.value(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            name = ast.Name(node.target.id, ast.Load())
            self.assign(node.target, self.operated(node.op, self.value(name), self.value(node.value)))
            return
        kind, pointer, alias = self.target(node.target)
        before = self.load(kind, pointer, alias)
        after = self.operated(node.op, before, self.value(node.value))
        self.store(self.converted(after, kind), pointer, alias)

    def _do_expr(self, node: ast.Expr) -> None:
        self.thing(node.value)

    def _do_pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def _do_if(self, node: ast.If) -> None:
        yes, no, done = (f"b{self.new()}" for _ in range(3))
        self.condition(node.test, yes, no if node.orelse else done)
        self.open(yes)
        self.body(node.body)
        reached = not self.ended
        self.go(done)
        if node.orelse:
            self.open(no)
            self.body(node.orelse)
            reached = reached or not self.ended
            self.go(done)
        if reached or not node.orelse:
            self.open(done)

    def _do_while(self, node: ast.While) -> None:
        if node.orelse:
            raise UntranslatableError("else behind a loop")
        again, inside, done = (f"b{self.new()}" for _ in range(3))
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.begin(again)
        if not forever:
            self.condition(node.test, inside, done)
            self.open(inside)
        self._loops.append((again, done))
        self.body(node.body)
        self._loops.pop()
        self.go(again)
        if not forever or done in self._left:
            self.open(done)

    def _do_for(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name) or node.orelse:
            raise UntranslatableError("a loop with something else than one variable")

        def inside(value: Value) -> None:
            self.assign(node.target, value)
            self.body(node.body)

        if isinstance(node.iter, ast.Tuple):
            self._through(node.iter, inside)
            return
        function = self.thing(node.iter.func) if isinstance(node.iter, ast.Call) else None
        if not isinstance(function, Thing) or function.object is not builtins.range:
            raise UntranslatableError("a loop over something else than a range or a tuple")
        assert isinstance(node.iter, ast.Call)
        if not 1 <= len(node.iter.args) <= 3 or node.iter.keywords:
            raise UntranslatableError(f"a range of {len(node.iter.args)} limits")
        limits = [self.converted(self.value(limit), INT) for limit in node.iter.args]
        begin = constant(0) if len(limits) == 1 else limits[0]
        end, step = limits[min(1, len(limits) - 1)], limits[2] if len(limits) == 3 else constant(1)
        if step.is_known and step.known == 0:
            raise UntranslatableError("a range in steps of 0")
        self.variable(node.target.id, INT)  # a loop that is never gone through leaves it as it is
        self._count_through(begin, end, step, inside)

    def _through(self, values: ast.Tuple, inside: Callable[[Value], None]) -> None:
        """A loop over some values."""
        parts = [self.value(part) for part in values.elts]
        kind, row = self.in_a_row(parts)

        def take(index: Value) -> None:
            inside(self.load(kind, self.element(row, kind, index.text)))

        self._count_through(constant(0), constant(len(parts)), constant(1), take)

    def _count_through(self, begin: Value, end: Value, step: Value, inside: Callable[[Value], None]) -> None:
        """A loop over begin, begin + step, ..., before end; the body may change its variable, not the counter."""
        counter = self.place(f"i{self.new()}", INT)
        self.store(begin, counter)
        again, within, following, done = (f"b{self.new()}" for _ in range(4))
        self.begin(again)
        index = self.load(INT, counter)
        self.choose(self._goes_on(index, end, step), within, done)
        self.open(within)
        self._loops.append((following, done))
        inside(index)
        self._loops.pop()
        self.begin(following)
        self.store(arithmetic.binary(self, _ADD, index, step), counter)
        self.go(again)
        self.open(done)

    def _goes_on(self, index: Value, end: Value, step: Value) -> Value:
        up = arithmetic.compared(self, ast.Lt(), index, end)
        if step.is_known and step.known > 0:
            return up
        down = arithmetic.compared(self, ast.Gt(), index, end)
        if step.is_known:
            return down
        rises, falls = (arithmetic.compared(self, op, step, constant(0)) for op in (ast.Gt(), ast.Lt()))
        down = arithmetic.binary(self, ast.BitAnd(), falls, down)
        return self.made(up.type, f"select i1 {rises.text}, i1 {up.text}, i1 {down.text}")

    def _do_continue(self, node: ast.Continue) -> None:
        self.go(self._loops[-1][0])

    def _do_break(self, node: ast.Break) -> None:
        self._left.add(self._loops[-1][1])
        self.go(self._loops[-1][1])

    def _do_return(self, node: ast.Return) -> None:
        nothing = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        value = Value(NOTHING, "") if nothing or node.value is None else self.value(node.value)
        if value.type == NOTHING and self.result in (None, NOTHING):
            self.result = NOTHING
            self.end("ret void")
            return
        if NOTHING in (value.type, self.result):
            raise UntranslatableError("now a result, now none")
        if not self.fixed:
            both = value.type if self.result is None else joined(self.result, value.type)
            if both is None:
                raise UntranslatableError("results of different types")
            self.widened = self.widened or (self.result is not None and both != self.result)
            self.result = both
        assert self.result is not None
        value = self.converted(value, self.result)
        self.end(f"ret {value.type.llvm} {value.text}")


_ADD = ast.Add()

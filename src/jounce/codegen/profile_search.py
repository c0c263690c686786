"""The search for a place on a curve as machine code: the functions of model/closest.py, translated.

For each curve of a module there is ``profile``, which computes c, c', c'' from the text of its expressions, and the
search with its arcs as constants. The search has no memory and reads nothing but constants, so that LLVM may merge two
searches for the same place.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from llvmlite import ir

from jounce.codegen.curve_tables import DOUBLE, INTEGER, CurveTable, constant_numbers
from jounce.codegen.instructions import POINTER, Instructions
from jounce.model import closest
from jounce.model.curves import Points

_CONSTANTS = {
    "ARC": INTEGER(closest.ARC),
    "MOST": DOUBLE(closest.MOST),
    "SHORTEST": DOUBLE(closest.SHORTEST),
    "ROUNDING": DOUBLE(closest.ROUNDING),
    "ARRIVED": DOUBLE(closest.ARRIVED),
    **{name: INTEGER(getattr(closest, name)) for name in ("START", "END", "SIZE", "OPEN", "VALUES")},
}
_TYPES = {"Numbers": POINTER, "list[float]": POINTER, "float": DOUBLE, "int": INTEGER, "None": ir.VoidType()}
_PLACE, _POINT, _BEST = 5, 6, 10
_OF_PROFILE = ("beyond", "middle", "refine", "closest")  # functions that ask for places of one curve


@cache
def _texts() -> dict[str, ast.FunctionDef]:
    """The functions of the search by name."""
    tree = ast.parse(inspect.getsource(closest))
    return {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}


class ProfileSearch:
    """The functions of one curve in an LLVM module, made when something asks for them."""

    def __init__(
        self,
        module: ir.Module,
        name: str,
        content: tuple[str, Sequence[float], Sequence[float], Sequence[float]],
        curves: Mapping[str, Points],
    ) -> None:
        self.module, self.name = module, name
        self.text, self.ends, self.arcs, self.limits = content
        self.curves = {key: CurveTable(module, key, points) for key, points in curves.items()}

    def found(self, builder: ir.IRBuilder, u: Any, v: Any, values: Sequence[Any], near: bool) -> Any:
        """S(u, v) of the curve with these values of what it depends on."""
        return builder.call(self._search(near, len(values)), [u, v, *values])

    def _search(self, near: bool, count_of_values: int) -> ir.Function:
        """The function of two numbers and the values of the curve, with room of its own."""
        symbol = f"{self.name}.{'foot' if near else 'support'}"
        if symbol in self.module.globals:
            return self.module.globals[symbol]
        search = self._function("closest")
        made = _internal(self.module, symbol, DOUBLE, [DOUBLE] * (2 + count_of_values))
        made.attributes.add("readnone")
        builder = ir.IRBuilder(made.append_basic_block("entry"))
        point, stack, best = (
            builder.bitcast(builder.alloca(ir.ArrayType(DOUBLE, size)), POINTER)
            for size in (_POINT, closest.STACK, _BEST)
        )
        arcs, ends = (
            builder.bitcast(constant_numbers(self.module, f"{self.name}.{key}", numbers), POINTER)
            for key, numbers in (("arcs", self.arcs), ("ends", self.ends))
        )
        u, v, *given = made.args
        values = ir.Constant(POINTER, None)
        if given:
            values = builder.bitcast(builder.alloca(ir.ArrayType(DOUBLE, len(given))), POINTER)
            for k, number in enumerate(given):
                builder.store(number, builder.gep(values, [INTEGER(k)]))
                self._check(builder, number, *self.limits[2 * k : 2 * k + 2])
        count = INTEGER(len(self.arcs) // closest.ARC)
        builder.call(search, [u, v, DOUBLE(float(near)), values, arcs, count, ends, point, stack, best])
        builder.ret(builder.load(builder.gep(best, [INTEGER(_PLACE)])))
        return made

    def _check(self, builder: ir.IRBuilder, number: Any, low: float, high: float) -> None:
        """Outside of its limits there is no place: the bounds on the curve do not hold there."""
        inside = builder.and_(
            builder.fcmp_ordered(">=", number, DOUBLE(low)), builder.fcmp_ordered("<=", number, DOUBLE(high))
        )
        with builder.if_then(builder.not_(inside)):
            builder.ret(DOUBLE(math.nan))

    def _function(self, name: str) -> ir.Function:
        """A function of the search, or ``profile``."""
        symbol = f"{self.name}.{name}" if name in (*_OF_PROFILE, "profile") else f"closest.{name}"
        if symbol in self.module.globals:
            return self.module.globals[symbol]
        if name == "profile":
            made = _internal(self.module, symbol, ir.VoidType(), [DOUBLE, POINTER, POINTER])
            known = dict(zip(("s", "k", "point"), made.args, strict=True))
            Instructions(made, known, self.curves, {}).write(ast.parse(self.text).body)
            return made
        text = _texts()[name]
        kinds = {part.arg: _TYPES.get(ast.unparse(part.annotation or part)) for part in text.args.args}
        taken = {key: kind for key, kind in kinds.items() if kind is not None}
        assert text.returns is not None
        made = _internal(self.module, symbol, _TYPES[ast.unparse(text.returns)], list(taken.values()))
        _Search(made, _CONSTANTS | dict(zip(taken, made.args, strict=True)), self).write(text.body)
        return made


def _internal(module: ir.Module, symbol: str, result: Any, arguments: Sequence[Any]) -> ir.Function:
    made = ir.Function(module, ir.FunctionType(result, arguments), symbol)
    made.linkage = "internal"
    made.attributes.add("nounwind")
    return made


class _Search(Instructions):
    """Instructions of the search: conditions, loops that end when they find, calls of one another."""

    def __init__(self, function: ir.Function, values: dict[str, Any], search: ProfileSearch) -> None:
        super().__init__(function, values, {}, {})
        self.search = search

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Return(ast.expr() as value):
                self.builder.ret(self._value(value))
            case ast.If(test, body, otherwise):
                self._if(test, body, otherwise)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.Expr(ast.Call(ast.Name(name), arguments)):
                self._called(name, arguments)
            case ast.Assign([ast.Name(name)], ast.BinOp(ast.Constant(int()), ast.Mult(), ast.Call()) as value):
                self.values[name] = self._whole(value)
            case _:
                super()._statement(statement)

    def _if(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        with self.builder.if_else(self._value(test)) as (then, other):
            with then:
                self._statements(body)
            with other:
                self._statements(otherwise)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        asked, inside, after = (self.builder.append_basic_block(part) for part in ("asked", "inside", "after"))
        self.builder.branch(asked)
        self.builder.position_at_end(asked)
        self.builder.cbranch(self._value(test), inside, after)
        self.builder.position_at_end(inside)
        self._statements(body)
        self.builder.branch(asked)
        self.builder.position_at_end(after)

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _whole(self, node: ast.expr) -> Any:
        match node:
            case ast.Call(ast.Name("int"), [number]):
                return self.builder.fptosi(self._value(number), INTEGER)
        return super()._whole(node)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Call(ast.Name(name), arguments) if name in _texts():
                return self._called(name, arguments)
        return super()._value(node)

    def _called(self, name: str, arguments: list[ast.expr]) -> Any:
        """A call; the function of the curve itself is known by name and is no argument."""
        given = [self._value(part) for part in arguments if ast.unparse(part) != "profile"]
        return self.builder.call(self.search._function(name), given)

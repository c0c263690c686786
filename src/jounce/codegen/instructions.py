"""Generated functions -> instructions of LLVM.

What codegen writes is a small part of Python: names that are assigned once, arithmetic of doubles, comparisons,
choices, functions of ``math``, numbers in flat arrays, loops over whole numbers, which float() makes doubles. Each of
these is one instruction or a few, in the order in which they are written, and nothing else is accepted. The rules are
those of IEEE 754, as in NumPy: a division by zero is infinite, the root of a negative number is NaN, and no operation
ends the program.

    x**k       with a literal k > 0, by squaring
    max, min   the first of the largest or smallest; a NaN stays only if it comes first
    a if c else b    only one of the two is computed
    curve(x, points)  a curve through points, which is a constant of the module (model/curves.py); curve_low and
                      curve_high(a, b, points) are the least and the largest value of its pieces from a to b, and
                      curve_piece(x, points) is the number of the piece
    foot(u, v, profile, k, ...)  the place of a curve that is nearest; support(u, v, profile, k, ...) the lowest one
                      along (u, v); k: what the curve depends on (codegen/profile_search.py)
    [nan]*k          room for k numbers, each of which is written before it is read
    for i in range(4 k): x[i] += a[.. + i]*b[.. + i]    four numbers at a time, each as if it were alone

Nothing is reordered or contracted: LLVM may drop and merge equal operations, so results do not depend on the processor.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from llvmlite import ir

from jounce.codegen.curve_tables import DOUBLE, INTEGER, CurveTable
from jounce.model.curves import Points

POINTER = DOUBLE.as_pointer()
LANES, DOUBLE_BYTES = 4, 8
_INTRINSICS = {"sin", "cos", "exp", "log", "pow", "sqrt"}
#: Functions of one argument, of two.
ONE_ARGUMENT = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "sqrt"),
)
TWO_ARGUMENTS = ("atan2", "pow")
CURVE, CURVE_LOW, CURVE_HIGH, CURVE_PIECE = "curve", "curve_low", "curve_high", "curve_piece"
FOOT, SUPPORT = "foot", "support"
NO_CURVES: dict[str, Points] = {}
CONSTANTS = {"pi": math.pi, "nan": math.nan}
_ARITHMETIC = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_WHOLE_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
#: The arguments of a function of one state, of many states row by row; t is a number or an array.
STATE_ARGUMENTS = {"t": DOUBLE, "q": POINTER, "u": POINTER, "p": POINTER, "out": POINTER}
BATCH_ARGUMENTS = {"count": INTEGER, **dict.fromkeys(("t", "q", "u", "p", "out"), POINTER)}


class Search(Protocol):
    """The functions of one curve."""

    def found(self, builder: ir.IRBuilder, u: Any, v: Any, values: Sequence[Any], near: bool) -> Any:
        """The parameter of the place that touches."""


def translate(
    functions: Sequence[ast.FunctionDef],
    module: ir.Module,
    prefix: str,
    curves: Mapping[str, Points] = NO_CURVES,
    profiles: Mapping[str, Search] | None = None,
) -> list[str]:
    """Add the functions to an LLVM module, each under the symbol prefix + its name; returns the symbols."""
    symbols = []
    tables = {name: CurveTable(module, name, curve) for name, curve in curves.items()}
    for function in functions:
        arguments = [argument.arg for argument in function.args.args]
        types = STATE_ARGUMENTS if arguments == [*STATE_ARGUMENTS] else BATCH_ARGUMENTS
        if arguments != [*types]:
            raise SyntaxError(f"{function.name}({', '.join(arguments)}) is no function of a model")
        kind = ir.FunctionType(ir.VoidType(), list(types.values()))
        made = ir.Function(module, kind, prefix + function.name)
        Instructions(made, dict(zip(types, made.args, strict=True)), tables, profiles or {}).write(function.body)
        symbols.append(made.name)
    return symbols


class Instructions:
    """The instructions of one function; ``values`` are those of the names assigned so far."""

    def __init__(
        self,
        function: ir.Function,
        values: dict[str, Any],
        curves: Mapping[str, CurveTable],
        profiles: Mapping[str, Search],
    ) -> None:
        self.values, self.curves, self.profiles = values, curves, profiles
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))

    def write(self, body: Sequence[ast.stmt]) -> None:
        """The whole function."""
        for statement in body:
            self._statement(statement)
        if not self.builder.block.is_terminated:
            self.builder.ret_void()

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                pass
            case ast.Assign([ast.Name(name)], ast.BinOp(ast.List([filled]), ast.Mult(), ast.Constant(int(size)))):
                self.values[name] = self._room(size, isinstance(filled, ast.Constant))
            case ast.Assign([ast.Name(name)], value):
                self.values[name] = self._value(value)
            case ast.Assign([ast.Subscript() as place], value):
                self.builder.store(self._value(value), self._place(place))
            case ast.AugAssign(ast.Subscript() as place, operator, value) if type(operator) in _ARITHMETIC:
                at = self._place(place)
                changed = self._arithmetic(operator, self.builder.load(at), self._value(value))
                self.builder.store(changed, at)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [ast.Constant(int(size))]), [sums]) if (
                size % LANES == 0 and _are_products(sums, name)
            ):
                self._add_products(name, size, sums)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds), body):
                self._loop(name, bounds, body)
            case _:
                raise _unknown(statement)

    def _room(self, size: int, cleared: bool) -> Any:
        """Room for numbers on the stack, all of them zero or none of them written."""
        room = self.builder.alloca(ir.ArrayType(DOUBLE, size))
        if cleared:
            self.builder.store(ir.Constant(ir.ArrayType(DOUBLE, size), None), room)
        return self.builder.bitcast(room, POINTER)

    def _add_products(self, name: str, size: int, sums: Any) -> None:
        """for i in range(size): x[i] += a[.. + i]*b[.. + i], in groups."""
        self.values[name] = INTEGER(0)
        group = ir.VectorType(DOUBLE, LANES).as_pointer()
        places = [self._place(part) for part in (sums.target, sums.value.left, sums.value.right)]
        for first in range(0, size, LANES):
            at = [self.builder.bitcast(self.builder.gep(place, [INTEGER(first)]), group) for place in places]
            x, a, b = (self.builder.load(place, align=DOUBLE_BYTES) for place in at)
            self.builder.store(self.builder.fadd(x, self.builder.fmul(a, b)), at[0], align=DOUBLE_BYTES)

    def _loop(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        """for name in range(stop), range(start, stop) or with a step, of which a literal may be -1."""
        numbers = [self._whole(bound) for bound in bounds]
        start, stop = numbers[:2] if len(numbers) > 1 else (INTEGER(0), numbers[0])
        step = numbers[2] if len(numbers) > 2 else INTEGER(1)
        before = self.builder.block
        test, inside, after = (self.builder.append_basic_block(part) for part in ("test", "inside", "after"))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        counter = self.builder.phi(INTEGER)
        going = self.builder.icmp_signed(
            ">" if isinstance(step, ir.Constant) and step.constant < 0 else "<", counter, stop
        )
        self.builder.cbranch(going, inside, after)
        self.builder.position_at_end(inside)
        self.values[name] = counter
        for statement in body:
            self._statement(statement)
        counter.add_incoming(start, before)
        counter.add_incoming(self.builder.add(counter, step), self.builder.block)
        self.builder.branch(test)
        self.builder.position_at_end(after)

    def _place(self, subscript: ast.Subscript) -> Any:
        """The address of an element."""
        match subscript:
            case ast.Subscript(ast.Name(name), index):
                return self.builder.gep(self.values[name], [self._whole(index)])
        raise _unknown(subscript)

    def _whole(self, node: ast.expr) -> Any:
        """A whole number: an index or a bound of a loop."""
        match node:
            case ast.Constant(int(number)):
                return INTEGER(number)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
                return INTEGER(-number)
            case ast.Name(name) if name in self.values and self.values[name].type == INTEGER:
                return self.values[name]
            case ast.BinOp(left, operator, right) if type(operator) in _WHOLE_ARITHMETIC:
                return getattr(self.builder, _WHOLE_ARITHMETIC[type(operator)])(self._whole(left), self._whole(right))
            case ast.Call(ast.Name("max"), [left, right]):
                ours, theirs = self._whole(left), self._whole(right)
                return self.builder.select(self.builder.icmp_signed(">", ours, theirs), ours, theirs)
            case ast.IfExp(condition, first, second):
                return self.builder.select(self._value(condition), self._whole(first), self._whole(second))
        raise _unknown(node)

    def _value(self, node: ast.expr) -> Any:
        """A number, or what a condition is."""
        match node:
            case ast.Constant(bool(holds)):
                return ir.IntType(1)(int(holds))
            case ast.Constant(float(number)):
                return DOUBLE(number)
            case ast.Name(name) if name in self.values:
                return self.values[name]
            case ast.Name(name) if name in CONSTANTS:
                return DOUBLE(CONSTANTS[name])
            case ast.Subscript():
                return self.builder.load(self._place(node))
            case ast.UnaryOp(ast.USub(), operand):
                return self.builder.fneg(self._value(operand))
            case ast.UnaryOp(ast.Not(), operand):
                return self.builder.not_(self._value(operand))
            case ast.BinOp(base, ast.Pow(), ast.Constant(int(exponent))) if exponent > 0:
                return self._power(self._value(base), exponent)
            case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
                return self._arithmetic(operator, self._value(left), self._value(right))
            case ast.Compare(left, [operator], [right]) if type(operator) in _COMPARISONS:
                sign = _COMPARISONS[type(operator)]
                compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
                return compare(sign, self._value(left), self._value(right))
            case ast.BoolOp(operator, parts):
                return self._all_or_any(operator, [self._value(part) for part in parts])
            case ast.IfExp(condition, first, second):
                return self._choice(self._value(condition), first, second)
            case ast.Call(ast.Name(name), [u, v, ast.Name(profile), *rest]) if name in (FOOT, SUPPORT):
                place, values = (self._value(u), self._value(v)), [self._value(part) for part in rest]
                return self.profiles[profile].found(self.builder, *place, values, near=name == FOOT)
            case ast.Call(ast.Name("float"), [number]):
                return self.builder.sitofp(self._whole(number), DOUBLE)
            case ast.Call(ast.Name(name), [x, ast.Name(curve)]) if name == CURVE:
                return self.curves[curve].value(self.builder, self._value(x))
            case ast.Call(ast.Name(name), [x, ast.Name(curve)]) if name == CURVE_PIECE:
                return self.builder.sitofp(self.curves[curve].piece(self.builder, self._value(x)), DOUBLE)
            case ast.Call(ast.Name(name), [low, high, ast.Name(curve)]) if name in (CURVE_LOW, CURVE_HIGH):
                ends = self._value(low), self._value(high)
                return self.curves[curve].extreme(self.builder, *ends, least=name == CURVE_LOW)
            case ast.Call(ast.Name(name), arguments):
                return self._call(name, [self._value(argument) for argument in arguments])
        raise _unknown(node)

    def _arithmetic(self, operator: ast.operator, left: Any, right: Any) -> Any:
        return getattr(self.builder, _ARITHMETIC[type(operator)])(left, right)

    def _power(self, base: Any, exponent: int) -> Any:
        result = None
        while True:
            if exponent & 1:
                result = base if result is None else self.builder.fmul(result, base)
            exponent >>= 1
            if not exponent:
                return result
            base = self.builder.fmul(base, base)

    def _all_or_any(self, operator: ast.boolop, parts: list[Any]) -> Any:
        combine = self.builder.and_ if isinstance(operator, ast.And) else self.builder.or_
        result = parts[0]
        for part in parts[1:]:
            result = combine(result, part)
        return result

    def _choice(self, condition: Any, first: ast.expr, second: ast.expr) -> Any:
        with self.builder.if_else(condition) as (then, otherwise):
            with then:
                ours, from_ours = self._value(first), self.builder.block
            with otherwise:
                theirs, from_theirs = self._value(second), self.builder.block
        chosen = self.builder.phi(ours.type)
        chosen.add_incoming(ours, from_ours)
        chosen.add_incoming(theirs, from_theirs)
        return chosen

    def _call(self, name: str, arguments: list[Any]) -> Any:
        if name in ("max", "min"):
            result = arguments[0]
            for argument in arguments[1:]:
                better = self.builder.fcmp_ordered(">" if name == "max" else "<", argument, result)
                result = self.builder.select(better, argument, result)
            return result
        if name == "abs":
            return self.builder.call(self._intrinsic("fabs", 1), arguments)
        count = 1 if name in ONE_ARGUMENT else 2 if name in TWO_ARGUMENTS else 0
        if count != len(arguments):
            raise SyntaxError(f"generated code calls {name} with {len(arguments)} arguments")
        return self.builder.call(self._function(name, count), arguments)

    def _function(self, name: str, count: int) -> ir.Function:
        if name in _INTRINSICS:
            return self._intrinsic(name, count)
        found = self.builder.module.globals.get(name)
        return found or ir.Function(self.builder.module, ir.FunctionType(DOUBLE, [DOUBLE] * count), name)

    def _intrinsic(self, name: str, count: int) -> Any:
        return self.builder.module.declare_intrinsic(
            f"llvm.{name}", [DOUBLE], ir.FunctionType(DOUBLE, [DOUBLE] * count)
        )


def _are_products(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is x[i] += a[.. + i]*b[.. + i] with i the name."""
    match statement:
        case ast.AugAssign(
            ast.Subscript(ast.Name(), ast.Name(i)),
            ast.Add(),
            ast.BinOp(
                ast.Subscript(ast.Name(), ast.BinOp(_, ast.Add(), ast.Name(j))),
                ast.Mult(),
                ast.Subscript(ast.Name(), ast.BinOp(_, ast.Add(), ast.Name(k))),
            ),
        ):
            return i == j == k == name
    return False


def _unknown(node: ast.AST) -> SyntaxError:
    return SyntaxError(f"generated code contains what has no instruction: {ast.unparse(node)}")

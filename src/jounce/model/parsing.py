"""Expressions written as text: ``"y - A*sin(omega*t)"``.

SymPy's own reader evaluates Python; this one knows names, numbers, + - * / **, the functions a model may use, sqrt, and
Piecewise((value, condition), ...) with comparisons, and, or, not. The text becomes a tree (trees.py), whose reader
bounds what it may cost: text from a command line or from a file can run nothing and hang nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.curve_arcs import BOUND, VALUES
from jounce.model.profiles import FUNCTIONS as PROFILE_FUNCTIONS
from jounce.model.trees import FUNCTIONS, MOST_LEVELS, from_tree

LONGEST = 10_000  # characters
LONGEST_SHOWN = 200  # of what a message repeats

# sums and products of many parts become one node, whatever their number: operator -> (node, what it does to its right)
_CHAINS: dict[type[ast.AST], tuple[str, Callable[[Any], Any]]] = {
    ast.Add: ("Add", lambda b: b),
    ast.Sub: ("Add", lambda b: ["Mul", -1, b]),
    ast.Mult: ("Mul", lambda b: b),
    ast.Div: ("Mul", lambda b: ["Pow", b, -1]),
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {ast.USub: lambda a: ["Mul", -1, a], ast.UAdd: lambda a: a}


_RELATIONS: dict[type[ast.AST], str] = {
    ast.Lt: "StrictLessThan",
    ast.LtE: "LessThan",
    ast.Gt: "StrictGreaterThan",
    ast.GtE: "GreaterThan",
    ast.Eq: "Equality",
    ast.NotEq: "Unequality",
}
_LOGIC: dict[type[ast.AST], str] = {ast.And: "And", ast.Or: "Or"}
_NAMES = (*FUNCTIONS, "sqrt", "Piecewise", "Curve", *PROFILE_FUNCTIONS)


class ExpressionError(ModelError):
    """Text that is no expression; ``column`` counts from 0 and is where in the text, None if that is not known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


def parse_expression(text: str, symbols: Mapping[str, sp.Symbol], where: str) -> sp.Expr:
    """The expression that ``text`` writes in these symbols; ``where`` names it in messages."""
    return from_tree(parse_tree(text, symbols, where), symbols, f"{where}: {text!r}")


def parse_tree(
    text: str,
    symbols: Collection[str],
    where: str,
    definitions: Mapping[str, Any] | None = None,
    longest: int = LONGEST,
    condition: bool = False,
) -> Any:
    """The tree of an expression; the names of ``definitions`` stand for the trees given there.

    A ``condition``, such as theta < 0.1 and side == 1, becomes the tree of an expression that is 1 where it holds.
    """
    if len(text) > longest:
        raise ExpressionError(f"{where}: an expression of {len(text)} characters; at most {longest} are read")
    line = " ".join(text.splitlines()) if "\n" in text else text
    indent = len(line) - len(line.lstrip())
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
    try:
        body = ast.parse(line.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"{where}: {shown!r} is not an expression, such as theta or y - A*sin(omega*t)"
        offset = getattr(error, "offset", None)
        raise ExpressionError(message, None if offset is None else indent + max(offset - 1, 0)) from None
    reader = _TextReader(symbols, where, definitions or {}, indent)
    if condition:
        return ["Piecewise", [1, reader.condition(body, 0)], [0, ["true"]]]
    return reader.tree(body, 0)


class _TextReader:
    """Python's syntax tree of one expression -> the tree of trees.py; what is not in the grammar is refused."""

    def __init__(self, symbols: Collection[str], where: str, definitions: Mapping[str, Any], indent: int) -> None:
        self.symbols, self.where, self.definitions, self.indent = symbols, where, definitions, indent

    def _refuse(self, node: ast.AST, message: str) -> ExpressionError:
        column = getattr(node, "col_offset", None)
        return ExpressionError(f"{self.where}: {message}", None if column is None else self.indent + column)

    def tree(self, node: ast.AST, level: int) -> Any:
        """A part that is a number."""
        if level > MOST_LEVELS:
            raise self._refuse(node, f"an expression nested in more than {MOST_LEVELS} levels")

        def below(part: ast.AST) -> Any:
            return self.tree(part, level + 1)

        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return value
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return ["Pow", below(left), below(right)]
            case ast.BinOp(op=op) if type(op) in _CHAINS:
                return _chain(node, _CHAINS[type(op)][0], below)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _SIGNS:
                return _SIGNS[type(op)](below(operand))
            case ast.Call(func=ast.Name(id="sqrt"), args=[argument], keywords=[]):
                return ["Pow", below(argument), ["/", 1, 2]]
            case ast.Call(func=ast.Name(id="Piecewise"), args=cases, keywords=[]):
                return ["Piecewise", *(self._case(case, level + 1) for case in cases)]
            case ast.Call(
                func=ast.Name(id="Curve"),
                args=[argument, breaks, ast.Tuple(elts=pieces), ast.Constant(value=bool() as repeats)],
                keywords=[],
            ):
                coefficients = [self._numbers(piece) for piece in pieces]
                return ["Curve", below(argument), self._numbers(breaks), coefficients, repeats]
            case ast.Call(
                func=ast.Name(id=name), args=[u, v, ast.Name(id=bound), x, y, start, end, *more], keywords=[]
            ) if name in PROFILE_FUNCTIONS:
                is_open, given = self._values(node, more, level + 1)
                places = self._bound([bound, *given], (x, y), level + 1)
                rest = [is_open, list(given.values())] if more else []
                return [name, below(u), below(v), *places, *map(_literal, (start, end)), *rest]
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name in PROFILE_FUNCTIONS:
                    raise self._refuse(node, f"a curve is {name}(u, v, s, x, y, start, end), x and y of s")
                if name not in FUNCTIONS:
                    raise self._refuse(node, f"unknown function {name!r}; {suggestion(name, _NAMES, 'functions')}")
                return [name, *(below(argument) for argument in arguments)]
        raise self._refuse(node, f"{_source(node)!r} cannot be used; names, numbers, + - * / ** and functions can")

    def _values(self, node: ast.AST, more: list[ast.expr], level: int) -> tuple[bool, dict[str, list[Any]]]:
        """Whether a curve is open; name -> [value, least, largest] of what it depends on."""
        given = {}
        for part in more[1:]:
            match part:
                case ast.Tuple(elts=[ast.Name(id=name), value, low, high]) if name not in given:
                    given[name] = [self.tree(value, level + 1), _literal(low), _literal(high)]
                case _:
                    raise self._refuse(part, "what a curve depends on is (name, value, least, largest)")
        match more[:1]:
            case []:
                return False, {}
            case [ast.Constant(value=bool() as is_open)]:
                return is_open, given
        raise self._refuse(node, "a curve says by True or False whether it is open")

    def _bound(self, names: list[str], places: tuple[ast.AST, ...], level: int) -> list[Any]:
        """The coordinates of a curve, which know its parameter and what it depends on, and no other name."""
        inside = dict(zip(names, (BOUND, *(value.name for value in VALUES)), strict=False))
        outside, self.symbols, self.definitions = (self.symbols, self.definitions), (), inside
        trees = [self._with_slope(place, level) for place in places]
        self.symbols, self.definitions = outside
        return trees

    def _with_slope(self, node: ast.AST, level: int) -> Any:
        """x of a curve, or (x, x')."""
        match node:
            case ast.Tuple(elts=[place, slope]):
                return {"place": self.tree(place, level), "slope": self.tree(slope, level)}
        return self.tree(node, level)

    def _name(self, node: ast.AST, name: str) -> Any:
        if name in self.symbols:
            return name
        if name in self.definitions:
            return self.definitions[name]
        if name == "pi":
            return ["pi"]
        raise self._refuse(node, f"unknown name {name!r}; {suggestion(name, [*self.symbols, *self.definitions])}")

    def _case(self, node: ast.AST, level: int) -> list[Any]:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            raise self._refuse(node, "a case of Piecewise is a pair (value, condition), such as (x, x > 0)")
        return [self.tree(node.elts[0], level + 1), self.condition(node.elts[1], level + 1)]

    def _numbers(self, node: ast.AST) -> list[float]:
        """The numbers of a curve, which are literals."""
        if not isinstance(node, ast.Tuple):
            raise self._refuse(node, "a curve is Curve(x, (breaks), ((coefficients), ...), False)")
        found = [_literal(part) for part in node.elts]
        if None in found:
            raise self._refuse(node, "a curve consists of numbers")
        return [number for number in found if number is not None]

    def condition(self, node: ast.AST, level: int) -> list[Any]:
        """A part that is true or false."""
        if level > MOST_LEVELS:
            raise self._refuse(node, f"a condition nested in more than {MOST_LEVELS} levels")
        match node:
            case ast.Constant(value=bool() as truth):
                return ["true" if truth else "false"]
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _RELATIONS:
                return [_RELATIONS[type(op)], self.tree(left, level + 1), self.tree(right, level + 1)]
            case ast.BoolOp(op=op, values=parts):
                return [_LOGIC[type(op)], *(self.condition(part, level + 1) for part in parts)]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ["Not", self.condition(operand, level + 1)]
        raise self._refuse(node, f"{_source(node)!r} is no condition; x < y, <=, >, >=, ==, !=, and, or, not, True are")


def _source(node: ast.AST) -> str:
    """What a message shows of a part."""
    try:
        text = ast.unparse(node)
    except RecursionError:
        return type(node).__name__
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _chain(node: ast.AST, kind: str, below: Callable[[ast.AST], Any]) -> list[Any]:
    """a + b - c + ... or a*b/c*... as one node."""
    parts = []
    while isinstance(node, ast.BinOp) and _CHAINS.get(type(node.op), ("", None))[0] == kind:
        parts.append(_CHAINS[type(node.op)][1](below(node.right)))
        node = node.left
    # -(a + b)*c is one product of -1, a + b and c: SymPy would multiply out -(a + b) alone
    sign = []
    if kind == "Mul" and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, [-1]
    return [kind, *sign, below(node), *reversed(parts)]


def _literal(node: ast.AST) -> float | None:
    """A number with its sign; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
    return None

"""Expressions written as text: ``"y - A*sin(omega*t)"``.

SymPy's own reader evaluates Python; this one knows names, numbers, + - * / ** and the functions a model may use. The
text becomes a tree (trees.py), whose reader bounds what it may cost: text from a command line or from a file can run
nothing and hang nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.trees import FUNCTIONS, MOST_LEVELS, from_tree

LONGEST = 10_000  # characters

# sums and products of many parts become one node, whatever their number: operator -> (node, what it does to its right)
_CHAINS: dict[type[ast.AST], tuple[str, Callable[[Any], Any]]] = {
    ast.Add: ("Add", lambda b: b),
    ast.Sub: ("Add", lambda b: ["Mul", -1, b]),
    ast.Mult: ("Mul", lambda b: b),
    ast.Div: ("Mul", lambda b: ["Pow", b, -1]),
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {ast.USub: lambda a: ["Mul", -1, a], ast.UAdd: lambda a: a}


def parse_expression(text: str, symbols: Mapping[str, sp.Symbol], where: str) -> sp.Expr:
    """The expression that ``text`` writes in these symbols; ``where`` names it in messages."""
    if len(text) > LONGEST:
        raise ModelError(f"{where}: an expression of {len(text)} characters; at most {LONGEST} are read")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ModelError(f"{where}: {text!r} is not an expression, such as theta or y - A*sin(omega*t)") from None
    return from_tree(_tree(body, symbols, where, 0), symbols, f"{where}: {text!r}")


def _tree(node: ast.AST, symbols: Mapping[str, sp.Symbol], where: str, level: int) -> Any:
    if level > MOST_LEVELS:
        raise ModelError(f"{where}: an expression nested in more than {MOST_LEVELS} levels")

    def below(part: ast.AST) -> Any:
        return _tree(part, symbols, where, level + 1)

    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id="pi") if "pi" not in symbols:
            return ["pi"]
        case ast.Name(id=name):
            if name not in symbols:
                raise ModelError(f"{where}: unknown name {name!r}; {suggestion(name, symbols)}")
            return name
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return ["Pow", below(left), below(right)]
        case ast.BinOp(op=op) if type(op) in _CHAINS:
            return _chain(node, _CHAINS[type(op)][0], below)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _SIGNS:
            return _SIGNS[type(op)](below(operand))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            if name not in FUNCTIONS:
                raise ModelError(f"{where}: unknown function {name!r}; {suggestion(name, FUNCTIONS, 'functions')}")
            return [name, *(below(argument) for argument in arguments)]
    raise ModelError(f"{where}: {ast.unparse(node)!r} cannot be used; names, numbers, + - * / ** and functions can")


def _chain(node: ast.AST, kind: str, below: Callable[[ast.AST], Any]) -> list[Any]:
    """a + b - c + ... or a*b/c*... as one node."""
    parts = []
    while isinstance(node, ast.BinOp) and _CHAINS.get(type(node.op), ("", None))[0] == kind:
        parts.append(_CHAINS[type(node.op)][1](below(node.right)))
        node = node.left
    return [kind, below(node), *reversed(parts)]

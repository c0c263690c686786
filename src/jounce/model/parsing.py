"""Expressions written as text: ``"y - A*sin(omega*t)"``.

SymPy's own reader evaluates Python; this one knows names, numbers, + - * / ** and the functions a model may use, so
that text from a command line or from a file can run nothing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.expressions import FUNCTIONS

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_CALLABLE = {name: function for name, function in FUNCTIONS.items() if name != "Piecewise"}


def parse_expression(text: str, symbols: Mapping[str, sp.Symbol], where: str) -> sp.Expr:
    """The expression that ``text`` writes in these symbols; ``where`` names it in messages."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise ModelError(f"{where}: {text!r} is not an expression, such as theta or y - A*sin(omega*t)") from None
    return _read(tree.body, symbols, where)


def _read(node: ast.AST, symbols: Mapping[str, sp.Symbol], where: str) -> sp.Expr:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return sp.sympify(value)
        case ast.Name(id="pi"):
            return sp.pi
        case ast.Name(id=name):
            if name not in symbols:
                raise ModelError(f"{where}: unknown name {name!r}; {suggestion(name, symbols)}")
            return symbols[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_read(left, symbols, where), _read(right, symbols, where))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_read(operand, symbols, where))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            if name not in _CALLABLE:
                raise ModelError(f"{where}: unknown function {name!r}; {suggestion(name, _CALLABLE, 'functions')}")
            return _CALLABLE[name](*(_read(argument, symbols, where) for argument in arguments))
    raise ModelError(f"{where}: {ast.unparse(node)!r} cannot be used; names, numbers, + - * / ** and functions can")

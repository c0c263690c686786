"""Expressions as functions of NumPy arrays, for what is computed once a run and not in the engine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

_NAMES = {"numpy": np, "functools": functools}  # all that the printer writes
_SETTINGS = {"fully_qualified_modules": True, "inline": True, "allow_unknown_functions": True}


class _Printer(NumPyPrinter):  # type: ignore[misc]
    """Max and Min of numbers and arrays together, which SymPy before 1.14 cannot write."""

    def _print_Max(self, expression: sp.Max) -> str:
        return self._extreme("maximum", expression)

    def _print_Min(self, expression: sp.Min) -> str:
        return self._extreme("minimum", expression)

    def _extreme(self, name: str, expression: sp.Expr) -> str:
        return f"functools.reduce(numpy.{name}, [{', '.join(map(self._print, expression.args))}])"


def numpy_function(arguments: Any, expressions: Any) -> Callable[..., Any]:
    """A function of numbers or arrays, common parts computed once.

    ``lambdify(modules="numpy")`` would begin with ``from numpy import *``, which loads parts of NumPy that nobody needs
    (f2py with its parsers of headers and character sets): longer than a short run takes.
    """
    printer = _Printer(_SETTINGS)
    return sp.lambdify(arguments, expressions, modules=[_NAMES], printer=printer, cse=True)  # type: ignore[no-any-return]

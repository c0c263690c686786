"""Common subexpressions, with the names and in the order in which SymPy's ``cse`` finds them.

SymPy puts the arguments of every sum and product in order by the number of nodes below each, which it counts anew every
time: the square of the depth. It also builds every function anew, which for Max and Abs means questions about signs.
Here nodes are counted once, and what has not changed stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import sympy as sp
from sympy.core.sorting import default_sort_key
from sympy.simplify.cse_main import Unevaluated, opt_cse

Assignment = tuple[sp.Symbol, sp.Expr]


def common_subexpressions(
    expressions: Sequence[sp.Expr], symbols: Iterator[sp.Symbol]
) -> tuple[list[Assignment], list[sp.Expr]]:
    """The repeated parts, each assigned to a symbol in terms of those before, and the expressions in terms of these."""
    search = _Search(opt_cse(list(expressions)), symbols)
    for expression in expressions:
        search.count(expression)
    results = [search.rebuilt(expression) for expression in expressions]
    return search.assignments, results


def _parts(expression: Any) -> tuple[Any, ...]:
    """The arguments of a node; SymPy's factored forms contain plain numbers."""
    return getattr(expression, "args", ())


class _Search:
    """``factored`` are sums and products that share some of their terms and factors, in the form that shows it."""

    def __init__(self, factored: dict[Any, Any], symbols: Iterator[sp.Symbol]) -> None:
        self.factored, self.symbols = factored, symbols
        self.assignments: list[Assignment] = []
        self._names: dict[Any, sp.Symbol] = {}
        self._seen: set[Any] = set()
        self._repeated: set[Any] = set()
        self._nodes: dict[Any, float] = {}

    def count(self, expression: Any) -> None:
        """Note which parts appear again."""
        if not _parts(expression):
            return
        if not isinstance(expression, sp.Tuple):
            if expression in self._seen:
                self._repeated.add(expression)
                return
            self._seen.add(expression)
        for part in self.factored.get(expression, expression).args:
            self.count(part)

    def rebuilt(self, expression: Any) -> Any:
        """The expression in terms of the symbols of its repeated parts."""
        if not _parts(expression):
            return expression
        if expression in self._names:
            return self._names[expression]
        form = self.factored.get(expression, expression)
        old = self._arguments(form)
        new = [self.rebuilt(part) for part in old]
        made = form if new == old and not isinstance(form, Unevaluated) else form.func(*new)
        if expression not in self._repeated:
            return made
        symbol = next(self.symbols)
        self._names[expression] = symbol
        self.assignments.append((symbol, made))
        return symbol

    def _arguments(self, form: Any) -> list[Any]:
        """Arguments in an order that no hash decides."""
        if isinstance(form, sp.Mul):
            factors = form.args_cnc()[0]
            return [] if factors == [1] else self._ordered(factors)
        if isinstance(form, sp.Add):
            return self._ordered(form.args)
        return list(form.args)

    def _ordered(self, parts: Iterable[Any]) -> list[Any]:
        """By size, and those of one size by SymPy's key, whose hash, which SymPy's own ``ordered`` takes, is slow."""
        found: list[Any] = []
        for _, group in groupby(sorted(parts, key=self._size), key=self._size):
            same = list(group)
            found += sorted(same, key=default_sort_key) if len(same) > 1 else same
        return found

    def _size(self, expression: sp.Basic) -> float:
        """The number of nodes; decimals count half."""
        if expression not in self._nodes:
            below = sum(map(self._size, expression.args))
            self._nodes[expression] = 0.5 if isinstance(expression, sp.Float) else 1 + below
        return self._nodes[expression]

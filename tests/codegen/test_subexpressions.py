"""Common subexpressions: the same as SymPy's, and in a time that does not grow with the square of the size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import sympy as sp

from jounce.codegen.subexpressions import common_subexpressions
from jounce.systems import SYSTEMS
from tests.codegen.expressions import EXPRESSIONS, x, y


def names() -> Iterator[sp.Symbol]:
    return (sp.Symbol(f"c{k}", real=True) for k in itertools.count())


SHARED = [
    [*EXPRESSIONS],
    [sp.sin(x * y) * (x + y) ** 2, sp.sin(x * y) / (x + y), x * y * sp.cos(x + y + 1)],
    [sp.Piecewise((sp.sqrt(x + 1), x > y), (y, True)), sp.Piecewise((x, x > y), (sp.sqrt(x + 1), True))],
    [3 * x * y * sp.exp(x), -x * y, 1 / (x * y), 0.5 * x * y**2, sp.Integer(4), x],
    list(SYSTEMS["slender_rod"]().h),
    [contact.gap.diff(q) for contact in SYSTEMS["two_discs"]().contacts for q in SYSTEMS["two_discs"]().q],
]


@pytest.mark.parametrize("expressions", SHARED, ids=range(len(SHARED)))
def test_as_sympy_finds_them(expressions: list[sp.Expr]) -> None:
    assert common_subexpressions(expressions, names()) == sp.cse(expressions, symbols=names(), list=True)


def test_together_they_are_the_expressions() -> None:
    assignments, results = common_subexpressions(SHARED[1], names())
    assert assignments
    values = dict(assignments)
    for expression, result in zip(SHARED[1], results, strict=True):
        while result.free_symbols & set(values):
            result = result.xreplace(values)
        assert sp.expand(result - expression) == 0


def test_nested_sums_are_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every node is asked for its size once, though each level orders what lies below."""
    from jounce.codegen import subexpressions

    asked = []
    own = subexpressions._Search._size
    monkeypatch.setattr(subexpressions._Search, "_size", lambda self, node: asked.append(node) or own(self, node))
    sizes = []
    for depth in (20, 40):
        expression = x
        for k in range(depth):
            expression = sp.sin(expression + k + 1) * y + x**k
        asked.clear()
        common_subexpressions([expression], names())
        sizes.append(len(asked))
    assert sizes[1] < 2.5 * sizes[0]

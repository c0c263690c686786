"""Functions made of LLVM's instructions: values against 30 digits, and the rules of IEEE 754 where there is none."""

from __future__ import annotations

import ast
import itertools
import math

import numpy as np
import pytest
import sympy as sp
from llvmlite import ir

from jounce.codegen.cache import compiled
from jounce.codegen.instructions import translate
from jounce.codegen.printer import KernelPrinter
from jounce.model.trees import FUNCTIONS
from jounce.toolchain import machine_code
from jounce.toolchain.abi import BATCH_SIGNATURE, STATE_SIGNATURE
from tests.codegen.expressions import EXPRESSIONS, POINTS, x, y

_number = itertools.count()


def linked(*lines: str, arguments: str = "t, q, u, p, out"):
    """The C function of these lines."""
    text = "\n    ".join([f"def f({arguments}):", *lines])
    _, code = compiled(text, f"jounce_test_instructions_{next(_number)}.")
    (address,) = machine_code.link(code).values()
    signature = BATCH_SIGNATURE if arguments.startswith("count") else STATE_SIGNATURE
    return signature.prototype()(address)


def definition(text: str) -> ast.FunctionDef:
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return function


def call(function, t: float, *q: float, size: int = 1) -> list[float]:
    numbers, out = np.array(q or [0.0]), np.full(size, np.nan)
    function(t, numbers.ctypes.data, None, None, out.ctypes.data)
    return out.tolist()


def value(text: str, a: float = 0.0, b: float = 0.0) -> float:
    return call(linked("x = q[0]", "y = q[1]", f"out[0] = {text}"), 0.0, a, b)[0]


@pytest.fixture(scope="module")
def all_expressions():
    lines = [f"out[{k}] = {KernelPrinter().doprint(expression)}" for k, expression in enumerate(EXPRESSIONS)]
    return linked("x = q[0]", "y = q[1]", *lines)


@pytest.mark.parametrize("point", POINTS)
def test_values(all_expressions, point: tuple[float, float]) -> None:
    """Everything that may stand in a model; the first digits of SymPy's 30."""
    found = call(all_expressions, 0.0, *point, size=len(EXPRESSIONS))
    for expression, number in zip(EXPRESSIONS, found, strict=True):
        at = {symbol: sp.Rational(str(coordinate)) for symbol, coordinate in zip((x, y), point, strict=True)}
        expected = float(expression.xreplace(at).evalf(30))
        assert number == pytest.approx(expected, rel=2e-14, abs=1e-15), expression


def test_no_function_of_a_model_is_left_out() -> None:
    used = {type(part).__name__ for expression in EXPRESSIONS for part in sp.preorder_traversal(expression)}
    assert set(FUNCTIONS) <= used
    assert {"Piecewise", "Pow", "And", "Or", "Unequality", "LessThan", "StrictLessThan", "GreaterThan"} <= used


@pytest.mark.parametrize("name", [name for name, entry in FUNCTIONS.items() if entry[1:] == (1, 1)])
def test_functions_of_one_variable_are_those_of_c(name: str) -> None:
    text = KernelPrinter().doprint(FUNCTIONS[name][0](x))
    function = linked("x = q[0]", f"out[0] = {text}")
    names = {"abs": abs, **{key: getattr(math, key) for key in dir(math)}}
    for a in (0.3, 0.99999, 1.0, 1.0 + 1e-9, 1.7, 1e-300, 1e5, -0.2, -0.0, -3.0, -700.0):
        try:
            expected = eval(text, names, {"x": a})
        except (ValueError, OverflowError):
            assert not math.isfinite(call(function, 0.0, a)[0])
        else:
            assert call(function, 0.0, a) == [expected]


def test_no_division_and_no_root_ends_the_program() -> None:
    values = {
        "1.0/x": math.inf,
        "-1.0/x": -math.inf,
        "1.0/(-x)": -math.inf,
        "log(x)": -math.inf,
        "pow(x, -0.5)": math.inf,
    }
    for text, expected in values.items():
        assert value(text) == expected
    for text in (
        "x/x",
        "sqrt(x - 1.0)",
        "log(x - 1.0)",
        "asin(2.0 + x)",
        "pow(x - 2.0, 0.3)",
        "acosh(x)",
        "atanh(x + 2.0)",
    ):
        assert math.isnan(value(text)), text
    assert value("exp(x)", 1e4) == math.inf
    assert value("x**3", -1e200) == -math.inf


def test_comparisons_with_what_is_no_number() -> None:
    for text, expected in {
        "x < y": 0,
        "x > y": 0,
        "x <= y": 0,
        "x >= y": 0,
        "x == y": 0,
        "x != y": 1,
        "not x < y": 1,
    }.items():
        assert value(f"1.0 if {text} else 0.0", math.nan, 1.0) == expected, text
    # as in Python: the first, unless a later one is larger
    assert math.isnan(value("max(x, y)", math.nan, 1.0))
    assert value("max(y, x)", math.nan, 1.0) == 1.0
    assert value(KernelPrinter().doprint(sp.sign(x)), math.nan) == 0.0


def test_jumps_at_zero() -> None:
    assert [value(KernelPrinter().doprint(f)) for f in (sp.sign(x), sp.Heaviside(x), sp.Heaviside(x, 1))] == [
        0.0,
        0.5,
        1.0,
    ]
    assert math.isnan(value(KernelPrinter().doprint(sp.Piecewise((1, x < 0))), 1.0))


def test_sums_and_products_are_rounded_one_by_one() -> None:
    """Neither contracted nor reordered, on any processor: bit for bit what Python computes."""
    text = "x*y + y*x*0.1 - (x - y)*(x + y)/3.0 + x*x*x*y - 0.7*y"
    function = linked("x = q[0]", "y = q[1]", f"out[0] = {text}")
    random = np.random.default_rng(1)
    for a, b in random.normal(size=(200, 2)).tolist():
        assert call(function, 0.0, a, b) == [eval(text, {"x": a, "y": b})]


@pytest.mark.parametrize("exponent", [1, 2, 3, 5, 6, 9, 31, 64, 1000])
def test_powers_are_products(exponent: int) -> None:
    exact = sp.Rational("1.0078125") ** exponent
    assert value(f"x**{exponent}", 1.0078125) == pytest.approx(float(exact), rel=1e-15 * exponent)


def test_only_the_chosen_side_is_computed() -> None:
    function = linked("x = q[0]", "matrix = [0.0]*2", "matrix[1] = 7.0", "out[0] = sqrt(x) if x > 0.0 else matrix[1]")
    assert call(function, 0.0, 4.0) == [2.0]
    assert call(function, 0.0, -4.0) == [7.0]


def test_loops() -> None:
    lines = [
        "for i in range(4):",
        "    for j in range(i + 1, 4):",
        "        out[4*i + j] = q[i]*q[j]",
        "for i in range(3, -1, -1):",
        "    out[i] += t",
        "    out[5*i] /= 2.0",
    ]
    found = call(linked("for k in range(16):", "    out[k] = 0.0", *lines), 1.0, 1.0, 2.0, 3.0, 4.0, size=16)
    out, q = [0.0] * 16, [1.0, 2.0, 3.0, 4.0]
    exec("\n".join(lines), {"out": out, "q": q, "t": 1.0})
    assert found == out


def test_many_states() -> None:
    function = linked(
        "a = p[0]",
        "for row in range(count):",
        "    x = q[row*2 + 1]",
        "    t_row = t[row]",
        "    out[row] = (a*x if x > 1.0 else t_row) + u[row*2]",
        arguments="count, t, q, u, p, out",
    )
    t, q, u, p, out = (
        np.arange(3.0),
        np.array([0.0, 0.5, 0.0, 1.5, 0.0, 2.5]),
        np.ones(6),
        np.array([10.0]),
        np.zeros(3),
    )
    function(3, *(array.ctypes.data for array in (t, q, u, p, out)))
    assert out.tolist() == [1.0, 16.0, 26.0]
    function(0, *(array.ctypes.data for array in (t, q, u, p, out)))


@pytest.mark.parametrize(
    "line",
    [
        *("while True: pass", "x = 1", "x = [1.0]", "out[0] = gamma(t)", "out[0] = sin(t, t)", "import os"),
        *("out[0] = 1.0 < t < 2.0", "out[0] = t % 2.0", "out[0] = t**0.5", "out[0] = 'text'", "out[0] = unknown"),
        "out[t] = 1.0",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    functions = [
        node for node in ast.parse(f"def f(t, q, u, p, out):\n    {line}").body if isinstance(node, ast.FunctionDef)
    ]
    with pytest.raises(SyntaxError, match="generated code"):
        translate(functions, ir.Module(), "")


def test_other_arguments_are_refused() -> None:
    with pytest.raises(SyntaxError, match="no function of a model"):
        translate([definition("def f(t, q):\n    pass")], ir.Module(), "")

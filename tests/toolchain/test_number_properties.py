"""Operators and functions of kernels, for whatever numbers there are: what Python, NumPy or C gives, bit for bit."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jounce.toolchain import python_mode
from jounce.toolchain.jit import Kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth
from tests.toolchain.test_translation import bits

LARGEST, LEAST = (1 << 63) - 1, -(1 << 63)
REALS, WHOLE = st.floats(), st.integers(LEAST, LARGEST)
ONE_REAL = ("sin", "cos", "tan", "exp", "log", "tanh", "atan", "asin", "acos", "sinh", "cosh", "log1p", "expm1", "sqrt")
IN_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}

RealPair = tuple[Real, Real]


@cache
def compiled(function: Callable[..., Any]) -> Kernel:
    return Kernel(function)


@cache
def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return python_mode.plain(function)


def both(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the compiled function gives, and plain Python the same."""
    with np.errstate(all="ignore"):
        slow = plain(function)(*(np.float64(x) if isinstance(x, float) else x for x in arguments))
    fast = compiled(function)(*arguments)
    assert bits(fast) == bits(tuple(map(number, slow)) if isinstance(slow, tuple) else number(slow))
    return fast


def number(value: Any) -> Any:
    return float(value) if isinstance(value, np.floating) else value


def arithmetic(x: Real, y: Real) -> tuple[Real, Real, Real, Real, Real, Real]:
    return x + y, x - y, x * y, x / y, -x, abs(x)


@given(REALS, REALS)
@settings(deadline=None)
def test_arithmetic_of_reals(x: float, y: float) -> None:
    a, b = np.float64(x), np.float64(y)
    with np.errstate(all="ignore"):
        expected = (a + b, a - b, a * b, a / b, -a, abs(a))
    assert bits(both(arithmetic, x, y)) == bits(tuple(map(float, expected)))


def remainder(x: Real, y: Real) -> Real:
    return x % y


@given(REALS, REALS)
@example(-1e-320, math.inf)
@example(-0.0, -1.0)
@settings(deadline=None)
def test_remainders_of_reals(x: float, y: float) -> None:
    if y == 0.0 or math.isinf(x):
        assert math.isnan(both(remainder, x, y))
    else:
        assert bits(both(remainder, x, y)) == bits(x % y)


def order(x: Real, y: Real, z: Real) -> tuple[Truth, Truth, Truth, Truth, Truth, Truth, Truth, Real, Real, Real]:
    return x < y, x <= y, x == y, x != y, x > y, x >= y, x < y <= z, max(x, y, z), min(x, y, z), (x and y) or z


@given(REALS, REALS, REALS)
@settings(deadline=None)
def test_the_order_of_reals(x: float, y: float, z: float) -> None:
    assert bits(both(order, x, y, z)) == bits(order(x, y, z))


def mixed(a: Integer, x: Real) -> tuple[Truth, Truth, Truth, Real, Real, Real, Real, Real]:
    return a < x, a == x, a >= x, a * x, a + x, a / 3, max(a, x), min(a, x)


@given(WHOLE, REALS)
@settings(deadline=None)
def test_whole_numbers_beside_reals(a: int, x: float) -> None:
    """They become reals first."""
    real = float(a)
    expected = (real < x, real == x, real >= x, real * x, real + x, real / 3, max(real, x), min(real, x))
    assert bits(compiled(mixed)(a, x)) == bits(expected)


def rounded(x: Real) -> tuple[Integer, Integer, Integer]:
    return int(x), math.floor(x), math.ceil(x)


@given(REALS)
@settings(deadline=None)
def test_whole_numbers_of_reals(x: float) -> None:
    if math.isnan(x):
        expected = (0, 0, 0)
    elif math.isinf(x):
        expected = (LARGEST if x > 0.0 else LEAST,) * 3
    else:
        expected = tuple(min(max(f(x), LEAST), LARGEST) for f in (int, math.floor, math.ceil))
    assert both(rounded, x) == expected


def by_whole_number(x: Real, k: Integer) -> RealPair:
    return x**k, x**-3


@given(REALS, st.integers(-70, 70))
@settings(deadline=None)
def test_whole_powers(x: float, k: int) -> None:
    result = both(by_whole_number, x, k)
    with np.errstate(all="ignore"):
        exact = float(np.float64(x) ** np.float64(k))
    if math.isnan(exact) or exact == 0.0 or math.isinf(exact) or abs(exact) < 1e-290 or abs(exact) > 1e290:
        return  # 1/x^|k| is beyond the reals where x^-|k| is not: by squaring, as the decision says
    assert result[0] == pytest.approx(exact, rel=140 * 2.3e-16)


def test_the_largest_exponents() -> None:
    powers = [
        compiled(by_whole_number)(x, k)[0] for x, k in ((-1.0, LARGEST), (1.0, LEAST), (2.0, LEAST), (0.5, LEAST))
    ]
    assert powers == [-1.0, 1.0, 0.0, math.inf]


def complex_arithmetic(a: Real, b: Real, c: Real, d: Real) -> tuple[RealPair, RealPair, RealPair, RealPair, Truth]:
    z, w = complex(a, b), complex(c, d)
    total, less, product, ratio = z + w, z - w, z * w, z / w
    return (
        (total.real, total.imag),
        (less.real, less.imag),
        (product.real, product.imag),
        (ratio.real, ratio.imag),
        z == w,
    )


@given(*[st.floats(-1e100, 1e100)] * 4)
@settings(deadline=None)
def test_complex_numbers(a: float, b: float, c: float, d: float) -> None:
    if c == d == 0.0:
        return
    z, w = complex(a, b), complex(c, d)
    made = [operate(z, w) for operate in (operator.add, operator.sub, operator.mul, operator.truediv)]
    expected = (*((each.real, each.imag) for each in made), z == w)
    assert bits(compiled(complex_arithmetic)(a, b, c, d)) == bits(expected)


def functions(
    x: Real,
) -> tuple[Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real]:
    return (
        math.sin(x),
        math.cos(x),
        math.tan(x),
        math.exp(x),
        math.log(x),
        math.tanh(x),
        math.atan(x),
        math.asin(x),
        math.acos(x),
        math.sinh(x),
        math.cosh(x),
        math.log1p(x),
        math.expm1(x),
        math.sqrt(x),
    )


def of_python(name: str, *arguments: float) -> float:
    """What ``math`` gives; where it raises, the number that NumPy has for it."""
    try:
        return float(getattr(math, name)(*arguments))
    except (ValueError, OverflowError):
        with np.errstate(all="ignore"):
            return float(getattr(np, IN_NUMPY.get(name, name))(*map(np.float64, arguments)))


@given(REALS | st.floats(-5.0, 5.0))
@example(-1.0)
@example(-1000.0)
@example(1000.0)
@example(-0.0)
@settings(deadline=None)
def test_functions_of_one_real(x: float) -> None:
    assert bits(both(functions, x)) == bits(tuple(of_python(name, x) for name in ONE_REAL))


def functions_of_two(x: Real, y: Real) -> tuple[Real, Real, Real, Real]:
    return math.atan2(x, y), math.pow(x, y), math.copysign(x, y), x**y


@given(REALS | st.sampled_from((0.0, -0.0, 1.0, -2.0)), REALS | st.sampled_from((0.5, -1.0, -3.0, 1e3)))
@settings(deadline=None)
def test_functions_of_two_reals(x: float, y: float) -> None:
    expected = [of_python(name, x, y) for name in ("atan2", "pow", "copysign", "pow")]
    assert bits(both(functions_of_two, x, y)) == bits(tuple(expected))


def kinds(x: Real) -> tuple[Truth, Truth, Truth, Real, Truth, Truth]:
    return math.isnan(x), math.isinf(x), math.isfinite(x), math.fabs(x), not x, bool(x)


@given(REALS)
@settings(deadline=None)
def test_kinds_of_reals(x: float) -> None:
    assert bits(both(kinds, x)) == bits(kinds(x))


BELOW = -8.0


def of_known_numbers(x: Real) -> tuple[Real, Real, Real, Real, Truth]:
    return BELOW**0.5 + x, 2**-1 + x, 0.0 * BELOW, 7 // -2 + 7 % -2 + x, BELOW < -8


@pytest.mark.parametrize("x", [1.0, -0.5])
def test_what_is_known_beforehand_is_what_would_be_found_later(x: float) -> None:
    """A root of a negative number is complex in Python, and NaN in a kernel."""
    expected = (math.nan, 0.5 + x, -0.0, -5.0 + x, False)
    assert bits(compiled(of_known_numbers)(x)) == bits(expected)

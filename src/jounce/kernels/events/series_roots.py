"""Polynomials of guards that are known by series: their sizes, values and roots (series_guards.py)."""

import math

import numpy as np

from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import NEWTON_LAST, ROOT_ROUNDING, SERIES_ROOT_TURNS
from jounce.kernels.records.workspace import COEFFICIENTS
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals

INVERSE_BINOMIALS = np.array(
    [[1.0 / math.comb(n, k) if k <= n else 0.0 for k in range(COEFFICIENTS)] for n in range(COEFFICIENTS)]
)


@kernel
def left_out(w: Workspace, c: Reals) -> Real:
    """What the terms leave out that are not known: the last two times their ratio to the two before."""
    n = w.series_order
    last, before = abs(c[n - 1]) + abs(c[n - 2]), abs(c[n - 3]) + abs(c[n - 4])
    return last * (last / before) if last < before else last


@kernel
def largest_term(w: Workspace, c: Reals, begin: Integer) -> Real:
    """The largest |c_k| from ``begin`` on."""
    size = 0.0
    for k in range(begin, w.series_order):
        size = max(size, abs(c[k]))
    return size


@kernel
def survey(w: Workspace, c: Reals, fresh: Integer) -> tuple[Real, Real, Real]:
    """(largest |c_k|, sum of all c_k, c_fresh and all negative c_k behind it) in one pass.

    Where the last is positive sum_k>=fresh c_k x^k is so for all 0 < x <= 1.
    """
    size = total = 0.0
    for k in range(fresh + 1):
        size = max(size, abs(c[k]))
        total += c[k]
    lowest = c[fresh]
    for k in range(fresh + 1, w.series_order):
        size = max(size, abs(c[k]))
        total += c[k]
        lowest += min(c[k], 0.0)
    return size, total, lowest


@kernel
def to_bernstein(c: Reals, degree: Integer, b: Reals, rounding: Real) -> None:
    """Bernstein coefficients of sum_k c_k x^k; those that are rounding are zero."""
    for k in range(degree + 1):
        b[k] = c[k] * INVERSE_BINOMIALS[degree, k]
    for level in range(1, degree, 2):  # b_i += b_i-1 from ``level`` on, then from the next: two levels in one pass
        for i in range(degree, level, -1):
            b[i] += 2.0 * b[i - 1] + b[i - 2]
        b[level] += b[level - 1]
    if degree % 2 == 1:
        b[degree] += b[degree - 1]
    for i in range(degree + 1):
        if abs(b[i]) <= rounding:
            b[i] = 0.0


@kernel
def value_and_slope(c: Reals, degree: Integer, x: Real) -> tuple[Real, Real]:
    """p(x) and p'(x) of sum_k c_k x^k.

    p = E(x^2) + x O(x^2) of its even and odd terms, whose sums advance side by side: each waits for its own additions.
    """
    z, top = x * x, degree - degree % 2
    even, odd, even_slope, odd_slope = c[top], c[degree] if degree > top else 0.0, 0.0, 0.0
    for k in range(top - 2, -1, -2):
        even_slope = even_slope * z + even
        odd_slope = odd_slope * z + odd
        even = even * z + c[k]
        odd = odd * z + c[k + 1]
    return even + x * odd, odd + 2.0 * (x * even_slope + z * odd_slope)


@kernel
def only_root(c: Reals, b: Reals, degree: Integer) -> Real:
    """The root in [0, 1] of a polynomial that has one there: Newton's steps in a bracket, c its coefficients.

    They begin where the polygon of its Bernstein coefficients b, the first of which is positive, crosses zero.
    """
    i = 1
    while b[i] >= 0.0:
        i += 1
    low, high, x = 0.0, 1.0, (i - 1.0 + b[i - 1] / (b[i - 1] - b[i])) / degree
    for _ in range(SERIES_ROOT_TURNS):
        value, slope = value_and_slope(c, degree, x)
        if value >= 0.0:
            low = x
        else:
            high = x
        new = x - value / slope if slope < 0.0 else -1.0
        if abs(new - x) <= NEWTON_LAST:
            return new
        x = new if low < new < high else 0.5 * (low + high)
        if high - low <= ROOT_ROUNDING:
            break
    return x


@kernel
def slope_at(w: Workspace, c: Reals, x: Real) -> Real:
    """The derivative of sum_k c_k x^k."""
    return value_and_slope(c, w.series_order - 1, x)[1]

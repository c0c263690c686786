"""Polynomials of guards that are known by series: their sizes, values and roots (series_guards.py)."""

import math

import numpy as np

from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import ROOT_ROUNDING, SERIES_ROOT_TURNS
from jounce.kernels.records.workspace import COEFFICIENTS
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

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
def survey(w: Workspace, c: Reals, fresh: Integer) -> tuple[Real, Real, Real, Real]:
    """(largest |c_k|, sum of all c_k, least of the sums S_j = sum_fresh<=k<=j c_k, c_fresh and all negative c_k behind
    it) in one pass.

    With sum_k>=fresh c_k x^(k-fresh) = (1 - x) sum_j S_j x^j + S_N x^(N+1) and weights that add up to 1 the guard
    is nowhere on the step less than the least of these sums.
    """
    size = total = 0.0
    for k in range(fresh):
        size = max(size, abs(c[k]))
        total += c[k]
    size, partial = max(size, abs(c[fresh])), c[fresh]
    least = lowest = partial
    for k in range(fresh + 1, w.series_order):
        size = max(size, abs(c[k]))
        partial += c[k]
        least = min(least, partial)
        lowest += min(c[k], 0.0)
    return size, total + partial, least, lowest


@kernel
def to_bernstein(c: Reals, degree: Integer, b: Reals, rounding: Real) -> None:
    """Bernstein coefficients of sum_k c_k x^k; those that are rounding are zero."""
    for k in range(degree + 1):
        b[k] = c[k] * INVERSE_BINOMIALS[degree, k]
    # b_i += b_i-1 from ``level`` on, then from the next: two levels in one pass, each entry read once
    for level in range(1, degree, 2):
        entry, before = b[degree], b[degree - 1]
        for i in range(degree, level, -1):
            second = b[i - 2]
            b[i] = entry + (2.0 * before + second)
            entry, before = before, second
        b[level] = entry + before
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
def crossing(b: Reals, degree: Integer) -> Real:
    """Where the polygon of Bernstein coefficients b, the first of which is positive, crosses zero."""
    i = 1
    while b[i] >= 0.0:
        i += 1
    return (i - 1.0 + b[i - 1] / (b[i - 1] - b[i])) / degree


@kernel
def root_from(c: Reals, degree: Integer, start: Real, last: Real) -> Real:
    """A root in [0, 1] of sum_k c_k x^k, which is positive at 0 and negative at 1: Newton's steps in a bracket.

    They end with one that is not longer than ``last``.
    """
    low, high, x = 0.0, 1.0, start
    for _ in range(SERIES_ROOT_TURNS):
        value, slope = value_and_slope(c, degree, x)
        if value >= 0.0:
            low = x
        else:
            high = x
        new = x - value / slope if slope < 0.0 else -1.0
        if abs(new - x) <= last:
            return new
        x = new if low < new < high else 0.5 * (low + high)
        if high - low <= ROOT_ROUNDING:
            break
    return x


@kernel
def parabola_root(c: Reals, total: Real) -> Real:
    """The root in [0, 1] of the parabola with c_0 > 0, c_1 and the value ``total`` < 0 at 1."""
    return 2.0 * c[0] / (math.sqrt(c[1] * c[1] - 4.0 * c[0] * (total - c[0] - c[1])) - c[1])


@kernel
def is_first(c: Reals, degree: Integer, x: Real, rounding: Real) -> Truth:
    """Whether sum_k c_k x^k surely has no root before its root x: one pass in place of Bernstein coefficients.

    p(x y)/(1 - y) has the coefficients S_j = sum_k<=j c_k x^k. Two more divisions add them up twice more, and p is
    positive for 0 <= y < 1 where none of the last sums is not. Behind the last S_j, p(x) = 0, they go on with the sum
    of all S_j, which is -x p'(x).
    """
    power, partial, total, last = 1.0, c[0], c[0], c[0]
    least = last
    for k in range(1, degree):
        power *= x
        partial += c[k] * power
        total += partial
        last += total
        least = min(least, last)
    return least > degree * degree * rounding and total > degree * rounding


@kernel
def slope_at(w: Workspace, c: Reals, x: Real) -> Real:
    """The derivative of sum_k c_k x^k."""
    return value_and_slope(c, w.series_order - 1, x)[1]

"""Operations that are functions of kernels themselves."""

from __future__ import annotations

from jounce.toolchain.kernel_types import Integer, Real

UNSIGNED = (1 << 63) - 1


def complex_quotient(a: Real, b: Real, c: Real, d: Real) -> tuple[Real, Real]:
    """(a + ib)/(c + id) without overflow of c^2 + d^2: both parts are divided by the larger of c and d (Smith)."""
    if abs(c) >= abs(d):
        ratio = d / c
        below = c + d * ratio
        return (a + b * ratio) / below, (b - a * ratio) / below
    ratio = c / d
    below = c * ratio + d
    return (a * ratio + b) / below, (b * ratio - a) / below


def real_power(base: Real, exponent: Integer) -> Real:
    """base ** exponent by squaring; the absolute value of the least number is that number again, without a sign."""
    result, left = 1.0, abs(exponent)
    while left != 0:
        if left & 1:
            result *= base
        left = left >> 1 & UNSIGNED
        base *= base
    return 1.0 / result if exponent < 0 else result

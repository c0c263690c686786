"""Where a parabola  value + rate s + curvature s^2/2  is zero: the one place that solves quadratics of time or impulse.

With d = rate^2 - 2 curvature value the textbook roots are (-rate +- sqrt(d))/curvature. Three things go wrong.

Cancellation. One of the two is the difference of like numbers, and for a small curvature it has no digits at all. With

    x = rate + sign(rate) sqrt(d) ,       near = -2 value/x ,       far = -x/curvature

nothing cancels: the sum has one sign, and near * far = 2 value/curvature gives the other root.

The discriminant is itself a difference, and close to a double root its rounding is its value: the root of rounding
(1e-8) is what is left of the digits. Where it cancels, the rounding of both products is computed exactly (Dekker's
products of split numbers) and taken along (Kahan): d is then good to two units in the last place.

Range. Squares leave the doubles where roots do not. Scaled by powers of two, exactly, to value 2^m and curvature
2^(2k+m) close to 1, with the time in units of 2^k, only the rate can still be large or small, and either means that
one of the terms is nothing beside the others.
"""

import math

from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

SPLITTER = 134217729.0  # 2^27 + 1
# powers of two between which squares and their rounding are doubles: an answer is the same with scaling and without
LEAST, MOST = 2.0**-250, 2.0**250
MOST_EXPONENT = 250
LEAST_SQUARE, MOST_SQUARE = 2.0**-500, 2.0**500


@kernel
def product_rounding(a: Real, b: Real, product: Real) -> Real:
    """a b - product, exactly, for product = a b rounded."""
    high = SPLITTER * a
    a_high = high - (high - a)
    a_low = a - a_high
    high = SPLITTER * b
    b_high = high - (high - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@kernel
def discriminant(value: Real, rate: Real, curvature: Real) -> Real:
    """rate^2 - 2 curvature value to two units in the last place; the numbers are between LEAST and MOST, or zero."""
    square, other = rate * rate, 2.0 * curvature * value
    difference = square - other
    if 3.0 * abs(difference) >= square + abs(other):
        return difference
    rounding = product_rounding(rate, rate, square) - product_rounding(2.0 * curvature, value, other)
    return difference + rounding


@kernel
def scaled_roots(value: Real, rate: Real, curvature: Real) -> tuple[Real, Real]:
    """``roots`` of numbers between LEAST and MOST, neither value nor curvature zero."""
    square = discriminant(value, rate, curvature)
    if square < 0.0:
        return math.nan, math.nan
    if square == 0.0:
        return -rate / curvature, -rate / curvature
    x = rate + math.copysign(math.sqrt(square), rate)
    return -2.0 * value / x, -x / curvature


@kernel
def exponent_of(x: Real) -> Integer:
    """k with 2^k <= |x| < 2^(k+1), for x neither zero nor infinite."""
    size, exponent, power = abs(x), 0, 512
    while power > 0:
        if size >= 2.0**power:
            size *= 2.0**-power
            exponent += power
        elif size < 2.0 ** (1 - power):
            size *= 2.0**power
            exponent -= power
        power //= 2
    # a number in the last of the gaps between the powers above
    while size < 1.0:
        size *= 2.0
        exponent -= 1
    return exponent


@kernel
def times_power(x: Real, exponent: Integer) -> Real:
    """x 2^exponent; the factor itself may be too large or too small for a double."""
    quarter = exponent // 4
    factor = 2.0**quarter
    return x * 2.0 ** (exponent - 3 * quarter) * factor * factor * factor


@kernel
def in_range(x: Real) -> Truth:
    """Whether squares of x need no scaling."""
    return x == 0.0 or LEAST <= abs(x) <= MOST


@kernel
def rescaled_roots(value: Real, rate: Real, curvature: Real) -> tuple[Real, Real]:
    """``roots`` of numbers of any size, neither value nor curvature zero."""
    value_exponent = exponent_of(value)
    k = (value_exponent - exponent_of(curvature)) // 2
    if rate != 0.0 and exponent_of(rate) + k - value_exponent > MOST_EXPONENT:
        # rate^2 is so much larger than the other product that its root is the rate
        return -value / rate, -2.0 * (rate / curvature)
    near, far = scaled_roots(
        times_power(value, -value_exponent),
        times_power(rate, k - value_exponent),
        times_power(curvature, 2 * k - value_exponent),
    )
    return times_power(near, k), times_power(far, k)


@kernel
def roots(value: Real, rate: Real, curvature: Real) -> tuple[Real, Real]:
    """(zero of smaller size, zero of larger size); both nan if there is none, the second inf if there is one.

    A double zero is given twice, as the same number.
    """
    if curvature == 0.0:
        return (-value / rate, math.inf) if rate != 0.0 else (math.nan, math.nan)
    if value == 0.0:
        return 0.0, -2.0 * (rate / curvature)
    if in_range(value) and in_range(rate) and in_range(curvature):
        return scaled_roots(value, rate, curvature)
    return rescaled_roots(value, rate, curvature)


@kernel
def turns_negative(value: Real, rate: Real, curvature: Real) -> Real:
    """The first time at which a parabola with value >= 0 at the start turns negative; inf if it never does.

    One that only touches zero does not.
    """
    if rate >= 0.0 and curvature >= 0.0:
        return math.inf
    if not value > 0.0:
        return 0.0 if rate < 0.0 or (rate == 0.0 and curvature < 0.0) else -2.0 * (rate / curvature)
    square, other = rate * rate, -2.0 * curvature * value
    both = square + other
    if LEAST_SQUARE < both < MOST_SQUARE and 3.0 * both >= square - other:
        # as below, but faster, for the flights: nothing cancels, nothing is out of range, and one zero is enough
        x = abs(rate) + math.sqrt(both)
        return x / -curvature if rate > 0.0 else 2.0 * value / x
    near, far = roots(value, rate, curvature)
    if curvature < 0.0:
        return max(near, far)  # one before the start and one behind it
    return near if near < far else math.inf


@kernel
def positive_between(value: Real, rate: Real, curvature: Real) -> tuple[Real, Real]:
    """The times between which a parabola that opens downwards, or a straight line, is positive; (inf, inf) for others.

    Of any sign: the start may lie before them, between them or behind them.
    """
    if curvature > 0.0 or (curvature == 0.0 and rate == 0.0 and not value > 0.0):
        return math.inf, math.inf
    if curvature == 0.0:
        if rate == 0.0:
            return -math.inf, math.inf
        zero = -value / rate
        return (zero, math.inf) if rate > 0.0 else (-math.inf, zero)
    near, far = roots(value, rate, curvature)
    if not (near < far or far < near):  # no zeros, or a parabola that only touches
        return math.inf, math.inf
    return min(near, far), max(near, far)

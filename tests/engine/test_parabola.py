"""Zeros of parabolas over the whole range of doubles, against mpmath with 40 digits."""

import math

import mpmath
import numpy as np
import pytest

from jounce.kernels.flow.parabola import exponent_of, positive_between, roots, times_power, turns_negative

ULPS = 4 * 2.0**-52
SMALLEST = 2.0**-1022  # below it a double has fewer digits


def coefficients(kind: str, count: int, seed: int) -> np.ndarray:
    """Rows value, rate, curvature."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], (count, 3))
    if kind == "wide":  # anything beside anything
        return signs * 10.0 ** rng.uniform(-300, 300, (count, 3))
    if kind == "balanced":  # all three terms matter, at every scale of value and time
        k, m = rng.uniform(-140, 140, count), rng.uniform(-140, 140, count)
        factors = 10.0 ** np.stack([k, k - m, np.clip(k - 2 * m, -300, 300)], axis=1)
        return signs * factors * rng.uniform(0.1, 10.0, (count, 3))
    if kind == "zeros":
        rows = signs * 10.0 ** rng.uniform(-300, 300, (count, 3))
        return np.where(rng.random((count, 3)) < 0.4, 0.0, rows)
    # almost double: curvature = rate^2/(2 value) up to some of its last digits
    k, m = rng.uniform(-70, 70, count), rng.uniform(-70, 70, count)
    value, rate = rng.uniform(1, 10, count) * 10.0**k, signs[:, 0] * rng.uniform(1, 10, count) * 10.0 ** (k - m)
    close = 1.0 + signs[:, 1] * 10.0 ** rng.uniform(-17, -8, count)
    return np.stack([value, rate, rate / value * rate / 2.0 * close], axis=1) * signs[:, 2:]


def exact_roots(value: float, rate: float, curvature: float) -> list[mpmath.mpf]:
    """All real zeros, ascending; a double one twice."""
    c, b, a = (mpmath.mpf(x) for x in (value, rate, curvature))
    if a == 0:
        return [-c / b] if b != 0 else []
    with mpmath.workdps(80):  # products of doubles are exact, and 40 digits are left of their difference
        square = b * b - 2 * a * c
        if square < 0:
            return []
        x = -(b + mpmath.sqrt(square)) if b >= 0 else -b + mpmath.sqrt(square)
        return sorted([2 * c / x if x else mpmath.mpf(0), x / a])


def agrees(found: float, exact: mpmath.mpf) -> bool:
    """To a few units in the last place; beyond the doubles, and where they are subnormal, as they round."""
    if abs(exact) >= mpmath.mpf(2) ** 1023:
        return abs(found) > 1e307 and (found > 0) == (exact > 0)
    return bool(abs(mpmath.mpf(found) - exact) <= ULPS * max(abs(exact), mpmath.mpf(SMALLEST)))


KINDS = [(kind, seed) for seed, kind in enumerate(("wide", "balanced", "zeros", "almost double"))]


@pytest.mark.parametrize(("kind", "seed"), KINDS)
def test_roots_are_right_to_the_last_digits(kind: str, seed: int) -> None:
    mpmath.mp.dps = 40
    for value, rate, curvature in coefficients(kind, 3000, seed):
        exact = exact_roots(value, rate, curvature)
        found = sorted(x for x in roots(value, rate, curvature) if x == x)
        where = (value, rate, curvature, found, exact)
        if len(exact) == 1:
            assert agrees(found[0], exact[0]), where
            assert found[1] == math.inf, where
        else:
            assert len(found) == len(exact), where
            assert all(agrees(x, y) for x, y in zip(found, exact, strict=True)), where


@pytest.mark.parametrize(("kind", "seed"), KINDS)
def test_a_parabola_turns_negative_where_its_first_simple_zero_is(kind: str, seed: int) -> None:
    mpmath.mp.dps = 40
    for value, rate, curvature in coefficients(kind, 1000, 10 + seed):
        value = abs(value)
        exact = [x for x in exact_roots(value, rate, curvature) if x > 0 or (x == 0 and value == 0)]
        if value == 0.0:
            leaves = rate < 0 or (rate == 0 and curvature < 0)
            expected = [mpmath.mpf(0)] if leaves else [x for x in exact if x > 0 and curvature < 0]
        else:
            falling = [x for x in exact if rate + mpmath.mpf(curvature) * x < 0]
            expected = falling
        found = turns_negative(value, rate, curvature)
        if expected:
            assert agrees(found, expected[0]), (value, rate, curvature, found, expected)
        else:
            assert found == math.inf, (value, rate, curvature, found)


def test_positive_between_is_where_a_concave_parabola_is_positive() -> None:
    mpmath.mp.dps = 40
    for value, rate, curvature in coefficients("balanced", 1000, 5):
        curvature = -abs(curvature)
        low, high = positive_between(value, rate, curvature)
        exact = exact_roots(value, rate, curvature)
        if len(exact) == 2 and exact[0] < exact[1]:
            assert agrees(low, exact[0])
            assert agrees(high, exact[1])
        else:
            assert low == high == math.inf
    assert positive_between(1.0, 0.0, 0.0) == (-math.inf, math.inf)
    assert positive_between(-1.0, 0.0, 0.0) == (math.inf, math.inf)
    assert positive_between(1.0, -2.0, 0.0) == (-math.inf, 0.5)
    assert positive_between(-1.0, 2.0, 0.0) == (0.5, math.inf)
    assert positive_between(1.0, 2.0, 3.0) == (math.inf, math.inf)


def test_powers_of_two_scale_bit_for_bit() -> None:
    rng = np.random.default_rng(3)
    for value, rate, curvature in coefficients("balanced", 1000, 6):
        base = [np.ldexp(x, -math.frexp(value)[1]) for x in (value, rate, curvature)]
        k, m = (int(x) for x in rng.integers(-100, 100, 2))
        here = [times_power(x, j) for x, j in zip(base, (m, m - k, m - 2 * k), strict=True)]
        if all(SMALLEST < abs(x) < math.inf for x in (*base, *here)):
            for there, x in zip(roots(*here), roots(*base), strict=True):
                expected = times_power(x, k)
                assert there == expected or (math.isnan(there) and math.isnan(x)) or abs(expected) < SMALLEST


def test_exponents() -> None:
    rng = np.random.default_rng(4)
    numbers = [
        *(10.0 ** rng.uniform(-307, 308, 2000)),
        5e-324,
        1e-310,
        1.0,
        2.0,
        0.5,
        1.7e308,
        *(2.0 ** np.arange(-40, 40.0)),
    ]
    assert all(exponent_of(x) == math.frexp(x)[1] - 1 for x in numbers)

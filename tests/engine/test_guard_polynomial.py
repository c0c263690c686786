"""The root search of a guard: conversions, deflation, integration and the first sign change of polynomials."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

from jounce.kernels.events import guard_polynomial as gp
from jounce.kernels.records.workspace import DEGREE, SUBDIVISIONS

N = DEGREE
mp = MPContext()
mp.dps = 40


def bernstein(coefficients: list[object], degree: int) -> np.ndarray:
    """Bernstein coefficients of sum a_j x^j, c_k = sum_j C(k,j)/C(degree,j) a_j, exactly in 40 digits."""
    return np.array(
        [
            float(sum(mp.mpf(math.comb(k, j)) / math.comb(degree, j) * a for j, a in enumerate(coefficients) if j <= k))
            for k in range(degree + 1)
        ]
    )


def from_roots(roots: list[float], degree: int, sign: int = 1) -> np.ndarray:
    """sign * prod (r - x) in the Bernstein basis: positive at 0 if all roots are and sign is."""
    coefficients = [mp.mpf(sign)]
    for root in roots:
        shifted = [mp.mpf(0), *[-a for a in coefficients]]
        coefficients = [b + mp.mpf(root) * a for a, b in zip([*coefficients, mp.mpf(0)], shifted, strict=True)]
    return bernstein(coefficients, degree)


def first_root(c: np.ndarray) -> float:
    stack = np.zeros((SUBDIVISIONS + 2, N + 2))
    padded = np.zeros(N + 2)
    padded[: len(c)] = c
    return gp.first_root(padded, len(c) - 1, stack)


def samples_of(function) -> np.ndarray:
    return np.array([[function(x) for x in gp.NODES]])


# ---------------------------------------------------------------------- conversion


@pytest.mark.parametrize("power", range(N + 1))
def test_samples_become_bernstein_coefficients(power):
    """x^j has the coefficients C(k,j)/C(N,j): exact up to the rounding that GAIN bounds."""
    out = np.zeros(N + 2)
    gp.bernstein_of(samples_of(lambda x: x**power), 0, 0.0, out)
    expected = bernstein([0] * power + [1], N)
    error = np.abs(out[: N + 1] - expected)
    assert (error <= 4 * np.finfo(float).eps * gp.GAIN).all()


def test_the_ends_are_the_samples():
    """Both ends to the last bit: a guard that is zero there is zero."""
    samples = samples_of(lambda x: np.exp(3 * x) - 1.0)
    out = np.zeros(N + 2)
    gp.bernstein_of(samples, 0, 0.0, out)
    assert out[0] == samples[0, 0] == 0.0
    assert out[N] == samples[0, N]


def test_the_interpolant_of_an_analytic_guard():
    """exp(x) sin(2x) by degree N, evaluated in the Bernstein basis: to the size of the tail."""
    out = np.zeros(N + 2)
    samples = samples_of(lambda x: np.exp(x) * np.sin(2 * x))
    gp.bernstein_of(samples, 0, 0.0, out)
    tail, size = gp.tail_and_size(samples, 0)
    assert size == pytest.approx(np.abs(samples).max())
    x = np.linspace(0, 1, 101)
    values = [gp.bernstein_value(out, N, float(point)) for point in x]
    assert np.abs(values - np.exp(x) * np.sin(2 * x)).max() < 10 * tail + 1e-13


def test_an_unresolved_guard_has_a_large_tail():
    """A wave of five periods on the piece is not resolved, a slow one is."""
    fast, size = gp.tail_and_size(samples_of(lambda x: np.sin(31 * x)), 0)
    assert fast > 1e-3 * size
    slow, size = gp.tail_and_size(samples_of(lambda x: np.sin(0.3 * x)), 0)
    assert slow < 1e-12 * size


@given(st.lists(st.floats(-10, 10), min_size=N + 1, max_size=N + 1), st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_bernstein_value_against_the_definition(c, x):
    """sum c_k C(N,k) x^k (1-x)^(N-k)."""
    expected = sum(c[k] * math.comb(N, k) * x**k * (1 - x) ** (N - k) for k in range(N + 1))
    assert gp.bernstein_value(np.array(c), N, x) == pytest.approx(expected, abs=1e-12 * (1 + max(map(abs, c))))


@given(st.lists(st.floats(-5, 5), min_size=N + 1, max_size=N + 1), st.floats(-1, 1), st.floats(0.01, 10))
@settings(max_examples=100, deadline=None)
def test_integration(c, start, width):
    """The integral's value at 1 is start + width * mean of the coefficients; its derivative is the polynomial."""
    out = np.array([*c, 0.0])
    gp.integrate(start, width, out)
    assert out[0] == start
    assert out[N + 1] == pytest.approx(start + width * sum(c) / (N + 1), abs=1e-12 * (1 + width))
    derivative = (N + 1) * np.diff(out) / width
    np.testing.assert_allclose(derivative, c, rtol=0, atol=1e-11 * (1 + abs(start) / width))


@given(st.lists(st.floats(-5, 5), min_size=N, max_size=N))
@settings(max_examples=100, deadline=None)
def test_deflation_divides_by_x(a):
    """p(x)/x of a polynomial with p(0) = 0, against the power basis."""
    c = np.zeros(N + 2)
    c[: N + 1] = bernstein([0, *[mp.mpf(value) for value in a]], N)
    degree = gp.deflate(c, N)
    assert degree == N - 1
    np.testing.assert_allclose(c[:N], bernstein([mp.mpf(value) for value in a], N - 1), rtol=0, atol=1e-11)


def test_a_low_bounce_is_found_after_deflation():
    """gap = v s - a s^2/2 with v = 1e-9: after division by s its only root is the return, to full relative accuracy."""
    velocity, acceleration = 1e-9, 9.81
    width = 2.5 * velocity / acceleration
    c = np.zeros(N + 2)
    gp.bernstein_of(samples_of(lambda x: velocity - acceleration * x * width), 0, 0.0, c)
    gp.integrate(0.0, width, c)
    degree = gp.deflate(c, N + 1)
    assert first_root(c[: degree + 1]) * width == pytest.approx(2 * velocity / acceleration, rel=1e-12)


# ---------------------------------------------------------------------- sign changes and splitting


@given(st.lists(st.floats(-1, 1), min_size=N + 1, max_size=N + 1))
@settings(max_examples=100, deadline=None)
def test_splitting_keeps_the_polynomial(c):
    """Left and right halves take the values of the whole on [0, 1/2] and [1/2, 1]."""
    stack = np.zeros((SUBDIVISIONS + 2, N + 2))
    stack[0, : N + 1] = c
    gp.split(stack, 0, N)
    for x in (0.0, 0.3, 0.7, 1.0):
        assert gp.bernstein_value(stack[1], N, x) == pytest.approx(gp.bernstein_value(np.array(c), N, x / 2), abs=1e-13)
        assert gp.bernstein_value(stack[0], N, x) == pytest.approx(
            gp.bernstein_value(np.array(c), N, (1 + x) / 2), abs=1e-13
        )


@pytest.mark.parametrize(
    ("c", "expected"), [([1, 1, 1], 0), ([1, -1, 1], 2), ([0, 1, -1], 1), ([-1, 0, 1], 1), ([0, 0, 0], 0)]
)
def test_sign_changes(c, expected):
    """Zero counts as positive: a guard holds at zero."""
    assert gp.sign_changes(np.array(c, dtype=float), 2) == expected


@given(st.integers(1, 2**30 - 1), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_dyadic_width(numerator, level):
    start = (numerator % 2**level) / 2**level
    if start == 0.0:
        return
    width = gp.dyadic_width(start)
    assert start % width == 0.0
    assert (start / width) % 2 == 1.0


# ---------------------------------------------------------------------- first roots


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=6))
@settings(max_examples=400, deadline=None)
def test_the_first_of_several_roots(roots):
    """Simple roots at least 1e-3 apart, and possibly none: the smallest, against what was put in."""
    roots = sorted(roots)
    if any(b - a < 1e-3 for a, b in itertools.pairwise(roots)):
        return
    c = from_roots(roots, N)
    # the conditioning of a root: rounding of the coefficients over the slope there
    slope = abs(np.prod([roots[0] - other for other in roots[1:]])) if len(roots) > 1 else 1.0
    assert first_root(c) == pytest.approx(roots[0], abs=1e-12 + 1e-14 / slope)


def test_against_numpy_roots():
    """Random coefficients in the power basis: the first sign change as numpy's companion matrix finds it."""
    random = np.random.default_rng(5)
    compared = 0
    for _ in range(500):
        a = random.normal(size=N + 1)
        a[0] = abs(a[0])
        c = bernstein([mp.mpf(value) for value in a], N)
        found = np.roots(a[::-1])
        real = np.sort(found[np.abs(found.imag) < 1e-9].real)
        inside = real[(real > 0) & (real < 1)]
        x = first_root(c)
        if len(inside) == 0:
            assert x == gp.NO_ROOT
            continue
        assert x == pytest.approx(inside[0], abs=1e-9)
        compared += 1
    assert compared > 150


@given(st.floats(0.01, 0.99), st.floats(-1, -0.01))
@settings(max_examples=200, deadline=None)
def test_a_dip_below_zero_is_not_missed(place, exponent):
    """A double root lowered by depth: roots at place -+ sqrt(depth), for every depth down to 1e-10."""
    depth = 10 ** (10 * exponent)
    half = math.sqrt(depth)
    if place - half < 1e-3 or place + half > 1:
        return
    x = first_root(from_roots([place - half, place + half], N))
    assert x == pytest.approx(place - half, abs=1e-13 / half + 1e-11)


@pytest.mark.parametrize("place", [0.1, 0.25, 1 / 3, 0.5, 0.77, 0.999])
@pytest.mark.parametrize("lift", [1e-3, 1e-6, 1e-10])
def test_a_near_miss_is_no_root(place, lift):
    """(x - place)^2 + lift stays positive."""
    coefficients = [mp.mpf(place) ** 2 + mp.mpf(lift), -2 * mp.mpf(place), mp.mpf(1)]
    assert first_root(bernstein(coefficients, N)) == gp.NO_ROOT


@pytest.mark.parametrize("place", [0.1, 1 / 3, 0.61, 0.9])
def test_an_exact_double_root_is_a_grazing_or_a_miss(place):
    """Rounding decides between the two, but the place is right if it is reported, and the search ends."""
    x = first_root(from_roots([place, place], N))
    assert x == gp.NO_ROOT or x == pytest.approx(place, abs=1e-6)


def test_a_cluster_of_roots():
    """Six roots within 1e-2: the first to what its conditioning leaves."""
    roots = [0.4 + 0.002 * k for k in range(6)]
    assert first_root(from_roots(roots, N)) == pytest.approx(0.4, abs=1e-3)


def test_a_triple_root_is_crossed():
    assert first_root(from_roots([0.5, 0.5, 0.5], N)) == pytest.approx(0.5, abs=1e-4)


def test_a_guard_that_is_negative_from_the_start():
    assert first_root(from_roots([0.5], N, sign=-1)) == 0.0


def test_a_guard_that_is_zero_holds():
    assert first_root(np.zeros(N + 1)) == gp.NO_ROOT


def test_a_root_at_the_very_end_or_beyond():
    assert first_root(from_roots([1.0 + 1e-9], N)) == gp.NO_ROOT
    assert first_root(from_roots([1.0 - 1e-9], N)) == pytest.approx(1.0 - 1e-9, abs=1e-13)


def test_rounding_is_not_taken_for_a_shape():
    """A constant guard with rounding in its samples: coefficients below GAIN times the rounding are zero."""
    samples = samples_of(lambda x: 0.0) + 1e-17 * np.random.default_rng(0).normal(size=(1, N + 1))
    samples[0, 0] = samples[0, N] = 0.0
    out = np.zeros(N + 2)
    gp.bernstein_of(samples, 0, 1e-16, out)
    assert (out[: N + 1] == 0.0).all()

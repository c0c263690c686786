"""One guard on one piece of a step as a polynomial: sampled, checked for resolution, all its roots isolated.

A guard phi is sampled at the N+1 Chebyshev points x_k = (1 - cos(pi k/N))/2 of the piece. Three facts carry the search:

Resolution. The last Chebyshev coefficients of the interpolating polynomial bound what it misses: for an analytic
phi they fall geometrically. A piece is halved until they are below tolerance, so nothing that is larger than the
tolerance is lost between samples, whatever the step of the integrator.

Isolation. In the Bernstein basis, p = sum c_k B_k, the polynomial lies in the hull of its coefficients (all c_k > 0:
no root) and has at most as many roots as its coefficients have sign changes (one change: exactly one root; Descartes).
Otherwise halve (de Casteljau) and look again: this finds every root, double ones included, left to right.

Deflation. A guard that starts at its own root is divided by it exactly: if c_0 = 0, then p(x)/x has the coefficients
c_{k+1} N/(k+1). So neither a false repeat at the start nor a fast return is possible.

An open gap is sampled by its velocity and integrated in the Bernstein basis (a running sum of positive weights):
the rounding of g itself, which would hide flights lower than 1e-14, does not enter.
"""

from fractions import Fraction
from math import comb

import numpy as np

from jounce.kernels.records.tolerances import BRACKET_ROUNDING, EVALUATED, ROOT_TURNS, SMALLEST_INTERVAL
from jounce.kernels.records.workspace import DEGREE, SUBDIVISIONS
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

NO_ROOT = 2.0
NODES = 0.5 * (1.0 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE))


def _chebyshev_from_values() -> np.ndarray:
    """Rows: Chebyshev coefficients of the interpolant through values at NODES (the type-I cosine sum)."""
    k = np.arange(DEGREE + 1)
    matrix = 2.0 / DEGREE * np.cos(np.pi * np.outer(k, DEGREE - k) / DEGREE)
    matrix[:, [0, DEGREE]] *= 0.5
    matrix[[0, DEGREE], :] *= 0.5
    return matrix


def _bernstein_from_chebyshev() -> np.ndarray:
    """Exact: T_n(2x-1) = sum_k (-1)^(n-k) C(2n,2k)/C(n,k) B_k^n(x), raised to degree N."""
    matrix = np.zeros((DEGREE + 1, DEGREE + 1))
    for n in range(DEGREE + 1):
        row = [Fraction((-1) ** (n - k) * comb(2 * n, 2 * k), comb(n, k)) for k in range(n + 1)]
        for d in range(n, DEGREE):
            row = [
                (Fraction(k, d + 1) * row[k - 1] if k else Fraction(0))
                + (Fraction(d + 1 - k, d + 1) * row[k] if k <= d else Fraction(0))
                for k in range(d + 2)
            ]
        matrix[:, n] = [float(value) for value in row]
    return matrix


CHEBYSHEV = _chebyshev_from_values()
FROM_CHEBYSHEV = _bernstein_from_chebyshev()
# integral over the piece: T_n(2x-1) integrates to 1/(1 - n^2) for even n
WEIGHTS = np.array([0.0 if n % 2 else 1.0 / (1.0 - n * n) for n in range(DEGREE + 1)]) @ CHEBYSHEV
TAIL = np.ascontiguousarray(CHEBYSHEV[-3:])
# row k: what sample k adds to every coefficient
BERNSTEIN = np.ascontiguousarray((FROM_CHEBYSHEV @ CHEBYSHEV).T)
GAIN = np.abs(BERNSTEIN).sum(axis=0)  # how much a coefficient magnifies the rounding of the samples


@kernel
def sample_rounding(samples: Reals2, row: Integer, t: Real, width_in_time: Real) -> Real:
    """The rounding that every sample carries: of its own size, and of the time at which it was taken."""
    low = high = samples[row, 0]
    for k in range(1, DEGREE + 1):
        low = min(low, samples[row, k])
        high = max(high, samples[row, k])
    return EVALUATED * (max(high, -low) + abs(t) * (high - low) / width_in_time)


@kernel
def tail_and_size(samples: Reals2, row: Integer) -> tuple[Real, Real]:
    """(sum of the last three Chebyshev coefficients, largest sample) of one guard."""
    size = a = b = c = 0.0
    for k in range(DEGREE + 1):
        value = samples[row, k]
        size = max(size, abs(value))
        a += TAIL[0, k] * value
        b += TAIL[1, k] * value
        c += TAIL[2, k] * value
    return abs(a) + abs(b) + abs(c), size


@kernel
def bernstein_of(samples: Reals2, row: Integer, rounding: Real, out: Reals) -> Truth:
    """Bernstein coefficients (degree N) through the samples; what is only their rounding is zero. True if some was."""
    noisy = False
    for i in range(DEGREE + 1):
        out[i] = 0.0
    for k in range(DEGREE + 1):
        value = samples[row, k]
        for i in range(DEGREE + 1):
            out[i] += BERNSTEIN[k, i] * value
    for i in range(DEGREE + 1):
        if abs(out[i]) <= GAIN[i] * rounding:
            out[i] = 0.0
            noisy = True
    # both ends are samples: exactly, not to rounding
    out[0] = samples[row, 0] if abs(samples[row, 0]) > rounding else 0.0
    out[DEGREE] = samples[row, DEGREE] if abs(samples[row, DEGREE]) > rounding else 0.0
    return noisy


@kernel
def smooth_bernstein(samples: Reals2, row: Integer, rounding: Real, out: Reals) -> None:
    """Bernstein coefficients from those Chebyshev coefficients of the samples that are more than their rounding.

    Chebyshev coefficients do not magnify it; Bernstein's do, by up to GAIN = 3000. A flight of 1e-11 s is a straight
    line in velocities that are known to six digits: with its middle coefficients set to zero it lasts a fifth too long.
    """
    for i in range(DEGREE + 1):
        out[i] = 0.0
    for n in range(DEGREE + 1):
        value = 0.0
        for k in range(DEGREE + 1):
            value += CHEBYSHEV[n, k] * samples[row, k]
        if abs(value) > rounding:
            for i in range(DEGREE + 1):
                out[i] += FROM_CHEBYSHEV[i, n] * value


@kernel
def integrate(start: Real, width: Real, out: Reals) -> None:
    """Coefficients of start + width * integral_0^x p, degree N+1, in place."""
    value = start
    for k in range(DEGREE + 1):
        step = width * out[k] / (DEGREE + 1)
        out[k] = value
        value += step
    out[DEGREE + 1] = value


@kernel
def deflate(c: Reals, degree: Integer) -> Integer:
    """Divide by x a polynomial whose root at x = 0 is known; returns the new degree."""
    for k in range(degree):
        c[k] = c[k + 1] * degree / (k + 1)
    return degree - 1


@kernel
def sign_changes(c: Reals, degree: Integer) -> Integer:
    """Descartes' count; zero counts as positive, because a guard holds at zero."""
    count = 0
    negative = c[0] < 0.0
    for k in range(1, degree + 1):
        if (c[k] < 0.0) != negative:
            count += 1
            negative = not negative
    return count


@kernel
def bernstein_value(c: Reals, degree: Integer, x: Real) -> Real:
    """p(x) by the scheme of Horner for Bernstein coefficients."""
    y = 1.0 - x
    power = 1.0
    binomial = 1.0
    value = c[0] * y
    for k in range(1, degree):
        power *= x
        binomial *= (degree - k + 1) / k
        value = (value + power * binomial * c[k]) * y
    return value + power * x * c[degree]


@kernel
def single_root(c: Reals, degree: Integer) -> Real:
    """The one root in [0, 1] of a polynomial that starts positive and ends negative (Illinois)."""
    a, b, fa, fb = 0.0, 1.0, c[0], c[degree]
    side, x = 0, 0.0
    for _ in range(ROOT_TURNS):
        x = (a * fb - b * fa) / (fb - fa) if fb != fa else 0.5 * (a + b)
        if not a < x < b:
            x = 0.5 * (a + b)
        value = bernstein_value(c, degree, x)
        if value >= 0.0:
            a, fa = x, value
            if side == 1:
                fb *= 0.5
            side = 1
        else:
            b, fb = x, value
            if side == -1:
                fa *= 0.5
            side = -1
        if b - a < BRACKET_ROUNDING or value == 0.0:
            break
    return x


@kernel
def split(stack: Reals2, top: Integer, degree: Integer) -> None:
    """De Casteljau at 1/2: the left half replaces level ``top`` + 1, the right half level ``top``."""
    right = stack[top]
    left = stack[top + 1]
    for k in range(degree + 1):
        left[k] = right[0]
        for j in range(degree - k):
            right[j] = 0.5 * (right[j] + right[j + 1])


@kernel
def first_root(c: Reals, degree: Integer, stack: Reals2) -> Real:
    """The first x in [0, 1] at which a guard that starts non-negative turns negative; NO_ROOT if it never does.

    Depth first, left before right: level j of the stack is a dyadic interval of width 2^-j, except the top one.
    """
    changes = sign_changes(c, degree)
    if changes == 0:
        return 0.0 if c[0] < 0.0 else NO_ROOT
    if changes == 1 and c[0] >= 0.0:
        return single_root(c, degree)
    for k in range(degree + 1):
        stack[0, k] = c[k]
    top, start, width = 0, 0.0, 1.0
    # `start` walks over the dyadic intervals; the width of the interval on top follows from the walk itself
    while True:
        changes = sign_changes(stack[top], degree)
        if stack[top, 0] < 0.0:
            return start
        if changes == 1:
            return start + width * single_root(stack[top], degree)
        if changes > 1:
            if width < SMALLEST_INTERVAL or top >= SUBDIVISIONS:
                return start
            split(stack, top, degree)
            top += 1
            width *= 0.5
            continue
        # this interval is free: go to the next one, the right half of the deepest unfinished level
        start += width
        if top == 0 or start >= 1.0:
            return NO_ROOT
        top -= 1
        # the interval now on top starts at `start`; its width is the largest dyadic one that divides it
        width = dyadic_width(start)


@kernel
def dyadic_width(start: Real) -> Real:
    """Width of the right sibling that starts at ``start``: the largest 2^-j of which ``start`` is a multiple."""
    width = 1.0
    while start / width != np.floor(start / width):
        width *= 0.5
    return width

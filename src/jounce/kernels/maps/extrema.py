"""The extrema of a step's interpolant, from its Bernstein coefficients.

The interpolant is z0 + x (F1 + (1-x) (F2 + x (F3 + ...))) = z0 + sum_k F_k x^a (1-x)^b with a = ceil(k/2) and
b = floor(k/2). Since x^a (1-x)^b = sum_i C(m-k, i-a) x^i (1-x)^(m-i), its coefficients in the Bernstein basis of
degree m are

    c_i = z0 + sum_k F_k C(m-k, i-a) / C(m, i) .

A polynomial lies within the hull of its coefficients and passes through the first and the last. A piece whose largest
coefficient is not above the largest value met so far holds no maximum; any other is halved (de Casteljau). The hull
approaches the polynomial with the square of a piece's length, so that some thirty halvings reach rounding.
"""

from math import comb

import numpy as np

from jounce.kernels.records.tolerances import COEFFICIENT_ROUNDING, EXTREMUM_PIECES
from jounce.kernels.records.workspace import INTERPOLANT_ROWS
from jounce.toolchain.abi import f8_1d, f8_2d, f8_3d, void
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Reals3


def _weights() -> np.ndarray:
    """weights[m, k, i]: what F_k adds to c_i in degree m."""
    weights = np.zeros((INTERPOLANT_ROWS + 1, INTERPOLANT_ROWS + 1, INTERPOLANT_ROWS + 1))
    for m in range(1, INTERPOLANT_ROWS + 1):
        for k in range(1, m + 1):
            first = (k + 1) // 2
            for i in range(first, first + m - k + 1):
                weights[m, k, i] = comb(m - k, i - first) / comb(m, i)
    return weights


WEIGHTS = _weights()


@kernel
def keep_left(c: Reals, degree: Integer, x: Real) -> None:
    """The coefficients of the piece [0, x] in place of those of [0, 1]."""
    for r in range(1, degree + 1):
        for i in range(degree, r - 1, -1):
            c[i] = (1.0 - x) * c[i - 1] + x * c[i]


@kernel
def keep_right_half(c: Reals, degree: Integer) -> None:
    """The coefficients of the piece [1/2, 1] in place of those of [0, 1]."""
    for r in range(1, degree + 1):
        for i in range(degree - r + 1):
            c[i] = 0.5 * c[i] + 0.5 * c[i + 1]


@kernel
def bernstein_piece(data: Reals2, degree: Integer, column: Integer, x: Real, sign: Real, c: Reals) -> None:
    """Coefficients of sign times one component of the interpolant in ``data`` (rows z0, F1, ...), on [0, x]."""
    for i in range(degree + 1):
        total = data[0, column]
        for k in range(1, degree + 1):
            total += data[k, column] * WEIGHTS[degree, k, i]
        c[i] = sign * total
    if x != 1.0:
        keep_left(c, degree, x)


@kernel
def raise_to_maximum(pieces: Reals2, degree: Integer, best: Real) -> Real:
    """The largest of ``best`` and the polynomial in pieces[0]; a value that is not finite raises nothing."""
    waiting = 1
    while waiting > 0:
        c = pieces[waiting - 1]
        peak = size = 0.0
        for i in range(degree + 1):
            peak = c[i] if i == 0 else max(peak, c[i])
            size = max(size, abs(c[i]))
        best = max(best, c[0], c[degree])
        if not peak > best + COEFFICIENT_ROUNDING * size or waiting == EXTREMUM_PIECES:
            waiting -= 1
            continue
        for i in range(degree + 1):
            pieces[waiting, i] = c[i]
        keep_right_half(pieces[waiting], degree)
        keep_left(c, degree, 0.5)
        waiting += 1
    return best


@kernel
def widen_by_piece(data: Reals2, degree: Integer, k: Integer, x: Real, pieces: Reals2, extrema: Reals2) -> None:
    """Let the extrema of component k include the interpolant in ``data`` on [0, x]."""
    bernstein_piece(data, degree, k, x, -1.0, pieces[0])
    extrema[0, k] = -raise_to_maximum(pieces, degree, -extrema[0, k])
    bernstein_piece(data, degree, k, x, 1.0, pieces[0])
    extrema[1, k] = raise_to_maximum(pieces, degree, extrema[1, k])


@block(void(f8_3d, f8_1d, f8_2d, f8_2d, f8_2d))
def widen_by_steps(coefficients: Reals3, shares: Reals, data: Reals2, pieces: Reals2, extrema: Reals2) -> None:
    """Let the extrema (least, largest) include all steps of a record, each up to a share of its length."""
    rows, columns = coefficients.shape[1], coefficients.shape[2]
    for step in range(coefficients.shape[0]):
        for i in range(rows):
            for k in range(columns):
                data[i, k] = coefficients[step, i, k]
        for k in range(columns):
            widen_by_piece(data, rows - 1, k, shares[step], pieces, extrema)

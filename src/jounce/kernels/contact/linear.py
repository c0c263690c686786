"""Dense linear algebra for the few unknowns of one mode: in place, allocation free.

LAPACK allocates and dispatches; at these sizes (a dozen unknowns at most) plain loops are faster.
"""

import math

from jounce.kernels.contact.blocks import label_blocks, one_block
from jounce.kernels.contact.least_norm import least_norm
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.tolerances import CLEARLY_DEFINITE, RANK_TOLERANCE
from jounce.kernels.records.workspace import workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals2, Truth

APART = 4  # unknowns up to which it does not pay to look for those that stand apart


@kernel
def row_start(factor: Reals2, i: Integer) -> Integer:
    """The first column of row i of L that is not zero; row 0 of the unused upper triangle keeps it."""
    return int(factor[0, i]) if i > 0 else 0


@kernel
def factor_diagonal(m: Machine, w: Workspace) -> Truth:
    """``factor_mass`` where M is diagonal."""
    factor = w.factor
    for i in range(m.n):
        if not w.mass[i] > 0.0:
            return False
        if i > 0:
            factor[0, i] = i
    for i in range(m.n):
        factor[i, i] = 1.0 / w.mass[i]
    return True


@kernel
def factor_mass(m: Machine, w: Workspace) -> Truth:
    """M = L D L^T of what `dynamics` has written to w.mass, to w.factor; False if M is not positive definite.

    Below the diagonal stands L, whose own diagonal is 1; on it 1/D_i: every solution divides by it, and multiplications
    are faster. No roots are taken: in units in which masses are another power of two the bits are the same.
    Zeros before the first entry of a row of M stay zeros in L and are skipped: for bodies in Cartesian coordinates M is
    diagonal, and everything below costs n and not n^2.
    """
    mass, n, factor = w.mass, m.n, w.factor
    if m.diagonal:
        return factor_diagonal(m, w)
    for i in range(n):
        first = 0
        while first < i and mass[i * n + first] == 0.0:
            factor[i, first] = 0.0
            first += 1
        if i > 0:
            factor[0, i] = first
        # the row of L D, then of L
        for j in range(first, i):
            total = mass[i * n + j]
            for k in range(max(first, row_start(factor, j)), j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total
        total = mass[i * n + i]
        for k in range(first, i):
            entry = factor[i, k]
            factor[i, k] = entry * factor[k, k]
            total -= entry * factor[i, k]
        if not total > 0.0:
            return False
        factor[i, i] = 1.0 / total
    return True


@kernel
def solve_mass(factor: Reals2, n: Integer, right: Reals2, row: Integer, out: Reals2, out_row: Integer) -> None:
    """out[out_row] = M^-1 right[row] with the factors of M."""
    for i in range(n):
        total = right[row, i]
        for k in range(row_start(factor, i), i):
            total -= factor[i, k] * out[out_row, k]
        out[out_row, i] = total
    for i in range(n):
        out[out_row, i] *= factor[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(row_start(factor, i), i):
            out[out_row, k] -= factor[i, k] * out[out_row, i]


@kernel
def inverse_mass_square(w: Workspace, n: Integer, k: Integer) -> Real:
    """R_k M^-1 R_k with M = L D L^T: one forward substitution y = L^-1 R_k, sum y_i^2/D_i."""
    square = 0.0
    for i in range(n):
        total = w.rows[k, i]
        for j in range(row_start(w.factor, i), i):
            total -= w.factor[i, j] * w.forward[j]
        w.forward[i] = total
        square += total * total * w.factor[i, i]
    return square


@kernel
def factor_definite(w: Workspace, size: Integer) -> Truth:
    """w.matrix = L D L^T, symmetric, to w.svd[0]; False where it is not clearly positive definite.

    L begins where the matrix does in each row, at w.order: bodies that stand apart have no part in it.
    """
    matrix, work, begin = w.matrix, w.svd[0], w.order
    for i in range(size):
        first = 0
        while first < i and matrix[i, first] == 0.0:
            first += 1
        begin[i] = first
        for j in range(first, i):
            total = matrix[i, j]
            for k in range(max(first, begin[j]), j):
                total -= work[i, k] * work[j, k]
            work[i, j] = total
        total = matrix[i, i]
        for k in range(first, i):
            entry = work[i, k]
            work[i, k] = entry / work[k, k]
            total -= entry * work[i, k]
        if not total > CLEARLY_DEFINITE * matrix[i, i]:
            return False
        work[i, i] = total
    return True


@kernel
def solve_factored(w: Workspace, size: Integer) -> None:
    """Solve w.matrix x = w.right by the factors of ``factor_definite``."""
    unknown, work, begin = w.unknown, w.svd[0], w.order
    for i in range(size):
        total = w.right[i]
        for k in range(begin[i], i):
            total -= work[i, k] * unknown[k]
        unknown[i] = total
    for i in range(size):
        unknown[i] /= work[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(begin[i], i):
            unknown[k] -= work[i, k] * unknown[i]


@kernel
def solve_definite(w: Workspace, size: Integer) -> Truth:
    """Solve w.matrix x = w.right, w.matrix symmetric; False where it is not clearly positive definite."""
    if not factor_definite(w, size):
        return False
    solve_factored(w, size)
    return True


@kernel
def diagonal_mobilities(w: Workspace, size: Integer) -> None:
    """The mobilities of constraints whose matrix R M^-1 R^T is in w.matrix: its diagonal."""
    for k in range(size):
        w.mobility[k] = w.matrix[k, k]


@kernel
def relative_square(entry: Real, row: Real, column: Real) -> Real:
    """entry^2/(row column): how large an entry of a matrix of mobilities is."""
    product = row * column
    return entry * entry / product if product > 0.0 else 0.0


@block(f8(workspace_record, i8))
def solve_ranked(w: Workspace, size: Integer) -> Real:
    """Solve w.matrix x = w.right by elimination with full pivoting; returns the determinant (0 where rank deficient).

    Where constraints depend on one another (both ends of a flat rod sticking) the forces are not unique; then x is
    the solution of least norm, so equal contacts share equally. ``matrix`` and ``right`` are kept; x is w.unknown.

    Rows and columns of lengths and of angles have no common unit. They are compared as a_ij^2/(C_i C_j), with the
    mobilities C_k = R_k M^-1 R_k of the constraints, which the caller has put into w.mobility. w.least_pivot receives
    the smallest pivot so measured, of those that are not zero: how near to singular the matrix is, while a determinant
    is a product of as many factors as there are rows.
    """
    matrix, right, unknown, order, work = w.matrix, w.right, w.unknown, w.order, w.svd[0]
    if size == 1 and relative_square(matrix[0, 0], w.mobility[0], w.mobility[0]) > 0.0:
        unknown[0] = right[0] / matrix[0, 0]
        w.least_pivot = abs(matrix[0, 0]) / w.mobility[0]
        return matrix[0, 0]
    if size == 2 and matrix[0, 1] == 0.0 and matrix[1, 0] == 0.0:
        # two that have no part in each other's equations, as in the stick of one body: what the elimination comes to
        one = relative_square(matrix[0, 0], w.mobility[0], w.mobility[0])
        other = relative_square(matrix[1, 1], w.mobility[1], w.mobility[1])
        if min(one, other) > RANK_TOLERANCE * RANK_TOLERANCE * max(one, other):
            unknown[0], unknown[1] = right[0] / matrix[0, 0], right[1] / matrix[1, 1]
            w.least_pivot = math.sqrt(min(one, other, 1.0))
            return matrix[0, 0] * matrix[1, 1]
    row_mobility, label = w.row_mobility, w.block
    blocks = label_blocks(matrix, size, label) if size > APART else one_block(size, label)
    count = 0
    for block_number in range(blocks):
        for i in range(size):
            if label[i] == block_number:
                order[count] = i
                count += 1
    largest = 0.0
    for i in range(size):
        row_mobility[i] = w.mobility[order[i]]
        for j in range(size):
            work[i, j] = matrix[order[i], order[j]]
            largest = max(largest, relative_square(work[i, j], row_mobility[i], w.mobility[order[j]]))
        work[i, size] = right[order[i]]
    determinant, first, least = 1.0, 0, 1.0
    for k in range(size):
        # unknowns that stand apart have no part in each other's equations
        while first < size and label[order[first]] < label[order[k]]:
            first += 1
        end = k + 1
        while end < size and label[order[end]] == label[order[k]]:
            end += 1
        pivot_row, pivot_column, best = k, k, 0.0
        for i in range(k, end):
            for j in range(k, end):
                square = relative_square(work[i, j], row_mobility[i], w.mobility[order[j]])
                if square > best:
                    best, pivot_row, pivot_column = square, i, j
        if not best > RANK_TOLERANCE * RANK_TOLERANCE * largest:
            w.least_pivot = least_norm(matrix, right, w.mobility, size, unknown, w.svd, label, order, row_mobility)
            return 0.0
        least = min(least, best)
        if pivot_row != k:
            determinant = -determinant
            row_mobility[k], row_mobility[pivot_row] = row_mobility[pivot_row], row_mobility[k]
            for j in range(k, end):
                work[k, j], work[pivot_row, j] = work[pivot_row, j], work[k, j]
            work[k, size], work[pivot_row, size] = work[pivot_row, size], work[k, size]
        if pivot_column != k:
            determinant = -determinant
            order[k], order[pivot_column] = order[pivot_column], order[k]
            for i in range(first, end):
                work[i, k], work[i, pivot_column] = work[i, pivot_column], work[i, k]
        determinant *= work[k, k]
        for i in range(k + 1, end):
            if work[i, k] == 0.0:
                continue
            ratio = work[i, k] / work[k, k]
            for j in range(k + 1, end):
                work[i, j] -= ratio * work[k, j]
            work[i, size] -= ratio * work[k, size]
    w.least_pivot = math.sqrt(least)
    last = size
    for k in range(size - 1, -1, -1):
        if k + 1 < size and label[order[k + 1]] != label[order[k]]:
            last = k + 1
        total = work[k, size]
        for j in range(k + 1, last):
            total -= work[k, j] * unknown[order[j]]
        unknown[order[k]] = total / work[k, k]
    return determinant

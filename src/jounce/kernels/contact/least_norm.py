"""Forces of least norm where constraints depend on one another: a complete orthogonal factorisation.

In y_j = sqrt(C_j) x_j, with the mobilities C_j of the constraints, forces and moments have a common size. There the
equations A y = b of each set of unknowns that A joins become, with columns in the order of their length (Householder's
reflections with pivoting), and then with the dependent columns turned away by reflections from the right,

    A P = Q (R S ; 0 0) ,     (R S) Z = (T 0) ,     y = P Z (T^-1 Q^T b ; 0) .

The columns of P Z behind the rank span the null space: distributions of forces that move nothing. b and y carry one
more factor 1/sqrt(C) each, of the first constraint that moves: roots are then taken of products of two mobilities only,
which another unit multiplies by an even power, and units that are powers of two change no bit. The work is that of
an elimination. Singular values by Jacobi's rotations give the same y, and were most of the time of a stack at rest.
"""

import math

from jounce.kernels.contact.blocks import label_blocks
from jounce.kernels.records.tolerances import RANK_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2, Reals3


@kernel
def scaled(entry: Real, product: Real) -> Real:
    """entry/sqrt(product); zero where a constraint has no mobility."""
    return entry / math.sqrt(product) if product > 0.0 else 0.0


@kernel
def largest_column(matrix: Reals2, mobility: Reals, size: Integer) -> Real:
    """The largest square of a column of A."""
    largest = 0.0
    for j in range(size):
        square = 0.0
        for i in range(size):
            square += scaled(matrix[i, j], mobility[i] * mobility[j]) ** 2
        largest = max(largest, square)
    return largest


@kernel
def first_mobility(mobility: Reals, size: Integer) -> Real:
    """The first mobility that is not zero, 1 where there is none."""
    for i in range(size):
        if mobility[i] > 0.0:
            return mobility[i]
    return 1.0


@kernel
def gather(
    matrix: Reals2, right: Reals, mobility: Reals, common: Real, size: Integer, label: Integers, block: Integer,
    member: Integers, work: Reals2,
) -> Integer:  # fmt: skip
    """A of one block with b/sqrt(common) behind its columns; returns how many unknowns it has, ``member``."""
    count = 0
    for i in range(size):
        if label[i] == block:
            member[count] = i
            count += 1
    for a in range(count):
        i = member[a]
        for b in range(count):
            work[a, b] = scaled(matrix[i, member[b]], mobility[i] * mobility[member[b]])
        work[a, count] = scaled(right[i], mobility[i] * common)
    return count


@kernel
def longest(work: Reals2, k: Integer, count: Integer) -> tuple[Integer, Real]:
    """The column from k on that is longest below row k, and its square."""
    at, most = k, 0.0
    for j in range(k, count):
        square = 0.0
        for i in range(k, count):
            square += work[i, j] * work[i, j]
        if square > most:
            at, most = j, square
    return at, most


@kernel
def reflect_column(work: Reals2, k: Integer, count: Integer, length: Real) -> None:
    """Turn column k below row k into its first entry, and all columns behind it, b among them, in the same way."""
    end = -math.copysign(length, work[k, k])
    first = work[k, k] - end
    weight = 1.0 / (length * abs(first))
    for j in range(k + 1, count + 1):
        total = first * work[k, j]
        for i in range(k + 1, count):
            total += work[i, k] * work[i, j]
        total *= weight
        work[k, j] -= total * first
        for i in range(k + 1, count):
            work[i, j] -= total * work[i, k]
    work[k, k] = end


@kernel
def triangulate(work: Reals2, count: Integer, member: Integers, largest: Real) -> Integer:
    """R and S in place of A, Q^T b in place of b, columns in the order of ``member``; returns the rank."""
    for k in range(count):
        at, square = longest(work, k, count)
        if not square > RANK_TOLERANCE * RANK_TOLERANCE * largest:
            return k
        if at != k:
            member[k], member[at] = member[at], member[k]
            for i in range(count):
                work[i, k], work[i, at] = work[i, at], work[i, k]
        reflect_column(work, k, count, math.sqrt(square))
    return count


@kernel
def turn_dependent(work: Reals2, count: Integer, rank: Integer) -> None:
    """T in place of R. A reflection lies in its row: first entry in the last row of its column, the others in S."""
    for k in range(rank - 1, -1, -1):
        square = work[k, k] * work[k, k]
        for t in range(rank, count):
            square += work[k, t] * work[k, t]
        length = math.sqrt(square)
        end = -math.copysign(length, work[k, k])
        first = work[k, k] - end
        work[k, k], work[count - 1, k] = end, first
        for i in range(k):
            total = first * work[i, k]
            for t in range(rank, count):
                total += work[k, t] * work[i, t]
            total /= length * abs(first)
            work[i, k] -= total * first
            for t in range(rank, count):
                work[i, t] -= total * work[k, t]


@kernel
def turn_back(work: Reals2, count: Integer, rank: Integer, line: Reals) -> None:
    """Z times what is in ``line``."""
    for k in range(rank):
        first = work[count - 1, k]
        total = first * line[k]
        for t in range(rank, count):
            total += work[k, t] * line[t]
        total /= abs(work[k, k]) * abs(first)
        line[k] -= total * first
        for t in range(rank, count):
            line[t] -= total * work[k, t]


@kernel
def solve_block(work: Reals2, count: Integer, rank: Integer, line: Reals) -> None:
    """y of one block in the order of its columns."""
    for k in range(count):
        line[k] = 0.0
    for k in range(rank - 1, -1, -1):
        total = work[k, count]
        for j in range(k + 1, rank):
            total -= work[k, j] * line[j]
        line[k] = total / work[k, k]


@kernel
def least_norm(
    matrix: Reals2, right: Reals, mobility: Reals, size: Integer, unknown: Reals, svd: Reals3, label: Integers,
    member: Integers, line: Reals,
) -> Real:  # fmt: skip
    """The x that solves matrix x = right best and has the least sum C_j x_j^2, C the mobilities of the constraints.

    Returns the smallest pivot above those that count as none, over the largest. svd[1] gets the pivots on its diagonal,
    zero for dependent columns, and these columns of svd[2] the null space in y. label, member and line are scratch.
    """
    work, pivots, null = svd[0], svd[1], svd[2]
    blocks, largest = label_blocks(matrix, size, label), largest_column(matrix, mobility, size)
    for i in range(size):
        for j in range(size):
            pivots[i, j] = null[i, j] = 0.0
    least, common = math.sqrt(largest), first_mobility(mobility, size)
    for block in range(blocks):
        count = gather(matrix, right, mobility, common, size, label, block, member, work)
        rank = triangulate(work, count, member, largest)
        for k in range(rank):
            pivots[member[k], member[k]] = work[k, k]
            least = min(least, abs(work[k, k]))
        if rank < count:
            turn_dependent(work, count, rank)
        solve_block(work, count, rank, line)
        if rank < count:
            turn_back(work, count, rank, line)
        for k in range(count):
            unknown[member[k]] = scaled(line[k] * common, mobility[member[k]] * common)
        for j in range(rank, count):
            for k in range(count):
                line[k] = 1.0 if k == j else 0.0
            turn_back(work, count, rank, line)
            for k in range(count):
                null[member[k], member[j]] = line[k]
    return least / math.sqrt(largest) if largest > 0.0 else 0.0

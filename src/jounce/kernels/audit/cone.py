"""The distance of a vector from a convex cone: least squares with shares >= 0, by Lawson and Hanson's active set.

    min | d - sum_c s_c g_c | ,   s_c >= 0

With k directions that take part it solves k problems of least squares with up to k directions of n numbers, k^3 n
multiplications or so. Where directions share no coordinate the problem falls apart, and the squares of the distances
add up: bodies on a floor that do not touch one another are asked one by one, in a time that grows with their number.
"""

import math

from jounce.kernels.audit.record import DIRECTIONS
from jounce.kernels.records.fields import Audit
from jounce.kernels.records.tolerances import DEPENDENT, NO_DESCENT, WHOLE_CONE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2


@kernel
def length(vector: Reals2, row: Integer, n: Integer) -> Real:
    """Norm of one row."""
    total = 0.0
    for k in range(n):
        total += vector[row, k] * vector[row, k]
    return math.sqrt(total)


@kernel
def solve_passive(n: Integer, a: Audit, direction: Reals2, demand: Reals, count: Integer) -> None:
    """Least squares over the passive directions, into a.trial; a direction that depends on others is made active."""
    size = 0
    for c in range(count):
        a.trial[c] = 0.0
        if not a.passive[c]:
            continue
        for k in range(n):
            a.frame[size, k] = direction[c, k]
        whole = length(a.frame, size, n)
        for r in range(size):
            a.triangle[r, size] = 0.0
        for _ in range(2):
            for r in range(size):
                product = 0.0
                for k in range(n):
                    product += a.frame[r, k] * a.frame[size, k]
                a.triangle[r, size] += product
                for k in range(n):
                    a.frame[size, k] -= product * a.frame[r, k]
        left = length(a.frame, size, n)
        if not left > DEPENDENT * whole:
            a.passive[c] = 0
            a.share[c] = 0.0
            continue
        for k in range(n):
            a.frame[size, k] /= left
        a.triangle[size, size] = left
        a.order[size] = c
        size += 1
    for r in range(size - 1, -1, -1):
        total = 0.0
        for k in range(n):
            total += a.frame[r, k] * demand[k]
        for s in range(r + 1, size):
            total -= a.triangle[r, s] * a.trial[a.order[s]]
        a.trial[a.order[r]] = total / a.triangle[r, r]


@kernel
def until_zero(share: Real, trial: Real) -> Real:
    """The part of the way from a share >= 0 to a trial <= 0 at which it vanishes."""
    return share / (share - trial) if share > 0.0 else 0.0


@kernel
def take_in(n: Integer, a: Audit, direction: Reals2, demand: Reals, count: Integer, newest: Integer) -> None:
    """Move the shares towards the solution of the passive set, dropping those that would become negative."""
    a.passive[newest] = 1
    for _ in range(2 * DIRECTIONS):
        solve_passive(n, a, direction, demand, count)
        part = 1.0
        for c in range(count):
            if a.passive[c] and a.trial[c] <= 0.0:
                part = min(part, until_zero(a.share[c], a.trial[c]))
        for c in range(count):
            if not a.passive[c]:
                continue
            if a.trial[c] <= 0.0 and until_zero(a.share[c], a.trial[c]) <= part:
                a.share[c] = 0.0
                a.passive[c] = 0
            else:
                a.share[c] += part * (a.trial[c] - a.share[c])
        if part == 1.0:
            return


@kernel
def square_from_cone(n: Integer, a: Audit, direction: Reals2, demand: Reals, count: Integer, whole: Real) -> Real:
    """The squared distance of a vector from the cone of ``count`` directions; shares small beside ``whole`` stay."""
    for k in range(n):
        a.rest[k] = demand[k]
    for c in range(count):
        a.share[c] = 0.0
        a.passive[c] = 0
    for _ in range(3 * DIRECTIONS):
        newest, steepest = -1, NO_DESCENT * whole
        for c in range(count):
            if a.passive[c]:
                continue
            product = 0.0
            for k in range(n):
                product += direction[c, k] * a.rest[k]
            if product > steepest:
                newest, steepest = c, product
        if newest < 0:
            break
        take_in(n, a, direction, demand, count, newest)
        for k in range(n):
            a.rest[k] = demand[k]
        for c in range(count):
            for k in range(n):
                a.rest[k] -= a.share[c] * direction[c, k]
    total = 0.0
    for k in range(n):
        total += a.rest[k] * a.rest[k]
    return total


@kernel
def root_of(a: Audit, k: Integer) -> Integer:
    """The first coordinate known to be tied to this one."""
    while a.cluster[k] != k:
        k = a.cluster[k]
    return k


@kernel
def find_clusters(n: Integer, a: Audit, count: Integer) -> None:
    """What directions tie together: in a.cluster the first coordinate of each cluster, in a.member that of each row."""
    for k in range(n):
        a.cluster[k] = k
    for c in range(count):
        a.member[c] = -1
        for k in range(n):
            if a.direction[c, k] == 0.0:
                continue
            root = root_of(a, k)
            if a.member[c] < 0:
                a.member[c] = root
            elif root != a.member[c]:
                a.cluster[max(root, a.member[c])] = min(root, a.member[c])
                a.member[c] = min(root, a.member[c])
    for k in range(n):
        a.cluster[k] = root_of(a, k)
    for c in range(count):
        a.member[c] = a.cluster[a.member[c]]


@kernel
def take_part(n: Integer, a: Audit, count: Integer, root: Integer) -> tuple[Integer, Integer]:
    """Put what belongs to one cluster into a.part and a.wanted; returns how many coordinates and directions."""
    size = found = 0
    for k in range(n):
        if a.cluster[k] == root:
            a.coordinate[size] = k
            a.wanted[size] = a.demand[k]
            size += 1
    for c in range(count):
        if a.member[c] == root:
            for j in range(size):
                a.part[found, j] = a.direction[c, a.coordinate[j]]
            found += 1
    return size, found


@kernel
def distance_from_cone(n: Integer, a: Audit, count: Integer) -> Real:
    """The distance of a.demand from the cone of the first ``count`` directions, which have a length."""
    square = 0.0
    for k in range(n):
        square += a.demand[k] * a.demand[k]
    whole, total = math.sqrt(square), 0.0
    if n <= WHOLE_CONE:
        return math.sqrt(square_from_cone(n, a, a.direction, a.demand, count, whole))
    find_clusters(n, a, count)
    for root in range(n):
        if a.cluster[root] == root:
            size, found = take_part(n, a, count, root)
            total += square_from_cone(size, a, a.part, a.wanted, found, whole)
    return math.sqrt(total)

"""A linear complementarity problem by Lemke's method:  w = q + M z ,  w >= 0 ,  z >= 0 ,  w.z = 0 .

An artificial z0 with the column of ones makes q + z0 >= 0. Starting from w = q + M z + z0 with z0 as small as it can
be, one variable after the other enters the basis, always the partner of the one that has just left, until z0 is zero or
leaves: then w.z = 0 holds without it. Every basis is met once at most if ties are broken by the lexicographic order of
the rows of the inverse basis (the columns that belong to w), so the method ends: with a solution, or on a ray. For a
matrix that is copositive, as that of contacts with Coulomb friction is in the variables of joint.py, a ray means that
there is none, for the right sides that belong to such contacts; otherwise it may miss one, so what it finds is only a
proposal.

The tableau has a row for each basic variable and the columns  w (n), z (n), z0, right side.
"""

from jounce.kernels.records.tolerances import LEMKE_PIVOTS, PIVOT_ROUNDING
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals2, Truth


@kernel
def pivot(tableau: Reals2, n: Integer, row: Integer, column: Integer) -> None:
    """Make ``column`` the unit vector of ``row``."""
    width = 2 * n + 2
    factor = 1.0 / tableau[row, column]
    for j in range(width):
        tableau[row, j] *= factor
    tableau[row, column] = 1.0
    for i in range(n):
        ratio = tableau[i, column]
        if i != row and ratio != 0.0:
            for j in range(width):
                tableau[i, j] -= ratio * tableau[row, j]
            tableau[i, column] = 0.0


@kernel
def comes_before(tableau: Reals2, n: Integer, column: Integer, row: Integer, other: Integer) -> Truth:
    """Whether the row divided by its entry in ``column`` is lexicographically before the other: right side, then w."""
    a, b = tableau[row, column], tableau[other, column]
    difference = tableau[row, 2 * n + 1] / a - tableau[other, 2 * n + 1] / b
    if abs(difference) > PIVOT_ROUNDING:
        return difference < 0.0
    for j in range(n):
        difference = tableau[row, j] / a - tableau[other, j] / b
        if abs(difference) > PIVOT_ROUNDING:
            return difference < 0.0
    return False


@kernel
def leaving_row(tableau: Reals2, basis: Integers, n: Integer, column: Integer) -> Integer:
    """The row whose variable first becomes zero as the one of ``column`` grows; z0 before all others; -1 on a ray."""
    best = -1
    for i in range(n):
        if tableau[i, column] > PIVOT_ROUNDING and (best < 0 or comes_before(tableau, n, column, i, best)):
            best = i
    if best < 0:
        return -1
    least = tableau[best, 2 * n + 1] / tableau[best, column]
    for i in range(n):
        if basis[i] == 2 * n and tableau[i, column] > PIVOT_ROUNDING:
            if tableau[i, 2 * n + 1] / tableau[i, column] <= least + PIVOT_ROUNDING:
                return i
    return best


@kernel
def start_tableau(tableau: Reals2, basis: Integers, n: Integer, cover: Integer) -> Integer:
    """Unit columns for w and that of z0, with entries between 1 and 2; the row at which z0 enters, -1: q >= 0.

    Of rows that tie the last one is the lexicographically first.
    """
    least, first = 0.0, -1
    for i in range(n):
        basis[i] = i
        for j in range(n):
            tableau[i, j] = 1.0 if i == j else 0.0
        # the golden ratio spreads the covers: another one takes another path
        spread = (i + 1) * cover * 0.6180339887498949
        tableau[i, 2 * n] = -1.0 - (spread - int(spread))
        least = min(least, tableau[i, 2 * n + 1] / -tableau[i, 2 * n])
    for i in range(n):
        ratio = tableau[i, 2 * n + 1] / -tableau[i, 2 * n]
        if ratio < 0.0 and ratio <= least + PIVOT_ROUNDING:
            first = i
    return first


@kernel
def artificial(tableau: Reals2, basis: Integers, n: Integer) -> Real:
    """The value of z0: where dependent contacts make it zero to rounding it need not leave the basis."""
    for i in range(n):
        if basis[i] == 2 * n:
            return tableau[i, 2 * n + 1]
    return 0.0


@kernel
def solve_complementarity(tableau: Reals2, basis: Integers, n: Integer, cover: Integer) -> Truth:
    """Solve for z; M is in the tableau as -M in the columns n..2n-1, q in the last. True if there is a solution.

    Then ``basis`` holds the variables of the rows (j < n: w_j; n + j: z_j), the last column their values.
    """
    row = start_tableau(tableau, basis, n, cover)
    if row < 0:
        return True
    entering = 2 * n
    for _ in range(LEMKE_PIVOTS * n):
        leaving = basis[row]
        pivot(tableau, n, row, entering)
        basis[row] = entering
        if leaving == 2 * n or artificial(tableau, basis, n) <= PIVOT_ROUNDING:
            return True
        entering = leaving + n if leaving < n else leaving - n
        row = leaving_row(tableau, basis, n, entering)
        if row < 0:
            return False
    return False

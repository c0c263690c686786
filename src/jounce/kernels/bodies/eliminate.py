"""The motion of bodies and joints alone: M u' = h + J^T nu, J u' = -c, with M diagonal and six entries in a row of J.

S = J M^-1 J^T has an entry where two equations hold the same body. The order of elimination and the places of the
entries of S = L D L^T are found when the tables are made (system/tables/joint_pattern.py): the work grows with the
number of joints of a chain, not with its cube.
"""

from jounce.kernels.bodies.constraints import joint_equation
from jounce.kernels.bodies.layout import BODY_A, BODY_B, TOUCH_ROW
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.tolerances import CLEARLY_DEFINITE
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals


@kernel
def inverse_masses(tables: Tables, values: Reals, inverse: Reals) -> None:
    """1/M of every coordinate."""
    constants, mass = numbers_at(tables.constant).at, integers_at(tables.mass).at
    for k in range(tables.bodies):
        inverse[3 * k] = inverse[3 * k + 1] = 1.0 / number(constants, values, mass[2 * k])
        inverse[3 * k + 2] = 1.0 / number(constants, values, mass[2 * k + 1])


@kernel
def coupling(tables: Tables, inverse: Reals, rows: Integers, J: Reals, i: Integer, k: Integer) -> Real:
    """S_ik: the part of the bodies that both equations hold."""
    total = 0.0
    for side in range(2):
        body = rows[i * TOUCH_ROW + (BODY_A if side == 0 else BODY_B)]
        for other in range(2):
            if rows[k * TOUCH_ROW + (BODY_A if other == 0 else BODY_B)] == body and body < tables.bodies:
                for j in range(3):
                    entry = J[6 * i + 3 * side + j] * J[6 * k + 3 * other + j]
                    total += entry * inverse[3 * body + j]
    return total


@kernel
def eliminate_joints(
    tables: Tables,
    values: Reals,
    frames: Reals,
    forces: Reals,
    inverse: Reals,
    J: Reals,
    lower: Reals,
    right: Reals,
    out: Reals,
) -> None:
    """u' and nu into ``out``, then 1.0 if no equation depends on the others, else 0.0.

    J, lower (entries of L row after row in the order of elimination, each with its entry of D at the end) and right are
    scratch; forces is h, inverse 1/M.
    """
    n, nj = tables.n, tables.nj
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    rows, order = integers_at(tables.joint).at, integers_at(tables.order).at
    pattern = integers_at(tables.pattern).at  # starts of the rows, then columns; a row ends with its diagonal
    for j in range(n):
        out[j] = forces[j] * inverse[j]
    for k in range(nj):
        row = address(rows, k * TOUCH_ROW)
        found, entries = joint_equation(constants, values, corners, frames, row)
        right[k] = -found[2]
        for side in range(2):
            body = row[BODY_A if side == 0 else BODY_B]
            for j in range(3):
                J[6 * k + 3 * side + j] = entries[3 * side + j]
                if body < tables.bodies:
                    right[k] -= entries[3 * side + j] * out[3 * body + j]
    sound = 1.0
    for i in range(nj):
        first, last = pattern[i], pattern[i + 1] - 1
        pivot = mobility = coupling(tables, inverse, rows, J, order[i], order[i])
        total = right[order[i]]
        for at in range(first, last):
            k = pattern[at]
            entry = coupling(tables, inverse, rows, J, order[i], order[k])
            # minus sum over m < k of (L D)_im L_km, for the columns m that both rows have
            mine, theirs, end = first, pattern[k], pattern[k + 1] - 1
            while mine < at and theirs < end:
                if pattern[mine] == pattern[theirs]:
                    entry -= lower[mine] * lower[theirs]
                    mine += 1
                    theirs += 1
                elif pattern[mine] < pattern[theirs]:
                    mine += 1
                else:
                    theirs += 1
            lower[at] = entry  # of L D
            scaled = entry / lower[end]
            pivot -= entry * scaled
            total -= scaled * out[n + k]
        for at in range(first, last):
            lower[at] /= lower[pattern[pattern[at] + 1] - 1]
        lower[last] = pivot
        out[n + i] = total
        if not pivot > CLEARLY_DEFINITE * mobility:
            sound = 0.0
    solve_upper(tables, lower, out, right)
    for k in range(nj):
        row = address(rows, k * TOUCH_ROW)
        out[n + k] = right[k]
        for side in range(2):
            body = row[BODY_A if side == 0 else BODY_B]
            if body < tables.bodies:
                for j in range(3):
                    share = J[6 * k + 3 * side + j] * right[k]
                    out[3 * body + j] += share * inverse[3 * body + j]
    out[n + nj] = sound


@kernel
def solve_upper(tables: Tables, lower: Reals, out: Reals, right: Reals) -> None:
    """right[order] = L^-T D^-1 of what stands behind u' in ``out``."""
    n, nj = tables.n, tables.nj
    pattern, order = integers_at(tables.pattern).at, integers_at(tables.order).at
    for i in range(nj):
        out[n + i] /= lower[pattern[i + 1] - 1]
    for i in range(nj - 1, -1, -1):
        for at in range(pattern[i], pattern[i + 1] - 1):
            out[n + pattern[at]] -= lower[at] * out[n + i]
    for i in range(nj):
        right[order[i]] = out[n + i]

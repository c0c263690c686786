"""The motion of bodies and joints alone: M u' = h + J^T nu, J u' = -c, with M diagonal and six entries in a row of J.

S = J M^-1 J^T has an entry where two equations hold the same body. The order of elimination, the places of the entries
of S = L D L^T and which bodies each two equations share are found when the tables are made
(system/tables/joint_pattern.py): the work grows with the number of joints of a chain, not with its cube.
"""

from jounce.kernels.bodies.constraints import joint_equation, pin_bias
from jounce.kernels.bodies.layout import BODY_A, BODY_B, KIND, PIN_X, TOUCH_ROW
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.tolerances import CLEARLY_DEFINITE
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals


@kernel
def inverse_masses(tables: Tables, values: Reals, inverse: Reals) -> None:
    """1/M of every coordinate."""
    constants, mass = numbers_at(tables.constant).at, integers_at(tables.mass).at
    for k in range(tables.bodies):
        inverse[3 * k] = inverse[3 * k + 1] = 1.0 / number(constants, values, mass[2 * k])
        inverse[3 * k + 2] = 1.0 / number(constants, values, mass[2 * k + 1])
    for k in range(tables.branches):
        inverse[3 * tables.bodies + k] = 1.0 / number(constants, values, mass[2 * (tables.bodies + k)])


@kernel
def joint_rows(tables: Tables, values: Reals, frames: Reals, free: Reals, J: Reals, right: Reals) -> None:
    """J, and -c - J M^-1 h into ``right``, from M^-1 h in ``free``. The two equations of a pin follow one another."""
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    rows = integers_at(tables.joint).at
    k = 0
    while k < tables.nj:
        row = address(rows, k * TOUCH_ROW)
        a, b = address(free, 3 * row[BODY_A]), address(free, 3 * row[BODY_B])
        if row[KIND] == PIN_X:
            c_x, c_y, X, Y, P_X, P_Y = pin_bias(constants, values, frames, row)
            write_row(J, 6 * k, (1.0, 0.0, -Y, -1.0, 0.0, P_Y))
            write_row(J, 6 * k + 6, (0.0, 1.0, X, 0.0, -1.0, -P_X))
            right[k] = -c_x - (a[0] - Y * a[2]) + (b[0] - P_Y * b[2])
            right[k + 1] = -c_y - (a[1] + X * a[2]) + (b[1] + P_X * b[2])
            k += 2
        else:
            found, entries = joint_equation(constants, values, corners, frames, row)
            write_row(J, 6 * k, entries)
            right[k] = -found[2] - along(address(J, 6 * k), a) - along(address(J, 6 * k + 3), b)
            k += 1


@kernel
def write_row(J: Reals, at: Integer, entries: tuple[Real, Real, Real, Real, Real, Real]) -> None:
    """Six numbers into a row of J."""
    J[at], J[at + 1], J[at + 2], J[at + 3], J[at + 4], J[at + 5] = entries


@kernel
def along(first: Reals, second: Reals) -> Real:
    """The product of two vectors of three numbers."""
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


@kernel
def coupling(weighted: Reals, J: Reals, shared: Integer, i: Integer, k: Integer) -> Real:
    """S_ik: the part of the bodies that both equations hold, as ``shared`` says; ``weighted`` is J M^-1."""
    total = 0.0
    if shared & 1:
        total += along(address(weighted, 6 * i), address(J, 6 * k))
    if shared & 2:
        total += along(address(weighted, 6 * i), address(J, 6 * k + 3))
    if shared & 4:
        total += along(address(weighted, 6 * i + 3), address(J, 6 * k))
    if shared & 8:
        total += along(address(weighted, 6 * i + 3), address(J, 6 * k + 3))
    return total


@kernel
def weigh(tables: Tables, inverse: Reals, J: Reals, weighted: Reals) -> None:
    """J M^-1, zero for the ground."""
    rows = integers_at(tables.joint).at
    for k in range(tables.nj):
        row = address(rows, k * TOUCH_ROW)
        a, b = 3 * row[BODY_A], 3 * row[BODY_B]
        for j in range(3):
            weighted[6 * k + j] = J[6 * k + j] * inverse[a + j]
            weighted[6 * k + 3 + j] = J[6 * k + 3 + j] * inverse[b + j]


@kernel
def eliminate_joints(
    tables: Tables,
    values: Reals,
    frames: Reals,
    free: Reals,
    inverse: Reals,
    J: Reals,
    weighted: Reals,
    lower: Reals,
    right: Reals,
    line: Reals,
    out: Reals,
) -> None:
    """u' and nu into ``out``, then 1.0 if no equation depends on the others, else 0.0.

    J, weighted, lower (entries of L row after row in the order of elimination, each with one over its entry of D at the
    end), right and line (the row of L D that is made, with zeros where it has no entry) are scratch. Of h there is
    M^-1 h of the bodies in ``free``, to which the joints' part is added, with zeros for the ground behind it, as in
    ``inverse``. Of other coordinates u' is in ``out`` already.
    """
    n, nj = tables.n, tables.nj
    rows, order = integers_at(tables.joint).at, integers_at(tables.order).at
    pattern = integers_at(tables.pattern).at  # starts of the rows, then columns; a row ends with its diagonal
    shared = integers_at(tables.shared).at
    joint_rows(tables, values, frames, free, J, right)
    weigh(tables, inverse, J, weighted)
    sound = 1.0
    for i in range(nj):
        line[i] = 0.0
    for i in range(nj):
        first, last, own = pattern[i], pattern[i + 1] - 1, order[i]
        pivot = mobility = coupling(weighted, J, 9, own, own)
        total = right[own]
        for at in range(first, last):
            k = pattern[at]
            entry, end = coupling(weighted, J, shared[at], own, order[k]), pattern[k + 1] - 1
            for theirs in range(pattern[k], end):  # minus sum over m < k of (L D)_im L_km
                entry -= line[pattern[theirs]] * lower[theirs]
            line[k] = entry
            lower[at] = entry * lower[end]
            pivot -= entry * lower[at]
            total -= lower[at] * out[n + k]
        for at in range(first, last):
            line[pattern[at]] = 0.0
        lower[last] = 1.0 / pivot
        out[n + i] = total
        if not pivot > CLEARLY_DEFINITE * mobility:
            sound = 0.0
    solve_upper(tables, lower, out, right)
    for k in range(nj):
        row, force = address(rows, k * TOUCH_ROW), right[k]
        a, b = 3 * row[BODY_A], 3 * row[BODY_B]
        out[n + k] = force
        for j in range(3):
            free[a + j] += weighted[6 * k + j] * force
            free[b + j] += weighted[6 * k + 3 + j] * force
    for j in range(3 * tables.bodies):
        out[j] = free[j]
    out[n + nj] = sound


@kernel
def solve_upper(tables: Tables, lower: Reals, out: Reals, right: Reals) -> None:
    """right[order] = L^-T D^-1 of what stands behind u' in ``out``."""
    n, nj = tables.n, tables.nj
    pattern, order = integers_at(tables.pattern).at, integers_at(tables.order).at
    for i in range(nj):
        out[n + i] *= lower[pattern[i + 1] - 1]
    for i in range(nj - 1, -1, -1):
        force = out[n + i]
        right[order[i]] = force
        for at in range(pattern[i], pattern[i + 1] - 1):
            out[n + pattern[at]] -= lower[at] * force

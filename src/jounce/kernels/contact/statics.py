"""Forces that statics leaves open: the distribution of least norm that friction can carry.

Constraints that depend on one another (a mass in a corner, a rod that sticks with both ends) have forces x that are not
unique: x = x0 + Z a with x0 of least norm and Z orthonormal on the null space of the mode's matrix, in the norm
sum C_k x_k^2 (contact/linear.py). The motion is the same for all. Of those within the limits of friction, c + A a >= 0
in the notation of contact/capacity.py, the one of least norm minimises |a|^2. With multipliers y_i of the limits it is

    a = A^T y ,   w = c + A A^T y ,   w >= 0 ,   y >= 0 ,   w.y = 0 ,

a linear complementarity problem with a matrix that is positive semidefinite: Lemke's method solves it whenever there is
such a distribution.
"""

from jounce.kernels.contact.capacity import fill_dictionary, force_entry, forces_are_open
from jounce.kernels.contact.forces import solve_mode, store_forces
from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.contact.unknowns import count_constraints
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, integer_pointer
from jounce.toolchain.jit import block, kernel

COVER = 1  # the first path of Lemke's method


@kernel
def largest_square(table, rows, directions):
    """The largest entry of A, squared: in its unit A A^T is of size 1."""
    largest = 0.0
    for i in range(rows):
        for k in range(1, directions + 1):
            largest = max(largest, table[i, k] * table[i, k])
    return largest


@kernel
def fill_tableau(w, rows, directions, unit):
    """c and A A^T as ``solve_complementarity`` wants them."""
    table, tableau = w.limit_table, w.tableau
    for i in range(rows):
        tableau[i, 2 * rows + 1] = table[i, 0]
        for j in range(rows):
            product = 0.0
            for k in range(1, directions + 1):
                product += table[i, k] * table[j, k]
            tableau[i, rows + j] = -product / unit


@kernel
def add_direction(w, size, direction, amount):
    """x += amount times the column of Z with this number."""
    count = 0
    for j in range(size):
        if w.is_null[j]:
            count += 1
            if count == direction:
                for i in range(size):
                    w.unknown[i] += amount * force_entry(w, i, j)


@block(f8(machine_record, workspace_record, integer_pointer))
def solve_statics(m, w, modes):
    """``solve_mode``, with forces within the limits of friction where they are not unique and such forces exist."""
    determinant = solve_mode(m, w, modes)
    if determinant != 0.0 or not forces_are_open(m, w, modes):
        return determinant
    measure_terms(m, w, modes)
    rows, directions, loaded = fill_dictionary(m, w, modes)
    unit = largest_square(w.limit_table, rows, directions)
    if not loaded or not unit > 0.0:
        return determinant
    fill_tableau(w, rows, directions, unit)
    if solve_complementarity(w.tableau, w.basis, rows, COVER):
        size = count_constraints(m, modes)
        for row in range(rows):
            limit = w.basis[row] - rows
            if 0 <= limit < rows:
                multiplier = w.tableau[row, 2 * rows + 1] / unit
                for k in range(1, directions + 1):
                    add_direction(w, size, k, multiplier * w.limit_table[limit, k])
        store_forces(m, w, modes)
    return determinant

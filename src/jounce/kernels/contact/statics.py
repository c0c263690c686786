"""Forces that statics leaves open: the distribution of least norm that friction can carry.

Constraints that depend on one another (a mass in a corner, a rod that sticks with both ends) have forces x that are not
unique: x = x0 + Z a with x0 of least norm and Z orthonormal on the null space of the mode's matrix, in the norm
sum C_k x_k^2 (contact/linear.py). Mostly the motion is the same for all. Of those within the limits of friction,
c + A a >= 0 in the notation of contact/capacity.py, the one of least norm minimises |a|^2. With multipliers y_i of the
limits it is

    a = A^T y ,   w = c + A A^T y ,   w >= 0 ,   y >= 0 ,   w.y = 0 ,

a linear complementarity problem with a matrix that is positive semidefinite: Lemke's method solves it whenever there is
such a distribution.

The motion is another one for each a where the friction of a slide follows from the forces that are open: three discs
that roll on a floor side by side, the one in the middle sliding on it, held between the others by friction, which also
lifts or presses it. Every a within the limits is a motion by Coulomb's law. The one taken is that of the least norm
again: it changes continuously with the state, also where a limit becomes active or ceases to be, while the single
distribution at which some contact slides without ever moving jumps from contact to contact.
"""

from jounce.kernels.contact.capacity import best_distribution, fill_dictionary, force_entry, take_distribution
from jounce.kernels.contact.least_norm import first_mobility
from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.contact.store_forces import store_forces
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.contact.unknowns import count_constraints
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8, integer_pointer
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals2, Truth

COVER = 1  # the first path of Lemke's method


@kernel
def largest_square(table: Reals2, rows: Integer, directions: Integer) -> Real:
    """The largest entry of A, squared: in its unit A A^T is of size 1."""
    largest = 0.0
    for i in range(rows):
        for k in range(1, directions + 1):
            largest = max(largest, table[i, k] * table[i, k])
    return largest


@kernel
def fill_tableau(w: Workspace, rows: Integer, directions: Integer, unit: Real) -> None:
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
def add_direction(w: Workspace, size: Integer, direction: Integer, amount: Real) -> None:
    """x += amount times the column of Z with this number."""
    count, common = 0, first_mobility(w.mobility, size)
    for j in range(size):
        if w.is_null[j]:
            count += 1
            if count == direction:
                for i in range(size):
                    w.unknown[i] += amount * force_entry(w, common, i, j)


@kernel
def are_kept(w: Workspace, rows: Integer) -> Truth:
    """Whether the forces that the dictionary starts with keep all limits."""
    for row in range(rows):
        if w.limit_table[row, 0] < 0.0:
            return False
    return True


@kernel
def take_least(m: Machine, w: Workspace, modes: Integers, rows: Integer, directions: Integer) -> Truth:
    """Move the forces to those of least norm within the limits; False if there are none, or no direction matters."""
    unit = largest_square(w.limit_table, rows, directions)
    if not unit > 0.0:
        return False
    fill_tableau(w, rows, directions, unit)
    if not solve_complementarity(w.tableau, w.basis, rows, COVER):
        return False
    size = count_constraints(m, modes)
    for row in range(rows):
        limit = w.basis[row] - rows
        if 0 <= limit < rows:
            multiplier = w.tableau[row, 2 * rows + 1] / unit
            for k in range(1, directions + 1):
                add_direction(w, size, k, multiplier * w.limit_table[limit, k])
    return True


@block(i8(machine_record, workspace_record, integer_pointer))
def keep_limits(m: Machine, w: Workspace, modes: Integers) -> Integer:
    """Let the forces of least norm of a mode, in w.unknown, be those of least norm within the limits of friction.

    Where there are none, those that break the limits least: with the last ones within them they agree where the set of
    these becomes a point, so that a step that goes beyond the end of a mode sees no jump there. With loads in joints
    they stay as they are. Needs the factors of ``least_norm``; 1 if the forces were moved.
    """
    store_forces(m, w, modes)
    measure_terms(m, w, modes)
    rows, directions, sized = fill_dictionary(m, w, modes)
    if not sized or are_kept(w, rows):
        return 0
    if not take_least(m, w, modes, rows, directions) and m.loaded == 0:
        _, rows, columns = best_distribution(m, w, modes)
        if rows > 0:
            take_distribution(m, w, modes, rows, columns)
    return 1

"""Directions of contacts: a contact moves two bodies, so W has six entries in a machine of bodies, whatever its size.

A model that is compiled writes all n entries of W_N and W_T. A machine of tables writes those of its two bodies,
m.paired is 1, and entry k of contact i belongs to coordinate m.column[6 i + k]. Entries of the ground are zero and have
the columns of the other body: whoever spreads a direction over all coordinates adds. Joints have all n entries.
"""

from jounce.kernels.records.fields import Machine
from jounce.kernels.records.workspace import CONTACT_STRIDE, PAIR
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2


@kernel
def contact_place(m: Machine, i: Integer) -> Integer:
    """Where contact i begins in what `contacts` writes: g, gamma_N, gamma_T, c_N, c_T, W_N, W_T."""
    return i * (CONTACT_STRIDE + 2 * m.width)


@kernel
def normal_place(m: Machine, i: Integer) -> Integer:
    """Where W_N of contact i begins; W_T begins m.width behind it."""
    return i * (CONTACT_STRIDE + 2 * m.width) + CONTACT_STRIDE


@kernel
def column(m: Machine, i: Integer, k: Integer) -> Integer:
    """The coordinate of entry k of a direction of contact i."""
    return m.column[PAIR * i + k] if m.paired else k


@kernel
def along(m: Machine, values: Reals, i: Integer, place: Integer, vector: Reals, start: Real) -> Real:
    """start + W.vector for the direction of contact i that begins at values[place]."""
    total = start
    for k in range(m.width):
        total += values[place + k] * vector[column(m, i, k)]
    return total


@kernel
def spread(m: Machine, values: Reals, i: Integer, place: Integer, rows: Reals2, row: Integer) -> None:
    """rows[row] = W over all coordinates, for the direction of contact i that begins at values[place]."""
    if m.paired:
        for j in range(m.n):
            rows[row, j] = 0.0
        for k in range(m.width):
            rows[row, column(m, i, k)] += values[place + k]
    else:
        for j in range(m.n):
            rows[row, j] = values[place + j]

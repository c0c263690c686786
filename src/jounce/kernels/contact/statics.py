"""Forces that statics leaves open: the distribution of least norm that friction can carry.

Constraints that depend on one another (a mass in a corner, a rod that sticks with both ends) have forces x that are not
unique: x = x0 + Z a with x0 of least norm and Z orthonormal on the null space of the mode's matrix, in the norm
sum C_k x_k^2 (contact/linear.py). The motion is the same for all. Of those within the limits of friction, G x >= 0
(mu lambda_N +- lambda_T >= 0 where a contact sticks, lambda_N >= 0 where it slides), the one of least norm minimises
|a|^2. With d_i = Z Z^T g_i its dual is

    x = x0 + sum_i y_i d_i ,   y_i >= 0 ,   y_i = 0 unless g_i.x = 0 ,

solved one multiplier at a time, y_i <- max(0, y_i - g_i.x/|d_i|^2) (Hildreth 1957): few rows, and no pivoting.
"""

import math

from jounce.kernels.contact.forces import constrains, solve_mode, store_forces
from jounce.kernels.contact.linear import RANK_TOLERANCE
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.workspace import SURFACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, integer_pointer
from jounce.toolchain.jit import block, kernel

SWEEPS = 4000
CONVERGED = 1e-13  # of the largest force
CARRIED = 1e-9  # the same: a limit broken by more has no distribution that keeps it


@kernel
def limit_entries(m, w, modes, limit):
    """(place of lambda_N among the unknowns, its factor, factor of lambda_T behind it) of one limit; -1: no limit.

    Limits 2i and 2i + 1 belong to contact i; one that slides has one, of its normal force.
    """
    k = m.nj
    for i in range(limit // 2):
        if constrains(modes[i]):
            k += 2 if modes[i] == STICK else 1
    i = limit // 2
    if not constrains(modes[i]) or (modes[i] != STICK and limit % 2 == 1):
        return -1, 0.0, 0.0
    if modes[i] != STICK:
        return k, 1.0, 0.0
    return k, w.surface[i * SURFACE_STRIDE + 1], 1.0 if limit % 2 == 0 else -1.0


@kernel
def null_direction(w, size, place, normal, tangential, out):
    """d = Z Z^T g into row ``out`` of w.svd[0]; returns |d|^2. Needs the factors of ``least_norm``."""
    u, v, d = w.svd[1], w.svd[2], w.svd[0]
    largest = 0.0
    for j in range(size):
        d[out, j] = square = 0.0
        for i in range(size):
            square += u[i, j] * u[i, j]
        largest = max(largest, square)
    length = 0.0
    for j in range(size):
        square = 0.0
        for i in range(size):
            square += u[i, j] * u[i, j]
        if square <= (RANK_TOLERANCE * RANK_TOLERANCE) * largest:
            along = normal * force_entry(w, v, place, j)
            if tangential != 0.0:
                along += tangential * force_entry(w, v, place + 1, j)
            length += along * along
            for i in range(size):
                d[out, i] += along * force_entry(w, v, i, j)
    return length


@kernel
def force_entry(w, v, i, j):
    """Entry i of the force that belongs to column j of v: ``least_norm`` works with sqrt(C_i) x_i."""
    return v[i, j] / math.sqrt(w.mobility[i]) if w.mobility[i] > 0.0 else 0.0


@kernel
def sweep(m, w, modes, size, multiplier, square):
    """Correct every limit once; returns by how much the worst was broken."""
    x, d = w.unknown, w.svd[0]
    worst = 0.0
    for limit in range(2 * m.nc):
        place, normal, tangential = limit_entries(m, w, modes, limit)
        if place < 0:
            continue
        value = normal * x[place] + (tangential * x[place + 1] if tangential != 0.0 else 0.0)
        worst = max(worst, -value)
        if square[limit] > 0.0:
            step = max(-multiplier[limit], -value / square[limit])
            multiplier[limit] += step
            for j in range(size):
                x[j] += step * d[limit, j]
    return worst


@block(f8(machine_record, workspace_record, integer_pointer))
def solve_statics(m, w, modes):
    """``solve_mode``, with forces within the limits of friction where they are not unique and such forces exist."""
    determinant = solve_mode(m, w, modes)
    if determinant != 0.0:
        return determinant
    size = m.nj
    for i in range(m.nc):
        if constrains(modes[i]):
            size += 2 if modes[i] == STICK else 1
    largest = 0.0
    for k in range(size):
        w.right[k] = w.unknown[k]
        largest = max(largest, abs(w.unknown[k]))
    multiplier, square = w.limit_multiplier, w.limit_square
    for limit in range(2 * m.nc):
        multiplier[limit] = square[limit] = 0.0
        place, normal, tangential = limit_entries(m, w, modes, limit)
        if place >= 0:
            square[limit] = null_direction(w, size, place, normal, tangential, limit)
    worst = 0.0
    for _ in range(SWEEPS):
        worst = sweep(m, w, modes, size, multiplier, square)
        if worst <= CONVERGED * largest:
            break
    if worst > CARRIED * largest:
        for k in range(size):
            w.unknown[k] = w.right[k]
    store_forces(m, w, modes)
    return determinant

"""How large the terms are of which forces, accelerations and slip velocities are sums.

A body that touches another one without a force, one that moves along with its surface, one at the limit of friction:
there the terms cancel, and what is left is their rounding. Whatever is asked of a force, an acceleration or a slip
velocity (is it positive, has it vanished) is asked relative to these sizes.
"""

import math

from jounce.kernels.contact.linear import inverse_mass_square
from jounce.kernels.contact.loads import load_size
from jounce.kernels.contact.unknowns import constrains, count_constraints
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import integer_pointer, void
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth


@kernel
def acceleration_terms(m: Machine, w: Workspace, size: Integer) -> None:
    """w.acceleration_size: the terms of which each acceleration in the mode just solved is the sum."""
    for j in range(m.n):
        total = abs(w.free[j])
        for k in range(size):
            total += abs(w.response[k, j] * w.unknown[k])
        w.acceleration_size[j] = total


@kernel
def row_mobility(m: Machine, w: Workspace, size: Integer, k: Integer) -> Real:
    """R_k M^-1 R_k in the mode just solved, which has kept it where contacts are closed and no load rubs."""
    return w.mobility[k] if size > m.nj and m.loaded == 0 else inverse_mass_square(w, m.n, k)


@kernel
def largest_load(m: Machine, w: Workspace, size: Integer) -> Real:
    """max over the rows of (|c_k| + sum_j |R_kj u'_j|)/sqrt(R_k M^-1 R_k), with u' of the free motion.

    It is what the constraints have to stop, in a unit that all rows share (acceleration times the root of a mass), so
    that the force of row k that matters is this over sqrt(R_k M^-1 R_k), whatever units the coordinates have.
    """
    load = 0.0
    for k in range(size):
        along = terms = 0.0
        for j in range(m.n):
            along += w.rows[k, j] * w.free[j]
            terms += abs(w.rows[k, j] * w.free[j])
        square = row_mobility(m, w, size, k)
        if square > 0.0:
            load = max(load, (terms + abs(w.right[k] + along)) / math.sqrt(square))
    return load


@block(void(machine_record, workspace_record, integer_pointer))
def measure_terms(m: Machine, w: Workspace, modes: Integers) -> None:
    """The sizes against which forces and accelerations of the mode just solved are zero: their rounding's measure.

    A force or an acceleration is a sum of terms that may cancel (a body that touches another one without a force). Its
    rounding is that of the terms: w.acceleration_size and w.force_size.
    """
    size = count_constraints(m, modes)
    acceleration_terms(m, w, size)
    load = largest_load(m, w, size)
    k = m.nj
    for i in range(m.nc):
        w.force_size[i, 0] = w.force_size[i, 1] = 0.0
        if not constrains(modes[i]):
            continue
        if not m.load[i]:
            square = row_mobility(m, w, size, k)
            w.force_size[i, 0] = max(load / math.sqrt(square) if square > 0.0 else 0.0, abs(w.force[i, 0]))
            k += 1
        if modes[i] == STICK:
            square = row_mobility(m, w, size, k)
            w.force_size[i, 1] = max(load / math.sqrt(square) if square > 0.0 else 0.0, abs(w.force[i, 1]))
            k += 1
    for i in range(m.nc):
        if m.load[i] and constrains(modes[i]):
            w.force_size[i, 0] = load_size(m, w, i, load)


@kernel
def contact_acceleration(m: Machine, w: Workspace, i: Integer, tangential: Truth) -> tuple[Real, Real]:
    """(g'' or gamma_T' of contact i with w.acceleration, the size of its terms); needs ``measure_terms``."""
    row = normal_place(m, i) + (m.width if tangential else 0)
    value = w.contact[contact_place(m, i) + (4 if tangential else 3)]
    size = abs(value)
    for k in range(m.width):
        j = column(m, i, k)
        value += w.contact[row + k] * w.acceleration[j]
        size += abs(w.contact[row + k]) * w.acceleration_size[j]
    return value, size


@kernel
def slip_terms(m: Machine, w: Workspace, i: Integer, u: Reals, duration: Real) -> Real:
    """The size of the terms of gamma_T of contact i at velocities u that the motion has kept for a duration.

    A body at rest has velocities that are nothing but rounding: of the accelerations that have cancelled since.
    """
    drift, tangent = w.contact[contact_place(m, i) + 2], normal_place(m, i) + m.width
    size = 0.0
    for k in range(m.width):
        entry, j = w.contact[tangent + k], column(m, i, k)
        drift -= entry * u[j]
        size += abs(entry) * (abs(u[j]) + duration * w.acceleration_size[j])
    return size + abs(drift)

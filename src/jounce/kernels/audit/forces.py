"""Which forces does a recorded motion need, and may contacts and joints give them?

The record has u'. What the equation of motion then demands of contacts and joints together is

    d = M u' - h = sum_i (W_N lambda_N + W_T lambda_T)_i + J^T nu ,

and Coulomb's law says which right-hand sides exist: J^T nu is any vector of a linear space, a sliding contact gives a
multiple >= 0 of W_N - sign(gamma_T) mu W_T, a sticking one a sum with shares >= 0 of W_N + mu_s W_T and W_N - mu_s W_T.
So all admissible forces form a convex cone, and the motion is admissible where d lies in it: cone.py finds the distance
of d from the cone, which is unique also where forces are not. It asks for no mode beyond which contacts are closed, and
for no solution of a mode.

Coordinate k is measured in sqrt(M_kk): d_k/sqrt(M_kk) has one unit for lengths and angles.
"""

import math

from jounce.kernels.audit.cone import distance_from_cone, length, solve_passive
from jounce.kernels.audit.record import audit_record
from jounce.kernels.audit.rubbing import take_rubbing
from jounce.kernels.records.codes import OPEN, PRESSED, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.rows import column, contact_place, normal_place, spread
from jounce.kernels.records.tolerances import DEPENDENT
from jounce.kernels.records.workspace import (
    FRICTION,
    FRICTION_BACK,
    JOINT_STRIDE,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    machine_record,
)
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals


@kernel
def span_of_joints(m: Machine, a: Audit) -> None:
    """An orthonormal basis of the forces that joints can give, in a.basis."""
    n, size = m.n, 0
    for joint in range(m.nj):
        base = joint * (JOINT_STRIDE + n) + JOINT_STRIDE
        for k in range(n):
            a.basis[size, k] = a.joint[base + k] * a.weight[k]
        whole = length(a.basis, size, n)
        for _ in range(2):  # the second round removes what rounding left of the first
            for other in range(size):
                product = 0.0
                for k in range(n):
                    product += a.basis[other, k] * a.basis[size, k]
                for k in range(n):
                    a.basis[size, k] -= product * a.basis[other, k]
        left = length(a.basis, size, n)
        if left > DEPENDENT * whole:
            for k in range(n):
                a.basis[size, k] /= left
            size += 1
    a.basis_size = size


@kernel
def without_joints(m: Machine, a: Audit, vector: Reals) -> None:
    """Remove from a vector what joints can give."""
    for other in range(a.basis_size):
        product = 0.0
        for k in range(m.n):
            product += a.basis[other, k] * vector[k]
        for k in range(m.n):
            vector[k] -= product * a.basis[other, k]


@kernel
def add_direction(m: Machine, a: Audit, count: Integer, i: Integer, slope: Real) -> Integer:
    """W_N + slope W_T of contact i as direction ``count``, of length 1; returns the new count."""
    n = m.n
    base = normal_place(m, i)
    spread(m, a.contact, i, base, a.direction, count)
    for k in range(m.width):
        a.direction[count, column(m, i, k)] += slope * a.contact[base + m.width + k]
    whole = 0.0
    for k in range(n):
        a.direction[count, k] *= a.weight[k]
        whole += a.direction[count, k] * a.direction[count, k]
    without_joints(m, a, a.direction[count])
    left = length(a.direction, count, n)
    if not left > DEPENDENT * math.sqrt(whole):
        return count
    for k in range(n):
        a.direction[count, k] /= left
    a.owner[count] = i
    return count + 1


@kernel
def friction_of(a: Audit, i: Integer, mode: Integer) -> Real:
    """mu of contact i while it slides as this mode says."""
    return a.surface[SURFACE_STRIDE * i + (FRICTION if mode == SLIP_POSITIVE else FRICTION_BACK)]


@kernel
def widest_friction(m: Machine, contact: Reals, surface: Reals, i: Integer) -> Real:
    """The largest coefficient of contact i at a place: at rest, or as it slides there.

    The coefficient of the other direction is a continuation, which may be anything so far from its own slips.
    """
    slip = contact[contact_place(m, i) + 2]
    base = SURFACE_STRIDE * i
    return max(surface[base + STATIC_FRICTION], surface[base + (FRICTION if slip >= 0.0 else FRICTION_BACK)])


@kernel
def generators(m: Machine, a: Audit) -> Integer:
    """The generators of the cone of the closed contacts; returns how many."""
    count = 0
    for i in range(m.nc):
        mode = a.mode[i]
        if mode == OPEN or mode == PRESSED or (m.load[i] and mode != STICK):
            continue
        if m.load[i]:
            # how much it may rub is asked apart: rubbing.py
            count = add_direction(m, a, count, i, 1.0)
            count = add_direction(m, a, count, i, -1.0)
            continue
        if not m.has_slip[i]:
            count = add_direction(m, a, count, i, 0.0)
        elif mode == STICK:
            most = widest_friction(m, a.contact, a.surface, i)
            count = add_direction(m, a, count, i, most)
            count = add_direction(m, a, count, i, -most)
        else:
            mu = friction_of(a, i, mode)
            count = add_direction(m, a, count, i, -mu if mode == SLIP_POSITIVE else mu)
    return count


@kernel
def demand_force(m: Machine, a: Audit) -> Real:
    """What the motion demands of contacts and joints, a.demand; returns the size of the forces that make it up."""
    n = m.n
    inertial = applied = 0.0
    for k in range(n):
        total = 0.0
        if m.diagonal:
            total = a.mass[k] * a.dz[n + k]
        else:
            for j in range(n):
                total += a.mass[k * n + j] * a.dz[n + j]
        force = a.mass[m.force_place + k]
        inertial += (total * a.weight[k]) ** 2
        applied += (force * a.weight[k]) ** 2
        a.demand[k] = (total - force) * a.weight[k]
    return math.sqrt(inertial) + math.sqrt(applied)


@block(f8(machine_record, audit_record))
def force_excess(m: Machine, a: Audit) -> Real:
    """Distance of the demanded force from what contacts and joints may give; in a.largest_force its measure grows."""
    size = demand_force(m, a)
    if m.loaded > 0:
        take_rubbing(m, a)
    if size > a.largest_force:
        a.largest_force = size
    a.basis_size = 0
    if m.nj > 0:
        span_of_joints(m, a)
        without_joints(m, a, a.demand)
    return distance_from_cone(m.n, a, generators(m, a))


@kernel
def worst_of(m: Machine, a: Audit, count: Integer) -> Integer:
    """The contact whose solved forces break Coulomb's law most, by the force in its own directions.

    What it breaks is left in a.trial: by how much lambda_N pulls and by how much friction is off its law, then the
    lengths of their directions.
    """
    n, worst, chosen = m.n, 0.0, -1
    pull_of = excess_of = along_of = across_of = 0.0
    for c in range(count):
        i = a.owner[c] // 2
        if a.owner[c] % 2:
            continue
        normal, excess, across = a.trial[c], 0.0, 0.0
        if m.has_slip[i]:
            shear, mu = a.trial[c + 1], friction_of(a, i, a.mode[i])
            across = length(a.direction, c + 1, n)
            if a.mode[i] == STICK:
                excess = abs(shear) - widest_friction(m, a.contact, a.surface, i) * normal
            else:
                excess = abs(shear + (mu if a.mode[i] == SLIP_POSITIVE else -mu) * normal)
        along = length(a.direction, c, n)
        amount = max(-normal * along, excess * across)
        if amount > worst:
            worst, chosen = amount, i
            pull_of, excess_of, along_of, across_of = -normal, excess, along, across
    a.trial[0], a.trial[1], a.trial[2], a.trial[3] = pull_of, excess_of, along_of, across_of
    return chosen


@block(i8(machine_record, audit_record, f8))
def worst_contact(m: Machine, a: Audit, limit: Real) -> Integer:
    """Which contact's force breaks its law, where free forces of the closed contacts explain the motion; else -1.

    a.demand and the joints are those of ``force_excess``; a.trial is left as by ``worst_of``.
    """
    n, count = m.n, 0
    for i in range(m.nc):
        if a.mode[i] == OPEN or a.mode[i] == PRESSED or m.load[i]:
            continue
        for part in range(2 if m.has_slip[i] else 1):
            spread(m, a.contact, i, normal_place(m, i) + part * m.width, a.direction, count)
            for k in range(n):
                a.direction[count, k] *= a.weight[k]
            without_joints(m, a, a.direction[count])
            a.owner[count] = 2 * i + part
            a.passive[count] = 1
            a.share[count] = 0.0
            count += 1
    solve_passive(n, a, a.direction, a.demand, count)
    for k in range(n):
        a.rest[k] = a.demand[k]
    for c in range(count):
        for k in range(n):
            a.rest[k] -= a.trial[c] * a.direction[c, k]
    left = 0.0
    for k in range(n):
        left += a.rest[k] * a.rest[k]
    if not math.sqrt(left) <= limit:
        return -1
    return worst_of(m, a, count)

"""The derivative of a mode's accelerations and forces along a direction.

The mode's equations M u' - F x = h, R u' = -c (contact_forces.py) are differentiated as they stand:

    M du' - F dx = dh - dM u' + dF x =: r ,      R du' = -dc - dR u' ,

so the matrix already formed for x serves again: (R M^-1 F) dx = -dc - dR u' - R M^-1 r.
"""

from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.linear import solve_mass, solve_ranked
from jounce.kernels.contact.loads import load_change, load_tangent
from jounce.kernels.contact.projection import constraint_rows, correct
from jounce.kernels.contact.unknowns import constrains, count_constraints, slide_sign, sliding_friction
from jounce.kernels.events.guards import compliance_place, of_compliance
from jounce.kernels.records.codes import (
    GUARD_CARRIED,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_FREE,
    GUARD_GAP,
    GUARD_SLIP,
    GUARD_USER,
    STICK,
)
from jounce.kernels.records.fields import Machine, Variation, Workspace
from jounce.kernels.records.rows import along as direction_along
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.workspace import (
    CONTACT_STRIDE,
    JOINT_STRIDE,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    machine_record,
    workspace_record,
)
from jounce.kernels.tangent.variation import (
    compliance_tangent,
    contact_tangent,
    set_direction,
    set_point,
    variation_record,
)
from jounce.toolchain.abi import f8, i8, integer_pointer, pointer, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth


@block(void(machine_record, workspace_record, variation_record, f8, pointer, integer_pointer))
def enter_point(m: Machine, w: Workspace, v: Variation, t: Real, z: Reals, modes: Integers) -> None:
    """Forces and accelerations of the mode at a point, kept for the directions that follow."""
    evaluate_model(m, w, t, z, address(z, m.n))
    solve_mode(m, w, modes)
    for k in range(count_constraints(m, modes)):
        v.unknown[k] = w.unknown[k]
    for j in range(m.n):
        v.acceleration[j] = w.acceleration[j]
    set_point(m, v, z)


@kernel
def add_row(
    m: Machine,
    w: Workspace,
    v: Variation,
    size: Integer,
    base: Integer,
    bias: Integer,
    direction_base: Integer,
    contact: Integer,
) -> None:
    """w.right = -dc - dR.u' - R.(M^-1 r) of one constraint row, of a contact or, -1, of a joint."""
    value = v.contact[base + bias] if contact >= 0 else v.joint[base + bias]
    for j in range(m.n):
        value += w.rows[size, j] * v.answer[0, j]
    if contact >= 0:
        value = direction_along(m, v.contact, contact, direction_base, v.acceleration, value)
    else:
        for j in range(m.n):
            value += v.joint[direction_base + j] * v.acceleration[j]
    w.right[size] = -value


@kernel
def load_of(m: Machine, w: Workspace, v: Variation, modes: Integers) -> None:
    """r = dh - dM u' + dF x into v.load."""
    n = m.n
    for i in range(n):
        total = v.mass[n * n + i]
        for j in range(n):
            total -= v.mass[i * n + j] * v.acceleration[j]
        v.load[0, i] = total
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + n) + JOINT_STRIDE
        for j in range(n):
            v.load[0, j] += v.joint[base + j] * v.unknown[k]
    size = m.nj
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        normal = normal_place(m, i)
        tangent = normal + m.width
        mu = dmu = 0.0
        if modes[i] != STICK and m.has_slip[i]:
            sign = slide_sign(modes[i])
            mu, dmu = sign * sliding_friction(w.surface, i, sign), sign * sliding_friction(v.surface, i, sign)
        if m.load[i]:
            # N as it is; what changes in it through the unknowns is in the matrix
            change, force = load_change(m, w, v, i), w.force[i, 0]
            for k in range(m.width):
                j = column(m, i, k)
                v.load[0, j] -= mu * force * v.contact[tangent + k]
                v.load[0, j] -= (dmu * force + mu * change) * w.contact[tangent + k]
                if modes[i] == STICK:
                    v.load[0, j] += v.contact[tangent + k] * v.unknown[size]
            size += 1 if modes[i] == STICK else 0
            continue
        for k in range(m.width):
            change = v.contact[normal + k] - mu * v.contact[tangent + k] - dmu * w.contact[tangent + k]
            v.load[0, column(m, i, k)] += change * v.unknown[size]
        size += 1
        if modes[i] == STICK:
            for k in range(m.width):
                v.load[0, column(m, i, k)] += v.contact[tangent + k] * v.unknown[size]
            size += 1


@kernel
def store_force_tangents(m: Machine, w: Workspace, v: Variation, modes: Integers) -> None:
    """d lambda_N and d lambda_T of every contact from the unknowns just solved for."""
    k = m.nj
    for i in range(m.nc):
        v.force[i, 0] = v.force[i, 1] = 0.0
        if not constrains(modes[i]):
            continue
        if m.load[i]:
            force, v.force[i, 0] = w.force[i, 0], load_tangent(m, w, v, modes, i)
        else:
            force, v.force[i, 0] = v.unknown[k], w.unknown[k]
            k += 1
        if modes[i] == STICK:
            v.force[i, 1] = w.unknown[k]
            k += 1
        elif m.has_slip[i]:
            sign = slide_sign(modes[i])
            mu, dmu = sliding_friction(w.surface, i, sign), sliding_friction(v.surface, i, sign)
            v.force[i, 1] = -sign * (dmu * force + mu * v.force[i, 0])


@block(void(machine_record, workspace_record, variation_record, f8, f8, pointer, i8, integer_pointer))
def along(
    m: Machine, w: Workspace, v: Variation, t: Real, dt: Real, dz: Reals, column: Integer, modes: Integers
) -> None:
    """du' and the forces' derivatives along (dt, dz), into v.rate and v.force; needs ``enter_point``."""
    n = m.n
    set_direction(m, v, dt, dz, column)
    call_state(v.dynamics_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.mass, 0))
    contact_tangent(m, v, t)
    load_of(m, w, v, modes)
    solve_mass(w.factor, n, v.load, 0, v.answer, 0)
    size = 0
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + n)
        add_row(m, w, v, size, base, 2, base + JOINT_STRIDE, -1)
        size += 1
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        base = contact_place(m, i)
        if not m.load[i]:
            add_row(m, w, v, size, base, 3, base + CONTACT_STRIDE, i)
            size += 1
        if modes[i] == STICK:
            add_row(m, w, v, size, base, 4, base + CONTACT_STRIDE + m.width, i)
            size += 1
    if size > 0:
        solve_ranked(w, size)
    for j in range(n):
        total = v.answer[0, j]
        for k in range(size):
            total += w.response[k, j] * w.unknown[k]
        v.rate[j] = total
    store_force_tangents(m, w, v, modes)


@kernel
def capacity_tangent(m: Machine, w: Workspace, v: Variation) -> Real:
    """d tau of contact/capacity.py: the multipliers of the limits weigh their changes, at fixed sizes.

    Forces that no active limit asks for do not matter: the multipliers are orthogonal to the null space.
    """
    total = 0.0
    for i in range(m.nc):
        place = i * SURFACE_STRIDE + STATIC_FRICTION
        mu, dmu = w.surface[place], v.surface[place]
        upper, lower = w.limit_multiplier[2 * i], w.limit_multiplier[2 * i + 1]
        if v.modes[i] == STICK:
            total += (upper + lower) * (dmu * w.force[i, 0] + mu * v.force[i, 0]) + (upper - lower) * v.force[i, 1]
        else:
            total += upper * v.force[i, 0]
    return total


@kernel
def guard_tangent(m: Machine, w: Workspace, v: Variation, t: Real, kind: Integer, index: Integer) -> Real:
    """d of a guard along the direction of the last ``along``."""
    if kind == GUARD_USER:
        call_state(v.guards_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.user, 0))
        return v.user[index]
    if of_compliance(kind):
        compliance_tangent(m, v, t)
        return v.compliance[compliance_place(kind, index)]
    base = contact_place(m, index)
    if kind == GUARD_GAP:
        return v.contact[base]
    if kind == GUARD_SLIP:
        return v.contact[base + 2]
    if kind == GUARD_FORCE:
        return v.force[index, 0]
    if kind == GUARD_FREE:
        value = direction_along(m, v.contact, index, normal_place(m, index), v.acceleration, v.contact[base + 3])
        return direction_along(m, w.contact, index, normal_place(m, index), v.rate, value)
    if kind == GUARD_CARRIED:
        return capacity_tangent(m, w, v)
    place = index * SURFACE_STRIDE + STATIC_FRICTION
    mu_static, dmu_static = w.surface[place], v.surface[place]
    limit = dmu_static * w.force[index, 0] + mu_static * v.force[index, 0]
    if kind == GUARD_CONE_UPPER:
        return limit - v.force[index, 1]
    return limit + v.force[index, 1] if kind == GUARD_CONE_LOWER else 0.0


@kernel
def constraint_residuals(m: Machine, w: Workspace, v: Variation, modes: Integers, velocity_level: Truth) -> Integer:
    """Right sides that take a column back onto the linearised constraints."""
    n = m.n
    size = 0
    for k in range(m.nj):
        w.right[size] = -v.joint[k * (JOINT_STRIDE + n) + (1 if velocity_level else 0)]
        size += 1
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        base = contact_place(m, i)
        if not m.load[i]:
            w.right[size] = -v.contact[base + (1 if velocity_level else 0)]
            size += 1
        if velocity_level and modes[i] == STICK:
            w.right[size] = -v.contact[base + 2]
            size += 1
    return size


@block(void(machine_record, workspace_record, variation_record, f8, pointer, integer_pointer))
def project_columns(m: Machine, w: Workspace, v: Variation, t: Real, z: Reals, modes: Integers) -> None:
    """Make every column a perturbation that the active constraints allow: dg = 0, then dg' = 0 and d gamma_T = 0."""
    n = m.n
    if count_constraints(m, modes) == 0:
        return
    evaluate_model(m, w, t, z, address(z, n))
    set_point(m, v, z)
    for number in range(v.count):
        dz = v.columns[number]
        for level in range(2):
            set_direction(m, v, 0.0, dz, number)
            contact_tangent(m, v, t)
            constraint_rows(m, w, address(z, n), modes, level == 1)
            size = constraint_residuals(m, w, v, modes, level == 1)
            correct(m, w, size, address(v.columns, number * dz.size + level * n))

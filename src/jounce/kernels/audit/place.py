"""One place of a recorded motion: the model there, and what must be true of it.

Sizes against which a deviation is small come from the record: u_k and the changes of q_k over a step have their largest
values in the run, and a contact's velocity sum_k W_k u_k can be wrong by the accuracy of the record times the sum of
|W_k| max|u_k|. No length, no speed and no time is built in, so the verdict is the same in all units.
"""

import math

from jounce.kernels.audit.forces import force_excess, friction_of, worst_contact
from jounce.kernels.audit.record import (
    FRICTION_GIVES,
    JOINT_OPEN,
    JOINT_RATE,
    LEAVING_SURFACE,
    LEFT_SURFACE,
    NEGATIVE_FRICTION,
    OUTSIDE_CONE,
    PENETRATION,
    PULLING,
    SLIP_AGAINST_MODE,
    STICK_SLIPS,
    VELOCITY_MISMATCH,
    WRONG_ACCELERATION,
    audit_record,
    report,
)
from jounce.kernels.audit.rubbing import check_sticking_loads
from jounce.kernels.records.codes import OPEN, PRESSED, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.tolerances import AUDIT_ROUNDING, DEMAND_ROUNDING, INSIDE_A_STEP, ROW_ROUNDING, SPREAD
from jounce.kernels.records.workspace import (
    COMPLIANCE_STRIDE,
    JOINT_STRIDE,
    PRELOAD,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    machine_record,
)
from jounce.toolchain.abi import f8, i8, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real


@kernel
def weigh_place(m: Machine, a: Audit) -> None:
    """Masses and forces at a.t, a.z, and what comes from them and the sizes of the run.

    That is a.momentum, a.share_speed, and by how much coordinates and velocities may be wrong.
    """
    call_state(m.dynamics, a.t, address(a.z, 0), address(a.z, m.n), address(m.p, 0), address(a.mass, 0))
    energy = force = 0.0
    for k in range(m.n):
        diagonal = a.mass[k * m.mass_step]
        energy += diagonal * a.speed[k] * a.speed[k]
        a.weight[k] = 1.0 / math.sqrt(diagonal) if diagonal > 0.0 else 0.0
        force += (a.mass[m.force_place + k] * a.weight[k]) ** 2
    a.largest_force = max(a.largest_force, math.sqrt(force))
    a.momentum = math.sqrt(energy) + a.largest_force * a.longest
    for k in range(m.n):
        a.share_speed[k] = a.momentum * a.weight[k]
        a.place_known[k] = a.accuracy * a.moved[k] + place_rounding(a, k)
        a.rate_known[k] = a.accuracy * a.speed[k] + SPREAD * a.share_speed[k]


@block(void(machine_record, audit_record))
def evaluate_place(m: Machine, a: Audit) -> None:
    """The functions of the model at a.t, a.z; contacts, masses, surfaces, joints."""
    weigh_place(m, a)
    q, u, p = address(a.z, 0), address(a.z, m.n), address(m.p, 0)
    if m.nc > 0:
        call_state(m.contacts, a.t, q, u, p, address(a.contact, 0))
        call_state(m.surfaces, a.t, q, u, p, address(a.surface, 0))
    if m.compliant_contacts > 0:
        call_state(m.compliance, a.t, q, u, p, address(a.compliance, 0))
    if m.nj > 0:
        call_state(m.joints, a.t, q, u, p, address(a.joint, 0))


@kernel
def contact_limit(m: Machine, a: Audit, i: Integer) -> Real:
    """How far from zero the gap of contact i may be."""
    total, base = 0.0, normal_place(m, i)
    for k in range(m.width):
        total += abs(a.contact[base + k]) * a.place_known[column(m, i, k)]
    return total


@kernel
def joint_limit(m: Machine, a: Audit, base: Integer) -> Real:
    """How far from zero a joint's equation with the gradient a.joint[base:] may be."""
    total = 0.0
    for k in range(m.n):
        total += abs(a.joint[base + k]) * a.place_known[k]
    return total


@kernel
def place_rounding(a: Audit, k: Integer) -> Real:
    """By how much rounding may have moved coordinate k."""
    return AUDIT_ROUNDING * a.extent[k] + SPREAD * a.longest * a.share_speed[k]


@kernel
def contact_speed_limit(m: Machine, a: Audit, i: Integer, base: Integer, rate: Real) -> Real:
    """How far from zero a velocity of contact i, of the direction a.contact[base:], may be; ``rate`` is what it is."""
    total, drift = 0.0, rate
    for k in range(m.width):
        j = column(m, i, k)
        total += abs(a.contact[base + k]) * a.rate_known[j]
        drift -= a.contact[base + k] * a.z[m.n + j]
    return total + a.accuracy * abs(drift)


@kernel
def joint_speed_limit(m: Machine, a: Audit, base: Integer, rate: Real) -> Real:
    """The same of a joint's equation with the direction a.joint[base:]."""
    total, drift = 0.0, rate
    for k in range(m.n):
        total += abs(a.joint[base + k]) * a.rate_known[k]
        drift -= a.joint[base + k] * a.z[m.n + k]
    return total + a.accuracy * abs(drift)


@kernel
def check_rigid(m: Machine, a: Audit, i: Integer, loose: Real) -> None:
    """Gap, normal velocity and slip of one rigid contact against its mode."""
    mode = a.mode[i]
    base = contact_place(m, i)
    gap, normal, slip = a.contact[base], a.contact[base + 1], a.contact[base + 2]
    near = loose * contact_limit(m, a, i)
    if not gap >= -near:
        report(a, a.t, i, PENETRATION, -gap, near)
    if mode == OPEN:
        return
    slow = loose * contact_speed_limit(m, a, i, normal_place(m, i), normal)
    if gap > near:
        report(a, a.t, i, LEFT_SURFACE, gap, near)
    if abs(normal) > slow:
        report(a, a.t, i, LEAVING_SURFACE, abs(normal), slow)
    if not m.has_slip[i]:
        return
    check_friction(m, a, i)
    still = loose * contact_speed_limit(m, a, i, normal_place(m, i) + m.width, slip)
    if (mode == SLIP_POSITIVE and slip < -still) or (mode == SLIP_NEGATIVE and slip > still):
        report(a, a.t, i, SLIP_AGAINST_MODE, abs(slip), still)
    if mode == STICK and abs(slip) > still:
        report(a, a.t, i, STICK_SLIPS, abs(slip), still)


@kernel
def check_friction(m: Machine, a: Audit, i: Integer) -> None:
    """Friction brakes: neither the coefficient of a closed contact as its mode says nor its preload is negative.

    Zero is known to the accuracy of the run, relative to what the number has been.
    """
    base = SURFACE_STRIDE * i
    mu = a.surface[base + STATIC_FRICTION] if a.mode[i] == STICK else friction_of(a, i, a.mode[i])
    for k in range(2 if m.load[i] != 0 else 1):
        value, at = mu if k == 0 else a.surface[base + PRELOAD], 2 * i + k
        a.surface_size[at] = max(a.surface_size[at], abs(value))
        if value < -a.accuracy * a.surface_size[at]:
            report(a, a.t, i, NEGATIVE_FRICTION, -value, a.accuracy * a.surface_size[at])


@kernel
def check_compliant(m: Machine, a: Audit, i: Integer, loose: Real) -> None:
    """Gap and forces of one compliant contact: what presses it, and friction against the slip whatever the force."""
    base = contact_place(m, i)
    gap, slip = a.contact[base], a.contact[base + 2]
    near = loose * contact_limit(m, a, i)
    if a.mode[i] != PRESSED:
        # a contact that can pull is let go inside its gap
        if a.check_compliant_gaps and not m.may_pull[i] and not gap >= -near:
            report(a, a.t, i, PENETRATION, -gap, near)
        return
    if a.check_compliant_gaps and gap > near:
        report(a, a.t, i, LEFT_SURFACE, gap, near)
    normal, shear = a.compliance[COMPLIANCE_STRIDE * i], a.compliance[COMPLIANCE_STRIDE * i + 1]
    a.largest_normal = max(a.largest_normal, abs(normal))
    limit = a.accuracy * a.largest_normal
    if m.may_pull[i] and normal < -limit:
        limit += pressing_rounding(m, a, i)
        if normal < -limit:
            report(a, a.t, i, PULLING, -normal, limit)
    power = shear * slip
    a.largest_friction = max(a.largest_friction, abs(power))
    limit = a.accuracy * a.largest_friction
    if power > limit:
        report(a, a.t, i, FRICTION_GIVES, power, limit)


@kernel
def pressing_rounding(m: Machine, a: Audit, i: Integer) -> Real:
    """What rounding of coordinates and velocities makes of the normal force of a pressed contact.

    At the end of a contact its spring and its damper cancel. A run that begins there has no larger force by which the
    rounding of their difference could be measured.
    """
    n, at, p = m.n, COMPLIANCE_STRIDE * i, address(m.p, 0)
    normal, total = a.compliance[at], 0.0
    for j in range(2 * n):
        for k in range(2 * n):
            a.deeper[k] = a.z[k]
        a.deeper[j] *= 1.0 + AUDIT_ROUNDING
        call_state(m.compliance, a.t, address(a.deeper, 0), address(a.deeper, n), p, address(a.compliance, 0))
        total += abs(a.compliance[at] - normal)
    call_state(m.compliance, a.t, address(a.z, 0), address(a.z, n), p, address(a.compliance, 0))
    return total


@kernel
def check_joints(m: Machine, a: Audit, loose: Real) -> None:
    """Joints are closed and stay closed."""
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + m.n)
        near = loose * joint_limit(m, a, base + JOINT_STRIDE)
        slow = loose * joint_speed_limit(m, a, base + JOINT_STRIDE, a.joint[base + 1])
        if not abs(a.joint[base]) <= near:
            report(a, a.t, -2 - k, JOINT_OPEN, abs(a.joint[base]), near)
        if not abs(a.joint[base + 1]) <= slow:
            report(a, a.t, -2 - k, JOINT_RATE, abs(a.joint[base + 1]), slow)


@kernel
def pressed_force_rounding(m: Machine, a: Audit) -> Real:
    """What rounding of the coordinates makes of the forces of pressed contacts, in the norm of forces.py.

    Such a force begins at zero. At a touch it is that of a depth which is itself rounding (K d^(3/2) of Hertz), so that
    no part of the forces there says by how much two evaluations differ. That of a contact that is pressed deeper by
    the rounding of each coordinate does.
    """
    n, total = m.n, 0.0
    for i in range(m.nc):
        if a.mode[i] != PRESSED:
            continue
        base = normal_place(m, i)
        for k in range(n):
            a.deeper[k], a.deeper[n + k] = a.z[k], a.z[n + k]
        for k in range(m.width):
            if a.contact[base + k] != 0.0:
                j = column(m, i, k)
                a.deeper[j] -= math.copysign(place_rounding(a, j), a.contact[base + k])
        total += force_change(m, a, a.t)
    return total


@kernel
def balance_rounding(m: Machine, a: Audit) -> Real:
    """What rounding of time, coordinates and velocities makes of the applied forces, in the norm of forces.py.

    Forces in balance add up to nothing, and their sum does not say how large its terms are: a spring under a weight, a
    switch that holds a load. A run that begins there has no larger forces to be measured by. What the sum changes by
    when each input is moved by its rounding does. A coordinate or velocity that is next to nothing is moved by that of
    its values in the run, to either side: where a force jumps at zero both its values are right there.
    """
    n, total = m.n, 0.0
    for j in range(2 * n + 1):
        change = 0.0
        for side in range(2):
            for k in range(2 * n):
                a.deeper[k] = a.z[k]
            t = a.t
            if j < 2 * n:
                size = place_rounding(a, j) if j < n else AUDIT_ROUNDING * abs(a.z[j]) + SPREAD * a.share_speed[j - n]
                a.deeper[j] += size if side == 0 else -size
            else:
                t *= 1.0 + AUDIT_ROUNDING if side == 0 else 1.0 - AUDIT_ROUNDING
            change = max(change, force_change(m, a, t))
        total += change
    return total


@kernel
def force_change(m: Machine, a: Audit, t: Real) -> Real:
    """By what the applied forces at t, a.deeper differ from those at the place, in the norm of forces.py."""
    q, u, p = address(a.deeper, 0), address(a.deeper, m.n), address(m.p, 0)
    call_state(m.dynamics, t, q, u, p, address(a.deeper_mass, 0))
    change = 0.0
    for k in range(m.n):
        change += ((a.deeper_mass[m.force_place + k] - a.mass[m.force_place + k]) * a.weight[k]) ** 2
    return math.sqrt(change)


# At the start of a step the derivative of the interpolant is the one that was computed there. Inside it is wrong by the
# error of the step, a.accuracy times the speeds, over the length h of the step.
@kernel
def check_forces(m: Machine, a: Audit, inside: Integer, h: Real) -> None:
    """The accelerations of the record need forces that contacts and joints can give; its rates are its velocities."""
    n = m.n
    excess = force_excess(m, a)
    size = limit = 0.0
    for k in range(n):
        size += (a.mass[m.force_place + k] * a.weight[k]) ** 2
        if a.weight[k] > 0.0:
            # the acceleration is a difference of the rows of the interpolant, with their rounding
            known = INSIDE_A_STEP * a.rate_known[k] if inside else 0.0
            limit += (AUDIT_ROUNDING * a.row_size[k] + known) / (h * a.weight[k])
    for k in range(n):
        size += a.demand[k] * a.demand[k]
    # near a jam friction is large beside what it leaves of the demand
    size = math.sqrt(size) + (a.rubbed if m.loaded > 0 else 0.0)
    limit += max(a.accuracy, DEMAND_ROUNDING) * size + AUDIT_ROUNDING * a.largest_force
    if m.compliant_contacts > 0:
        limit += pressed_force_rounding(m, a)
    if not excess <= limit:
        limit += balance_rounding(m, a)
    if not excess <= limit:
        name_force(m, a, excess, limit)
    elif m.loaded > 0:
        check_sticking_loads(m, a, max(a.accuracy, DEMAND_ROUNDING), limit)
    for k in range(n):
        miss = abs(a.dz[k] - a.z[n + k])
        slow = a.rate_known[k]
        if inside:
            # the rows of the interpolant are differences of coordinates, with their rounding and with the errors that
            # steps may have, which are relative to the coordinates: one that hardly moves is known no better
            known = ROW_ROUNDING + a.tolerance
            slow += INSIDE_A_STEP * (slow + (a.accuracy * a.moved[k] + known * a.extent[k]) / h)
        if not miss <= slow:
            report(a, a.t, -1, VELOCITY_MISMATCH, miss, slow)


@kernel
def name_force(m: Machine, a: Audit, excess: Real, limit: Real) -> None:
    """Say what is wrong with the forces: a contact that pulls, friction beyond its cone, or no forces at all."""
    contact = worst_contact(m, a, limit)
    if contact < 0:
        report(a, a.t, -1, WRONG_ACCELERATION, excess, limit)
    elif a.trial[0] * a.trial[2] >= a.trial[1] * a.trial[3]:
        report(a, a.t, contact, PULLING, a.trial[0], limit / a.trial[2])
    else:
        report(a, a.t, contact, OUTSIDE_CONE, a.trial[1], limit / a.trial[3])


@block(void(machine_record, audit_record, i8, f8))
def check_place(m: Machine, a: Audit, inside: Integer, h: Real) -> None:
    """Everything that must be true at the place evaluated last; ``inside``: within a step of length h.

    Inside a step the forces of pressed contacts change faster than the interpolant resolves: they are asked for at the
    starts of steps only.
    """
    loose = INSIDE_A_STEP if inside else 1.0
    pressed = False
    for i in range(m.nc):
        pressed = pressed or a.mode[i] == PRESSED
        if m.compliant[i]:
            check_compliant(m, a, i, loose)
        else:
            check_rigid(m, a, i, loose)
    if m.nj > 0 and a.check_joints:
        check_joints(m, a, loose)
    if not (inside and pressed):
        check_forces(m, a, inside, h)

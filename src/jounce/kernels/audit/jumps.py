"""What may change between two steps: nothing without impulses, and with them just what they say.

    M (u+ - u-) = sum over the event rows of (W_N p_N + W_T p_T) + J^T P ,       q+ = q- ,

for any impulses P of the joints. Each impulse pushes (p_N >= 0), lies in its cone (|p_T| <= mu p_N) and takes energy,
unless its law is known to give some. W is that of the face which the row names (faces.py). Of a chatter, which stands
for infinitely many impulses, only their sum over its duration tau is known: M (u+ - u-) - h tau must lie in the cone of
the contacts that touch at its end.
"""

import math

from jounce.kernels.audit.cone import distance_from_cone
from jounce.kernels.audit.faces import check_face, names_face, see_on_face
from jounce.kernels.audit.forces import (
    demand_force,
    generators,
    span_of_joints,
    widest_friction,
    without_joints,
)
from jounce.kernels.audit.place import contact_limit
from jounce.kernels.audit.record import (
    ENERGY_GAINED,
    IMPULSE_OUTSIDE_CONE,
    IMPULSE_PULLS,
    MOMENTUM_JUMP,
    POSITION_JUMP,
    report,
)
from jounce.kernels.contact.faces import held_face
from jounce.kernels.records.codes import OPEN, STICK
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.recording import (
    CONTACT,
    ENERGY_LOSS,
    LAW,
    P_N,
    P_T,
    REGION,
    ROW_FACE,
    V_N_AFTER,
    V_N_BEFORE,
    V_T_AFTER,
    V_T_BEFORE,
)
from jounce.kernels.records.roster import near_place
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.tolerances import CHATTER_SHARE, LEAST_SIZE, SPREAD, UNSEEN_REBOUND
from jounce.kernels.records.workspace import PRELOAD, STATIC_FRICTION, SURFACE_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers2, Real, Reals2, Truth

TOGETHER, RUBBING = 0, 13  # regions: contacts that collide as one, and with joints that rub, lose energy together


@kernel
def impulse_rounding(m: Machine, a: Audit, i: Integer) -> Real:
    """What rounding leaves of an impulse of contact i at the size of the momentum of the run."""
    base = normal_place(m, i)
    total = 0.0
    for k in range(m.width):
        total += (a.weight[column(m, i, k)] * a.contact[base + k]) ** 2
    return SPREAD * a.momentum / math.sqrt(total) if total > 0.0 else 0.0


@kernel
def impact_friction(m: Machine, a: Audit, i: Integer, rows: Integer) -> Real:
    """The largest coefficient that an impact of contact i may have had, of so many at its instant.

    One that depends on the slip is taken at both sides of the jump; between several impacts the slips are not known.
    One that depends on a discrete state is too: a reset of the same instant comes behind the impact.
    """
    mu = widest_friction(m, a.contact, a.surface, i)
    if m.speed_coefficients and rows > 1:
        return math.inf
    if m.speed_coefficients or m.nd > 0:
        q, u = address(a.before, 0), address(a.before, m.n)
        p = address(a.p_before, 0) if m.nd > 0 else address(m.p, 0)
        call_state(m.surfaces, a.t, q, u, p, address(a.surface_before, 0))
        call_state(m.contacts, a.t, q, u, p, address(a.contact_before, 0))
        mu = max(mu, widest_friction(m, a.contact_before, a.surface_before, i))
    return mu


@kernel
def check_rows(m: Machine, a: Audit, first: Integer, last: Integer, floats: Reals2, integers: Integers2) -> None:
    """The impulses of the rows first <= row < last: they push, lie in their cones and take energy."""
    pushed = gained = turned = 0.0
    for row in range(first, last):
        if integers[row, LAW] >= 0:
            pushed += abs(floats[row, P_N])
    for row in range(first, last):
        law, i = integers[row, LAW], near_place(a.roster, integers[row, CONTACT])
        if law < 0 or i < 0:
            continue
        p_n, p_t, loss = floats[row, P_N], floats[row, P_T], floats[row, ENERGY_LOSS]
        small = a.accuracy * pushed + impulse_rounding(m, a, i)
        if names_face(m, integers, row):
            reach = a.joint_gap if integers[row, REGION] == TOGETHER else 0.0
            check_face(m, a, i, integers[row, ROW_FACE], floats[row, 0], reach)
        if not p_n >= -small:
            report(a, floats[row, 0], i, IMPULSE_PULLS, -p_n, small)
        mu = impact_friction(m, a, i, last - first)
        small = a.accuracy * abs(p_t) + mu * small + impulse_rounding(m, a, i)
        if mu < math.inf and not abs(p_t) - mu * p_n <= small:
            report(a, floats[row, 0], i, IMPULSE_OUTSIDE_CONE, abs(p_t) - mu * p_n, small)
        size = abs(p_n) * (abs(floats[row, V_N_BEFORE]) + abs(floats[row, V_N_AFTER]))
        size += abs(p_t) * (abs(floats[row, V_T_BEFORE]) + abs(floats[row, V_T_AFTER]))
        if a.adds_energy[law]:
            continue
        if a.jointly or integers[row, REGION] in (TOGETHER, RUBBING):
            turned += size
            gained -= loss
        elif not loss >= -a.accuracy * size:
            report(a, floats[row, 0], i, ENERGY_GAINED, -loss, a.accuracy * size)
    if gained > a.accuracy * turned:
        report(a, floats[first, 0], -1, ENERGY_GAINED, gained, a.accuracy * turned)


@kernel
def momentum_change(m: Machine, a: Audit, duration: Real) -> Real:
    """a.demand = M (u+ - u-) - h duration, weighted; returns how much of it the accuracy of the record leaves open."""
    n = m.n
    for k in range(n):
        a.dz[n + k] = a.z[n + k] - a.before[n + k]
        a.mass[m.force_place + k] *= duration
    demand_force(m, a)
    limit = 0.0
    for k in range(n):
        if a.weight[k] > 0.0:
            limit += a.rate_known[k] / a.weight[k]
    return limit


@kernel
def touching_sticks(m: Machine, a: Audit) -> None:
    """Give every rigid contact that touches the widest cone there is."""
    for i in range(m.nc):
        near, gap = contact_limit(m, a, i), a.contact[contact_place(m, i)]
        a.mode[i] = STICK if not m.compliant[i] and not m.load[i] and abs(gap) <= near else OPEN


@kernel
def take_impulses(m: Machine, a: Audit, first: Integer, last: Integer, floats: Reals2, integers: Integers2) -> None:
    """Subtract the impulses of the rows from a.demand, each along the face that it names."""
    for row in range(first, last):
        i = near_place(a.roster, integers[row, CONTACT])
        if integers[row, LAW] < 0 or i < 0:
            continue
        before = held_face(m, i)
        if names_face(m, integers, row):
            see_on_face(m, a, i, integers[row, ROW_FACE])
        base = normal_place(m, i)
        p_n, p_t = floats[row, P_N], floats[row, P_T]
        for k in range(m.width):
            impulse = a.contact[base + k] * p_n + (a.contact[base + m.width + k] * p_t if m.has_slip[i] else 0.0)
            a.demand[column(m, i, k)] -= a.weight[column(m, i, k)] * impulse
        if names_face(m, integers, row):
            see_on_face(m, a, i, before)


@kernel
def ignore_branches(m: Machine, a: Audit) -> None:
    """The force of a Maxwell branch is forgotten where its contact opens: no impulse is needed for that."""
    for i in range(m.nc):
        if m.branch[i] >= 0:
            a.demand[m.branch[i]] = 0.0


@kernel
def norm(m: Machine, a: Audit) -> Real:
    """The length of a.demand."""
    total = 0.0
    for k in range(m.n):
        total += a.demand[k] * a.demand[k]
    return math.sqrt(total)


@kernel
def hidden_momentum(m: Machine, a: Audit) -> Real:
    """The momentum of rebounds that rise no higher than the rounding of their gaps: no record can show it.

    One rises by h = v^2/(2 b) if the forces f of the run bring it back with b = f sqrt(C), C = W M^-1 W; its momentum
    is v/sqrt(C), so its square is 2 f h/sqrt(C). Those of several contacts that come to rest together add up.
    """
    total = 0.0
    for i in range(m.nc):
        base, normal = contact_place(m, i), normal_place(m, i)
        near = contact_limit(m, a, i)
        if m.compliant[i] or m.load[i] or abs(a.contact[base]) > near:
            continue
        height = mobility = 0.0
        for k in range(m.width):
            j = column(m, i, k)
            height += UNSEEN_REBOUND * abs(a.contact[normal + k]) * a.extent[j]
            mobility += (a.weight[j] * a.contact[normal + k]) ** 2
        if mobility > 0.0:
            total += 2.0 * a.largest_force * height / math.sqrt(mobility)
    return math.sqrt(total)


@kernel
def preload_momentum(m: Machine, a: Audit, duration: Real) -> Real:
    """How much the friction of preloads may change the momentum in this time: mu_s N_0 tau each, either way.

    It goes on through a chatter, and is none of the impulses of the contacts that touch at its end.
    """
    total = 0.0
    for i in range(m.nc):
        if not m.load[i]:
            continue
        tangent, square = normal_place(m, i) + m.width, 0.0
        for k in range(m.width):
            square += (a.weight[column(m, i, k)] * a.contact[tangent + k]) ** 2
        base = SURFACE_STRIDE * i
        total += a.surface[base + STATIC_FRICTION] * a.surface[base + PRELOAD] * duration * math.sqrt(square)
    return total


@kernel
def check_momentum(
    m: Machine,
    a: Audit,
    first: Integer,
    last: Integer,
    floats: Reals2,
    integers: Integers2,
    duration: Real,
    chatter: Truth,
) -> None:
    """The jump from a.before to a.z, evaluated there, against the impulses of the rows first <= row < last.

    Overwrites a.dz, a.mass and, after a chatter, a.mode.
    """
    limit = momentum_change(m, a, duration) + hidden_momentum(m, a)
    whole = norm(m, a)
    ignore_branches(m, a)
    a.basis_size = 0
    if m.nj > 0:
        span_of_joints(m, a)
        without_joints(m, a, a.demand)
    if chatter:
        touching_sticks(m, a)
        left = distance_from_cone(m.n, a, generators(m, a))
        limit += CHATTER_SHARE * whole + preload_momentum(m, a, duration)
    else:
        take_impulses(m, a, first, last, floats, integers)
        if m.nj > 0:
            without_joints(m, a, a.demand)
        left = norm(m, a)
    if not left <= limit:
        contact = near_place(a.roster, integers[first, CONTACT]) if last > first else -1
        report(a, a.t, contact, MOMENTUM_JUMP, left, limit)


@kernel
def moves_on(m: Machine, a: Audit) -> Truth:
    """Whether the velocities in a.before and a.z are the same up to the accuracy of the record."""
    for k in range(m.n):
        if not abs(a.z[m.n + k] - a.before[m.n + k]) <= a.rate_known[k]:
            return False
    return True


@kernel
def check_position(m: Machine, a: Audit, duration: Real) -> Truth:
    """Coordinates do not jump; over a hole in the record they go on with the velocities at its ends.

    In a hole a body may fall, and be stopped at its end: what forces move it by in that time is not seen in either.
    Returns whether all of them are the same as before, up to the accuracy of the record.
    """
    n, same = m.n, True
    for k in range(n):
        moved = abs(a.z[k] - a.before[k])
        if moved <= a.place_known[k]:
            continue
        same = False
        fallen = duration * duration * a.largest_force * a.weight[k]
        gone = 2.0 * duration * (abs(a.z[n + k]) + abs(a.before[n + k])) + fallen
        limit = max(a.place_known[k] + gone, LEAST_SIZE)
        if not moved <= limit:
            report(a, a.t, -1, POSITION_JUMP, moved, limit)
    return same

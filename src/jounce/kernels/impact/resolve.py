"""All impulses of one instant.

With the joints projected out, Y = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1 answers an impulse, and the contacts see each
other through the Delassus matrix D = W^T Y W, ordered n1, t1, n2, t2, ... The velocities of all contacts are carried
along in contact space, v+ = v + D p; u follows as u+ = u + Y W p.

"sequential": the contact that closes hardest, with the largest v_n^2/C, collides by its own law as if it were alone,
then the next, until none closes. Two ends that drive each other do so for ever, with impulses that fall geometrically:
the remainder is then finished as one plastic joint impact. "joint": all touching contacts at once (joint.py).

The energy lost at a contact is -(p_n (v_n + v_n+) + p_t (v_t + v_t+))/2; the moving surface does the work
-(p_n g_t + p_t w_T), and joints that move (a motor) work through their own impulses.
"""

import math

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.linear import (
    diagonal_mobilities,
    factor_definite,
    solve_factored,
    solve_mass,
    solve_ranked,
)
from jounce.kernels.contact.unknowns import sliding_friction
from jounce.kernels.impact.joint import JOINT_NEWTON, JOINT_POISSON, joint_impact
from jounce.kernels.impact.laws import (
    apply_law,
)
from jounce.kernels.records.codes import (
    IMPACT,
    JOINT,
    LAW_FAILED,
    NEWTON,
    OPEN,
    POISSON,
)
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import IMPACTS_TOTAL, add_event, buffer_record, set_impulse
from jounce.kernels.records.tolerances import AS_HARD, SAME_VELOCITY, SEQUENTIAL_LIMIT
from jounce.kernels.records.workspace import (
    CONTACT_STRIDE,
    JOINT_STRIDE,
    RESTITUTION,
    SURFACE_STRIDE,
    TANGENTIAL_RESTITUTION,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8, pointer
from jounce.toolchain.jit import address, block, call_state, kernel

FRICTION_LOSS, SURFACE_WORK = 1, 2  # entries of the ledger


@kernel
def prepare_joints(m, w):
    """J, M^-1 J^T and J M^-1 J^T of the joints in w.rows, w.response and w.matrix, for ``project_joints``.

    True if the matrix has been factored: where its equations do not depend on one another.
    """
    n, nj = m.n, m.nj
    for k in range(nj):
        base = k * (JOINT_STRIDE + n) + JOINT_STRIDE
        for j in range(n):
            w.rows[k, j] = w.joint[base + j]
        solve_mass(w.factor, n, w.rows, k, w.response, k)
        for i in range(nj):
            w.matrix[k, i] = 0.0
    # most directions have few entries
    for k in range(nj):
        for j in range(n):
            entry = w.rows[k, j]
            if entry != 0.0:
                for i in range(nj):
                    w.matrix[k, i] += entry * w.response[i, j]
    diagonal_mobilities(w, nj)
    return factor_definite(w, nj)


@kernel
def project_joints(m, w, response, row, factored):
    """Make M^-1 f the answer of the jointed system: subtract M^-1 J^T (J M^-1 J^T)^+ J M^-1 f.

    ``factored`` is what ``prepare_joints`` says.
    """
    n, nj = m.n, m.nj
    for k in range(nj):
        total = 0.0
        for j in range(n):
            total += w.rows[k, j] * response[row, j]
        w.right[k] = total
    if factored:
        solve_factored(w, nj)
    else:
        solve_ranked(w, nj)
    for k in range(nj):
        for j in range(n):
            response[row, j] -= w.response[k, j] * w.unknown[k]


@kernel
def joint_drift(m, w, u):
    """Work that moving joints do for a unit impulse of the contact whose response was projected last.

    Their impulses -x answer it (x: the unknowns of ``project_joints``) and work against g_t = -J.u: in all x.g_t.
    """
    work = 0.0
    for k in range(m.nj):
        for j in range(m.n):
            work -= w.unknown[k] * w.rows[k, j] * u[j]
    return work


@block(i8(machine_record, workspace_record, f8, pointer, pointer))
def prepare_impacts(m, w, t, q, u):
    """Responses Y W, Delassus matrix and contact velocities at one state; False if M is not positive definite."""
    n = m.n
    if not evaluate_model(m, w, t, q, u):
        return 0
    stride = CONTACT_STRIDE + 2 * n
    factored = m.nj > 0 and prepare_joints(m, w)
    for i in range(m.nc):
        base = i * stride
        for j in range(n):
            w.columns[0, j] = w.contact[base + CONTACT_STRIDE + j]
        solve_mass(w.factor, n, w.columns, 0, w.response_n, i)
        if m.nj > 0:
            project_joints(m, w, w.response_n, i, factored)
            w.joint_drift[2 * i] = joint_drift(m, w, u)
        for j in range(n):
            w.response_t[i, j] = 0.0
        if m.has_slip[i]:
            for j in range(n):
                w.columns[0, j] = w.contact[base + CONTACT_STRIDE + n + j]
            solve_mass(w.factor, n, w.columns, 0, w.response_t, i)
            if m.nj > 0:
                project_joints(m, w, w.response_t, i, factored)
                w.joint_drift[2 * i + 1] = joint_drift(m, w, u)
        w.velocity[2 * i] = w.contact[base + 1]
        w.velocity[2 * i + 1] = w.contact[base + 2]
    fill_delassus(m, w)
    return 1


@kernel
def fill_delassus(m, w):
    """W^T Y W; a direction has entries at two bodies only."""
    n = m.n
    for i in range(m.nc):
        normal = i * (CONTACT_STRIDE + 2 * n) + CONTACT_STRIDE
        for k in range(2 * m.nc):
            w.delassus[2 * i, k] = w.delassus[2 * i + 1, k] = 0.0
        for j in range(n):
            along, across = w.contact[normal + j], w.contact[normal + n + j]
            if along == 0.0 and across == 0.0:
                continue
            for k in range(m.nc):
                w.delassus[2 * i, 2 * k] += along * w.response_n[k, j]
                w.delassus[2 * i, 2 * k + 1] += along * w.response_t[k, j]
                w.delassus[2 * i + 1, 2 * k] += across * w.response_n[k, j]
                w.delassus[2 * i + 1, 2 * k + 1] += across * w.response_t[k, j]


@kernel
def apply_impulse(m, w, i, p_n, p_t, u):
    """Let contact i give its impulse: all contact velocities and u change."""
    for k in range(2 * m.nc):
        w.velocity[k] += w.delassus[k, 2 * i] * p_n + w.delassus[k, 2 * i + 1] * p_t
    for j in range(m.n):
        u[j] += w.response_n[i, j] * p_n + w.response_t[i, j] * p_t


@block(i8(machine_record, workspace_record, i8))
def contact_law(m, w, i):
    """Law of contact i on its velocities now; w.law_out receives it. Returns the law's code."""
    d = w.delassus
    return apply_law(
        m.laws[i],
        d[2 * i + 1, 2 * i + 1],
        d[2 * i + 1, 2 * i],
        d[2 * i, 2 * i],
        w.velocity[2 * i + 1],
        w.velocity[2 * i],
        sliding_friction(w.surface, i, w.velocity[2 * i + 1]),
        w.surface[i * SURFACE_STRIDE + RESTITUTION],
        w.surface[i * SURFACE_STRIDE + TANGENTIAL_RESTITUTION],
        w.law_out,
    )


@kernel
def collide(m, w, s, i, record):
    """One contact by its own law, recorded; False if the law has no answer."""
    if contact_law(m, w, i) != 0:
        return False
    give(m, w, s, i, w.law_out[1], w.law_out[0], int(w.law_out[2]), record)
    return True


@kernel
def give(m, w, s, i, p_n, p_t, region, record):
    """Apply an impulse at contact i, book its energy and write its row."""
    u = s.u
    v_n, v_t = w.velocity[2 * i], w.velocity[2 * i + 1]
    normal_drift, tangent_drift = surface_velocity_now(m, w, i, u)
    apply_impulse(m, w, i, p_n, p_t, u)
    lost = -0.5 * (p_n * (v_n + w.velocity[2 * i]) + p_t * (v_t + w.velocity[2 * i + 1]))
    s.loss[i] += lost
    s.choice.struck[i] = 1
    s.ledger[SURFACE_WORK] -= p_n * normal_drift + p_t * tangent_drift
    s.ledger[SURFACE_WORK] += p_n * w.joint_drift[2 * i] + p_t * w.joint_drift[2 * i + 1]
    record.counter[IMPACTS_TOTAL] += 1
    row = add_event(record, s.t, IMPACT, i, s.modes[i], OPEN)
    after_n, after_t = w.velocity[2 * i], w.velocity[2 * i + 1]
    set_impulse(record, row, v_n, after_n, v_t, after_t, p_n, p_t, lost, m.laws[i], region)


@kernel
def surface_velocity_now(m, w, i, u):
    """(g_t, w_T) of contact i from the current contact velocities and u."""
    n = m.n
    base = i * (CONTACT_STRIDE + 2 * n) + CONTACT_STRIDE
    normal_drift, tangent_drift = w.velocity[2 * i], w.velocity[2 * i + 1]
    for j in range(n):
        normal_drift -= w.contact[base + j] * u[j]
        tangent_drift -= w.contact[base + n + j] * u[j]
    return normal_drift, tangent_drift


@block(i8(machine_record, workspace_record, motion_record, i8, buffer_record))
def collide_jointly(m, w, s, plastic, record):
    """All touching contacts at once: compression and expansion by complementarity; False if there is no solution."""
    members = 0
    u = s.u
    for i in range(m.nc):
        if s.choice.touching[i] and not m.load[i]:
            w.members[members] = i
            members += 1
    v, p, d = w.joint_velocity, w.joint_impulse, w.joint_delassus
    poisson = False
    for a in range(members):
        i = w.members[a]
        w.joint_friction[a] = sliding_friction(w.surface, i, w.velocity[2 * i + 1])
        w.joint_restitution[a] = 0.0 if plastic else w.surface[i * SURFACE_STRIDE + RESTITUTION]
        w.joint_tangential[a] = w.surface[i * SURFACE_STRIDE + TANGENTIAL_RESTITUTION]
        poisson = poisson or m.laws[i] == POISSON
        v[2 * a], v[2 * a + 1] = w.velocity[2 * i], w.velocity[2 * i + 1]
        for b in range(members):
            k = w.members[b]
            for x in range(2):
                for y in range(2):
                    d[2 * a + x, 2 * b + y] = w.delassus[2 * i + x, 2 * k + y]
    kind = JOINT_POISSON if poisson else JOINT_NEWTON
    mu, e, e_t = w.joint_friction, w.joint_restitution, w.joint_tangential
    if joint_impact(kind, members, d, v, mu, e, e_t, p, w) != 0:
        return 0
    for a in range(members):
        i = w.members[a]
        after_n, after_t = v[2 * a], v[2 * a + 1]
        for k in range(2 * members):
            after_n += d[2 * a, k] * p[k]
            after_t += d[2 * a + 1, k] * p[k]
        normal_drift, tangent_drift = surface_velocity_now(m, w, i, u)
        lost = -0.5 * (p[2 * a] * (v[2 * a] + after_n) + p[2 * a + 1] * (v[2 * a + 1] + after_t))
        s.loss[i] += lost
        s.ledger[SURFACE_WORK] -= p[2 * a] * normal_drift + p[2 * a + 1] * tangent_drift
        s.ledger[SURFACE_WORK] += p[2 * a] * w.joint_drift[2 * i] + p[2 * a + 1] * w.joint_drift[2 * i + 1]
        if p[2 * a] != 0.0:
            s.choice.struck[i] = 1
            record.counter[IMPACTS_TOTAL] += 1
            row = add_event(record, s.t, IMPACT, i, s.modes[i], OPEN)
            law = POISSON if poisson else NEWTON
            set_impulse(record, row, v[2 * a], after_n, v[2 * a + 1], after_t, p[2 * a], p[2 * a + 1], lost, law, 0)
    for a in range(members):
        apply_impulse(m, w, w.members[a], p[2 * a], p[2 * a + 1], u)
    return 1


@kernel
def hardest(m, w, s):
    """The touching contact that closes with the largest energy v_n^2/C, which angles have too; -1 if none closes.

    Of contacts that close equally hard up to rounding the first one: a body that falls flat must not choose by chance.
    """
    chosen, most = -1, 0.0
    for i in range(m.nc):
        v, C = w.velocity[2 * i], w.delassus[2 * i, 2 * i]
        if s.choice.touching[i] and v < -SAME_VELOCITY * s.memory.speed[2 * i]:
            energy = v * v / C if C > 0.0 else math.inf
            if chosen < 0 or energy > (1.0 + AS_HARD) * most:
                chosen, most = i, energy
    return chosen


@block(i8(machine_record, workspace_record, motion_record, i8, i8, buffer_record))
def resolve_impacts(m, w, s, first, policy, record):
    """Impulses until no touching contact closes; needs ``prepare_impacts``. Returns 0 or LAW_FAILED.

    ``first`` is a contact that collides although its normal velocity is zero, since its slip is jammed; -1: none.
    """
    count = 0
    while True:
        chosen = hardest(m, w, s)
        if first >= 0 and not w.velocity[2 * first] < 0.0:
            chosen = first
        if chosen < 0:
            return 0
        members = 0
        for i in range(m.nc):
            members += s.choice.touching[i] and not m.load[i]
        if count >= SEQUENTIAL_LIMIT or (policy == JOINT and members > 1):
            plastic = 1 if count >= SEQUENTIAL_LIMIT else 0
            if not collide_jointly(m, w, s, plastic, record):
                return LAW_FAILED
            if plastic:
                return 0
        elif not collide(m, w, s, chosen, record):
            return LAW_FAILED
        if m.speed_coefficients:
            # the next impact has its own speeds
            call_state(m.surfaces, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.surface, 0))
        first = -1
        count += 1

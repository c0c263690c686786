"""All impulses of one instant.

With the joints projected out, Y = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1 answers an impulse, and the contacts see each
other through the Delassus matrix D = W^T Y W, ordered n1, t1, n2, t2, ... The velocities of all contacts are carried
along in contact space, v+ = v + D p; u follows as u+ = u + Y W p.

Where joints rub, they do so in impacts by laws that follow the process (rubbing.py).

"sequential": the contact that closes hardest, with the largest v_n^2/C, collides by its own law as if it were alone,
then the next, until none closes. Two ends that drive each other do so for ever, with impulses that fall geometrically:
the remainder is then finished as one plastic joint impact. "joint": all touching contacts at once (joint.py).

The energy lost at a contact is -(p_n (v_n + v_n+) + p_t (v_t + v_t+))/2; the moving surface does the work
-(p_n g_t + p_t w_T), and joints that move (a motor) work through their own impulses.
"""

import math

from jounce.kernels.contact.faces import write_face
from jounce.kernels.contact.forces import evaluate_model, evaluate_motion
from jounce.kernels.contact.unknowns import sliding_friction
from jounce.kernels.impact.impulse import OK, REGION_RUBBING
from jounce.kernels.impact.joint import JOINT_NEWTON, JOINT_POISSON, joint_impact
from jounce.kernels.impact.laws import (
    apply_law,
)
from jounce.kernels.impact.responses import answers_alone, apply_impulse, fill_blocks, fill_delassus, fill_responses
from jounce.kernels.impact.rubbing import march, stop_jammed
from jounce.kernels.impact.rubbing_rates import (
    IMPULSE,
    LOAD,
    LOSS,
    SLIP,
    SLIP_RATE,
    any_rubs_along,
    gather_members,
)
from jounce.kernels.impact.stopped import stop_members
from jounce.kernels.impact.touching import collides_jointly, count_touching, mark_touching, other_faces_count
from jounce.kernels.records.codes import (
    IMPACT,
    JOINT,
    LAW_FAILED,
    NEWTON,
    NOT_FINITE,
    OPEN,
    POISSON,
    STICK,
    TOO_MANY_CLOSED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import IMPACTS_TOTAL, add_event, buffer_record, set_impulse
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.tolerances import AS_HARD, SAME_VELOCITY, SEQUENTIAL_LIMIT
from jounce.kernels.records.workspace import (
    MAX_CLOSED,
    RESTITUTION,
    SURFACE_STRIDE,
    TANGENTIAL_RESTITUTION,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8, pointer
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals

FRICTION_LOSS, SURFACE_WORK = 1, 2  # entries of the ledger


@block(i8(machine_record, workspace_record, f8, pointer, pointer))
def prepare_impacts(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> Integer:
    """Responses Y W, Delassus matrix and contact velocities at one state; False if M is not positive definite."""
    if not evaluate_model(m, w, t, q, u):
        return 0
    answer_impulses(m, w, u)
    return 1


@block(i8(machine_record, workspace_record, f8, pointer, pointer))
def prepare_landed(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> Integer:
    """``prepare_impacts`` where a flight has landed: the contacts of this state are in w.contact already."""
    call_state(m.surfaces, t, q, u, address(m.p, 0), address(w.surface, 0))
    if not evaluate_motion(m, w, t, q, u):
        return 0
    answer_impulses(m, w, u)
    return 1


@kernel
def answer_impulses(m: Machine, w: Workspace, u: Reals) -> None:
    """The velocities of all contacts, and what an impulse at each does to them; needs ``evaluate_model``."""
    for i in range(m.nc):
        base = contact_place(m, i)
        w.velocity[2 * i], w.velocity[2 * i + 1] = w.contact[base + 1], w.contact[base + 2]
    if answers_alone(m):
        fill_blocks(m, w)
    else:
        fill_responses(m, w, u)
        fill_delassus(m, w)


@block(i8(machine_record, workspace_record, i8))
def contact_law(m: Machine, w: Workspace, i: Integer) -> Integer:
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
def collide(m: Machine, w: Workspace, s: Motion, i: Integer, record: Record) -> Integer:
    """One contact by its own law, recorded; False if the law has no answer."""
    if m.loaded > 0 and m.laws[i] <= NEWTON and any_rubs_along(m, w, i):
        return collide_rubbing(m, w, s, i, record)
    if contact_law(m, w, i) != 0:
        return False
    give(m, w, s, i, w.law_out[1], w.law_out[0], int(w.law_out[2]), record)
    return True


@kernel
def give(
    m: Machine, w: Workspace, s: Motion, i: Integer, p_n: Real, p_t: Real, region: Integer, record: Record
) -> None:
    """Apply an impulse at contact i, book its energy and write its row."""
    u = s.u
    v_n, v_t = w.velocity[2 * i], w.velocity[2 * i + 1]
    normal_drift, tangent_drift = surface_velocity_now(m, w, i, u)
    apply_impulse(m, w, i, p_n, p_t, u)
    lost = -0.5 * (p_n * (v_n + w.velocity[2 * i]) + p_t * (v_t + w.velocity[2 * i + 1]))
    book_surface(m, w, s, i, p_n, p_t, normal_drift, tangent_drift)
    book_impact(m, w, s, i, v_n, v_t, p_n, p_t, lost, region, record)


@kernel
def book_surface(
    m: Machine, w: Workspace, s: Motion, i: Integer, p_n: Real, p_t: Real, normal_drift: Real, tangent_drift: Real
) -> None:
    """The work that the moving surface of contact i and moving joints do in its impulse."""
    s.ledger[SURFACE_WORK] -= p_n * normal_drift + p_t * tangent_drift
    s.ledger[SURFACE_WORK] += p_n * w.joint_drift[2 * i] + p_t * w.joint_drift[2 * i + 1]


@kernel
def mode_before(m: Machine, w: Workspace, s: Motion, i: Integer) -> Integer:
    """The mode of contact i before this instant; a corner that leaves its face has lost it since."""
    return w.mode_before[i] if m.faces != 0 else s.modes[i]


@kernel
def book_impact(
    m: Machine,
    w: Workspace,
    s: Motion,
    i: Integer,
    v_n: Real,
    v_t: Real,
    p_n: Real,
    p_t: Real,
    lost: Real,
    region: Integer,
    record: Record,
) -> None:
    """Loss and row of an impulse at contact i, which had the velocities v_n and v_t before it."""
    s.loss[i] += lost
    s.choice.struck[i] = 1
    record.counter[IMPACTS_TOTAL] += 1
    row = add_event(record, s.t, IMPACT, i, mode_before(m, w, s, i), OPEN)
    after_n, after_t = w.velocity[2 * i], w.velocity[2 * i + 1]
    set_impulse(record, row, v_n, after_n, v_t, after_t, p_n, p_t, lost, m.laws[i], region)
    write_face(m, w, i, row, record)


@block(i8(machine_record, workspace_record, motion_record, i8, buffer_record))
def collide_rubbing(m: Machine, w: Workspace, s: Motion, i: Integer, record: Record) -> Integer:
    """One contact by its own law while joints rub; False if there is no answer."""
    count = gather_members(m, w, i)
    if march(m, w, i, count) != OK:
        return 0
    give_together(m, w, s, i, count, record)
    return 1


@block(i8(machine_record, workspace_record, motion_record, buffer_record))
def stop_jammed_joint(m: Machine, w: Workspace, s: Motion, record: Record) -> Integer:
    """An impact without collision: a rubbing joint that jams stops by its own friction; False if none does."""
    count = gather_members(m, w, -1)
    change = stop_jammed(m, w, count, -1)
    if not change == change:
        return 0
    give_together(m, w, s, -1, count, record)
    return 1


@kernel
def give_together(m: Machine, w: Workspace, s: Motion, i: Integer, count: Integer, record: Record) -> None:
    """Apply and book the impulses of a process in which joints rub: of contact i (-1: of none) and of its members."""
    struck_n = struck_t = p_t = 0.0
    lost = -(w.law_out[3] + w.law_out[4]) if i >= 0 else 0.0
    if i >= 0:
        struck_n, struck_t = w.velocity[2 * i], w.velocity[2 * i + 1]
    for a in range(count):
        k = w.rubbing[a]
        w.rub[SLIP_RATE, a] = w.velocity[2 * k + 1]  # no rate is needed any more: the slip before
        normal_drift, tangent_drift = surface_velocity_now(m, w, k, s.u)
        book_surface(m, w, s, k, 0.0, w.rub[IMPULSE, a], normal_drift, tangent_drift)
        if k == i:
            p_t = w.rub[IMPULSE, a]
            lost += w.rub[LOSS, a]
    if i >= 0:
        normal_drift, tangent_drift = surface_velocity_now(m, w, i, s.u)
        book_surface(m, w, s, i, w.law_out[1], 0.0, normal_drift, tangent_drift)
        apply_impulse(m, w, i, w.law_out[1], 0.0, s.u)
    for a in range(count):
        apply_impulse(m, w, w.rubbing[a], 0.0, w.rub[IMPULSE, a], s.u)
    for a in range(count):
        w.velocity[2 * w.rubbing[a] + 1] = w.rub[SLIP, a]
    if i >= 0:
        book_impact(m, w, s, i, struck_n, struck_t, w.law_out[1], p_t, lost, REGION_RUBBING, record)
    for a in range(count):
        k = w.rubbing[a]
        if k != i and w.rub[IMPULSE, a] != 0.0:
            slip, load, impulse = w.rub[SLIP_RATE, a], w.rub[LOAD, a], w.rub[IMPULSE, a]
            book_impact(m, w, s, k, 0.0, slip, load, impulse, w.rub[LOSS, a], REGION_RUBBING, record)


@kernel
def surface_velocity_now(m: Machine, w: Workspace, i: Integer, u: Reals) -> tuple[Real, Real]:
    """(g_t, w_T) of contact i from the current contact velocities and u."""
    base = normal_place(m, i)
    normal_drift, tangent_drift = w.velocity[2 * i], w.velocity[2 * i + 1]
    for k in range(m.width):
        j = column(m, i, k)
        normal_drift -= w.contact[base + k] * u[j]
        tangent_drift -= w.contact[base + m.width + k] * u[j]
    return normal_drift, tangent_drift


@kernel
def give_all(m: Machine, w: Workspace, s: Motion, members: Integer, law: Integer, record: Record) -> None:
    """Apply the impulses w.joint_impulse of w.members at once, book their energy and write their rows."""
    u, v, p, d = s.u, w.joint_velocity, w.joint_impulse, w.joint_delassus
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
            row = add_event(record, s.t, IMPACT, i, mode_before(m, w, s, i), OPEN)
            set_impulse(record, row, v[2 * a], after_n, v[2 * a + 1], after_t, p[2 * a], p[2 * a + 1], lost, law, 0)
            write_face(m, w, i, row, record)
    for a in range(members):
        apply_impulse(m, w, w.members[a], p[2 * a], p[2 * a + 1], u)
    if stop_members(m, w, s, members):
        s.ledger[SURFACE_WORK] += w.projection_work
        prepare_impacts(m, w, s.t, address(s.q, 0), address(u, 0))
        for a in range(members):
            mode = s.choice.trial[w.members[a]]
            if mode != OPEN:
                w.velocity[2 * w.members[a]] = 0.0
            if mode == STICK:
                w.velocity[2 * w.members[a] + 1] = 0.0


@block(i8(machine_record, workspace_record, motion_record, i8, buffer_record))
def collide_jointly(m: Machine, w: Workspace, s: Motion, plastic: Integer, record: Record) -> Integer:
    """All touching contacts at once: compression and expansion by complementarity; False if there is no solution."""
    members = 0
    for i in range(m.nc):
        if collides_jointly(m, s, i):
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
    give_all(m, w, s, members, POISSON if poisson else NEWTON, record)
    return 1


@kernel
def hardest(m: Machine, w: Workspace, s: Motion) -> Integer:
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


@block(i8(machine_record, workspace_record, motion_record, i8, i8, i8, i8, buffer_record))
def resolve_impacts(
    m: Machine,
    w: Workspace,
    s: Motion,
    hit: Integer,
    starting: Integer,
    first: Integer,
    policy: Integer,
    record: Record,
) -> Integer:
    """Impulses until no touching contact closes; needs ``prepare_impacts``. Returns 0 or the status of the end.

    ``first`` is a contact that collides although its normal velocity is zero, since its slip is jammed; -1: none.
    ``hit`` and ``starting`` say what touches. Each impulse changes on which of two faces a corner may be, and whether
    it has left them: that is asked before the next one.
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
            members += collides_jointly(m, s, i)
        plastic = 1 if count >= SEQUENTIAL_LIMIT else 0
        if plastic or (policy == JOINT and members > 1):
            if not collide_jointly(m, w, s, plastic, record):
                return LAW_FAILED
        elif not collide(m, w, s, chosen, record):
            return LAW_FAILED
        if m.speed_coefficients:
            # the next impact has its own speeds
            call_state(m.surfaces, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.surface, 0))
        changed = other_faces_count(m, w, s, hit)
        if plastic and (not changed or count >= 2 * SEQUENTIAL_LIMIT):
            return 0
        if changed:
            if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
                return NOT_FINITE
            mark_touching(m, w, s, hit, starting)
            if count_touching(m, s) > MAX_CLOSED:
                return TOO_MANY_CLOSED
        first = -1
        count += 1

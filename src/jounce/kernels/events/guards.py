"""The guards of a mode: which there are, and what they are along a step.

They are rows (kind, index, sign, fresh). sign * value is positive while the mode lasts; ``fresh`` is the order of the
root at which the guard starts (0: it does not; 1: a gap just after its impact, a slip velocity that starts from rest;
2: a gap just after its force vanished), to be deflated on the first piece. Forces that statics leaves open have one
guard together: that friction can carry them.
"""

from jounce.kernels.contact.capacity import capacity
from jounce.kernels.contact.faces import end_margin, ends_face, find_faces
from jounce.kernels.contact.forces import evaluate_model, flows_alone, solve_mode
from jounce.kernels.contact.loads import part_margin
from jounce.kernels.contact.modes import cone_margin, contradictory, count_closed
from jounce.kernels.contact.terms import measure_terms, slip_terms
from jounce.kernels.contact.unknowns import constrains, slide_sign
from jounce.kernels.events.guard_polynomial import NODES
from jounce.kernels.flow.runge_kutta import interpolate_nodes
from jounce.kernels.records.codes import (
    GAP_UNGUARDED,
    GUARD_CARRIED,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_END,
    GUARD_FORCE,
    GUARD_FREE,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_PULL,
    GUARD_RETURN,
    GUARD_SHIFT,
    GUARD_SLIP,
    GUARD_TURN,
    GUARD_USER,
    GUIDE_LOAD,
    LOCATED,
    OPEN,
    PRESSED,
    RELEASE_WHEN_FREE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import along, contact_place, normal_place
from jounce.kernels.records.workspace import (
    COMPLIANCE_STRIDE,
    DEGREE,
    FLOW_DETERMINANT,
    FLOW_LIMIT,
    FLOW_NORMAL,
    FLOW_SLIP,
    FLOW_TANGENT,
    STATIC_FRICTION,
    SURFACE_STRIDE,
)
from jounce.toolchain.jit import address, call_batch, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Truth


@kernel
def add_guard(
    guards: Integers2, count: Integer, kind: Integer, index: Integer, sign: Integer, fresh: Integer
) -> Integer:
    """Append one row; returns the new number."""
    guards[count, 0] = kind
    guards[count, 1] = index
    guards[count, 2] = sign
    guards[count, 3] = fresh
    return count + 1


@kernel
def remove_guard(guards: Integers2, count: Integer, g: Integer) -> Integer:
    """Take row g out; returns the new number."""
    for row in range(g, count - 1):
        for k in range(4):
            guards[row, k] = guards[row + 1, k]
    return count - 1


@kernel
def list_compliant_guards(m: Machine, s: Motion, i: Integer, count: Integer) -> Integer:
    """The guards of compliant contact i: its gap closes or opens; a force that would pull ends; it is pressed again."""
    if s.settings.contact_detection != LOCATED:
        return count  # looked at where steps end: compliant.py
    if s.modes[i] == PRESSED:
        if m.may_pull[i]:
            count = add_guard(s.event.guards, count, GUARD_PULL, i, 1, s.slip_fresh[i])
        if m.turns[i]:
            count = add_guard(s.event.guards, count, GUARD_TURN, i, s.turn_sign[i], s.slip_fresh[i])
        return add_guard(s.event.guards, count, GUARD_GAP, i, -1, s.gap_fresh[i])
    if s.inside[i]:
        count = add_guard(s.event.guards, count, GUARD_RETURN, i, -1, s.slip_fresh[i])
        return add_guard(s.event.guards, count, GUARD_GAP, i, -1, s.gap_fresh[i])
    return add_guard(s.event.guards, count, GUARD_GAP, i, 1, s.gap_fresh[i])


@kernel
def list_guards(m: Machine, s: Motion) -> Integer:
    """The guards of the present mode; returns their number."""
    modes, guards = s.modes, s.event.guards
    count = 0
    sliding = carried = False
    for i in range(m.nc):
        if m.compliant[i]:
            count = list_compliant_guards(m, s, i, count)
            continue
        if modes[i] == OPEN and (m.load[i] or s.gap_watch[i] == GAP_UNGUARDED):
            continue
        if modes[i] == OPEN:
            count = add_guard(guards, count, GUARD_GAP, i, 1, s.gap_fresh[i])
            continue
        if s.unguarded:
            continue
        if m.load[i] == GUIDE_LOAD and not (s.open_force[i] and modes[i] == STICK):
            count = add_guard(guards, count, GUARD_SHIFT, i, 1, s.gap_fresh[i])
        if not m.load[i] and not s.open_force[i]:
            count = add_guard(guards, count, GUARD_FORCE, i, 1, 0)
        if m.faces != 0 and ends_face(m, s, i):
            count = add_guard(guards, count, GUARD_END, i, 1, 0)
        if s.open_force[i] and not carried:
            carried = True
            count = add_guard(guards, count, GUARD_CARRIED, i, 1, 0)
        if modes[i] == STICK:
            if not s.open_force[i]:
                count = add_guard(guards, count, GUARD_CONE_UPPER, i, 1, 0)
                count = add_guard(guards, count, GUARD_CONE_LOWER, i, 1, 0)
            if s.settings.stick_release == RELEASE_WHEN_FREE and not m.load[i]:
                count = add_guard(guards, count, GUARD_FREE, i, -1, 0)
        elif m.has_slip[i]:
            sliding = True
            count = add_guard(guards, count, GUARD_SLIP, i, int(slide_sign(modes[i])), s.slip_fresh[i])
    if sliding and not s.shared:
        count = add_guard(guards, count, GUARD_JAM, -1, s.jam_sign, 0)
    return list_user_guards(m, s, count)


@kernel
def list_user_guards(m: Machine, s: Motion, count: Integer) -> Integer:
    """The user's guards after ``count`` others; returns the number of all."""
    for k in range(m.ng):
        count = add_guard(s.event.guards, count, GUARD_USER, k, s.user_sign[k], s.user_fresh[k])
    return count


@kernel
def has_gaps(m: Machine, guards: Integers2) -> Truth:
    """Whether a list that is not empty may hold gaps: the user's guards come last, and on a flight alone."""
    return m.nc > 0 and guards[0, 0] != GUARD_USER


@kernel
def free_gap_acceleration(m: Machine, w: Workspace, i: Integer, modes: Integers) -> Real:
    """g'' of contact i if it alone were let go; needs ``evaluate_model``, spoils the forces in the workspace."""
    for k in range(m.nc):
        w.loose_modes[k] = OPEN if k == i else modes[k]
    solve_mode(m, w, address(w.loose_modes, 0))
    return along(m, w.contact, i, normal_place(m, i), w.acceleration, w.contact[contact_place(m, i) + 3])


@kernel
def of_compliance(kind: Integer) -> Truth:
    """Whether a guard is one of a compliant contact's force."""
    return kind == GUARD_PULL or kind == GUARD_RETURN or kind == GUARD_TURN


@kernel
def compliance_place(kind: Integer, index: Integer) -> Integer:
    """Where the guard stands in what the model's function of compliant contacts gives."""
    return index * COMPLIANCE_STRIDE + (5 if kind == GUARD_RETURN else 0)


@kernel
def compliant_guard(w: Workspace, kind: Integer, index: Integer) -> Real:
    """One guard from the data of compliant contacts now in the workspace."""
    return w.compliance[compliance_place(kind, index)]


@kernel
def carried_margin(m: Machine, w: Workspace, determinant: Real, modes: Integers) -> Real:
    """By how much friction can carry the mode just solved, relative to its terms; -1 where nothing can."""
    measure_terms(m, w, address(modes, 0))
    if determinant == 0.0:
        return -1.0 if contradictory(m, w, modes) else capacity(m, w, address(modes, 0))
    least = 1.0
    for i in range(m.nc):
        if constrains(modes[i]):
            if m.load[i] and modes[i] != STICK:
                continue
            value, size = (cone_margin(w, i)) if modes[i] == STICK else (w.force[i, 0], w.force_size[i, 0])
            least = min(least, value / size if size > 0.0 else 0.0)
    return least


@kernel
def guard_value(m: Machine, w: Workspace, kind: Integer, index: Integer, determinant: Real, modes: Integers) -> Real:
    """One guard from the forces and contact data now in the workspace (user guards and gaps have their own way)."""
    if kind == GUARD_FORCE:
        return w.force[index, 0]
    if kind == GUARD_SLIP:
        return w.contact[contact_place(m, index) + 2]
    if kind == GUARD_JAM:
        return determinant - w.jam_level
    if kind == GUARD_CARRIED:
        return carried_margin(m, w, determinant, modes)
    if kind == GUARD_SHIFT:
        return part_margin(m, w, index)[0]
    limit = w.surface[index * SURFACE_STRIDE + STATIC_FRICTION] * w.force[index, 0]
    if determinant == 0.0 and contradictory(m, w, modes):
        return -abs(limit) - abs(w.force[index, 1])  # surfaces that move apart: no force keeps it at rest on both
    if kind == GUARD_CONE_UPPER:
        return limit - w.force[index, 1]
    return limit + w.force[index, 1]


@kernel
def flow_guard(m: Machine, w: Workspace, kind: Integer) -> Real:
    """One guard of the only closed contact, from what its own function has written."""
    n, flow = m.n, w.flow
    if kind == GUARD_FORCE:
        return flow[n + FLOW_NORMAL]
    if kind == GUARD_SLIP:
        return flow[n + FLOW_SLIP]
    if kind == GUARD_JAM:
        return flow[n + FLOW_DETERMINANT] - w.jam_level
    if kind == GUARD_CONE_UPPER:
        return flow[n + FLOW_LIMIT] - flow[n + FLOW_TANGENT]
    return flow[n + FLOW_LIMIT] + flow[n + FLOW_TANGENT]


@kernel
def guard_terms(
    m: Machine,
    w: Workspace,
    u: Reals,
    duration: Real,
    modes: Integers,
    determinant: Real,
    guards: Integers2,
    count: Integer,
    first: Truth,
) -> None:
    """The size of the terms of every force and slip velocity among the guards, into w.terms: see contact/terms.py.

    A matrix of the mode that is nearly singular magnifies the rounding of its forces. Needs ``measure_terms``.
    """
    magnified = 1.0 / min(1.0, w.least_pivot) if determinant != 0.0 and w.least_pivot > 0.0 else 1.0
    for g in range(count):
        kind, i = guards[g, 0], guards[g, 1]
        size = 0.0
        if kind == GUARD_SLIP:
            size = slip_terms(m, w, i, u, duration)
        elif kind == GUARD_JAM or kind == GUARD_CARRIED:
            size = 1.0
        elif kind == GUARD_END:
            size = w.size[i]
        elif kind == GUARD_SHIFT:
            size = magnified * part_margin(m, w, i)[1]
        elif kind == GUARD_FORCE:
            size = magnified * w.force_size[i, 0]
        elif kind == GUARD_CONE_UPPER or kind == GUARD_CONE_LOWER:
            size = magnified * cone_margin(w, i)[1]
        w.terms[g] = size if first else max(size, w.terms[g])


@kernel
def sample_guards(
    m: Machine,
    w: Workspace,
    t: Real,
    z: Reals,
    h: Real,
    rows: Integer,
    start: Real,
    width: Real,
    modes: Integers,
    closed: Integer,
    guards: Integers2,
    count: Integer,
) -> None:
    """Samples of every guard at the nodes of the piece [start, start + width] of the step (gaps: their velocity)."""
    n = m.n
    interpolate_nodes(z, w.interpolant, rows, start, width, NODES, DEGREE + 1, n, w.node_q, w.node_u)
    for k in range(DEGREE + 1):
        w.node_t[k] = t + h * (start + width * NODES[k])
    pp = address(m.p, 0)
    forces_guard = whole_mode = ends = False
    for g in range(count):
        forces_guard = forces_guard or of_compliance(guards[g, 0])
        ends = ends or guards[g, 0] == GUARD_END
    if has_gaps(m, guards):
        call_batch(
            m.gap_rates,
            DEGREE + 1,
            address(w.node_t, 0),
            address(w.node_q, 0),
            address(w.node_u, 0),
            pp,
            address(w.node_rate, 0),
        )
    for g in range(count):
        whole_mode = whole_mode or guards[g, 0] == GUARD_FREE or guards[g, 0] == GUARD_CARRIED
    for k in range(DEGREE + 1):
        determinant = 0.0
        node_q, node_u = address(w.node_q, k * n), address(w.node_u, k * n)
        alone = not whole_mode and flows_alone(m, w, w.node_t[k], node_q, node_u, modes, closed)
        if closed > 0 and (not alone or k == 0 or k == DEGREE):
            evaluate_model(m, w, w.node_t[k], node_q, node_u)
            determinant = solve_mode(m, w, address(modes, 0))
        elif forces_guard:
            call_state(m.compliance, w.node_t[k], node_q, node_u, pp, address(w.compliance, 0))
        if m.ng > 0:
            call_state(m.guards, w.node_t[k], node_q, node_u, pp, address(w.user, 0))
        if ends:
            find_faces(m, w, w.node_t[k], node_q, node_u)
        for g in range(count):
            kind, index = guards[g, 0], guards[g, 1]
            if kind == GUARD_GAP:
                value = w.node_rate[k * m.nc + index]
            elif kind == GUARD_USER:
                value = w.user[index]
            elif of_compliance(kind):
                value = compliant_guard(w, kind, index)
            elif kind == GUARD_END:
                value = end_margin(m, w, modes, index)
            elif kind == GUARD_FREE:
                continue
            elif alone:
                value = flow_guard(m, w, kind)
            else:
                value = guard_value(m, w, kind, index, determinant, modes)
            w.samples[g, k] = guards[g, 2] * value
        if closed > 0 and (k == 0 or k == DEGREE):
            measure_terms(m, w, address(modes, 0))
            guard_terms(m, w, node_u, h * width, modes, determinant, guards, count, k == 0)
        for g in range(count):
            if guards[g, 0] == GUARD_FREE:
                w.samples[g, k] = guards[g, 2] * free_gap_acceleration(m, w, guards[g, 1], modes)


@kernel
def guard_at(
    m: Machine, w: Workspace, kind: Integer, index: Integer, sign: Integer, t: Real, z: Reals, modes: Integers
) -> tuple[Real, Real]:
    """(sign * value, sign * time derivative or 0 where it is not known) of one guard at one state."""
    n = m.n
    pq, pu, pp = address(z, 0), address(z, n), address(m.p, 0)
    if kind == GUARD_GAP:
        call_state(m.gaps, t, pq, pu, pp, address(w.gap, 0))
        return sign * w.gap[2 * index], sign * w.gap[2 * index + 1]
    if kind == GUARD_USER:
        call_state(m.guards, t, pq, pu, pp, address(w.user, 0))
        return sign * w.user[index], 0.0
    if kind == GUARD_END:
        find_faces(m, w, t, pq, pu)
        return sign * end_margin(m, w, modes, index), 0.0
    if of_compliance(kind):
        call_state(m.compliance, t, pq, pu, pp, address(w.compliance, 0))
        return sign * compliant_guard(w, kind, index), 0.0
    if kind != GUARD_FREE and kind != GUARD_CARRIED and flows_alone(m, w, t, pq, pu, modes, count_closed(modes, m.nc)):
        return sign * flow_guard(m, w, kind), 0.0
    evaluate_model(m, w, t, pq, pu)
    if kind == GUARD_FREE:
        return sign * free_gap_acceleration(m, w, index, modes), 0.0
    determinant = solve_mode(m, w, address(modes, 0))
    return sign * guard_value(m, w, kind, index, determinant, modes), 0.0

"""The start and the end of compliant contact.

A pressed contact is no equation: its force is part of h, switched on by a flag among the model's parameters. What
happens here changes that flag, the approach speed that some laws remember, and the force of a Maxwell branch, and
nothing else: no velocity of the bodies jumps.

Located (the default): the gap is a guard like every other one. Not located, for comparison with other programs
(Flores & Ambrosio 2010): gaps are looked at where steps end, so a contact begins with a penetration; whether the step
is then kept, repeated shorter or replaced by a linear interpolation is the procedure.
"""

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.engine.trial_modes import bend_ahead
from jounce.kernels.records.codes import (
    GRAZING,
    GUARD_GAP,
    GUARD_RETURN,
    GUARD_TURN,
    INTERPOLATE,
    LOCATED,
    NOT_FINITE,
    OPEN,
    PRESSED,
    REJECT,
    SEPARATE,
    TOUCH,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import DEEP_STARTS, V_N_AFTER, add_event, buffer_record, set_velocities
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import length_limit, note_normal_speed
from jounce.kernels.records.tolerances import (
    BEHIND,
    GRAZING_SPEED,
    SAME_PLACE,
    SHORTEST_STEP,
    SLOWEST_APPROACH,
    START_TOLERANCE,
)
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

CONTACT_LOSS = 3  # entry of the ledger


@kernel
def gap_of(m: Machine, w: Workspace, i: Integer) -> Real:
    """g of contact i from the data of ``evaluate_model``."""
    return w.contact[contact_place(m, i)]


@kernel
def gap_rate_of(m: Machine, w: Workspace, i: Integer) -> Real:
    """gamma_N of contact i."""
    return w.contact[contact_place(m, i) + 1]


@kernel
def write_row(
    m: Machine, w: Workspace, s: Motion, i: Integer, kind: Integer, before: Integer, after: Integer, record: Record
) -> Integer:
    """An event row without a jump; returns it."""
    row = add_event(record, s.t, kind, i, before, after)
    base = contact_place(m, i)
    set_velocities(record, row, w.contact[base + 1], w.contact[base + 2])
    return row


@kernel
def write_touch(m: Machine, w: Workspace, s: Motion, i: Integer, approach: Real, record: Record) -> None:
    """The row of a contact that begins: v_n_after is minus the approach speed that its law remembers."""
    row = write_row(m, w, s, i, TOUCH, OPEN, PRESSED, record)
    if row >= 0:
        record.event_float[row, V_N_AFTER] = -approach


@kernel
def note_speed(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """Let the speed of contact i grow with what it is now, with or without its forces; needs ``evaluate_model``."""
    call_state(m.free_acceleration, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.free, 0))
    note_normal_speed(m, w, s, i)


@kernel
def remembered_approach(s: Motion, i: Integer, speed: Real) -> Real:
    """The approach speed that a law remembers; approaches slower than the chatter speed count as that."""
    return max(speed, s.memory.chatter_speed[i], SLOWEST_APPROACH * s.memory.speed[2 * i])


@kernel
def reciprocal(speed: Real) -> Real:
    """1/v; 0 where nothing moves."""
    return 1.0 / speed if speed > 0.0 else 0.0


@kernel
def press(m: Machine, w: Workspace, s: Motion, i: Integer, inverse: Real, order: Integer) -> None:
    """Contact i carries force from now on; its gap starts at a root of this order. Needs ``evaluate_model``."""
    base = i * COMPLIANCE_STRIDE
    branch = m.branch[i]
    s.slip_fresh[i] = 0
    if branch >= 0:
        # the branch starts without any force: F = 0 whatever the depth
        s.u[branch] -= w.compliance[base]
        s.slip_fresh[i] = 1
        u = s.u
        call_state(m.compliance, s.t, address(s.q, 0), address(u, 0), address(m.p, 0), address(w.compliance, 0))
    # what the springs hold at once has come from nowhere: zero where the contact is located
    s.ledger[CONTACT_LOSS] -= w.compliance[base + 4]
    m.p[m.memory[i]] = 1.0
    m.p[m.memory[i] + 1] = inverse
    s.modes[i] = PRESSED
    s.inside[i] = 0
    s.gap_fresh[i] = order
    s.turn_sign[i] = 1
    s.pace.step_size = 0.0


@kernel
def release(m: Machine, w: Workspace, s: Motion, i: Integer, inside: Integer, order: Integer) -> None:
    """Contact i carries no force any more; what its springs still hold is lost."""
    s.ledger[CONTACT_LOSS] += w.compliance[i * COMPLIANCE_STRIDE + 4]
    m.p[m.memory[i]] = 0.0
    m.p[m.memory[i] + 1] = 0.0
    if m.branch[i] >= 0:
        s.u[m.branch[i]] = 0.0
    s.modes[i] = OPEN
    s.inside[i] = inside
    s.gap_fresh[i] = order
    # a law whose return is its own force starts there at its root
    s.slip_fresh[i] = 1 if inside and m.may_pull[i] == 2 else 0
    s.pace.step_size = 0.0


@kernel
def cross_gap(m: Machine, w: Workspace, s: Motion, i: Integer, record: Record) -> None:
    """The gap of compliant contact i has been located at zero."""
    rate = gap_rate_of(m, w, i)
    note_speed(m, w, s, i)
    slow = GRAZING_SPEED * s.memory.speed[2 * i]
    if s.modes[i] == OPEN and s.inside[i]:
        s.inside[i] = 0
        s.gap_fresh[i] = 1 if rate > slow else 2
        s.slip_fresh[i] = 0
        return
    before = s.modes[i]
    order = 1
    closes = before == OPEN
    if (rate >= -slow) if closes else (rate <= slow):
        # it only touches zero: what the gap does next is up to its first derivative that is not zero
        order = 2
        closes = bend_ahead(m, w, s, i) < 0.0
    if order == 2 and closes == (before == PRESSED):
        if before == OPEN and s.memory.repeats == 0:
            write_row(m, w, s, i, GRAZING, OPEN, OPEN, record)
        s.gap_fresh[i] = 2
    elif closes:
        approach = remembered_approach(s, i, -rate)
        write_touch(m, w, s, i, approach, record)
        press(m, w, s, i, reciprocal(approach), order)
    else:
        write_row(m, w, s, i, SEPARATE, PRESSED, OPEN, record)
        release(m, w, s, i, 0, order)


@block(i8(machine_record, workspace_record, motion_record, i8, i8, buffer_record))
def compliant_event(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer, record: Record) -> Integer:
    """A guard of compliant contact i has vanished at the state in s; returns 0 or NOT_FINITE."""
    if not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return NOT_FINITE
    if kind == GUARD_GAP:
        cross_gap(m, w, s, i, record)
    elif kind == GUARD_RETURN:
        write_touch(m, w, s, i, 0.0, record)
        press(m, w, s, i, 0.0, 0)
        s.slip_fresh[i] = 1
    elif kind == GUARD_TURN:
        # nothing jumps, but friction depends on |F_N|: the step must end there
        s.turn_sign[i] = -s.turn_sign[i]
        s.slip_fresh[i] = 1
    else:
        write_row(m, w, s, i, SEPARATE, PRESSED, OPEN, record)
        inside = gap_of(m, w, i) < 0.0
        release(m, w, s, i, 1 if inside else 0, 0 if inside else 1)
    s.memory.last_instant = s.t
    return 0


@kernel
def resume(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Go on as the start remembers of contact i; False where its gap says otherwise. Needs ``evaluate_model``."""
    note_speed(m, w, s, i)
    gap, rate, slow = gap_of(m, w, i), gap_rate_of(m, w, i), GRAZING_SPEED * s.memory.speed[2 * i]
    edge = SAME_PLACE * w.size[i]
    force = w.compliance[i * COMPLIANCE_STRIDE]
    if m.p[m.memory[i]] == 1.0:
        if gap > edge:
            return False
        s.modes[i] = PRESSED
        s.slip_fresh[i] = 1 if force == 0.0 else 0
        s.turn_sign[i] = 1 if force >= 0.0 else -1
        if gap >= -edge and rate <= slow:
            s.gap_fresh[i] = 1 if rate < -slow else 2
        return True
    if gap < -edge:
        s.inside[i] = 1
        s.slip_fresh[i] = 1 if m.may_pull[i] == 2 and force == 0.0 else 0
        return m.may_pull[i] > 0
    if gap <= edge:
        s.gap_fresh[i] = 1 if rate > slow else 2
        return rate >= -slow
    return True


@kernel
def begin_unknown(m: Machine, w: Workspace, s: Motion, i: Integer, record: Record) -> None:
    """The mode in which compliant contact i begins where nothing is known of it but the state."""
    gap, rate = gap_of(m, w, i), gap_rate_of(m, w, i)
    s.inside[i] = s.gap_fresh[i] = 0
    note_speed(m, w, s, i)
    if abs(gap) <= START_TOLERANCE * w.size[i]:
        slow = GRAZING_SPEED * s.memory.speed[2 * i]
        if rate < -slow:
            approach = remembered_approach(s, i, -rate)
            write_touch(m, w, s, i, approach, record)
            press(m, w, s, i, reciprocal(approach), 1)
        elif rate > slow:
            s.gap_fresh[i] = 1
        elif bend_ahead(m, w, s, i) < 0.0:
            press(m, w, s, i, 0.0, 2)
        else:
            s.gap_fresh[i] = 2
    elif gap < 0.0:
        force, back = w.compliance[i * COMPLIANCE_STRIDE], w.compliance[i * COMPLIANCE_STRIDE + 5]
        if m.may_pull[i] and not (force > 0.0 or (force == 0.0 and back > 0.0)):
            s.inside[i] = 1
        else:
            # the springs are what the start says they are: nothing is booked, no branch is emptied
            m.p[m.memory[i]] = 1.0
            s.modes[i] = PRESSED
            s.slip_fresh[i] = 1 if force == 0.0 else 0
            s.turn_sign[i] = 1 if force >= 0.0 else -1


@block(i8(machine_record, workspace_record, motion_record, buffer_record))
def start_compliant(m: Machine, w: Workspace, s: Motion, record: Record) -> Integer:
    """The modes in which compliant contacts begin a run; returns 0 or NOT_FINITE.

    A start that another run has left remembers them. Otherwise a contact that is closed at the start has no approach:
    laws that need its speed act without damping until it opens.
    """
    for i in range(m.nc):
        if not m.compliant[i]:
            continue
        if s.brought.remembered:
            if not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
                return NOT_FINITE
            if resume(m, w, s, i):
                continue
        m.p[m.memory[i]] = 0.0
        m.p[m.memory[i] + 1] = 0.0
        s.modes[i] = OPEN
        if not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
            return NOT_FINITE
        begin_unknown(m, w, s, i, record)
    return 0


@kernel
def newly_closed(m: Machine, w: Workspace, s: Motion, i: Integer, before: Real, after: Real) -> Integer:
    """Whether compliant contact i closes between two gaps at the ends of a step."""
    return m.compliant[i] and s.modes[i] == OPEN and not s.inside[i] and before >= 0.0 and after < 0.0


@kernel
def end_gaps(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Gaps at the start and at the end of the step just taken: w.gap and w.gap_ahead."""
    n = m.n
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, n), address(m.p, 0), address(w.gap, 0))
    new = w.new_state
    call_state(m.gaps, s.t + h, address(new, 0), address(new, n), address(m.p, 0), address(w.gap_ahead, 0))


@block(f8(machine_record, workspace_record, motion_record, f8, buffer_record))
def controlled_length(m: Machine, w: Workspace, s: Motion, h: Real, record: Record) -> Real:
    """The length of the step just taken, h, or a shorter one with which it must be repeated (procedure 2)."""
    if m.compliant_contacts == 0 or s.settings.contact_detection != REJECT:
        return h
    end_gaps(m, w, s, h)
    for i in range(m.nc):
        allowed = length_limit(s.settings.penetration_tolerance, w.size[i])
        if newly_closed(m, w, s, i, w.gap[2 * i], w.gap_ahead[2 * i]) and -w.gap_ahead[2 * i] > allowed:
            shortest = SHORTEST_STEP * s.pace.smallest_step
            if h > shortest:
                return max(0.5 * h, shortest)
            record.counter[DEEP_STARTS] += 1
    return h


@block(f8(machine_record, workspace_record, motion_record, f8))
def interpolated_length(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """Procedure 1: replace the step by the straight line to where a gap closes on it; returns its length.

    t_c = t + h g(t)/(g(t) - g(t + h)), and q and u there by the same proportion (Flores & Ambrosio 2010, 9 to 12).
    """
    if m.compliant_contacts == 0 or s.settings.contact_detection != INTERPOLATE:
        return h
    end_gaps(m, w, s, h)
    x = 1.0
    for i in range(m.nc):
        before, after = w.gap[2 * i], w.gap_ahead[2 * i]
        if newly_closed(m, w, s, i, before, after):
            x = min(x, before / (before - after) + BEHIND)
    if x >= 1.0:
        return h
    for k in range(2 * m.n):
        delta = x * (w.new_state[k] - s.z[k])
        w.new_state[k] = s.z[k] + delta
        w.interpolant[0, k] = delta
        for row in range(1, s.settings.rows):
            w.interpolant[row, k] = 0.0
    return x * h


@block(i8(machine_record, workspace_record, motion_record, buffer_record))
def switch_where_steps_end(m: Machine, w: Workspace, s: Motion, record: Record) -> Integer:
    """Without location: touch and separate by what the gaps are now; returns whether anything changed."""
    if m.compliant_contacts == 0 or s.settings.contact_detection == LOCATED:
        return 0
    changed = 0
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if not m.compliant[i]:
            continue
        gap, force = gap_of(m, w, i), w.compliance[i * COMPLIANCE_STRIDE]
        if s.modes[i] == PRESSED:
            if gap >= 0.0 or (m.may_pull[i] and force < 0.0):
                write_row(m, w, s, i, SEPARATE, PRESSED, OPEN, record)
                release(m, w, s, i, 1 if gap < 0.0 else 0, 0)
                changed = 1
        elif gap >= 0.0:
            s.inside[i] = 0
        elif not s.inside[i] or w.compliance[i * COMPLIANCE_STRIDE + 5] > 0.0:
            note_speed(m, w, s, i)
            approach = remembered_approach(s, i, -gap_rate_of(m, w, i))
            write_touch(m, w, s, i, approach, record)
            press(m, w, s, i, reciprocal(approach), 0)
            changed = 1
    return changed

"""Resets: maps of the user's that change the state at an instant (model/resets.py).

A reset is triggered where its guard vanishes in its direction, or by an event of its contact. All resets that are
triggered at one instant and whose conditions hold are one map: conditions and right sides are evaluated together, with
the state before, and then assigned; where two assign the same symbol the later one counts. Behind the map the contacts
are judged again (engine/instant.py, RESET): what touches and approaches collides, what does not touch any more is open.
The events of that may trigger resets in turn: the next round. Rounds without end are a status of their own.

The energy that a round gives is T + V, with the springs of pressed contacts, behind it minus that before it.
"""

import math

from jounce.kernels.contact.compliant import start_compliant
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.engine.instant import instant
from jounce.kernels.engine.rebounds import ACCUMULATED
from jounce.kernels.engine.switches import ask_switches
from jounce.kernels.engine.unfelt import keep_felt
from jounce.kernels.events.guard_noise import add_rounding
from jounce.kernels.events.guards_at_contact import forget_sizes
from jounce.kernels.events.user_guards import side_of_guard, start_sign
from jounce.kernels.flow.accept import store_state
from jounce.kernels.records.codes import (
    AT_START,
    AT_SWITCH,
    ENDLESS_RESETS,
    LIFT_OFF,
    OPEN,
    PRESSED,
    REFUSED_INSIDE,
    REFUSED_JOINT,
    REFUSED_NOT_FINITE,
    RESET,
    RESET_EVENT,
    RESET_REFUSED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import ENERGY_LOSS, REGION, add_event, buffer_record
from jounce.kernels.records.scales import note_sizes, note_state
from jounce.kernels.records.tolerances import (
    BARELY_AWAY,
    CONTRADICTS,
    MOST_ROUNDS,
    RESET_JOINT,
    START_TOLERANCE,
    TIME_ROUNDING,
)
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, JOINT_STRIDE, machine_record, workspace_record
from jounce.kernels.tangent.variation import call_pass_instant, call_pass_reset, motion_at, variation_at
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, copy_record, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def publish_states(m: Machine, record: Record) -> None:
    """Let the record of steps know the discrete states."""
    record.state_count = m.nd
    for k in range(m.nd):
        record.states[k] = m.p[m.states + k]


@kernel
def forget_happened(m: Machine, record: Record) -> None:
    """An instant begins: no contact has had an event at it."""
    if m.nr > 0:
        for i in range(m.nc):
            record.happened[i] = 0


@kernel
def trigger_by_guard(m: Machine, s: Motion, index: Integer, sign: Integer) -> None:
    """Mark the resets of user guard ``index``, which has vanished; with sign +1 it was positive, so it decreases."""
    for r in range(m.nr):
        if m.reset_guard[r] == index and m.reset_direction[r] != sign:
            s.event.triggered |= 1 << r


@kernel
def trigger_by_contacts(m: Machine, s: Motion, record: Record) -> None:
    """Mark the resets of the events that contacts have had at this instant."""
    for r in range(m.nr):
        i = m.reset_contact[r]
        if i >= 0 and (record.happened[i] >> m.reset_kind[r]) & 1:
            s.event.triggered |= 1 << r


@kernel
def trigger_at_start(m: Machine, s: Motion) -> None:
    """Mark the resets of the beginning of a run."""
    for r in range(m.nr):
        if m.reset_contact[r] == AT_START or m.reset_contact[r] == AT_SWITCH:
            s.event.triggered |= 1 << r


@kernel
def find_due(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Evaluate all resets at the present state; True if one that is triggered happens: those are in s.event.applied."""
    s.event.applied = 0
    if s.event.triggered != 0:
        call_state(m.resets, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.reset_out, 0))
        for r in range(m.nr):
            if (s.event.triggered >> r) & 1 and w.reset_out[1 + r] != 0.0:
                s.event.applied |= 1 << r
        s.event.triggered = 0
    return s.event.applied != 0


@kernel
def contacts_reset(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """Whether events of contacts at this instant have resets that happen: those are in s.event.applied."""
    if m.nr == 0:
        return False
    trigger_by_contacts(m, s, record)
    return find_due(m, w, s)


@kernel
def spring_energy(m: Machine, w: Workspace, s: Motion) -> Real:
    """The energy in the springs of pressed contacts."""
    total = 0.0
    if m.compliant_contacts > 0:
        call_state(m.compliance, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.compliance, 0))
        for i in range(m.nc):
            if s.modes[i] == PRESSED:
                total += w.compliance[i * COMPLIANCE_STRIDE + 4]
    return total


@kernel
def assign(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """The right sides in w.reset_out into the state; False where one is not finite."""
    for r in range(m.nr):
        if not (s.event.applied >> r) & 1:
            continue
        for a in range(m.reset_first[r], m.reset_first[r + 1]):
            value, target = w.reset_out[1 + m.nr + a], m.reset_target[a]
            if not abs(value) < math.inf:
                s.report.failed_reset, s.report.reset_refusal = r, REFUSED_NOT_FINITE
                return False
            if target < m.n:
                s.q[target] = value
            elif target < 2 * m.n:
                s.u[target - m.n] = value
            else:
                m.p[m.states + target - 2 * m.n] = value
    store_state(m, s)
    publish_states(m, record)
    note_state(m, w, s, s.z)
    note_sizes(m, w, s.t, s.z)
    return True


@kernel
def write_rows(m: Machine, s: Motion, gain: Real, record: Record) -> None:
    """A row for each reset of the round; the energy stands in the first."""
    s.reset_work += gain
    for r in range(m.nr):
        if (s.event.applied >> r) & 1:
            row = add_event(record, s.t, RESET_EVENT, -1, -1, r)
            if record.watch_kind == RESET_EVENT + 1 and record.watch_contact == r:
                record.seen = 1
            if row >= 0:
                record.event_integer[row, REGION] = r
                record.event_float[row, ENERGY_LOSS] = -gain
            gain = 0.0


@kernel
def leave_contacts(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """Rigid contacts that do not touch behind a round are open; False where one is inside its surface."""
    if m.nc == 0:
        return True
    call_state(m.gaps, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.gap, 0))
    for i in range(m.nc):
        if m.compliant[i]:
            continue
        gap, limit = w.gap[2 * i], START_TOLERANCE * w.size[i]
        if not gap >= -limit:
            s.report.failed_place, s.report.reset_refusal = i, REFUSED_INSIDE
            return False
        if constrains(s.modes[i]) and gap > limit:
            add_event(record, s.t, LIFT_OFF, i, s.modes[i], OPEN)
            s.modes[i] = OPEN
    return True


@kernel
def keeps_joints(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether the joints are closed behind a round, and stay so."""
    if m.nj == 0:
        return True
    n = m.n
    call_state(m.joints, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.joint, 0))
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + n)
        length = speed = 0.0
        for j in range(n):
            length += abs(w.joint[base + JOINT_STRIDE + j]) * w.scale[j]
            speed += abs(w.joint[base + JOINT_STRIDE + j]) * w.scale[n + j]
        closed = abs(w.joint[base]) <= RESET_JOINT * (length + w.size[m.nc + k])
        if not (closed and abs(w.joint[base + 1]) <= RESET_JOINT * speed):
            s.report.failed_place, s.report.reset_refusal = k, REFUSED_JOINT
            return False
    return True


@kernel
def round_guards(m: Machine, w: Workspace, s: Motion) -> None:
    """The rounding of the user's guards at the present state into w.user_noise, their values into w.user."""
    for j in range(2 * m.n):
        w.point[j] = s.z[j]
        w.state_size[j] = max(w.contact_size[j], abs(s.z[j]))
    for k in range(m.ng):
        w.user_noise[k] = 0.0
    add_rounding(m, w, s.t, w.user_noise)


@kernel
def accumulate(m: Machine, w: Workspace, s: Motion, index: Integer, since: Real, largest: Real) -> Truth:
    """Whether the resets of user guard ``index`` may have no end: they come sooner each time, and hardly leave it.

    A ball that bounces by a reset does so; below what its guard is known to no bounce could be told from rest. One
    reset that comes sooner than that before it says nothing: a guard that just passes zero and returns has such a pair.
    Nor could resets be told apart that follow one another in less than the rounding of the time: of two tanks that are
    filled in turn each is left by an ever smaller level, which is known to all its digits.
    since, largest   the time since the guard vanished last, and its largest value since then
    """
    sooner = since < s.memory.user_wait[index] < math.inf or since == 0.0
    s.memory.user_wait[index] = since
    s.memory.user_sooner[index] = s.memory.user_sooner[index] + 1 if sooner else 0
    if s.memory.user_sooner[index] < 2:
        return False
    if since <= max(TIME_ROUNDING * abs(s.epoch + s.t), s.pace.smallest_step):
        return True
    round_guards(m, w, s)
    limit = max(w.user_noise[index], w.user_limit[index] if w.limits_known else 0.0)
    return largest <= BARELY_AWAY * limit


@kernel
def reset_moves(m: Machine, w: Workspace, s: Motion, r: Integer) -> Truth:
    """Whether reset r, whose right sides are in w.reset_out, changes more than goes to zero with a rebound."""
    n = m.n
    for a in range(m.reset_first[r], m.reset_first[r + 1]):
        value, target = w.reset_out[1 + m.nr + a], m.reset_target[a]
        if target < 2 * n:
            now = s.q[target] if target < n else s.u[target - n]
            if abs(value - now) > CONTRADICTS * w.scale[target]:
                return True
        elif value != m.p[m.states + target - 2 * n] and m.state_read[target - 2 * n]:
            return True
    return False


@kernel
def asks_switches(m: Machine, r: Integer) -> Truth:
    """Whether reset r assigns sides of switches and nothing else: behind an impact they follow from the state."""
    for a in range(m.reset_first[r], m.reset_first[r + 1]):
        side = False
        for other in range(m.nr):
            side = side or (
                m.reset_contact[other] == AT_SWITCH and m.reset_target[m.reset_first[other]] == m.reset_target[a]
            )
        if not side:
            return False
    return True


@kernel
def resets_have_no_limit(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a reset of s.event.applied has happened at each impact of an accumulation, and goes on to change things.

    There are infinitely many of these impacts. What a reset adds that does not go to zero with their speeds has no sum:
    a side that changes at each is neither one nor the other behind them, and rounding would choose. The side of a
    switch is asked of the state behind them, whatever it was at each.
    """
    for r in range(m.nr):
        i = m.reset_contact[r]
        counts = (s.event.applied >> r) & 1 and i >= 0 and s.choice.struck[i] == ACCUMULATED
        if counts and not asks_switches(m, r) and reset_moves(m, w, s, r):
            s.report.failed_reset = r
            return True
    return False


@kernel
def restart_guards(m: Machine, w: Workspace, s: Motion) -> None:
    """User guards behind a round: one that is zero to its rounding starts there, the others have their sign.

    One that has just vanished and has not changed starts at its root too, which is known less well than its rounding.
    """
    if m.ng == 0:
        return
    round_guards(m, w, s)
    for k in range(m.ng):
        value, noise = w.user[k], w.user_noise[k]
        unchanged = s.user_fresh[k] != 0 and abs(value - w.user_before[k]) <= noise
        s.user_fresh[k] = 1 if unchanged or abs(value) <= noise else 0
        if not unchanged or side_of_guard(m, k) != 0:
            s.user_sign[k] = start_sign(m, k, value)
    forget_sizes(m, w)


@kernel
def first_applied(m: Machine, s: Motion) -> Integer:
    """The first reset of the round."""
    for r in range(m.nr):
        if (s.event.applied >> r) & 1:
            return r
    return -1


@kernel
def note_modes(m: Machine, s: Motion) -> None:
    """The modes as they are, beside the perturbations."""
    v = variation_at(s.settings.variation)
    for i in range(m.nc):
        v.modes[i] = s.modes[i]


@kernel
def forget_changed(m: Machine, s: Motion) -> None:
    """A map that presses or lets go a compliant contact makes two events at one instant: no common derivative."""
    v = variation_at(s.settings.variation)
    for i in range(m.nc):
        if m.compliant[i] and s.modes[i] != v.modes[i]:
            v.irregular += 1
            for column in range(v.count):
                v.remembered[column, i] = 0.0


@kernel
def take_round(m: Machine, w: Workspace, s: Motion, jump: Integer, record: Record) -> Integer:
    """The map of one round; returns 0 or a status."""
    if s.settings.variation:
        call_pass_reset(variation_at(s.settings.variation).pass_reset, m, w, s, jump)
    before = w.reset_out[0] + spring_energy(m, w, s)
    if m.ng > 0:
        call_state(m.guards, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.user_before, 0))
    s.report.failed_reset = first_applied(m, s)
    if not assign(m, w, s, record):
        return RESET_REFUSED
    if m.compliant_contacts > 0:
        s.brought.remembered = 1
        if s.settings.variation:
            note_modes(m, s)
        status = start_compliant(m, w, s, record)
        if status != 0:
            return status
        if s.settings.variation:
            forget_changed(m, s)
    call_state(m.resets, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.reset_out, 0))
    write_rows(m, s, w.reset_out[0] + spring_energy(m, w, s) - before, record)
    if not (leave_contacts(m, w, s, record) and keeps_joints(m, w, s)):
        return RESET_REFUSED
    return 0


@block(i8(machine_record, workspace_record, motion_record, i8, f8, buffer_record))
def follow_resets(m: Machine, w: Workspace, s: Motion, jump: Integer, latest: Real, record: Record) -> Integer:
    """The resets in s.event.applied and all that follow from them at this instant; returns 0 or a status.

    ``jump`` says how the instant began, as in ``instant``: at a START or a change of parameters no perturbation has
    been moved to the event yet.
    """
    for _ in range(MOST_ROUNDS):
        asks = jump != 0 or m.compliant_contacts > 0 or m.loaded > 0 or m.faces != 0 or s.settings.variation != 0
        if not asks:
            keep_felt(m, w, s)
        status = take_round(m, w, s, jump if s.memory.rounds == 0 else 0, record)
        if status != 0:
            return status
        s.memory.rounds += 1
        s.event.guard_kind = -1
        if s.settings.variation:
            copy_record(motion_at(variation_at(s.settings.variation).before), s)
        forget_happened(m, record)
        if not asks and keep_felt(m, w, s):
            w.mode_known = w.terms_known = w.leaves = 0  # other forces than those of contacts may have changed
        else:
            status = instant(m, w, s, -1, RESET, latest, record)
            store_state(m, s)
            if status != 0:
                return status
            trigger_by_contacts(m, s, record)
        ask_switches(m, w, s, record)
        if s.settings.variation:
            call_pass_instant(variation_at(s.settings.variation).pass_instant, m, w, s, -1, RESET, latest, record)
        restart_guards(m, w, s)
        if not find_due(m, w, s):
            return 0
        if record.lost:
            break
    s.report.failed_reset = first_applied(m, s)
    return ENDLESS_RESETS

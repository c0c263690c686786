"""The loop: flow -> event -> jump -> next mode.

Each turn takes one Runge-Kutta step, scans the guards along its interpolant, and either accepts the step whole or cuts
it at the first guard that vanishes and hands the instant over. It returns to Python only to have its buffers emptied,
to show progress, or at the end.
"""

import math

from jounce.kernels.contact.compliant import switch_where_steps_end
from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.engine.contact_events import (
    at_compliant_event,
    at_rigid_event,
    glue_at_forces,
    rest_until,
    resting,
    shift_load,
)
from jounce.kernels.engine.leaps import hold_before_leaps, judge_behind_leaps, move_behind
from jounce.kernels.engine.progress import RETURN_FINISHED, must_return, note_progress, without_progress
from jounce.kernels.engine.resets import (
    accumulate,
    contacts_reset,
    find_due,
    first_applied,
    forget_happened,
    trigger_by_guard,
)
from jounce.kernels.engine.start import (
    apply_schedule,
    begin_instant,
    begin_resets,
    next_stop,
    note_sides,
    start,
    start_at_guards,
)
from jounce.kernels.engine.switches import ask_switches, meet_accumulated, meet_surfaces, slide_at_limit
from jounce.kernels.engine.turns import turn_angles, turn_time
from jounce.kernels.events.guards_at_contact import REPORT, mark_vanished, start_marked
from jounce.kernels.flow.accept import store_state
from jounce.kernels.flow.flight import NO_CONTACT
from jounce.kernels.flow.next_event import FAILED, to_next_event
from jounce.kernels.flow.sides import release_sides
from jounce.kernels.records.codes import (
    AT_REST,
    BUFFERS_FULL,
    ENDLESS_RESETS,
    FINISHED,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_SHIFT,
    GUARD_USER,
    LEAP,
    NOT_FINITE,
    PAUSED,
    RESET,
    SIDE_PASSED,
    STEP_UNDERFLOW,
    STOPPED,
    SURFACE_LEAP,
    USER,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import (
    REGION,
    TURNS,
    add_event,
    buffer_record,
)
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.kernels.tangent.variation import (
    call_shift_to_leap,
    variation_at,
)
from jounce.toolchain.abi import f8, i8, pointer
from jounce.toolchain.jit import block, call_at, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

LOOP = i8(machine_record, workspace_record, motion_record, pointer, i8, buffer_record)


call_loop = call_at(LOOP)


@kernel
def user_event(m: Machine, w: Workspace, s: Motion, index: Integer, sign: Integer, record: Record) -> Truth:
    """A user guard has vanished; True if the run is to stop there. A crossing in the unwanted direction is passed over.

    Directions: +1 increasing, -1 decreasing, 0 both; a guard with sign +1 was positive, so it decreases.
    """
    direction = s.settings.user_direction[index]
    s.user_fresh[index] = 1
    s.user_sign[index] = -sign
    s.memory.user_time[index] = s.epoch + s.t
    w.user_largest[index] = 0.0
    if m.nr > 0:
        trigger_by_guard(m, s, index, sign)
    if m.guard_hidden[index] or (direction != 0 and direction == sign):
        return False
    row = add_event(record, s.t, USER, -1, -1, -1)
    if row >= 0:
        record.event_integer[row, REGION] = index
    if s.settings.user_stops[index]:
        s.report.stopped_by = index
    return s.settings.user_stops[index] == 1


@kernel
def guards_at_contact(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """Rows of the user's guards that vanish where a contact's event is about to happen; True if the run stops there."""
    stops = False
    if mark_vanished(m, w, s, -1) > 0:
        for k in range(m.ng):
            if s.user_meets[k] == REPORT and user_event(m, w, s, k, s.user_sign[k], record):
                stops = True
    return stops


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def at_user_guard(
    m: Machine, w: Workspace, s: Motion, index: Integer, sign: Integer, latest: Real, record: Record
) -> Integer:
    """User guard ``index`` has vanished; returns a status.

    Others that vanish with it count too if the state jumps, or if the contacts are judged again.
    """
    if slide_at_limit(m, w, s, index, record):
        return 0
    since, largest = s.epoch + s.t - s.memory.user_time[index], w.user_largest[index]
    stops, leaps = user_event(m, w, s, index, sign, record), m.guard_kink[index] >= LEAP
    asked = leaps and count_closed(s.modes, m.nc) > 0
    if leaps and s.settings.variation:
        call_shift_to_leap(variation_at(s.settings.variation).shift_to_leap, m, w, s, index, sign)
        if not asked:
            glue_at_forces(m, w, s, False)
    if leaps:
        ask_switches(m, w, s, record)
    if asked or s.event.triggered != 0:
        mark_vanished(m, w, s, index)
        others = False  # the step has ended behind the border of guard ``index``, but they may lie ahead
        for k in range(m.ng):
            if k != index and s.user_meets[k] == REPORT:
                others = True
                stops = user_event(m, w, s, k, s.user_sign[k], record) or stops
        if others:
            move_behind(m, w, s, latest)
        for k in range(m.ng):
            s.user_meets[k] = 0
        meet_surfaces(m, w, s, record)
        if find_due(m, w, s):
            endless, first = accumulate(m, w, s, index, since, largest), first_applied(m, s)
            if endless:
                meet_accumulated(m, s, index)
                find_due(m, w, s)
            s.event.guard_kind, s.event.guard_contact = GUARD_USER, index
            status = begin_resets(m, w, s, latest, record)
            if status != 0:
                return status
            if endless and s.user_fresh[index]:  # a map that takes the guard away from zero ends the sequence
                s.report.failed_reset = first
                return ENDLESS_RESETS
            if asked and s.settings.variation:
                variation_at(s.settings.variation).irregular += 1
            asked = False  # behind resets the contacts have been judged
    if asked:
        # finite forces have changed: whether the contacts keep their mode is asked again
        status = begin_instant(m, w, s, -1, RESET, latest, record)
        if status != 0:
            return status
        if s.settings.variation:
            if m.guard_kink[index] == SURFACE_LEAP:
                variation_at(s.settings.variation).irregular += 1  # contacts may have collided
            glue_at_forces(m, w, s, True)
    return STOPPED if stops else 0


@kernel
def keep_sides(m: Machine, s: Motion) -> None:
    """Where every guard is before parameters change: one that is zero there has its event behind the change."""
    for k in range(m.ng):
        s.brought.sides[k] = SIDE_PASSED if s.user_fresh[k] else s.user_sign[k]


@kernel
def events_at_start(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """The events of guards that the run before, or the time up to a change of parameters, has ended just short of.

    What one of them makes of the sides of switches counts for the others. Returns a status.
    """
    due = start_at_guards(m, w, s)
    for k in range(m.ng if due else 0):
        side = s.brought.sides[k]
        note_sides(m, s)
        if (due >> k) & 1 and s.brought.sides[k] == side:
            s.user_fresh[k] = 0  # its side is remembered, not asked for at this instant
            status = at_user_guard(m, w, s, k, side, latest, record)
            if status != 0:
                return status
    return 0


@kernel
def resets_at_contact(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """Resets of user guards that vanish at a contact's event come first; the contacts are judged behind them.

    Two events at one instant have no common derivative.
    """
    s.event.guard_kind = GUARD_USER
    for k in range(m.ng):
        if s.user_meets[k] == REPORT:
            s.event.guard_contact = k
    if s.settings.variation:
        variation_at(s.settings.variation).irregular += 1
    return begin_resets(m, w, s, latest, record)


@kernel
def at_contact(
    m: Machine,
    w: Workspace,
    s: Motion,
    kind: Integer,
    hit: Integer,
    closed: Integer,
    latest: Real,
    rows: Integer,
    record: Record,
) -> Integer:
    """The guard of a contact, or of them all together, has vanished, and what jumps with it; returns a status."""
    passed = hold_before_leaps(m, w, s)
    if s.event.triggered != 0 and find_due(m, w, s):
        status = resets_at_contact(m, w, s, latest, record)
    elif kind == GUARD_SHIFT:
        shift_load(m, w, s, hit)
        status = 0
    elif kind != GUARD_JAM and m.compliant[hit]:
        status = at_compliant_event(m, w, s, kind, hit, closed, latest, record)
    else:
        status = at_rigid_event(m, w, s, kind, hit, latest, rows, record)
    release_sides(m)
    return status if status != 0 or not passed else judge_behind_leaps(m, w, s, latest, record)


@kernel
def at_step_end(
    m: Machine, w: Workspace, s: Motion, closed: Integer, latest: Real, schedule: Reals, rows: Integer, record: Record
) -> tuple[Integer, Integer]:
    """What is due where a step ends without an event; returns (status, whether anything has changed)."""
    due = s.t >= latest and latest < s.settings.t_end - s.epoch
    forget_happened(m, record)
    switched = switch_where_steps_end(m, w, s, record)
    if due:
        keep_sides(m, s)
        apply_schedule(m, s, schedule, rows, record)
    if switched:
        store_state(m, s)
    status = 0
    if switched and contacts_reset(m, w, s, record):
        return begin_resets(m, w, s, next_stop(s, schedule, rows), record), True
    if due or (switched and closed > 0):
        status = begin_instant(m, w, s, -1, RESET, next_stop(s, schedule, rows), record)
    if due and status == 0 and m.ng > 0:
        status = events_at_start(m, w, s, next_stop(s, schedule, rows), record)
    return status, due or switched


@block(LOOP)
def loop(m: Machine, w: Workspace, s: Motion, schedule: Reals, rows: Integer, record: Record) -> Integer:
    """``run_machine`` for any machine; also what is compiled anew for one machine alone."""
    steps, after_jump, s.pace.stage_known, w.terms_known = 0, 1, 0, 0
    if s.started and s.pace.paused:
        after_jump = s.pace.after_jump
    else:
        w.leaves = 0
    w.lands, w.landed, s.pace.paused = 0, 0, 0
    pause = s.memory.effort + s.settings.pause_effort
    if not s.started:
        status = start(m, w, s, schedule, rows, record)
        if status == 0 and m.ng > 0:
            status = events_at_start(m, w, s, next_stop(s, schedule, rows), record)
        if status != 0:
            return status
    closed = count_closed(s.modes, m.nc)
    if resting(m, w, s, closed, rows):
        rest_until(m, w, s, closed, record)
        return AT_REST
    while True:
        status = must_return(s, record, steps, pause)
        if status != 0:
            if status == PAUSED or status == BUFFERS_FULL:
                s.pace.paused, s.pace.after_jump = 1, after_jump
            return FINISHED if status == RETURN_FINISHED else status
        steps += 1
        record.counter[TURNS] += 1
        turn_time(s, record)
        turn_angles(m, s, record)
        latest = next_stop(s, schedule, rows)
        if not s.pace.stage_known:
            derivative(m, w, s.t, s.z, s.modes, closed, 0)
        kind, hit, sign = GUARD_GAP, NO_CONTACT, 1
        if s.t < latest:  # not so where what was left of a whole period has gone with the rounding of epoch + t
            kind, hit, sign = to_next_event(m, w, s, closed, after_jump, latest, record)
        after_jump = 1 if hit >= 0 else 0
        if hit == FAILED:
            return NOT_FINITE if math.isnan(s.event.event_x) else STEP_UNDERFLOW
        if hit == NO_CONTACT:
            status, changed = at_step_end(m, w, s, closed, latest, schedule, rows, record)
            if changed:
                after_jump, s.pace.stage_known = 1, 0
        else:
            s.pace.stage_known = 0
            if not note_progress(m, w, s, kind, hit):
                return without_progress(m, w, s, kind)
            if kind == GUARD_USER:
                status = at_user_guard(m, w, s, hit, sign, latest, record)
            elif m.ng > 0 and guards_at_contact(m, w, s, record):
                return STOPPED
            else:
                status = at_contact(m, w, s, kind, hit, closed, latest, rows, record)
        if status != 0:
            return status
        closed = count_closed(s.modes, m.nc)
        if m.ng > 0 and hit >= 0 and kind != GUARD_USER:
            start_marked(m, w, s)


@block(i8(machine_record, workspace_record, motion_record, pointer, i8, buffer_record))
def change_now(m: Machine, w: Workspace, s: Motion, schedule: Reals, rows: Integer, record: Record) -> Integer:
    """The schedule rows that are due at the very time at which the run has stopped, for those who write them there."""
    if s.schedule_position >= rows or schedule[3 * s.schedule_position] - s.epoch > s.t:
        return 0
    keep_sides(m, s)
    apply_schedule(m, s, schedule, rows, record)
    status = begin_instant(m, w, s, -1, RESET, next_stop(s, schedule, rows), record)
    if status == 0 and m.ng > 0:
        status = events_at_start(m, w, s, next_stop(s, schedule, rows), record)
    return status


@block(LOOP)
def run_machine(m: Machine, w: Workspace, s: Motion, schedule: Reals, rows: Integer, record: Record) -> Integer:
    """Advance until the end, a full buffer or a pause; returns a status code. The schedule has ``rows`` rows."""
    if m.own_loop != 0:
        return call_loop(m.own_loop, m, w, s, schedule, rows, record)
    return loop(m, w, s, schedule, rows, record)

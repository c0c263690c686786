"""The loop: flow -> event -> jump -> next mode.

Each turn takes one Runge-Kutta step, scans the guards along its interpolant, and either accepts the step whole or cuts
it at the first guard that vanishes and hands the instant over. It returns to Python only to have its buffers emptied,
to show progress, or at the end.
"""

import math

from jounce.kernels.contact.compliant import compliant_event, switch_where_steps_end
from jounce.kernels.contact.faces import is_over_polygon
from jounce.kernels.contact.forces import derivative, evaluate_model, solve_mode
from jounce.kernels.contact.loads import other_part
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.orders import encode_orders
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.unknowns import constrains, slide_sign, sliding_friction
from jounce.kernels.engine.instant import JUMP, MODE_CHANGE, RESET, joint_jams
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
    pass_resets,
    start,
    start_at_guards,
)
from jounce.kernels.engine.switches import ask_switches, meet_accumulated, meet_surfaces, slide_at_limit
from jounce.kernels.engine.turns import turn_angles, turn_time
from jounce.kernels.events.guards_at_contact import REPORT, mark_vanished, start_marked
from jounce.kernels.flow.accept import store_state
from jounce.kernels.flow.flight import NO_CONTACT
from jounce.kernels.flow.next_event import FAILED, to_next_event
from jounce.kernels.flow.singular_point import reach_singular_point
from jounce.kernels.flow.stepping import integrate_powers
from jounce.kernels.impact.resolve import SURFACE_WORK, prepare_impacts
from jounce.kernels.records.codes import (
    AT_REST,
    BUFFERS_FULL,
    ENDLESS_RESETS,
    FINISHED,
    GAP_JUMPS,
    GUARD_END,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_SHIFT,
    GUARD_SLIP,
    GUARD_TURN,
    GUARD_USER,
    LEAP,
    NO_PROGRESS,
    NOT_FINITE,
    OPEN,
    PARADOX_STOP,
    PAUSED,
    SIDE_PASSED,
    STEP_UNDERFLOW,
    STICK,
    STOPPED,
    SURFACE_LEAP,
    TOO_MANY_EVENTS,
    TOO_MANY_STEPS,
    USER,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import TRIED_LIMIT, motion_record
from jounce.kernels.records.recording import (
    EVENT_CAPACITY,
    EVENTS_STORED,
    EVENTS_TOTAL,
    REGION,
    STEP_CAPACITY,
    STEPS_STORED,
    TURNS,
    add_event,
    add_step,
    buffer_record,
)
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.scales import share, whole_acceleration
from jounce.kernels.records.tolerances import (
    GRAZING_SPEED,
    NEGLIGIBLE,
    ON_SURFACE,
    PARADOX_LIMIT,
    PROGRESS,
    REPEAT_LIMIT,
    REST_ACCELERATION,
    REST_SPEED,
    RETURN_TIME,
    SEQUENTIAL_LIMIT,
    START_TOLERANCE,
)
from jounce.kernels.records.workspace import MAX_CLOSED, MAX_CONTACTS, machine_record, workspace_record
from jounce.kernels.tangent.variation import (
    call_glue,
    call_pass_compliant,
    call_shift_to_event,
    call_shift_to_leap,
    variation_at,
)
from jounce.toolchain.abi import f8, i8, pointer
from jounce.toolchain.jit import address, block, call_at, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

# Rows kept free in the event buffer: more than an instant without resets can write. Each of its rounds of impacts may
# end with a joint one, and each contact may have a chatter or a grazing and a change of mode. Rounds of resets may
# write more; where rows are lost the run ends.
EVENT_MARGIN = PARADOX_LIMIT * (SEQUENTIAL_LIMIT + MAX_CLOSED) + 3 * MAX_CONTACTS
RETURN_FINISHED = 99
LOOP = i8(machine_record, workspace_record, motion_record, pointer, i8, buffer_record)
call_loop = call_at(LOOP)


@kernel
def resting(m: Machine, w: Workspace, s: Motion, closed: Integer, rows: Integer) -> Truth:
    """Whether nothing will move any more: an autonomous model, no velocity, no acceleration, nothing that varies."""
    if s.settings.variation or not s.settings.autonomous or s.schedule_position < rows or closed + m.nj == 0:
        return False
    for j in range(m.n):
        if abs(s.u[j]) > REST_SPEED * max(w.reference[m.n + j], share(w.whole[1], w.start_mass[j])):
            return False
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    solve_mode(m, w, address(s.modes, 0))
    whole = whole_acceleration(m, w)
    for j in range(m.n):
        free = share(whole, w.mass[j * m.mass_step])
        if not abs(w.acceleration[j]) <= REST_ACCELERATION * free:
            return False
    return True


@kernel
def rest_until(m: Machine, w: Workspace, s: Motion, closed: Integer, record: Record) -> None:
    """One constant step to the end."""
    rows = s.settings.rows
    for i in range(m.nc):
        # what touches stays where it is, even where the others could carry everything
        if s.modes[i] == OPEN and s.choice.candidate[i] and m.has_slip[i]:
            s.modes[i] = STICK
    s.report.open_forces = 1 if closed > 0 and solve_mode(m, w, address(s.modes, 0)) == 0.0 else 0
    length = s.settings.t_end - s.epoch - s.t
    for row in range(rows):
        for k in range(2 * m.n):
            w.interpolant[row, k] = 0.0
    if length > 0.0:
        encode_orders(m, s, record.orders)
        add_step(record, s.t, length, s.modes, m.nc, m.n, s.z, w.interpolant, rows, s.ledger)
        integrate_powers(m, w, s, s.t, length, 1.0, closed)
    s.t = s.settings.t_end - s.epoch


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


@kernel
def glue_at_forces(m: Machine, w: Workspace, s: Motion, asked: Truth) -> None:
    """Columns behind an instant at which forces have jumped; ``asked``: contacts were, and resets may have followed.

    A jump of forces and a reset at one instant have no common derivative.
    """
    v = variation_at(s.settings.variation)
    if asked and m.nr > 0 and s.memory.rounds > 0:
        v.irregular += 1
        return
    call_glue(v.glue, m, w, s, 1)


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
        for k in range(m.ng):
            if k != index and s.user_meets[k] == REPORT and user_event(m, w, s, k, s.user_sign[k], record):
                stops = True
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
def without_progress(m: Machine, w: Workspace, s: Motion, kind: Integer) -> Integer:
    """The status of a run whose events follow one another without time passing."""
    if m.nr > 0 and s.memory.rounds > 0:
        return ENDLESS_RESETS
    return PARADOX_STOP if kind == GUARD_JAM or near_singular(m, w, s) else NO_PROGRESS


@kernel
def falls_back(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer) -> Truth:
    """Whether contact i, which has left without velocity, closes again at once and without any: that is rounding."""
    if kind != GUARD_GAP or not s.released[i] or s.t - s.memory.last_instant > RETURN_TIME * s.pace.smallest_step:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * i + 1] >= -GRAZING_SPEED * s.memory.speed[2 * i]


@kernel
def note_progress(m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer) -> Truth:
    """Count instants that follow one another without time passing; False when there are too many."""
    if falls_back(m, w, s, kind, hit):
        s.memory.repeats += 1
    elif s.t - s.memory.last_instant > PROGRESS * abs(s.t) + 10.0 * s.pace.smallest_step + 1e-9 * s.pace.reach:
        s.memory.repeats = 0
        s.choice.tried_count = 0
    else:
        s.memory.repeats += 1
    return s.memory.repeats < REPEAT_LIMIT and s.choice.tried_count < TRIED_LIMIT


@kernel
def stop_slip(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """A slip velocity has been located at zero: make it zero, so that the next mode starts from rest."""
    for k in range(m.nc):
        s.choice.trial[k] = s.modes[k]
    s.choice.trial[i] = STICK
    project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
    s.ledger[SURFACE_WORK] += w.projection_work
    store_state(m, s)


@kernel
def still_slips(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether the slip of contact i, located at zero, has its sign still on the constraints, where nothing stops it.

    The other constraints leave it no freedom: it is a small part k of a velocity that a step knows to an error d, and
    seems to vanish where the velocity is d/k, as that of the corner about which a box turns. Where no time has passed
    since the last such place it has vanished, to the rounding of the time.
    """
    if s.memory.repeats > 0:
        return False
    call_state(m.contacts, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.contact, 0))
    slip = slide_sign(s.modes[i]) * w.contact[contact_place(m, i) + 2]
    return slip > NEGLIGIBLE * max(s.memory.speed[2 * i + 1], w.size[m.nc + m.nj + m.ng + i])


@kernel
def must_return(s: Motion, record: Record, steps: Integer, pause: Integer) -> Integer:
    """0 to go on, else the status with which the loop returns to Python before the next step."""
    if s.t >= s.settings.t_end - s.epoch:
        return RETURN_FINISHED
    if record.lost:
        return NO_PROGRESS
    if record.keep_events and record.counter[EVENTS_STORED] > EVENT_CAPACITY - EVENT_MARGIN:
        return BUFFERS_FULL
    if record.keep_steps and record.counter[STEPS_STORED] >= STEP_CAPACITY - 2:
        return BUFFERS_FULL
    if record.counter[EVENTS_TOTAL] >= s.settings.max_events:
        return TOO_MANY_EVENTS
    if record.counter[TURNS] >= s.settings.max_steps:
        return TOO_MANY_STEPS
    return PAUSED if steps >= s.settings.pause_steps or s.memory.effort >= pause else 0


@kernel
def near_singular(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a touching contact sits at C - s mu B = 0, the singular point of sliding (Génot & Brogliato 1999)."""
    if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    for i in range(m.nc):
        if m.has_slip[i] and (s.choice.touching[i] or constrains(s.modes[i])):
            sign = 1.0 if w.velocity[2 * i + 1] > 0.0 else -1.0
            mu = sliding_friction(w.surface, i, sign)
            value = w.delassus[2 * i, 2 * i] - sign * mu * w.delassus[2 * i, 2 * i + 1]
            if abs(value) < 1e-6 * w.delassus[2 * i, 2 * i]:
                return True
    return False


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


@kernel
def at_compliant_event(
    m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer, closed: Integer, latest: Real, record: Record
) -> Integer:
    """A guard of compliant contact ``hit`` has vanished; returns a status."""
    forget_happened(m, record)
    carried, before = s.settings.variation != 0 and kind != GUARD_TURN, s.modes[hit]
    if carried:
        s.event.guard_kind, s.event.guard_contact = kind, hit
        call_shift_to_event(variation_at(s.settings.variation).shift_to_event, m, w, s)
    status = compliant_event(m, w, s, kind, hit, record)
    store_state(m, s)
    if carried and status == 0:
        call_pass_compliant(variation_at(s.settings.variation).pass_compliant, m, w, s, kind, hit, before)
    if status == 0 and contacts_reset(m, w, s, record):
        return pass_resets(m, w, s, latest, record)
    if status == 0 and closed > 0:
        # finite forces have changed: whether the rigid contacts keep their mode is asked again
        status = begin_instant(m, w, s, -1, RESET, latest, record)
    if carried and status == 0:
        glue_at_forces(m, w, s, closed > 0)
        s.event.guard_kind = -1
    return STOPPED if status == 0 and record.seen else status


@kernel
def shift_load(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """Another part of the load of guide i becomes the largest: the motion goes on, with no kink in its force."""
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    solve_mode(m, w, address(s.modes, 0))
    w.load_branch[i] = other_part(m, w, i)
    s.gap_fresh[i] = 1


@kernel
def is_only_beside(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether contact ``hit`` has come to the line of a face from which it parted, but not to the face itself."""
    if not w.was_held[hit]:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * hit] > START_TOLERANCE * w.size[hit]


@kernel
def gap_jumps(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether the gap of contact ``hit`` has changed its sign without vanishing: behind the end of a one-sided edge.

    Gaps of models that fly on parabolas are polynomials of sines with bounded curvature (codegen/bounds.py) and do not
    jump. That of a sharp corner over a polygon may: where it comes onto a face into which its own outline goes on it is
    inside of that face, and other corners are what touches (bodies/touch.py).
    """
    if m.ballistic:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    gap = abs(w.gap[2 * hit])
    if not gap > START_TOLERANCE * w.size[hit] or (m.faces != 0 and is_over_polygon(m, w, s, hit)):
        return False
    # the terms of a gap may vanish with it; the errors of the coordinates, to which its root is known, do not
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    reach = 0.0
    for k in range(m.width):
        reach += abs(w.contact[normal_place(m, hit) + k]) * w.scale[column(m, hit, k)]
    return gap > max(START_TOLERANCE, ON_SURFACE * s.settings.tolerance) * reach


@kernel
def at_rigid_event(
    m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer, latest: Real, rows: Integer, record: Record
) -> Integer:
    """A guard of a rigid contact has vanished, or of them all together; returns a status."""
    s.event.guard_kind, s.event.guard_contact = kind, hit
    if kind == GUARD_GAP and m.faces != 0 and is_only_beside(m, w, s, hit):
        s.event.guard_kind, s.gap_fresh[hit] = -1, 0
        return 0
    if kind == GUARD_GAP and gap_jumps(m, w, s, hit):
        s.report.failed_place = hit
        return GAP_JUMPS
    if kind == GUARD_JAM and joint_jams(m, s):
        s.event.singular = 1
    elif kind == GUARD_JAM:
        closed = count_closed(s.modes, m.nc)
        derivative(m, w, s.t, s.z, s.modes, closed, 0)
        s.event.singular = reach_singular_point(m, w, s, closed, latest, record)
    if s.event.guard_kind == GUARD_SLIP:
        stop_slip(m, w, s, s.event.guard_contact)
        if still_slips(m, w, s, s.event.guard_contact):
            s.event.guard_kind, s.memory.last_instant = -1, s.t
            return 0
    if kind == GUARD_GAP:
        status = begin_instant(m, w, s, hit, JUMP, latest, record)
    elif kind == GUARD_END:
        status = begin_instant(m, w, s, -1, JUMP, latest, record)
    else:
        status = begin_instant(m, w, s, -1, MODE_CHANGE, latest, record)
    s.event.guard_kind, s.event.singular, s.event.opens = -1, 0, 0
    closed = count_closed(s.modes, m.nc)
    if status == 0 and closed > 0 and resting(m, w, s, closed, rows):
        rest_until(m, w, s, closed, record)
        return AT_REST
    return status


@block(LOOP)
def loop(m: Machine, w: Workspace, s: Motion, schedule: Reals, rows: Integer, record: Record) -> Integer:
    """``run_machine`` for any machine; also what is compiled anew for one machine alone."""
    steps, after_jump, s.pace.stage_known, w.terms_known = 0, 1, 0, 0
    if s.started and s.pace.paused:
        after_jump = s.pace.after_jump
    s.pace.paused = 0
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
            elif s.event.triggered != 0 and find_due(m, w, s):
                status = resets_at_contact(m, w, s, latest, record)
            elif kind == GUARD_SHIFT:
                shift_load(m, w, s, hit)
                status = 0
            elif kind != GUARD_JAM and m.compliant[hit]:
                status = at_compliant_event(m, w, s, kind, hit, closed, latest, record)
            else:
                status = at_rigid_event(m, w, s, kind, hit, latest, rows, record)
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

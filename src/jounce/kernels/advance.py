"""The loop: flow -> event -> jump -> next mode.

Each turn takes one Runge-Kutta step, scans the guards along its interpolant, and either accepts the step whole or cuts
it at the first guard that vanishes and hands the instant over. It returns to Python only to have its buffers emptied,
to show progress, or at the end.
"""

import math

from jounce.kernels.abi import f8, i8, pointer
from jounce.kernels.codes import (
    AT_REST,
    BUFFERS_FULL,
    FINISHED,
    GUARD_FORCE,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_SLIP,
    GUARD_USER,
    NO_PROGRESS,
    NOT_FINITE,
    PARADOX_STOP,
    PAUSED,
    SCHEDULE,
    STEP_UNDERFLOW,
    STICK,
    STOPPED,
    TOO_MANY_EVENTS,
    USER,
)
from jounce.kernels.compliant import (
    compliant_event,
    controlled_length,
    interpolated_length,
    start_compliant,
    switch_where_steps_end,
)
from jounce.kernels.contact_forces import constrains, derivative, evaluate_model, solve_mode
from jounce.kernels.contact_modes import count_closed, encode
from jounce.kernels.event_location import (
    HOVERING,
    UNGUARDED,
    first_event,
    list_guards,
    only_touches,
    polish,
    remove_guard,
)
from jounce.kernels.flight import NO_CONTACT, UNDECIDED, flight_state, fly_ballistic, may_fly, write_parabola
from jounce.kernels.flight_guards import NO_GUARD, guard_on_flight
from jounce.kernels.impacts import SURFACE_WORK, prepare_impacts
from jounce.kernels.instant import GRAZING_SPEED, JUMP, MODE_CHANGE, RESET, START, TOUCH_TOLERANCE, instant
from jounce.kernels.jit import address, block, call_state, kernel
from jounce.kernels.motion import TRIED_LIMIT, motion_record
from jounce.kernels.projection import project
from jounce.kernels.recording import (
    EVENT_CAPACITY,
    EVENTS_STORED,
    EVENTS_TOTAL,
    REGION,
    STEP_CAPACITY,
    STEPS_STORED,
    add_event,
    add_step,
    buffer_record,
)
from jounce.kernels.runge_kutta import DOP853, interpolant_rows, make_interpolant, take_step
from jounce.kernels.stepping import add_stage_powers, choose_step, integrate_powers, land, smooth_step
from jounce.kernels.variation import call_glue, call_propagate, call_shift_to_event, variation_at
from jounce.kernels.workspace import SURFACE_STRIDE, machine_record, workspace_record

EVENT_MARGIN = 2000  # rows kept free in the event buffer: more than one instant can write
REST_SPEED = 1e-12
RATE_ROUNDING = 1e-13  # of a gap's velocity, relative to the speeds of the motion
START_MOMENT = 1e-7  # of the span: over which a guard's slope at the start is taken
START_ZERO = 1e-3  # of the change over that moment: a smaller value is the guard's zero
RETURN_FINISHED = 99
FAILED = -3
USER_GUARD = -4  # minus a row of the guards: a flight ended there
RETURN_TIME = 1e6  # smallest steps: a flight this short that lands without velocity has not been one
REPEAT_LIMIT = 10000  # instants without progress in time


@kernel
def load_state(m, s, source):
    """z, q and u from a state array."""
    for j in range(m.n):
        s.q[j] = s.z[j] = source[j]
        s.u[j] = s.z[m.n + j] = source[m.n + j]


@kernel
def store_state(m, s):
    """z follows q and u after an instant."""
    for j in range(m.n):
        s.z[j] = s.q[j]
        s.z[m.n + j] = s.u[j]


@kernel
def start_guards(m, w, s):
    """After an instant: user guards start from their present sign."""
    if m.ng == 0:
        return
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if s.user_fresh[k] == 0:
            s.user_sign[k] = 1 if w.user[k] >= 0.0 else -1


@kernel
def clear_fresh(m, w, s):
    """A whole step has passed, to the state in w.new_state: no guard starts at its root any more.

    Except a gap that opens so slowly that it is still only rounding: it remains what its velocity makes it. Ballistic
    flights know that by themselves.
    """
    fresh = 0
    for i in range(m.nc):
        fresh = max(fresh, s.gap_fresh[i])
    if fresh > 1 or (fresh > 0 and not m.ballistic):
        keep_rounded_gaps(m, w, s)
    else:
        for i in range(m.nc):
            s.gap_fresh[i] = 0
    for i in range(m.nc):
        s.slip_fresh[i] = min(s.slip_fresh[i], 0)
    for k in range(m.ng):
        s.user_fresh[k] = 0


@kernel
def keep_rounded_gaps(m, w, s):
    """Gaps of rigid contacts that started at zero and are not yet larger than their rounding start there again.

    One that has fallen back again and again, and has no velocity either, lies on its surface without a force.
    """
    state = w.new_state
    size = 1.0
    for j in range(m.n):
        size = max(size, abs(state[j]))
    call_state(m.gaps, s.t, address(state, 0), address(state, m.n), address(m.p, 0), address(w.gap, 0))
    for i in range(m.nc):
        gap, rate, fresh = w.gap[2 * i], w.gap[2 * i + 1], s.gap_fresh[i]
        s.gap_fresh[i] = 0
        if fresh > 0 and not m.compliant[i]:
            if fresh >= UNGUARDED and abs(gap) <= TOUCH_TOLERANCE * size and abs(rate) <= RATE_ROUNDING * s.speed:
                s.gap_fresh[i] = HOVERING
            elif gap <= TOUCH_TOLERANCE * size and rate > 0.0:
                s.gap_fresh[i] = 1


@kernel
def resting(m, w, s, closed, rows):
    """Whether nothing will move any more: an autonomous model, no velocity, no acceleration, nothing that varies."""
    if s.variation or not s.autonomous or s.schedule_position < rows or closed + m.nj == 0:
        return False
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    solve_mode(m, w, address(s.modes, 0))
    for j in range(m.n):
        if abs(s.u[j]) > REST_SPEED or not abs(w.acceleration[j]) <= 1e-11 * (1.0 + abs(w.free[j])):
            return False
    return True


@kernel
def rest_until(m, w, s, closed, record):
    """One constant step to the end."""
    rows = interpolant_rows(s.pair)
    length = s.t_end - s.epoch - s.t
    for row in range(rows):
        for k in range(2 * m.n):
            w.interpolant[row, k] = 0.0
    if length > 0.0:
        add_step(record, s.t, length, encode(s.modes, m.nc), m.n, s.z, w.interpolant, rows, s.ledger)
        integrate_powers(m, w, s, s.t, length, 1.0, closed)
    s.t = s.t_end - s.epoch


@kernel
def apply_schedule(m, s, schedule, rows, record):
    """Put the parameters of every schedule row (time, parameter, value) that is due into force."""
    position = s.schedule_position
    while position < rows and schedule[3 * position] - s.epoch <= s.t:
        m.p[int(schedule[3 * position + 1])] = schedule[3 * position + 2]
        position += 1
    s.schedule_position = position
    # the period may have been that of other parameters; autonomous models keep theirs, which is arbitrary
    if not s.autonomous:
        s.period = 0.0
    add_event(record, s.t, SCHEDULE, -1, -1, -1)


@kernel
def user_event(m, w, s, index, sign, record):
    """A user guard has vanished; True if the run is to stop there. A crossing in the unwanted direction is passed over.

    Directions: +1 increasing, -1 decreasing, 0 both; a guard with sign +1 was positive, so it decreases.
    """
    direction = s.user_direction[index]
    s.user_fresh[index] = 1
    s.user_sign[index] = -sign
    if direction != 0 and direction == sign:
        return False
    row = add_event(record, s.t, USER, -1, -1, -1)
    if row >= 0:
        record.event_integer[row, REGION] = index
    s.stopped_by = index
    return s.user_stops[index] == 1


@kernel
def next_stop(s, schedule, rows):
    """The end of the run or the next schedule row, whichever comes first."""
    position = s.schedule_position
    if position < rows:
        return min(s.t_end, schedule[3 * position]) - s.epoch
    return s.t_end - s.epoch


@kernel
def falls_back(m, w, s, kind, i):
    """Whether contact i, which has left without velocity, closes again at once and without any: that is rounding."""
    if kind != GUARD_GAP or not s.released[i] or s.t - s.last_instant > RETURN_TIME * s.smallest_step:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * i + 1] >= -GRAZING_SPEED * s.speed


@kernel
def note_progress(m, w, s, kind, hit):
    """Count instants that follow one another without time passing; False when there are too many."""
    if falls_back(m, w, s, kind, hit):
        s.repeats += 1
    elif s.t - s.last_instant > 1e-12 * (1.0 + abs(s.t)) + 1e-9 * s.reach:
        s.repeats = 0
        s.tried_count = 0
        s.second_chance = 0
    else:
        s.repeats += 1
    return s.repeats < REPEAT_LIMIT and s.tried_count < TRIED_LIMIT


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def begin_instant(m, w, s, hit, jump, latest, record):
    """Run one instant and make everything ready for the next step; STOPPED if the watched event has happened."""
    if s.variation and jump < RESET:
        call_shift_to_event(variation_at(s.variation).shift_to_event, m, w, s)
    status = instant(m, w, s, hit, jump, latest, record)
    store_state(m, s)
    if s.variation and status == 0:
        call_glue(variation_at(s.variation).glue, m, w, s, hit, jump, latest, record)
    start_guards(m, w, s)
    return STOPPED if status == 0 and record.seen else status


@kernel
def accept(m, w, s, h, x, by_stages, t_new, closed, record):
    """Keep the step up to x of its length: record it, book its work, move the state there and onto its constraints.

    ``by_stages``: the workspace still holds the stages of this very step.
    Returns True if the projection moved the state.
    """
    if t_new > s.t:
        rows = interpolant_rows(s.pair)
        add_step(record, s.t, h, encode(s.modes, m.nc), m.n, s.z, w.interpolant, rows, s.ledger)
        if not (by_stages and closed == 0 and s.pair == DOP853 and add_stage_powers(m, w, s, h)):
            integrate_powers(m, w, s, s.t, h, x, closed)
        if s.variation:
            call_propagate(variation_at(s.variation).propagate, m, w, s, h, x, closed)
    load_state(m, s, w.new_state)
    moved, s.t = t_new > s.t, t_new
    if moved:
        clear_fresh(m, w, s)
    if closed + m.nj > 0 and project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.modes, 0)):
        store_state(m, s)
        return True
    return False


@kernel
def fly(m, w, s, latest, record):
    """One ballistic flight; returns the contact it ends with, NO_CONTACT or UNDECIDED (then nothing has changed).

    A user guard that vanishes on the way ends it there: USER_GUARD minus its row.
    """
    hit = fly_ballistic(m, w, s, latest - s.t)
    if hit == UNDECIDED:
        return hit
    if s.flight > 0.0:
        t_new = latest if hit == NO_CONTACT else s.t + s.flight
        if m.ng > 0:
            g = guard_on_flight(m, w, s)
            if g != NO_GUARD:
                flight_state(m, w, s, s.flight)
                t_new = min(s.t + s.flight, latest)
                hit = USER_GUARD - g
        if record.keep_steps or s.has_applied_power or s.variation:
            write_parabola(m, w, s, s.flight)
        accept(m, w, s, s.flight, 1.0, False, t_new, 0, record)
    return hit


@kernel
def keep_last_stage(m, w, s):
    """The derivative at the end of a step is the one at the start of the next."""
    s.stage_known = 1
    last = 12 if s.pair == DOP853 else 6
    for k in range(2 * m.n):
        w.stages[0, k] = w.stages[last, k]
    for k in range(m.nj):
        w.stage_force[0, k] = w.stage_force[last, k]


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def integrate_to_event(m, w, s, closed, after_jump, latest, record):
    """One step of the general way; returns the guard row that ended it (-1: none, -3: the step failed)."""
    h = choose_step(m, w, s, closed, after_jump, latest)
    while True:
        h, error = smooth_step(m, w, s, closed, h, record)
        if h == 0.0:
            s.event_x = error
            return FAILED
        shorter = controlled_length(m, w, s, h, record)
        if shorter == h:
            break
        h = shorter
    shorter = interpolated_length(m, w, s, h)
    if shorter < h:
        accept(m, w, s, shorter, 1.0, False, min(s.t + shorter, latest), closed, record)
        s.stage_known = 0
        return -1
    count = list_guards(m, s)
    rows = interpolant_rows(s.pair)
    g = first_event(m, w, s, h, rows, closed, count)
    while g >= 0 and s.guards[g, 0] == GUARD_FORCE:
        behind = only_touches(m, w, s, g, h)
        if behind == 0.0:
            break
        # nothing ends there: the step goes on to just behind it, watched by the other guards
        h *= behind
        take_step(m, w, s, h, closed)
        make_interpolant(m, w, s, h, closed)
        count = remove_guard(s.guards, count, g)
        g = first_event(m, w, s, h, rows, closed, count)
    if g < 0:
        t_new = latest if s.t + h >= latest else s.t + h
        if accept(m, w, s, h, 1.0, True, t_new, closed, record):
            s.stage_known = 0
        else:
            keep_last_stage(m, w, s)
        return g
    h, x = land(m, w, s, closed, g, h, polish(m, w, s, h, rows, g), error)
    accept(m, w, s, h, x, x == 1.0, min(s.t + x * h, latest), closed, record)
    return g


@kernel
def stop_slip(m, w, s, i):
    """A slip velocity has been located at zero: make it zero, so that the next mode starts from rest."""
    for k in range(m.nc):
        s.trial[k] = s.modes[k]
    s.trial[i] = STICK
    project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.trial, 0))
    s.ledger[SURFACE_WORK] += w.projection_work
    store_state(m, s)


@kernel
def turn(s, record):
    """Count whole periods apart, so that the time that the model sees stays small and its rounding does not grow.

    At t = 1e5 the time itself is only known to 1e-11, which would drown the last bounces of a chatter.
    """
    if s.period > 0.0 and not 0.0 <= s.t < s.period:
        # mostly one, which needs no division
        whole = 1.0 if s.period <= s.t < 2.0 * s.period else math.floor(s.t / s.period)
        s.turns += int(whole)
        s.t -= whole * s.period
        s.last_instant -= whole * s.period
        s.epoch = s.turns * s.period
        record.epoch = s.epoch


@kernel
def must_return(s, record, steps):
    """0 to go on, else the status with which the loop returns to Python before the next step."""
    if s.t >= s.t_end - s.epoch:
        return RETURN_FINISHED
    if record.keep_events and record.counter[EVENTS_STORED] > EVENT_CAPACITY - EVENT_MARGIN:
        return BUFFERS_FULL
    if record.keep_steps and record.counter[STEPS_STORED] >= STEP_CAPACITY - 2:
        return BUFFERS_FULL
    if record.counter[EVENTS_TOTAL] >= s.max_events:
        return TOO_MANY_EVENTS
    return PAUSED if steps >= s.pause_steps else 0


@kernel
def start_at_guard(m, w, s):
    """A run may start where another one stopped, at a guard's own zero: then the guard starts with its slope's sign."""
    dt = START_MOMENT * (s.t_end - s.t)
    derivative(m, w, s.t, s.z, s.modes, count_closed(s.modes, m.nc), 0)
    for k in range(2 * m.n):
        w.point[k] = s.z[k] + dt * w.stages[0, k]
    n, p = m.n, address(m.p, 0)
    # where the slope vanishes too it is the curvature that says on which side the guard goes on
    for j in range(n):
        w.point[j] += 0.5 * dt * dt * w.stages[0, n + j]
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, n), p, address(w.user, 0))
    call_state(m.guards, s.t + dt, address(w.point, 0), address(w.point, n), p, address(w.gap_ahead, 0))
    for k in range(m.ng):
        change = w.gap_ahead[k] - w.user[k]
        if abs(w.user[k]) <= START_ZERO * abs(change):
            s.user_fresh[k] = 1
            s.user_sign[k] = 1 if change > 0.0 else -1


@kernel
def start(m, w, s, schedule, rows, record):
    """The instant at which a run begins."""
    s.started = 1
    span = s.t_end - s.t
    s.smallest_step = 1e-13 * (min(span, s.period) if s.period > 0.0 else span)
    s.guard_kind = -1
    s.last_instant = -math.inf
    if rows > 0 and schedule[0] <= s.t:
        apply_schedule(m, s, schedule, rows, record)
    if m.compliant_contacts > 0:
        status = start_compliant(m, w, s, record)
        if status != 0:
            return status
    status = begin_instant(m, w, s, -1, START, next_stop(s, schedule, rows), record)
    if m.ng > 0 and status == 0:
        start_at_guard(m, w, s)
    return status


@kernel
def near_singular(m, w, s):
    """Whether a touching contact sits at C - s mu B = 0, the singular point of sliding (Génot & Brogliato 1999)."""
    if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    for i in range(m.nc):
        if m.has_slip[i] and (s.touching[i] or constrains(s.modes[i])):
            sign = 1.0 if w.velocity[2 * i + 1] > 0.0 else -1.0
            mu = w.surface[i * SURFACE_STRIDE]
            value = w.delassus[2 * i, 2 * i] - sign * mu * w.delassus[2 * i, 2 * i + 1]
            if abs(value) < 1e-6 * w.delassus[2 * i, 2 * i]:
                return True
    return False


@block(i8(machine_record, workspace_record, motion_record, pointer, i8, buffer_record))
def run_machine(m, w, s, schedule, rows, record):
    """Advance until the end, a full buffer or a pause; returns a status code. The schedule has ``rows`` rows."""
    steps = 0
    after_jump = 1
    s.stage_known = 0
    if not s.started:
        status = start(m, w, s, schedule, rows, record)
        if status != 0:
            return status
    closed = count_closed(s.modes, m.nc)
    if resting(m, w, s, closed, rows):
        rest_until(m, w, s, closed, record)
        return AT_REST
    while True:
        status = must_return(s, record, steps)
        if status != 0:
            return FINISHED if status == RETURN_FINISHED else status
        steps += 1
        turn(s, record)
        latest = next_stop(s, schedule, rows)
        if not s.stage_known:
            derivative(m, w, s.t, s.z, s.modes, closed, 0)
        hit = UNDECIDED
        if may_fly(m, s, closed):
            hit = fly(m, w, s, latest, record)
        kind = GUARD_GAP
        sign = 1
        if hit <= USER_GUARD:
            g = USER_GUARD - hit
            kind, hit, sign = s.guards[g, 0], s.guards[g, 1], s.guards[g, 2]
            s.stage_known = 0
        elif hit == UNDECIDED:
            g = integrate_to_event(m, w, s, closed, after_jump, latest, record)
            if g == FAILED:
                return NOT_FINITE if math.isnan(s.event_x) else STEP_UNDERFLOW
            hit = NO_CONTACT
            if g >= 0:
                kind, hit, sign = s.guards[g, 0], s.guards[g, 1], s.guards[g, 2]
                if kind == GUARD_JAM:
                    hit = 0
        else:
            s.stage_known = 0
        after_jump = 1 if hit >= 0 else 0
        if hit < 0:
            due = s.t >= latest and latest < s.t_end - s.epoch
            switched = switch_where_steps_end(m, w, s, record)
            if due:
                apply_schedule(m, s, schedule, rows, record)
            if switched:
                store_state(m, s)
                after_jump, s.stage_known = 1, 0
            if due or (switched and closed > 0):
                status = begin_instant(m, w, s, -1, RESET, next_stop(s, schedule, rows), record)
                if status != 0:
                    return status
                closed = count_closed(s.modes, m.nc)
                after_jump, s.stage_known = 1, 0
            continue
        s.stage_known = 0
        if not note_progress(m, w, s, kind, hit):
            return PARADOX_STOP if kind == GUARD_JAM or near_singular(m, w, s) else NO_PROGRESS
        if kind == GUARD_USER:
            if user_event(m, w, s, hit, sign, record):
                return STOPPED
            continue
        if kind != GUARD_JAM and m.compliant[hit]:
            status = compliant_event(m, w, s, kind, hit, record)
            store_state(m, s)
            if status == 0 and closed > 0:
                # finite forces have changed: whether the rigid contacts keep their mode is asked again
                status = begin_instant(m, w, s, -1, RESET, latest, record)
                closed = count_closed(s.modes, m.nc)
            if status != 0:
                return status
            if record.seen:
                return STOPPED
            continue
        s.guard_kind, s.guard_contact = kind, hit
        if kind == GUARD_SLIP:
            stop_slip(m, w, s, hit)
        if kind == GUARD_GAP:
            status = begin_instant(m, w, s, hit, JUMP, latest, record)
        else:
            status = begin_instant(m, w, s, -1, MODE_CHANGE, latest, record)
        s.guard_kind = -1
        if status != 0:
            return status
        closed = count_closed(s.modes, m.nc)
        if closed > 0 and resting(m, w, s, closed, rows):
            rest_until(m, w, s, closed, record)
            return AT_REST

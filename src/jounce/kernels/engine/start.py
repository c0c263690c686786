"""How a run begins, and how it begins again at an instant or where its schedule changes a parameter."""

import math

from jounce.kernels.contact.compliant import start_compliant
from jounce.kernels.contact.faces import hold_brought
from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.window import begin_window
from jounce.kernels.engine.borders import sides_of_start
from jounce.kernels.engine.instant import instant
from jounce.kernels.engine.resets import (
    find_due,
    follow_resets,
    forget_happened,
    publish_states,
    resets_have_no_limit,
    trigger_at_start,
    trigger_by_contacts,
)
from jounce.kernels.engine.resume import DROPPED, GO_ON, resume
from jounce.kernels.engine.switches import ask_switches, find_limits, side_of, slide_behind_contacts
from jounce.kernels.engine.turns import start_turns, turn_time
from jounce.kernels.events.guard_noise import add_rounding
from jounce.kernels.events.guards_at_contact import forget_sizes
from jounce.kernels.events.user_guards import start_sign
from jounce.kernels.flow.accept import store_state
from jounce.kernels.flow.parabola import exponent_of
from jounce.kernels.records.codes import (
    AT_SWITCH,
    ENDLESS_RESETS,
    LEAP,
    LIMIT_SIDE,
    MODE_CHANGE,
    RESET,
    SCHEDULE,
    START,
    STOPPED,
    TOO_MANY_CLOSED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import add_event, buffer_record
from jounce.kernels.records.scales import forget_scales, natural_time
from jounce.kernels.records.tolerances import (
    SHORTEST_STEP_PART,
    START_BEHIND,
    START_LEAVES,
    START_MOMENT,
    STEP_ROUNDING,
    TIME_ROUNDING,
)
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.kernels.tangent.variation import call_glue, call_pass_instant, call_shift_to_event, variation_at
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def start_guards(m: Machine, w: Workspace, s: Motion) -> None:
    """After an instant: user guards start from their present sign."""
    if m.ng == 0:
        return
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if s.user_fresh[k] == 0:
            s.user_sign[k] = start_sign(m, k, w.user[k])


@kernel
def apply_schedule(m: Machine, s: Motion, schedule: Reals, rows: Integer, record: Record) -> None:
    """Put the parameters of every schedule row (time, parameter, value) that is due into force."""
    position = s.schedule_position
    while position < rows and schedule[3 * position] - s.epoch <= s.t:
        m.p[int(schedule[3 * position + 1])] = schedule[3 * position + 2]
        position += 1
    s.schedule_position = position
    # the period may have been that of other parameters; autonomous models keep theirs, which is arbitrary
    if not s.settings.autonomous:
        s.settings.period = 0.0
    add_event(record, s.t, SCHEDULE, -1, -1, -1)


@kernel
def next_stop(s: Motion, schedule: Reals, rows: Integer) -> Real:
    """The end of the run or the next schedule row, whichever comes first."""
    position = s.schedule_position
    if position < rows:
        return min(s.settings.t_end, schedule[3 * position]) - s.epoch
    return s.settings.t_end - s.epoch


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def begin_instant(
    m: Machine, w: Workspace, s: Motion, hit: Integer, jump: Integer, latest: Real, record: Record
) -> Integer:
    """Run one instant and make everything ready for the next step; STOPPED if the watched event has happened."""
    moved = jump < RESET
    if s.settings.variation and moved:
        call_shift_to_event(variation_at(s.settings.variation).shift_to_event, m, w, s)
    if m.nr > 0:
        s.memory.rounds = s.event.triggered = 0
        forget_happened(m, record)
    status = instant(m, w, s, hit, jump, latest, record)
    store_state(m, s)
    if m.nr > 0:
        trigger_by_contacts(m, s, record)
        if jump == START:
            trigger_at_start(m, s)
        if jump == MODE_CHANGE:
            slide_behind_contacts(m, w, s, record)
        elif not moved:
            ask_switches(m, w, s, record)
    if s.settings.variation and moved and status == 0:
        call_pass_instant(variation_at(s.settings.variation).pass_instant, m, w, s, hit, jump, latest, record)
    if m.nr > 0 and status == 0 and find_due(m, w, s):
        endless = resets_have_no_limit(m, w, s)
        status = ENDLESS_RESETS if endless else follow_resets(m, w, s, jump, latest, record)
        moved = True
    if s.settings.variation and status == 0:
        call_glue(variation_at(s.settings.variation).glue, m, w, s, 1 if moved else 0)
    start_guards(m, w, s)
    return STOPPED if status == 0 and record.seen else status


@block(i8(machine_record, workspace_record, motion_record, f8, buffer_record))
def pass_resets(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """The resets in s.event.applied, where perturbations stand at their event already."""
    s.memory.rounds = 0
    status = follow_resets(m, w, s, MODE_CHANGE, latest, record)
    if s.settings.variation and status == 0:
        call_glue(variation_at(s.settings.variation).glue, m, w, s, 1)
    start_guards(m, w, s)
    return STOPPED if status == 0 and record.seen else status


@block(i8(machine_record, workspace_record, motion_record, f8, buffer_record))
def begin_resets(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """The resets in s.event.applied, of a guard that has vanished at the present state."""
    if s.settings.variation:
        call_shift_to_event(variation_at(s.settings.variation).shift_to_event, m, w, s)
    return pass_resets(m, w, s, latest, record)


@kernel
def jumps_within(m: Machine, w: Workspace, s: Motion, dt: Real) -> Truth:
    """Whether a border of a jump is passed between the times dt before and behind the start; w.new_state is behind."""
    n, p = m.n, address(m.p, 0)
    for j in range(n):
        w.point[j], w.point[n + j] = s.z[j] - dt * s.z[n + j], s.z[n + j]
        w.new_state[j], w.new_state[n + j] = s.z[j] + dt * s.z[n + j], s.z[n + j]
    call_state(m.guards, s.t - dt, address(w.point, 0), address(w.point, n), p, address(w.user, 0))
    call_state(m.guards, s.t + dt, address(w.new_state, 0), address(w.new_state, n), p, address(w.gap_ahead, 0))
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP and w.user[k] * w.gap_ahead[k] < 0.0:
            return True
    return False


@kernel
def start_behind_kinks(m: Machine, w: Workspace, s: Motion) -> None:
    """A run that starts where a force jumps starts behind the jump, by no more than shows.

    The time that this takes away from a short push is the shortest one that passes the border: rounding of the time,
    or of the place.
    """
    shortest = STEP_ROUNDING * abs(s.t)
    dt = max(shortest, s.pace.smallest_step)
    if not jumps_within(m, w, s, dt):
        return
    for _ in range(START_BEHIND):
        if not (0.5 * dt >= shortest and jumps_within(m, w, s, 0.5 * dt)):
            break
        dt *= 0.5
    jumps_within(m, w, s, dt)
    for j in range(m.n):
        s.z[j] = w.new_state[j]
    s.t += dt
    store_state(m, s)


@kernel
def note_sides(m: Machine, s: Motion) -> None:
    """The surface of a switch is on the side of the switch, whatever else the start says."""
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH and abs(m.p[side_of(m, r)]) == 1.0:
            s.brought.sides[m.reset_kind[r]] = int(m.p[side_of(m, r)])


@kernel
def start_at_guards(m: Machine, w: Workspace, s: Motion) -> Integer:
    """Guards that are zero where a run starts; returns those whose events are still to happen, as bits.

    A start that a person writes down is exact: a guard that is zero there to its rounding starts at its own root, as
    behind an event. A state out of a run is known to the errors of that run. If it knows on which side of zero a guard
    was, and the motion leads to the other one, then the run before has ended just short of the event: it is ahead, or
    where rounding hides that, it is due.
    """
    note_sides(m, s)
    span = s.settings.t_end - s.epoch - s.t
    time = min(natural_time(m, w, s), span)
    dt = START_MOMENT * time
    derivative(m, w, s.t, s.z, s.modes, count_closed(s.modes, m.nc), 0)
    find_limits(m, w, s)
    for k in range(m.ng):
        w.user_limit[k] = 0.0
    add_rounding(m, w, s.t, w.user_limit)
    n, p = m.n, address(m.p, 0)
    for k in range(2 * n):
        w.point[k] = s.z[k] + dt * w.stages[0, k]
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, n), p, address(w.user, 0))
    call_state(m.guards, s.t + dt, address(w.point, 0), address(w.point, n), p, address(w.gap_ahead, 0))
    due = 0
    for k in range(m.ng):
        side, change = s.brought.sides[k], w.gap_ahead[k] - w.user[k]
        rounding = w.user_limit[k]
        if dt > 0.0:
            rounding += TIME_ROUNDING * abs(s.t) * (abs(change) / dt)
        limit = rounding if side == 0 else max(w.user_noise[k], rounding)
        if not abs(w.user[k]) <= limit:
            continue
        leaves = abs(change) * START_LEAVES > limit * START_MOMENT
        passes = abs(side) == 1 and leaves and side * change < 0.0 and m.guard_side[k] != LIMIT_SIDE
        if passes and side * w.user[k] > rounding:
            w.user_largest[k] = w.size[m.nc + m.nj + k]  # it has been away
            continue
        s.user_fresh[k] = 1
        s.user_sign[k] = start_sign(m, k, change)
        if passes:
            due |= 1 << k
    return due


@kernel
def set_times(m: Machine, w: Workspace, s: Motion) -> None:
    """The smallest step, by what the start says; where no time appears in the model, the turns that are counted.

    These may have any length. A power of two near the natural time of the motion makes counting exact.
    """
    span = s.settings.t_end - s.epoch - s.t
    natural = natural_time(m, w, s)
    if natural == math.inf:
        natural = span  # nothing moves and no force acts
    if s.settings.autonomous and s.settings.period > 0.0 and natural > 0.0:
        s.settings.period = 2.0 ** exponent_of(natural)
    s.pace.longest_time = min(natural if s.settings.autonomous or s.settings.period == 0.0 else s.settings.period, span)
    s.pace.smallest_step = SHORTEST_STEP_PART * s.pace.longest_time
    s.pace.woken = -math.inf


@kernel
def start_beside_borders(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """A run that starts at rest on the border of a jump starts beside it, where it goes; returns a status."""
    derivative(m, w, s.t, s.z, s.modes, count_closed(s.modes, m.nc), 0)
    if not sides_of_start(m, w, s):
        return 0
    status = instant(m, w, s, -1, START, latest, record)
    store_state(m, s)
    if s.settings.variation and status == 0:
        call_glue(variation_at(s.settings.variation).glue, m, w, s, 0)
    return status


@kernel
def start(m: Machine, w: Workspace, s: Motion, schedule: Reals, rows: Integer, record: Record) -> Integer:
    """The instant at which a run begins."""
    s.started = 1
    publish_states(m, record)
    start_turns(m, s, record)
    s.memory.last_instant = -math.inf
    if not s.settings.autonomous:
        turn_time(s, record)  # what the model sees of the time is small before anything is measured
    s.event.guard_kind = -1
    hold_brought(m, s)
    if s.settings.roster != 0 and not begin_window(m, w, s):
        return TOO_MANY_CLOSED
    forget_scales(m, w, s)
    set_times(m, w, s)
    forget_sizes(m, w)
    for k in range(m.ng):
        s.memory.user_time[k] = -math.inf
        s.memory.user_wait[k] = math.inf
        s.memory.user_sooner[k] = 0
    if rows > 0 and schedule[0] - s.epoch <= s.t:
        apply_schedule(m, s, schedule, rows, record)
    if m.ng > 0:
        start_behind_kinks(m, w, s)
    if m.compliant_contacts > 0:
        status = start_compliant(m, w, s, record)
        if status != 0:
            return status
    latest = next_stop(s, schedule, rows)
    resumed = resume(m, w, s) if s.brought.known else DROPPED
    if resumed == GO_ON and not ask_switches(m, w, s, record):
        if s.settings.variation:
            call_glue(variation_at(s.settings.variation).glue, m, w, s, 0)
        start_guards(m, w, s)
        status = 0
    else:
        status = begin_instant(m, w, s, -1, START if resumed == DROPPED else RESET, latest, record)
        if status == 0 and m.holds:
            status = start_beside_borders(m, w, s, latest, record)
    return status

"""Flow: one flight or one step, to its end or to the first guard that vanishes."""

from jounce.kernels.contact.compliant import controlled_length, interpolated_length
from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.window import renew_window, window_covers
from jounce.kernels.events.event_location import first_event, first_sharpened, only_touches
from jounce.kernels.events.flight_guards import NO_GUARD, guard_on_flight
from jounce.kernels.events.guards import list_guards, remove_guard
from jounce.kernels.events.screen import clearly_hold
from jounce.kernels.events.series_guards import (
    HOLDS,
    ON_PART,
    SEARCH,
    clearly_crosses,
    first_series_event,
    opens_by_force,
    polish_on_series,
)
from jounce.kernels.events.user_guards import note_flight_sizes
from jounce.kernels.flow.accept import accept, keep_last_stage
from jounce.kernels.flow.flight import NO_CONTACT, UNDECIDED, flight_state, may_fly, write_parabola
from jounce.kernels.flow.landing import end_before_leap, ends_at_leap, land_on_first, retake
from jounce.kernels.flow.runge_kutta import (
    DOP853,
    end_step,
    interpolate_step,
    make_interpolant,
    note_errors,
)
from jounce.kernels.flow.shortest import too_short
from jounce.kernels.flow.sides import hold_sides, release_sides, sides_turned
from jounce.kernels.flow.step_length import choose_step
from jounce.kernels.flow.stepping import smooth_step
from jounce.kernels.flow.stiff import leave_implicit
from jounce.kernels.flow.through import find_flight, go_through
from jounce.kernels.flow.together import fly_to_last
from jounce.kernels.records.codes import GUARD_CONE_LOWER, GUARD_FORCE, GUARD_GAP, GUARD_JAM, GUARD_SLIP
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.tolerances import GUARD_SHORTENINGS
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

FAILED = -3
USER_GUARD = -4  # minus a row of the guards: a flight ended there
SHORTER = -10  # in place of a row: the step is over before its end


@kernel
def fly(m: Machine, w: Workspace, s: Motion, known: Integer, latest: Real, record: Record) -> Integer:
    """One ballistic flight; returns the contact it ends with, NO_CONTACT or UNDECIDED (then nothing has changed).

    ``known``: what is known of its start, see ``fly_ballistic``. A user guard that vanishes on the way ends it there:
    USER_GUARD minus its row. Where nothing but the contact can happen, contacts and sizes are evaluated together.
    """
    under_way = s.ahead.kept
    hit, longest = find_flight(m, w, s, known, latest)
    if hit == UNDECIDED:
        return hit
    if hit != NO_CONTACT and m.nc > 1 and not under_way:
        hit = fly_to_last(m, w, s, hit, longest)
    if s.event.flight > latest - s.t:
        go_through(m, w, s, hit, latest)
        return NO_CONTACT
    if s.event.flight > 0.0:
        t_new = latest if hit == NO_CONTACT else s.t + s.event.flight
        if m.ng > 0:
            g = guard_on_flight(m, w, s)
            if g != NO_GUARD:
                flight_state(m, w, s, s.event.flight)
                t_new = min(s.t + s.event.flight, latest)
                hit = USER_GUARD - g
        if m.ng > 0:
            flight_state(m, w, s, 0.5 * s.event.flight)
            note_flight_sizes(m, w, s, w.new_state)
            flight_state(m, w, s, s.event.flight)
        if record.keep_steps or s.settings.has_applied_power or s.settings.variation:
            write_parabola(m, w, s, s.event.flight)
        w.lands = 1 if hit >= 0 and m.ng == 0 and m.nr == 0 and not s.settings.variation else 0
        accept(m, w, s, s.event.flight, 1.0, False, t_new, 0, record)
        w.lands = 0
    return hit


@kernel
def look_at_series(
    m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, count: Integer
) -> tuple[Real, Integer]:
    """(length of the step, first guard that vanishes, HOLDS or SEARCH) of a step just taken by series.

    Where its guards are resolved on a part of it only the step is that part. The end of a step of affine motion is
    computed here, unless an event lies before it.
    """
    if not w.by_series:
        return h, SEARCH
    g = ON_PART
    for _ in range(GUARD_SHORTENINGS):
        g = first_series_event(m, w, s, h, closed, count)
        if g != ON_PART:
            break
        h *= s.event.event_x
        s.memory.effort += 1
        if not m.affine:
            retake(m, w, s, h, closed)
            end_step(m, w, s, h, closed)
    if m.affine and g < 0:
        retake(m, w, s, h, closed)
        end_step(m, w, s, h, closed)
    return h, SEARCH if g == ON_PART else g


@kernel
def stay_in_window(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """The length of the step just taken, h, on which only contacts of the list can touch; 0 on underflow.

    The list is made anew where the bodies leave the places for which it holds. Where too many are near on so long a
    step, it is shortened.
    """
    while True:
        if not w.interpolated:
            interpolate_step(m, w, s, h, closed)
        if window_covers(m, w, s) or (renew_window(m, w, s, s.settings.rows) and window_covers(m, w, s)):
            return h
        h *= 0.5
        if too_short(s, h):
            return 0.0
        retake(m, w, s, h, closed)
        end_step(m, w, s, h, closed)
        w.interpolated = 0


@kernel
def interpolate_anew(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """The interpolant of a step whose end has been moved, if it has."""
    if not w.interpolated:
        if not w.by_series:
            end_step(m, w, s, h, closed)
        interpolate_step(m, w, s, h, closed)


@kernel
def step_and_search(
    m: Machine, w: Workspace, s: Motion, closed: Integer, h: Real, asked: Truth, record: Record
) -> tuple[Real, Real, Integer, Integer, Truth]:
    """Take one step; returns (h, error ratio, guards, the first row that vanishes, whether its series say so).

    h = 0 where the step has failed; the row is SHORTER where a compliant contact ends the step within it.
    """
    while True:
        h, error = smooth_step(m, w, s, closed, h, record)
        if h == 0.0:
            return h, error, 0, FAILED, False
        shorter = controlled_length(m, w, s, h, record)
        if shorter == h:
            break
        h = shorter
    shorter = interpolated_length(m, w, s, h)
    if shorter < h:
        return shorter, error, 0, SHORTER, False
    if s.settings.roster != 0:
        h = stay_in_window(m, w, s, h, closed)
        if h == 0.0:
            return h, 0.0, 0, FAILED, False
    if m.ng > 0:
        note_errors(m, w, s, h)
    count = list_guards(m, s)
    h, g = look_at_series(m, w, s, h, closed, count)
    by_series = g != SEARCH
    if not by_series and clearly_hold(m, w, s, h, closed, count):
        g = HOLDS
    if (asked or g == SEARCH) and not w.interpolated:
        interpolate_step(m, w, s, h, closed)
    if g == SEARCH:
        g = first_event(m, w, s, h, s.settings.rows, closed, count)
    return h, error, count, g, by_series


@kernel
def step_on_sides(
    m: Machine, w: Workspace, s: Motion, closed: Integer, h: Real, asked: Truth, record: Record
) -> tuple[Real, Real, Integer, Integer, Truth]:
    """``step_and_search`` on the sides of all borders on which the motion is, on none where it is on no side."""
    hold_sides(m, w, s)
    h, error, count, g, by_series = step_and_search(m, w, s, closed, h, asked, record)
    tried = 0
    while h > 0.0 and sides_turned(m, w, s, h, g < 0):
        tried += 1
        if tried > m.ng:
            release_sides(m)
        derivative(m, w, s.t, s.z, s.modes, closed, 0)
        h, error, count, g, by_series = step_and_search(m, w, s, closed, h, asked, record)
    return h, error, count, g, by_series


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def integrate_to_event(
    m: Machine, w: Workspace, s: Motion, closed: Integer, after_jump: Integer, latest: Real, record: Record
) -> Integer:
    """One step of the general way; returns the guard row that ended it (-1: none, -3: the step failed)."""
    s.event.opens = 0
    h = choose_step(m, w, s, closed, after_jump, latest)
    rows = s.settings.rows
    asked = record.keep_steps != 0 or s.settings.variation != 0 or s.settings.pair != DOP853
    h, error, count, g, by_series = step_on_sides(m, w, s, closed, h, asked, record)
    if g == FAILED:
        s.event.event_x = error
        return FAILED
    if g == SHORTER:
        accept(m, w, s, h, 1.0, False, min(s.t + h, latest), closed, record)
        s.pace.stage_known = 0
        return -1
    while g >= 0 and GUARD_FORCE <= s.event.guards[g, 0] <= GUARD_CONE_LOWER and s.event.guards[g, 0] != GUARD_SLIP:
        if by_series and clearly_crosses(m, w, s, g):
            s.event.opens = 1 if opens_by_force(m, s, g, closed) else 0
            break
        if not w.interpolated:
            interpolate_step(m, w, s, h, closed)
        behind = only_touches(m, w, s, g, h)
        if behind == 0.0:
            break
        # nothing ends there: the step goes on to just behind it, watched by the other guards
        h *= behind
        retake(m, w, s, h, closed)
        make_interpolant(m, w, s, h, closed)
        count = remove_guard(s.event.guards, count, g)
        g, by_series = first_event(m, w, s, h, rows, closed, count), False
    if g < 0:
        t_new = latest if s.t + h >= latest else s.t + h
        if m.ng > 0 and t_new == latest and ends_at_leap(m, w, s, h):
            end_before_leap(m, w, s, h, closed)
            if asked:
                interpolate_anew(m, w, s, h, closed)
            accept(m, w, s, h, 1.0, False, t_new, closed, record)
            s.pace.stage_known = 0
        elif accept(m, w, s, h, 1.0, True, t_new, closed, record):
            s.pace.stage_known = 0
        else:
            keep_last_stage(m, w, s)
        return g
    leave_implicit(s)
    if by_series:
        s.event.event_x = polish_on_series(m, w, s, h, g)
    else:
        g = first_sharpened(m, w, s, h, rows, count, g)
    g, h, x = land_on_first(m, w, s, closed, g, count, h, s.event.event_x, error, by_series)
    if asked:
        interpolate_anew(m, w, s, h, closed)
    accept(m, w, s, h, x, x == 1.0, min(s.t + x * h, latest), closed, record)
    return g


@kernel
def to_next_event(
    m: Machine, w: Workspace, s: Motion, closed: Integer, after_jump: Integer, latest: Real, record: Record
) -> tuple[Integer, Integer, Integer]:
    """One flight or one step; returns (kind, contact or guard, sign) of the guard that vanished.

    In place of the contact stands NO_CONTACT where none has vanished, FAILED where no step could be taken.
    """
    known, w.leaves = w.leaves, 0
    hit = fly(m, w, s, known, latest, record) if may_fly(m, s, closed) else UNDECIDED
    if hit >= NO_CONTACT:
        s.pace.stage_known = 0
        return GUARD_GAP, hit, 1
    if hit <= USER_GUARD:
        g = USER_GUARD - hit
        s.pace.stage_known = 0
    else:
        g = integrate_to_event(m, w, s, closed, after_jump, latest, record)
        release_sides(m)
        if g < 0:
            return GUARD_GAP, FAILED if g == FAILED else NO_CONTACT, 1
    kind = s.event.guards[g, 0]
    return kind, 0 if kind == GUARD_JAM else s.event.guards[g, 1], s.event.guards[g, 2]

"""How long the next step may be: at first, after a jump, and before a contact that is coming."""

import math

from jounce.kernels.chatter.frozen import first_return
from jounce.kernels.contact.orders import begins_simply
from jounce.kernels.flow.shortest import learn_time
from jounce.kernels.flow.stiff import (
    leave_implicit,
)
from jounce.kernels.records.codes import (
    AT_SWITCH,
    GAP_UNGUARDED,
    OPEN,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import MODE_STEPS, UNTRIED
from jounce.kernels.records.scales import change_time
from jounce.kernels.records.tolerances import (
    BEHIND_RETURN,
    FIRST_REACH,
    FIRST_SPAN,
    FIRST_STEP,
    KEPT_SHORT,
    LONGEST_REACH,
    LONGEST_UNGUARDED,
    PERIOD_REACH,
    RATE_SPAN,
    STUCK,
    UNGUARDED_GROWTH,
    UNGUARDED_REACH,
)
from jounce.kernels.records.words import mode_key
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def first_step_size(m: Machine, w: Workspace, s: Motion, f_row: Integer, remaining: Real) -> Real:
    """A first guess: a hundredth of the time in which the motion as a whole, in the metric of M, changes by itself.

    As ``natural_time``, with the accelerations of the mode. What is too long is rejected, what is too short grows.
    """
    acceleration = 0.0
    for j in range(m.n):
        a = w.stages[f_row, m.n + j]
        acceleration += w.start_mass[j] * (a * a)
    h = FIRST_SPAN * (
        min(remaining, s.settings.period) if s.settings.period > 0.0 and not s.settings.autonomous else remaining
    )
    return FIRST_STEP * min(h, change_time(w.whole[0], w.whole[1], acceleration, h))


@kernel
def time_to_contact(m: Machine, w: Workspace, s: Motion) -> Real:
    """The first return of an open gap if its acceleration stayed what it is (by a difference along the flow)."""
    n = m.n
    soonest = math.inf
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, n), address(m.p, 0), address(w.gap, 0))
    dt = RATE_SPAN * s.pace.reach
    for k in range(2 * n):
        w.point[k] = s.z[k] + dt * w.stages[0, k]
    call_state(m.gaps, s.t + dt, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.gap_ahead, 0))
    for i in range(m.nc):
        if s.modes[i] == OPEN and begins_simply(s, i) and not s.inside[i]:
            gap = 0.0 if s.gap_fresh[i] == 1 else w.gap[2 * i]
            acceleration = (w.gap_ahead[2 * i + 1] - w.gap[2 * i + 1]) / dt
            soonest = min(soonest, first_return(gap, w.gap[2 * i + 1], acceleration))
    return soonest


@kernel
def recall_step(m: Machine, s: Motion) -> None:
    """After an event begin with the step that the error allowed last in this mode: it has little to do with another.

    What one mode says of the next step's error is nothing either. A switch that slides may hold all that moves, so that
    no step is too long: where its next side has not been met, the shortest step so far is the one to begin with.
    A step that only another mode has allowed is UNTRIED.
    """
    code, sides = step_key(m, s)
    place = code % MODE_STEPS
    if s.pace.step_size > 0.0 and s.pace.mode_code[place] == code and s.pace.mode_step[place] > 0.0:
        s.pace.step_size, s.pace.last_error = s.pace.mode_step[place], 0.0
        return
    if sides:
        for k in range(MODE_STEPS):
            if 0.0 < s.pace.mode_step[k] < s.pace.step_size:
                s.pace.step_size = s.pace.mode_step[k]
    s.pace.last_error = UNTRIED


@kernel
def step_key(m: Machine, s: Motion) -> tuple[Integer, Truth]:
    """(one integer for the mode and the sides of all switches, whether there are any)"""
    key, sides = mode_key(s.modes, m.nc), False
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH:
            side = m.p[m.states + m.reset_target[m.reset_first[r]] - 2 * m.n]
            key, sides = (4 * key + 1 + int(side)) % 2**60, True
    return key, sides


@kernel
def note_step(m: Machine, s: Motion) -> None:
    """Keep the step that the error allows for the next time this mode begins, and for what is a short one."""
    learn_time(s)
    code, _ = step_key(m, s)
    s.pace.mode_code[code % MODE_STEPS] = code
    s.pace.mode_step[code % MODE_STEPS] = s.pace.step_size


@kernel
def choose_step(m: Machine, w: Workspace, s: Motion, closed: Integer, after_jump: Integer, latest: Real) -> Real:
    """The length of the next step: what the error allowed, what the guards could resolve, what lies ahead."""
    if after_jump:
        leave_implicit(s)
        recall_step(m, s)
    h = s.pace.step_size
    remaining = latest - s.t
    if h <= 0.0:
        for k in range(MODE_STEPS):
            s.pace.mode_step[k] = 0.0
        h = first_step_size(m, w, s, 0, remaining)
        s.pace.reach = FIRST_REACH * h
        if s.settings.period > 0.0 and not s.settings.autonomous:
            s.pace.reach = max(s.pace.reach, PERIOD_REACH * s.settings.period)
    h = min(h, LONGEST_REACH * s.pace.reach, s.settings.largest_step)
    unguarded = s.unguarded
    for i in range(m.nc):
        unguarded = unguarded or (s.modes[i] == OPEN and s.gap_watch[i] == GAP_UNGUARDED)
    if unguarded:
        # short, but longer from one false return to the next
        longest = min(s.pace.step_size, LONGEST_UNGUARDED * s.pace.smallest_step) if s.pace.step_size > 0.0 else h
        h = min(longest, UNGUARDED_REACH * s.pace.reach * UNGUARDED_GROWTH ** min(s.memory.repeats - STUCK, 30))
    if after_jump and m.nc > closed:
        # end the step just after the expected impact: what lies behind it is wasted
        soonest = time_to_contact(m, w, s)
        if soonest > 0.0:
            h = min(h, BEHIND_RETURN * soonest)
    return remaining if h >= KEPT_SHORT * remaining else h

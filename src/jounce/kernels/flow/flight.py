"""Ballistic flight: the next contact by certified steps.

Between contacts a model with constant M and h moves on parabolas, q = q0 + u0 s + a s^2/2, exactly; nothing is
integrated. Its gaps obey g'' >= -K with a K known for the whole flight (codegen/bounds.py), so from a place where
the gap is g and its velocity gamma no contact is possible before

    s = (gamma + sqrt(gamma^2 + 2 K g)) / K                      (parabola.py) .

Going there and asking again approaches the first root from the left, and can never step over one. Just after an impact
g = 0 exactly: the same formula with g = 0. With g'' <= K_up as well the gap has surely closed by the root of the upper
parabola, falling all the way; once that is before any other contact the root is bracketed and unique, and steps
with the curvature of the gap go straight to it. A gap above a moving floor is also never below
its level, a parabola that forgets how the floor moves; while the level is positive nothing is asked at all.
"""

import math

from jounce.kernels.contact.orders import begins_simply
from jounce.kernels.flow.parabola import positive_between, turns_negative
from jounce.kernels.records.codes import OPEN
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import (
    EPSILON,
    FLIGHT_CORRECTIONS,
    FLIGHT_END,
    FLIGHT_MARGIN,
    FLIGHT_STEPS,
    NO_ADVANCE,
    SIDE_BY_SIDE,
    TOO_DEEP,
    TOUCH_TOLERANCE,
)
from jounce.kernels.records.workspace import BOUND_STRIDE, FLIGHT_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

NO_CONTACT = -1
UNDECIDED = -2  # the general way must take this step
PARABOLA_ROWS = 2  # of the interpolant that are not zero


@kernel
def flight_state(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """q and u after ``time`` on the parabola, into w.new_state; w.stages[0] holds the derivative at the start."""
    n = m.n
    for j in range(n):
        a = w.stages[0, n + j]
        w.new_state[j] = s.z[j] + (s.z[n + j] + 0.5 * a * time) * time
        w.new_state[n + j] = s.z[n + j] + a * time


@kernel
def flight_gaps(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """Gaps, their velocities and curvatures after ``time``."""
    flight_state(m, w, s, time)
    q, u = address(w.new_state, 0), address(w.new_state, m.n)
    call_state(m.flight_gaps, s.t + time, q, u, address(m.p, 0), address(w.flight_gap, 0))


@kernel
def first_gaps(m: Machine, w: Workspace, s: Motion, known: Integer) -> None:
    """The same where the flight begins.

    ``known``: behind an impact that has just been resolved. Gaps are those of that instant, velocities what impulses
    have made of them; no curvature is known for these velocities.
    """
    if not known:
        q, u = address(s.z, 0), address(s.z, m.n)
        call_state(m.flight_gaps, s.t, q, u, address(m.p, 0), address(w.flight_gap, 0))
        return
    for i in range(m.nc):
        base = FLIGHT_STRIDE * i
        w.flight_gap[base], w.flight_gap[base + 1] = w.contact[contact_place(m, i)], w.velocity[2 * i]
        w.flight_gap[base + 2] = math.nan


@kernel
def safe_time(gap: Real, rate: Real, bound: Real) -> Real:
    """The longest time in which a gap with g'' >= -bound cannot close."""
    return turns_negative(gap, rate, -max(bound, 0.0))


@kernel
def write_parabola(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """The flight as an interpolant: q = q0 + x (delta + (1-x) (-a h^2/2)), u = u0 + x a h."""
    n = m.n
    rows = s.settings.rows
    for row in range(rows):
        for k in range(2 * n):
            w.interpolant[row, k] = 0.0
    for j in range(n):
        a = w.stages[0, n + j]
        w.interpolant[0, j] = (s.z[n + j] + 0.5 * a * time) * time
        w.interpolant[1, j] = -0.5 * a * time * time
        w.interpolant[0, n + j] = a * time


@kernel
def surely_closed(gap: Real, rate: Real, upper: Real) -> Real:
    """The time by which a gap with g'' <= upper has closed, falling all the way; inf if that is not sure."""
    return turns_negative(gap, rate, upper) if rate < 0.0 else math.inf


@kernel
def close_in(m: Machine, w: Workspace, s: Motion, time: Real, i: Integer, shortest: Real, longest: Real) -> Real:
    """The time of the root of gap i, bracketed in time + (shortest, longest); w.flight_gap holds the place ``time``.

    The first place is the root of the parabola with the curvature there, then Halley's formula with the curvature of
    each place. A place outside the bracket, which every place narrows, is replaced by its middle.
    """
    base = FLIGHT_STRIDE * i
    strongest = max(abs(w.bound[BOUND_STRIDE * i]), abs(w.bound[BOUND_STRIDE * i + 1]))
    jerk = w.bound[BOUND_STRIDE * i + 2]
    earliest, latest = time + shortest, time + longest
    then = time + turns_negative(w.flight_gap[base], w.flight_gap[base + 1], w.flight_gap[base + 2])
    for _ in range(FLIGHT_CORRECTIONS):
        if not earliest <= then <= latest:
            then = 0.5 * (earliest + latest)
        flight_gaps(m, w, s, then)
        gap, rate, curvature = w.flight_gap[base], w.flight_gap[base + 1], w.flight_gap[base + 2]
        if then == time or not rate < 0.0:
            return then
        if gap > 0.0:
            earliest = max(earliest, then)
        else:
            latest = min(latest, then)
        time = then
        step = halley_step(gap, rate, curvature)
        if missed_gap(rate, strongest, jerk, abs(step)) < -rate * EPSILON * (abs(s.t) + time):
            return min(max(time + step, earliest), latest)
        then = time + step
    return time


@kernel
def halley_step(gap: Real, rate: Real, curvature: Real) -> Real:
    """The way to the root of a parabola by Halley's formula; Newton's where that has no use."""
    square, bend = rate * rate, gap * curvature
    return -2.0 * gap * rate / (2.0 * square - bend) if bend < square else -gap / rate


@kernel
def missed_gap(rate: Real, strongest: Real, jerk: Real, step: Real) -> Real:
    """A bound on the gap where Halley's step ends.

    Of the parabola it leaves c^2 step^3/(4 |rate|), and the gap is off the parabola by K_jerk step^3/6 at most; where
    its third derivative has no bound, by the difference of curvatures, K step^2.
    """
    if jerk < 0.0:
        return strongest * step * step
    return (strongest * strongest / -rate + jerk) * (step * step * step)


@kernel
def to_root(time: Real, gap: Real, rate: Real, start: Real) -> Real:
    """``time``, where a gap is closed to its rounding, moved to its root if that is as near as rounding of the time.

    A flight that follows its level ends short of the root by what rounding of the level may be.
    """
    correction = -gap / rate
    return max(time + correction, 0.0) if abs(correction) <= FLIGHT_END * (abs(start) + time) else time


@kernel
def find_levels(m: Machine, w: Workspace) -> None:
    """For each contact the times of the flight between which its level is positive."""
    for i in range(m.nc):
        level, rate, curvature = (
            w.bound[BOUND_STRIDE * i + 3], w.bound[BOUND_STRIDE * i + 4], w.bound[BOUND_STRIDE * i + 5]
        )  # fmt: skip
        w.above[2 * i], w.above[2 * i + 1] = positive_between(level, rate, curvature)


@kernel
def surely_open_until(m: Machine, w: Workspace, s: Motion) -> Real:
    """The time up to which all gaps are open by their levels alone; 0 where one of them is not so at the start."""
    until = math.inf
    for i in range(m.nc):
        if s.gap_fresh[i] == 1 or not w.above[2 * i] < 0.0 < w.above[2 * i + 1]:
            return 0.0
        until = min(until, w.above[2 * i + 1] * (1.0 - FLIGHT_MARGIN))
    return until


@kernel
def next_candidate(m: Machine, w: Workspace, s: Motion, time: Real, step: Integer) -> tuple[Integer, Real, Real]:
    """(contact whose gap may close first or NO_CONTACT, its safe time, the safe time of all others); a safe time below
    zero says that the contact has closed already, nan that the flight is undecided.
    """
    advance, others, closest = math.inf, math.inf, NO_CONTACT
    for i in range(m.nc):
        gap, rate = w.flight_gap[FLIGHT_STRIDE * i], w.flight_gap[FLIGHT_STRIDE * i + 1]
        # of the gap's terms, and of what the flight has added to and taken from them
        rounding = TOUCH_TOLERANCE * (w.size[i] + s.memory.speed[2 * i] * time)
        if step == 0 and s.gap_fresh[i] == 1:
            gap = w.flight_gap[FLIGHT_STRIDE * i] = 0.0
            if not rate > 0.0:
                return i, math.nan, math.nan
        elif not gap > rounding:
            if abs(rate) <= SIDE_BY_SIDE * s.memory.speed[2 * i]:
                rate = 0.0  # bodies that move together, touching without force
            if rate < 0.0:
                return i, -1.0, 0.0
            if gap <= -TOO_DEEP * rounding:
                return i, math.nan, math.nan
            gap = rounding
        safe = safe_time(gap, rate, w.bound[BOUND_STRIDE * i])
        if w.above[2 * i] <= time + safe < w.above[2 * i + 1]:
            safe = (w.above[2 * i + 1] - time) * (1.0 - FLIGHT_MARGIN)
        if safe < advance:
            others = advance
            advance, closest = safe, i
        elif safe < others:
            others = safe
    return closest, advance, others


@block(i8(machine_record, workspace_record, motion_record, f8, i8))
def fly_ballistic(m: Machine, w: Workspace, s: Motion, longest: Real, known: Integer) -> Integer:
    """Fly to the next contact or for the time ``longest``; returns the contact, NO_CONTACT or UNDECIDED.

    ``known``: what ``first_gaps`` may take from the instant before. The state at the end is in w.new_state, the
    duration in s.event.flight.
    """
    n = m.n
    z = s.z
    call_state(m.flight_bounds, s.t, address(z, 0), address(z, n), address(m.p, 0), address(w.bound, 0))
    find_levels(m, w)
    time = 0.0 if known else surely_open_until(m, w, s)
    if time >= longest:
        s.event.flight = longest
        flight_state(m, w, s, longest)
        return NO_CONTACT
    if time > 0.0:
        flight_gaps(m, w, s, time)
    else:
        first_gaps(m, w, s, known)
    for step in range(1 if time > 0.0 else 0, FLIGHT_STEPS):
        closest, advance, others = next_candidate(m, w, s, time, step)
        if math.isnan(advance):
            return UNDECIDED
        if time + advance >= longest:
            s.event.flight = longest
            flight_state(m, w, s, longest)
            return NO_CONTACT
        if advance < 0.0:
            base = FLIGHT_STRIDE * closest
            s.event.flight = to_root(time, w.flight_gap[base], w.flight_gap[base + 1], s.t)
            flight_state(m, w, s, s.event.flight)
            return closest
        gap, rate = w.flight_gap[FLIGHT_STRIDE * closest], w.flight_gap[FLIGHT_STRIDE * closest + 1]
        latest = surely_closed(gap, rate, w.bound[BOUND_STRIDE * closest + 1])
        if latest < others and time + latest < longest:
            s.event.flight = close_in(m, w, s, time, closest, advance, latest)
            flight_state(m, w, s, s.event.flight)
            return closest
        if step > 0 and advance <= NO_ADVANCE * (abs(s.t) + time) and rate < 0.0:
            s.event.flight = time
            flight_state(m, w, s, time)
            return closest
        time += max(advance, EPSILON * (abs(s.t) + time))
        flight_gaps(m, w, s, time)
    return UNDECIDED


@kernel
def may_fly(m: Machine, s: Motion, closed: Integer) -> Truth:
    """Whether the ballistic way is open: all contacts apart, none that starts at a double root."""
    if not m.ballistic or closed > 0:
        return False
    for i in range(m.nc):
        if s.modes[i] != OPEN or not begins_simply(s, i):
            return False
    return True

"""Gaps that close at one instant, as far as rounding lets one tell.

A gap is known to its rounding d, and so the time of its root to d/|g'|. A box that turns about one corner of its
support until it lies flat closes the gaps of all other corners at one time; the one beside the axis closes a thousand
times more slowly, and its root lies before or behind the others' by chance. Which of them collides first is a rule
(impact/resolve.py), not chance: the instant is that of the gap whose root is known best, where all of them are zero.
"""

from jounce.kernels.contact.projection import project
from jounce.kernels.events.event_location import polish
from jounce.kernels.events.series_guards import polish_on_series
from jounce.kernels.flow.flight import flight_gaps, flight_state
from jounce.kernels.records.codes import GAP_WATCHED, GUARD_GAP, OPEN
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import (
    GAP_ROUNDING,
    GRAZING_SPEED,
    POLISH_RANGE,
    SAME_INSTANT_CORRECTIONS,
    TOUCH_TOLERANCE,
)
from jounce.kernels.records.workspace import FLIGHT_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def may_close_with(m: Machine, w: Workspace, s: Motion, hit: Integer, k: Integer) -> Truth:
    """Whether contact k is apart and approaches, by w.gap, while contact ``hit`` closes."""
    if k == hit or s.modes[k] != OPEN or m.compliant[k] or m.load[k] or s.gap_watch[k] != GAP_WATCHED:
        return False
    return w.gap[2 * k] > TOUCH_TOLERANCE * w.size[k] and w.gap[2 * k + 1] < 0.0


@kernel
def another_is_near(m: Machine, w: Workspace, s: Motion, hit: Integer, time: Real) -> Truth:
    """Whether at the speeds in w.gap another contact closes within ``time``."""
    for k in range(m.nc):
        if may_close_with(m, w, s, hit, k) and w.gap[2 * k] <= -w.gap[2 * k + 1] * time:
            return True
    return False


@kernel
def closes_last(m: Machine, w: Workspace, s: Motion, hit: Integer) -> tuple[Integer, Real]:
    """(the contact that closes last of those that close with ``hit``, how much later), by w.gap; (-1, 0): it is alone.

    At the time of each one all those before it are zero to their rounding. What only grazes has no part in impacts.
    On the constraints the gap of ``hit`` may still be open by what the step has drifted from them.
    """
    if not w.gap[2 * hit + 1] < -GRAZING_SPEED * s.memory.speed[2 * hit]:
        return -1, 0.0
    last, later = -1, 0.0
    until = -(max(w.gap[2 * hit], 0.0) + GAP_ROUNDING * w.size[hit]) / w.gap[2 * hit + 1]
    for _ in range(m.nc):
        following, first = -1, until
        for k in range(m.nc):
            if may_close_with(m, w, s, hit, k):
                time = -w.gap[2 * k] / w.gap[2 * k + 1]
                if later < time <= first:
                    following, first = k, time
        if following < 0:
            break
        last, later = following, first
        until = min(until, later - GAP_ROUNDING * w.size[last] / w.gap[2 * last + 1])
    return last, later


@kernel
def take_flight_gaps(m: Machine, w: Workspace) -> None:
    """w.gap at the place of a flight that was asked last."""
    for k in range(m.nc):
        for j in range(2):
            w.gap[2 * k + j] = w.flight_gap[FLIGHT_STRIDE * k + j]


@kernel
def fly_to_last(m: Machine, w: Workspace, s: Motion, hit: Integer, longest: Real) -> Integer:
    """Let a flight that ends with contact ``hit`` end with the last one that closes with it; returns that one.

    The place that was asked last is next to the end of the flight.
    """
    if m.compliant[hit]:
        return hit
    take_flight_gaps(m, w)
    if not another_is_near(m, w, s, hit, s.event.flight):
        return hit
    flight_gaps(m, w, s, s.event.flight)
    take_flight_gaps(m, w)
    last, later = closes_last(m, w, s, hit)
    time = s.event.flight + later
    if last < 0 or time > longest:
        return hit
    for _ in range(SAME_INSTANT_CORRECTIONS):
        flight_gaps(m, w, s, time)
        gap, rate = w.flight_gap[FLIGHT_STRIDE * last], w.flight_gap[FLIGHT_STRIDE * last + 1]
        if not rate < 0.0:
            break
        time = min(time - gap / rate, longest)
    s.event.flight = time
    flight_state(m, w, s, time)
    return last


@kernel
def gaps_on_constraints(m: Machine, w: Workspace, s: Motion, length: Real, closed: Integer) -> None:
    """w.gap at the end of the step just taken, moved onto its constraints, into w.point.

    Those of contacts that close together because others are closed do so there only.
    """
    n, p, t = m.n, address(m.p, 0), s.t + length
    for k in range(2 * n):
        w.point[k] = w.new_state[k]
    if closed + m.nj > 0:
        project(m, w, t, address(w.point, 0), address(w.point, n), address(s.modes, 0))
    call_state(m.gaps, t, address(w.point, 0), address(w.point, n), p, address(w.gap, 0))


@kernel
def closing_row(s: Motion, count: Integer, k: Integer) -> Integer:
    """The guard row of the gap of contact k that closes; -1 if it has none."""
    for g in range(count):
        if s.event.guards[g, 0] == GUARD_GAP and s.event.guards[g, 1] == k and s.event.guards[g, 2] > 0:
            return g
    return -1


@kernel
def last_on_step(
    m: Machine,
    w: Workspace,
    s: Motion,
    closed: Integer,
    g: Integer,
    count: Integer,
    h: Real,
    length: Real,
    there: Truth,
) -> tuple[Integer, Real]:
    """(row of the last gap that closes with that of row g, its part of h); the step of ``length`` ends at row g.

    The row is -1 where g is alone. ``there``: roots are sharpened on series, and the state is that of the new one.
    """
    hit = s.event.guards[g, 1]
    if count == 1 or s.event.guards[g, 0] != GUARD_GAP or s.event.guards[g, 2] < 0 or m.compliant[hit]:
        return -1, 1.0
    state = w.new_state
    call_state(m.gaps, s.t + length, address(state, 0), address(state, m.n), address(m.p, 0), address(w.gap, 0))
    if not another_is_near(m, w, s, hit, length):
        return -1, 1.0
    gaps_on_constraints(m, w, s, length, closed)
    last, later = closes_last(m, w, s, hit)
    row = closing_row(s, count, last) if last >= 0 else -1
    # of a gap that all but grazes the time says nothing; a root is sharpened within this range
    if row < 0 or length + later > h or later > POLISH_RANGE * h:
        return -1, 1.0
    s.event.event_x = (length + later) / h
    return row, polish_on_series(m, w, s, h, row) if there else polish(m, w, s, h, s.settings.rows, row)

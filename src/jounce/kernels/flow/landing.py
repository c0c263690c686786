"""How a step lands on the event that ends it: its end is moved, and the step taken again where that is not enough."""

from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.projection import project
from jounce.kernels.events.guards import guard_at
from jounce.kernels.flow.radau import take_radau_step
from jounce.kernels.flow.runge_kutta import (
    interpolate,
    take_step,
)
from jounce.kernels.flow.sides import holds_sides
from jounce.kernels.flow.taylor import end_series_at
from jounce.kernels.flow.together import last_on_step
from jounce.kernels.records.codes import (
    GUARD_CARRIED,
    GUARD_CONE_LOWER,
    GUARD_END,
    GUARD_FORCE,
    GUARD_GAP,
    GUARD_SLIP,
    GUARD_USER,
    LEAP,
    SURFACE_LEAP,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import (
    BEHIND_BORDER,
    BEHIND_KINK,
    CORRECTION_ROUNDING,
    CORRECTIONS,
    EPSILON,
    EXACT_FLOW,
    FARTHEST_EVENT,
    FARTHEST_SLIP,
    SHORT_MOVE,
    SLIP_CORRECTIONS,
    SLOPE_PART,
    STEP_ROUNDING,
)
from jounce.kernels.records.workspace import STAGES
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

MOVED = STAGES - 1  # a stage that is free where a step lands on an event


@kernel
def guard_slope(m: Machine, w: Workspace, s: Motion, g: Integer, h: Real, x: Real) -> Real:
    """The slope in time of guard row g before a part x of the step, by a difference along the interpolant."""
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    rows, before = s.settings.rows, max(x - SLOPE_PART, 0.0)
    if before == x:
        return 0.0
    interpolate(s.z, w.interpolant, rows, before, 2 * m.n, w.point)
    first, _ = guard_at(m, w, kind, index, sign, s.t + before * h, w.point, s.modes)
    interpolate(s.z, w.interpolant, rows, x, 2 * m.n, w.point)
    last, _ = guard_at(m, w, kind, index, sign, s.t + x * h, w.point, s.modes)
    return (last - first) / ((x - before) * h)


@kernel
def move_end(m: Machine, w: Workspace, s: Motion, length: Real, time: Real, closed: Integer) -> None:
    """Let the step just taken end a little later or earlier: along the derivative at its end."""
    derivative(m, w, s.t + length, w.new_state, s.modes, closed, MOVED)
    for k in range(2 * m.n):
        w.new_state[k] += time * w.stages[MOVED, k]


@kernel
def retake(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Take the step just taken with another length."""
    if w.by_series:
        end_series_at(m, w, s, h)
    elif w.by_radau:
        take_radau_step(m, w, s, h, closed)
    else:
        take_step(m, w, s, h, closed)


@kernel
def step_behind(
    m: Machine, w: Workspace, s: Motion, closed: Integer, length: Real, index: Integer, sign: Integer
) -> Real:
    """Take the step up to behind the border that it has reached, whose side it holds; returns its length."""
    time = EPSILON * (abs(s.t) + length)
    for _ in range(BEHIND_BORDER):
        value, _ = guard_at(m, w, GUARD_USER, index, sign, s.t + length, w.new_state, s.modes)
        if value < 0.0:
            break
        length += time
        time *= 2.0
        retake(m, w, s, length, closed)
    if m.guard_kink[index] == SURFACE_LEAP and closed + m.nj > 0:
        project(m, w, s.t + length, address(w.new_state, 0), address(w.new_state, m.n), address(s.modes, 0))
    return length


@kernel
def pass_kink(
    m: Machine, w: Workspace, s: Motion, closed: Integer, length: Real, index: Integer, sign: Integer
) -> Real:
    """Let the step just taken end behind the kink that it has reached; returns its length.

    All its stages lie before the kink: its last one would see the other branch, or the value at zero, which may be a
    third one. From there the state is moved on, by no more than shows, until the guard has its new sign: the next step
    begins with the forces behind the kink. Where the velocity of a surface jumps the state is put onto its constraints
    here: those behind hold for it only after what happens at this instant.

    Where the side of the border is held all stages have the forces before it, wherever they lie: the step itself is
    taken to the first time behind.
    """
    if m.guard_held[index] and holds_sides(m):
        return step_behind(m, w, s, closed, length, index, sign)
    time = STEP_ROUNDING * (abs(s.t) + length)
    for _ in range(BEHIND_KINK):
        value, _ = guard_at(m, w, GUARD_USER, index, sign, s.t + length, w.new_state, s.modes)
        if value > 0.0:
            break
        length -= time
        time *= 2.0
        retake(m, w, s, length, closed)
    if m.guard_kink[index] == SURFACE_LEAP and closed + m.nj > 0:
        project(m, w, s.t + length, address(w.new_state, 0), address(w.new_state, m.n), address(s.modes, 0))
    for _ in range(BEHIND_KINK):
        value, _ = guard_at(m, w, GUARD_USER, index, sign, s.t + length, w.new_state, s.modes)
        if value < 0.0:
            break
        move_end(m, w, s, length, time, closed)
        length += time
        time *= 2.0
    return length


@kernel
def ends_at_leap(m: Machine, w: Workspace, s: Motion, h: Real) -> Truth:
    """Whether something jumps at the very end of the step just taken, which has passed nothing."""
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP and s.user_sign[k] != 0 and not s.user_fresh[k]:
            value, _ = guard_at(m, w, GUARD_USER, k, s.user_sign[k], s.t + h, w.new_state, s.modes)
            if not value > 0.0:
                return True
    return False


@kernel
def end_before_leap(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Take a step that ends at a jump anew, up to just before it: its last stages have seen what is behind."""
    length = h - STEP_ROUNDING * (abs(s.t) + h)
    if length > 0.0:
        retake(m, w, s, length, closed)
        move_end(m, w, s, length, h - length, closed)
        w.interpolated = 0


@kernel
def is_corrected(kind: Integer) -> Truth:
    """Whether the time of an event of this kind is corrected on the state at the end of a fresh step."""
    return kind == GUARD_GAP or GUARD_FORCE <= kind <= GUARD_CONE_LOWER or kind == GUARD_CARRIED or kind == GUARD_END


@kernel
def land(
    m: Machine, w: Workspace, s: Motion, closed: Integer, g: Integer, h: Real, x: Real, error: Real, there: Truth
) -> tuple[Real, Real]:
    """The state at an event inside the step, into w.new_state; returns (h, x) of the step that leads there.

    ``there``: a root on a series has been sharpened, and the state is that at its place. A series has the same order
    everywhere. Where the flow is exact to rounding the interpolant is used as it is.
    Otherwise a fresh step ends at the event, so its state has the full order, and the time is corrected on that state
    by Newton: the interpolant is known to a lower order, and a force that is not quite zero where its contact opens
    would close it again at once. At a kink the step that passed it has seen both branches, the fresh one sees one.

    The slip of a joint is corrected on the state that lies on the constraints. Where it is a small part k of a velocity
    v that the step knows to an error d, it seems to vanish where v = d/k; on the constraints it vanishes with v.
    """
    t = s.t
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    kink = kind == GUARD_USER and m.guard_kink[index] != 0
    if w.by_series:
        if not there:
            end_series_at(m, w, s, x * h)
        w.interpolated = 0
        return pass_kink(m, w, s, closed, x * h, index, sign) if kink else x * h, 1.0
    if error < EXACT_FLOW and not kink:
        interpolate(s.z, w.interpolant, s.settings.rows, x, 2 * m.n, w.new_state)
        return h, x
    length = x * h
    # the gap of a sharp corner may have a kink where it vanishes: the slope before it counts
    by_secant = kind != GUARD_GAP or m.faces != 0
    held = kind == GUARD_SLIP and closed + m.nj > 1
    turns, farthest = (SLIP_CORRECTIONS, FARTHEST_SLIP) if held else (CORRECTIONS, FARTHEST_EVENT)
    secant = guard_slope(m, w, s, g, h, x) if by_secant and (kink or is_corrected(kind)) else 0.0
    retake(m, w, s, length, closed)
    for _ in range(turns if not by_secant or secant != 0.0 else 0):
        if held:
            project(m, w, t + length, address(w.new_state, 0), address(w.new_state, m.n), address(s.modes, 0))
        value, slope = guard_at(m, w, kind, index, sign, t + length, w.new_state, s.modes)
        slope = secant if by_secant else slope
        correction = -value / slope if slope < 0.0 else 0.0
        if abs(correction) <= CORRECTION_ROUNDING * (abs(t) + h) or abs(correction) > farthest * length:
            break
        if abs(correction) <= SHORT_MOVE * length:
            move_end(m, w, s, length, correction, closed)
            length += correction
        else:
            length += correction
            retake(m, w, s, length, closed)
    if kink:
        length = pass_kink(m, w, s, closed, length, index, sign)
    w.interpolated = 0
    return length, 1.0


@kernel
def closed_on_the_way(
    m: Machine, w: Workspace, s: Motion, g: Integer, count: Integer, h: Real, x: Real, end: Real
) -> tuple[Integer, Real]:
    """(row of the gap that closes first between the time x h and the end of the step, its part of h); -1: none does."""
    n, p, start = m.n, address(m.p, 0), x * h
    if count == 1 or not end > start + STEP_ROUNDING * (abs(s.t) + h):
        return -1, x
    interpolate(s.z, w.interpolant, s.settings.rows, x, 2 * n, w.point)
    call_state(m.gaps, s.t + start, address(w.point, 0), address(w.point, n), p, address(w.gap_ahead, 0))
    call_state(m.gaps, s.t + end, address(w.new_state, 0), address(w.new_state, n), p, address(w.gap, 0))
    first, place = -1, end
    for k in range(count):
        if k == g or s.event.guards[k, 0] != GUARD_GAP or s.event.guards[k, 2] < 0:
            continue
        i = s.event.guards[k, 1]
        before, after = w.gap_ahead[2 * i], w.gap[2 * i]
        if before > 0.0 > after:
            time = start + (end - start) * before / (before - after)
            if time < place:
                first, place = k, time
    return first, place / h


@kernel
def land_on_first(
    m: Machine,
    w: Workspace,
    s: Motion,
    closed: Integer,
    g: Integer,
    count: Integer,
    h: Real,
    x: Real,
    error: Real,
    there: Truth,
) -> tuple[Integer, Real, Real]:
    """``land`` on guard row g, or on the gap that closes before it or with it; returns (its row, h, x).

    The time of a gap that hardly passes zero is known to its error over a small velocity: the state of the fresh step
    may move it far behind what the interpolant says, and others, of which the interpolant knew that they close behind
    it, close before. The corner of a box that turns about another corner, into the angle of a wall and a floor, comes
    to the wall without a velocity at the time at which the box meets both.
    """
    length, part = land(m, w, s, closed, g, h, x, error, there)
    for _ in range(count):
        other, place = closed_on_the_way(m, w, s, g, count, h, x, part * length)
        if other < 0:
            break
        g, x = other, place
        length, part = land(m, w, s, closed, g, h, x, error, False)
    last, x = last_on_step(m, w, s, closed, g, count, h, part * length, there)
    if last >= 0:
        g = last
        length, part = land(m, w, s, closed, g, h, x, error, there)
    return g, length, part

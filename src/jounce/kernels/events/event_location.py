"""Where the first of a mode's guards vanishes on one step: each is a polynomial on pieces that resolve it."""

from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.modes import cone_margin
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.events.guard_polynomial import (
    NO_ROOT,
    bernstein_of,
    deflate,
    first_root,
    integrate,
    smooth_bernstein,
)
from jounce.kernels.events.guards import guard_at, has_gaps, sample_guards
from jounce.kernels.events.pieces import SHRINK, guard_rounding, note_terms, resolve_piece
from jounce.kernels.events.user_guards import has_been_away, note_sizes, silence, user_root
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.records.codes import GAP_HOVERING, GUARD_CONE_LOWER, GUARD_FORCE, GUARD_GAP, GUARD_SLIP, GUARD_USER
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import (
    AT_CORNER,
    EQUALITY,
    FLIGHT_KNOWN,
    GAP_KNOWN,
    GRAZING_DEPTH,
    HOVERING_DEPTH,
    LARGEST,
    LAST_PIECE,
    LEAST_ERROR,
    LONGEST_PIECE,
    NEAR_END,
    NEAR_SINGULAR,
    PIECE_SAFETY,
    POLISH_RANGE,
    POLISH_TURNS,
    SAME_VELOCITY,
    SECANT_WIDTH,
    SMALLEST_PIECE,
    START_ROUNDING,
    TOUCH_AHEAD,
)
from jounce.kernels.records.workspace import DEGREE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers2, Real, Reals, Truth


@kernel
def guard_root(
    m: Machine, w: Workspace, g: Integer, guards: Integers2, fresh: Integer, gap: Real, t: Real, width_in_time: Real
) -> Real:
    """First root of guard row g on the sampled piece; ``gap`` is the gap at its start, with the guard's sign."""
    c = w.bernstein
    kind, index, sign = guards[g, 0], guards[g, 1], guards[g, 2]
    rounding = guard_rounding(m, w, g, guards, t, width_in_time)
    noisy = bernstein_of(w.samples, g, rounding, c)
    if kind == GUARD_GAP and sign < 0:
        # a pressed contact has opened when its gap is wider than the integrator can tell it from zero
        fresh, gap = 0, max(gap, 0.0) + w.velocity_floor[index] * width_in_time
    if kind == GUARD_GAP and sign > 0:
        if fresh == 0 and gap <= 0.0 and c[0] > 0.0:
            fresh = 1  # a gap that rounding has closed and its velocity opens starts at its root
    if kind == GUARD_SLIP and -SAME_VELOCITY * w.terms[g] <= w.samples[g, 0] < 0.0:
        fresh = 1  # a slip that counts as zero starts at its root, on whichever side of it others hold it
        for k in range(DEGREE + 1):
            c[k] -= w.samples[g, 0]
    if noisy and kind == GUARD_GAP and fresh == 1:
        smooth_bernstein(w.samples, g, rounding, c)
    degree = DEGREE
    if kind == GUARD_GAP:
        if fresh == 2:
            c[0] = 0.0
        integrate(0.0 if fresh > 0 else gap, width_in_time, c)
        degree = DEGREE + 1
    elif fresh > 0:
        c[0] = 0.0
    for _ in range(fresh):
        degree = deflate(c, degree)
    size = 0.0
    for k in range(degree + 1):
        size = max(size, abs(c[k]))
    if fresh > 0:
        if (fresh > 1 or kind != GUARD_GAP) and abs(c[0]) < START_ROUNDING * size:
            c[0] = 0.0
    elif kind == GUARD_GAP and sign > 0 and c[0] > 0.0:
        depth = min(GRAZING_DEPTH * size, 0.5 * c[0])
        for k in range(degree + 1):
            c[k] -= depth
    return first_root(c, degree, w.split)


@kernel
def piece_start(
    m: Machine, w: Workspace, t: Real, z: Reals, h: Real, rows: Integer, start: Real, guards: Integers2
) -> None:
    """Gaps and their velocities at the start of a piece."""
    if not has_gaps(m, guards):
        return
    n = m.n
    interpolate(z, w.interpolant, rows, start, 2 * n, w.point)
    call_state(m.gaps, t + start * h, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.gap, 0))


@block(f8(machine_record, workspace_record, motion_record, i8, f8))
def only_touches(m: Machine, w: Workspace, s: Motion, g: Integer, h: Real) -> Real:
    """Where behind s.event.event_x guard row g, of a force, is clearly positive again; 0 if it is not, or not soon.

    It has then only touched zero, as that of a ball on a table whose acceleration just reaches gravity, or that of a
    block on a plate that friction can just move along: a release would be too short for a gap or a slip larger than its
    rounding. Clearly: by more than modes are told apart (contact/modes.py).
    """
    kind, i = s.event.guards[g, 0], s.event.guards[g, 1]
    rows = s.settings.rows
    ahead = TOUCH_AHEAD
    while s.event.event_x + ahead <= 1.0:
        x = s.event.event_x + ahead
        interpolate(s.z, w.interpolant, rows, x, 2 * m.n, w.point)
        value, _ = guard_at(m, w, kind, i, 1, s.t + x * h, w.point, s.modes)
        evaluate_model(m, w, s.t + x * h, address(w.point, 0), address(w.point, m.n))
        if solve_mode(m, w, address(s.modes, 0)) == 0.0 or w.least_pivot < NEAR_SINGULAR:
            return 0.0  # the force is a quotient of two numbers that vanish: it says nothing
        measure_terms(m, w, address(s.modes, 0))
        size = w.force_size[i, 0] if kind == GUARD_FORCE else cone_margin(w, i)[1]
        if value > EQUALITY * size:
            return x
        if value < -EQUALITY * size:
            return 0.0
        ahead *= 4.0
    return 0.0


@kernel
def far_from_zero(w: Workspace, g: Integer) -> Truth:
    """Whether a polynomial through the samples of guard row g is positive whatever it does between them.

    It leaves the middle of their range by no more than the Lebesgue constant of thirteen Chebyshev points, 2.6, times
    half of it.
    """
    low = high = w.samples[g, 0]
    for k in range(1, DEGREE + 1):
        low = min(low, w.samples[g, k])
        high = max(high, w.samples[g, k])
    return low > high - low


@kernel
def start_gap(m: Machine, w: Workspace, s: Motion, g: Integer, start: Real) -> Real:
    """The gap of guard row g at the start of the sampled piece, with the guard's sign; 0 for any other guard.

    A gap that lies on its surface without a force may be deeper by its rounding; that of a corner whose place another
    contact has, by what counts as one place.
    """
    i = s.event.guards[g, 1]
    if s.event.guards[g, 0] != GUARD_GAP:
        return 0.0
    gap = s.event.guards[g, 2] * w.gap[2 * i]
    depth = HOVERING_DEPTH if m.faces == 0 else NEAR_END * AT_CORNER
    return gap + depth * w.size[i] if start == 0.0 and s.gap_watch[i] == GAP_HOVERING else gap


@kernel
def first_piece_root(
    m: Machine, w: Workspace, s: Motion, h: Real, start: Real, width: Real, count: Integer
) -> tuple[Integer, Real]:
    """(row of the guard that vanishes first on the sampled piece or -1, where on it); w.root: where each one does."""
    guards = s.event.guards
    best, x = -1, NO_ROOT
    for g in range(count):
        fresh = guards[g, 3] if start == 0.0 else 0
        if guards[g, 0] == GUARD_USER:
            root = NO_ROOT if w.silent[g] else user_root(m, w, s, g, fresh, s.t, width * h)
        elif guards[g, 0] != GUARD_GAP and fresh == 0 and far_from_zero(w, g):
            root = NO_ROOT
        else:
            gap = start_gap(m, w, s, g, start)
            root = guard_root(m, w, g, guards, fresh, gap, s.t, width * h)
        w.root[g] = root
        if root < x:
            best, x = g, root
    return best, x


@block(i8(machine_record, workspace_record, motion_record, f8, i8, i8, i8))
def first_event(
    m: Machine, w: Workspace, s: Motion, h: Real, rows: Integer, closed: Integer, count: Integer
) -> Integer:
    """Scan one step from left to right; returns the guard row or -1, its place in s.event.event_x.

    w.root has the places of the roots of all guards on the piece of the first one.
    The interpolant of the step has ``rows`` rows.
    s.pace.reach is the length of time over which the guards were resolved last, carried from step to step.
    """
    if count == 0:
        s.pace.reach = max(s.pace.reach, h)
        return -1
    reach, start = s.pace.reach, 0.0
    w.limits_known = 0
    note_terms(m, w, s)
    for g in range(count):
        w.noise[g] = w.terms[g] = 0.0
    while start < 1.0:
        asked = min(1.0 - start, reach / h)
        if 1.0 - (start + asked) < LAST_PIECE * asked:
            asked = 1.0 - start
        piece_start(m, w, s.t, s.z, h, rows, start, s.event.guards)
        width, excess, shrunk = resolve_piece(m, w, s, h, rows, start, asked, closed, count)
        # the tail falls with the power N-1 of the width: go as far as it will just be resolved
        resolved = width * h * min(LONGEST_PIECE, PIECE_SAFETY * max(excess, LEAST_ERROR) ** SHRINK)
        reach = resolved if shrunk else max(reach, resolved)
        s.pace.reach = max(reach, SMALLEST_PIECE * s.pace.step_size)
        for g in range(count):
            w.silent[g] = 0
        best, x = first_piece_root(m, w, s, h, start, width, count)
        while best >= 0 and s.event.guards[best, 0] == GUARD_USER:
            if has_been_away(m, w, s, rows, best, h, start, width, x):
                break
            # zero to what it is known to: no event before it has left; the piece ends where it does
            shorter = silence(m, w, s, best)
            if shorter < 1.0:
                width *= shorter
                sample_guards(m, w, s.t, s.z, h, rows, start, width, s.modes, closed, s.event.guards, count)
                s.memory.effort += DEGREE + 1
            best, x = first_piece_root(m, w, s, h, start, width, count)
        note_sizes(m, w, s, rows, count, min(x, 1.0), width * h)
        if best >= 0:
            s.event.event_x = start + width * x
            for g in range(count):
                w.root[g] = start + width * w.root[g] if w.root[g] < NO_ROOT else NO_ROOT
            return best
        start += width
    return -1


@kernel
def rounding_hides(m: Machine, w: Workspace, s: Motion, h: Real, rows: Integer, index: Integer) -> Truth:
    """Whether a flight is so low that the rounding of its gap spoils the time that its velocity gives."""
    interpolate(s.z, w.interpolant, rows, s.event.event_x, 2 * m.n, w.point)
    _, speed = guard_at(m, w, GUARD_GAP, index, 1, s.t + s.event.event_x * h, w.point, s.modes)
    return GAP_KNOWN * w.size[index] > FLIGHT_KNOWN * s.event.event_x * h * abs(speed)


@block(f8(machine_record, workspace_record, motion_record, f8, i8, i8))
def polish(m: Machine, w: Workspace, s: Motion, h: Real, rows: Integer, g: Integer) -> Real:
    """Sharpen a root of the guard polynomial on the guard itself, along the interpolant (Newton, else secant)."""
    t, z, modes, x = s.t, s.z, s.modes, s.event.event_x
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    nz = 2 * m.n
    if kind == GUARD_GAP and s.event.guards[g, 3] == 1 and rounding_hides(m, w, s, h, rows, index):
        return x
    # the gap of a sharp corner may have a kink where it vanishes: its slope there is not the one that leads to it
    by_secant = kind != GUARD_GAP or m.faces != 0
    other, other_value = x, 0.0
    if by_secant:
        other = x - SECANT_WIDTH if x > 2.0 * SECANT_WIDTH else x + SECANT_WIDTH
        interpolate(z, w.interpolant, rows, other, nz, w.point)
        other_value, _ = guard_at(m, w, kind, index, sign, t + other * h, w.point, modes)
    best, best_value = x, LARGEST
    for _ in range(POLISH_TURNS):
        interpolate(z, w.interpolant, rows, x, nz, w.point)
        value, slope = guard_at(m, w, kind, index, sign, t + x * h, w.point, modes)
        if abs(value) < abs(best_value):
            best, best_value = x, value
        elif abs(value) > 0.5 * abs(best_value):
            break
        if value == 0.0:
            break
        slope *= h
        if by_secant:
            slope = (value - other_value) / (x - other) if x != other else 0.0
            other, other_value = x, value
        if not slope < 0.0:
            break
        # near a double root the slope is no guide: stay where the polynomial has its root
        new = min(max(x - value / slope, s.event.event_x - POLISH_RANGE, 0.0), s.event.event_x + POLISH_RANGE, 1.0)
        if new == x:
            break
        x = new
    return best


@kernel
def next_unsharpened(w: Workspace, s: Motion, count: Integer, before: Real) -> Integer:
    """The guard row whose root is the first one in w.root and lies in front of ``before``; -1 if there is none.

    Forces and cones are left out: whether they only touch zero has not been looked at.
    """
    found = -1
    for g in range(count):
        kind = s.event.guards[g, 0]
        counts = kind == GUARD_SLIP or not GUARD_FORCE <= kind <= GUARD_CONE_LOWER
        if counts and w.root[g] < before:
            found, before = g, w.root[g]
    return found


@block(i8(machine_record, workspace_record, motion_record, f8, i8, i8, i8))
def first_sharpened(
    m: Machine, w: Workspace, s: Motion, h: Real, rows: Integer, count: Integer, first: Integer
) -> Integer:
    """The guard row whose sharpened root comes first, that root in s.event.event_x; ``first`` is so by the polynomials.

    To sharpen a root moves it, by much where the guard hardly passes zero: behind those of others that are known well,
    or in front of them. So roots are sharpened in their order until none is left that may come to lie in front of the
    first sharpened one.
    """
    w.root[first] = NO_ROOT
    best, x = first, polish(m, w, s, h, rows, first)
    while True:
        g = next_unsharpened(w, s, count, x + POLISH_RANGE)
        if g < 0:
            s.event.event_x = x
            return best
        s.event.event_x, w.root[g] = w.root[g], NO_ROOT
        root = polish(m, w, s, h, rows, g)
        if root < x:
            best, x = g, root

"""Pieces of a step on which every guard is a polynomial: made shorter until each one is resolved."""

from jounce.kernels.events.guard_polynomial import WEIGHTS, sample_rounding, tail_and_size
from jounce.kernels.events.guards import has_gaps, sample_guards
from jounce.kernels.events.user_guards import allow_noise
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.records.codes import GUARD_CARRIED, GUARD_GAP, GUARD_SLIP, GUARD_USER
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.scales import share, velocity_terms
from jounce.kernels.records.tolerances import (
    ALIAS_TOLERANCE,
    ALIASED,
    CHANGE_ROUNDING,
    EPSILON,
    EVALUATED,
    FORCE_NOISE,
    LARGEST,
    NOISE_FALL,
    PIECE_SAFETY,
    ROUNDING_ASKED,
    SHORTEST_RESIZE,
    SMALLEST_PIECE,
    SUMMED,
    UNRESOLVED,
    VELOCITY_NOISE,
)
from jounce.kernels.records.workspace import DEGREE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers2, Real, Reals, Truth

SHRINK = -1.0 / (DEGREE - 1)


@kernel
def guard_rounding(m: Machine, w: Workspace, g: Integer, guards: Integers2, t: Real, width_in_time: Real) -> Real:
    """The rounding that the samples of guard row g carry."""
    kind, i = guards[g, 0], guards[g, 1]
    rounding = max(sample_rounding(w.samples, g, t, width_in_time), EVALUATED * w.terms[g])
    if kind == GUARD_GAP:
        # velocities are differences of larger ones: bodies that move together have none
        rounding = max(rounding, SUMMED * w.velocity_terms[2 * i])
    elif kind == GUARD_USER:
        rounding = max(rounding, SUMMED * w.size[m.nc + m.nj + i])
    return rounding


@kernel
def note_terms(m: Machine, w: Workspace, s: Motion) -> None:
    """The terms of which the contacts' velocities are sums, at the start of the step."""
    if m.nc == 0:
        return
    n, z = m.n, s.z
    call_state(m.contacts, s.t, address(z, 0), address(z, n), address(m.p, 0), address(w.contact, 0))
    for i in range(m.nc):
        base, normal = contact_place(m, i), normal_place(m, i)
        w.velocity_terms[2 * i] = velocity_terms(m, w, address(z, n), i, normal, w.contact[base + 1])
        w.velocity_terms[2 * i + 1] = velocity_terms(m, w, address(z, n), i, normal + m.width, w.contact[base + 2])
        w.velocity_floor[i] = 0.0
        for k in range(m.width):
            whole = share(w.whole[1], w.start_mass[column(m, i, k)])
            w.velocity_floor[i] += ROUNDING_ASKED * EPSILON * abs(w.contact[normal + k]) * whole


@kernel
def measure_slips(m: Machine, w: Workspace, s: Motion, count: Integer) -> None:
    """Slip velocities are known to the rounding of the speeds at the last instant, which projection leaves in them.

    Nor are they known better than to the rounding of their own terms, as these are now: a surface that begins to move
    has no speed yet, and a journal in the middle of its bearing has no direction.
    """
    for g in range(count):
        if s.event.guards[g, 0] == GUARD_SLIP:
            i = s.event.guards[g, 1]
            w.terms[g] = max(w.terms[g], s.memory.speed[2 * i + 1], w.size_now[m.nc + m.nj + m.ng + i])


@kernel
def clearly_positive(w: Workspace, g: Integer, tail: Real) -> Truth:
    """Whether a guard with kinks, of which only the sign matters, is positive between its samples too.

    The Chebyshev coefficients a_k of a kink fall with 1/k^2, so all that the samples leave out is about N a_N.
    """
    lowest = w.samples[g, 0]
    for k in range(1, DEGREE + 1):
        lowest = min(lowest, w.samples[g, k])
    return lowest > DEGREE * tail


@kernel
def piece_resolved(
    m: Machine, w: Workspace, guards: Integers2, count: Integer, t: Real, width_in_time: Real, tolerance: Real
) -> Real:
    """(ratio of unresolved shape to tolerance, worst over the guards); at most 1 is resolved.

    w.allowed receives what the tails may be, w.worst the row of the worst guard.
    """
    worst = 0.0
    for g in range(count):
        tail, size = tail_and_size(w.samples, g)
        if not size < LARGEST:
            return LARGEST
        rounding = 4.0 * guard_rounding(m, w, g, guards, t, width_in_time)
        allowed = tolerance * size + rounding + w.noise[g]
        if guards[g, 0] == GUARD_GAP:
            # the gap itself is what must be resolved: velocity times duration, against the size of the gap; and no
            # velocity to more digits than the integrator asks for
            i = guards[g, 1]
            allowed = max(allowed, tolerance * abs(w.gap[2 * i]) / width_in_time, w.velocity_floor[i])
        w.allowed[g] = allowed
        if guards[g, 0] == GUARD_CARRIED and clearly_positive(w, g, tail):
            continue
        if tail > rounding and tail > worst * allowed:
            worst = tail / allowed
            w.worst = g
    return worst


@kernel
def learn_noise(m: Machine, w: Workspace, guards: Integers2, count: Integer, compare: Truth) -> Truth:
    """Keep the tails of all guards; True if, compared with those of the longer piece before, one is noise.

    A force is the difference of larger ones. Where it is small their rounding is its own, on a piece of any length.
    So is that of a contact's velocity: the direction of a journal in its bearing is known to the rounding of the
    coordinates over the clearance only.
    """
    found = False
    for g in range(count):
        tail, size = tail_and_size(w.samples, g)
        limit = FORCE_NOISE * size
        if guards[g, 0] == GUARD_GAP or guards[g, 0] == GUARD_SLIP:
            place = 2 * guards[g, 1] + (0 if guards[g, 0] == GUARD_GAP else 1)
            limit = max(limit, VELOCITY_NOISE * w.velocity_terms[place])
        if compare and w.noise[g] < tail <= limit and tail > NOISE_FALL * w.tail[g]:
            w.noise[g] = 2.0 * max(tail, w.tail[g])
            found = True
        w.tail[g] = tail
    return found


@kernel
def follow_velocities(m: Machine, w: Workspace, z: Reals, rows: Integer, start: Real, duration: Real) -> None:
    """w.point: the coordinates to which the interpolated velocities lead from the start of the piece.

    Coordinates and velocities are interpolated apart, and agree to the tolerance of the step only.
    """
    n = m.n
    interpolate(z, w.interpolant, rows, start, 2 * n, w.point)
    for j in range(n):
        total = 0.0
        for k in range(DEGREE + 1):
            total += WEIGHTS[k] * w.node_u[k * n + j]
        w.point[j] += total * duration


@kernel
def misses_gap(m: Machine, w: Workspace, t: Real, duration: Real, guards: Integers2, count: Integer) -> Truth:
    """Whether an integrated gap velocity does not lead to the gap at the state in w.point, at the time t."""
    call_state(m.gaps, t, address(w.point, 0), address(w.point, m.n), address(m.p, 0), address(w.gap_ahead, 0))
    for g in range(count):
        if guards[g, 0] != GUARD_GAP:
            continue
        i = guards[g, 1]
        moved = size = 0.0
        for k in range(DEGREE + 1):
            moved += WEIGHTS[k] * w.samples[g, k]
            size = max(size, abs(w.samples[g, k]))
        change = guards[g, 2] * (w.gap_ahead[2 * i] - w.gap[2 * i])
        rounding = CHANGE_ROUNDING * (abs(w.gap_ahead[2 * i]) + abs(w.gap[2 * i]) + w.size[i])
        allowed = ALIAS_TOLERANCE * size + UNRESOLVED * w.allowed[g] + w.velocity_floor[i]
        if abs(moved * duration - change) > allowed * duration + rounding:
            return True
    return False


@kernel
def aliased(
    m: Machine,
    w: Workspace,
    t: Real,
    z: Reals,
    h: Real,
    rows: Integer,
    start: Real,
    width: Real,
    guards: Integers2,
    count: Integer,
) -> Truth:
    """Whether an integrated gap velocity misses the gap at the piece's end: then the samples have been fooled.

    Clenshaw-Curtis weights of the samples give the integral; a motion much faster than the samples shows as a mismatch.
    What the tolerance allows to be unresolved shows too, and so does what it leaves between coordinates and velocities:
    a mismatch counts if the place to which the velocities themselves lead has it as well.
    """
    if not has_gaps(m, guards):
        return False
    end, duration = t + (start + width) * h, width * h
    interpolate(z, w.interpolant, rows, start + width, 2 * m.n, w.point)
    if not misses_gap(m, w, end, duration, guards, count):
        return False
    follow_velocities(m, w, z, rows, start, duration)
    return misses_gap(m, w, end, duration, guards, count)


@kernel
def resolve_piece(
    m: Machine,
    w: Workspace,
    s: Motion,
    h: Real,
    rows: Integer,
    start: Real,
    width: Real,
    closed: Integer,
    count: Integer,
) -> tuple[Real, Real, Truth]:
    """Sample the guards on the longest piece, of ``width`` at most, that resolves them.

    Returns (its width, the excess left, whether it had to be shorter). A guard that is not smooth is taken as it is on
    the smallest piece.
    """
    longer, shrunk = 0.0, False
    while True:
        sample_guards(m, w, s.t, s.z, h, rows, start, width, s.modes, closed, s.event.guards, count)
        measure_slips(m, w, s, count)
        s.memory.effort += DEGREE + 1
        excess = piece_resolved(m, w, s.event.guards, count, s.t, width * h, s.settings.tolerance)
        if excess > 1.0 and allow_noise(m, w, s, rows, count):
            excess = piece_resolved(m, w, s.event.guards, count, s.t, width * h, s.settings.tolerance)
        if excess <= 1.0 and aliased(m, w, s.t, s.z, h, rows, start, width, s.event.guards, count):
            excess = ALIASED
        if excess <= 1.0:
            return width, excess, shrunk
        if width <= SMALLEST_PIECE:
            s.memory.rough_kind, s.memory.rough_index = s.event.guards[w.worst, 0], s.event.guards[w.worst, 1]
            s.memory.rough += 1
            return width, excess, shrunk
        if excess < ALIASED and learn_noise(m, w, s.event.guards, count, longer > 0.0):
            width, longer, shrunk = longer, 0.0, False
            continue
        longer, shrunk = width, True
        width *= max(SHORTEST_RESIZE, PIECE_SAFETY * excess**SHRINK)

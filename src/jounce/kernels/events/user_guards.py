"""The user's guards: when they vanish, being known to their rounding and to the errors of the steps only.

The rule: a guard vanishes where it becomes zero after it has been away from zero, by more than it is known to
(guard_noise.py), since its own last event and since the last one of a contact. So what a guard is known to decides
whether it has an event, not where: that is the root of its polynomial. A guard that is zero all along has none.
"""

from jounce.kernels.events.guard_noise import find_user_limits
from jounce.kernels.events.guard_polynomial import NODES, bernstein_of, deflate, first_root, sample_rounding
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.records.codes import GUARD_USER, LIMIT_SIDE, SURFACE_SIDE
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import START_ROUNDING
from jounce.kernels.records.workspace import DEGREE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def turn_guard(w: Workspace, s: Motion, g: Integer) -> None:
    """Guard row g is on the other side of zero than was thought."""
    s.event.guards[g, 2] = -s.event.guards[g, 2]
    s.user_sign[s.event.guards[g, 1]] = s.event.guards[g, 2]
    for k in range(DEGREE + 1):
        w.samples[g, k] = -w.samples[g, k]


@kernel
def side_of_guard(m: Machine, k: Integer) -> Integer:
    """The side of zero on which user guard k has to be: the limit of a switch above, its surface where the switch says.

    0 for any other guard, and for the surface of a switch that slides or is not known.
    """
    kind = m.guard_side[k]
    if kind < SURFACE_SIDE:
        return kind
    side = m.p[m.states + kind - SURFACE_SIDE]
    return 1 if side == 1.0 else -1 if side == -1.0 else 0


@kernel
def start_sign(m: Machine, k: Integer, value: Real) -> Integer:
    """The side of zero on which user guard k starts with this value, or has to be."""
    side = side_of_guard(m, k)
    return side if side != 0 else 1 if value >= 0.0 else -1


@kernel
def is_surface(m: Machine, s: Motion, g: Integer) -> Truth:
    """Whether guard row g is the surface of a switch, with the sign of its side."""
    k = s.event.guards[g, 1]
    return m.guard_side[k] >= SURFACE_SIDE and side_of_guard(m, k) == s.event.guards[g, 2]


@kernel
def user_root(m: Machine, w: Workspace, s: Motion, g: Integer, fresh: Integer, t: Real, width_in_time: Real) -> Real:
    """The first root of guard row g, one of the user's, on the sampled piece.

    One that starts at its own root goes on on the side to which it leaves: the first coefficient that is not zero. The
    limit of a switch that leaves downwards has its event at once, and so has its surface that leaves against its side.
    """
    c, degree = w.bernstein, DEGREE
    bernstein_of(w.samples, g, sample_rounding(w.samples, g, t, width_in_time), c)
    if fresh > 0:
        c[0] = 0.0
        degree = deflate(c, degree)
        size = 0.0
        for k in range(degree + 1):
            size = max(size, abs(c[k]))
        if abs(c[0]) < START_ROUNDING * size:
            c[0] = 0.0
        first = 0
        while first < degree and c[first] == 0.0:
            first += 1
        if c[first] < 0.0 and (m.guard_side[s.event.guards[g, 1]] == LIMIT_SIDE or is_surface(m, s, g)):
            return 0.0
        if c[first] < 0.0:
            turn_guard(w, s, g)
            for k in range(degree + 1):
                c[k] = -c[k]
    return first_root(c, degree, w.split)


@kernel
def user_limit(m: Machine, w: Workspace, s: Motion, rows: Integer, k: Integer) -> Real:
    """What user guard k is known to on the present step; found once a step, on the piece that asks first."""
    if not w.limits_known:
        find_user_limits(m, w, s, rows)
        w.limits_known = 1
    return w.user_limit[k]


@kernel
def contradiction(m: Machine, w: Workspace, s: Motion, rows: Integer, k: Integer) -> Real:
    """By more than this user guard k, the surface of a switch, contradicts its side: what steps leave in the state."""
    user_limit(m, w, s, rows, k)
    return w.surface_limit[k]


@kernel
def allow_noise(m: Machine, w: Workspace, s: Motion, rows: Integer, count: Integer) -> Truth:
    """Let the user's guards be unresolved by what they are known to, from here to the end of the step.

    False if that is so already, or if none of them is what is resolved worst.
    """
    if s.event.guards[w.worst, 0] != GUARD_USER or w.noise[w.worst] > 0.0:
        return False
    for g in range(count):
        if s.event.guards[g, 0] == GUARD_USER:
            w.noise[g] = user_limit(m, w, s, rows, s.event.guards[g, 1])
    return True


@kernel
def size_on_side(m: Machine, s: Motion, g: Integer, value: Real) -> Real:
    """The size of a value of guard row g, with its sign; that of a switch's surface counts on its own side only."""
    return max(value, 0.0) if is_surface(m, s, g) else abs(value)


@kernel
def size_until(m: Machine, w: Workspace, s: Motion, g: Integer, x: Real) -> Real:
    """The largest sample of guard row g up to x of the piece."""
    largest = 0.0
    for node in range(DEGREE + 1):
        if NODES[node] <= x:
            largest = max(largest, size_on_side(m, s, g, w.samples[g, node]))
    return largest


@kernel
def size_between(m: Machine, w: Workspace, s: Motion, rows: Integer, g: Integer, h: Real, x: Real) -> Real:
    """How large guard row g is half way to x of the step of length h: a short arch has no sample before its end."""
    interpolate(s.z, w.interpolant, rows, 0.5 * x, 2 * m.n, w.point)
    q, u = address(w.point, 0), address(w.point, m.n)
    call_state(m.guards, s.t + 0.5 * x * h, q, u, address(m.p, 0), address(w.user, 0))
    return size_on_side(m, s, g, s.event.guards[g, 2] * w.user[s.event.guards[g, 1]])


@kernel
def has_been_away(
    m: Machine, w: Workspace, s: Motion, rows: Integer, g: Integer, h: Real, start: Real, width: Real, x: Real
) -> Truth:
    """Whether the guard of row g has been away from zero before its root at x of the piece just sampled.

    Guards of switches have one side. They need not have been away from zero if they go to the other one: a block that
    friction turns back in the moment in which it has begun to slip was never faster than its velocity is known.
    """
    k = s.event.guards[g, 1]
    limit = user_limit(m, w, s, rows, k)
    if start == 0.0 and x == 0.0 and s.event.guards[g, 3] > 0 and is_surface(m, s, g):
        return leaves_below(w, g, contradiction(m, w, s, rows, k))  # it starts at its root
    if start == 0.0 and x <= NODES[1]:
        w.user_largest[k] = max(w.user_largest[k], size_between(m, w, s, rows, g, h, width * x))
    if max(w.user_largest[k], size_until(m, w, s, g, x)) > limit:
        return True
    if m.guard_side[k] == LIMIT_SIDE:
        return leaves_below(w, g, limit)
    return is_surface(m, s, g) and leaves_below(w, g, contradiction(m, w, s, rows, k))


@kernel
def leaves_below(w: Workspace, g: Integer, limit: Real) -> Truth:
    """Whether guard row g, which is zero to ``limit`` so far, is negative where it is first away from zero."""
    for node in range(DEGREE + 1):
        if abs(w.samples[g, node]) > limit:
            return w.samples[g, node] < 0.0
    return False


@kernel
def silence(m: Machine, w: Workspace, s: Motion, g: Integer) -> Real:
    """Let guard row g have no root on this piece; returns which part of it is over when the guard has left zero."""
    w.silent[g] = 1
    for node in range(1, DEGREE + 1):
        if size_on_side(m, s, g, w.samples[g, node]) > w.user_limit[s.event.guards[g, 1]]:
            if w.samples[g, node] < 0.0:
                turn_guard(w, s, g)
            return NODES[node]
    return 1.0


@kernel
def note_sizes(
    m: Machine, w: Workspace, s: Motion, rows: Integer, count: Integer, x: Real, width_in_time: Real
) -> None:
    """How large the user's guards were up to x of the sampled piece, and how fast they changed on it.

    What a guard is known to differs from step to step, and its size says that it has been away on its own step only.
    """
    for g in range(count):
        if s.event.guards[g, 0] != GUARD_USER:
            continue
        k = s.event.guards[g, 1]
        size = size_until(m, w, s, g, x)
        if w.user_largest[k] > 0.0 or size > user_limit(m, w, s, rows, k):
            w.user_largest[k] = max(w.user_largest[k], size)
        low = high = w.samples[g, 0]
        for node in range(1, DEGREE + 1):
            low, high = min(low, w.samples[g, node]), max(high, w.samples[g, node])
        w.user_speed[k] = (high - low) / width_in_time


@kernel
def note_flight_sizes(m: Machine, w: Workspace, s: Motion, middle: Reals) -> None:
    """The same for a flight of the duration s.event.flight, with the state in its middle."""
    p = address(m.p, 0)
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), p, address(w.user, 0))
    call_state(
        m.guards, s.t + 0.5 * s.event.flight, address(middle, 0), address(middle, m.n), p, address(w.user_rate, 0)
    )
    for k in range(m.ng):
        size = max(abs(w.user[k]), abs(w.user_rate[k]))
        w.user_largest[k] = max(w.user_largest[k], size)
        w.user_speed[k] = 2.0 * size / s.event.flight

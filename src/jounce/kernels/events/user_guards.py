"""The user's guards: when they vanish, being known to their rounding and to the errors of the steps only.

The rule: a guard vanishes where it becomes zero after it has been away from zero, by more than it is known to
(guard_noise.py), since its own last event and since the last one of a contact. So what a guard is known to decides
whether it has an event, not where: that is the root of its polynomial. A guard that is zero all along has none.
"""

from jounce.kernels.events.guard_noise import find_user_limits
from jounce.kernels.events.guard_polynomial import (
    NODES,
    START_ROUNDING,
    bernstein_of,
    deflate,
    first_root,
    sample_rounding,
)
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.records.codes import GUARD_USER
from jounce.kernels.records.workspace import DEGREE
from jounce.toolchain.jit import address, call_state, kernel


@kernel
def turn_guard(w, s, g):
    """Guard row g is on the other side of zero than was thought."""
    s.event.guards[g, 2] = -s.event.guards[g, 2]
    s.user_sign[s.event.guards[g, 1]] = s.event.guards[g, 2]
    for k in range(DEGREE + 1):
        w.samples[g, k] = -w.samples[g, k]


@kernel
def start_sign(m, k, value):
    """The side of zero on which user guard k starts with this value: the limit of a switch has one side only."""
    return 1 if m.guard_limit[k] or value >= 0.0 else -1


@kernel
def user_root(m, w, s, g, fresh, t, width_in_time):
    """The first root of guard row g, one of the user's, on the sampled piece.

    One that starts at its own root goes on on the side to which it leaves: the first coefficient that is not zero. The
    limit of a switch that leaves downwards has its event at once.
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
        if c[first] < 0.0 and m.guard_limit[s.event.guards[g, 1]]:
            return 0.0
        if c[first] < 0.0:
            turn_guard(w, s, g)
            for k in range(degree + 1):
                c[k] = -c[k]
    return first_root(c, degree, w.split)


@kernel
def user_limit(m, w, s, rows, k):
    """What user guard k is known to on the present step; found once a step, on the piece that asks first."""
    if not w.limits_known:
        find_user_limits(m, w, s, rows)
        w.limits_known = 1
    return w.user_limit[k]


@kernel
def allow_noise(m, w, s, rows, count):
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
def size_until(w, g, x):
    """The largest sample of guard row g up to x of the piece."""
    largest = 0.0
    for node in range(DEGREE + 1):
        if NODES[node] <= x:
            largest = max(largest, abs(w.samples[g, node]))
    return largest


@kernel
def size_between(m, w, s, rows, k, h, x):
    """How large user guard k is half way to x of the step of length h: a short arch has no sample before its end."""
    interpolate(s.z, w.interpolant, rows, 0.5 * x, 2 * m.n, w.point)
    q, u = address(w.point, 0), address(w.point, m.n)
    call_state(m.guards, s.t + 0.5 * x * h, q, u, address(m.p, 0), address(w.user, 0))
    return abs(w.user[k])


@kernel
def has_been_away(m, w, s, rows, g, h, start, width, x):
    """Whether the guard of row g has been away from zero before its root at x of the piece just sampled."""
    k = s.event.guards[g, 1]
    limit = user_limit(m, w, s, rows, k)
    if start == 0.0 and x <= NODES[1]:
        w.user_largest[k] = max(w.user_largest[k], size_between(m, w, s, rows, k, h, width * x))
    away = max(w.user_largest[k], size_until(w, g, x)) > limit
    return away or (m.guard_limit[k] and leaves_below(w, g, limit))


@kernel
def leaves_below(w, g, limit):
    """Whether guard row g, which is zero to ``limit`` so far, is negative where it is first away from zero."""
    for node in range(DEGREE + 1):
        if abs(w.samples[g, node]) > limit:
            return w.samples[g, node] < 0.0
    return False


@kernel
def silence(w, s, g):
    """Let guard row g have no root on this piece; returns which part of it is over when the guard has left zero."""
    w.silent[g] = 1
    for node in range(1, DEGREE + 1):
        if abs(w.samples[g, node]) > w.user_limit[s.event.guards[g, 1]]:
            if w.samples[g, node] < 0.0:
                turn_guard(w, s, g)
            return NODES[node]
    return 1.0


@kernel
def note_sizes(m, w, s, rows, count, x, width_in_time):
    """How large the user's guards were up to x of the sampled piece, and how fast they changed on it.

    What a guard is known to differs from step to step, and its size says that it has been away on its own step only.
    """
    for g in range(count):
        if s.event.guards[g, 0] != GUARD_USER:
            continue
        k = s.event.guards[g, 1]
        size = size_until(w, g, x)
        if w.user_largest[k] > 0.0 or size > user_limit(m, w, s, rows, k):
            w.user_largest[k] = max(w.user_largest[k], size)
        low = high = w.samples[g, 0]
        for node in range(1, DEGREE + 1):
            low, high = min(low, w.samples[g, node]), max(high, w.samples[g, node])
        w.user_speed[k] = (high - low) / width_in_time


@kernel
def note_flight_sizes(m, w, s, middle):
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

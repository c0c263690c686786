"""How well a guard is known: the rounding that its evaluation leaves in it.

A guard is a sum of terms that may be much larger than itself: the relative velocity of two bodies that fall together is
a difference of like numbers, and below their rounding it says nothing, however short the piece on which it is
sampled. To first order an evaluation in floating point is the exact one at inputs that are off by a few units in the
last place, so the rounding is about

    16 eps sum_i |d phi/dx_i| X_i ,        x = (t, q, u, p) ,    X_i = the largest |x_i| on the piece ,

where each term is a size of what has been summed. The sum is found without derivatives: all inputs are moved at once by
+-2^-26 of their sizes, with signs from twelve patterns in which no two inputs agree everywhere, so that terms that
cancel in phi do not cancel in all of them; the largest change of phi stands for the sum.

Velocities carry more than their own rounding: that of the accelerations, times the length of the step over which they
were integrated. It is found in the same way, and X of a velocity is |u| + h sum_i |d u'/dx_i| X_i.
"""

from jounce.kernels.contact.forces import derivative_at
from jounce.kernels.events.guards import sample_node
from jounce.kernels.records.workspace import DEGREE, MAX_PARAMETERS, STAGES, STATE
from jounce.toolchain.jit import address, call_batch, call_state, kernel

MOVE = 2.0**-26
ROUNDING = 16.0 * 2.0**-52 / MOVE  # of a change by MOVE
PATTERNS = 12
SPARE = STAGES - 1  # a stage that nobody needs any more when guards are looked at


@kernel
def move_sign(pattern, index):
    """+1 or -1: digit ``pattern`` of a binary number that no other index has."""
    return 1.0 if ((1103 * index + 577) % 4096 >> pattern) & 1 else -1.0


@kernel
def piece_sizes(m, w):
    """The largest of each coordinate and velocity at the nodes of the piece: w.size."""
    n = m.n
    for j in range(n):
        w.size[j] = w.size[n + j] = 0.0
        for k in range(DEGREE + 1):
            w.size[j] = max(w.size[j], abs(w.node_q[k * n + j]))
            w.size[n + j] = max(w.size[n + j], abs(w.node_u[k * n + j]))


@kernel
def move_parameters(m, w, pattern):
    """All parameters moved; w.parameters keeps them as they were."""
    for i in range(MAX_PARAMETERS):
        w.parameters[i] = m.p[i]
        if m.p[i] != 0.0:
            m.p[i] *= 1.0 + MOVE * move_sign(pattern, 65 + i)


@kernel
def move_state(m, w, t, pattern, state, offset):
    """The state in w.point moved by a pattern (-1: not at all), at ``offset`` of an array; returns the moved time."""
    move = 0.0 if pattern < 0 else MOVE
    for j in range(2 * m.n):
        state[offset + j] = w.point[j] + move * w.size[j] * move_sign(max(pattern, 0), j)
    return t + move * abs(t) * move_sign(max(pattern, 0), 64)


@kernel
def restore_parameters(m, w):
    """Undo ``move_parameters``."""
    for i in range(MAX_PARAMETERS):
        m.p[i] = w.parameters[i]


@kernel
def add_acceleration_sizes(m, w, t, h, modes, closed):
    """Add to the sizes of the velocities what the rounding of the accelerations makes of them in a step."""
    n = m.n
    stages, states, base, change = w.stages, w.stage_state, w.new_u, w.new_q
    for pattern in range(-1, PATTERNS):
        moved_t = move_state(m, w, t, pattern, states[SPARE], 0)
        if pattern >= 0:
            move_parameters(m, w, pattern)
        derivative_at(m, w, moved_t, states, SPARE * STATE, modes, closed, SPARE)
        if pattern >= 0:
            restore_parameters(m, w)
        for j in range(n):
            if pattern < 0:
                base[j], change[j] = stages[SPARE, n + j], 0.0
            else:
                change[j] = max(change[j], abs(stages[SPARE, n + j] - base[j]))
    for j in range(n):
        w.size[n + j] += h * change[j] / MOVE


@kernel
def find_noise(m, w, h, modes, closed, guards, count):
    """The rounding of every guard on the piece just sampled, into w.noise; the samples are spoilt.

    h is the length of the step. Its last stage, which only the interpolant has needed, is spoilt too.
    """
    n, middle = m.n, DEGREE // 2
    piece_sizes(m, w)
    t = w.node_t[middle]
    for j in range(n):
        w.point[j], w.point[n + j] = w.node_q[middle * n + j], w.node_u[middle * n + j]
    add_acceleration_sizes(m, w, t, h, modes, closed)
    for pattern in range(-1, PATTERNS):
        state = w.stage_state[SPARE]
        w.node_t[0] = move_state(m, w, t, pattern, state, 0)
        for j in range(n):
            w.node_q[j], w.node_u[j] = state[j], state[n + j]
        if pattern >= 0:
            move_parameters(m, w, pattern)
        if m.nc > 0:
            pt, pq, pu, pp = address(w.node_t, 0), address(w.node_q, 0), address(w.node_u, 0), address(m.p, 0)
            call_batch(m.gap_rates, 1, pt, pq, pu, pp, address(w.node_rate, 0))
        sample_node(m, w, 0, modes, closed, guards, count)
        if pattern >= 0:
            restore_parameters(m, w)
        for g in range(count):
            if pattern < 0:
                w.samples[g, 1], w.noise[g] = w.samples[g, 0], 0.0
            else:
                w.noise[g] = max(w.noise[g], ROUNDING * abs(w.samples[g, 0] - w.samples[g, 1]))


@kernel
def user_guard_noise(m, w, s, k):
    """The rounding of user guard k at the present state; w.size holds the sizes of the coordinates on the last step."""
    n = m.n
    largest = 0.0
    value = w.user[k]
    for pattern in range(PATTERNS):
        for j in range(2 * n):
            w.point[j] = s.z[j] + MOVE * w.size[j] * move_sign(pattern, j)
        t = s.t + MOVE * abs(s.t) * move_sign(pattern, 64)
        call_state(m.guards, t, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.user_rate, 0))
        largest = max(largest, abs(w.user_rate[k] - value))
    return ROUNDING * largest

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

The state itself is known to the error of its steps only. A stiff spring that is relaxed lets steps be longer than it
could bear if it moved: its length then oscillates with whatever amplitude the tolerance hides, and more so along the
interpolant, whose terms do not fall there. Such a guard of the user is zero to what these errors make of it, though not
to its rounding: the largest estimated error of a step since a contact's last event, and the last term of the
interpolant.
"""

from jounce.kernels.contact.forces import derivative_at
from jounce.kernels.events.guards import sample_node
from jounce.kernels.flow.runge_kutta import DOPRI5, interpolant_rows
from jounce.kernels.records.workspace import DEGREE, MAX_PARAMETERS, STAGES, STATE
from jounce.toolchain.jit import address, call_batch, call_state, kernel

MOVE = 2.0**-26
ROUNDING = 16.0 * 2.0**-52 / MOVE  # of a change by MOVE
PATTERNS = 12
ERRORS = 16.0  # times the estimated error of one step: by how much a state may be wrong
# the largest of what multiplies the last row of an interpolant, x^2 (1-x)^2 and x^4 (1-x)^3 (runge_kutta.py)
LAST_TERM_DOPRI5, LAST_TERM_DOP853 = 1.0 / 16.0, 6912.0 / 823543.0
TINY = 2.0**-1000  # a time that moves nothing: the parameters move at t = 0 too
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
def add_changes(m, w, t, move, moved_t, weight, sizes, out):
    """out[k] += weight times the largest change of user guard k, as its inputs move by ``move`` times their sizes.

    The state is in w.point; ``moved_t`` says by how much the time and, relative to themselves, the parameters move.
    """
    n, state = m.n, w.stage_state[SPARE]
    q, u, p = address(w.stage_state, SPARE * STATE), address(w.stage_state, SPARE * STATE + n), address(m.p, 0)
    call_state(m.guards, t, address(w.point, 0), address(w.point, n), p, address(w.user, 0))
    for k in range(m.ng):
        w.user_change[k] = 0.0
    for pattern in range(PATTERNS):
        for j in range(2 * n):
            state[j] = w.point[j] + move * sizes[j] * move_sign(pattern, j)
        if moved_t > 0.0:
            move_parameters(m, w, pattern)
        call_state(m.guards, t + moved_t * move_sign(pattern, 64), q, u, p, address(w.user_rate, 0))
        if moved_t > 0.0:
            restore_parameters(m, w)
        for k in range(m.ng):
            w.user_change[k] = max(w.user_change[k], abs(w.user_rate[k] - w.user[k]))
    for k in range(m.ng):
        out[k] += weight * w.user_change[k]


@kernel
def add_rounding(m, w, t, out):
    """out[k] += the rounding of user guard k at the state in w.point, whose sizes are in w.size."""
    add_changes(m, w, t, MOVE, MOVE * max(abs(t), TINY), ROUNDING, w.size, out)


@kernel
def error_sizes(m, w, s, rows):
    """w.size: how well the state is known on the present step, by the errors of steps and of its own interpolant."""
    exact = rows < interpolant_rows(s.pair)  # a ballistic flight
    largest = 0.0 if exact else LAST_TERM_DOPRI5 if s.pair == DOPRI5 else LAST_TERM_DOP853
    for j in range(2 * m.n):
        w.size[j] = w.state_error[j] + largest * abs(w.interpolant[rows - 1, j])


@kernel
def find_user_limits(m, w, s, rows):
    """What user guard k is known to on the piece just sampled, into w.user_limit: its rounding, and what the errors of
    the state make of it."""
    n, middle = m.n, DEGREE // 2
    piece_sizes(m, w)
    t = w.node_t[middle]
    for j in range(n):
        w.point[j], w.point[n + j] = w.node_q[middle * n + j], w.node_u[middle * n + j]
    for k in range(m.ng):
        w.user_limit[k] = 0.0
    add_rounding(m, w, t, w.user_limit)
    error_sizes(m, w, s, rows)
    add_changes(m, w, t, ERRORS, 0.0, 1.0, w.size, w.user_limit)

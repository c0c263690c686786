"""How well a user's guard is known: to the rounding of its evaluation, and to the errors of the state.

A guard is a sum of terms that may be much larger than itself: the relative velocity of two bodies that fall together is
a difference of like numbers, and below their rounding it says nothing, however short the piece on which it is
sampled. To first order an evaluation in floating point is the exact one at inputs that are off by a few units in the
last place, so the rounding is about

    16 eps sum_i |d phi/dx_i| X_i ,        x = (t, q, u, p) ,    X_i = the largest |x_i| on the piece ,

where each term is a size of what has been summed. The sum is found without derivatives: all inputs are moved at once by
+-2^-26 of their sizes, with signs from twelve or, for more than 2048 inputs, thirteen patterns in which no two inputs
agree everywhere, so that terms that cancel in phi do not cancel in all of them; the largest change of phi stands for
the sum.

The state itself is known to the error of its steps only. A stiff spring that is relaxed lets steps be longer than it
could bear if it moved: its length then oscillates with whatever amplitude the tolerance hides, and more so along the
interpolant, whose terms do not fall there. Such a guard is zero to what these errors make of it, though not to its
rounding: the largest estimated error of a step since a contact's last event, and the last term of the interpolant.
"""

from jounce.kernels.flow.runge_kutta import DOPRI5, LAST_TERM_DOP853, LAST_TERM_DOPRI5
from jounce.kernels.records.codes import SURFACE_SIDE
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import MOVE, MOVE_ROUNDING, NOISE_ERRORS
from jounce.kernels.records.workspace import DEGREE, STAGES, STATE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

PATTERNS, DIGITS = 13, 11
TIME = STATE  # the place of the time among the inputs; the parameters follow
SPARE = STAGES - 1  # a stage that nobody needs any more when guards are looked at


@kernel
def move_sign(pattern: Integer, index: Integer) -> Real:
    """+1 or -1: digit ``pattern`` of a binary number below 2^12 that no other index has; in the last one all agree."""
    block, place = index >> DIGITS, (1103 * index + 577) % 2**DIGITS
    return 1.0 if ((block << DIGITS) + place >> pattern) & 1 else -1.0


@kernel
def keep_parameters(m: Machine, w: Workspace) -> Integer:
    """w.parameters keeps the parameters as they are; returns how many there are, but for zeros at the end."""
    used = 0
    for i in range(m.np):
        w.parameters[i] = m.p[i]
        if m.p[i] != 0.0:
            used = i + 1
    return used


@kernel
def move_parameters(m: Machine, w: Workspace, used: Integer, pattern: Integer, move: Real) -> None:
    """The parameters moved, relative to themselves."""
    for i in range(used):
        # discrete states are exact, and what compares them may jump
        if i < m.states or i >= m.states + m.nd:
            m.p[i] = w.parameters[i] * (1.0 + move * move_sign(pattern, TIME + 1 + i))


@kernel
def restore_parameters(m: Machine, w: Workspace, used: Integer) -> None:
    """Undo ``move_parameters``."""
    for i in range(used):
        m.p[i] = w.parameters[i]


@kernel
def add_changes(m: Machine, w: Workspace, t: Real, move: Real, others: Real, weight: Real, out: Reals) -> None:
    """out[k] += weight times the largest change of user guard k, as the state moves by ``move`` times its sizes.

    The state is in w.point, its sizes in w.state_size; time and parameters move by ``others``, relative to themselves.
    """
    n, state = m.n, w.stage_state[SPARE]
    q, u, p = address(w.stage_state, SPARE * STATE), address(w.stage_state, SPARE * STATE + n), address(m.p, 0)
    call_state(m.guards, t, address(w.point, 0), address(w.point, n), p, address(w.user, 0))
    for k in range(m.ng):
        w.user_change[k] = 0.0
    used = keep_parameters(m, w) if others > 0.0 else 0
    for pattern in range(PATTERNS):
        if pattern == DIGITS and TIME + used < 2**DIGITS:
            continue  # no index has this digit
        for j in range(2 * n):
            state[j] = w.point[j] + move * w.state_size[j] * move_sign(pattern, j)
        move_parameters(m, w, used, pattern, others)
        call_state(m.guards, t * (1.0 + others * move_sign(pattern, TIME)), q, u, p, address(w.user_rate, 0))
        for k in range(m.ng):
            w.user_change[k] = max(w.user_change[k], abs(w.user_rate[k] - w.user[k]))
    restore_parameters(m, w, used)
    for k in range(m.ng):
        out[k] += weight * w.user_change[k]


@kernel
def add_rounding(m: Machine, w: Workspace, t: Real, out: Reals) -> None:
    """out[k] += the rounding of user guard k at the state in w.point, whose sizes are in w.state_size."""
    add_changes(m, w, t, MOVE, MOVE, MOVE_ROUNDING, out)


@kernel
def take_piece_sizes(m: Machine, w: Workspace) -> None:
    """The state in the middle of the piece just sampled, and the largest of each entry at its nodes."""
    n, middle = m.n, DEGREE // 2
    for j in range(n):
        w.point[j], w.point[n + j] = w.node_q[middle * n + j], w.node_u[middle * n + j]
        w.state_size[j] = w.state_size[n + j] = 0.0
        for k in range(DEGREE + 1):
            w.state_size[j] = max(w.state_size[j], abs(w.node_q[k * n + j]))
            w.state_size[n + j] = max(w.state_size[n + j], abs(w.node_u[k * n + j]))


@kernel
def take_error_sizes(m: Machine, w: Workspace, s: Motion, rows: Integer) -> None:
    """How well the state is known on the present step, by the errors of steps and of its own interpolant."""
    exact = rows < s.settings.rows or w.by_series  # a ballistic flight, a polynomial that is the step itself
    largest = 0.0 if exact else LAST_TERM_DOPRI5 if s.settings.pair == DOPRI5 else LAST_TERM_DOP853
    for j in range(2 * m.n):
        w.state_size[j] = w.state_error[j] + largest * abs(w.interpolant[rows - 1, j])


@kernel
def find_user_limits(m: Machine, w: Workspace, s: Motion, rows: Integer) -> None:
    """What the user's guards are known to on the piece just sampled, into w.user_limit.

    In w.surface_limit: by how much more the steps may have moved them, as parts of the tolerance, by the scales of the
    run. A velocity that a closed contact holds is zero, and known to neither its own rounding nor its estimated error.
    """
    for k in range(m.ng):
        w.user_limit[k] = 0.0
    t = w.node_t[DEGREE // 2]
    take_piece_sizes(m, w)
    add_rounding(m, w, t, w.user_limit)
    take_error_sizes(m, w, s, rows)
    add_changes(m, w, t, NOISE_ERRORS, 0.0, 1.0, w.user_limit)
    for k in range(m.ng):
        w.surface_limit[k] = w.user_limit[k]
    if has_surfaces(m):
        for j in range(2 * m.n):
            w.state_size[j] = w.scale[j]
        add_changes(m, w, t, MOVE, 0.0, s.settings.tolerance / MOVE, w.surface_limit)


@kernel
def has_surfaces(m: Machine) -> Truth:
    """Whether a guard is the surface of a switch."""
    for k in range(m.ng):
        if m.guard_side[k] >= SURFACE_SIDE:
            return True
    return False

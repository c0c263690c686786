"""States that come to rest exactly on a border at which a force or a surface jumps.

On a border b = 0 the model has a third value, the one written there: half of a step for SymPy's Heaviside. A motion
that passes the border has it for no time. A body that comes to rest on it would be asked for its mode with that value:
the forces of neither side. With half the push that waits behind the border it slides back, before the border friction
stops it, within the rounding of its place, and it is asked again, for ever.

Where the state stays on the border to first order, b = 0 there and a moment ahead, it is therefore put onto the side
from which the motion came, by the rounding of one coordinate. On that side the forces are those that have stopped it.
A start has come from nowhere. The value that is written on the border says where it goes, and there it has begun.
"""

from jounce.kernels.flow.step_length import first_step_size
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import BORDER_MOVES, EPSILON, LEAST_SIZE, START_MOMENT
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def rests_on_border(m: Machine, w: Workspace, s: Motion, k: Integer, step: Real) -> Truth:
    """Whether guard k is zero at the state in q and u, and a moment of a step ahead as well."""
    call_state(m.guards, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.user, 0))
    if w.user[k] != 0.0:
        return False
    time = START_MOMENT * step
    for j in range(m.n):
        w.point[j], w.point[m.n + j] = s.q[j] + time * s.u[j], s.u[j]
    call_state(m.guards, s.t + time, address(w.point, 0), address(w.point, m.n), address(m.p, 0), address(w.user, 0))
    return w.user[k] == 0.0


@kernel
def move_aside(m: Machine, w: Workspace, s: Motion, k: Integer, j: Integer) -> Truth:
    """Move coordinate j by its rounding until guard k is on the side of its sign; False (and not moved) if none does.

    From one unit in the last place on, doubled: a border that is a multiple of the coordinate may need some. At its
    origin a coordinate has no last place; that of its scale, squared, is beside anything of the motion.
    """
    place = s.q[j]
    size = EPSILON * abs(place) if place != 0.0 else max(EPSILON * EPSILON * w.scale[j], LEAST_SIZE)
    for _ in range(BORDER_MOVES):
        for side in range(2):
            s.q[j] = place + (size if side == 0 else -size)
            call_state(m.guards, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.user, 0))
            if w.user[k] * s.user_sign[k] > 0.0:
                return True
        size *= 2.0
    s.q[j] = place
    return False


@kernel
def sides_of_start(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Give each border on which a run starts at rest the side to which the first accelerations lead; whether any has.

    Needs those in w.stages, and the mode to which they belong.
    """
    found, step = False, first_step_size(m, w, s, 0, s.settings.t_end - s.epoch - s.t)
    for k in range(m.ng):
        if not m.guard_held[k] or not rests_on_border(m, w, s, k, step):
            continue
        for j in range(m.n):
            w.point[j] = s.q[j] + 0.5 * step * step * w.stages[0, m.n + j]
        call_state(m.guards, s.t, address(w.point, 0), address(s.u, 0), address(m.p, 0), address(w.user, 0))
        if w.user[k] != 0.0:
            s.user_sign[k] = 1 if w.user[k] > 0.0 else -1
            found = True
    return found


@kernel
def leave_borders(m: Machine, w: Workspace, s: Motion) -> None:
    """Put a state that rests exactly on the border of a jump onto the side from which it came."""
    if not m.holds:
        return
    for k in range(m.ng):
        if m.guard_held[k] and s.user_sign[k] != 0 and rests_on_border(m, w, s, k, s.pace.step_size):
            for j in range(m.n):
                if move_aside(m, w, s, k, j):
                    break

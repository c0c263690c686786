"""What the samples of a step cannot see: parts of the model that can be flat nearly everywhere.

A step knows the forces at its stages, a series at its two ends. A pulse in between is stepped over without a sign of
it, and so are two steep changes that cancel in all samples. So the step just taken is enclosed: from its interpolant

    z(x) = z0 + x (F1 + (1-x) (F2 + x (F3 + ...)))   ranges of q and u on a piece [a, b] follow row by row,

with x in [a, b] and 1 - x in [1 - b, 1 - a]. For these, and the times of the piece, the model gives the range of each
of its parts that can be narrow (codegen/ranges.py). A piece is good if each of them is gentle there, so that the
samples of the step show what it does, or does not matter: its variation changes the motion by less than UNSEEN of the
tolerance. Nothing is said of what the samples happened to be.

A piece that is not good is halved, since ranges of shorter pieces are tighter; where the shortest is not good the step
ends before it. Ranges shrink with the step, so that this ends; steps of MOMENT of the time over which the motion
is resolved are taken as they are, for a body at rest at which a force begins has no size to compare with.
"""

from jounce.kernels.contact.forces import constrains
from jounce.kernels.flow.runge_kutta import interpolate_step
from jounce.kernels.records.codes import SLIP_NEGATIVE, SLIP_POSITIVE
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import ERROR_PART, LEAST_SIZE, MOMENT, SHORTEST_PIECE, SHORTEST_STEPS, UNSEEN
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_batch, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

# what an output of `ranges` is: codegen/ranges.py
FORCE, MASS, GAP, JOINT, GUARD, SLIP, FRICTION, FRICTION_BACK = range(8)


@kernel
def velocity_weight(m: Machine, w: Workspace, s: Motion, time: Real, i: Integer) -> Real:
    """How many tolerances velocity i is off if its force is wrong by 1 for this time.

    Its size is that of ``set_error_scales``, without what shows in the position of one short step: the steps across
    a discontinuity are all short.
    """
    k = m.n + i
    size = max(abs(s.z[k]), ERROR_PART * w.scale[k], time * abs(w.stages[0, k]), LEAST_SIZE)
    return time / (w.mass[i * m.mass_step] * (s.settings.tolerance * size))


@kernel
def friction_weight(m: Machine, w: Workspace, s: Motion, time: Real, kind: Integer, mode: Integer) -> Real:
    """The same if a coefficient of friction is wrong by 1; forces of contacts are taken to be as large as others."""
    if (kind == FRICTION and mode == SLIP_NEGATIVE) or (kind == FRICTION_BACK and mode == SLIP_POSITIVE):
        return 0.0
    largest = 0.0
    for k in range(m.n):
        largest = max(largest, abs(w.mass[m.force_place + k]) * velocity_weight(m, w, s, time, k))
    return largest


@kernel
def weight_of(m: Machine, w: Workspace, s: Motion, time: Real, kind: Integer, i: Integer, j: Integer) -> Real:
    """How many tolerances the motion is off if this output is wrong by 1 for this time."""
    if kind == FORCE:
        return velocity_weight(m, w, s, time, i)
    if kind == MASS:
        return velocity_weight(m, w, s, time, i) * abs(w.stages[0, m.n + j])
    if kind == GAP:
        return 1.0 / (s.settings.tolerance * w.size[i])
    if kind == JOINT:
        return 1.0 / (s.settings.tolerance * w.size[m.nc + i])
    if kind == GUARD:
        return 1.0 / (s.settings.tolerance * w.size[m.nc + m.nj + i])
    if not constrains(s.modes[i]):
        return 0.0
    if kind == SLIP:
        return 1.0 / (s.settings.tolerance * w.size[m.nc + m.nj + m.ng + i])
    return friction_weight(m, w, s, time, kind, s.modes[i])


@kernel
def enclose_piece(m: Machine, w: Workspace, s: Motion, h: Real, begin: Real, end: Real) -> None:
    """The box of times, coordinates and velocities on a piece of the interpolant."""
    n, f = m.n, w.interpolant
    w.box_t[0], w.box_t[1] = s.t + begin * h, s.t + end * h
    for k in range(2 * n):
        low = high = 0.0
        for row in range(s.settings.rows - 1, -1, -1):
            least, most = (begin, end) if row % 2 == 0 else (1.0 - end, 1.0 - begin)
            low += f[row, k]
            high += f[row, k]
            low *= least if low > 0.0 else most
            high *= most if high > 0.0 else least
        if k < n:
            w.box_q[k], w.box_q[n + k] = s.z[k] + low, s.z[k] + high
        else:
            w.box_u[k - n], w.box_u[k] = s.z[k] + low, s.z[k] + high


@kernel
def hides_nothing(m: Machine, w: Workspace, s: Motion, h: Real, begin: Real, end: Real) -> Truth:
    """Whether every part of the model that can be narrow is gentle on a piece of the step, or does not matter."""
    enclose_piece(m, w, s, h, begin, end)
    time = (end - begin) * h
    for k in range(m.range_outputs):
        w.range[k] = weight_of(m, w, s, time, m.range_output[k, 0], m.range_output[k, 1], m.range_output[k, 2])
    call_batch(
        m.ranges,
        1,
        address(w.box_t, 0),
        address(w.box_q, 0),
        address(w.box_u, 0),
        address(m.p, 0),
        address(w.range, 0),
    )
    for k in range(m.watched):
        base = m.range_outputs + 4 * k
        low, high, gentle, adjoint = w.range[base], w.range[base + 1], w.range[base + 2], w.range[base + 3]
        if gentle == 0.0 and not (high == low or adjoint == 0.0 or (high - low) * adjoint <= UNSEEN):
            return False
    return True


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def part_seen(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """The part of the step just taken up to which nothing that matters is hidden between its samples; 1 for all."""
    if h <= max(MOMENT * s.pace.reach, SHORTEST_STEPS * s.pace.smallest_step):
        return 1.0
    if not w.interpolated:
        interpolate_step(m, w, s, h, closed)
    call_state(m.dynamics, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.mass, 0))
    begin, width = 0.0, 1.0
    while begin < 1.0:
        if hides_nothing(m, w, s, h, begin, begin + width):
            begin += width
            width = min(2.0 * width, 1.0 - begin)
        elif width > SHORTEST_PIECE:
            width *= 0.5
        else:
            break
    return begin

"""The derivative of the map of an instant, by central differences of order six (saltation.py)."""

from jounce.kernels.contact.faces import keep_faces
from jounce.kernels.engine.instant import instant
from jounce.kernels.records.codes import GUARD_GAP
from jounce.kernels.records.fields import Machine, Motion, Record, Variation, Workspace
from jounce.kernels.records.recording import COUNTERS
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import share
from jounce.kernels.records.tolerances import (
    APPROACH_STEP,
    CHATTER_MARGIN,
    JUMP_ROUNDING,
    LARGEST_PERTURBATION,
    PART_OF_SCALE,
    SAME_MOTION,
    SHORTER_PERTURBATION,
    SMALLEST_PERTURBATION,
    SMOOTH_JUMP,
)
from jounce.kernels.tangent.variation import contact_tangent, motion_at, set_direction, set_point
from jounce.toolchain.jit import copy_record, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

STENCIL = (45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0)


@kernel
def column_size(m: Machine, w: Workspace, v: Variation, z: Reals, columns: Reals2, column: Integer) -> Real:
    """How large a column is beside the state, and where it belongs to the parameter, beside that.

    A parameter or a discrete state that is zero has no scale but its own unit.
    """
    size = 0.0
    for j in range(2 * m.n):
        scale = PART_OF_SCALE * w.scale[j] + abs(z[j])
        if scale > 0.0:
            size = max(size, abs(columns[column, j]) / scale)
    for k in range(m.nd):
        value = abs(m.p[m.states + k])
        size = max(size, abs(v.states[column, k]) / value if value > 0.0 else abs(v.states[column, k]))
    if column == v.parameter_column and v.parameter >= 0:
        parameter = abs(v.p[v.parameter])
        size = max(size, 1.0 / parameter if parameter > 0.0 else 1.0)
    return size


@kernel
def has_jumped(m: Machine, w: Workspace, s: Motion, before: Motion) -> Truth:
    """Whether the instant has done more than change the mode."""
    if before.event.guard_kind == GUARD_GAP or s.t != before.t:
        return True
    for j in range(m.n):
        if abs(s.u[j] - before.u[j]) > SAME_MOTION * w.scale[m.n + j]:
            return True
    return False


@kernel
def largest_step(
    m: Machine, w: Workspace, v: Variation, before: Motion, column: Integer, hit: Integer
) -> tuple[Real, Real]:
    """The step of the difference along one column: a small part of the state's scales and of the approach velocity.

    A shift of time counts by the way that the motion as a whole goes in it.
    """
    size = abs(v.time_shift[column]) * share(w.whole[1], w.whole[0])
    size = max(size, column_size(m, w, v, before.z, v.shifted, column))
    if size == 0.0:
        return 0.0, 0.0
    step = LARGEST_PERTURBATION / size
    if hit >= 0:
        set_point(m, v, before.z)
        set_direction(m, v, v.time_shift[column], v.shifted[column], column)
        contact_tangent(m, v, before.t)
        rate = abs(v.contact[contact_place(m, hit) + 1])
        if rate * step > APPROACH_STEP * v.approach:
            step = APPROACH_STEP * v.approach / rate
    return step, SMALLEST_PERTURBATION / size


@kernel
def shift_memories(m: Machine, v: Variation, column: Integer, amount: Real) -> None:
    """Memories of compliant contacts and discrete states ``amount`` along a column; the point itself stands in v.p."""
    if m.compliant_contacts > 0:
        for i in range(m.nc):
            if m.compliant[i]:
                k = m.memory[i] + 1
                m.p[k] = v.p[k] + amount * v.remembered[column, i]
    for k in range(m.nd):
        m.p[m.states + k] = v.p[m.states + k] + amount * v.states[column, k]


@kernel
def perturbed_instant(
    m: Machine,
    w: Workspace,
    s: Motion,
    v: Variation,
    before: Motion,
    trial: Motion,
    column: Integer,
    amount: Real,
    hit: Integer,
    jump: Integer,
    latest: Real,
    record: Record,
) -> Truth:
    """The instant from a perturbed state, into ``trial``; False if it does not end as the unperturbed one."""
    n = m.n
    copy_record(trial, before)
    trial.t += amount * v.time_shift[column]
    for j in range(n):
        trial.q[j] += amount * v.shifted[column, j]
        trial.u[j] += amount * v.shifted[column, n + j]
        trial.z[j], trial.z[n + j] = trial.q[j], trial.u[j]
    if s.t != before.t:
        # a speed, or minus a height, which is its square
        trial.settings.chatter_limit *= (
            CHATTER_MARGIN if trial.settings.chatter_limit >= 0.0 else CHATTER_MARGIN * CHATTER_MARGIN
        )
    own = v.parameter >= 0 and column == v.parameter_column
    kept = 0.0
    if own:
        kept = m.p[v.parameter]
        m.p[v.parameter] = kept + amount
    shift_memories(m, v, column, amount)
    keep_faces(m, False)
    status = instant(m, w, trial, hit, jump, latest, record)
    keep_faces(m, True)
    shift_memories(m, v, column, 0.0)
    if own:
        m.p[v.parameter] = kept
    if status != 0:
        return False
    for i in range(m.nc):
        if trial.modes[i] != s.modes[i]:
            return False
    return True


@kernel
def add_point(m: Machine, s: Motion, v: Variation, trial: Motion, order: Integer, weight: Real) -> None:
    """One point of the stencil into the derivative (v.point, last entry D t+) and into the test of smoothness."""
    n = m.n
    # differences from the unperturbed end lose fewer digits
    even = 1.0 if order == 3 else (-9.0 if order == 1 else 0.0)
    for k in range(2 * n + 1):
        if k == 2 * n:
            change = trial.t - s.t
        else:
            change = trial.q[k] - s.q[k] if k < n else trial.u[k - n] - s.u[k - n]
        v.point[k] += weight * change
        v.even[k] += even * change


@kernel
def end_size(m: Machine, w: Workspace, s: Motion, k: Integer) -> Real:
    """How large component k of the end of an instant is: coordinates, velocities, time."""
    if k == 2 * m.n:
        return abs(s.t) + s.pace.step_size
    return w.scale[k] + (abs(s.q[k]) if k < m.n else abs(s.u[k - m.n]))


@kernel
def smooth(m: Machine, w: Workspace, s: Motion, v: Variation, step: Real) -> Truth:
    """Whether the points of the stencil lie on a smooth map, every component measured by its size."""
    largest = 0.0
    for k in range(2 * m.n + 1):
        size = end_size(m, w, s, k)
        if size > 0.0:
            largest = max(largest, abs(v.point[k]) / size)
    for k in range(2 * m.n + 1):
        if not abs(v.even[k]) <= (SMOOTH_JUMP * step * largest + JUMP_ROUNDING) * end_size(m, w, s, k):
            return False
    return True


@kernel
def difference(
    m: Machine,
    w: Workspace,
    s: Motion,
    v: Variation,
    before: Motion,
    trial: Motion,
    column: Integer,
    hit: Integer,
    jump: Integer,
    latest: Real,
    record: Record,
) -> None:
    """D z+ and D t+ along one column into v.point; shrinks the step until its points are alike and lie smoothly."""
    step, smallest = largest_step(m, w, v, before, column, hit)
    while True:
        for k in range(2 * m.n + 1):
            v.point[k] = v.even[k] = 0.0
        alike = True
        for k in range(6):
            order = k // 2 + 1
            sign = 1.0 if k % 2 == 0 else -1.0
            if step > 0.0 and alike:
                amount = sign * order * step
                alike = perturbed_instant(m, w, s, v, before, trial, column, amount, hit, jump, latest, record)
                add_point(m, s, v, trial, order, sign * STENCIL[order - 1] / step)
        if alike and smooth(m, w, s, v, step):
            return
        if not (step > 0.0 and step * SHORTER_PERTURBATION >= smallest):  # also where a column is no longer finite
            v.irregular += 1
            return
        step *= SHORTER_PERTURBATION


@kernel
def differentiate_jump(
    m: Machine,
    w: Workspace,
    s: Motion,
    v: Variation,
    before: Motion,
    hit: Integer,
    jump: Integer,
    latest: Real,
    record: Record,
) -> None:
    """D z+ and D t+ of every column, into v.shifted and v.time_shift; nothing of it is recorded."""
    n = m.n
    set_point(m, v, before.z)
    set_direction(m, v, 1.0, v.rate_before, -1)
    contact_tangent(m, v, before.t)
    v.approach = abs(v.contact[contact_place(m, hit)]) if hit >= 0 else 0.0
    keep_events, keep_steps, seen, signature = record.keep_events, record.keep_steps, record.seen, record.signature
    record.keep_events = record.keep_steps = 0
    for k in range(COUNTERS):
        v.counter[k] = record.counter[k]
    for column in range(v.count):
        difference(m, w, s, v, before, motion_at(v.trial), column, hit, jump, latest, record)
        v.time_shift[column] = v.point[2 * n]
        for k in range(2 * n):
            v.shifted[column, k] = v.point[k]
    record.keep_events, record.keep_steps, record.seen, record.signature = keep_events, keep_steps, seen, signature
    for k in range(COUNTERS):
        record.counter[k] = v.counter[k]

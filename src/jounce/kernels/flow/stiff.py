"""Pressed contacts and internal states that are stiff: when steps are implicit, and when they are explicit again.

The steps of an explicit method are as long as the fastest rate of the equations allows, even where nothing moves any
more: 20 s of rest on a contact with sqrt(K/m) = 10^6 1/s are ten million steps. Where a contact has been pressed for
some steps that are not short for that rate, steps of Radau IIA are tried (radau.py). They go on while they are longer,
and an event ends them: what begins there is not smooth.

An internal state that is damped fast, such as the bristles of LuGre's friction, is in its balance most of the time.
There nothing shows that a step is longer than an explicit method is stable for: at the balance of a state all stages
see the same rate, zero, until rounding has grown by (h rate)^8 from step to step, and between the ends of steps the
interpolant shows it first. So the rate of every state is measured, -dz'/dz by one more evaluation, and an explicit step
times it is bounded; where that has been the bound for some steps implicit ones are tried.

The tolerance of the state says nothing of a depth that is smaller still. What is asked of these steps beyond it is that
the force of every pressed contact is known to the tolerance, or to what the rounding of its gap leaves.
"""

import math

from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.flow.pole import nears_pole
from jounce.kernels.flow.radau import PROBED, estimate_defect, probe_accelerations, take_radau_step
from jounce.kernels.flow.runge_kutta import DOP853, end_step
from jounce.kernels.flow.unseen import part_seen
from jounce.kernels.records.codes import PRESSED
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import REJECTED
from jounce.kernels.records.rows import contact_place, normal_place
from jounce.kernels.records.tolerances import (
    CUT,
    DEPTH_PROBE,
    EPSILON,
    ERROR_PART,
    FEW_TRIALS,
    FORCE_ROUNDING,
    IMPLICIT_GAIN,
    IMPLICIT_GROWTH,
    IMPLICIT_PAUSE,
    IMPLICIT_TRIALS,
    KEPT_SHORT,
    LEAST_ERROR,
    LEAST_SIZE,
    MASSLESS,
    POSITION_ROUNDING,
    PROBE,
    PROBE_ROUNDING,
    SAFETY,
    SHORTEST_IMPLICIT,
    SHORTEST_RETRY,
    STIFF_RATE,
    STIFF_STEPS,
    STOPPED_RETRY,
    UNSTABLE_RATE,
)
from jounce.kernels.records.workspace import (
    COMPLIANCE_STRIDE,
    RADAU_STAGES,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

ORDER = 1.0 * RADAU_STAGES  # with which the interpolant's defect falls


@kernel
def answer_rate(m: Machine, w: Workspace, s: Motion, closed: Integer, order: Integer) -> Real:
    """The rate with which the accelerations answer the displacement, or the velocity (order 1), w.step_error.

    sqrt(|da|/|dq|) or |da|/|du| in the metric of M; stage 0 is known.
    """
    n, first = m.n, m.n if order == 1 else 0
    for k in range(2 * n):
        w.point[k] = s.z[k]
    for j in range(n):
        w.point[first + j] += w.step_error[j]
    derivative(m, w, s.t, w.point, s.modes, closed, PROBED)
    moved = answer = 0.0
    for j in range(n):
        change = w.stages[PROBED, n + j] - w.stages[0, n + j]
        answer += w.start_mass[j] * (change * change)
        moved += w.start_mass[j] * (w.step_error[j] * w.step_error[j])
    if not moved > 0.0:
        return 0.0
    return math.sqrt(answer / moved) if order == 1 else math.sqrt(math.sqrt(answer / moved))


@block(f8(machine_record, workspace_record, motion_record, i8))
def contact_rate(m: Machine, w: Workspace, s: Motion, closed: Integer) -> Real:
    """The fastest rate of the pressed contacts: of the motions M^-1 W_N with which they are pressed deeper."""
    n, fastest = m.n, 0.0
    for i in range(m.nc):
        if s.modes[i] != PRESSED:
            continue
        call_state(m.contacts, s.t, address(s.z, 0), address(s.z, n), address(m.p, 0), address(w.contact, 0))
        base, normal = contact_place(m, i), normal_place(m, i)
        deeper = 0.0
        for j in range(n):
            along, mass = w.contact[normal + j], w.start_mass[j]
            w.step_error[j] = along / mass if mass > MASSLESS else 0.0
            deeper += along * w.step_error[j]
        if deeper > 0.0 and w.contact[base] != 0.0:
            size = DEPTH_PROBE * w.contact[base] / deeper
            for j in range(n):
                w.step_error[j] *= size
            fastest = max(fastest, answer_rate(m, w, s, closed, 2))
            for j in range(n):
                # as fast as the depth would change within a step
                w.step_error[j] /= s.pace.step_size
            fastest = max(fastest, answer_rate(m, w, s, closed, 1))
    return fastest


@kernel
def has_states(m: Machine, w: Workspace) -> Truth:
    """Whether the model has internal states."""
    for j in range(m.n):
        if w.start_mass[j] <= MASSLESS:
            return True
    return False


@kernel
def probed_rate(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, j: Integer, probe: Real) -> Real:
    """-dz'/dz of internal state j at the end of the explicit step just taken, over ``probe``."""
    n, known = m.n, 12 if s.settings.pair == DOP853 else 6
    for k in range(2 * n):
        w.point[k] = w.new_state[k]
    w.point[n + j] += probe
    change = w.point[n + j] - w.new_state[n + j]
    if change == 0.0:
        return 0.0
    derivative(m, w, s.t + h, w.point, s.modes, closed, PROBED)
    return (w.stages[known, n + j] - w.stages[PROBED, n + j]) / change


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def state_rate(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """The fastest rate -dz'/dz with which an internal state is damped at the end of the explicit step just taken.

    ``end_step`` knows the derivative there. A rate that would bound the step is asked on the other side too, and the
    slower one counts: a state that rests on a limit has a jump of its rate beside it (a spring whose slider gives way),
    which over a short probe looks like any damping.
    """
    n, known = m.n, 12 if s.settings.pair == DOP853 else 6
    fastest = 0.0
    for j in range(n):
        if w.start_mass[j] > MASSLESS:
            continue
        z, rate = w.new_state[n + j], w.stages[known, n + j]
        probe = max(PROBE * w.scale[n + j], PROBE_ROUNDING * EPSILON * abs(z), PROBE * h * abs(rate))
        found = probed_rate(m, w, s, h, closed, j, probe)
        if h * found > STIFF_RATE:
            found = min(found, probed_rate(m, w, s, h, closed, j, -probe))
        fastest = max(fastest, found)
    return fastest


@kernel
def note_stiffness(m: Machine, w: Workspace, s: Motion, closed: Integer, rate: Real) -> None:
    """Count explicit steps since a contact was pressed; every so often ask whether implicit ones are to follow.

    ``rate`` is that of internal states; where it bounds the steps they are counted too.
    """
    if not s.settings.implicit or s.settings.variation:
        return
    pressed, bound = count_pressed(s.modes, m.nc) > 0, s.pace.step_size * rate >= UNSTABLE_RATE
    if not (pressed or bound):
        s.pace.stiff = min(s.pace.stiff, 0)
        return
    s.pace.stiff += 1
    if not is_stiff(s):
        return
    reached = s.pace.step_size * (max(rate, contact_rate(m, w, s, closed)) if pressed else rate)
    s.memory.effort += 2
    s.pace.explicit_step = s.pace.step_size
    if STIFF_RATE < reached < UNSTABLE_RATE:
        s.pace.stiff += IMPLICIT_TRIALS - FEW_TRIALS  # nothing has been stirred up
    elif not reached >= UNSTABLE_RATE:
        s.pace.stiff = 0


@kernel
def is_stiff(s: Motion) -> Truth:
    """Whether the next step is implicit."""
    return s.pace.stiff >= STIFF_STEPS


@kernel
def leave_implicit(s: Motion) -> None:
    """The next steps are explicit, as long as they were."""
    if is_stiff(s):
        s.pace.step_size = min(s.pace.step_size, s.pace.explicit_step)
        s.pace.last_error = 0.0
    s.pace.stiff = min(s.pace.stiff, 0)


@kernel
def set_stiff_scales(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """w.error_scale as ``set_error_scales`` has it, without what a step so long would move by its first derivative."""
    n = m.n
    for j in range(n):
        place = max(abs(s.z[j]), ERROR_PART * w.scale[j])
        w.error_scale[j] = max(place, LEAST_SIZE)
        seen = POSITION_ROUNDING * place / (s.settings.tolerance * h)
        w.error_scale[n + j] = max(abs(s.z[n + j]), ERROR_PART * w.scale[n + j], seen, LEAST_SIZE)


@kernel
def force_change(w: Workspace, i: Integer) -> Real:
    """|dF_N| + |dF_T| of contact i between w.stiff_force and w.compliance."""
    base = i * COMPLIANCE_STRIDE
    normal = abs(w.compliance[base] - w.stiff_force[base])
    return normal + abs(w.compliance[base + 1] - w.stiff_force[base + 1])


@kernel
def force_error(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """What the error of the step just taken does to the forces of pressed contacts, in units of what is allowed."""
    n, p, end = m.n, address(m.p, 0), s.t + h
    if m.compliant_contacts == 0:
        return 0.0
    for k in range(2 * n):
        w.point[k] = w.new_state[k] + w.step_error[k]
    state, moved = w.new_state, w.point
    call_state(m.compliance, s.t, address(s.z, 0), address(s.z, n), p, address(w.stiff_start, 0))
    call_state(m.compliance, end, address(state, 0), address(state, n), p, address(w.stiff_force, 0))
    call_state(m.compliance, end, address(moved, 0), address(moved, n), p, address(w.compliance, 0))
    call_state(m.gaps, end, address(state, 0), address(state, n), p, address(w.gap, 0))
    call_state(m.sizes, end, address(state, 0), address(state, n), p, address(w.size_now, 0))
    worst = 0.0
    for i in range(m.nc):
        change = force_change(w, i) if s.modes[i] == PRESSED else 0.0
        if change == 0.0:
            continue
        base, depth = i * COMPLIANCE_STRIDE, abs(w.gap[2 * i])
        if not change < math.inf or depth == 0.0:
            return math.inf
        force = max(abs(w.stiff_start[base]), abs(w.stiff_force[base]))
        known = max(s.settings.tolerance, FORCE_ROUNDING * EPSILON * w.size_now[i] / depth)
        worst = max(worst, change / (known * force)) if force > 0.0 else math.inf
    return worst


@kernel
def give_up(m: Machine, s: Motion) -> None:
    """No step that is longer than explicit ones: back to these, and no new attempt until it is a small part of them."""
    leave_implicit(s)
    s.pace.stiff = -IMPLICIT_PAUSE * (4 + m.n)


@kernel
def is_longer(m: Machine, s: Motion) -> Truth:
    """Whether implicit steps are so much longer than explicit ones that they cost less, or may become so."""
    if s.pace.stiff < STIFF_STEPS + IMPLICIT_TRIALS:
        s.pace.stiff += 1
        return True
    return s.pace.step_size > (IMPLICIT_GAIN + 0.25 * m.n) * s.pace.explicit_step


@kernel
def stiff_step(m: Machine, w: Workspace, s: Motion, closed: Integer, h: Real, record: Record) -> tuple[Real, Real]:
    """One accepted implicit step; returns (h taken, error ratio), h = 0 where explicit steps are as long."""
    if not is_longer(m, s):
        give_up(m, s)
        return 0.0, 0.0
    kept_short = h < KEPT_SHORT * s.pace.step_size
    probe_accelerations(m, w, s, h, closed)
    while True:
        if h < SHORTEST_IMPLICIT * s.pace.explicit_step and not kept_short:
            give_up(m, s)
            return 0.0, 0.0
        set_stiff_scales(m, w, s, h)
        error = take_radau_step(m, w, s, h, closed)
        if error <= 1.0:
            error = max(error, force_error(m, w, s, h))
        if error <= 1.0:
            error = max(error, estimate_defect(m, w, s, h, closed), force_error(m, w, s, h))
        if error <= 1.0:
            end_step(m, w, s, h, closed)
            seen = 0.0
            if not (nears_pole(m, w, s, closed, 1, RADAU_STAGES + 1) or nears_pole(m, w, s, closed, 12, 13)):
                seen = part_seen(m, w, s, h, closed) if m.watched > 0 else 1.0
            if seen == 1.0:
                break
            h *= max(seen, CUT) if seen > 0.0 else 0.5
        else:
            h *= max(SHORTEST_RETRY, SAFETY * error ** (-1.0 / ORDER)) if error < math.inf else STOPPED_RETRY
        kept_short = False
        record.counter[REJECTED] += 1
    allowed = h * min(IMPLICIT_GROWTH, SAFETY * max(error, LEAST_ERROR) ** (-1.0 / ORDER))
    s.pace.step_size = max(allowed, s.pace.step_size) if kept_short else allowed
    return h, error

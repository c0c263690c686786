"""The last moment of a slide that runs into its singular point, and what is left of it.

Along a slide of one contact A lambda + b = 0 (A the determinant; b the gap's acceleration without a contact force). A
depends on the position, b on the velocity too, and to first order near A = b = 0

    A' = -r ,        b' = c_0 + c_1 lambda        (r, c_1 > 0: the motion is drawn into the point) .

With p = c_1/r, tau = A/r the time left, x = A/A_0 and lambda' known where A = A_0,

    lambda = L + (lambda_0 - L) x^(p - 1) ,       lambda_0 - L = tau lambda'/(1 - p) .

Steps that halve A (pole.py) never arrive. They end at A = SINGULAR, a guard, and from there the state is extrapolated:
velocities change by the impulse, the mean of lambda times the time. lambda vanishes on the way if its limit, L for
p > 1 and an infinity with the sign of lambda' for p < 1, is negative: then the contact opens there. Otherwise the slide
arrives at A = 0. For p > 1 its force has a limit; for p < 1 it grows beyond all bounds (the dynamic jam of Génot &
Brogliato 1999), but its impulse does not, and the mean is lambda_0 + tau lambda'/p in both cases.

The point need not be reached. Where the force is large velocities change in the last moment by more than they were, and
r with them: A' is linear in the velocities and so in the impulse P, b is quadratic. With positions as they are,

    d ln A/dP = A'(P)/(A lambda) ,       A lambda = -b(P) ,       dt/dP = 1/lambda .

If A' passes zero before b does, A has a minimum and grows again: the slide goes on behind it (``passes_by``). It is
marched over in P until A is twice what it was.

p is measured: c_1 is how b answers to velocities along v, the accelerations of a unit force. Where several contacts and
joints are closed, lambda is the force that answers most to b, and v what all forces together do as it grows.
"""

from jounce.kernels.contact.forces import contact_powers, evaluate_model, solve_mode, stage_power
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.flow.accept import accept
from jounce.kernels.flow.flight import write_parabola
from jounce.kernels.flow.jamming_force import add_force, determinant_ahead, jamming_contact, respond_after, take_means
from jounce.kernels.flow.passing_by import passes_by
from jounce.kernels.records.codes import GUARD_SLIP, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import BEYOND_SINGULAR, EPSILON, FARTHER_BEYOND, SINGULAR_SECANTS
from jounce.kernels.records.workspace import WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def time_left(m: Machine, w: Workspace, s: Motion) -> Real:
    """The time until the determinant vanishes, by secants; 0 where it does not do so soon."""
    t0, d0 = 0.0, determinant_ahead(m, w, s, 0.0)
    t1 = s.pace.step_size
    for _ in range(SINGULAR_SECANTS):
        d1 = determinant_ahead(m, w, s, t1)
        if not abs(d1 - d0) > 0.0:
            break
        t0, d0, t1 = t1, d1, t1 - d1 * (t1 - t0) / (d1 - d0)
    return t1 if 0.0 < t1 < 4.0 * s.pace.step_size else 0.0


@kernel
def move_on(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """w.new_state: the state after the time, with the accelerations in row 0."""
    n = m.n
    for j in range(n):
        a = w.stages[0, n + j]
        w.new_state[j] = s.z[j] + time * (s.z[n + j] + 0.5 * time * a)
        w.new_state[n + j] = s.z[n + j] + time * a


@kernel
def lies_beyond(m: Machine, w: Workspace, s: Motion, time: Real) -> Truth:
    """Whether the determinant has the other sign after this time, at the state that is put back onto its constraints.

    The means hold the gap to second order in the time only, and where p is small the velocities change by some per
    cent: what the projection moves may be more than what lies beyond the point.
    """
    n = m.n
    move_on(m, w, s, time)
    for j in range(2 * n):
        w.point[j] = w.new_state[j]
    q, u, modes = address(w.point, 0), address(w.point, n), address(s.modes, 0)
    project(m, w, s.t + time, q, u, modes)
    if not evaluate_model(m, w, s.t + time, q, u):
        return True
    return s.jam_sign * solve_mode(m, w, modes) < 0.0


@kernel
def time_beyond(m: Machine, w: Workspace, s: Motion, time: Real) -> Real:
    """The time until the state is beyond the singular point that it reaches after ``time``."""
    beyond = BEYOND_SINGULAR
    for _ in range(FARTHER_BEYOND):
        if lies_beyond(m, w, s, time * (1.0 + beyond)):
            break
        beyond *= 4.0
    return time * (1.0 + beyond)


@kernel
def part_with_slip(m: Machine, w: Workspace, s: Motion, time: Real) -> tuple[Real, Integer]:
    """(part of the last moment's impulse after which the first slip has stopped, its contact); (1, -1) if none does."""
    n, part, contact = m.n, 1.0, -1
    move_on(m, w, s, time)
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, n))
    for i in range(m.nc):
        w.gap[i] = w.contact[contact_place(m, i) + 2]
    evaluate_model(m, w, s.t + time, address(w.new_state, 0), address(w.new_state, n))
    for i in range(m.nc):
        if constrains(s.modes[i]) and s.modes[i] != STICK and m.has_slip[i]:
            before, after = w.gap[i], w.contact[contact_place(m, i) + 2]
            if before * after < 0.0 and before / (before - after) < part:
                part, contact = before / (before - after), i
    return part, contact


@kernel
def mean_powers(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """The powers of the mean forces in row 0, at the velocities halfway, to row 2 of the stages' sums.

    Positions hardly change, so velocities change along a line as the impulse grows, and the works are exact.
    """
    n, mean = m.n, w.stage_sums[0]
    for j in range(n):
        w.point[j] = 0.5 * (s.z[j] + w.new_state[j])
        w.point[n + j] = 0.5 * (s.z[n + j] + w.new_state[n + j])
    q, u, now = address(w.point, 0), address(w.point, n), s.t + 0.5 * time
    evaluate_model(m, w, now, q, u)
    stage_power(m, w, now, q, u, address(w.stage_force, 0))
    for i in range(m.nc):
        w.force[i, 0], w.force[i, 1] = mean[2 * i], mean[2 * i + 1]
    friction, surface = contact_powers(m, w, u, s.modes)
    w.power[1] += friction
    w.power[2] += surface
    for j in range(WORKS):
        w.stage_sums[2, j] = w.power[j]


@kernel
def bend_path(m: Machine, w: Workspace, s: Motion, time: Real, more: Real) -> None:
    """Move the coordinates at the end of the step on by ``more`` times the accelerations of a unit force.

    The velocities of the step begin with the direction of the force at its start, in row 1 of the stages' states.
    """
    for j in range(m.n):
        k = m.n + j
        w.interpolant[1, k] = time * w.stage_state[1, k] - w.interpolant[0, k]
        way = more * w.stages[1, m.n + j]
        w.new_state[j] += way
        w.interpolant[0, j] += way
        w.interpolant[1, j] -= way
        w.interpolant[2, j] += 2.0 * way


@block(i8(machine_record, workspace_record, motion_record, i8, f8, buffer_record))
def reach_singular_point(m: Machine, w: Workspace, s: Motion, closed: Integer, latest: Real, record: Record) -> Integer:
    """Move the state over the time that is left of a slide, and a moment beyond; returns 0 where it does not jam.

    Beyond, the determinant has the other sign by more than rounding. It does not jam where the contact opens before,
    nor where the last impulse stops the slip. Stage 0 holds the derivative at the state.
    """
    time = time_left(m, w, s)
    if time == 0.0:
        return 0
    arrives, mean, power, turned = 0.0, 0.0, 1.0, -1.0
    i = jamming_contact(m, w, s)
    impulse, passing, shift, early, before = passes_by(m, w, s, i, time) if i >= 0 else (0.0, 0.0, 0.0, 0.0, 0.0)
    if impulse > 0.0 and passing < latest - s.t:
        mean, time, turned, s.event.guard_kind = impulse / passing, passing, shift, -1
        for j in range(m.n, 2 * m.n):
            w.stage_state[1, j] = w.stages[0, j] + (mean - w.stage_sums[0, 2 * i]) * w.stages[1, j]
        respond_after(m, w, s, early, before)
        add_force(m, w, mean - w.stage_sums[0, 2 * i])
    else:
        arrives, mean, power = take_means(m, w, s, time)
        if arrives == 0.0:
            return 0
        if arrives == 1.0:
            again = time_left(m, w, s)  # on the way that the means take
            time = time_beyond(m, w, s, again if again > 0.0 else time)
        time = min(time * arrives, latest - s.t)
    part, stopped = part_with_slip(m, w, s, time)
    if stopped >= 0:
        # the impulse up to x is 1 - x^p of all
        sooner = max(1.0 - (1.0 - part) ** (1.0 / power), EPSILON * part)
        add_force(m, w, mean * (part / sooner - 1.0))
        time *= sooner
        s.event.guard_kind, s.event.guard_contact = GUARD_SLIP, stopped
        turned = -1.0
    move_on(m, w, s, time)
    mean_powers(m, w, s, time)
    write_parabola(m, w, s, time)
    if turned >= 0.0:
        bend_path(m, w, s, time, turned - 0.5 * time * impulse)
    for j in range(WORKS):
        w.stage_sums[3, j] = s.ledger[j] + time * w.stage_sums[2, j]
    accept(m, w, s, time, 1.0, False, s.t + time, closed, record)
    if s.settings.keep_ledger:
        for j in range(WORKS):
            s.ledger[j] = w.stage_sums[3, j]
    return arrives == 1.0 and stopped < 0

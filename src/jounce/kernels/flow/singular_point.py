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

import math

from jounce.kernels.contact.forces import contact_powers, evaluate_model, solve_mode, stage_power
from jounce.kernels.contact.linear import solve_mass
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.flow.accept import accept
from jounce.kernels.flow.flight import write_parabola
from jounce.kernels.records.codes import GUARD_FORCE, GUARD_SLIP, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.rows import along, contact_place, normal_place, spread
from jounce.kernels.records.tolerances import EPSILON
from jounce.kernels.records.workspace import WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

SECANTS = 6
AHEAD = 2.0**-9  # of the time left: where the growth of a force, known to 2^-26, is measured best by differences
BESIDE = 2.0**-10  # of the velocities: how far to both sides of them c_1 is measured; b is a quadratic function of them
BEYOND = 2.0**-18  # of the time left: the determinant is some 1e-13 there, with the sign that rounding does not change
FARTHER = 8  # times that this becomes four times as much, until the state lies beyond on its constraints too
PIECES, DOUBLED = 64, 0.6931471805599453  # of the march over a minimum: steps to it, and the logarithm at its end
LEAST_POWER, POWER_ONE = 2.0**-5, 2.0**-20  # p: smaller is none; nearer to 1 is taken at this distance


@kernel
def determinant_ahead(m: Machine, w: Workspace, s: Motion, time: Real) -> Real:
    """The determinant after a time along the derivative in stage 0; w.force and w.acceleration are those of that place.

    Not a number where the model is not finite.
    """
    n = m.n
    for j in range(n):
        a = w.stages[0, n + j]
        w.point[j] = s.z[j] + time * (s.z[n + j] + 0.5 * time * a)
        w.point[n + j] = s.z[n + j] + time * a
    if not evaluate_model(m, w, s.t + time, address(w.point, 0), address(w.point, n)):
        return math.nan
    return solve_mode(m, w, address(s.modes, 0))


@kernel
def time_left(m: Machine, w: Workspace, s: Motion) -> Real:
    """The time until the determinant vanishes, by secants; 0 where it does not do so soon."""
    t0, d0 = 0.0, determinant_ahead(m, w, s, 0.0)
    t1 = s.pace.step_size
    for _ in range(SECANTS):
        d1 = determinant_ahead(m, w, s, t1)
        if not abs(d1 - d0) > 0.0:
            break
        t0, d0, t1 = t1, d1, t1 - d1 * (t1 - t0) / (d1 - d0)
    return t1 if 0.0 < t1 < 4.0 * s.pace.step_size else 0.0


@kernel
def keep_forces(m: Machine, w: Workspace, s: Motion, row: Integer) -> None:
    """Keep accelerations and forces of the mode solved last in row 0 or 1 of the stages, their forces and sums."""
    kept = w.stage_sums[row]
    for j in range(m.n):
        w.stages[row, m.n + j] = w.acceleration[j]
    for k in range(m.nj):
        w.stage_force[row, k] = w.joint_force[k]
    for i in range(m.nc):
        closed = constrains(s.modes[i])
        kept[2 * i], kept[2 * i + 1] = (w.force[i, 0], w.force[i, 1]) if closed else (0.0, 0.0)


@kernel
def respond(m: Machine, w: Workspace, s: Motion, i: Integer) -> Real:
    """Solve the mode once more with the gap of contact i accelerated by C lambda; returns by how much lambda changes.

    Needs ``evaluate_model``, and what acts without that in row 0.
    """
    place = contact_place(m, i) + 3
    drift, before = w.contact[place], w.stage_sums[0, 2 * i]
    push = inverse_mass_of(m, w, i) * abs(before)
    w.contact[place] = drift + push
    solve_mode(m, w, address(s.modes, 0))
    w.contact[place] = drift
    return (w.force[i, 0] - before) / push if push > 0.0 else 0.0


@kernel
def inverse_mass_of(m: Machine, w: Workspace, i: Integer) -> Real:
    """C = W_N M^-1 W_N of contact i."""
    base = normal_place(m, i)
    spread(m, w.contact, i, base, w.rows, 0)
    solve_mass(w.factor, m.n, w.rows, 0, w.response, 0)
    return along(m, w.contact, i, base, w.response[0], 0.0)


@kernel
def jamming_contact(m: Machine, w: Workspace, s: Motion) -> Integer:
    """The sliding contact whose force answers most to its gap's acceleration; -1 if none slides.

    Row 0 receives what acts, row 1 what is added to it with each unit of that contact's force.
    """
    determinant_ahead(m, w, s, 0.0)
    keep_forces(m, w, s, 0)
    found, most = -1, 0.0
    for i in range(m.nc):
        if constrains(s.modes[i]) and s.modes[i] != STICK and m.has_slip[i]:
            size = abs(respond(m, w, s, i)) * inverse_mass_of(m, w, i)
            if size > most:
                found, most = i, size
    if found < 0:
        return -1
    respond(m, w, s, found)
    keep_forces(m, w, s, 1)
    gain = w.stage_sums[1, 2 * found] - w.stage_sums[0, 2 * found]
    for j in range(m.n, 2 * m.n):
        w.stages[1, j] = (w.stages[1, j] - w.stages[0, j]) / gain
    for k in range(m.nj):
        w.stage_force[1, k] = (w.stage_force[1, k] - w.stage_force[0, k]) / gain
    for k in range(2 * m.nc):
        w.stage_sums[1, k] = (w.stage_sums[1, k] - w.stage_sums[0, k]) / gain
    return found


@kernel
def force_beside(m: Machine, w: Workspace, s: Motion, i: Integer, change: Real) -> Real:
    """The force of contact i with velocities changed by this much along the accelerations of a unit force."""
    n = m.n
    for j in range(n):
        w.point[j] = s.z[j]
        w.point[n + j] = s.z[n + j] + change * w.stages[1, n + j]
    evaluate_model(m, w, s.t, address(w.point, 0), address(w.point, n))
    solve_mode(m, w, address(s.modes, 0))
    return w.force[i, 0]


@kernel
def measured_power(m: Machine, w: Workspace, s: Motion, i: Integer, time: Real) -> Real:
    """p = c_1/r."""
    largest, fastest = 0.0, 0.0
    for j in range(m.n, 2 * m.n):
        largest, fastest = max(largest, abs(s.z[j])), max(fastest, abs(w.stages[1, j]))
    change = BESIDE * largest / fastest if fastest > 0.0 and largest > 0.0 else 1.0
    slope = (force_beside(m, w, s, i, change) - force_beside(m, w, s, i, -change)) / (2.0 * change)
    power = max(-time * slope, LEAST_POWER)  # the slope is -c_1/A, and r is A/time
    return power if abs(power - 1.0) > POWER_ONE else 1.0 + POWER_ONE


@kernel
def add_force(m: Machine, w: Workspace, more: Real) -> None:
    """Let row 0 have so much more of the jamming contact's force, and of what comes with it."""
    for j in range(m.n, 2 * m.n):
        w.stages[0, j] += more * w.stages[1, j]
    for k in range(m.nj):
        w.stage_force[0, k] += more * w.stage_force[1, k]
    for k in range(2 * m.nc):
        w.stage_sums[0, k] += more * w.stage_sums[1, k]


@kernel
def take_means(m: Machine, w: Workspace, s: Motion, time: Real) -> tuple[Real, Real, Real]:
    """Row 0 receives the means of what acts until the slide ends; returns (part of the time that this takes, mean, p).

    The part is 1 where it arrives at the singular point, less where the contact s.event.guard_contact opens on the way,
    and 0 if no contact slides.
    """
    i = jamming_contact(m, w, s)
    if i < 0:
        return 0.0, 0.0, 1.0
    force = w.stage_sums[0, 2 * i]
    determinant_ahead(m, w, s, AHEAD * time)
    growth = 4.0 * (w.force[i, 0] - force)
    determinant_ahead(m, w, s, 2.0 * AHEAD * time)
    growth = (growth - (w.force[i, 0] - force)) / (2.0 * AHEAD)  # lambda' tau; squares of AHEAD cancel
    power = measured_power(m, w, s, i, time)
    varying = growth / (1.0 - power)
    limit = force - varying
    part, mean = 1.0, force + growth / power
    if (limit < 0.0) if power > 1.0 else (growth < 0.0):
        left = math.exp(math.log(-limit / varying) / (power - 1.0)) if -limit / varying > 0.0 else 0.0
        part = 1.0 - min(left, 1.0)
        mean = limit + varying * (1.0 - left**power) / (power * part) if part > 0.0 else force
        s.event.guard_kind, s.event.guard_contact = GUARD_FORCE, i
    add_force(m, w, mean - force)
    return part, mean, power


@kernel
def rate_of_determinant(m: Machine, w: Workspace, s: Motion, time: Real, change: Real) -> Real:
    """How fast the determinant changes with velocities changed by this much along the accelerations of a unit force."""
    n, modes, first = m.n, address(s.modes, 0), 0.0
    for end in range(2):
        for j in range(n):
            w.point[n + j] = s.z[n + j] + change * w.stages[1, n + j]
            w.point[j] = s.z[j] + (time * w.point[n + j] if end == 1 else 0.0)
        if not evaluate_model(m, w, s.t + (time if end == 1 else 0.0), address(w.point, 0), address(w.point, n)):
            return math.nan
        if end == 0:
            first = solve_mode(m, w, modes)
    return (solve_mode(m, w, modes) - first) / time


@kernel
def passes_by(m: Machine, w: Workspace, s: Motion, i: Integer, time: Real) -> tuple[Real, Real, Real, Real, Real]:
    """(impulse P, time, integral of P over the time) until the determinant has passed its minimum and is doubled.

    Then the means over P of the time and of that integral. Zeros where it arrives at the singular point instead. Rows 0
    and 1 are those of ``jamming_contact``.
    """
    largest, fastest = 0.0, 0.0
    for j in range(m.n, 2 * m.n):
        largest, fastest = max(largest, abs(s.z[j])), max(fastest, abs(w.stages[1, j]))
    if not (largest > 0.0 and fastest > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    unit, first, force = largest / fastest, determinant_ahead(m, w, s, 0.0), w.stage_sums[0, 2 * i]
    more, less = force_beside(m, w, s, i, unit), force_beside(m, w, s, i, -unit)
    slope, bend = (more - less) / (2.0 * unit), (more + less - 2.0 * force) / (2.0 * unit * unit)
    begin = rate_of_determinant(m, w, s, BESIDE * time, 0.0) / first
    change = (rate_of_determinant(m, w, s, BESIDE * time, unit) / first - begin) / unit
    if not (begin < 0.0 and change > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    turn = -begin / change
    impulse = passed = turned = logarithm = early = before = 0.0
    step, strength = turn / PIECES, force
    for _ in range(PIECES * PIECES):
        middle, end = impulse + 0.5 * step, impulse + step
        half, last = force + middle * (slope + bend * middle), force + end * (slope + bend * end)
        if not (half > 0.5 * strength and last > 0.5 * half):
            if end <= turn and step < turn / PIECES**3:
                return 0.0, 0.0, 0.0, 0.0, 0.0
            step *= 0.5
            continue
        a, b, c = begin + change * impulse, begin + change * middle, begin + change * end
        a, b, c = a / strength, b / half, c / last
        grown = step * (a + 4.0 * b + c) / 6.0
        if logarithm + grown > DOUBLED * 1.0001 and impulse > turn:
            step *= max(0.1, (DOUBLED - logarithm) / grown)
            continue
        at, between, ahead = (
            math.exp(logarithm) / strength,
            math.exp(logarithm + step * (5.0 * a + 8.0 * b - c) / 24.0) / half,
            math.exp(logarithm + grown) / last,
        )
        early, before = early + 0.5 * step * passed, before + 0.5 * step * turned
        passed += step * (at + 4.0 * between + ahead) / 6.0
        turned += step * (at * impulse + 4.0 * between * middle + ahead * end) / 6.0
        early, before = early + 0.5 * step * passed, before + 0.5 * step * turned
        impulse, strength, logarithm = end, last, logarithm + grown
        if logarithm >= 0.999 * DOUBLED and impulse > turn:
            return impulse, passed, turned, early / impulse, before / impulse
    return 0.0, 0.0, 0.0, 0.0, 0.0


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
    beyond = BEYOND
    for _ in range(FARTHER):
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
def respond_after(m: Machine, w: Workspace, s: Motion, time: Real, turned: Real) -> None:
    """Rows 0 and 1 of ``jamming_contact`` at another position of the way: W_N v is A, which the way itself changes."""
    for j in range(m.n):
        w.new_state[j] = s.z[j]
        s.z[j] += time * s.z[m.n + j] + turned * w.stages[1, m.n + j]
    jamming_contact(m, w, s)
    for j in range(m.n):
        s.z[j] = w.new_state[j]


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

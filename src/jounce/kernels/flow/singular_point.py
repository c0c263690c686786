"""The last moment of a slide that runs into its singular point, and what is left of it.

Along a slide of one contact A lambda + b = 0 (A the determinant, normalised here; b the gap's acceleration without a
contact force). A depends on the position, b on the velocity too, and to first order near A = b = 0

    A' = -r ,        b' = c_0 + c_1 lambda = c_0 - c_1 b/A        (r, c_1 > 0: the motion is drawn into the point)

so that lambda = -b/A = const + k A^(p - 1) with p = c_1/r: it tends to a limit for p > 1, and grows beyond all bounds
for p < 1 (the dynamic jam of Génot & Brogliato 1999), but its impulse does not. Steps that halve A (pole.py) never
arrive. They end at A = SINGULAR, a guard, and from there the state is extrapolated over the time tau = A/r left:
to rounding if lambda has a limit, as the square of SINGULAR; otherwise by the power law, whose impulse is
lambda tau/p in place of lambda tau. The exponent is measured, a short way ahead.
"""

import math

from jounce.kernels.contact.forces import constrains, contact_powers, evaluate_model, solve_mode, stage_power
from jounce.kernels.flow.accept import accept
from jounce.kernels.flow.flight import write_parabola
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.workspace import CONTACT_STRIDE, WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel

SECANTS = 6
AHEAD = 2.0**-13  # of the time left: where the growth of forces, known to 2^-26, is measured best by a difference
BEYOND = 2.0**-18  # of the time left: the determinant is some 1e-13 there, with the sign that rounding does not change
SMALLEST_POWER = 2.0**-4  # p: below, the impulse of the last moment is no longer small


@kernel
def determinant_ahead(m, w, s, time):
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
def time_left(m, w, s):
    """The time until the determinant vanishes, by secants; 0 where it does not do so soon."""
    t0, d0 = 0.0, determinant_ahead(m, w, s, 0.0)
    t1 = s.step_size
    for _ in range(SECANTS):
        d1 = determinant_ahead(m, w, s, t1)
        if not abs(d1 - d0) > 0.0:
            break
        t0, d0, t1 = t1, d1, t1 - d1 * (t1 - t0) / (d1 - d0)
    return t1 if 0.0 < t1 < 4.0 * s.step_size else 0.0


@kernel
def keep_forces(m, w, s, row):
    """Keep accelerations and forces of the place evaluated last in row 0 or 1 of the stages, their forces and sums."""
    kept = w.stage_sums[row]
    for j in range(m.n):
        w.stages[row, m.n + j] = w.acceleration[j]
    for k in range(m.nj):
        w.stage_force[row, k] = w.joint_force[k]
    for i in range(m.nc):
        closed = constrains(s.modes[i])
        kept[2 * i], kept[2 * i + 1] = (w.force[i, 0], w.force[i, 1]) if closed else (0.0, 0.0)


@kernel
def power_ahead(m, w, s, time):
    """The least power p of the forces of sliding contacts; rows 0 and 1 keep what acts now and a moment ahead."""
    before = determinant_ahead(m, w, s, 0.0)
    keep_forces(m, w, s, 0)
    ratio = determinant_ahead(m, w, s, AHEAD * time) / before
    keep_forces(m, w, s, 1)
    power, now, then = math.inf, w.stage_sums[0], w.stage_sums[1]
    for i in range(m.nc):
        if constrains(s.modes[i]) and s.modes[i] != STICK and m.has_slip[i] and now[2 * i] * then[2 * i] > 0.0:
            power = min(power, 1.0 + math.log(then[2 * i] / now[2 * i]) / math.log(ratio))
    return max(power, SMALLEST_POWER)


@kernel
def take_means(m, w, power):
    """The means over the last moment of accelerations and forces that grow with this power, to row 0."""
    part, now, then = 1.0 / (AHEAD * power), w.stage_sums[0], w.stage_sums[1]
    for j in range(m.n, 2 * m.n):
        w.stages[0, j] += part * (w.stages[1, j] - w.stages[0, j])
    for k in range(m.nj):
        w.stage_force[0, k] += part * (w.stage_force[1, k] - w.stage_force[0, k])
    for k in range(2 * m.nc):
        now[k] += part * (then[k] - now[k])


@kernel
def move_on(m, w, s, time, part):
    """w.new_state: the state after the time, its velocities changed by this part of what row 0 does."""
    n = m.n
    for j in range(n):
        a = part * w.stages[0, n + j]
        w.new_state[j] = s.z[j] + time * (s.z[n + j] + 0.5 * time * a)
        w.new_state[n + j] = s.z[n + j] + time * a


@kernel
def part_with_slip(m, w, s, time):
    """The part of the last moment's impulse after which the first slip has stopped; 1 if none does."""
    n, part = m.n, 1.0
    move_on(m, w, s, time, 1.0)
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, n))
    for i in range(m.nc):
        w.gap[i] = w.contact[i * (CONTACT_STRIDE + 2 * n) + 2]
    evaluate_model(m, w, s.t + time, address(w.new_state, 0), address(w.new_state, n))
    for i in range(m.nc):
        if constrains(s.modes[i]) and s.modes[i] != STICK and m.has_slip[i]:
            before, after = w.gap[i], w.contact[i * (CONTACT_STRIDE + 2 * n) + 2]
            if before * after < 0.0:
                part = min(part, before / (before - after))
    return part


@kernel
def mean_powers(m, w, s, time, part):
    """The powers of the mean forces in row 0, at the velocities halfway, to row 2 of the stages' sums.

    Positions hardly change, so velocities change along a line as the impulse grows, and the works are exact.
    """
    n, mean = m.n, w.stage_sums[0]
    for j in range(n):
        w.point[j] = 0.5 * (s.z[j] + w.new_state[j])
        w.point[n + j] = 0.5 * (s.z[n + j] + w.new_state[n + j])
    q, u, now = address(w.point, 0), address(w.point, n), s.t + 0.5 * time
    evaluate_model(m, w, now, q, u)
    for k in range(m.nj):
        w.stage_force[0, k] *= part
    stage_power(m, w, now, q, u, address(w.stage_force, 0))
    for i in range(m.nc):
        w.force[i, 0], w.force[i, 1] = part * mean[2 * i], part * mean[2 * i + 1]
    friction, surface = contact_powers(m, w, u, s.modes)
    w.power[1] += friction
    w.power[2] += surface
    for j in range(WORKS):
        w.stage_sums[2, j] = w.power[j]


@block(i8(machine_record, workspace_record, motion_record, i8, f8, buffer_record))
def reach_singular_point(m, w, s, closed, latest, record):
    """Move the state over the time that is left of a slide, and a moment beyond; returns 0 where it does not jam.

    Beyond, the determinant has the other sign by more than rounding. A slip that the last impulse stops does not jam.
    Stage 0 holds the derivative at the state.
    """
    time = time_left(m, w, s)
    if time == 0.0:
        return 0
    take_means(m, w, power_ahead(m, w, s, time))
    time = min(time * (1.0 + BEYOND), latest - s.t)
    part = part_with_slip(m, w, s, time)
    move_on(m, w, s, time, part)
    mean_powers(m, w, s, time, part)
    for j in range(m.n, 2 * m.n):
        w.stages[0, j] *= part
    write_parabola(m, w, s, time)
    for j in range(WORKS):
        w.stage_sums[3, j] = s.ledger[j] + time * w.stage_sums[2, j]
    accept(m, w, s, time, 1.0, False, s.t + time, closed, record)
    if s.keep_ledger:
        for j in range(WORKS):
            s.ledger[j] = w.stage_sums[3, j]
    return part == 1.0

"""The force that grows as a slide runs into its singular point, and its mean until it is there (singular_point.py)."""

import math

from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.linear import solve_mass
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.records.codes import GUARD_FORCE, STICK
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import along, contact_place, normal_place, spread
from jounce.kernels.records.tolerances import JAM_AHEAD, JAM_BESIDE, LEAST_POWER, POWER_ONE
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real


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
    change = JAM_BESIDE * largest / fastest if fastest > 0.0 and largest > 0.0 else 1.0
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
    determinant_ahead(m, w, s, JAM_AHEAD * time)
    growth = 4.0 * (w.force[i, 0] - force)
    determinant_ahead(m, w, s, 2.0 * JAM_AHEAD * time)
    growth = (growth - (w.force[i, 0] - force)) / (2.0 * JAM_AHEAD)  # lambda' tau; squares of JAM_AHEAD cancel
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

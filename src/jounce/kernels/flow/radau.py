"""One step of Radau IIA with five stages: what its cost depends on is how the motion changes, not how stiff it is.

The increments Z_i of the stages, q and u, solve the equations of collocation at the nodes c_i,

    sum_j (A^-1)_ij Z_j / h = f(t + c_i h, z_0 + Z_i) ,        z(t + h) = z_0 + Z_5 ,

by Newton's method with the Jacobian J of f at the start of the step. With A^-1 = T L T^-1 the equations of a correction
fall apart into one for each eigenvalue of A^-1; of a pair one is enough. Half of each is q' = u: with s = l/h, l the
eigenvalue, and a_q, a_u the derivatives of the accelerations,

    s dq - du = r_q ,   s du - a_q dq - a_u du = r_u :   (s - a_u - a_q/s) du = r_u + a_q r_q/s ,   dq = (r_q + du)/s ,

so that the matrices are of the size of the coordinates. The estimate of the error is Hairer & Wanner's, IV.8: the
difference to an embedded formula of order five that has the start as a node too, times (1 - h J/l_1)^-1, which makes it
finite however stiff the equations are.
"""

import math

from jounce.kernels.contact.forces import derivative, derivative_at
from jounce.kernels.flow.radau_table import (
    BACK,
    ERROR,
    INVERSE,
    MIDDLE,
    MIDDLE_RATE,
    MIDDLE_STATE,
    NESTED,
    ROOTS,
    START_RATE,
    TO,
    C,
)
from jounce.kernels.records.codes import PRESSED
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place, normal_place
from jounce.kernels.records.tolerances import (
    DEPTH_PROBE,
    EPSILON,
    NEWTON_REST,
    NEWTON_STAGNATES,
    NEWTON_TURNS,
    PROBE,
    PROBE_ROUNDING,
)
from jounce.kernels.records.workspace import (
    RADAU_PAIRS,
    RADAU_STAGES,
    STAGES,
    STATE,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

PROBED = STAGES - 1  # a stage that is free


@kernel
def place_probe(m: Machine, w: Workspace, s: Motion, k: Integer) -> Real:
    """By how much coordinate k is moved to see what that does to the accelerations.

    Forces of pressed contacts change over their depth, which may be a billionth of the coordinates; w.contact is known.
    Machines of tables have none: the directions have all their entries.
    """
    depth = math.inf
    for i in range(m.nc):
        if s.modes[i] != PRESSED:
            continue
        gap, along = abs(w.contact[contact_place(m, i)]), abs(w.contact[normal_place(m, i) + k])
        if along > 0.0 and gap != 0.0:
            depth = min(depth, gap / along)
    probe = DEPTH_PROBE * depth if depth < math.inf else PROBE * w.scale[k]
    return max(probe, PROBE_ROUNDING * EPSILON * abs(s.z[k]))


@block(void(machine_record, workspace_record, motion_record, f8, i8))
def probe_accelerations(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """a_q and a_u at the start of the step, by differences; stage 0 is known."""
    n = m.n
    probes = w.step_error
    call_state(m.contacts, s.t, address(s.z, 0), address(s.z, n), address(m.p, 0), address(w.contact, 0))
    for k in range(n):
        probes[k] = place_probe(m, w, s, k)
        probes[n + k] = max(PROBE * w.scale[n + k], PROBE_ROUNDING * EPSILON * abs(s.z[n + k]))
        if probes[n + k] == 0.0:
            probes[n + k] = probes[k] / h
    for k in range(2 * n):
        for j in range(2 * n):
            w.point[j] = s.z[j]
        w.point[k] += probes[k]
        change = w.point[k] - s.z[k]
        derivative(m, w, s.t, w.point, s.modes, closed, PROBED)
        column = k if k < n else k - n
        out = w.slope_q if k < n else w.slope_u
        for j in range(n):
            out[j, column] = (w.stages[PROBED, n + j] - w.stages[0, n + j]) / change if change != 0.0 else 0.0


@kernel
def pivot_row(w: Workspace, part: Integer, k: Integer, n: Integer) -> Integer:
    """The row from k on with the largest entry of column k, as kinetic energy: in any units the same one.

    w.step_error has the mass of the coordinate whose equation each row is.
    """
    best, row = -1.0, k
    for i in range(k, n):
        re, im = w.radau_factor[0, part, i, k], w.radau_factor[1, part, i, k]
        size = (re * re + im * im) * w.step_error[i]
        if size > best:
            best, row = size, i
    return row


@kernel
def factor_part(m: Machine, w: Workspace, h: Real, part: Integer) -> Truth:
    """L U of s - a_u - a_q/s for one eigenvalue, with exchanged rows, and their masses with them in w.step_error."""
    n, f, mass = m.n, w.radau_factor, w.step_error
    s = complex(ROOTS[part, 0] / h, ROOTS[part, 1] / h)
    for i in range(n):
        mass[i] = w.start_mass[i]
        for j in range(n):
            entry = -w.slope_u[i, j] - w.slope_q[i, j] / s
            if i == j:
                entry += s
            f[0, part, i, j], f[1, part, i, j] = entry.real, entry.imag
    for k in range(n):
        row = pivot_row(w, part, k, n)
        w.radau_pivot[part, k] = row
        mass[k], mass[row] = mass[row], mass[k]
        for j in range(n):
            f[0, part, k, j], f[0, part, row, j] = f[0, part, row, j], f[0, part, k, j]
            f[1, part, k, j], f[1, part, row, j] = f[1, part, row, j], f[1, part, k, j]
        pivot = complex(f[0, part, k, k], f[1, part, k, k])
        if pivot == 0.0:
            return False
        for i in range(k + 1, n):
            ratio = complex(f[0, part, i, k], f[1, part, i, k]) / pivot
            f[0, part, i, k], f[1, part, i, k] = ratio.real, ratio.imag
            if ratio != 0.0:
                for j in range(k + 1, n):
                    entry = ratio * complex(f[0, part, k, j], f[1, part, k, j])
                    f[0, part, i, j] -= entry.real
                    f[1, part, i, j] -= entry.imag
    return True


@kernel
def solve_part(m: Machine, w: Workspace, h: Real, part: Integer) -> None:
    """(dq, du) of one eigenvalue in place of (r_q, r_u), w.radau_side."""
    n, f, side = m.n, w.radau_factor, w.radau_side
    s = complex(ROOTS[part, 0] / h, ROOTS[part, 1] / h)
    for i in range(n):
        total = 0j
        for j in range(n):
            total += w.slope_q[i, j] * complex(side[0, part, j], side[1, part, j])
        total /= s
        side[0, part, n + i] += total.real
        side[1, part, n + i] += total.imag
    for k in range(n):
        # all exchanges first: those of L have been exchanged with them
        row = n + w.radau_pivot[part, k]
        side[0, part, n + k], side[0, part, row] = side[0, part, row], side[0, part, n + k]
        side[1, part, n + k], side[1, part, row] = side[1, part, row], side[1, part, n + k]
    for i in range(n):
        total = complex(side[0, part, n + i], side[1, part, n + i])
        for j in range(i):
            total -= complex(f[0, part, i, j], f[1, part, i, j]) * complex(side[0, part, n + j], side[1, part, n + j])
        side[0, part, n + i], side[1, part, n + i] = total.real, total.imag
    for i in range(n - 1, -1, -1):
        total = complex(side[0, part, n + i], side[1, part, n + i])
        for j in range(i + 1, n):
            total -= complex(f[0, part, i, j], f[1, part, i, j]) * complex(side[0, part, n + j], side[1, part, n + j])
        total /= complex(f[0, part, i, i], f[1, part, i, i])
        side[0, part, n + i], side[1, part, n + i] = total.real, total.imag
        total = (complex(side[0, part, i], side[1, part, i]) + total) / s
        side[0, part, i], side[1, part, i] = total.real, total.imag


@kernel
def evaluate_stages(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """f at the stages, to stages 1 to 5, and what is left of their equations, to w.radau_rest."""
    nz, z = 2 * m.n, w.increment
    for i in range(RADAU_STAGES):
        for k in range(nz):
            w.stage_state[1 + i, k] = s.z[k] + z[i, k]
        derivative_at(m, w, s.t + C[i] * h, w.stage_state, (1 + i) * STATE, s.modes, closed, 1 + i)
    for i in range(RADAU_STAGES):
        for k in range(nz):
            total = 0.0
            for j in range(RADAU_STAGES):
                total += INVERSE[i, j] * z[j, k]
            w.radau_rest[i, k] = w.stages[1 + i, k] - total / h


@kernel
def correct_stages(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """One correction of the increments from what is left of their equations; its size in units of the tolerance."""
    nz, side = 2 * m.n, w.radau_side
    for part in range(RADAU_PAIRS):
        for k in range(nz):
            re = im = 0.0
            for i in range(RADAU_STAGES):
                re += TO[0, part, i] * w.radau_rest[i, k]
                im += TO[1, part, i] * w.radau_rest[i, k]
            side[0, part, k], side[1, part, k] = re, im
        solve_part(m, w, h, part)
    largest = 0.0
    for i in range(RADAU_STAGES):
        size = 0.0
        for k in range(nz):
            change = 0.0
            for part in range(RADAU_PAIRS):
                change += BACK[0, part, i] * side[0, part, k] - BACK[1, part, i] * side[1, part, k]
            w.increment[i, k] += change
            if change != 0.0:
                size += (change / (s.settings.tolerance * w.error_scale[k])) ** 2
        largest = max(largest, size) if size == size else math.inf
    return math.sqrt(largest / nz)


@kernel
def solve_stages(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """Newton's corrections down to rounding, not to the tolerance; False where they do not converge.

    The depth of a stiff contact may be less than the tolerance leaves in its coordinates, and its force is as exact as
    its depth. So they go on until a correction is a small part of the first, or stops to shrink where it is invisible.
    """
    for i in range(RADAU_STAGES):
        for k in range(2 * m.n):
            w.increment[i, k] = 0.0
    first = last = math.inf
    for turn in range(NEWTON_TURNS):
        evaluate_stages(m, w, s, h, closed)
        size = correct_stages(m, w, s, h)
        s.memory.effort += RADAU_STAGES
        if not size < math.inf:
            return False
        if turn == 0:
            first = size
        if size <= NEWTON_REST * first:
            return True
        if turn > 0 and size > 0.5 * last:
            return size <= NEWTON_STAGNATES
        last = size
    return False


@kernel
def error_ratio(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """(s_1 - J)^-1 of the side of the first eigenvalue, s_1 = l_1/h, to w.step_error; its size over the tolerance."""
    total = 0.0
    solve_part(m, w, h, 0)
    for k in range(2 * m.n):
        w.step_error[k] = w.radau_side[0, 0, k]
        if w.step_error[k] != 0.0:
            scale = s.settings.tolerance * max(w.error_scale[k], abs(w.new_state[k]))
            total += (w.step_error[k] / scale) ** 2
    return math.sqrt(total / (2 * m.n))


@kernel
def estimate_error(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """The error at the end of the step just taken, to w.step_error; returns it in units of the tolerance."""
    side, root = w.radau_side, ROOTS[0, 0] / h
    for k in range(2 * m.n):
        total = 0.0
        for i in range(RADAU_STAGES):
            total += ERROR[i] * w.increment[i, k]
        side[0, 0, k], side[1, 0, k] = w.stages[0, k] + root * total, 0.0
    return error_ratio(m, w, s, h)


@kernel
def start_miss(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """By how much the interpolant leaves the polynomial of collocation to begin with the derivative at its start.

    In units of the tolerance. Their difference is x (1 - x/c_1)...(1 - x/c_5) of that of their slopes, an eighth at
    most.
    """
    largest = 0.0
    for k in range(2 * m.n):
        slope = h * w.stages[0, k]
        for i in range(RADAU_STAGES):
            slope -= START_RATE[i] * w.increment[i, k]
        if slope != 0.0:
            largest = max(largest, 0.125 * abs(slope) / (s.settings.tolerance * w.error_scale[k]))
    return largest


@kernel
def estimate_defect(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """As ``estimate_error``, from what the interpolant leaves of the equations between two nodes.

    However stiff a contact is, its force is right at the nodes: the error at the end of a step does not show that
    between them the polynomial misses what the load does.
    """
    nz, side = 2 * m.n, w.radau_side
    for k in range(nz):
        total = MIDDLE_STATE[0] * h * w.stages[0, k]
        for i in range(RADAU_STAGES):
            total += MIDDLE_STATE[1 + i] * w.increment[i, k]
        w.point[k] = s.z[k] + total
    derivative(m, w, s.t + MIDDLE * h, w.point, s.modes, closed, PROBED)
    for k in range(nz):
        total = MIDDLE_RATE[0] * h * w.stages[0, k]
        for i in range(RADAU_STAGES):
            total += MIDDLE_RATE[1 + i] * w.increment[i, k]
        side[0, 0, k], side[1, 0, k] = w.stages[PROBED, k] - total / h, 0.0
    return max(error_ratio(m, w, s, h), start_miss(m, w, s, h))


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def take_radau_step(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """z(t + h) into w.new_state; returns the error in units of the tolerance, inf where no solution is found.

    ``probe_accelerations`` at its start and w.error_scale are known.
    """
    w.by_series, w.by_radau = 0, 1
    for part in range(RADAU_PAIRS):
        if not factor_part(m, w, h, part):
            return math.inf
    if not solve_stages(m, w, s, h, closed):
        return math.inf
    for k in range(2 * m.n):
        w.new_state[k] = s.z[k] + w.increment[RADAU_STAGES - 1, k]
    return estimate_error(m, w, s, h)


@kernel
def interpolate_radau(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Rows F of the polynomial through the stages that begins with the derivative at the start."""
    for k in range(2 * m.n):
        for row in range(s.settings.rows):
            total = 0.0
            if row <= RADAU_STAGES:
                total = NESTED[row, 0] * h * w.stages[0, k]
                for i in range(RADAU_STAGES):
                    total += NESTED[row, 1 + i] * w.increment[i, k]
            w.interpolant[row, k] = total

"""Put a state back onto its active constraints, so that nothing drifts.

Positions move by dq = -M^-1 R^T (R M^-1 R^T)^+ g over joints and closed gaps, velocities by the same formula with the
rates over joints, closed gaps and sticking slips: the smallest change in the metric of M. The pseudo-inverse serves
dependent constraints.

The change of the velocities is that of an impulse p of each constraint. Surfaces and joints that move at g_t do the
work -p g_t = p R.u (after it) on it: w.projection_work, which belongs in the ledger where the impulse is one of the
motion (what a chatter leaves out, a contact that comes to rest) and not an error of the integrator.
"""

import math

from jounce.kernels.contact.forces import evaluate_model, evaluate_motion
from jounce.kernels.contact.linear import diagonal_mobilities, solve_definite, solve_mass, solve_ranked
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.rows import column, contact_place, normal_place, spread
from jounce.kernels.records.tolerances import NEGLIGIBLE, SAME_VELOCITY, SMALL_DRIFT
from jounce.kernels.records.workspace import JOINT_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8, integer_pointer, pointer
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth


@kernel
def row_misses(m: Machine, w: Workspace, row: Integer, u: Reals, size: Real) -> Truth:
    """Whether the residual in w.right[row] is more than rounding; ``size`` is that of its terms, < 0: take R.u.

    A constraint that holds a coordinate at zero has no terms of its own: it is measured by the coordinates' scales.
    """
    if size >= 0.0:
        for j in range(m.n):
            size += abs(w.rows[row, j]) * w.scale[j]
    else:
        drift, size = -w.right[row], 0.0
        for j in range(m.n):
            term = w.rows[row, j] * u[j]
            drift -= term
            # what moves fast and stops leaves the rounding of its motion
            size += max(abs(term), abs(w.rows[row, j]) * w.scale[m.n + j])
        size += abs(drift)
    return abs(w.right[row]) > NEGLIGIBLE * size


@kernel
def constraint_rows(
    m: Machine, w: Workspace, u: Reals, modes: Integers, velocity_level: Truth
) -> tuple[Integer, Truth]:
    """Rows and residuals of the active constraints at position or velocity level; returns (number, whether to move)."""
    n = m.n
    size = 0
    misses = False
    for k in range(0 if m.baumgarte[0] > 0.0 else m.nj):
        base = k * (JOINT_STRIDE + n)
        w.right[size] = -w.joint[base + (1 if velocity_level else 0)]
        for j in range(n):
            w.rows[size, j] = w.joint[base + JOINT_STRIDE + j]
        misses = misses or row_misses(m, w, size, u, -1.0 if velocity_level else w.size[m.nc + k])
        size += 1
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        base = contact_place(m, i)
        if not m.load[i]:
            w.right[size] = -w.contact[base + (1 if velocity_level else 0)]
            spread(m, w.contact, i, normal_place(m, i), w.rows, size)
            misses = misses or row_misses(m, w, size, u, -1.0 if velocity_level else w.size[i])
            size += 1
        if velocity_level and modes[i] == STICK:
            w.right[size] = -w.contact[base + 2]
            spread(m, w.contact, i, normal_place(m, i) + m.width, w.rows, size)
            misses = misses or row_misses(m, w, size, u, -1.0)
            size += 1
    return size, misses


@kernel
def evaluate_constraints(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers) -> Integer:
    """What the active constraints need: contacts only where one is closed."""
    for i in range(m.nc):
        if constrains(modes[i]):
            return evaluate_model(m, w, t, q, u)
    return evaluate_motion(m, w, t, q, u)


@kernel
def evaluate_rows(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers) -> None:
    """What says whether the active constraints hold; masses and surfaces are asked for where they do not."""
    for i in range(m.nc):
        if constrains(modes[i]):
            call_state(m.contacts, t, q, u, address(m.p, 0), address(w.contact, 0))
            break
    if m.nj > 0:
        call_state(m.joints, t, q, u, address(m.p, 0), address(w.joint, 0))


@kernel
def joints_hold(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers) -> Truth:
    """Whether joints are the only constraints and hold well enough: all that has to be asked after most steps."""
    for i in range(m.nc):
        if constrains(modes[i]):
            return False
    if m.nj == 0 or m.baumgarte[0] > 0.0:
        return True
    call_state(m.joints, t, q, u, address(m.p, 0), address(w.joint, 0))
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + m.n)
        rate, drift, terms, size = w.joint[base + 1], w.joint[base + 1], 0.0, w.size[m.nc + k]
        for j in range(m.n):
            entry = w.joint[base + JOINT_STRIDE + j]
            drift -= entry * u[j]
            terms += abs(entry) * max(abs(u[j]), w.scale[m.n + j])
            size += abs(entry) * w.scale[j]
        closed = abs(w.joint[base]) <= SMALL_DRIFT * size
        if not (closed and abs(rate) <= SMALL_DRIFT * (terms + abs(drift))):
            return False
    return True


@kernel
def contacts_hold(m: Machine, w: Workspace, u: Reals, modes: Integers) -> Truth:
    """Whether no closed contact misses its constraints by more than rounding, as ``row_misses`` says; without joints.

    After most steps this is so, and then no rows are asked for.
    """
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        base, normal = contact_place(m, i), normal_place(m, i)
        tangent, sticks = normal + m.width, modes[i] == STICK
        place, rate_n, rate_t = w.size[i], 0.0, 0.0
        drift_n, drift_t = w.contact[base + 1], w.contact[base + 2]
        for k in range(m.width):
            j, along, across = column(m, i, k), w.contact[normal + k], w.contact[tangent + k]
            place += abs(along) * w.scale[j]
            drift_n -= along * u[j]
            rate_n += max(abs(along * u[j]), abs(along) * w.scale[m.n + j])
            drift_t -= across * u[j]
            rate_t += max(abs(across * u[j]), abs(across) * w.scale[m.n + j])
        if not m.load[i]:
            if not abs(w.contact[base]) <= NEGLIGIBLE * place:
                return False
            if not abs(w.contact[base + 1]) <= NEGLIGIBLE * (rate_n + abs(drift_n)):
                return False
        if sticks and not abs(w.contact[base + 2]) <= NEGLIGIBLE * (rate_t + abs(drift_t)):
            return False
    return True


@kernel
def solve_rows(m: Machine, w: Workspace, size: Integer) -> None:
    """Impulses (R M^-1 R^T)^+ right of the rows, in w.unknown; their responses M^-1 R^T in w.response.

    Most rows have few entries.
    """
    n = m.n
    for k in range(size):
        solve_mass(w.factor, n, w.rows, k, w.response, k)
        for i in range(size):
            w.matrix[i, k] = 0.0
    for j in range(n):
        for i in range(size):
            entry = w.rows[i, j]
            if entry == 0.0:
                continue
            for k in range(size):
                w.matrix[i, k] += entry * w.response[k, j]
    if not solve_definite(w, size):
        diagonal_mobilities(w, size)
        solve_ranked(w, size)


@kernel
def correct(m: Machine, w: Workspace, size: Integer, vector: Reals) -> None:
    """vector += M^-1 R^T (R M^-1 R^T)^+ right."""
    solve_rows(m, w, size)
    for k in range(size):
        for j in range(m.n):
            vector[j] += w.response[k, j] * w.unknown[k]


@kernel
def correct_velocities(m: Machine, w: Workspace, size: Integer, u: Reals) -> None:
    """``correct`` of velocities, with its work."""
    correct(m, w, size, u)
    for k in range(size):
        for j in range(m.n):
            w.projection_work += w.unknown[k] * w.rows[k, j] * u[j]


@kernel
def stop_velocities(m: Machine, w: Workspace, u: Reals, modes: Integers) -> None:
    """Project u, however little it misses its constraints. Needs ``evaluate_model``, and w.projection_work set."""
    size, _ = constraint_rows(m, w, u, modes, True)
    correct_velocities(m, w, size, u)


@kernel
def energy_across(m: Machine, w: Workspace, u: Reals, modes: Integers) -> Real:
    """g'^T (R M^-1 R^T)^-1 g': twice the energy of what it takes from u to stop these velocities; inf if nothing can.

    The pseudo-inverse leaves out what constraints that are all but dependent have apart, and with it what that takes:
    of a body that turns at w about a corner which sticks, a second corner at an angle a < 10^-6 from its dead centre
    closes at R a w, and to stop it takes the whole turning. Needs the model evaluated.
    """
    size, _ = constraint_rows(m, w, u, modes, True)
    solve_rows(m, w, size)
    energy = 0.0
    for k in range(size):
        energy += w.unknown[k] * w.right[k]
        left = w.right[k]
        for i in range(size):
            left -= w.matrix[k, i] * w.unknown[i]
        speeds = 0.0
        for j in range(m.n):
            speeds += abs(w.rows[k, j]) * max(abs(u[j]), w.scale[m.n + j])
        if not abs(left) <= SAME_VELOCITY * speeds:
            return math.inf
    return energy


@block(i8(machine_record, workspace_record, f8, pointer, pointer, integer_pointer))
def project(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers) -> Integer:
    """Project q, then u; returns True if anything was moved. w.projection_work receives the work of moving surfaces."""
    w.projection_work = 0.0
    if joints_hold(m, w, t, q, u, modes):
        return 0
    evaluate_rows(m, w, t, q, u, modes)
    if m.nj == 0 and contacts_hold(m, w, u, modes):
        return 0
    moved = 0
    for _ in range(3):
        size, misses = constraint_rows(m, w, u, modes, False)
        if not misses:
            break
        if not moved and not evaluate_constraints(m, w, t, q, u, modes):
            return 0
        correct(m, w, size, q)
        evaluate_constraints(m, w, t, q, u, modes)
        moved = 1
    size, misses = constraint_rows(m, w, u, modes, True)
    if misses and not moved and not evaluate_constraints(m, w, t, q, u, modes):
        return 0
    if misses:
        correct_velocities(m, w, size, u)
        moved = 1
    return moved

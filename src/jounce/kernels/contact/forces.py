"""Accelerations and forces in a given mode.

With the active contacts and the joints as equations the motion obeys

    M u' = h + sum_k F_k x_k ,      R_k . u' = -c_k ,

one row R_k and one unknown x_k for each joint (R = F = J), each closed contact (R = W_N) and each sticking contact
(R = F = W_T). Friction closes a sliding contact: lambda_T = -s mu lambda_N, so its force direction is
F = W_N - s mu W_T. Eliminating u' = M^-1 (h + F x) leaves the small system

    (R M^-1 F) x = -(c + R M^-1 h) .

Its matrix is not symmetric when a contact slides; its determinant may vanish or change sign, which is the Painlevé
paradox. For one sliding contact the matrix is A = W_N.M^-1.(W_N - s mu W_T) and the right side is -B, B = g'' at x = 0.

Constraints may depend on one another: x = x0 + Z a for any a. Then x is the solution of least norm. Where friction of
a slide follows from such forces (F Z is not zero) every a is another motion; it is that of the solution of least norm
within the limits of friction (contact/statics.py), which changes continuously with the state.
"""

import math

from jounce.kernels.contact.capacity import forces_are_open
from jounce.kernels.contact.linear import (
    diagonal_mobilities,
    factor_mass,
    inverse_mass_square,
    solve_definite,
    solve_mass,
    solve_ranked,
)
from jounce.kernels.contact.loads import (
    add_friction,
    add_preloads,
    rubs,
    straighten_pins,
    turn_pins,
)
from jounce.kernels.contact.statics import keep_limits
from jounce.kernels.contact.store_forces import store_forces
from jounce.kernels.contact.unknowns import constrains, slide_sign, slides, sliding_friction
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.rows import column, contact_place, normal_place, spread
from jounce.kernels.records.tolerances import BALANCES, TURNED
from jounce.kernels.records.workspace import (
    FLOW_DETERMINANT,
    FLOW_SOUND,
    JOINT_STRIDE,
    STAGE,
    WORKS,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8, integer_pointer, pointer, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2, Truth


@block(i8(machine_record, workspace_record, f8, pointer, pointer))
def evaluate_motion(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> Integer:
    """Fill mass and joint data at one state and factor M; all that matters while no rigid contact is closed."""
    pp = address(m.p, 0)
    call_state(m.dynamics, t, q, u, pp, address(w.mass, 0))
    if m.nj > 0:
        call_state(m.joints, t, q, u, pp, address(w.joint, 0))
    return 1 if factor_mass(m, w) else 0


@block(i8(machine_record, workspace_record, f8, pointer, pointer))
def evaluate_model(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> Integer:
    """Fill mass, contact, joint and surface data at one state and factor M; False if M is not positive definite."""
    pp = address(m.p, 0)
    if m.nc > 0:
        call_state(m.contacts, t, q, u, pp, address(w.contact, 0))
        call_state(m.surfaces, t, q, u, pp, address(w.surface, 0))
    if m.compliant_contacts > 0:
        call_state(m.compliance, t, q, u, pp, address(w.compliance, 0))
    return evaluate_motion(m, w, t, q, u)


@kernel
def assemble_constraints(m: Machine, w: Workspace, modes: Integers) -> Integer:
    """Rows, force directions and c of the mode, without friction of loads; returns their number. Joints come first."""
    n = m.n
    size = 0
    for k in range(m.nj):
        base = k * (JOINT_STRIDE + n)
        w.right[size] = w.joint[base + 2]
        if m.baumgarte[0] > 0.0:  # g'' + 2 alpha g' + beta^2 g = 0 in place of g'' = 0
            w.right[size] += 2.0 * m.baumgarte[0] * w.joint[base + 1] + m.baumgarte[1] ** 2 * w.joint[base]
        for j in range(n):
            w.rows[size, j] = w.joint[base + JOINT_STRIDE + j]
            w.columns[size, j] = w.rows[size, j]
        size += 1
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        base, normal = contact_place(m, i), normal_place(m, i)
        tangent = normal + m.width
        weight = 0.0
        if modes[i] != STICK and m.has_slip[i]:
            weight = slide_sign(modes[i]) * sliding_friction(w.surface, i, slide_sign(modes[i]))
        if not m.load[i]:
            w.right[size] = w.contact[base + 3]
            spread(m, w.contact, i, normal, w.rows, size)
            spread(m, w.contact, i, normal, w.columns, size)
            if weight != 0.0:
                for k in range(m.width):
                    w.columns[size, column(m, i, k)] -= weight * w.contact[tangent + k]
            size += 1
        if modes[i] == STICK:
            w.right[size] = w.contact[base + 4]
            spread(m, w.contact, i, tangent, w.rows, size)
            spread(m, w.contact, i, tangent, w.columns, size)
            size += 1
    return size


@kernel
def surface_velocity(m: Machine, w: Workspace, i: Integer, u: Reals) -> tuple[Real, Real]:
    """(g_t, w_T) of contact i: the parts of gamma_N and gamma_T that do not come from u."""
    base, normal = contact_place(m, i), normal_place(m, i)
    normal_drift = w.contact[base + 1]
    tangent_drift = w.contact[base + 2]
    for k in range(m.width):
        j = column(m, i, k)
        normal_drift -= w.contact[normal + k] * u[j]
        tangent_drift -= w.contact[normal + m.width + k] * u[j]
    return normal_drift, tangent_drift


@kernel
def delassus_matrix(w: Workspace, n: Integer, size: Integer) -> None:
    """w.response = M^-1 F, w.matrix = R M^-1 F, w.right = -(c + R M^-1 h); most directions have few entries."""
    for k in range(size):
        solve_mass(w.factor, n, w.columns, k, w.response, k)
        w.right[k] = -w.right[k]
        for i in range(size):
            w.matrix[k, i] = 0.0
    for j in range(n):
        for i in range(size):
            entry = w.rows[i, j]
            if entry == 0.0:
                continue
            w.right[i] -= entry * w.free[j]
            for k in range(size):
                w.matrix[i, k] += entry * w.response[k, j]


@kernel
def balance_loads(m: Machine, w: Workspace, modes: Integers, size: Integer) -> Real:
    """Solve again with the friction of loaded contacts; returns the determinant over that without it.

    Not a number where there is no balance. Needs the forces without it, in w.unknown.
    """
    straighten_pins(m, w)
    turn_pins(m, w, modes)
    if not rubs(m, modes):
        return 1.0
    first = solve_ranked(w, size)
    for _ in range(BALANCES):
        assemble_constraints(m, w, modes)
        add_friction(m, w, modes)
        delassus_matrix(w, m.n, size)
        last = solve_ranked(w, size)
        if turn_pins(m, w, modes) <= TURNED:
            return last / first if first != 0.0 else 1.0
    for k in range(size):
        w.unknown[k] = math.nan
    return math.nan


@kernel
def friction_is_open(m: Machine, w: Workspace, modes: Integers) -> Truth:
    """Whether a contact slides whose friction follows from forces that the mode just solved leaves open."""
    for i in range(m.nc):
        if slides(m, modes, i):
            return m.loaded == 0 and not forces_are_open(m, w, modes)
    return False


@block(f8(machine_record, workspace_record, integer_pointer))
def solve_mode(m: Machine, w: Workspace, modes: Integers) -> Real:
    """u' and the forces of a mode from the data of ``evaluate_model``; returns the normalised determinant.

    The determinant is divided by the product of the diagonal R_k M^-1 R_k, so it is 1 for uncoupled constraints,
    dimensionless, and for one sliding contact A/C. 0 stands for dependent constraints; joints alone have no use for it,
    and then it is 1. With rubbing joints it is also that of contact/loads.py, and not a number where they jam.
    """
    n = m.n
    for j in range(n):
        w.rows[0, j] = w.mass[m.force_place + j]
    if m.loaded > 0:
        add_preloads(m, w, modes, 0)
    solve_mass(w.factor, n, w.rows, 0, w.response, 0)
    for j in range(n):
        w.free[j] = w.response[0, j]
    size = assemble_constraints(m, w, modes)
    scale = 1.0
    if size > m.nj:
        for k in range(size):
            w.mobility[k] = inverse_mass_square(w, n, k)
            scale *= w.mobility[k]
    delassus_matrix(w, n, size)
    determinant, w.limited = 1.0, 0
    if size == m.nj:
        diagonal_mobilities(w, size)
    if size > m.nj or not solve_definite(w, size):
        determinant = solve_ranked(w, size)
        if determinant == 0.0 and friction_is_open(m, w, modes):
            w.limited = keep_limits(m, w, modes)
    determinant = determinant / scale if scale != 0.0 else 0.0
    if m.loaded > 0:
        determinant *= balance_loads(m, w, modes, size)
    for j in range(n):
        total = w.free[j]
        for k in range(size):
            total += w.response[k, j] * w.unknown[k]
        w.acceleration[j] = total
    store_forces(m, w, modes)
    return determinant


@block(f8(machine_record, workspace_record, integer_pointer))
def solve_statics(m: Machine, w: Workspace, modes: Integers) -> Real:
    """``solve_mode``, with forces within the limits of friction where they are not unique and such forces exist."""
    determinant = solve_mode(m, w, modes)
    if determinant == 0.0 and forces_are_open(m, w, modes):
        keep_limits(m, w, modes)
        store_forces(m, w, modes)
    return determinant


@kernel
def eliminated(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> Truth:
    """Whether the model's own elimination gives u' and nu, in w.elimination: joints alone, none of them dependent."""
    if m.baumgarte[0] > 0.0:
        return False
    call_state(m.joint_acceleration, t, q, u, address(m.p, 0), address(w.elimination, 0))
    return w.elimination[m.n + m.nj] == 1.0


@kernel
def lone_contact(m: Machine, modes: Integers, closed: Integer) -> Integer:
    """The one contact that is closed, if the model has functions of its own for that; -1 otherwise."""
    if closed != 1:
        return -1
    for i in range(m.nc):
        if constrains(modes[i]):
            return i if m.slide[i] != 0 else -1
    return -1


@kernel
def flows_alone(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers, closed: Integer) -> Truth:
    """Whether the model's own function gives u', forces and powers of the mode, in w.flow: one contact is closed."""
    i = lone_contact(m, modes, closed)
    if i < 0:
        return False
    if modes[i] == STICK:
        call_state(m.stick[i], t, q, u, address(m.p, 0), address(w.flow, 0))
    else:
        w.flow[0] = slide_sign(modes[i])
        call_state(m.slide[i], t, q, u, address(m.p, 0), address(w.flow, 0))
    return w.flow[m.n + FLOW_SOUND] == 1.0


@kernel
def contact_powers(m: Machine, w: Workspace, u: Reals, modes: Integers) -> tuple[Real, Real]:
    """(loss by friction, power of moving surfaces) at rigid contacts, from the mode just solved."""
    friction = surface = 0.0
    for i in range(m.nc):
        if not constrains(modes[i]):
            continue
        friction -= w.force[i, 1] * w.contact[contact_place(m, i) + 2]
        normal_drift, tangent_drift = surface_velocity(m, w, i, u)
        surface -= w.force[i, 0] * normal_drift + w.force[i, 1] * tangent_drift
    return friction, surface


@kernel
def store_powers(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers, row: Integer) -> None:
    """The powers of the mode just solved behind stage ``row``; those of joints and h only where there are no joints."""
    if m.nj == 0:
        call_state(m.powers, t, q, u, address(m.p, 0), address(w.power, 0))
    friction, surface = contact_powers(m, w, u, modes)
    for j in range(WORKS):
        w.stages[row, 2 * m.n + j] = w.power[j] if m.nj == 0 else 0.0
    w.stages[row, 2 * m.n + 1] += friction
    w.stages[row, 2 * m.n + 2] += surface


@kernel
def constrained_derivative(
    m: Machine, w: Workspace, t: Real, z: Reals | Reals2, at: Integer, modes: Integers, closed: Integer, row: Integer
) -> None:
    """u' in a mode with joints or closed contacts, to stage ``row``; nan where M is not positive definite."""
    n = m.n
    q, u = address(z, at), address(z, at + n)
    if flows_alone(m, w, t, q, u, modes, closed):
        for j in range(n + WORKS):
            w.stages[row, n + j] = w.flow[j]
        w.stage_determinant[row] = w.flow[n + FLOW_DETERMINANT]
        return
    if closed == 0 and eliminated(m, w, t, q, u):
        for j in range(n):
            w.stages[row, n + j] = w.elimination[j]
        for k in range(m.nj):
            w.stage_force[row, k] = w.elimination[n + k]
        return
    if not (evaluate_model(m, w, t, q, u) if closed > 0 else evaluate_motion(m, w, t, q, u)):
        for j in range(n):
            w.acceleration[j] = math.nan
    else:
        w.stage_determinant[row] = solve_mode(m, w, address(modes, 0))
    for j in range(n):
        w.stages[row, n + j] = w.acceleration[j]
    for k in range(m.nj):
        w.stage_force[row, k] = w.joint_force[k]
    if closed > 0:
        store_powers(m, w, t, q, u, modes, row)


@kernel
def derivative_at(
    m: Machine, w: Workspace, t: Real, z: Reals | Reals2, at: Integer, modes: Integers, closed: Integer, row: Integer
) -> None:
    """z' = (u, u') into stage ``row``, the state is at place ``at`` of z; a free model has a function of its own."""
    n = m.n
    for j in range(n):
        w.stages[row, j] = address(z, at)[n + j]
    if closed == 0 and m.nj == 0:
        q, u = address(z, at), address(z, at + n)
        function = m.free_flow if m.free_flow != 0 else m.free_acceleration
        call_state(function, t, q, u, address(m.p, 0), address(w.stages, row * STAGE + n))
    else:
        constrained_derivative(m, w, t, z, at, modes, closed, row)


@kernel
def derivative(m: Machine, w: Workspace, t: Real, z: Reals, modes: Integers, closed: Integer, row: Integer) -> None:
    """z' = (u, u') at one state into stage ``row``."""
    derivative_at(m, w, t, z, 0, modes, closed, row)


@block(void(machine_record, workspace_record, f8, pointer, pointer, pointer))
def stage_power(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, joint_force: Reals) -> None:
    """The powers of ``sample_power``, but for those of rigid contacts, where the joint forces are known."""
    call_state(m.powers, t, q, u, address(m.p, 0), address(w.power, 0))
    for k in range(m.nj):
        w.power[2] -= joint_force[k] * w.power[WORKS + k]


@block(void(machine_record, workspace_record, f8, pointer, pointer, integer_pointer, i8))
def sample_power(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers, closed: Integer) -> None:
    """Powers of applied forces, friction, moving surfaces and compliant losses at one state, into w.power.

    A contact force does the work lambda_N (gamma_N - g_t) + lambda_T (gamma_T - w_T) on the system; what remains
    after the friction loss -lambda_T gamma_T is work of the moving surface, -lambda_N g_t - lambda_T w_T, where
    g_t = gamma_N - W_N.u and w_T = gamma_T - W_T.u. A moving joint does -nu g_t. What a compliant contact neither
    stores nor passes on to friction and surface is lost in it: that is the model's own function.
    """
    n = m.n
    if closed == 0 and m.nj > 0 and eliminated(m, w, t, q, u):
        stage_power(m, w, t, q, u, address(w.elimination, n))
        return
    if flows_alone(m, w, t, q, u, modes, closed):
        for j in range(WORKS):
            w.power[j] = w.flow[n + j]
        return
    call_state(m.powers, t, q, u, address(m.p, 0), address(w.power, 0))
    if closed > 0 or m.nj > 0:
        if closed > 0:
            evaluate_model(m, w, t, q, u)
        else:
            evaluate_motion(m, w, t, q, u)
        solve_mode(m, w, modes)
        for k in range(m.nj):
            w.power[2] -= w.joint_force[k] * w.power[WORKS + k]
        if closed > 0:
            friction, surface = contact_powers(m, w, u, modes)
            w.power[1] += friction
            w.power[2] += surface

"""What the engine asks of a machine, each function as the generated code of a compiled model has it.

They read the tables in place of generated text; a system passes their addresses bound to its own tables
(system/tables/bound.py).
"""

from jounce.kernels.bodies.constraints import joint_equation
from jounce.kernels.bodies.eliminate import eliminate_joints, inverse_masses
from jounce.kernels.bodies.frames import rest_frames
from jounce.kernels.bodies.layout import (
    BODY_A,
    BODY_B,
    HAS_SLIP,
    TABLE_BATCH,
    TABLE_SIGNATURE,
    TOUCH_ROW,
)
from jounce.kernels.bodies.loads import add_forces, applied_power, stored_energy
from jounce.kernels.bodies.near import resists_slip, write_gap_rates, write_gaps, write_sizes, write_surfaces
from jounce.kernels.bodies.press import add_pressed, add_pressed_powers, write_compliance
from jounce.kernels.bodies.programs import number, run_program
from jounce.kernels.bodies.scratch import prepare
from jounce.kernels.bodies.touch import touch
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.roster import ALL
from jounce.kernels.records.workspace import CONTACT_STRIDE, JOINT_STRIDE, WORKS
from jounce.toolchain.jit import address, block, kernel, scratch
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals


@block(TABLE_SIGNATURE)
def dynamics(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """M row by row, then h."""
    values, frames, inverse = scratch(0.0), scratch(0.0), scratch(0.0)
    n = tables.n
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    inverse_masses(tables, values, inverse)
    for k in range(n * n):
        out[k] = 0.0
    for j in range(n):
        out[j * n + j] = 1.0 / inverse[j]
    add_forces(tables, values, frames, address(out, n * n))
    add_pressed(tables, t, q, u, p, values, frames, address(out, n * n))


@block(TABLE_SIGNATURE)
def free_acceleration(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """u' = M^-1 h."""
    values, frames, inverse = scratch(0.0), scratch(0.0), scratch(0.0)
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    inverse_masses(tables, values, inverse)
    add_forces(tables, values, frames, out)
    add_pressed(tables, t, q, u, p, values, frames, out)
    for j in range(tables.n):
        out[j] *= inverse[j]


@block(TABLE_SIGNATURE)
def free_flow(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """u' = M^-1 h, then applied power, friction loss, surface power, contact loss."""
    values, frames, inverse, kept = scratch(0.0), scratch(0.0), scratch(0.0), scratch(0.0)
    n = tables.n
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    inverse_masses(tables, values, inverse)
    add_forces(tables, values, frames, out)
    add_pressed(tables, t, q, u, p, values, frames, out)
    for j in range(n):
        out[j] *= inverse[j]
    out[n] = applied_power(tables, values, frames)
    for j in range(1, WORKS):
        out[n + j] = 0.0
    add_pressed_powers(tables, t, q, u, p, values, frames, kept, address(out, n + 1))


@block(TABLE_SIGNATURE)
def joint_acceleration(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """u', nu, and 1.0 if these are good."""
    values, frames, inverse, free = scratch(0.0), scratch(0.0), scratch(0.0), scratch(0.0)
    J, weighted, lower, right, line = scratch(0.0), scratch(0.0), scratch(0.0), scratch(0.0), scratch(0.0)
    if tables.nj == 0:
        return
    if tables.pattern_size == 0:  # more than the scratch holds: the engine's general way
        out[tables.n + tables.nj] = 0.0
        return
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    inverse_masses(tables, values, inverse)
    add_forces(tables, values, frames, free)
    add_pressed(tables, t, q, u, p, values, frames, free)
    for j in range(tables.n):
        free[j] *= inverse[j]
        out[j] = free[j]
    for j in range(3):
        free[3 * tables.bodies + j] = inverse[3 * tables.bodies + j] = 0.0  # of the ground
    eliminate_joints(tables, values, frames, free, inverse, J, weighted, lower, right, line, out)


@kernel
def spread(bodies: Integer, row: Integers, entries: tuple[Real, Real, Real, Real, Real, Real], out: Reals) -> None:
    """The entries of two bodies into a row of n numbers that are zero."""
    for side in range(2):
        body = row[BODY_A if side == 0 else BODY_B]
        if body < bodies:
            for j in range(3):
                out[3 * body + j] = entries[3 * side + j]


@block(TABLE_SIGNATURE)
def contacts(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: g, gamma_N, gamma_T, c_N, c_T, W_N, W_T, with zeros for all other bodies."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nc == 0:
        return
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    n, rows = tables.n, integers_at(tables.contact).at
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    for i in range(tables.nc):
        row = address(rows, i * TOUCH_ROW)
        found, normal, tangent = touch(constants, values, corners, frames, row, 0)
        at = i * (CONTACT_STRIDE + 2 * n)
        for k in range(CONTACT_STRIDE + 2 * n):
            out[at + k] = 0.0
        out[at], out[at + 1], out[at + 3] = found[0], found[1], found[3]
        spread(tables.bodies, row, normal, address(out, at + CONTACT_STRIDE))
        if row[HAS_SLIP]:
            out[at + 2] = found[2]
        if resists_slip(row):
            out[at + 4] = found[4]
            spread(tables.bodies, row, tangent, address(out, at + CONTACT_STRIDE + n))


@block(TABLE_SIGNATURE)
def gaps(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: g, gamma_N."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nc == 0:
        return
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    write_gaps(tables, p, values, frames, ALL, 2, out)


@block(TABLE_BATCH)
def gap_rates(tables: Tables, count: Integer, t: Reals, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """gamma_N of every contact at many states, row by row."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nc == 0:
        return
    write_gap_rates(tables, count, t, q, u, p, values, frames, ALL, out)


@block(TABLE_SIGNATURE)
def surfaces(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: friction ahead, back, static, as sliding begins; restitution, tangential, at a slow approach."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nc == 0:
        return
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    write_surfaces(tables, t, q, p, values, frames, ALL, out)


@block(TABLE_SIGNATURE)
def joints(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per joint: g, g', c, J with g'' = J.u' + c."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nj == 0:
        return
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    n, rows = tables.n, integers_at(tables.joint).at
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    for k in range(tables.nj):
        row = address(rows, k * TOUCH_ROW)
        found, entries = joint_equation(constants, values, corners, frames, row)
        at = k * (JOINT_STRIDE + n)
        for j in range(n):
            out[at + JOINT_STRIDE + j] = 0.0
        out[at], out[at + 1], out[at + 2] = found
        spread(tables.bodies, row, entries, address(out, at + JOINT_STRIDE))


@block(TABLE_SIGNATURE)
def powers(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Applied power, friction loss, surface power, loss of compliant contacts; per joint its g_t."""
    values, frames, kept = scratch(0.0), scratch(0.0), scratch(0.0)
    for k in range(WORKS + tables.nj):
        out[k] = 0.0
    if tables.elements == 0 and tables.prescribed == 0 and tables.compliant == 0:
        return
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    out[0] = applied_power(tables, values, frames)
    add_pressed_powers(tables, t, q, u, p, values, frames, kept, address(out, 1))
    if tables.prescribed == 0:
        return
    rest_frames(tables.bodies, frames)  # what is prescribed in time is what is left of g' while the bodies rest
    rows, constants = integers_at(tables.joint).at, numbers_at(tables.constant).at
    corners = integers_at(tables.corner).at
    for k in range(tables.nj):
        found, _ = joint_equation(constants, values, corners, frames, address(rows, k * TOUCH_ROW))
        out[WORKS + k] = found[1]


@block(TABLE_SIGNATURE)
def sizes(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """How large the terms of each gap, joint, guard and slip are."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nc + tables.nj + tables.ng == 0:
        return
    prepare(tables, tables.guards_end, t, q, u, p, values, frames)
    write_sizes(tables, values, frames, ALL, out)


@block(TABLE_SIGNATURE)
def guards(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """The guards of the user."""
    values = scratch(0.0)
    if tables.ng == 0:
        return
    run_program(tables, 0, tables.guards_end, t, q, u, p, values)
    constants, references = numbers_at(tables.constant).at, integers_at(tables.guard).at
    for k in range(tables.ng):
        out[k] = number(constants, values, references[2 * k])


@block(TABLE_SIGNATURE)
def resets(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """T + V, per reset whether its condition holds, all right sides."""
    values, frames = scratch(0.0), scratch(0.0)
    if tables.nr == 0:
        return
    prepare(tables, tables.resets_end, t, q, u, p, values, frames)
    out[0] = stored_energy(tables, values, frames)
    constants, references = numbers_at(tables.constant).at, integers_at(tables.reset).at
    for k in range(tables.nr + tables.assigned):
        out[1 + k] = number(constants, values, references[k])


@block(TABLE_SIGNATURE)
def compliance(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: F_N, F_T, loss, surface power, elastic, return, as if pressed; zeros of rigid contacts."""
    values, frames, shares = scratch(0.0), scratch(0.0), scratch(0.0)
    if tables.compliant == 0:
        return
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    write_compliance(tables, t, q, u, p, values, frames, shares, out)


@block(TABLE_SIGNATURE)
def nothing(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """What a machine of tables does not have: rates of guards in flight, bounds."""

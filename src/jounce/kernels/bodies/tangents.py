"""Directional derivatives of the machine's functions, by the same kernels on numbers that carry them (numbers.py).

The direction is packed behind the point, as in codegen/tangents.py: q = [q, dq], u = [u, du, dt], p = [p, dp], here
with the address of the list of contacts that are near (near.py) behind dp.
"""

from jounce.kernels.bodies.constraints import joint_equation
from jounce.kernels.bodies.functions import spread
from jounce.kernels.bodies.laws import said
from jounce.kernels.bodies.layout import (
    HAS_SLIP,
    SURFACE_LAW,
    SURFACE_REFERENCES,
    TABLE_SIGNATURE,
    TOUCH_ROW,
)
from jounce.kernels.bodies.loads import add_forces
from jounce.kernels.bodies.near import candidate, listed, resists_slip, run_surface_law, write_direction
from jounce.kernels.bodies.press import add_pressed, write_compliance
from jounce.kernels.bodies.programs import number, run_program
from jounce.kernels.bodies.scratch import directed, prepare, slope
from jounce.kernels.bodies.touch import touch
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.tolerances import COMPLEX_STEP
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, CONTACT_STRIDE, JOINT_STRIDE, PAIR, SURFACE_STRIDE
from jounce.toolchain.jit import address, block, kernel, scratch
from jounce.toolchain.kernel_types import Complex, Complexes, Integer, Real, Reals


@kernel
def take_direction(
    tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, place: Complexes, motion: Complexes, parameters: Complexes
) -> Complex:
    """The point with its direction; returns the time with its own."""
    n, count = tables.n, tables.parameters
    directed(q, 0, n, n, place)
    directed(u, 0, n, n, motion)
    directed(p, 0, count, count, parameters)
    return complex(t, COMPLEX_STEP * u[2 * n])


@kernel
def prepare_direction(
    tables: Tables,
    end: Integer,
    t: Real,
    q: Reals,
    u: Reals,
    p: Reals,
    place: Complexes,
    motion: Complexes,
    parameters: Complexes,
    values: Complexes,
    frames: Complexes,
) -> Complex:
    """``prepare`` for the point with its direction; returns the time with its own."""
    time = take_direction(tables, t, q, u, p, place, motion, parameters)
    prepare(tables, end, time, place, motion, parameters, values, frames)
    return time


@kernel
def tangent_list(tables: Tables, p: Reals) -> Integer:
    """The address of the list behind the parameters and their direction."""
    return int(p[2 * tables.parameters])


@kernel
def slopes(
    entries: tuple[Complex, Complex, Complex, Complex, Complex, Complex],
) -> tuple[Real, Real, Real, Real, Real, Real]:
    """The derivatives that six numbers carry."""
    a, b, c, d, e, f = entries
    return slope(a), slope(b), slope(c), slope(d), slope(e), slope(f)


@block(TABLE_SIGNATURE)
def dynamics_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """dM row by row, then dh."""
    place, motion, parameters = scratch(0j), scratch(0j), scratch(0j)
    values, frames, forces = scratch(0j), scratch(0j), scratch(0j)
    n = tables.n
    time = prepare_direction(tables, tables.forces_end, t, q, u, p, place, motion, parameters, values, frames)
    constants, mass = numbers_at(tables.constant).at, integers_at(tables.mass).at
    for k in range(n * n):
        out[k] = 0.0
    for k in range(tables.bodies):
        m, inertia = slope(number(constants, values, mass[2 * k])), slope(number(constants, values, mass[2 * k + 1]))
        out[3 * k * (n + 1)], out[(3 * k + 1) * (n + 1)], out[(3 * k + 2) * (n + 1)] = m, m, inertia
    for k in range(tables.branches):
        at = 3 * tables.bodies + k
        out[at * (n + 1)] = slope(number(constants, values, mass[2 * (tables.bodies + k)]))
    add_forces(tables, values, frames, forces)
    add_pressed(tables, time, place, motion, parameters, values, frames, forces)
    for j in range(n):
        out[n * n + j] = slope(forces[j])


@block(TABLE_SIGNATURE)
def contacts_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: d of what ``near_contacts`` gives."""
    place, motion, parameters = scratch(0j), scratch(0j), scratch(0j)
    values, frames = scratch(0j), scratch(0j)
    rows = integers_at(tables.contact).at
    prepare_direction(tables, tables.shapes_end, t, q, u, p, place, motion, parameters, values, frames)
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    near = tangent_list(tables, p)
    for i in range(listed(tables, near)):
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        found, normal, tangent = touch(constants, values, corners, frames, row, 0)
        at = i * (CONTACT_STRIDE + 2 * PAIR)
        for k in range(CONTACT_STRIDE + 2 * PAIR):
            out[at + k] = 0.0
        out[at], out[at + 1], out[at + 3] = slope(found[0]), slope(found[1]), slope(found[3])
        write_direction(tables.bodies, row, slopes(normal), address(out, at + CONTACT_STRIDE))
        if row[HAS_SLIP]:
            out[at + 2] = slope(found[2])
        if resists_slip(row):
            out[at + 4] = slope(found[4])
            write_direction(tables.bodies, row, slopes(tangent), address(out, at + CONTACT_STRIDE + PAIR))


@block(TABLE_SIGNATURE)
def surfaces_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: d of what ``near_surfaces`` gives."""
    place, motion, parameters, values = scratch(0j), scratch(0j), scratch(0j), scratch(0j)
    frames = scratch(0j)
    time = prepare_direction(tables, tables.shapes_end, t, q, u, p, place, motion, parameters, values, frames)
    references, constants = integers_at(tables.surface).at, numbers_at(tables.constant).at
    near, rows = tangent_list(tables, p), integers_at(tables.contact).at
    for i in range(listed(tables, near)):
        at, k = i * SURFACE_STRIDE, candidate(near, i) * SURFACE_REFERENCES
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        if row[SURFACE_LAW] > 0:
            run_surface_law(tables, time, place, parameters, values, frames, row, 0)
            for j in range(SURFACE_STRIDE):
                out[at + j] = slope(said(tables, row[SURFACE_LAW], j, values))
            continue
        friction = slope(number(constants, values, references[k]))
        restitution = slope(number(constants, values, references[k + 2]))
        out[at], out[at + 1], out[at + 3] = friction, friction, friction
        out[at + 2] = slope(number(constants, values, references[k + 1]))
        out[at + 4], out[at + 6] = restitution, restitution
        out[at + 5] = slope(number(constants, values, references[k + 3]))


@block(TABLE_SIGNATURE)
def compliance_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: d of what ``compliance`` gives."""
    place, motion, parameters, values = scratch(0j), scratch(0j), scratch(0j), scratch(0j)
    frames, shares, found = scratch(0j), scratch(0j), scratch(0j)
    if tables.compliant == 0:
        return
    time = prepare_direction(tables, tables.shapes_end, t, q, u, p, place, motion, parameters, values, frames)
    write_compliance(tables, time, place, motion, parameters, values, frames, shares, found)
    for k in range(tables.nc * COMPLIANCE_STRIDE):
        out[k] = slope(found[k])


@block(TABLE_SIGNATURE)
def joints_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per joint: d of what ``joints`` gives."""
    place, motion, parameters = scratch(0j), scratch(0j), scratch(0j)
    values, frames = scratch(0j), scratch(0j)
    n, rows = tables.n, integers_at(tables.joint).at
    prepare_direction(tables, tables.shapes_end, t, q, u, p, place, motion, parameters, values, frames)
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    for k in range(tables.nj):
        row = address(rows, k * TOUCH_ROW)
        found, entries = joint_equation(constants, values, corners, frames, row)
        at = k * (JOINT_STRIDE + n)
        for j in range(n):
            out[at + JOINT_STRIDE + j] = 0.0
        out[at], out[at + 1], out[at + 2] = slope(found[0]), slope(found[1]), slope(found[2])
        spread(tables.bodies, row, slopes(entries), address(out, at + JOINT_STRIDE))


@block(TABLE_SIGNATURE)
def guards_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """d of the guards of the user."""
    place, motion, parameters, values = scratch(0j), scratch(0j), scratch(0j), scratch(0j)
    time = take_direction(tables, t, q, u, p, place, motion, parameters)
    run_program(tables, 0, tables.guards_end, time, place, motion, parameters, values)
    constants, references = numbers_at(tables.constant).at, integers_at(tables.guard).at
    for k in range(tables.ng):
        out[k] = slope(number(constants, values, references[2 * k]))


@block(TABLE_SIGNATURE)
def resets_tangent(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """d of the right sides of all resets."""
    place, motion, parameters, values = scratch(0j), scratch(0j), scratch(0j), scratch(0j)
    time = take_direction(tables, t, q, u, p, place, motion, parameters)
    run_program(tables, 0, tables.resets_end, time, place, motion, parameters, values)
    constants, references = numbers_at(tables.constant).at, integers_at(tables.reset).at
    for k in range(tables.assigned):
        out[k] = slope(number(constants, values, references[tables.nr + k]))

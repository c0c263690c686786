"""What the engine asks of the contacts of a machine that are near: those of a list, or all of them.

Behind the parameters the vector p has the address of a list of whole numbers, of which the first says how many follow;
0: all contacts; then the face on which each contact asked for is held (contact/faces.py), 0: none. -1 in place of the
address: all contacts, none of them held. Python's vectors have no such numbers, so these functions are those of the
engine alone, beside those of functions.py.
A direction has the entries of its two bodies: kernels/records/rows.py.
"""

import math

from jounce.kernels.bodies.eliminate import inverse_masses
from jounce.kernels.bodies.faces import face_place
from jounce.kernels.bodies.frames import arm, place
from jounce.kernels.bodies.laws import obey, said
from jounce.kernels.bodies.layout import (
    BODY_A,
    BODY_B,
    CENTER_A,
    CIRCLE,
    COMPLIANCE,
    FACES,
    FRAME,
    HAS_SLIP,
    HOLE,
    KIND,
    MOST_VALUES,
    OTHERS,
    OWN,
    POINT_B,
    POLYGON,
    SURFACE_LAW,
    SURFACE_REFERENCES,
    TABLE_BATCH,
    TABLE_SIGNATURE,
    TOUCH_ROW,
)
from jounce.kernels.bodies.loads import add_forces
from jounce.kernels.bodies.press import add_pressed
from jounce.kernels.bodies.programs import number
from jounce.kernels.bodies.scratch import prepare
from jounce.kernels.bodies.sizes import joint_size, touch_sizes
from jounce.kernels.bodies.touch import gap_and_rate, touch
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.roster import ALL, LEVERS
from jounce.kernels.records.workspace import CONTACT_STRIDE, FACE_STRIDE, PAIR, SURFACE_STRIDE
from jounce.toolchain.jit import address, block, kernel, scratch
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Real, Reals, Scalar, Truth


@kernel
def near_list(tables: Tables, p: Reals) -> Integer:
    """The address of the list behind the parameters."""
    return int(p[tables.parameters])


@kernel
def listed(tables: Tables, near: Integer) -> Integer:
    """How many contacts are asked for."""
    return integers_at(near).at[0] if near > 0 else tables.nc


@kernel
def candidate(near: Integer, i: Integer) -> Integer:
    """The contact that stands at place i."""
    return integers_at(near).at[1 + i] if near > 0 else i


@kernel
def held_face(tables: Tables, p: Reals, near: Integer, row: Integers, i: Integer) -> Integer:
    """The face on which the contact at place i is held, 0: none. Machines without faces have no such numbers in p."""
    return int(p[tables.parameters + 1 + i]) if near != ALL and row[FACES] > 0 else 0


@kernel
def write_gaps(
    tables: Tables, p: Reals, values: Reals, frames: Reals, near: Integer, stride: Integer, out: Reals
) -> None:
    """g, gamma_N of the contacts asked for."""
    rows, constants = integers_at(tables.contact).at, numbers_at(tables.constant).at
    corners = integers_at(tables.corner).at
    for i in range(listed(tables, near)):
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        face = held_face(tables, p, near, row, i)
        out[stride * i], out[stride * i + 1] = gap_and_rate(constants, values, corners, frames, row, face)


@kernel
def write_gap_rates(
    tables: Tables,
    count: Integer,
    t: Reals,
    q: Reals,
    u: Reals,
    p: Reals,
    values: Reals,
    frames: Reals,
    near: Integer,
    out: Reals,
) -> None:
    """gamma_N of the contacts asked for at many states, row by row."""
    rows, constants = integers_at(tables.contact).at, numbers_at(tables.constant).at
    corners, n, nc = integers_at(tables.corner).at, tables.n, listed(tables, near)
    for k in range(count):
        prepare(tables, tables.shapes_end, t[k], address(q, k * n), address(u, k * n), p, values, frames)
        for i in range(nc):
            row = address(rows, candidate(near, i) * TOUCH_ROW)
            face = held_face(tables, p, near, row, i)
            _, out[k * nc + i] = gap_and_rate(constants, values, corners, frames, row, face)


@kernel
def resists_slip(row: Integers) -> Truth:
    """Whether a contact may stick: friction of a compliant one is a part of its force."""
    return row[HAS_SLIP] != 0 and row[COMPLIANCE] == 0


@kernel
def run_surface_law(
    tables: Tables,
    t: Scalar,
    q: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    row: Integers,
    face: Integer,
) -> None:
    """Run the law of a contact's coefficients at its slip velocity and its normal velocity."""
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    found, _, _ = touch(constants, values, corners, frames, row, face)
    given = address(values, MOST_VALUES)
    given[0] = found[2] if row[HAS_SLIP] else 0.0 * found[2]
    given[1] = found[1]
    obey(tables, row[SURFACE_LAW], t, q, given, p, values)


@kernel
def write_surfaces(
    tables: Tables, t: Real, q: Reals, p: Reals, values: Reals, frames: Reals, near: Integer, out: Reals
) -> None:
    """Coefficients of the contacts asked for."""
    references, constants = integers_at(tables.surface).at, numbers_at(tables.constant).at
    rows = integers_at(tables.contact).at
    for i in range(listed(tables, near)):
        at, k = i * SURFACE_STRIDE, candidate(near, i) * SURFACE_REFERENCES
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        if row[SURFACE_LAW] > 0:
            run_surface_law(tables, t, q, p, values, frames, row, held_face(tables, p, near, row, i))
            for j in range(SURFACE_STRIDE):
                out[at + j] = said(tables, row[SURFACE_LAW], j, values)
            continue
        friction = number(constants, values, references[k])
        restitution = number(constants, values, references[k + 2])
        out[at], out[at + 1], out[at + 3] = friction, friction, friction
        out[at + 2] = number(constants, values, references[k + 1])
        out[at + 4], out[at + 6] = restitution, restitution
        out[at + 5] = number(constants, values, references[k + 3])


@kernel
def write_sizes(tables: Tables, values: Reals, frames: Reals, near: Integer, out: Reals) -> None:
    """How large the terms of each gap asked for, of joints and guards, and of each slip asked for are."""
    nc, nj, ng = listed(tables, near), tables.nj, tables.ng
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    rows, joints_rows, guards_rows = (
        integers_at(tables.contact).at,
        integers_at(tables.joint).at,
        integers_at(tables.guard).at,
    )
    for i in range(nc):
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        gap, slip = touch_sizes(constants, values, corners, frames, row)
        out[i] = gap
        out[nc + nj + ng + i] = slip if row[HAS_SLIP] else 0.0
    for k in range(nj):
        out[nc + k] = joint_size(constants, values, corners, frames, address(joints_rows, k * TOUCH_ROW))
    for k in range(ng):
        out[nc + nj + k] = number(constants, values, guards_rows[2 * k + 1])


@kernel
def write_direction(
    bodies: Integer, row: Integers, entries: tuple[Real, Real, Real, Real, Real, Real], out: Reals
) -> None:
    """The entries of a direction, those of the ground zero."""
    for side in range(2):
        held = row[BODY_A if side == 0 else BODY_B] >= bodies
        for j in range(3):
            out[3 * side + j] = 0.0 if held else entries[3 * side + j]


@block(TABLE_SIGNATURE)
def near_contacts(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: g, gamma_N, gamma_T, c_N, c_T, then W_N and W_T of its two bodies."""
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    rows, near = integers_at(tables.contact).at, near_list(tables, p)
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    for i in range(listed(tables, near)):
        row = address(rows, candidate(near, i) * TOUCH_ROW)
        face = held_face(tables, p, near, row, i)
        found, normal, tangent = touch(constants, values, corners, frames, row, face)
        at = i * (CONTACT_STRIDE + 2 * PAIR)
        out[at], out[at + 1], out[at + 3] = found[0], found[1], found[3]
        write_direction(tables.bodies, row, normal, address(out, at + CONTACT_STRIDE))
        out[at + 2] = found[2] if row[HAS_SLIP] else 0.0
        if resists_slip(row):
            out[at + 4] = found[4]
            write_direction(tables.bodies, row, tangent, address(out, at + CONTACT_STRIDE + PAIR))
        else:
            out[at + 4] = 0.0
            for k in range(PAIR):
                out[at + CONTACT_STRIDE + PAIR + k] = 0.0


@block(TABLE_SIGNATURE)
def near_gaps(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact: g, gamma_N."""
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    write_gaps(tables, p, values, frames, near_list(tables, p), 2, out)


@block(TABLE_BATCH)
def near_gap_rates(tables: Tables, count: Integer, t: Reals, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """gamma_N of every contact at many states, row by row."""
    values, frames = scratch(0.0), scratch(0.0)
    write_gap_rates(tables, count, t, q, u, p, values, frames, near_list(tables, p), out)


@block(TABLE_SIGNATURE)
def near_surfaces(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Coefficients of every contact."""
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    write_surfaces(tables, t, q, p, values, frames, near_list(tables, p), out)


@block(TABLE_SIGNATURE)
def near_sizes(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """How large the terms of each gap, joint, guard and slip are."""
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.guards_end, t, q, u, p, values, frames)
    write_sizes(tables, values, frames, near_list(tables, p), out)


@block(TABLE_SIGNATURE)
def near_faces(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact how many faces it has, 0 where none of its sides is a sharp corner; then what face_place gives.

    Then the contacts of the corners of the other outline with its own, and which corner it is (layout.py); and the sign
    of s' where it slips ahead: an outline has its free side on the right, the tangent of a contact on the left.
    """
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    rows, near = integers_at(tables.contact).at, near_list(tables, p)
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    for i in range(listed(tables, near)):
        row, at = address(rows, candidate(near, i) * TOUCH_ROW), i * FACE_STRIDE
        out[at] = row[FACES]
        if row[FACES] > 0:
            face = held_face(tables, p, near, row, i)
            face, s, length, speed, lean = face_place(constants, values, corners, frames, row, face)
            out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5] = face, s, length, speed, lean
            out[at + 6], out[at + 7], out[at + 8] = row[OTHERS], row[OWN], -1.0 if row[KIND] == POLYGON else 1.0


@block(TABLE_SIGNATURE)
def diagonal_dynamics(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """The diagonal of M, then h."""
    values, frames, inverse = scratch(0.0), scratch(0.0), scratch(0.0)
    prepare(tables, tables.forces_end, t, q, u, p, values, frames)
    inverse_masses(tables, values, inverse)
    for j in range(tables.n):
        out[j] = 1.0 / inverse[j]
    add_forces(tables, values, frames, address(out, tables.n))
    add_pressed(tables, t, q, u, p, values, frames, address(out, tables.n))


@block(TABLE_SIGNATURE)
def levers(tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, out: Reals) -> None:
    """Per contact, of all of them: how far a turn of its first body by a unit moves its gap at most, and of its second.

    The gap is the distance of a point of a from a set of b. It changes by no more than that point moves as b sees it:
    with the arm of the point if a turns, with its distance from the centre of b if b does; by the arm of the other
    point where b is a circle, which turns about its own centre without effect. Then 1.0 if that distance may grow.
    """
    values, frames = scratch(0.0), scratch(0.0)
    prepare(tables, tables.shapes_end, t, q, u, p, values, frames)
    rows, constants = integers_at(tables.contact).at, numbers_at(tables.constant).at
    for i in range(tables.nc):
        row = address(rows, i * TOUCH_ROW)
        a, b = row[BODY_A], row[BODY_B]
        X, Y = arm(constants, values, frames, a, row, CENTER_A)
        x, y = place(frames, a, X, Y)
        out[LEVERS * i] = math.sqrt(X * X + Y * Y)
        turns_about_itself = row[KIND] == CIRCLE or row[KIND] == HOLE
        if turns_about_itself:
            x, y = arm(constants, values, frames, b, row, POINT_B)
        else:
            x, y = x - frames[b * FRAME], y - frames[b * FRAME + 1]
        out[LEVERS * i + 1] = math.sqrt(x * x + y * y)
        out[LEVERS * i + 2] = 0.0 if turns_about_itself else 1.0

"""Which edge or corner of an outline another side faces (touch.py)."""

from jounce.kernels.bodies.frames import arm, place, turned
from jounce.kernels.bodies.layout import (
    BESIDE,
    BODY_A,
    BODY_B,
    CIRCLE,
    CORNER_ROW,
    CORNERS,
    DIRECTION,
    EDGE,
    END_B,
    FACES,
    FIRST_CORNER,
    FRAME,
    HOLE,
    KIND,
    POINT_B,
    POLYGON,
)
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.tolerances import AT_CORNER
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Real, Reals, Scalar, Truth


@kernel
def corner_point(constants: Reals, values: Numbers[Scalar], corners: Integers, k: Integer) -> tuple[Scalar, Scalar]:
    """A corner of a polygon, in the frame of its body."""
    return number(constants, values, corners[k * CORNER_ROW]), number(constants, values, corners[k * CORNER_ROW + 1])


@kernel
def corner_direction(constants: Reals, values: Numbers[Scalar], corners: Integers, k: Integer) -> tuple[Scalar, Scalar]:
    """The direction from a corner to the next one."""
    at = k * CORNER_ROW + 2
    return number(constants, values, corners[at]), number(constants, values, corners[at + 1])


@kernel
def seen_from(frames: Numbers[Scalar], body: Integer, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """A place as the body sees it."""
    at = body * FRAME
    c, s = frames[at + 2], frames[at + 3]
    X, Y = x - frames[at], y - frames[at + 1]
    return X * c + Y * s, Y * c - X * s


@kernel
def edge_depth(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers, n_x: Scalar, n_y: Scalar
) -> Real:
    """How far the own edges of a sharp corner go down from it, towards a face with this normal in the frame of side b.

    Zero where they rise from it, or where it has none.
    """
    depth = 0.0
    n_x, n_y = turned(frames, row[BODY_B], n_x, n_y)
    for at in (BESIDE, BESIDE + 2):
        f_x, f_y = number(constants, values, row[at]), number(constants, values, row[at + 1])
        f_x, f_y = turned(frames, row[BODY_A], f_x, f_y)
        depth = max(depth, -(n_x * f_x + n_y * f_y).real)
    return depth if row[FACES] != 0 else 0.0


@kernel
def polygon_feature(
    constants: Reals,
    values: Numbers[Scalar],
    corners: Integers,
    frames: Numbers[Scalar],
    row: Integers,
    X: Scalar,
    Y: Scalar,
) -> tuple[Integer, Integer]:
    """(edge k or -1, corner k or -1) of a polygon that is nearest to a place in its frame; inside: the highest edge.

    Outside, the plane is divided into strips in front of the edges and wedges in front of the corners. A sharp corner
    never touches a face into which its own outline goes on: where it is on such a face, to rounding, it is inside of
    it. So the corners of two boxes of one width, which come down on one another, meet the tops and not the sides.
    """
    first, count = row[FIRST_CORNER], row[CORNERS]
    for k in range(first, first + count):
        P_x, P_y = corner_point(constants, values, corners, k)
        Q_x, Q_y = corner_point(constants, values, corners, k + 1 if k + 1 < first + count else first)
        e_x, e_y = corner_direction(constants, values, corners, k)
        height = (e_y * (X - P_x) - e_x * (Y - P_y)).real
        if height >= 0.0:
            along, back = (e_x * (X - P_x) + e_y * (Y - P_y)).real, (e_x * (Q_x - X) + e_y * (Q_y - Y)).real
            near = AT_CORNER * (along + back)
            if along >= -near and back >= -near:
                if height > near or edge_depth(constants, values, frames, row, e_y, -e_x) <= near:
                    return k, -1
    for k in range(first, first + count):
        P_x, P_y = corner_point(constants, values, corners, k)
        e_x, e_y = corner_direction(constants, values, corners, k)
        b_x, b_y = corner_direction(constants, values, corners, k - 1 if k > first else first + count - 1)
        if (e_x * (X - P_x) + e_y * (Y - P_y)).real < 0.0 and (b_x * (P_x - X) + b_y * (P_y - Y)).real < 0.0:
            return -1, k
    return first + highest_face(constants, values, corners, frames, row, X, Y) - 1, -1


@kernel
def highest_face(
    constants: Reals,
    values: Numbers[Scalar],
    corners: Integers,
    frames: Numbers[Scalar],
    row: Integers,
    X: Scalar,
    Y: Scalar,
) -> Integer:
    """The face of a polygon that separates best from a place in its frame and its own edges, from 1 on.

    A sharp corner that is inside, by the error of a step or at a corner of the outline, is on the face over which its
    own outline is highest: itself or the end of an edge, whichever lies deeper (the theorem of the separating axis).
    """
    first, highest, top = row[FIRST_CORNER], 0, 0.0
    for k in range(row[CORNERS]):
        P_x, P_y = corner_point(constants, values, corners, first + k)
        e_x, e_y = corner_direction(constants, values, corners, first + k)
        height = (e_y * (X - P_x) - e_x * (Y - P_y)).real
        height -= edge_depth(constants, values, frames, row, e_y, -e_x)
        if k == 0 or height > top:
            highest, top = k, height
    return highest + 1


@kernel
def facing(
    constants: Reals,
    values: Numbers[Scalar],
    corners: Integers,
    frames: Numbers[Scalar],
    row: Integers,
    face: Integer,
    x: Scalar,
    y: Scalar,
) -> tuple[Truth, Scalar, Scalar, Scalar, Scalar]:
    """What of side b faces the place (x, y): (is it a line, arm of its point, direction of the line).

    Arm and direction are along the axes of the ground; the direction has the free side on its left. ``face`` is the
    one on which a sharp corner is held, whatever its place (bodies/faces.py); 0: the nearest.
    """
    kind, body = row[KIND], row[BODY_B]
    zero = 0.0 * frames[0]
    if kind == POLYGON:
        edge, corner = row[FIRST_CORNER] + face - 1, -1
        if face == 0:
            X, Y = seen_from(frames, body, x, y)
            edge, corner = polygon_feature(constants, values, corners, frames, row, X, Y)
        k = edge if edge >= 0 else corner
        P_x, P_y = corner_point(constants, values, corners, k)
        a_x, a_y = turned(frames, body, P_x, P_y)
        if edge < 0:
            return False, a_x, a_y, zero, zero
        e_x, e_y = corner_direction(constants, values, corners, k)
        # the outline goes counter-clockwise: its free side is on the right
        d_x, d_y = turned(frames, body, -e_x, -e_y)
        return True, a_x, a_y, d_x, d_y
    a_x, a_y = arm(constants, values, frames, body, row, POINT_B)
    if kind == CIRCLE or kind == HOLE:
        return False, a_x, a_y, zero, zero
    e_x, e_y = number(constants, values, row[DIRECTION]), number(constants, values, row[DIRECTION + 1])
    d_x, d_y = turned(frames, body, e_x, e_y)
    if kind == EDGE and face != 1:
        P_x, P_y = place(frames, body, a_x, a_y)
        if face == 3:
            return True, a_x, a_y, -d_y, d_x
        b_x, b_y = turned(
            frames, body, number(constants, values, row[END_B]), number(constants, values, row[END_B + 1])
        )
        if face == 2:
            return True, b_x, b_y, d_y, -d_x
        Q_x, Q_y = place(frames, body, b_x, b_y)
        along, back = (d_x * (x - P_x) + d_y * (y - P_y)).real, (d_x * (Q_x - x) + d_y * (Q_y - y)).real
        near = AT_CORNER * (along + back)
        if along < -near:
            return False, a_x, a_y, zero, zero
        if back < -near:
            return False, b_x, b_y, zero, zero
    return True, a_x, a_y, d_x, d_y

"""Sharp corners on faces: which face, how far along it, how fast, and whether the corner's own outline lies above it.

A corner is on face k of an outline while its foot is between the ends of that face, 0 <= s <= L, and while the two
edges that meet in the corner do not go into the face: with n the normal of the face and f from the corner to the other
ends of these edges, n.f >= 0. For two convex outlines that is where the face of one and the corner of the other can
separate them (the edges of their Minkowski difference); a corner that has left its face at the end is out of its reach.

An edge has its two ends for faces too, without length: the corner that leaves it does so through one of them.
"""

from jounce.kernels.bodies.frames import arm, place, turned, velocity
from jounce.kernels.bodies.layout import (
    BESIDE,
    BODY_A,
    BODY_B,
    CENTER_A,
    CORNERS,
    DIRECTION,
    END_B,
    FIRST_CORNER,
    FRAME,
    KIND,
    POINT_B,
    POLYGON,
)
from jounce.kernels.bodies.outline import corner_direction, corner_point, highest_face, seen_from
from jounce.kernels.bodies.programs import number
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals


@kernel
def face_of(
    constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers, face: Integer, X: Real, Y: Real
) -> tuple[Integer, Real, Real, Real, Real, Real, Real, Real]:
    """(face, its start, its direction, its length, its normal) in the frame of side b; face 0: the one at the place."""
    if row[KIND] == POLYGON:
        if face == 0:
            face = highest_face(constants, values, corners, frames, row, X, Y)
        first, count = row[FIRST_CORNER], row[CORNERS]
        P_x, P_y = corner_point(constants, values, corners, first + face - 1)
        Q_x, Q_y = corner_point(constants, values, corners, first + (face if face < count else 0))
        e_x, e_y = corner_direction(constants, values, corners, first + face - 1)
        return face, P_x, P_y, e_x, e_y, e_x * (Q_x - P_x) + e_y * (Q_y - P_y), e_y, -e_x
    P_x, P_y = number(constants, values, row[POINT_B]), number(constants, values, row[POINT_B + 3])
    Q_x, Q_y = number(constants, values, row[END_B]), number(constants, values, row[END_B + 1])
    e_x, e_y = number(constants, values, row[DIRECTION]), number(constants, values, row[DIRECTION + 1])
    if face == 2:
        return 2, Q_x, Q_y, e_y, -e_x, 0.0, e_x, e_y
    if face == 3:
        return 3, P_x, P_y, -e_y, e_x, 0.0, -e_x, -e_y
    return 1, P_x, P_y, e_x, e_y, e_x * (Q_x - P_x) + e_y * (Q_y - P_y), -e_y, e_x


@kernel
def face_place(
    constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers, face: Integer
) -> tuple[Integer, Real, Real, Real, Real]:
    """(face, s, L, s', the smaller of both n.f or 0) of a sharp corner; face 0: the one it is on."""
    a, b = row[BODY_A], row[BODY_B]
    A_x, A_y = arm(constants, values, frames, a, row, CENTER_A)
    x, y = place(frames, a, A_x, A_y)
    X, Y = seen_from(frames, b, x, y)
    face, P_x, P_y, e_x, e_y, length, n_x, n_y = face_of(constants, values, corners, frames, row, face, X, Y)
    # the velocity of the corner as the body of the face sees it
    v_x, v_y = velocity(constants, values, frames, a, row, CENTER_A, A_x, A_y)
    omega = frames[b * FRAME + 6]
    v_x -= frames[b * FRAME + 4] - omega * (y - frames[b * FRAME + 1])
    v_y -= frames[b * FRAME + 5] + omega * (x - frames[b * FRAME])
    t_x, t_y = turned(frames, b, e_x, e_y)
    n_x, n_y = turned(frames, b, n_x, n_y)
    lean = 0.0
    for side in range(2):
        at = BESIDE + 2 * side
        f_x, f_y = turned(frames, a, number(constants, values, row[at]), number(constants, values, row[at + 1]))
        lean = min(lean, n_x * f_x + n_y * f_y)
    return face, e_x * (X - P_x) + e_y * (Y - P_y), length, t_x * v_x + t_y * v_y, lean

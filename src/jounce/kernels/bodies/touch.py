"""How one side touches another: gap, slip velocity, and their derivatives.

Side a is a disc (centre C, radius r_a; a point has none) on its body. With d = C - P, v = d', a = d'' at u' = 0, Omega
the angular velocity of a disc's rim (its body's and its own spin), the normal n and the tangent e = (n_y, -n_x):

    line through P, which turns with phi'
        g  = n.d - r_a                       g'  = n.v - phi' e.d - r_a'
        c_N = n.a - 2 phi' e.v - phi'^2 n.d - phi'' e.d - r_a''
        gamma_T = e.v + r_a Omega_a - speed          c_T = e.a + phi' n.v + (r_a Omega_a)' - speed'

    circle around P, radius r_b, with L = |d|, n = d/L, kappa = e.v/L (n' = kappa e, e' = -kappa n)
        g  = L - r_a - r_b                   g'  = n.v - r_a' - r_b'
        c_N = n.a + kappa e.v - r_a'' - r_b''
        gamma_T = e.v + r_a Omega_a + r_b Omega_b    c_T = e.a - kappa n.v + (r_a Omega_a + r_b Omega_b)'

    hole around P, with c = r_b - r_a and N = |d| made positive by a length far below it, n = -d/N
        g  = (c^2 - d.d)/(2 c)               g'  = -d.v/c         c_N = -(d.a + v.v)/c
        gamma_T = e.v + n.n (r_a Omega_a - r_b Omega_b)

A segment and a polygon are lines in front of an edge and circles without radius in front of a corner; which of them is
nearest is asked of the place of C. A joint's equation is one of these, too: a slider's is a line, a rod's a circle.

``touch`` returns g, g', gamma_T, c_N, c_T, then W_N and W_T: three numbers of a's body, three of b's.
"""

from jounce.kernels.bodies.frames import acceleration, arm, place, turned, velocity
from jounce.kernels.bodies.layout import (
    BESIDE,
    BODY_A,
    BODY_B,
    CENTER_A,
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
    LINE,
    POINT_B,
    POLYGON,
    RADIUS_A,
    RADIUS_B,
    SPEED,
    SPIN_A,
    SPIN_B,
)
from jounce.kernels.bodies.numbers import inverse, root
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.tolerances import AT_CORNER
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Real, Reals, Scalar, Truth

CENTRED = 1e-9  # of the clearance: the length that keeps a normal finite where disc and hole are concentric


@kernel
def rim(
    constants: Reals,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    body: Integer,
    row: Integers,
    radius: Integer,
    spin: Integer,
) -> tuple[Scalar, Scalar]:
    """(r Omega, its derivative at u' = 0) of a disc."""
    if row[radius] == 0:
        return 0.0 * frames[0], 0.0 * frames[0]
    r, r_rate = number(constants, values, row[radius]), number(constants, values, row[radius + 1])
    turning = frames[body * FRAME + 6] + number(constants, values, row[spin])
    return r * turning, r_rate * turning + r * number(constants, values, row[spin + 1])


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


@kernel
def moved_velocity(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers, X: Scalar, Y: Scalar
) -> tuple[Scalar, Scalar]:
    """The velocity of the point of side b at the end of an arm; a corner or an edge has no motion of its own."""
    body = row[BODY_B]
    if row[KIND] == POLYGON or row[KIND] == EDGE:
        omega = frames[body * FRAME + 6]
        return frames[body * FRAME + 4] - omega * Y, frames[body * FRAME + 5] + omega * X
    return velocity(constants, values, frames, body, row, POINT_B, X, Y)


@kernel
def moved_acceleration(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers, X: Scalar, Y: Scalar
) -> tuple[Scalar, Scalar]:
    """The acceleration of that point while u' = 0."""
    body = row[BODY_B]
    if row[KIND] == POLYGON or row[KIND] == EDGE:
        omega = frames[body * FRAME + 6]
        return -omega * omega * X, -omega * omega * Y
    return acceleration(constants, values, frames, body, row, POINT_B, X, Y)


@kernel
def turning_of(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers
) -> tuple[Scalar, Scalar]:
    """(phi', phi'' at u' = 0) of the line of side b."""
    omega = frames[row[BODY_B] * FRAME + 6]
    if row[KIND] != LINE:
        return omega, 0.0 * omega
    return omega + number(constants, values, row[DIRECTION + 2]), number(constants, values, row[DIRECTION + 3])


@kernel
def other_radius(constants: Reals, values: Numbers[Scalar], row: Integers, order: Integer) -> Scalar:
    """The radius of side b or its derivative of an order; none where a line or a corner is touched."""
    known = row[KIND] == CIRCLE or row[KIND] == HOLE
    return number(constants, values, row[RADIUS_B + order] if known else 0)


@kernel
def gap_and_rate(
    constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers, face: Integer
) -> tuple[Real, Real]:
    """g, g'."""
    a = row[BODY_A]
    X, Y = arm(constants, values, frames, a, row, CENTER_A)
    x, y = place(frames, a, X, Y)
    straight, P_X, P_Y, e_x, e_y = facing(constants, values, corners, frames, row, face, x, y)
    P_x, P_y = place(frames, row[BODY_B], P_X, P_Y)
    d_x, d_y = x - P_x, y - P_y
    v_x, v_y = velocity(constants, values, frames, a, row, CENTER_A, X, Y)
    w_x, w_y = moved_velocity(constants, values, frames, row, P_X, P_Y)
    v_x, v_y = v_x - w_x, v_y - w_y
    r, r_rate = number(constants, values, row[RADIUS_A]), number(constants, values, row[RADIUS_A + 1])
    if straight:
        turning, _ = turning_of(constants, values, frames, row)
        rate = e_x * v_y - e_y * v_x - turning * (e_x * d_x + e_y * d_y) - r_rate
        return e_x * d_y - e_y * d_x - r, rate
    r_b, r_b_rate = other_radius(constants, values, row, 0), other_radius(constants, values, row, 1)
    if row[KIND] == HOLE:
        c = r_b - r
        return (c * c - d_x * d_x - d_y * d_y) * inverse(2.0 * c), -(d_x * v_x + d_y * v_y) * inverse(c)
    L = root(d_x * d_x + d_y * d_y)
    return L - r - r_b, (d_x * v_x + d_y * v_y) * inverse(L) - r_rate - r_b_rate


@kernel
def touch(
    constants: Reals, values: Numbers[Scalar], corners: Integers, frames: Numbers[Scalar], row: Integers, face: Integer
) -> tuple[
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
]:
    """g, g', gamma_T, c_N, c_T; W_N of a's body and of b's; W_T of both."""
    a, b = row[BODY_A], row[BODY_B]
    X, Y = arm(constants, values, frames, a, row, CENTER_A)
    x, y = place(frames, a, X, Y)
    straight, P_X, P_Y, e_x, e_y = facing(constants, values, corners, frames, row, face, x, y)
    P_x, P_y = place(frames, b, P_X, P_Y)
    d_x, d_y = x - P_x, y - P_y
    v_x, v_y = velocity(constants, values, frames, a, row, CENTER_A, X, Y)
    w_x, w_y = moved_velocity(constants, values, frames, row, P_X, P_Y)
    v_x, v_y = v_x - w_x, v_y - w_y
    a_x, a_y = acceleration(constants, values, frames, a, row, CENTER_A, X, Y)
    w_x, w_y = moved_acceleration(constants, values, frames, row, P_X, P_Y)
    a_x, a_y = a_x - w_x, a_y - w_y
    r, r_rate = number(constants, values, row[RADIUS_A]), number(constants, values, row[RADIUS_A + 1])
    r_second = number(constants, values, row[RADIUS_A + 2])
    rolling, rolling_rate = rim(constants, values, frames, a, row, RADIUS_A, SPIN_A)
    if straight:
        n_x, n_y = -e_y, e_x
        turning, turning_rate = turning_of(constants, values, frames, row)
        speed = number(constants, values, row[SPEED] if row[KIND] == LINE else 0)
        speed_rate = number(constants, values, row[SPEED + 1] if row[KIND] == LINE else 0)
        along, across = e_x * d_x + e_y * d_y, n_x * d_x + n_y * d_y
        v_e, v_n = e_x * v_x + e_y * v_y, n_x * v_x + n_y * v_y
        rate = v_n - turning * along - r_rate
        c_N = n_x * a_x + n_y * a_y - 2.0 * turning * v_e - turning * turning * across - turning_rate * along - r_second
        c_T = e_x * a_x + e_y * a_y + turning * v_n + rolling_rate - speed_rate
        normal_b = n_x * P_Y - n_y * P_X - along
        tangent_b = e_x * P_Y - e_y * P_X
        return (
            (across - r, rate, v_e + rolling - speed, c_N, c_T),
            (n_x, n_y, n_y * X - n_x * Y, -n_x, -n_y, normal_b),
            (e_x, e_y, e_y * X - e_x * Y + r, -e_x, -e_y, tangent_b),
        )
    r_b = other_radius(constants, values, row, 0)
    square = d_x * d_x + d_y * d_y
    if row[KIND] == HOLE:
        return touch_hole(constants, values, frames, row, (d_x, d_y, v_x, v_y, a_x, a_y), (X, Y, P_X, P_Y), r, r_b)
    L = root(square)
    over = inverse(L)
    n_x, n_y = d_x * over, d_y * over
    e_x, e_y = n_y, -n_x
    v_e, v_n = e_x * v_x + e_y * v_y, n_x * v_x + n_y * v_y
    kappa = v_e * over
    rolling_b, rolling_b_rate = 0.0 * rolling, 0.0 * rolling
    if row[KIND] == CIRCLE:
        rolling_b, rolling_b_rate = rim(constants, values, frames, b, row, RADIUS_B, SPIN_B)
    rate = v_n - r_rate - other_radius(constants, values, row, 1)
    c_N = n_x * a_x + n_y * a_y + kappa * v_e - r_second - other_radius(constants, values, row, 2)
    c_T = e_x * a_x + e_y * a_y - kappa * v_n + rolling_rate + rolling_b_rate
    return (
        (L - r - r_b, rate, v_e + rolling + rolling_b, c_N, c_T),
        (n_x, n_y, n_y * X - n_x * Y, -n_x, -n_y, n_x * P_Y - n_y * P_X),
        (e_x, e_y, e_y * X - e_x * Y + r, -e_x, -e_y, e_x * P_Y - e_y * P_X + r_b),
    )


@kernel
def touch_hole(
    constants: Reals,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    row: Integers,
    motion: tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    arms: tuple[Scalar, Scalar, Scalar, Scalar],
    r: Scalar,
    r_b: Scalar,
) -> tuple[
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
]:
    """The same of a disc in a hole, whose radii do not depend on time."""
    d_x, d_y, v_x, v_y, a_x, a_y = motion
    X, Y, P_X, P_Y = arms
    c = r_b - r
    over_c = inverse(c)
    tiny = (CENTRED * c) * (CENTRED * c)
    square = d_x * d_x + d_y * d_y
    N = root(square + tiny)
    over = inverse(N)
    along = d_x * v_x + d_y * v_y
    n_x, n_y = -d_x * over, -d_y * over
    N_rate = along * over
    n_x_rate, n_y_rate = -(v_x + n_x * N_rate) * over, -(v_y + n_y * N_rate) * over
    unit = n_x * n_x + n_y * n_y
    unit_rate = 2.0 * (n_x * n_x_rate + n_y * n_y_rate)
    e_x, e_y = n_y, -n_x
    omega_a = frames[row[BODY_A] * FRAME + 6] + number(constants, values, row[SPIN_A])
    omega_b = frames[row[BODY_B] * FRAME + 6] + number(constants, values, row[SPIN_B])
    spins = r * number(constants, values, row[SPIN_A + 1]) - r_b * number(constants, values, row[SPIN_B + 1])
    rolling = r * omega_a - r_b * omega_b
    c_N = -(d_x * a_x + d_y * a_y + v_x * v_x + v_y * v_y) * over_c
    c_T = e_x * a_x + e_y * a_y + n_y_rate * v_x - n_x_rate * v_y + unit_rate * rolling + unit * spins
    w_x, w_y = -d_x * over_c, -d_y * over_c
    return (
        ((c * c - square) * (0.5 * over_c), -along * over_c, e_x * v_x + e_y * v_y + unit * rolling, c_N, c_T),
        (w_x, w_y, w_y * X - w_x * Y, -w_x, -w_y, w_x * P_Y - w_y * P_X),
        (e_x, e_y, e_y * X - e_x * Y + unit * r, -e_x, -e_y, e_x * P_Y - e_y * P_X - unit * r_b),
    )

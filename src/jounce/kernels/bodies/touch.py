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

A surface that runs along an edge takes s d.e from gamma_T, d the direction of the edge and e the tangent: s in front of
it. A segment and a polygon are lines in front of an edge and circles without radius in front of a corner; which of them
is nearest is asked of the place of C. A joint's equation is one of these, too: a slider's is a line, a rod's a circle.
Of a contact whose gap and slip velocity are expressions the programs have computed all of this.

``touch`` returns g, g', gamma_T, c_N, c_T, then W_N and W_T: three numbers of a's body, three of b's.
"""

from jounce.kernels.bodies.frames import acceleration, arm, place, turned, velocity
from jounce.kernels.bodies.layout import (
    BODY_A,
    BODY_B,
    CENTER_A,
    CIRCLE,
    DIRECTION,
    EDGE,
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
    WRITTEN,
    WRITTEN_MOTION,
    WRITTEN_NORMAL,
    WRITTEN_TANGENT,
)
from jounce.kernels.bodies.numbers import inverse, root
from jounce.kernels.bodies.outline import facing
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.tolerances import CENTRED
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Real, Reals, Scalar


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
def belt(
    constants: Reals,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    row: Integers,
    tangent: tuple[Scalar, Scalar],
    kappa: Scalar,
) -> tuple[Scalar, Scalar]:
    """(s d.e, its derivative at u' = 0) of a surface that runs with the speed s along its direction d.

    On a line and in front of an edge e = d. e turns by -kappa n, and d with its body.
    """
    e_x, e_y = tangent
    if (row[KIND] != LINE and row[KIND] != EDGE) or (row[SPEED] == 0 and row[SPEED + 1] == 0):
        return 0.0 * e_x, 0.0 * e_x
    speed, rate = number(constants, values, row[SPEED]), number(constants, values, row[SPEED + 1])
    if row[KIND] == LINE:
        return speed, rate
    body = row[BODY_B]
    d_x, d_y = turned(
        frames, body, number(constants, values, row[DIRECTION]), number(constants, values, row[DIRECTION + 1])
    )
    along, across = d_x * e_x + d_y * e_y, d_x * e_y - d_y * e_x
    # n = (-e_y, e_x), so that d.n = -across; the derivative of d by the angle of its body is (-d_y, d_x)
    return speed * along, rate * along + speed * (frames[body * FRAME + 6] + kappa) * across


@kernel
def gap_and_rate(
    constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers, face: Integer
) -> tuple[Real, Real]:
    """g, g'."""
    if row[KIND] == WRITTEN:
        at = WRITTEN_MOTION
        return number(constants, values, row[at]), number(constants, values, row[at + 1])
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
def six(
    constants: Reals, values: Numbers[Scalar], row: Integers, at: Integer
) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]:
    """The numbers behind six references that follow one another."""
    return (
        number(constants, values, row[at]),
        number(constants, values, row[at + 1]),
        number(constants, values, row[at + 2]),
        number(constants, values, row[at + 3]),
        number(constants, values, row[at + 4]),
        number(constants, values, row[at + 5]),
    )


@kernel
def written_touch(
    constants: Reals, values: Numbers[Scalar], row: Integers
) -> tuple[
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
]:
    """The same of a contact whose gap and slip velocity are expressions."""
    g, rate, slip, c_N, c_T, _ = six(constants, values, row, WRITTEN_MOTION)
    normal, tangent = six(constants, values, row, WRITTEN_NORMAL), six(constants, values, row, WRITTEN_TANGENT)
    return (g, rate, slip, c_N, c_T), normal, tangent


@kernel
def touch(
    constants: Reals, values: Numbers[Scalar], corners: Integers, frames: Numbers[Scalar], row: Integers, face: Integer
) -> tuple[
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
]:
    """g, g', gamma_T, c_N, c_T; W_N of a's body and of b's; W_T of both."""
    if row[KIND] == WRITTEN:
        return written_touch(constants, values, row)
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
        speed, speed_rate = belt(constants, values, frames, row, (e_x, e_y), -turning)
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
    speed, speed_rate = belt(constants, values, frames, row, (e_x, e_y), kappa)
    c_T = e_x * a_x + e_y * a_y - kappa * v_n + rolling_rate + rolling_b_rate - speed_rate
    return (
        (L - r - r_b, rate, v_e + rolling + rolling_b - speed, c_N, c_T),
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

"""Frames of the bodies, and points fixed to them.

With the arm (X, Y) = R(theta) (a, b) of a point and D = R (a', b') its own motion in the frame, omega = theta':

    place           x + X ,                                  y + Y
    velocity        x' - omega Y + D_x ,                     y' + omega X + D_y
    acceleration    -omega^2 X - 2 omega D_y + (R s'')_x ,   -omega^2 Y + 2 omega D_x + (R s'')_y      at u' = 0
    d place         (1, 0, -Y), (0, 1, X)                    by (x, y, theta)
"""

from jounce.kernels.bodies.layout import FRAME
from jounce.kernels.bodies.numbers import cosine, sine
from jounce.kernels.bodies.programs import number
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Reals, Scalar


@kernel
def fill_frames(bodies: Integer, q: Numbers[Scalar], u: Numbers[Scalar], frames: Numbers[Scalar]) -> None:
    """x, y, cos, sin, x', y', theta', theta of every body; the ground's behind them."""
    for k in range(bodies):
        at, j = k * FRAME, 3 * k
        theta = q[j + 2]
        frames[at], frames[at + 1] = q[j], q[j + 1]
        frames[at + 2], frames[at + 3] = cosine(theta), sine(theta)
        frames[at + 4], frames[at + 5], frames[at + 6] = u[j], u[j + 1], u[j + 2]
        frames[at + 7] = theta
    at = bodies * FRAME
    for j in range(FRAME):
        frames[at + j] = 0.0
    frames[at + 2] = 1.0


@kernel
def rest_frames(bodies: Integer, frames: Numbers[Scalar]) -> None:
    """The same places without velocities."""
    for k in range(bodies):
        for j in range(4, 7):
            frames[k * FRAME + j] = 0.0


@kernel
def turned(frames: Numbers[Scalar], body: Integer, a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """A vector of the body's frame along the axes of the ground."""
    c, s = frames[body * FRAME + 2], frames[body * FRAME + 3]
    return a * c - b * s, a * s + b * c


@kernel
def arm(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], body: Integer, row: Integers, at: Integer
) -> tuple[Scalar, Scalar]:
    """(X, Y) of the point whose six references begin at row[at]."""
    return turned(frames, body, number(constants, values, row[at]), number(constants, values, row[at + 3]))


@kernel
def place(frames: Numbers[Scalar], body: Integer, X: Scalar, Y: Scalar) -> tuple[Scalar, Scalar]:
    """Where the end of an arm is."""
    return frames[body * FRAME] + X, frames[body * FRAME + 1] + Y


@kernel
def velocity(
    constants: Reals,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    body: Integer,
    row: Integers,
    at: Integer,
    X: Scalar,
    Y: Scalar,
) -> tuple[Scalar, Scalar]:
    """The velocity of the point at the end of an arm."""
    omega = frames[body * FRAME + 6]
    v_x, v_y = frames[body * FRAME + 4] - omega * Y, frames[body * FRAME + 5] + omega * X
    if row[at + 1] != 0 or row[at + 4] != 0:
        a, b = number(constants, values, row[at + 1]), number(constants, values, row[at + 4])
        D_x, D_y = turned(frames, body, a, b)
        v_x, v_y = v_x + D_x, v_y + D_y
    return v_x, v_y


@kernel
def own_velocity(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], body: Integer, row: Integers, at: Integer
) -> tuple[Scalar, Scalar]:
    """The velocity of a point relative to its body."""
    a, b = number(constants, values, row[at + 1]), number(constants, values, row[at + 4])
    return turned(frames, body, a, b)


@kernel
def acceleration(
    constants: Reals,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    body: Integer,
    row: Integers,
    at: Integer,
    X: Scalar,
    Y: Scalar,
) -> tuple[Scalar, Scalar]:
    """The acceleration of the point at the end of an arm while u' = 0."""
    omega = frames[body * FRAME + 6]
    a_x, a_y = -omega * omega * X, -omega * omega * Y
    if row[at + 1] != 0 or row[at + 4] != 0:
        D_x, D_y = own_velocity(constants, values, frames, body, row, at)
        S_x, S_y = turned(frames, body, number(constants, values, row[at + 2]), number(constants, values, row[at + 5]))
        a_x, a_y = a_x - 2.0 * omega * D_y + S_x, a_y + 2.0 * omega * D_x + S_y
    return a_x, a_y

"""Equations of joints from their rows: g, g', c with g'' = J.u' + c, and J of the two bodies.

| kind    | g                        |
|---------|--------------------------|
| PIN_X   | X_a - X_b                |
| PIN_Y   | Y_a - Y_b                |
| ANGLE   | theta_a - theta_b - phi  |
| others  | that of ``touch``        |
"""

from jounce.kernels.bodies.frames import acceleration, arm, place, velocity
from jounce.kernels.bodies.layout import (
    ANGLE,
    BODY_A,
    BODY_B,
    CENTER_A,
    FRAME,
    KIND,
    PIN_X,
    PIN_Y,
    POINT_B,
    PRESCRIBED,
)
from jounce.kernels.bodies.programs import number
from jounce.kernels.bodies.touch import touch
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integers, Numbers, Real, Reals, Scalar


@kernel
def pin(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers
) -> tuple[tuple[Scalar, Scalar, Scalar], tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]]:
    """A pin's equation along one axis of the ground."""
    a, b, across = row[BODY_A], row[BODY_B], row[KIND] == PIN_Y
    X, Y = arm(constants, values, frames, a, row, CENTER_A)
    P_X, P_Y = arm(constants, values, frames, b, row, POINT_B)
    x, y = place(frames, a, X, Y)
    P_x, P_y = place(frames, b, P_X, P_Y)
    v_x, v_y = velocity(constants, values, frames, a, row, CENTER_A, X, Y)
    w_x, w_y = velocity(constants, values, frames, b, row, POINT_B, P_X, P_Y)
    a_x, a_y = acceleration(constants, values, frames, a, row, CENTER_A, X, Y)
    b_x, b_y = acceleration(constants, values, frames, b, row, POINT_B, P_X, P_Y)
    zero, one = 0.0 * X, 0.0 * X + 1.0
    if across:
        return (y - P_y, v_y - w_y, a_y - b_y), (zero, one, X, zero, -one, -P_X)
    return (x - P_x, v_x - w_x, a_x - b_x), (one, zero, -Y, -one, zero, P_Y)


@kernel
def pin_bias(
    constants: Reals, values: Reals, frames: Reals, row: Integers
) -> tuple[Real, Real, Real, Real, Real, Real]:
    """c of the two equations of a pin, then the arms of its two points, on which their directions depend."""
    a, b = row[BODY_A], row[BODY_B]
    X, Y = arm(constants, values, frames, a, row, CENTER_A)
    P_X, P_Y = arm(constants, values, frames, b, row, POINT_B)
    a_x, a_y = acceleration(constants, values, frames, a, row, CENTER_A, X, Y)
    b_x, b_y = acceleration(constants, values, frames, b, row, POINT_B, P_X, P_Y)
    return a_x - b_x, a_y - b_y, X, Y, P_X, P_Y


@kernel
def joint_equation(
    constants: Reals, values: Numbers[Scalar], corners: Integers, frames: Numbers[Scalar], row: Integers
) -> tuple[tuple[Scalar, Scalar, Scalar], tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]]:
    """(g, g', c), J of a's body and of b's."""
    if row[KIND] == PIN_X or row[KIND] == PIN_Y:
        return pin(constants, values, frames, row)
    if row[KIND] == ANGLE:
        a, b = row[BODY_A] * FRAME, row[BODY_B] * FRAME
        zero = 0.0 * frames[a]
        turn = frames[a + 7] - frames[b + 7] - number(constants, values, row[PRESCRIBED])
        rate = frames[a + 6] - frames[b + 6] - number(constants, values, row[PRESCRIBED + 1])
        bias = zero - number(constants, values, row[PRESCRIBED + 2])
        return (turn, rate, bias), (zero, zero, zero + 1.0, zero, zero, zero - 1.0)
    found, normal, _ = touch(constants, values, corners, frames, row, 0)
    return (found[0], found[1], found[3]), normal

"""How large the terms are of which gaps, slips and joints are sums, by the rules of model/magnitude.py.

A point's component x + a cos(theta) - b sin(theta) has the size |x| + |a| (2 |cos| + |sin theta|) + ..., since the
size of cos(theta) is |cos| + |sin| |theta|: an angle of many turns is known to fewer places.
"""

import math

from jounce.kernels.bodies.frames import arm, place, velocity
from jounce.kernels.bodies.layout import (
    ANGLE,
    BODY_A,
    BODY_B,
    CENTER_A,
    EDGE,
    FRAME,
    KIND,
    LINE,
    PIN_X,
    PIN_Y,
    POINT_B,
    PRESCRIBED,
    RADIUS_A,
    SPEED,
    SPIN_A,
    WRITTEN,
    WRITTEN_SIZES,
)
from jounce.kernels.bodies.outline import facing
from jounce.kernels.bodies.programs import number
from jounce.kernels.bodies.touch import moved_velocity, other_radius
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals


@kernel
def arm_size(frames: Reals, body: Integer, X: Real, Y: Real) -> Real:
    """The size of each component of an arm, the same bound for both."""
    return (2.0 + abs(frames[body * FRAME + 7])) * (abs(X) + abs(Y))


@kernel
def distance_size(frames: Reals, a: Integer, X: Real, Y: Real, b: Integer, P_X: Real, P_Y: Real) -> tuple[Real, Real]:
    """Sizes of the components of the distance between the ends of two arms."""
    arms = arm_size(frames, a, X, Y) + arm_size(frames, b, P_X, P_Y)
    x = abs(frames[a * FRAME]) + abs(frames[b * FRAME]) + arms
    y = abs(frames[a * FRAME + 1]) + abs(frames[b * FRAME + 1]) + arms
    return x, y


@kernel
def velocity_size(frames: Reals, body: Integer, X: Real, Y: Real) -> tuple[Real, Real]:
    """Sizes of the components of the velocity of the end of an arm."""
    turning = abs(frames[body * FRAME + 6]) * (arm_size(frames, body, X, Y) + abs(X) + abs(Y))
    return abs(frames[body * FRAME + 4]) + turning, abs(frames[body * FRAME + 5]) + turning


@kernel
def touch_sizes(constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers) -> tuple[Real, Real]:
    """(size of the gap, size of the slip velocity)."""
    if row[KIND] == WRITTEN:
        at = WRITTEN_SIZES
        return number(constants, values, row[at]), number(constants, values, row[at + 1])
    a, b = row[BODY_A], row[BODY_B]
    X, Y = arm(constants, values, frames, a, row, CENTER_A)
    x, y = place(frames, a, X, Y)
    straight, P_X, P_Y, e_x, e_y = facing(constants, values, corners, frames, row, 0, x, y)
    P_x, P_y = place(frames, b, P_X, P_Y)
    d_x, d_y = abs(x - P_x), abs(y - P_y)
    s_x, s_y = distance_size(frames, a, X, Y, b, P_X, P_Y)
    v_x, v_y = velocity(constants, values, frames, a, row, CENTER_A, X, Y)
    w_x, w_y = moved_velocity(constants, values, frames, row, P_X, P_Y)
    o_x, o_y = velocity_size(frames, a, X, Y)
    b_x, b_y = velocity_size(frames, b, P_X, P_Y)
    r, r_b = number(constants, values, row[RADIUS_A]), other_radius(constants, values, row, 0)
    rims = abs(r * (frames[a * FRAME + 6] + number(constants, values, row[SPIN_A]))) + abs(r_b * frames[b * FRAME + 6])
    gap = abs(r) + abs(r_b)
    if straight:
        n_x, n_y = abs(e_y), abs(e_x)
        turned = abs(frames[b * FRAME + 7])  # the direction of a line turns with its body
        gap += n_x * s_x + n_y * s_y + (n_x + turned * n_y) * d_x + (n_y + turned * n_x) * d_y
    else:
        L = math.sqrt(d_x * d_x + d_y * d_y)
        gap += 1.5 * L + ((d_x * s_x + d_y * s_y) / L if L > 0.0 else s_x + s_y)
        n_x, n_y = (d_x / L, d_y / L) if L > 0.0 else (1.0, 1.0)
    speed = abs(number(constants, values, row[SPEED])) if row[KIND] == LINE or row[KIND] == EDGE else 0.0
    slip = n_y * (o_x + b_x + abs(v_x) + abs(w_x)) + n_x * (o_y + b_y + abs(v_y) + abs(w_y)) + rims + speed
    return gap, slip


@kernel
def joint_size(constants: Reals, values: Reals, corners: Integers, frames: Reals, row: Integers) -> Real:
    """The size of a joint's equation."""
    a, b = row[BODY_A], row[BODY_B]
    if row[KIND] == ANGLE:
        return abs(frames[a * FRAME + 7]) + abs(frames[b * FRAME + 7]) + abs(number(constants, values, row[PRESCRIBED]))
    if row[KIND] == PIN_X or row[KIND] == PIN_Y:
        X, Y = arm(constants, values, frames, a, row, CENTER_A)
        P_X, P_Y = arm(constants, values, frames, b, row, POINT_B)
        x, y = distance_size(frames, a, X, Y, b, P_X, P_Y)
        return x if row[KIND] == PIN_X else y
    gap, _ = touch_sizes(constants, values, corners, frames, row)
    return gap

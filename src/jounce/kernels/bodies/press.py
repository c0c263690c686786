"""Compliant contacts: how deep they are, the force that their law gives, and what it does to the bodies.

With the depth delta, W = -d(delta)/dq and the forces F_N, F_T of the law, a contact that is pressed adds

    F_N W + F_T W_T      to h,      F_N d(delta)/dt|_(u = 0) - F_T gamma_T|_(u = 0)      to the power of surfaces.

The depth is -g, but of a disc in a hole N - c (touch.py), whose gradient is that of the gap times -c/N.
"""

from jounce.kernels.bodies.frames import arm, place, rest_frames
from jounce.kernels.bodies.laws import obey, said
from jounce.kernels.bodies.layout import (
    BACK,
    BODY_A,
    BODY_B,
    BRANCH,
    CENTER_A,
    COMPLIANCE,
    DRIVE,
    ELASTIC,
    FORCE_N,
    FORCE_T,
    HAS_SLIP,
    HOLE,
    KIND,
    LOSS,
    MEMORY,
    MOST_VALUES,
    POINT_B,
    RADIUS_A,
    RADIUS_B,
    TOUCH_ROW,
)
from jounce.kernels.bodies.numbers import inverse, root
from jounce.kernels.bodies.programs import number
from jounce.kernels.bodies.touch import touch
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.tolerances import CENTRED
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integers, Numbers, Real, Reals, Scalar, Truth


@kernel
def depth_of(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers, gap: Scalar
) -> tuple[Scalar, Scalar]:
    """(delta, by what the gradient of the gap is to be multiplied to be W)."""
    if row[KIND] != HOLE:
        return -gap, 0.0 * gap + 1.0
    X, Y = arm(constants, values, frames, row[BODY_A], row, CENTER_A)
    P_X, P_Y = arm(constants, values, frames, row[BODY_B], row, POINT_B)
    x, y = place(frames, row[BODY_A], X, Y)
    P_x, P_y = place(frames, row[BODY_B], P_X, P_Y)
    d_x, d_y = x - P_x, y - P_y
    c = number(constants, values, row[RADIUS_B]) - number(constants, values, row[RADIUS_A])
    N = root(d_x * d_x + d_y * d_y + (CENTRED * c) * (CENTRED * c))
    return N - c, c * inverse(N)


@kernel
def mobility(
    tables: Tables,
    values: Numbers[Scalar],
    row: Integers,
    share: Scalar,
    normal: tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
) -> Scalar:
    """sum_j W_j^2/M_jj."""
    constants, mass = numbers_at(tables.constant).at, integers_at(tables.mass).at
    total = 0.0 * share
    for side in range(2):
        body = row[BODY_A if side == 0 else BODY_B]
        if body < tables.bodies:
            x, y, turn = share * normal[3 * side], share * normal[3 * side + 1], share * normal[3 * side + 2]
            total += (x * x + y * y) * inverse(number(constants, values, mass[2 * body]))
            total += turn * turn * inverse(number(constants, values, mass[2 * body + 1]))
    return total


@kernel
def press(
    tables: Tables,
    t: Scalar,
    q: Numbers[Scalar],
    u: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    row: Integers,
) -> tuple[
    tuple[Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
    tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
]:
    """Run the law of a compliant contact; ((what makes W of W_N, gamma_T), W_N, W_T)."""
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    found, normal, tangent = touch(constants, values, corners, frames, row, 0)
    depth, share = depth_of(constants, values, frames, row, found[0])
    given = address(values, MOST_VALUES)
    given[0], given[1] = depth, -share * found[1]
    given[2] = p[row[MEMORY] + 1]
    given[3] = u[row[BRANCH]] if row[BRANCH] >= 0 else 0.0 * depth
    given[4] = found[2] if row[HAS_SLIP] else 0.0 * depth
    given[5] = mobility(tables, values, row, share, normal)
    obey(tables, row[COMPLIANCE], t, q, given, p, values)
    return (share, given[4]), normal, tangent


@kernel
def is_pressed(row: Integers, p: Numbers[Scalar]) -> Truth:
    """Whether a contact is compliant and carries force."""
    return row[COMPLIANCE] > 0 and p[row[MEMORY]].real != 0.0


@kernel
def add_pressed(
    tables: Tables,
    t: Scalar,
    q: Numbers[Scalar],
    u: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    forces: Numbers[Scalar],
) -> None:
    """Add the forces of all pressed contacts."""
    if tables.compliant == 0:
        return
    rows = integers_at(tables.contact).at
    for i in range(tables.nc):
        row = address(rows, i * TOUCH_ROW)
        if is_pressed(row, p):
            measures, normal, tangent = press(tables, t, q, u, p, values, frames, row)
            F_N = measures[0] * said(tables, row[COMPLIANCE], FORCE_N, values)
            F_T = said(tables, row[COMPLIANCE], FORCE_T, values)
            for side in range(2):
                body = row[BODY_A if side == 0 else BODY_B]
                if body < tables.bodies:
                    for j in range(3):
                        forces[3 * body + j] += F_N * normal[3 * side + j] + F_T * tangent[3 * side + j]
            if row[BRANCH] >= 0:
                forces[row[BRANCH]] = said(tables, row[COMPLIANCE], DRIVE, values)


@kernel
def surface_power(
    tables: Tables,
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    row: Integers,
    share: Scalar,
    F_N: Scalar,
    F_T: Scalar,
) -> Scalar:
    """The power that a contact takes from the motion of its surfaces that is prescribed in time; the bodies rest."""
    constants, corners = numbers_at(tables.constant).at, integers_at(tables.corner).at
    found, _, _ = touch(constants, values, corners, frames, row, 0)
    power = -share * F_N * found[1]
    return power - F_T * found[2] if row[HAS_SLIP] else power


@kernel
def write_compliance(
    tables: Tables,
    t: Scalar,
    q: Numbers[Scalar],
    u: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
    shares: Numbers[Scalar],
    out: Numbers[Scalar],
) -> None:
    """Per contact: F_N, F_T, loss, power of the surface, energy of the springs, return, as if all were pressed."""
    rows = integers_at(tables.contact).at
    for i in range(tables.nc):
        row, at = address(rows, i * TOUCH_ROW), i * COMPLIANCE_STRIDE
        for k in range(COMPLIANCE_STRIDE):
            out[at + k] = 0.0
        if row[COMPLIANCE] > 0:
            measures, _, _ = press(tables, t, q, u, p, values, frames, row)
            shares[i] = measures[0]
            out[at] = said(tables, row[COMPLIANCE], FORCE_N, values)
            out[at + 1] = said(tables, row[COMPLIANCE], FORCE_T, values)
            out[at + 2] = said(tables, row[COMPLIANCE], LOSS, values)
            out[at + 4] = said(tables, row[COMPLIANCE], ELASTIC, values)
            out[at + 5] = said(tables, row[COMPLIANCE], BACK, values)
    rest_frames(tables.bodies, frames)
    for i in range(tables.nc):
        row, at = address(rows, i * TOUCH_ROW), i * COMPLIANCE_STRIDE
        if row[COMPLIANCE] > 0:
            out[at + 3] = surface_power(tables, values, frames, row, shares[i], out[at], out[at + 1])


@kernel
def add_pressed_powers(
    tables: Tables, t: Real, q: Reals, u: Reals, p: Reals, values: Reals, frames: Reals, kept: Reals, out: Reals
) -> None:
    """Friction loss, power of surfaces and loss of all pressed contacts; the frames rest when it is done."""
    if tables.compliant == 0:
        return
    rows = integers_at(tables.contact).at
    for i in range(tables.nc):
        row = address(rows, i * TOUCH_ROW)
        if is_pressed(row, p):
            measures, _, _ = press(tables, t, q, u, p, values, frames, row)
            kept[3 * i], kept[3 * i + 1] = measures[0], said(tables, row[COMPLIANCE], FORCE_N, values)
            kept[3 * i + 2] = said(tables, row[COMPLIANCE], FORCE_T, values)
            out[0] -= kept[3 * i + 2] * measures[1]
            out[2] += said(tables, row[COMPLIANCE], LOSS, values)
    rest_frames(tables.bodies, frames)
    for i in range(tables.nc):
        row = address(rows, i * TOUCH_ROW)
        if is_pressed(row, p):
            out[1] += surface_power(tables, values, frames, row, kept[3 * i], kept[3 * i + 1], kept[3 * i + 2])

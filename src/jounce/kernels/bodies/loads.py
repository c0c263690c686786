"""Forces on the bodies: gravity, springs, dampers, torsion springs, forces and torques of the user's.

A spring with d = P_second - P_first, L = |d|, n = d/L pushes the second body at its end by

    F = -(k (L - L_0) + c L') n ,       L' = n.v ,        V = k (L - L_0)^2/2 ,

without a rest length by -k d; the first body by the opposite. A force F at the arm (X, Y) turns by X F_y - Y F_x.
"""

from jounce.kernels.bodies.frames import arm, own_velocity, place, turned, velocity
from jounce.kernels.bodies.layout import (
    DAMPED,
    DAMPING,
    DRAG,
    DRAG_FIRST,
    DRAG_SECOND,
    ELEMENT_ROW,
    FIRST,
    FOLLOWS,
    FORCE,
    FORCE_X,
    FORCE_Y,
    FORM,
    FRAME,
    KIND,
    MOMENT,
    POINT_FIRST,
    POINT_SECOND,
    RATE,
    RATE_OF,
    REST,
    REST_RATE,
    SECOND,
    SPRING,
    STIFFNESS,
    STRETCHED,
    TORQUE,
    TORSION,
)
from jounce.kernels.bodies.numbers import inverse, root
from jounce.kernels.bodies.programs import number
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Numbers, Real, Reals, Scalar


@kernel
def push(
    bodies: Integer, forces: Numbers[Scalar], body: Integer, X: Scalar, Y: Scalar, F_x: Scalar, F_y: Scalar
) -> None:
    """Add a force at the end of an arm; the ground takes any."""
    if body < bodies:
        forces[3 * body] += F_x
        forces[3 * body + 1] += F_y
        forces[3 * body + 2] += X * F_y - Y * F_x


@kernel
def twist(bodies: Integer, forces: Numbers[Scalar], body: Integer, torque: Scalar) -> None:
    """Add a torque."""
    if body < bodies:
        forces[3 * body + 2] += torque


@kernel
def stretch(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers
) -> tuple[tuple[Scalar, Scalar, Scalar, Scalar], tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
    """Arms of both ends of a spring, d and v of the second against the first."""
    X, Y = arm(constants, values, frames, row[SECOND], row, POINT_SECOND)
    P_X, P_Y = arm(constants, values, frames, row[FIRST], row, POINT_FIRST)
    x, y = place(frames, row[SECOND], X, Y)
    P_x, P_y = place(frames, row[FIRST], P_X, P_Y)
    v_x, v_y = velocity(constants, values, frames, row[SECOND], row, POINT_SECOND, X, Y)
    w_x, w_y = velocity(constants, values, frames, row[FIRST], row, POINT_FIRST, P_X, P_Y)
    return (X, Y, P_X, P_Y), (x - P_x, y - P_y), (v_x - w_x, v_y - w_y)


@kernel
def spring_force(
    constants: Reals, values: Numbers[Scalar], row: Integers, d: tuple[Scalar, Scalar], v: tuple[Scalar, Scalar]
) -> tuple[Scalar, Scalar]:
    """(force of the spring, force of its damper) on the second body, each divided by d."""
    k, c = number(constants, values, row[STIFFNESS]), number(constants, values, row[DAMPING])
    elastic, lossy = -k, 0.0 * k
    if row[FORM] != 0:
        over = inverse(root(d[0] * d[0] + d[1] * d[1]))
        if row[FORM] & STRETCHED:
            elastic = -k * (1.0 - number(constants, values, row[REST]) * over)
        if row[FORM] & DAMPED:
            lossy = -c * (d[0] * v[0] + d[1] * v[1]) * (over * over)
    return elastic, lossy


@kernel
def torsion(constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers) -> tuple[Scalar, Scalar]:
    """(torque of the spring, torque of its damper) on the second body."""
    b, a = row[SECOND] * FRAME, row[FIRST] * FRAME
    k, c = number(constants, values, row[STIFFNESS]), number(constants, values, row[DAMPING])
    turn = frames[b + 7] - frames[a + 7] - number(constants, values, row[REST])
    return -k * turn, -c * (frames[b + 6] - frames[a + 6])


@kernel
def given_force(
    constants: Reals, values: Numbers[Scalar], frames: Numbers[Scalar], row: Integers
) -> tuple[Scalar, Scalar]:
    """A force of the user's along the axes of the ground."""
    F_x, F_y = number(constants, values, row[FORCE_X]), number(constants, values, row[FORCE_Y])
    return turned(frames, row[SECOND], F_x, F_y) if row[FOLLOWS] else (F_x, F_y)


@kernel
def drag(
    constants: Reals,
    values: Numbers[Scalar],
    bodies: Integer,
    forces: Numbers[Scalar],
    body: Integer,
    references: Integers,
) -> None:
    """Add the forces along x, y and theta that three references say; the ground takes any."""
    if body < bodies:
        for j in range(3):
            forces[3 * body + j] += number(constants, values, references[j])


@kernel
def drag_power(
    constants: Reals, values: Reals, bodies: Integer, frames: Reals, body: Integer, references: Integers
) -> Real:
    """The power of these forces."""
    power = 0.0
    if body < bodies:
        for j in range(3):
            power += number(constants, values, references[j]) * frames[body * FRAME + 4 + j]
    return power


@kernel
def add_forces(tables: Tables, values: Numbers[Scalar], frames: Numbers[Scalar], forces: Numbers[Scalar]) -> None:
    """h: the sum of all forces on every body."""
    constants, bodies = numbers_at(tables.constant).at, tables.bodies
    mass, gravity = integers_at(tables.mass).at, integers_at(tables.gravity).at
    g_x, g_y = number(constants, values, gravity[0]), number(constants, values, gravity[1])
    for k in range(bodies):
        m = number(constants, values, mass[2 * k])
        forces[3 * k], forces[3 * k + 1], forces[3 * k + 2] = m * g_x, m * g_y, 0.0
    for k in range(tables.branches):
        forces[3 * bodies + k] = 0.0
    elements = integers_at(tables.element).at
    for k in range(tables.elements):
        row = address(elements, k * ELEMENT_ROW)
        if row[KIND] == SPRING:
            arms, d, v = stretch(constants, values, frames, row)
            elastic, lossy = spring_force(constants, values, row, d, v)
            F_x, F_y = (elastic + lossy) * d[0], (elastic + lossy) * d[1]
            push(bodies, forces, row[SECOND], arms[0], arms[1], F_x, F_y)
            push(bodies, forces, row[FIRST], arms[2], arms[3], -F_x, -F_y)
        elif row[KIND] == TORSION:
            elastic, lossy = torsion(constants, values, frames, row)
            twist(bodies, forces, row[SECOND], elastic + lossy)
            twist(bodies, forces, row[FIRST], -elastic - lossy)
        elif row[KIND] == FORCE:
            X, Y = arm(constants, values, frames, row[SECOND], row, POINT_SECOND)
            F_x, F_y = given_force(constants, values, frames, row)
            push(bodies, forces, row[SECOND], X, Y, F_x, F_y)
        elif row[KIND] == TORQUE:
            torque = number(constants, values, row[MOMENT])
            twist(bodies, forces, row[SECOND], torque)
            twist(bodies, forces, row[FIRST], -torque)
        elif row[KIND] == DRAG:
            drag(constants, values, bodies, forces, row[SECOND], address(row, DRAG_SECOND))
            drag(constants, values, bodies, forces, row[FIRST], address(row, DRAG_FIRST))
        elif row[KIND] == RATE:
            forces[row[SECOND]] += number(constants, values, row[RATE_OF])


@kernel
def stored_energy(tables: Tables, values: Reals, frames: Reals) -> Real:
    """T + V of bodies, gravity and springs."""
    constants, bodies = numbers_at(tables.constant).at, tables.bodies
    mass, gravity = integers_at(tables.mass).at, integers_at(tables.gravity).at
    g_x, g_y = number(constants, values, gravity[0]), number(constants, values, gravity[1])
    energy = 0.0
    for k in range(bodies):
        m, inertia = number(constants, values, mass[2 * k]), number(constants, values, mass[2 * k + 1])
        body = address(frames, k * FRAME)
        energy += 0.5 * (m * (body[4] * body[4] + body[5] * body[5]) + inertia * body[6] * body[6])
        energy -= m * (g_x * body[0] + g_y * body[1])
    elements = integers_at(tables.element).at
    for k in range(tables.elements):
        row = address(elements, k * ELEMENT_ROW)
        if row[KIND] == SPRING:
            d = stretch(constants, values, frames, row)[1]
            length = root(d[0] * d[0] + d[1] * d[1])
            if row[FORM] & STRETCHED:
                length -= number(constants, values, row[REST])
            energy += 0.5 * number(constants, values, row[STIFFNESS]) * length * length
        elif row[KIND] == TORSION:
            turn = frames[row[SECOND] * FRAME + 7] - frames[row[FIRST] * FRAME + 7]
            turn -= number(constants, values, row[REST])
            energy += 0.5 * number(constants, values, row[STIFFNESS]) * turn * turn
    return energy


@kernel
def applied_power(tables: Tables, values: Reals, frames: Reals) -> Real:
    """The power of all forces without potential, and the rate of V by what is prescribed in time."""
    constants, elements = numbers_at(tables.constant).at, integers_at(tables.element).at
    power = 0.0
    for k in range(tables.elements):
        row = address(elements, k * ELEMENT_ROW)
        b, a = row[SECOND], row[FIRST]
        if row[KIND] == SPRING:
            _, d, v = stretch(constants, values, frames, row)
            elastic, lossy = spring_force(constants, values, row, d, v)
            D_x, D_y = own_velocity(constants, values, frames, b, row, POINT_SECOND)
            w_x, w_y = own_velocity(constants, values, frames, a, row, POINT_FIRST)
            D_x, D_y = D_x - w_x, D_y - w_y
            power += lossy * (d[0] * (v[0] - D_x) + d[1] * (v[1] - D_y)) - elastic * (d[0] * D_x + d[1] * D_y)
            if row[FORM] & STRETCHED:
                L = root(d[0] * d[0] + d[1] * d[1])
                power += elastic * L * number(constants, values, row[REST_RATE])
        elif row[KIND] == TORSION:
            elastic, lossy = torsion(constants, values, frames, row)
            power += lossy * (frames[b * FRAME + 6] - frames[a * FRAME + 6])
            power += elastic * number(constants, values, row[REST_RATE])
        elif row[KIND] == FORCE:
            X, Y = arm(constants, values, frames, b, row, POINT_SECOND)
            F_x, F_y = given_force(constants, values, frames, row)
            omega = frames[b * FRAME + 6]
            power += F_x * (frames[b * FRAME + 4] - omega * Y) + F_y * (frames[b * FRAME + 5] + omega * X)
        elif row[KIND] == TORQUE:
            power += number(constants, values, row[MOMENT]) * (frames[b * FRAME + 6] - frames[a * FRAME + 6])
        elif row[KIND] == DRAG:
            power += drag_power(constants, values, tables.bodies, frames, b, address(row, DRAG_SECOND))
            power += drag_power(constants, values, tables.bodies, frames, a, address(row, DRAG_FIRST))
    return power

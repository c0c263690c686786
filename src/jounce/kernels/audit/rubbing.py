"""Friction of contacts that others load, from the recorded motion alone.

What the motion demands (forces.py) is shared out among joints, closed contacts and sticking loads by least squares: it
is nu_0 without friction, and V_i for a unit of N at each loaded contact i that slides. Their law then reads

    N_i = load_i(nu_0 - sum_j N_j V_j) ,

as many equations as there are such contacts, which Newton's method solves. The friction is taken from the demand; the
rest is asked for as that of any motion.
"""

import math

from jounce.kernels.audit.record import OUTSIDE_CONE, report
from jounce.kernels.records.codes import CONTACT_LOAD, OPEN, PIN_LOAD, PRESSED, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.rows import column, normal_place
from jounce.kernels.records.tolerances import DEPENDENT, LOAD_BALANCED, LOAD_ITERATIONS
from jounce.kernels.records.workspace import (
    FRICTION,
    FRICTION_BACK,
    JOINT_STRIDE,
    LEVER,
    PRELOAD,
    STATIC_FRICTION,
    SURFACE_STRIDE,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals2, Truth


@kernel
def slide_friction(a: Audit, i: Integer) -> Real:
    """s mu of contact i as its mode says."""
    positive = a.mode[i] == SLIP_POSITIVE
    mu = a.surface[SURFACE_STRIDE * i + (FRICTION if positive else FRICTION_BACK)]
    return mu if positive else -mu


@kernel
def is_closed(a: Audit, i: Integer) -> Truth:
    """Whether contact i is closed and rigid."""
    return a.mode[i] != OPEN and a.mode[i] != PRESSED


@kernel
def add_column(m: Machine, a: Audit, size: Integer, number: Integer) -> Integer:
    """Orthogonalise the column in row ``size`` of a.load_frame; returns the new size."""
    n = m.n
    whole = left = 0.0
    for k in range(n):
        whole += a.load_frame[size, k] ** 2
    for r in range(size):
        a.load_triangle[r, size] = 0.0
    for _ in range(2):
        for r in range(size):
            product = 0.0
            for k in range(n):
                product += a.load_frame[r, k] * a.load_frame[size, k]
            a.load_triangle[r, size] += product
            for k in range(n):
                a.load_frame[size, k] -= product * a.load_frame[r, k]
    for k in range(n):
        left += a.load_frame[size, k] ** 2
    if size == n or not left > DEPENDENT * DEPENDENT * whole:
        a.load_dependent += 1
        return size
    left = math.sqrt(left)
    for k in range(n):
        a.load_frame[size, k] /= left
    a.load_triangle[size, size] = left
    a.load_column[size] = number
    return size + 1


@kernel
def contact_column(m: Machine, a: Audit, size: Integer, i: Integer, tangential: Integer) -> Integer:
    """W_N (with friction, where it slides) or W_T of contact i as a column."""
    base = normal_place(m, i)
    weight = 0.0
    if not tangential and m.has_slip[i] and a.mode[i] != STICK:
        weight = slide_friction(a, i)
    for k in range(m.n):
        a.load_frame[size, k] = 0.0
    for k in range(m.width):
        j = column(m, i, k)
        normal, tangent = a.contact[base + k], a.contact[base + m.width + k] if m.has_slip[i] else 0.0
        a.load_frame[size, j] += a.weight[j] * (tangent if tangential else normal - weight * tangent)
    return add_column(m, a, size, m.nj + 2 * i + tangential)


@kernel
def factor_columns(m: Machine, a: Audit) -> Integer:
    """All forces that are not given by a law, as columns; the number of those that are independent.

    As many as there are coordinates at most: row n of the frame is where others are found to depend on them.
    """
    size = 0
    a.load_dependent = 0
    for joint in range(m.nj):
        base = joint * (JOINT_STRIDE + m.n) + JOINT_STRIDE
        for k in range(m.n):
            a.load_frame[size, k] = a.joint[base + k] * a.weight[k]
        size = add_column(m, a, size, joint)
    for i in range(m.nc):
        if is_closed(a, i) and not m.load[i]:
            size = contact_column(m, a, size, i, 0)
        if is_closed(a, i) and a.mode[i] == STICK:
            size = contact_column(m, a, size, i, 1)
    return size


@kernel
def share_out(m: Machine, a: Audit, size: Integer) -> None:
    """Forces of the columns, in a.load_force, that answer a.rest best."""
    for k in range(m.nj + 2 * m.nc):
        a.load_force[k] = 0.0
    for r in range(size - 1, -1, -1):
        total = 0.0
        for k in range(m.n):
            total += a.load_frame[r, k] * a.rest[k]
        for c in range(r + 1, size):
            total -= a.load_triangle[r, c] * a.load_force[a.load_column[c]]
        a.load_force[a.load_column[r]] = total / a.load_triangle[r, r]


@kernel
def load_on(m: Machine, a: Audit, i: Integer) -> Real:
    """N of contact i from a.load_force."""
    base, first, second = SURFACE_STRIDE * i, m.load_of[2 * i], m.load_of[2 * i + 1]
    if m.load[i] == CONTACT_LOAD:
        return a.surface[base + PRELOAD] + a.load_force[m.nj + 2 * first]
    x, y = a.load_force[first] if first >= 0 else 0.0, a.load_force[second] if second >= 0 else 0.0
    if m.load[i] == PIN_LOAD:
        return a.surface[base + PRELOAD] + math.hypot(x, y)
    return a.surface[base + PRELOAD] + max(abs(x), a.surface[base + LEVER] * abs(y))


@kernel
def load_slope(m: Machine, a: Audit, i: Integer, answer: Integer) -> Real:
    """d N of contact i as a.load_force changes by a row of a.load_answer."""
    first, second = m.load_of[2 * i], m.load_of[2 * i + 1]
    if m.load[i] == CONTACT_LOAD:
        return a.load_answer[answer, m.nj + 2 * first]
    if first < 0:
        return 0.0
    x, y = a.load_force[first], a.load_force[second] if second >= 0 else 0.0
    d_x = a.load_answer[answer, first]
    d_y = a.load_answer[answer, second] if second >= 0 else 0.0
    if m.load[i] == PIN_LOAD:
        force = math.hypot(x, y)
        return (x * d_x + y * d_y) / force if force > 0.0 else 0.0
    lever = a.surface[SURFACE_STRIDE * i + LEVER]
    if abs(x) >= lever * abs(y):
        return d_x if x >= 0.0 else -d_x
    return lever * (d_y if y >= 0.0 else -d_y)


@kernel
def share_out_friction(m: Machine, a: Audit, size: Integer) -> Integer:
    """nu_0 in a.load_base and V_i in the rows of a.load_answer; the number of loaded contacts that slide."""
    for k in range(m.n):
        a.rest[k] = a.demand[k]
    share_out(m, a, size)
    for k in range(m.nj + 2 * m.nc):
        a.load_base[k] = a.load_force[k]
    count = 0
    for i in range(m.nc):
        if m.load[i] and is_closed(a, i) and a.mode[i] != STICK:
            tangent = normal_place(m, i) + m.width
            for k in range(m.n):
                a.rest[k] = 0.0
            for k in range(m.width):
                j = column(m, i, k)
                a.rest[j] -= slide_friction(a, i) * a.weight[j] * a.contact[tangent + k]
            share_out(m, a, size)
            for k in range(m.nj + 2 * m.nc):
                a.load_answer[count, k] = a.load_force[k]
            a.load_slide[count] = i
            count += 1
    return count


@kernel
def forces_with(m: Machine, a: Audit, count: Integer) -> None:
    """a.load_force = nu_0 - sum N_j V_j."""
    for k in range(m.nj + 2 * m.nc):
        a.load_force[k] = a.load_base[k]
        for c in range(count):
            a.load_force[k] -= a.load_size[a.load_slide[c]] * a.load_answer[c, k]


@kernel
def solve_square(matrix: Reals2, count: Integer) -> Truth:
    """Solve in place, with the right side in the last column, by elimination with pivots of the column."""
    for k in range(count):
        best = k
        for r in range(k + 1, count):
            if abs(matrix[r, k]) > abs(matrix[best, k]):
                best = r
        if matrix[best, k] == 0.0:
            return False
        for c in range(count + 1):
            matrix[k, c], matrix[best, c] = matrix[best, c], matrix[k, c]
        for r in range(count):
            if r != k:
                ratio = matrix[r, k] / matrix[k, k]
                for c in range(k, count + 1):
                    matrix[r, c] -= ratio * matrix[k, c]
    for k in range(count):
        matrix[k, count] /= matrix[k, k]
    return True


@kernel
def take_rubbing(m: Machine, a: Audit) -> None:
    """Take the friction of loaded contacts that slide from a.demand; those that stick are left in a.load_force."""
    size = factor_columns(m, a)
    count = share_out_friction(m, a, size)
    for i in range(m.nc):
        a.load_size[i] = 0.0
    forces_with(m, a, count)
    for _ in range(LOAD_ITERATIONS):
        off = 0.0
        for r in range(count):
            i = a.load_slide[r]
            load = load_on(m, a, i)
            a.load_matrix[r, count] = load - a.load_size[i]
            if abs(load - a.load_size[i]) > LOAD_BALANCED * abs(load):
                off = 1.0
            for c in range(count):
                a.load_matrix[r, c] = load_slope(m, a, i, c) + (1.0 if r == c else 0.0)
        if off == 0.0 or not solve_square(a.load_matrix, count):
            break
        for r in range(count):
            a.load_size[a.load_slide[r]] += a.load_matrix[r, count]
        forces_with(m, a, count)
    a.rubbed = 0.0
    for c in range(count):
        i = a.load_slide[c]
        friction = slide_friction(a, i) * a.load_size[i]
        tangent = normal_place(m, i) + m.width
        for k in range(m.width):
            j = column(m, i, k)
            a.demand[j] += friction * a.weight[j] * a.contact[tangent + k]
            a.rubbed += abs(friction * a.weight[j] * a.contact[tangent + k])


@kernel
def check_sticking_loads(m: Machine, a: Audit, part: Real, limit: Real) -> None:
    """Friction of loads that stick, where it is known: within its cone, to a part of its terms and the force given."""
    if a.load_dependent > 0:
        return
    for i in range(m.nc):
        if not m.load[i] or a.mode[i] != STICK:
            continue
        friction = abs(a.load_force[m.nj + 2 * i + 1])
        most = a.surface[SURFACE_STRIDE * i + STATIC_FRICTION] * load_on(m, a, i)
        tangent = normal_place(m, i) + m.width
        length = 0.0
        for k in range(m.width):
            length += (a.weight[column(m, i, k)] * a.contact[tangent + k]) ** 2
        allowed = part * (friction + most) + (limit / math.sqrt(length) if length > 0.0 else 0.0)
        if not friction - most <= allowed:
            report(a, a.t, i, OUTSIDE_CONE, friction - most, allowed)

"""One explicit Runge-Kutta step and its interpolant, for either pair.

A step has no hidden state: what it needs is its arguments. The interpolant of both pairs has the nested form

    z(x) = z0 + x (F1 + (1-x) (F2 + x (F3 + (1-x) (F4 + ...)))) ,   x in [0, 1]

with four rows F for DOPRI5 (order 4) and seven for DOP853 (order 7); Hairer, Norsett & Wanner I, II.5 and II.10.
"""

import math

from numba import types

from jounce.kernels.contact_forces import derivative
from jounce.kernels.jit import block, f8, i8, kernel
from jounce.kernels.motion import motion_record
from jounce.kernels.tableaus import (
    DOP853_A,
    DOP853_B,
    DOP853_C,
    DOP853_D,
    DOP853_E3,
    DOP853_E5,
    DOPRI5_A,
    DOPRI5_C,
    DOPRI5_D,
    DOPRI5_E,
)
from jounce.kernels.workspace import machine_record, workspace_record

DOPRI5 = 5
DOP853 = 8


@kernel
def interpolant_rows(pair):
    """Rows F of the interpolant."""
    return 4 if pair == DOPRI5 else 7


@kernel
def stages_of(m, w, t, z, h, modes, closed, first, last, a, c):
    """Stages first..last-1 of a tableau; stage i is evaluated at z + h sum_j a_ij k_j."""
    nz = 2 * m.n
    for i in range(first, last):
        for k in range(nz):
            total = 0.0
            for j in range(i):
                total += a[i, j] * w.stages[j, k]
            w.stage_state[k] = z[k] + h * total
        derivative(m, w, t + c[i] * h, w.stage_state, modes, closed, i)


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def take_step(m, w, s, h, closed):
    """z(t + h) into w.new_state; returns the error in units of the tolerance (nan if the step left the domain).

    Stage 0, the derivative at the start, is known.
    """
    nz = 2 * m.n
    t, z, modes, tolerance = s.t, s.z, s.modes, s.tolerance
    if s.pair == DOPRI5:
        stages_of(m, w, t, z, h, modes, closed, 1, 7, DOPRI5_A, DOPRI5_C)
        # the seventh stage sits at the new state: first same as last
        total = 0.0
        for k in range(nz):
            w.new_state[k] = w.stage_state[k]
            error = 0.0
            for j in range(7):
                error += DOPRI5_E[j] * w.stages[j, k]
            scale = tolerance * (1.0 + max(abs(z[k]), abs(w.new_state[k])))
            total += (h * error / scale) ** 2
        return math.sqrt(total / nz)
    stages_of(m, w, t, z, h, modes, closed, 1, 12, DOP853_A, DOP853_C)
    sum5 = sum3 = 0.0
    for k in range(nz):
        total = error5 = error3 = 0.0
        for j in range(12):
            total += DOP853_B[j] * w.stages[j, k]
            error5 += DOP853_E5[j] * w.stages[j, k]
            error3 += DOP853_E3[j] * w.stages[j, k]
        w.new_state[k] = z[k] + h * total
        scale = tolerance * (1.0 + max(abs(z[k]), abs(w.new_state[k])))
        sum5 += (error5 / scale) ** 2
        sum3 += (error3 / scale) ** 2
    if sum5 == 0.0 and sum3 == 0.0:
        return 0.0
    return h * sum5 / math.sqrt((sum5 + 0.01 * sum3) * nz)


@block(types.void(machine_record, workspace_record, motion_record, f8, i8))
def make_interpolant(m, w, s, h, closed):
    """Rows F of the step just taken; DOP853 needs its thirteenth stage and three more.

    Leaves the derivative at the new state in stage 6 (DOPRI5) or 12 (DOP853).
    """
    nz = 2 * m.n
    t, z, modes = s.t, s.z, s.modes
    f = w.interpolant
    last = 6
    if s.pair == DOP853:
        last = 12
        derivative(m, w, t + h, w.new_state, modes, closed, 12)
        stages_of(m, w, t, z, h, modes, closed, 13, 16, DOP853_A, DOP853_C)
    for k in range(nz):
        delta = w.new_state[k] - z[k]
        f[0, k] = delta
        f[1, k] = h * w.stages[0, k] - delta
        f[2, k] = 2.0 * delta - h * (w.stages[last, k] + w.stages[0, k])
        if s.pair == DOPRI5:
            total = 0.0
            for j in range(7):
                total += DOPRI5_D[j] * w.stages[j, k]
            f[3, k] = h * total
        else:
            for row in range(4):
                total = 0.0
                for j in range(16):
                    total += DOP853_D[row, j] * w.stages[j, k]
                f[3 + row, k] = h * total


@kernel
def interpolate(z, f, rows, x, nz, out):
    """z(x) of the nested interpolant."""
    for k in range(nz):
        value = 0.0
        for row in range(rows - 1, -1, -1):
            value = (value + f[row, k]) * (x if row % 2 == 0 else 1.0 - x)
        out[k] = z[k] + value


@kernel
def interpolate_nodes(z, f, rows, start, width, nodes, count, n, out_q, out_u):
    """q and u at x = start + width * nodes[i]."""
    for i in range(count):
        x = start + width * nodes[i]
        for k in range(2 * n):
            value = 0.0
            for row in range(rows - 1, -1, -1):
                value = (value + f[row, k]) * (x if row % 2 == 0 else 1.0 - x)
            if k < n:
                out_q[i * n + k] = z[k] + value
            else:
                out_u[i * n + k - n] = z[k] + value

"""One explicit Runge-Kutta step and its interpolant, for either pair.

A step has no hidden state: what it needs is its arguments. The interpolant of both pairs has the nested form

    z(x) = z0 + x (F1 + (1-x) (F2 + x (F3 + (1-x) (F4 + ...)))) ,   x in [0, 1]

with four rows F for DOPRI5 (order 4) and seven for DOP853 (order 7); Hairer, Norsett & Wanner I, II.5 and II.10.
A run that takes steps by Taylor series too (taylor.py) has as many rows as their order; those of a pair end with zeros.
"""

import math

import numpy as np

from jounce.kernels.contact.forces import derivative, derivative_at
from jounce.kernels.flow.dop853 import dop853_end, dop853_stages
from jounce.kernels.flow.pole import nears_branch_point
from jounce.kernels.flow.radau import interpolate_radau
from jounce.kernels.flow.tableaus import (
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
from jounce.kernels.flow.taylor import interpolate_series, note_series_errors
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.scales import rounding_asked, share
from jounce.kernels.records.tolerances import ERROR_PART, LEAST_SIZE, POSITION_ROUNDING
from jounce.kernels.records.workspace import STATE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8, void
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2, Reals3

DOPRI5 = 5
DOP853 = 8
# the largest of what multiplies the last row of an interpolant, x^2 (1-x)^2 and x^4 (1-x)^3
LAST_TERM_DOPRI5, LAST_TERM_DOP853 = 1.0 / 16.0, 6912.0 / 823543.0
DOP853_STEP = np.vstack([DOP853_B, DOP853_E5, DOP853_E3])  # weights of the step and of its errors


def _sparse(table: np.ndarray) -> np.ndarray:
    """Rows of weights without their zeros: row i is (how many, -), then (weight, column) for each."""
    places = [np.flatnonzero(row) for row in table]
    sparse = np.zeros((len(table), 1 + max(map(len, places)), 2))
    for row, columns, out in zip(table, places, sparse, strict=True):
        out[0, 0] = len(columns)
        out[1 : 1 + len(columns), 0], out[1 : 1 + len(columns), 1] = row[columns], columns
    return sparse


DOP853_STAGES, DOPRI5_STAGES = _sparse(DOP853_A), _sparse(DOPRI5_A)
DOP853_WEIGHTS, DOP853_DENSE = _sparse(DOP853_STEP), _sparse(DOP853_D)
DOPRI5_DENSE, DOPRI5_ERROR = _sparse(DOPRI5_D[None, :]), _sparse(DOPRI5_E[None, :])


@kernel
def sum_of_stages(
    stages: Reals2, table: Reals3, row: Integer, z: Reals, h: Real, nz: Integer, out: Reals2, out_row: Integer
) -> None:
    """out[out_row] = z + h sum_j a_j stages[j] with the weights a of one row of a table; few of them are not zero.

    Two entries at a time (nz is even), in registers: through memory every term would wait for the one before.
    """
    count = int(table[row, 0, 0])
    for k in range(0, nz, 2):
        first = second = 0.0
        for e in range(1, count + 1):
            weight, j = table[row, e, 0], int(table[row, e, 1])
            first += weight * stages[j, k]
            second += weight * stages[j, k + 1]
        out[out_row, k] = z[k] + h * first
        out[out_row, k + 1] = z[k + 1] + h * second


@kernel
def stages_of(
    m: Machine,
    w: Workspace,
    t: Real,
    z: Reals,
    h: Real,
    modes: Integers,
    closed: Integer,
    first: Integer,
    last: Integer,
    a: Reals3,
    c: Reals,
) -> None:
    """Stages first..last-1 of a tableau; stage i is evaluated at z + h sum_j a_ij k_j."""
    nz = 2 * m.n
    state = w.stage_state
    for i in range(first, last):
        sum_of_stages(w.stages, a, i, z, h, nz, state, i)
        derivative_at(m, w, t + c[i] * h, state, i * STATE, modes, closed, i)


@kernel
def weighted_sums(stages: Reals2, table: Reals3, rows: Integer, begin: Integer, end: Integer, out: Reals2) -> None:
    """out[row] = sum_j table[row, j] stages[j], entries begin to end - 1, in the same way."""
    for row in range(rows):
        count = int(table[row, 0, 0])
        for k in range(begin, end, 2):
            first = second = 0.0
            for e in range(1, count + 1):
                weight, j = table[row, e, 0], int(table[row, e, 1])
                first += weight * stages[j, k]
                second += weight * stages[j, k + 1]
            out[row, k] = first
            out[row, k + 1] = second


@kernel
def set_error_scales(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """w.error_scale: what the error of each component of the state is measured by in a step, beside its end itself.

    It is the largest of: the state; a part of the scale of the run; the way of stage 0 in the step; of that
    of the motion as a whole what rounding may leave in each coordinate, for a motion that begins at zero has no
    other scale in the coordinates that it does not move. Of a velocity no more is asked than shows in the position: an
    error that moves it by its rounding in the step is none. A body that rests in balance has velocities that are all
    rounding, and accelerations that are the rounding of forces that contacts and joints hold: these are the measure.
    """
    n = m.n
    way = change = 0.0
    for j in range(n):
        way += w.start_mass[j] * (w.stages[0, j] * w.stages[0, j])
        change += w.start_mass[j] * (w.stages[0, n + j] * w.stages[0, n + j])
    if closed > 0 or m.nj > 0:
        change = max(change, w.whole[2])
    floor = h * rounding_asked(s.settings.tolerance)
    for j in range(n):
        k, mass = n + j, w.start_mass[j]
        place = max(abs(s.z[j]), ERROR_PART * w.scale[j], h * abs(w.stages[0, j]))
        speed = max(abs(s.z[k]), ERROR_PART * w.scale[k], h * abs(w.stages[0, k]))
        # the roots only where they may be larger: half of the squares counts as that
        if not 0.5 * mass * (place * place) > (floor * floor) * way:
            place = max(place, floor * share(way, mass))
        if not 0.5 * mass * (speed * speed) > (floor * floor) * change:
            speed = max(speed, floor * share(change, mass))
        w.error_scale[j] = max(place, LEAST_SIZE)
        w.error_scale[k] = max(speed, LEAST_SIZE, POSITION_ROUNDING * place / (s.settings.tolerance * h))


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def take_step(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Real:
    """z(t + h) into w.new_state; returns the error in units of the tolerance (nan if the step left the domain).

    Stage 0, the derivative at the start, is known.
    """
    nz = 2 * m.n
    t, z, modes, tolerance = s.t, s.z, s.modes, s.settings.tolerance
    set_error_scales(m, w, s, h, closed)
    w.by_series = w.by_radau = 0
    if s.settings.pair == DOPRI5:
        stages_of(m, w, t, z, h, modes, closed, 1, 7, DOPRI5_STAGES, DOPRI5_C)
        # the seventh stage sits at the new state: first same as last
        total = 0.0
        for k in range(nz):
            w.new_state[k] = w.stage_state[6, k]
            error = 0.0
            for j in range(7):
                error += DOPRI5_E[j] * w.stages[j, k]
            scale = tolerance * max(w.error_scale[k], abs(w.new_state[k]))
            if error != 0.0:
                total += (h * error / scale) ** 2
        return math.sqrt(total / nz)
    dop853_stages(m, w, s, h, closed)
    sum5, sum3 = dop853_end(m, w, s, h)
    if sum5 == 0.0 and sum3 == 0.0:
        return 0.0
    if m.loaded > 0 and nears_branch_point(m, w, s, 11):
        return h * math.sqrt(sum5 / nz)  # the errors do not fall with the order there
    return h * sum5 / math.sqrt((sum5 + 0.01 * sum3) * nz)


@kernel
def estimate_errors(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """w.step_error: the estimated error of each entry of the state; the stages are those of an explicit step."""
    nz, sums = 2 * m.n, w.stage_sums
    if s.settings.pair == DOPRI5:
        weighted_sums(w.stages, DOPRI5_ERROR, 1, 0, nz, sums)
    else:
        weighted_sums(w.stages, DOP853_WEIGHTS, 3, 0, nz, sums)
    for k in range(nz):
        error = sums[0, k]
        if s.settings.pair == DOP853:
            error5, error3 = sums[1, k], 0.1 * sums[2, k]
            error = error5 * (abs(error5) / math.hypot(error5, error3)) if error5 != 0.0 else 0.0
        w.step_error[k] = h * error


@kernel
def note_errors(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Keep in w.state_error the largest estimated error of each entry of the state; the stages are those of a step."""
    if w.by_series:
        note_series_errors(m, w, s, h)
        return
    if not w.by_radau:
        estimate_errors(m, w, s, h)
    for k in range(2 * m.n):
        w.state_error[k] = max(w.state_error[k], abs(w.step_error[k]))


@block(void(machine_record, workspace_record, motion_record, f8, i8))
def end_step(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """The derivative at the end of the step just taken, w.new_state, into stage 12; DOPRI5 has it in stage 6."""
    w.interpolated = 0
    if s.settings.pair == DOP853:
        derivative(m, w, s.t + h, w.new_state, s.modes, closed, 12)


@kernel
def make_interpolant(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Rows F of the step just taken."""
    end_step(m, w, s, h, closed)
    interpolate_step(m, w, s, h, closed)


@block(void(machine_record, workspace_record, motion_record, f8, i8))
def interpolate_step(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Rows F of the step just taken, of which ``end_step`` knows the end; DOP853 needs three more stages."""
    nz = 2 * m.n
    t, z, modes = s.t, s.z, s.modes
    f = w.interpolant
    w.interpolated = 1
    if w.by_series:
        interpolate_series(m, w, s, h)
        return
    if w.by_radau:
        interpolate_radau(m, w, s, h)
        return
    last = 6
    if s.settings.pair == DOP853:
        last = 12
        stages_of(m, w, t, z, h, modes, closed, 13, 16, DOP853_STAGES, DOP853_C)
    if s.settings.pair == DOPRI5:
        weighted_sums(w.stages, DOPRI5_DENSE, 1, 0, nz, w.stage_sums)
    else:
        weighted_sums(w.stages, DOP853_DENSE, 4, 0, nz, w.stage_sums)
    own = 4 if s.settings.pair == DOPRI5 else 7
    for row in range(3, s.settings.rows):
        for k in range(nz):
            f[row, k] = h * w.stage_sums[row - 3, k] if row < own else 0.0
    for k in range(nz):
        delta = w.new_state[k] - z[k]
        f[0, k] = delta
        f[1, k] = h * w.stages[0, k] - delta
        f[2, k] = 2.0 * delta - h * (w.stages[last, k] + w.stages[0, k])


@kernel
def nested_sum(
    z: Reals, f: Reals2, rows: Integer, x: Real, first: Integer, count: Integer, out: Reals, at: Integer
) -> None:
    """Entries first, first + 1, ... of z(x), to out[at], out[at + 1], ...

    The sums stay in registers: through memory every row would wait for the one before to be stored. Four at a time,
    because one alone would wait for its own additions.
    """
    k = 0
    while k + 4 <= count:
        j = first + k
        a = b = c = d = 0.0
        for row in range(rows - 1, -1, -1):
            factor = x if row % 2 == 0 else 1.0 - x
            a = (a + f[row, j]) * factor
            b = (b + f[row, j + 1]) * factor
            c = (c + f[row, j + 2]) * factor
            d = (d + f[row, j + 3]) * factor
        out[at + k] = z[j] + a
        out[at + k + 1] = z[j + 1] + b
        out[at + k + 2] = z[j + 2] + c
        out[at + k + 3] = z[j + 3] + d
        k += 4
    while k < count:
        value = 0.0
        for row in range(rows - 1, -1, -1):
            value = (value + f[row, first + k]) * (x if row % 2 == 0 else 1.0 - x)
        out[at + k] = z[first + k] + value
        k += 1


@kernel
def interpolate(z: Reals, f: Reals2, rows: Integer, x: Real, nz: Integer, out: Reals) -> None:
    """z(x) of the nested interpolant."""
    nested_sum(z, f, rows, x, 0, nz, out, 0)


@kernel
def interpolate_nodes(
    z: Reals,
    f: Reals2,
    rows: Integer,
    start: Real,
    width: Real,
    nodes: Reals,
    count: Integer,
    n: Integer,
    out_q: Reals,
    out_u: Reals,
) -> None:
    """q and u at x = start + width * nodes[i]."""
    for i in range(count):
        x = start + width * nodes[i]
        nested_sum(z, f, rows, x, 0, n, out_q, i * n)
        nested_sum(z, f, rows, x, n, n, out_u, i * n)

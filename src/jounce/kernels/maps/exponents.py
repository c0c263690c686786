"""Lyapunov exponents: perturbations are carried along a run and made orthonormal again at equal intervals."""

import math

from jounce.kernels.engine.advance import run_machine
from jounce.kernels.records.codes import FINISHED, PAUSED
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.kernels.tangent.variation import variation_at
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8
from jounce.toolchain.jit import address, block, kernel

VANISHED = 1e-150  # a column this short has been contracted to nothing: plastic impacts, stick, joints


@kernel
def product_of(v, a, b, nz, weights):
    """The product of two columns whose components are measured by 1/weights."""
    total = 0.0
    for k in range(nz):
        total += (v.columns[a, k] * weights[k]) * (v.columns[b, k] * weights[k])
    return total


@kernel
def add_column(v, to, factor, other, nz, contacts):
    """A multiple of another column to one; what both change in the memory of compliant contacts goes with them."""
    for k in range(nz):
        v.columns[to, k] += factor * v.columns[other, k]
    for i in range(contacts):
        v.remembered[to, i] += factor * v.remembered[other, i]


@kernel
def divide_column(v, column, length, nz, contacts):
    """A column in units of a length; nothing where that is infinite."""
    vanishes = math.isinf(length)
    for k in range(nz):
        v.columns[column, k] = 0.0 if vanishes else v.columns[column, k] / length
    for i in range(contacts):
        v.remembered[column, i] = 0.0 if vanishes else v.remembered[column, i] / length


@kernel
def orthonormalise(v, nz, contacts, weights, logarithms):
    """Gram-Schmidt, twice for accuracy; adds the logarithm of each column's new length, -inf where it has vanished.

    A component without weight, on which nothing depends, is dropped: it would not shrink with its column. The first
    ``contacts`` have memories in the columns.
    """
    for column in range(v.count):
        for k in range(nz):
            if weights[k] == 0.0:
                v.columns[column, k] = 0.0
        length = math.sqrt(product_of(v, column, column, nz, weights))
        for _ in range(2):
            for other in range(column):
                add_column(v, column, -product_of(v, column, other, nz, weights), other, nz, contacts)
        rest = math.sqrt(product_of(v, column, column, nz, weights))
        # what is only the rounding of longer columns is nothing
        if rest <= VANISHED or rest <= 1e-14 * length:
            logarithms[column] = -math.inf
            divide_column(v, column, math.inf, nz, contacts)
            continue
        logarithms[column] += math.log(rest)
        divide_column(v, column, rest, nz, contacts)


@block(
    i8(
        machine_record, workspace_record, motion_record, f8_2d, buffer_record,
        f8, i8, f8_1d, f8_1d, f8_2d,
    )
)  # fmt: skip
def exponents(m, w, s, schedule, record, interval, count, weights, logarithms, history):
    """Run ``count`` intervals; logarithms of growth are added up, one row of ``history`` an interval.

    Lengths of perturbations are those of dz_k weights_k. Returns 0, or the status that ended the run early.
    """
    v = variation_at(s.settings.variation)
    begin = s.settings.t_end
    for k in range(count):
        s.settings.t_end = begin + (k + 1) * interval
        status = PAUSED
        while status == PAUSED:
            status = run_machine(m, w, s, address(schedule, 0), schedule.shape[0], record)
        if status != FINISHED:
            return status
        orthonormalise(v, 2 * m.n, m.nc if m.compliant_contacts > 0 else 0, weights, logarithms)
        for column in range(v.count):
            history[k, column] = logarithms[column]
    return FINISHED

"""Lyapunov exponents: perturbations are carried along a run and made orthonormal again at equal intervals."""

import math

from jounce.kernels.engine.advance import run_machine
from jounce.kernels.records.codes import FINISHED, PAUSED
from jounce.kernels.records.fields import Machine, Motion, Record, Variation, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.tolerances import COLUMN_ROUNDING, VANISHED
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.kernels.tangent.variation import variation_at
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2


@kernel
def remembering(m: Machine) -> Integer:
    """How many contacts have memories in the columns."""
    return m.nc if m.compliant_contacts > 0 else 0


@kernel
def product_of(m: Machine, v: Variation, a: Integer, b: Integer, weights: Reals) -> Real:
    """The product of two columns whose components, z and then the discrete states, are measured by 1/weights."""
    total = 0.0
    for k in range(2 * m.n):
        total += (v.columns[a, k] * weights[k]) * (v.columns[b, k] * weights[k])
    for k in range(m.nd):
        weight = weights[2 * m.n + k]
        total += (v.states[a, k] * weight) * (v.states[b, k] * weight)
    return total


@kernel
def add_column(m: Machine, v: Variation, to: Integer, factor: Real, other: Integer) -> None:
    """A multiple of another column to one; what both change in memories and discrete states goes with them."""
    for k in range(2 * m.n):
        v.columns[to, k] += factor * v.columns[other, k]
    for i in range(remembering(m)):
        v.remembered[to, i] += factor * v.remembered[other, i]
    for k in range(m.nd):
        v.states[to, k] += factor * v.states[other, k]


@kernel
def divide_column(m: Machine, v: Variation, column: Integer, length: Real) -> None:
    """A column in units of a length; nothing where that is infinite."""
    vanishes = math.isinf(length)
    for k in range(2 * m.n):
        v.columns[column, k] = 0.0 if vanishes else v.columns[column, k] / length
    for i in range(remembering(m)):
        v.remembered[column, i] = 0.0 if vanishes else v.remembered[column, i] / length
    for k in range(m.nd):
        v.states[column, k] = 0.0 if vanishes else v.states[column, k] / length


@kernel
def orthonormalise(m: Machine, v: Variation, weights: Reals, logarithms: Reals) -> None:
    """Gram-Schmidt, twice for accuracy; adds the logarithm of each column's new length, -inf where it has vanished.

    A component without weight, on which nothing depends, is dropped: it would not shrink with its column.
    """
    for column in range(v.count):
        for k in range(2 * m.n):
            if weights[k] == 0.0:
                v.columns[column, k] = 0.0
        for k in range(m.nd):
            if weights[2 * m.n + k] == 0.0:
                v.states[column, k] = 0.0
        length = math.sqrt(product_of(m, v, column, column, weights))
        for _ in range(2):
            for other in range(column):
                add_column(m, v, column, -product_of(m, v, column, other, weights), other)
        rest = math.sqrt(product_of(m, v, column, column, weights))
        # what is only the rounding of longer columns is nothing
        if rest <= VANISHED or rest <= COLUMN_ROUNDING * length:
            logarithms[column] = -math.inf
            divide_column(m, v, column, math.inf)
            continue
        logarithms[column] += math.log(rest)
        divide_column(m, v, column, rest)


@block(
    i8(
        machine_record, workspace_record, motion_record, f8_2d, buffer_record,
        f8, i8, f8_1d, f8_1d, f8_2d,
    )
)  # fmt: skip
def exponents(
    m: Machine,
    w: Workspace,
    s: Motion,
    schedule: Reals2,
    record: Record,
    interval: Real,
    count: Integer,
    weights: Reals,
    logarithms: Reals,
    history: Reals2,
) -> Integer:
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
        orthonormalise(m, v, weights, logarithms)
        for column in range(v.count):
            history[k, column] = logarithms[column]
    return FINISHED

"""The twelve stages of DOP853 and its end, written out: its weights are constants of the code.

A loop over a table of weights takes twice as long as the sums themselves. The derivative at a stage is a block: it is
not built in twelve times.
"""

from jounce.kernels.contact.forces import derivative_at
from jounce.kernels.flow.tableaus import DOP853_A, DOP853_B, DOP853_C, DOP853_E3, DOP853_E5
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.workspace import STATE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8, void
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real


@block(void(machine_record, workspace_record, motion_record, f8, i8, i8))
def evaluate_stage(m: Machine, w: Workspace, s: Motion, h: Real, i: Integer, closed: Integer) -> None:
    """The derivative at the state of stage i of a step of length h."""
    derivative_at(m, w, s.t + DOP853_C[i] * h, w.stage_state, i * STATE, s.modes, closed, i)


@kernel
def dop853_stages(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Stages 1 to 11: stage i is evaluated at z + h sum_j a_ij k_j. Stage 0 is known."""
    nz = 2 * m.n
    f, x, z, a = w.stages, w.stage_state, s.z, DOP853_A
    for k in range(nz):
        x[1, k] = z[k] + h * (a[1, 0] * f[0, k])
    evaluate_stage(m, w, s, h, 1, closed)
    for k in range(nz):
        x[2, k] = z[k] + h * (a[2, 0] * f[0, k] + a[2, 1] * f[1, k])
    evaluate_stage(m, w, s, h, 2, closed)
    for k in range(nz):
        x[3, k] = z[k] + h * (a[3, 0] * f[0, k] + a[3, 2] * f[2, k])
    evaluate_stage(m, w, s, h, 3, closed)
    for k in range(nz):
        x[4, k] = z[k] + h * (a[4, 0] * f[0, k] + a[4, 2] * f[2, k] + a[4, 3] * f[3, k])
    evaluate_stage(m, w, s, h, 4, closed)
    for k in range(nz):
        x[5, k] = z[k] + h * (a[5, 0] * f[0, k] + a[5, 3] * f[3, k] + a[5, 4] * f[4, k])
    evaluate_stage(m, w, s, h, 5, closed)
    for k in range(nz):
        x[6, k] = z[k] + h * (a[6, 0] * f[0, k] + a[6, 3] * f[3, k] + a[6, 4] * f[4, k] + a[6, 5] * f[5, k])
    evaluate_stage(m, w, s, h, 6, closed)
    for k in range(nz):
        x[7, k] = z[k] + h * (
            a[7, 0] * f[0, k] + a[7, 3] * f[3, k] + a[7, 4] * f[4, k] + a[7, 5] * f[5, k] + a[7, 6] * f[6, k]
        )
    evaluate_stage(m, w, s, h, 7, closed)
    for k in range(nz):
        x[8, k] = z[k] + h * (
            a[8, 0] * f[0, k]
            + a[8, 3] * f[3, k]
            + a[8, 4] * f[4, k]
            + a[8, 5] * f[5, k]
            + a[8, 6] * f[6, k]
            + a[8, 7] * f[7, k]
        )
    evaluate_stage(m, w, s, h, 8, closed)
    for k in range(nz):
        x[9, k] = z[k] + h * (
            a[9, 0] * f[0, k]
            + a[9, 3] * f[3, k]
            + a[9, 4] * f[4, k]
            + a[9, 5] * f[5, k]
            + a[9, 6] * f[6, k]
            + a[9, 7] * f[7, k]
            + a[9, 8] * f[8, k]
        )
    evaluate_stage(m, w, s, h, 9, closed)
    for k in range(nz):
        x[10, k] = z[k] + h * (
            a[10, 0] * f[0, k]
            + a[10, 3] * f[3, k]
            + a[10, 4] * f[4, k]
            + a[10, 5] * f[5, k]
            + a[10, 6] * f[6, k]
            + a[10, 7] * f[7, k]
            + a[10, 8] * f[8, k]
            + a[10, 9] * f[9, k]
        )
    evaluate_stage(m, w, s, h, 10, closed)
    for k in range(nz):
        x[11, k] = z[k] + h * (
            a[11, 0] * f[0, k]
            + a[11, 3] * f[3, k]
            + a[11, 4] * f[4, k]
            + a[11, 5] * f[5, k]
            + a[11, 6] * f[6, k]
            + a[11, 7] * f[7, k]
            + a[11, 8] * f[8, k]
            + a[11, 9] * f[9, k]
            + a[11, 10] * f[10, k]
        )
    evaluate_stage(m, w, s, h, 11, closed)


@kernel
def dop853_end(m: Machine, w: Workspace, s: Motion, h: Real) -> tuple[Real, Real]:
    """z(t + h) into w.new_state; returns the squares of the errors of order 5 and 3 in units of the tolerance."""
    f, b, c, d = w.stages, DOP853_B, DOP853_E5, DOP853_E3
    sum5 = sum3 = 0.0
    for k in range(2 * m.n):
        step = (
            b[0] * f[0, k]
            + b[5] * f[5, k]
            + b[6] * f[6, k]
            + b[7] * f[7, k]
            + b[8] * f[8, k]
            + b[9] * f[9, k]
            + b[10] * f[10, k]
            + b[11] * f[11, k]
        )
        error5 = (
            c[0] * f[0, k]
            + c[5] * f[5, k]
            + c[6] * f[6, k]
            + c[7] * f[7, k]
            + c[8] * f[8, k]
            + c[9] * f[9, k]
            + c[10] * f[10, k]
            + c[11] * f[11, k]
        )
        error3 = (
            d[0] * f[0, k]
            + d[5] * f[5, k]
            + d[6] * f[6, k]
            + d[7] * f[7, k]
            + d[8] * f[8, k]
            + d[9] * f[9, k]
            + d[10] * f[10, k]
            + d[11] * f[11, k]
        )
        w.new_state[k] = s.z[k] + h * step
        scale = s.settings.tolerance * max(w.error_scale[k], abs(w.new_state[k]))
        if error5 != 0.0 or error3 != 0.0:
            sum5 += (error5 / scale) ** 2
            sum3 += (error3 / scale) ** 2
    return sum5, sum3

"""A mode at one state: its rate, and its linearisation, for equilibria and their stability."""

from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.modes import settle_guides
from jounce.kernels.records.fields import Machine, Variation, Workspace
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.kernels.tangent.mode_tangent import along, enter_point
from jounce.kernels.tangent.variation import forget_memories, variation_record
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8_1d, void
from jounce.toolchain.jit import address, block
from jounce.toolchain.kernel_types import Integers, Real, Reals, Reals2


@block(
    void(
        machine_record, workspace_record, variation_record, f8, f8_1d, i8_1d,
        f8_2d, f8_2d, f8_1d, f8_1d,
    )
)  # fmt: skip
def linearise(
    m: Machine,
    w: Workspace,
    v: Variation,
    t: Real,
    z: Reals,
    modes: Integers,
    directions: Reals2,
    out: Reals2,
    value: Reals,
    force: Reals,
) -> None:
    """u' and forces (lambda_N, lambda_T by contact) of a mode, and their derivatives along each row of ``directions``.

    A direction is (dt, dq, du, parameter?): its last entry is 1 where it also differentiates by v.parameter. Rows of
    ``out`` are (du', d lambda_N, d lambda_T by contact).
    """
    n = m.n
    if m.loaded > 0:
        evaluate_model(m, w, t, address(z, 0), address(z, n))
        settle_guides(m, w, address(modes, 0))
    enter_point(m, w, v, t, address(z, 0), address(modes, 0))
    for j in range(n):
        value[j] = v.acceleration[j]
    for i in range(m.nc):
        force[2 * i], force[2 * i + 1] = w.force[i, 0], w.force[i, 1]
    for row in range(directions.shape[0]):
        v.parameter_column = row if directions[row, 1 + 2 * n] != 0.0 else -1
        forget_memories(m, v, row)
        direction = address(directions, row * directions.shape[1] + 1)
        along(m, w, v, t, directions[row, 0], direction, row, address(modes, 0))
        for j in range(n):
            out[row, j] = v.rate[j]
        for i in range(m.nc):
            out[row, n + 2 * i], out[row, n + 2 * i + 1] = v.force[i, 0], v.force[i, 1]


@block(void(machine_record, workspace_record, f8, f8_1d, i8_1d, f8_1d))
def mode_rate(m: Machine, w: Workspace, t: Real, z: Reals, modes: Integers, value: Reals) -> None:
    """u' of a mode at a state."""
    evaluate_model(m, w, t, address(z, 0), address(z, m.n))
    if m.loaded > 0:
        settle_guides(m, w, address(modes, 0))
    solve_mode(m, w, address(modes, 0))
    for j in range(m.n):
        value[j] = w.acceleration[j]

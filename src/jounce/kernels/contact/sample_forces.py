"""Forces along a finished run, from states and modes; states between steps, put back onto the joints."""

from jounce.kernels.contact.forces import evaluate_model, solve_statics
from jounce.kernels.contact.modes import settle_guides
from jounce.kernels.contact.projection import project
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8_1d, f8_2d, i8_2d, void
from jounce.toolchain.jit import address, block
from jounce.toolchain.kernel_types import Integers2, Reals, Reals2


@block(void(machine_record, workspace_record, f8_1d, f8_2d, f8_2d, i8_2d, f8_2d, f8_2d))
def sample_forces(
    m: Machine, w: Workspace, times: Reals, q: Reals2, u: Reals2, modes: Integers2, parameters: Reals2, out: Reals2
) -> None:
    """Per row: lambda_N and lambda_T of every contact, then the joint forces."""
    for row in range(times.size):
        for k in range(parameters.shape[1]):
            m.p[k] = parameters[row, k]
        evaluate_model(m, w, times[row], address(q, row * q.shape[1]), address(u, row * u.shape[1]))
        if m.loaded > 0:
            settle_guides(m, w, address(modes, row * modes.shape[1]))
        solve_statics(m, w, address(modes, row * modes.shape[1]))
        for i in range(m.nc):
            out[row, 2 * i] = w.force[i, 0]
            out[row, 2 * i + 1] = w.force[i, 1]
        for k in range(m.nj):
            out[row, 2 * m.nc + k] = w.joint_force[k]


@block(void(machine_record, workspace_record, f8_1d, f8_2d, f8_2d, i8_2d, f8_2d))
def project_samples(
    m: Machine, w: Workspace, times: Reals, q: Reals2, u: Reals2, modes: Integers2, parameters: Reals2
) -> None:
    """Project each row onto the joints and closed contacts of its mode, in place."""
    for row in range(times.size):
        for k in range(parameters.shape[1]):
            m.p[k] = parameters[row, k]
        place, motion = address(q, row * q.shape[1]), address(u, row * u.shape[1])
        project(m, w, times[row], place, motion, address(modes, row * modes.shape[1]))

"""From the unknowns of a mode to the forces of its joints and contacts."""

from jounce.kernels.contact.loads import load_force
from jounce.kernels.contact.unknowns import constrains, slide_sign, sliding_friction
from jounce.kernels.records.codes import PRESSED, STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integers


@kernel
def store_forces(m: Machine, w: Workspace, modes: Integers) -> None:
    """Spread the unknowns into joint forces and (lambda_N, lambda_T) of each contact."""
    k = m.nj
    for j in range(m.nj):
        w.joint_force[j] = w.unknown[j]
    for i in range(m.nc):
        w.force[i, 0] = 0.0
        w.force[i, 1] = 0.0
        if modes[i] == PRESSED:
            w.force[i, 0] = w.compliance[i * COMPLIANCE_STRIDE]
            w.force[i, 1] = w.compliance[i * COMPLIANCE_STRIDE + 1]
        if not constrains(modes[i]):
            continue
        if m.load[i]:
            w.force[i, 0] = load_force(m, w, modes, i)
        else:
            w.force[i, 0] = w.unknown[k]
            k += 1
        if modes[i] == STICK:
            w.force[i, 1] = w.unknown[k]
            k += 1
        elif m.has_slip[i]:
            sign = slide_sign(modes[i])
            w.force[i, 1] = -sign * sliding_friction(w.surface, i, sign) * w.force[i, 0]

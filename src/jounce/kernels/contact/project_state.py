"""Projection of a state onto the constraints of a mode, for Python."""

from jounce.kernels.contact.projection import project
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, f8_1d, i8, i8_1d
from jounce.toolchain.jit import address, block
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals


@block(i8(machine_record, workspace_record, f8, f8_1d, f8_1d, i8_1d))
def project_state(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals, modes: Integers) -> Integer:
    """Move q and u onto the constraints in place; 1 if anything moved."""
    return project(m, w, t, address(q, 0), address(u, 0), address(modes, 0))

"""Projection of a state onto the constraints of a mode, for Python."""

from jounce.kernels.jit import address, entry, f8, f8_1d, i8, i8_1d
from jounce.kernels.projection import project
from jounce.kernels.workspace import MACHINE, WORKSPACE, record_array


@entry(i8(record_array(MACHINE), record_array(WORKSPACE), f8, f8_1d, f8_1d, i8_1d))
def project_state(machine, workspace, t, q, u, modes):
    """Move q and u onto the constraints in place; 1 if anything moved."""
    return project(machine[0], workspace[0], t, address(q, 0), address(u, 0), address(modes, 0))

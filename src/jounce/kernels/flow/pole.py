"""How near a step of a slide comes to the zero of its determinant.

The forces of a slide are x = -D^-1 b with a matrix D that need not be definite: they have a pole where det D vanishes
(for one contact lambda = -b/A at A = 0). The motion may run into it. A series in time reaches no further than to the
pole, and the eigenvalue of the velocities is of the size of 1/A there: a step that goes beyond, or most of the way, is
neither accurate nor stable, whatever the estimate of its error says. So a step ends before half of the way is left.
"""

from jounce.kernels.contact.modes import all_stick
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import NEARER, RANK_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def nears_pole(m: Machine, w: Workspace, s: Motion, closed: Integer, begin: Integer, end: Integer) -> Truth:
    """Whether a slide's determinant falls below NEARER of itself on the step just taken, at the stages from ``begin``.

    The last stage before ``end`` is that at its end; a step by series has this one only.
    """
    if closed == 0 or s.shared or all_stick(m, s.modes):
        return False
    first = abs(w.stage_determinant[0])
    if first <= RANK_TOLERANCE:
        return False
    for row in range(begin, end):
        if not s.jam_sign * w.stage_determinant[row] >= NEARER * first:
            return True
    return False

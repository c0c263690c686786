"""How near a step comes to a singular point of its forces: the zero of a slide's determinant, a pin without a load.

The forces of a slide are x = -D^-1 b with a matrix D that need not be definite: they have a pole where det D vanishes
(for one contact lambda = -b/A at A = 0). The motion may run into it. A series in time reaches no further than to the
pole, and the eigenvalue of the velocities is of the size of 1/A there: a step that goes beyond, or most of the way, is
neither accurate nor stable, whatever the estimate of its error says. So a step ends before half of the way is left.
"""

from jounce.kernels.contact.modes import all_stick
from jounce.kernels.contact.unknowns import slides
from jounce.kernels.records.codes import PIN_LOAD
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


@kernel
def nears_branch_point(m: Machine, w: Workspace, s: Motion, last: Integer) -> Truth:
    """Whether a step comes nearer than its own length to a branch point of the load of a pin that rubs.

    The load of a pin is the length of its force, |nu| = (nu_a^2 + nu_b^2)^1/2. With nu about nu_0 + x d on the step,
    0 <= x <= 1, it has branch points at the complex x = (-nu_0.d +- i |nu_0 x d|)/d^2, on the axis where the force
    passes zero. No series reaches beyond. The errors of an explicit pair fall with its order only while they are
    farther than the step is long, and the estimate that counts on that fall (DOP853) is too small by any factor.
    ``last`` is a stage at the end of the step.
    """
    for i in range(m.nc):
        if m.load[i] != PIN_LOAD or not slides(m, s.modes, i):
            continue
        a, b = m.load_of[2 * i], m.load_of[2 * i + 1]
        first, second = w.stage_force[0, a], w.stage_force[0, b]
        along, across = w.stage_force[last, a] - first, w.stage_force[last, b] - second
        square = along * along + across * across
        place, beside = -(first * along + second * across), first * across - second * along
        outside = max(0.0, -place, place - square)
        if outside * outside + beside * beside < square * square:
            return True
    return False

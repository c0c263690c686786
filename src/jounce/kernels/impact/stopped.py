"""What impulses stop together is at rest: the rounding of impulses that nearly cancel is taken out of the velocities.

Impulses p of several contacts solve D p = -gamma to the rounding of the terms of D p. In a wedge of angle alpha two
normals nearly oppose each other: impulses of m v/alpha hold the roller, the terms are 1/alpha times the velocity that
they stop, and the velocity of the roller along the wedge, of which the gap sees a part alpha only, keeps 1/alpha times
their rounding: 10^-11 v at alpha = 0.02. Its sign then decided, another one in other units, whether the contact opened.

So behind impulses of several contacts at once the velocities of those that have stopped are put onto their constraints
anew: u -= M^-1 R^T (R M^-1 R^T)^+ (R u + g_t). This is one step of iterative refinement; its residual is a difference
of velocities, which are small, and no more of impulses.
"""

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.projection import stop_velocities
from jounce.kernels.records.codes import OPEN, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import SOLVED
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def is_stopped(w: Workspace, row: Integer, count: Integer) -> Truth:
    """Whether the velocity in this row of the joint problem is rounding behind the impulses w.joint_impulse."""
    v, p, d = w.joint_velocity, w.joint_impulse, w.joint_delassus
    after, terms = v[row], abs(v[row])
    for k in range(2 * count):
        after += d[row, k] * p[k]
        terms += abs(d[row, k] * p[k])
    return abs(after) <= SOLVED * terms


@kernel
def mark_stopped(m: Machine, w: Workspace, s: Motion, count: Integer) -> Integer:
    """The mode of each of w.members behind its impulse, to s.choice.trial; returns how many have stopped."""
    stopped = 0
    for i in range(m.nc):
        s.choice.trial[i] = OPEN
    for a in range(count):
        if is_stopped(w, 2 * a, count) and not m.load[w.members[a]]:
            sticks = m.has_slip[w.members[a]] and is_stopped(w, 2 * a + 1, count)
            s.choice.trial[w.members[a]] = STICK if sticks else SLIP_POSITIVE
            stopped += 1
    return stopped


@kernel
def stop_members(m: Machine, w: Workspace, s: Motion, count: Integer) -> Truth:
    """Put u onto the constraints of the contacts that the impulses of w.members have stopped; whether it has moved.

    w.projection_work receives the work of moving surfaces.
    """
    w.projection_work = 0.0
    if mark_stopped(m, w, s, count) < 2 or not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    stop_velocities(m, w, address(s.u, 0), address(s.choice.trial, 0))
    return True

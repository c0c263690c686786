"""The sides of jumps on a step: one branch from its first stage to its last.

A force or a surface that jumps at a border b = 0 goes on smoothly beyond it while its side is held (codegen/
held_sides.py), so that a step that passes the border is as exact as any other, and its interpolant says where b
vanishes: there the step ends, and the next one holds the other side. Between steps no side is held.

A border that starts at its own root goes on on the side to which its event led. Where the motion with the forces of
that side leads to the other one, the step is taken anew with that side. Where either side leads to the other, none is
held: what stays at a border is no motion of one side.

A branch may end at its border, as a root does. A step whose stages are no numbers beyond it is taken with no side held.
"""

from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import EVALUATED, ON_SURFACE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def hold_sides(m: Machine, w: Workspace, s: Motion) -> None:
    """Let the step that begins hold the sides on which its borders are."""
    if not m.holds:
        return
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if m.guard_held[k]:
            side = 1.0 if w.user[k] > 0.0 else -1.0
            if s.user_sign[k] != 0 and (s.user_fresh[k] or w.user[k] == 0.0):
                side = float(s.user_sign[k])
            m.p[m.held + k] = side


@kernel
def release_sides(m: Machine) -> None:
    """Let every jump be where it is written."""
    if m.holds:
        for k in range(m.ng):
            m.p[m.held + k] = 0.0


@kernel
def holds_sides(m: Machine) -> Truth:
    """Whether the present step holds the sides of jumps."""
    if m.holds:
        for k in range(m.ng):
            if m.p[m.held + k] != 0.0:
                return True
    return False


@kernel
def passes_unseen(m: Machine, w: Workspace, s: Motion, k: Integer, h: Real) -> Truth:
    """Whether a border that the step just taken, of length h and without an event, started on to rounding has gone to
    the side that is not held.

    What has not been away from zero has no event (events/user_guards.py). A motion along its border is on either side
    of it, by rounding: on one that leads away from it at once it passes the border where it starts.
    """
    side, size = m.p[m.held + k], w.size[m.nc + m.nj + k]
    call_state(
        m.guards, s.t + h, address(w.new_state, 0), address(w.new_state, m.n), address(m.p, 0), address(w.user, 0)
    )
    if not side * w.user[k] < -EVALUATED * size:
        return False
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    return abs(w.user[k]) <= ON_SURFACE * s.settings.tolerance * size


@kernel
def sides_turned(m: Machine, w: Workspace, s: Motion, h: Real, eventless: Truth) -> Truth:
    """Whether the step just taken leads a border that started at its root to another side than the one held.

    That side is held from now on.
    """
    turned = False
    if holds_sides(m):
        for k in range(m.ng):
            if not m.guard_held[k] or m.p[m.held + k] == 0.0:
                continue
            if not s.user_fresh[k] and eventless and passes_unseen(m, w, s, k, h):
                s.user_sign[k] = -int(m.p[m.held + k])
                m.p[m.held + k] = float(s.user_sign[k])
                turned = True
            elif s.user_fresh[k] and m.p[m.held + k] != float(s.user_sign[k]):
                m.p[m.held + k] = float(s.user_sign[k])
                turned = True
    return turned

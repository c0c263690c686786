"""A run that goes on where another one was: in its modes, which the state alone does not always tell.

Where stick and flight are both consistent, where a slip velocity has just begun to grow from zero or a gap has just
opened, a run that is cut must go on as the uncut one would. So no instant happens at such a start. The modes must agree
with positions and velocities: gaps of closed contacts are zero, they do not move apart, what sticks does not slide.
Where they do but the forces contradict them, a parameter has changed: then the modes are asked anew at the start, as
they are where a schedule changes one.
"""

from jounce.kernels.contact.capacity import capacity
from jounce.kernels.contact.compliant import gap_of, gap_rate_of
from jounce.kernels.contact.faces import hold_closed, release_faces
from jounce.kernels.contact.modes import cone_margin, count_closed, note_forces
from jounce.kernels.contact.orders import set_contact
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.contact.unknowns import constrains, slide_sign
from jounce.kernels.flow.accept import store_state
from jounce.kernels.impact.resolve import prepare_impacts
from jounce.kernels.records.codes import (
    DROPPED_AWAY,
    DROPPED_BACKWARDS,
    DROPPED_INSIDE,
    DROPPED_MOVING,
    DROPPED_SLIDING,
    NO_ROOT,
    OPEN,
    STICK,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import gap_scale, note_speeds
from jounce.kernels.records.tolerances import CONTRADICTS, EQUALITY, START_TOLERANCE
from jounce.kernels.records.workspace import MAX_CLOSED, machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

DROPPED, GO_ON, ASK_ANEW = 0, 1, 2


@kernel
def slip_of(m: Machine, w: Workspace, i: Integer) -> Real:
    """gamma_T of contact i."""
    return w.contact[contact_place(m, i) + 2]


@kernel
def contradiction(m: Machine, w: Workspace, s: Motion, i: Integer, limit: Real) -> Integer:
    """Why the mode of contact i cannot be that of this state, 0 if it can; gaps below ``limit`` are zero."""
    mode, gap = s.modes[i], gap_of(m, w, i)
    slow, slow_slip = CONTRADICTS * s.memory.speed[2 * i], CONTRADICTS * s.memory.speed[2 * i + 1]
    if mode == OPEN:
        return DROPPED_INSIDE if gap < -limit else 0
    if abs(gap) > limit:
        return DROPPED_AWAY
    if abs(gap_rate_of(m, w, i)) > slow:
        return DROPPED_MOVING
    if not m.has_slip[i]:
        return 0
    if mode == STICK:
        return DROPPED_SLIDING if abs(slip_of(m, w, i)) > slow_slip else 0
    return DROPPED_BACKWARDS if slide_sign(mode) * slip_of(m, w, i) < -slow_slip else 0


@kernel
def forget_modes(m: Machine, s: Motion, contact: Integer, reason: Integer) -> Integer:
    """Leave the modes to the engine, and say why."""
    s.report.dropped_contact, s.report.dropped = contact, reason
    release_faces(m)
    for i in range(m.nc):
        set_contact(m, s, i, OPEN, NO_ROOT)
    return DROPPED


@kernel
def forces_contradict(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a normal force pulls or friction in stick is beyond its limit, clearly; needs ``solve_mode``.

    At the very end of a mode one of them is zero to rounding: there the guards find it, as they have found it before.
    """
    measure_terms(m, w, address(s.modes, 0))
    if s.shared and capacity(m, w, address(s.modes, 0)) < -EQUALITY:
        return True
    for i in range(m.nc):
        if constrains(s.modes[i]) and not s.open_force[i]:
            if not m.load[i] and w.force[i, 0] < -EQUALITY * w.force_size[i, 0]:
                return True
            value, size = cone_margin(w, i)
            if s.modes[i] == STICK and value < -EQUALITY * size:
                return True
    return False


@block(i8(machine_record, workspace_record, motion_record))
def resume(m: Machine, w: Workspace, s: Motion) -> Integer:
    """Go on in the modes that the start has brought, already in the record: GO_ON, ASK_ANEW or DROPPED."""
    if m.faces != 0:
        hold_closed(m, w, s)
    if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return forget_modes(m, s, -1, 0)
    note_speeds(m, w, s)
    for i in range(m.nc):
        if not m.compliant[i]:
            reason = contradiction(m, w, s, i, max(START_TOLERANCE, s.settings.tolerance) * gap_scale(m, w, i))
            if reason != 0:
                return forget_modes(m, s, i, reason)
    if count_closed(s.modes, m.nc) > MAX_CLOSED:
        return forget_modes(m, s, -1, 0)
    if count_closed(s.modes, m.nc) > 0:
        note_forces(m, w, s, address(s.modes, 0), False)
        contradict = forces_contradict(m, w, s)
        project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.modes, 0))
        store_state(m, s)
        if contradict:
            return ASK_ANEW
    return GO_ON

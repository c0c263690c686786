"""Whether a model makes sense at a start: asked before a run begins."""

import math

from jounce.kernels.contact.linear import factor_mass
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.workspace import (
    FRICTION_AT_REST,
    RESTITUTION,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    TANGENTIAL_RESTITUTION,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def clear_memory(m: Machine) -> None:
    """No compliant contact is pressed, and no angle has turned."""
    for i in range(m.nc):
        if m.compliant[i]:
            m.p[m.memory[i]] = m.p[m.memory[i] + 1] = 0.0
    for j in range(m.n):
        if m.whole_angle[j] >= 0:
            m.p[m.whole_angle[j]] = 0.0


@kernel
def sound(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether masses, forces, friction and restitution make sense at the start and no rigid contact is closed too far.

    False is a doubt, not a verdict: a gap may be negative by its rounding, and where even the square of a square is a
    number the energy of the start may be one. That is for Python to say, with words.
    """
    if not abs(s.t) < math.inf:
        return False
    for k in range(2 * m.n):
        square = s.z[k] * s.z[k]
        if not square * square < math.inf:
            return False
    n, q, u, p = m.n, address(s.q, 0), address(s.u, 0), address(m.p, 0)
    call_state(m.dynamics, s.t, q, u, p, address(w.mass, 0))
    for k in range(m.force_place + n):
        if not abs(w.mass[k]) < math.inf:
            return False
    if not factor_mass(m, w):
        return False
    if m.nc == 0:
        return True
    call_state(m.contacts, s.t, q, u, p, address(w.contact, 0))
    call_state(m.surfaces, s.t, q, u, p, address(w.surface, 0))
    for i in range(m.nc):
        if not m.compliant[i] and not w.contact[contact_place(m, i)] >= 0.0:
            return False
        base = i * SURFACE_STRIDE
        mu, mu_static = w.surface[base + FRICTION_AT_REST], w.surface[base + STATIC_FRICTION]
        e, e_t = w.surface[base + RESTITUTION], w.surface[base + TANGENTIAL_RESTITUTION]
        if m.load[i]:
            if not (0.0 <= mu <= mu_static < math.inf and 0.0 <= e < math.inf and 0.0 <= e_t < math.inf):
                return False
            continue
        if not (0.0 <= mu <= mu_static < math.inf and 0.0 <= e <= 1.0 and -1.0 <= e_t <= 1.0):
            return False
    return True


@block(i8(machine_record, workspace_record, motion_record))
def sound_start(m: Machine, w: Workspace, s: Motion) -> Integer:
    """``sound`` of one run that has not begun."""
    return 1 if sound(m, w, s) else 0

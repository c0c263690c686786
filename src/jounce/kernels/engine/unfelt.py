"""Resets that contacts do not feel: what they are judged by is the same behind the map, to the last bit.

A contact that has just left its surface has a normal force of zero there, and so has its acceleration away from it: to
judge it again at the same instant would let rounding choose between both modes, as often as a reset asks. A map that
moves nothing and changes no place, velocity, acceleration without contact forces, coefficient or mass that contacts
are judged by leaves the modes as they are: a counter, a force along the floor.
"""

from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import along, contact_place, normal_place
from jounce.kernels.records.workspace import SURFACE_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

ACCELERATIONS = 3  # behind g, gamma_N, gamma_T: of the normal and of the tangential direction, then coefficients
COEFFICIENTS = 5


@kernel
def put(w: Workspace, sheet: Integer, i: Integer, j: Integer, value: Real) -> Truth:
    """Keep a number; True if it was the same before."""
    same = w.svd[sheet][i, j] == value
    w.svd[sheet][i, j] = value
    return same


@kernel
def keep_felt(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Keep what contacts are judged by at the present state, in w.svd; True if it is what has been kept before."""
    n, same = m.n, True
    q, u, p = address(s.q, 0), address(s.u, 0), address(m.p, 0)
    call_state(m.free_acceleration, s.t, q, u, p, address(w.free, 0))
    call_state(m.contacts, s.t, q, u, p, address(w.contact, 0))
    call_state(m.surfaces, s.t, q, u, p, address(w.surface, 0))
    call_state(m.dynamics, s.t, q, u, p, address(w.mass, 0))
    for i in range(m.nc):
        base, normal = contact_place(m, i), normal_place(m, i)
        for k in range(ACCELERATIONS):
            same = put(w, 1, i, k, w.contact[base + k]) and same
        for part in range(2):
            acceleration = along(m, w.contact, i, normal + part * m.width, w.free, w.contact[base + 3 + part])
            same = put(w, 1, i, ACCELERATIONS + part, acceleration) and same
        for k in range(SURFACE_STRIDE):
            same = put(w, 1, i, COEFFICIENTS + k, w.surface[i * SURFACE_STRIDE + k]) and same
    for i in range(n):
        same = put(w, 0, i, 0, s.q[i]) and same
        same = put(w, 0, i, 1, s.u[i]) and same
        for j in range(1 if m.diagonal else n):
            same = put(w, 2, i, j, w.mass[i if m.diagonal else i * n + j]) and same
    return same

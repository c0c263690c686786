"""What a run carries beside its state when its stability is asked for: perturbations, one column each.

A column is dz = (dq, du) at the run's time. Between events it follows the linearised flow (propagation.py), at an event
it is glued by the saltation matrix (saltation.py). A column may also be the derivative by a parameter. What a compliant
contact remembers of its touch, 1/v, is a state too, and so is a discrete state that takes real values: each column has
their changes beside dz. Between events these are constant.
"""

import numpy as np

from jounce.kernels.records.fields import Machine, Variation
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import COUNTERS, buffer_record
from jounce.kernels.records.workspace import (
    COMPLIANCE_STRIDE,
    CONTACT_STRIDE,
    JOINT_STRIDE,
    MAX_ASSIGNMENTS,
    MAX_CLOSED,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_GUARDS,
    MAX_JOINTS,
    MAX_STATES,
    MAX_VECTOR,
    STATE,
    SURFACE_STRIDE,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8, record, void
from jounce.toolchain.jit import address, call_at, call_state, kernel, record_at
from jounce.toolchain.kernel_types import Integer, Real, Reals

MAX_COLUMNS = STATE + MAX_STATES + 2
TANGENT_STAGES = 12
_N = MAX_COORDINATES
_U = MAX_JOINTS + 2 * MAX_CLOSED + 1

VARIATION = np.dtype(
    [
        # the model's directional derivatives
        ("dynamics_tangent", "i8"),
        ("contacts_tangent", "i8"),
        ("surfaces_tangent", "i8"),
        ("joints_tangent", "i8"),
        ("compliance_tangent", "i8"),
        ("guards_tangent", "i8"),
        ("resets_tangent", "i8"),
        # addresses of the blocks that carry the columns: a run without perturbations needs none of them
        ("shift_to_event", "i8"),
        ("shift_to_leap", "i8"),
        ("pass_instant", "i8"),
        ("pass_compliant", "i8"),
        ("pass_reset", "i8"),
        ("glue", "i8"),
        ("propagate", "i8"),
        ("before", "i8"),  # addresses of two more motions: as it was before an instant, and a perturbed one
        ("trial", "i8"),
        ("count", "i8"),  # columns
        ("parameters", "i8"),  # length of the parameter vector
        ("parameter", "i8"),  # the parameter by which the column ``parameter_column`` differentiates; -1: none
        ("parameter_column", "i8"),
        ("irregular", "i8"),  # events and steps at which the motion has no derivative: grazing, the edge of a law
        ("columns", "f8", (MAX_COLUMNS, STATE)),
        ("remembered", "f8", (MAX_COLUMNS, MAX_CONTACTS)),  # d(1/v) of pressed compliant contacts, by column
        ("states", "f8", (MAX_COLUMNS, MAX_STATES)),  # d of the discrete states, by column; 0 of flags and counters
        ("shifted", "f8", (MAX_COLUMNS, STATE)),  # columns on the event's surface, or those of a stage
        ("time_shift", "f8", (MAX_COLUMNS,)),  # by how much the event comes later
        ("kept", "f8", (MAX_COLUMNS, STATE)),  # columns before a step, which may have to be carried in more pieces
        ("stages", "f8", (TANGENT_STAGES, MAX_COLUMNS, STATE)),
        # point and direction as the tangent functions want them
        ("q", "f8", (2 * _N,)),
        ("u", "f8", (2 * _N + 1,)),
        ("p", "f8", (2 * MAX_VECTOR,)),
        # what they give
        ("mass", "f8", (_N * _N + _N,)),
        ("contact", "f8", (MAX_CONTACTS * (CONTACT_STRIDE + 2 * _N),)),
        ("surface", "f8", (MAX_CONTACTS * SURFACE_STRIDE,)),
        ("joint", "f8", (MAX_JOINTS * (JOINT_STRIDE + _N),)),
        ("compliance", "f8", (MAX_CONTACTS * COMPLIANCE_STRIDE,)),
        ("user", "f8", (MAX_GUARDS,)),
        ("reset", "f8", (MAX_ASSIGNMENTS,)),
        # the mode at the point, and its derivative along the direction
        ("unknown", "f8", (_U,)),
        ("acceleration", "f8", (_N,)),
        ("load", "f8", (1, _N)),
        ("answer", "f8", (1, _N)),
        ("force", "f8", (MAX_CONTACTS, 2)),
        ("rate", "f8", (_N,)),
        ("modes", "i8", (MAX_CONTACTS,)),
        ("point", "f8", (STATE + 1,)),
        ("even", "f8", (STATE + 1,)),
        ("rate_before", "f8", (STATE,)),
        ("approach", "f8"),  # normal velocity with which the event's contact closes
        ("counter", "i8", (COUNTERS,)),  # of the record, kept while perturbed instants are tried
    ],
    align=True,
)
CARRIED_BYTES: int = VARIATION.fields["columns"][1]  # type: ignore[index]  # the rest is written before it is read
variation_record = record(VARIATION)
variation_at = record_at(variation_record)
motion_at = record_at(motion_record)

# the blocks of saltation.py and propagation.py, called at those addresses
SHIFT_TO_EVENT = void(machine_record, workspace_record, motion_record)
SHIFT_TO_LEAP = void(machine_record, workspace_record, motion_record, i8, i8)
PASS_INSTANT = void(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record)
PASS_COMPLIANT = void(machine_record, workspace_record, motion_record, i8, i8, i8)
PASS_RESET = void(machine_record, workspace_record, motion_record, i8)
GLUE = void(machine_record, workspace_record, motion_record, i8)
PROPAGATE = void(machine_record, workspace_record, motion_record, f8, f8, i8)
call_shift_to_event, call_glue, call_propagate = call_at(SHIFT_TO_EVENT), call_at(GLUE), call_at(PROPAGATE)
call_pass_instant, call_pass_reset = call_at(PASS_INSTANT), call_at(PASS_RESET)
call_pass_compliant, call_shift_to_leap = call_at(PASS_COMPLIANT), call_at(SHIFT_TO_LEAP)


@kernel
def set_point(m: Machine, v: Variation, z: Reals) -> None:
    """The state at which derivatives are taken."""
    n = m.n
    for j in range(n):
        v.q[j] = z[j]
        v.u[j] = z[n + j]
    for k in range(v.parameters):
        v.p[k] = m.p[k]
        v.p[v.parameters + k] = 0.0
    v.p[2 * v.parameters] = m.p[m.np]  # the list of the contacts that are near, for machines of tables


@kernel
def set_direction(m: Machine, v: Variation, dt: Real, dz: Reals, column: Integer) -> None:
    """The direction: time, state, what ``column`` (-1: none) changes in memories and discrete states, its parameter."""
    n = m.n
    for j in range(n):
        v.q[n + j] = dz[j]
        v.u[n + j] = dz[n + j]
    v.u[2 * n] = dt
    if v.parameter >= 0:
        v.p[v.parameters + v.parameter] = 1.0 if column == v.parameter_column else 0.0
    if m.compliant_contacts > 0:
        for i in range(m.nc):
            if m.compliant[i]:
                v.p[v.parameters + m.memory[i] + 1] = v.remembered[column, i] if column >= 0 else 0.0
    for k in range(m.nd):
        v.p[v.parameters + m.states + k] = v.states[column, k] if column >= 0 else 0.0


@kernel
def contact_tangent(m: Machine, v: Variation, t: Real) -> None:
    """d of gaps, velocities, directions and coefficients along the direction."""
    if m.nc > 0:
        call_state(v.contacts_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.contact, 0))
        call_state(v.surfaces_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.surface, 0))
    if m.nj > 0:
        call_state(v.joints_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.joint, 0))


@kernel
def compliance_tangent(m: Machine, v: Variation, t: Real) -> None:
    """d of forces and returns of compliant contacts along the direction."""
    call_state(v.compliance_tangent, t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.compliance, 0))


@kernel
def forget_memories(m: Machine, v: Variation, column: Integer) -> None:
    """No compliant contact's memory and no discrete state changes along this column."""
    if m.compliant_contacts > 0:
        for i in range(m.nc):
            v.remembered[column, i] = 0.0
    for k in range(m.nd):
        v.states[column, k] = 0.0

"""What the audit works on, and the numbers by which it names what it found.

The audit reads a finished record and the functions of the model. It takes nothing from the kernels that made the
record: not their forces, not their tolerances, not their order of decisions. A mistake there must not be made twice.
"""

import numpy as np

from jounce.kernels.records.fields import Audit
from jounce.kernels.records.roster import named
from jounce.kernels.records.workspace import (
    BOUND_STRIDE,
    COMPLIANCE_STRIDE,
    CONTACT_STRIDE,
    FACE_STRIDE,
    JOINT_STRIDE,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_GUARDS,
    MAX_JOINTS,
    MAX_STATES,
    MAX_VECTOR,
    STATE,
    SURFACE_STRIDE,
    WORDS,
)
from jounce.toolchain.abi import record
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real

# What was found, in the order of simulation/audit/findings.py.
PENETRATION = 0  # a gap below zero
LEFT_SURFACE = 1  # a closed contact whose gap is not zero
LEAVING_SURFACE = 2  # a closed contact whose gap changes
SLIP_AGAINST_MODE = 3
STICK_SLIPS = 4
PULLING = 5  # a normal force below zero
OUTSIDE_CONE = 6  # friction beyond the cone
WRONG_ACCELERATION = 7  # no forces of the closed contacts and joints give the acceleration of the record
VELOCITY_MISMATCH = 8  # the velocity is not the rate of the coordinates
JOINT_OPEN = 9
JOINT_RATE = 10
POSITION_JUMP = 11
MOMENTUM_JUMP = 12  # the velocity jumps by other than the impulses in the event rows
IMPULSE_PULLS = 13
IMPULSE_OUTSIDE_CONE = 14
ENERGY_GAINED = 15  # by an impact whose law cannot
FRICTION_GIVES = 16  # friction does work along the slip
NOT_FINITE = 17
TOO_MANY_NEAR = 23  # contacts: they have not been looked at
SIDE = 22  # a switch is not on the side of its surface
LIMIT = 24  # a switch slides beyond its limits
WRONG_FACE = 25  # an impulse along the normal of a face on which its contact cannot be
NEGATIVE_FRICTION = 26  # a coefficient of friction or a preload below zero

CAPACITY = 200  # findings that are kept
FINDING_COLUMNS = 5
DIRECTIONS = 2 * MAX_CONTACTS  # generators of the cone of contact forces
_N, _C = MAX_COORDINATES, MAX_CONTACTS

AUDIT = np.dtype(
    [
        # settings
        ("tolerance", "f8"),  # what the steps were asked for, relative to the coordinates
        ("accuracy", "f8"),  # relative error that the record may have
        ("inner", "i8"),  # places inside each step at which forces are asked for
        ("thorough", "i8"),  # 1: no gap is believed from the ends of a step alone
        ("whole", "i8"),  # so many steps and so many events are looked at each; then ...
        ("every", "i8"),  # ... one of so many
        ("pieces", "i8"),  # into which the gap of one contact may be cut on one step
        ("check_joints", "i8"),
        ("check_compliant_gaps", "i8"),
        ("roster", "i8"),  # address of the candidates of which contacts are those near (records/roster.py); 0: all
        ("joint_gap", "f8"),  # contacts nearer than this collide together, a length
        ("jointly", "i8"),  # impacts of one instant lose energy together, not each by itself
        ("adds_energy", "i8", (16,)),  # of each law of impact: 1 where it may
        # the record of a run beside its rows of steps and events
        ("first", "f8", (STATE + 1,)),  # q, u, t at the start
        ("final", "f8", (STATE + 1,)),  # and at the end
        ("last_mode", "i8", (WORDS,)),  # the words of the mode at the end
        ("last_states", "f8", (MAX_STATES,)),  # the discrete states at the end
        ("inverse", "f8", (_C,)),  # 1/v of the last touch of each compliant contact, first that before the start
        ("states", "i8"),  # address of the discrete states on every step
        ("vectors", "i8"),  # address of the vectors of parameters of a schedule, 0: none
        ("vector_size", "i8"),  # numbers of one of them
        ("which", "i8"),  # address: which of them is in force on every step and at the end
        ("faces", "i8"),  # address: the face of each contact at the start, 0: not known, and then as the rows say
        ("cancel", "i8"),  # address: where its number becomes nonzero the rest is not looked at
        ("alike", "i8", (_N,)),  # of each coordinate the first one of the same unit
        ("is_angle", "i8", (_N,)),  # 1: of angles and of numbers without a unit
        ("switches", "i8"),  # how many switches there are; of each ...
        ("switch", "i8", (MAX_STATES, 3)),  # ... numbers of its surface and of its limits among guards: sides.py
        ("side_scale", "f8", (MAX_STATES,)),  # ... how large its surface was before the start
        # results
        ("found", "i8"),  # how many findings, of which the first are kept
        ("finding", "f8", (CAPACITY, FINDING_COLUMNS)),  # t, contact, what, amount, limit
        # sizes of the run, from its record and from the run that it continues
        ("given", "f8", (STATE,)),  # how large q and u were before its start
        ("speed", "f8", (_N,)),  # largest |u_k|
        ("moved", "f8", (_N,)),  # largest change of q_k in a step
        ("extent", "f8", (_N,)),  # largest |q_k|
        ("place_known", "f8", (_N,)),  # by how much q_k may be wrong, with the masses of the last place
        ("rate_known", "f8", (_N,)),  # by how much u_k may be
        ("longest", "f8"),  # step
        ("size", "f8", (STATE,)),  # largest |q_k|, |u_k| of all of one unit
        ("side_limit", "f8", (MAX_STATES,)),  # by how much the surface of a switch may be off its side
        (
            "share_speed",
            "f8",
            (_N,),
        ),  # |u_k| with which coordinate k alone would have the run's energy, or its force in a step
        ("momentum", "f8"),  # of the run in the norm of forces.py: its largest, or that of its forces in a step
        ("largest_force", "f8"),  # so far, in the norm of forces.py
        ("largest_normal", "f8"),  # force of compliant contacts so far
        ("largest_friction", "f8"),  # largest |F_T gamma_T| of compliant contacts so far
        ("surface_size", "f8", (2 * _C,)),  # largest coefficient of friction and largest preload of a contact so far
        # the place that is looked at
        ("t", "f8"),
        ("z", "f8", (STATE,)),
        ("dz", "f8", (STATE,)),
        ("ahead", "f8", (STATE,)),
        ("row_size", "f8", (_N,)),  # of the rows of the interpolant whose differences make the acceleration of q_k
        ("before", "f8", (STATE,)),
        ("mode", "i8", (_C,)),
        ("mass", "f8", (_N * _N + _N,)),
        ("deeper", "f8", (STATE,)),  # a place at which a contact is pressed a little more, and the forces there
        ("deeper_mass", "f8", (_N * _N + _N,)),
        ("contact", "f8", (_C * (CONTACT_STRIDE + 2 * _N),)),
        ("contact_before", "f8", (_C * (CONTACT_STRIDE + 2 * _N),)),  # of the other side of a jump
        ("surface", "f8", (_C * SURFACE_STRIDE,)),
        ("p_before", "f8", (MAX_VECTOR,)),  # what was in force before the boundary, with the discrete states of then
        ("surface_before", "f8", (_C * SURFACE_STRIDE,)),  # of the other side of a jump
        ("compliance", "f8", (_C * COMPLIANCE_STRIDE,)),
        ("joint", "f8", (MAX_JOINTS * (JOINT_STRIDE + _N),)),
        ("bound", "f8", (_C * BOUND_STRIDE,)),
        ("gap", "f8", (2 * _C,)),
        ("gap_ahead", "f8", (2 * _C,)),
        ("ahead_known", "i8"),  # 1: they are those at the end of the last step
        ("gap_middle", "f8", (2 * _C,)),
        ("gap_limit", "f8", (_C,)),
        ("side", "f8", (MAX_STATES,)),  # discrete states on a step
        ("surface_value", "f8", (MAX_GUARDS,)),
        ("term", "f8", (2 * _C + MAX_JOINTS + MAX_GUARDS,)),  # what `sizes` writes
        ("face", "f8", (FACE_STRIDE * _C,)),  # what `faces` writes
        ("steepest", "f8"),  # by how much a number of it changes with a coordinate at most
        ("piece", "f8", (64, 3)),  # ends of pieces that are still to be looked at: place, gap, rate
        # forces: coordinate k is measured in sqrt(M_kk), so that all have one unit
        ("weight", "f8", (_N,)),
        ("demand", "f8", (_N,)),
        ("rest", "f8", (_N,)),
        ("basis", "f8", (MAX_JOINTS, _N)),
        ("basis_size", "i8"),
        ("direction", "f8", (DIRECTIONS, _N)),
        ("owner", "i8", (DIRECTIONS,)),
        # those that share coordinates: cone.py
        ("cluster", "i8", (_N,)),
        ("member", "i8", (DIRECTIONS,)),
        ("coordinate", "i8", (_N,)),
        ("part", "f8", (DIRECTIONS, _N)),
        ("wanted", "f8", (_N,)),
        ("share", "f8", (DIRECTIONS,)),
        ("trial", "f8", (DIRECTIONS,)),
        ("passive", "i8", (DIRECTIONS,)),
        ("order", "i8", (DIRECTIONS,)),
        ("frame", "f8", (DIRECTIONS, _N)),
        ("triangle", "f8", (DIRECTIONS, DIRECTIONS)),
        # contacts that others load: rubbing.py
        ("load_frame", "f8", (_N + 1, _N)),
        ("load_triangle", "f8", (_N + 1, _N + 1)),
        ("load_column", "i8", (_N + 1,)),
        ("load_dependent", "i8"),
        ("rubbed", "f8"),  # size of the friction of loaded contacts that has been taken from the demand
        ("load_force", "f8", (MAX_JOINTS + 2 * _C,)),
        ("load_base", "f8", (MAX_JOINTS + 2 * _C,)),
        ("load_answer", "f8", (_C, MAX_JOINTS + 2 * _C)),
        ("load_matrix", "f8", (_C, _C + 1)),
        ("load_slide", "i8", (_C,)),
        ("load_size", "f8", (_C,)),
    ],
    align=True,
)
audit_record = record(AUDIT)


@kernel
def report(a: Audit, t: Real, contact: Integer, what: Integer, amount: Real, limit: Real) -> None:
    """Keep a finding; what does not fit is counted."""
    contact = named(a.roster, contact) if contact >= 0 else contact
    if a.found < CAPACITY:
        a.finding[a.found, 0] = t
        a.finding[a.found, 1] = contact
        a.finding[a.found, 2] = what
        a.finding[a.found, 3] = amount
        a.finding[a.found, 4] = limit
    a.found += 1

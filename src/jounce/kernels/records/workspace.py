"""The records on which the kernels work: plain structs of fixed size, passed by address.

A record reaches a kernel as one pointer, whatever it holds; tuples of arrays would be taken apart into hundreds of
arguments at every call (and cost minutes of compilation). Its arrays have the largest size the engine serves; a model
uses their leading part. See docs/decisions/0001-records-and-addresses.md.
"""

import numpy as np

from jounce.kernels.records.codes import WORD
from jounce.toolchain.abi import record

MAX_COORDINATES = 300
# Contacts that are near at one time: contact/near.py. Not a multiple of 512: the first entries of arrays that lie 4096
# bytes apart share one set of the processor's cache, which costs models of one contact a tenth of their speed.
MAX_CONTACTS = 400
MAX_CANDIDATES = 8192  # that a machine of tables may have
MAX_CLOSED = 300  # contacts that touch at one time
MAX_JOINTS = 300
MAX_GUARDS = 16
MAX_PARAMETERS = 512
MAX_STATES = 16  # discrete
MAX_RESETS = 15  # their numbers must fit into the signature of an orbit: maps/orbit_signature.py
MAX_ASSIGNMENTS = 64
# with what the engine keeps behind them
MAX_VECTOR = MAX_PARAMETERS + 2 * MAX_CONTACTS + MAX_COORDINATES + MAX_STATES + 1 + MAX_CONTACTS + MAX_GUARDS
WORDS = (MAX_CANDIDATES + WORD - 1) // WORD  # of the mode of a system
NEAR_WORDS = (MAX_CONTACTS + WORD - 1) // WORD  # of that of the contacts that are near
GUARD_ROWS = 3 * MAX_CONTACTS + MAX_CLOSED + MAX_GUARDS + 2  # an open contact has up to 3, a closed one 4, a jam 1

STAGES = 16
RADAU_STAGES, RADAU_PAIRS = 5, 3  # of the implicit method, and eigenvalues of which its equations are made: radau.py
MAX_ORDER = 28  # of Taylor series of affine motion
SMOOTH_ORDER = 16  # of others: steps of a higher one are longer than guards are resolved by their polynomials
SERIES_WIDTH = 256  # numbers of one order: codegen/taylor.py
INTERPOLANT_ROWS = MAX_ORDER + 1  # one a degree: seven of DOP853, of a series one more than its order
DEGREE = 12  # of the guard polynomials through samples: see guard_polynomial.py
COEFFICIENTS = MAX_ORDER + 1  # of any guard polynomial
CONTACT_STRIDE = 5  # g, gamma_N, gamma_T, c_N, c_T before W_N and W_T
PAIR = 6  # coordinates of two bodies
# of a contact of a sharp corner: how many faces, which, s, L, s', how it leans (bodies/faces.py); then OTHERS, OWN,
# and 1 or -1: the sign of s' where it slips ahead
FACE_STRIDE = 9
JOINT_STRIDE = 3  # g, g', c before J
# Coefficients of a contact: friction while it slides with a positive and with a negative slip velocity (as functions of
# it they go on smoothly beyond zero, where the other one holds), static and as sliding begins; restitution in both
# directions, and at a small fraction of the normal velocity.
SURFACE_STRIDE = 7
FRICTION, FRICTION_BACK, STATIC_FRICTION, FRICTION_AT_REST, RESTITUTION, TANGENTIAL_RESTITUTION, SLOW_RESTITUTION = (
    range(7)
)
PRELOAD, LEVER = RESTITUTION, TANGENTIAL_RESTITUTION  # of a contact that others load, which has no impacts
BOUND_STRIDE = 6  # K, K_up, K_jerk, level, level', level''
FLIGHT_STRIDE = 3  # g, gamma_N, g''
COMPLIANCE_STRIDE = 6  # F_N, F_T, loss, surface power, elastic energy, return
WORKS = 4  # accounts of the ledger
# behind u' and the powers in what slide and stick write (codegen/contact_flow.py)
FLOW_NORMAL, FLOW_TANGENT, FLOW_DETERMINANT, FLOW_SOUND, FLOW_SLIP, FLOW_LIMIT = range(WORKS, WORKS + 6)
FLOW_OUTPUTS = WORKS + 6
# behind q, u, the powers and whether they are sound in what series write (codegen/taylor.py), and behind them the gaps
SERIES_NORMAL, SERIES_TANGENT, SERIES_DETERMINANT, SERIES_SLIP, SERIES_LIMIT, SERIES_GAPS = range(6)
SUBDIVISIONS = 48
RANGE_OUTPUTS = 128  # codegen/ranges.py
WATCHED = 96

_N = MAX_COORDINATES
_C = MAX_CONTACTS
_K = MAX_CLOSED
_U = MAX_JOINTS + 2 * MAX_CLOSED + 1
STATE = 2 * MAX_COORDINATES
STAGE = STATE + WORKS  # numbers of a stage: behind z' = (u, u') stand the powers of the ledger

# The model: addresses of its functions, its parameters now in force, and its sizes.
MACHINE = np.dtype(
    [
        ("free_acceleration", "i8"),
        ("free_flow", "i8"),  # the same with the powers behind it; 0: there are none, or joints
        ("joint_acceleration", "i8"),
        ("dynamics", "i8"),
        ("contacts", "i8"),
        ("gaps", "i8"),
        ("surfaces", "i8"),
        ("joints", "i8"),
        ("powers", "i8"),
        ("guards", "i8"),
        ("guard_rates", "i8"),
        ("gap_rates", "i8"),
        ("flight_bounds", "i8"),
        ("flight_gaps", "i8"),
        ("landing", "i8"),
        ("compliance", "i8"),
        ("resets", "i8"),
        ("sizes", "i8"),
        ("faces", "i8"),  # 0: no contact is that of a sharp corner
        ("faces_at", "i8"),  # place in p of the faces on which contacts are held: contact/faces.py
        ("ballistic", "i8"),
        ("n", "i8"),
        ("nc", "i8"),
        ("nj", "i8"),
        ("ng", "i8"),
        ("np", "i8"),  # length of the vector p: parameters and what the engine keeps behind them
        # entries of a direction W: all n of them, or those of two bodies, whose columns are in ``column``: rows.py
        ("width", "i8"),
        ("paired", "i8"),
        ("column", "i8", (PAIR * _C,)),
        # M_jj is at j mass_step and h at force_place of what `dynamics` writes: all of M, or, 1: its diagonal alone
        ("diagonal", "i8"),
        ("mass_step", "i8"),
        ("force_place", "i8"),
        ("guard_degree", "i8", (MAX_GUARDS,)),  # in the time of a ballistic flight; -1: no parabola
        ("p", "f8", (MAX_VECTOR,)),
        ("speed_coefficients", "i8"),  # 1 if friction or restitution depends on velocities
        ("has_slip", "i8", (_C,)),  # 1 where the contact has a tangential direction
        ("loaded", "i8"),  # how many contacts are loaded by joints or other contacts: contact/loads.py
        ("load", "i8", (_C,)),  # by what: PIN_LOAD, ...
        ("load_of", "i8", (2 * _C,)),  # by which joints or which contact, -1: none
        ("laws", "i8", (_C,)),  # law code of each contact
        ("compliant_contacts", "i8"),  # how many contacts are compliant
        ("compliant", "i8", (_C,)),  # 1 where the contact is compliant
        ("may_pull", "i8", (_C,)),  # see GUARD_PULL: 0 never; 1 and 2 as in model/compliance.py
        ("turns", "i8", (_C,)),  # see GUARD_TURN: 1 where an adhesive contact has friction
        ("memory", "i8", (_C,)),  # place in p of the flag "pressed"; behind it the inverse approach speed
        ("branch", "i8", (_C,)),  # coordinate whose velocity is the force of a Maxwell branch, -1 if there is none
        ("whole_angle", "i8", (_N,)),  # place in p of the turns gone by, -1 where nothing reads them
        ("nr", "i8"),  # resets: engine/resets.py
        ("nd", "i8"),  # discrete states
        ("states", "i8"),  # their place in p
        ("state_initial", "f8", (MAX_STATES,)),
        ("state_read", "i8", (MAX_STATES,)),  # 1 where something but the state itself depends on it
        ("state_real", "i8", (MAX_STATES,)),  # 1 where its values change with the motion: a force that is held
        ("reset_guard", "i8", (MAX_RESETS,)),  # the user guard at which a reset happens, -1: none
        ("reset_direction", "i8", (MAX_RESETS,)),  # +1 increasing, -1 decreasing, 0 both
        ("reset_contact", "i8", (MAX_RESETS,)),  # the contact and the kind of its event, -1: none
        ("reset_kind", "i8", (MAX_RESETS,)),
        ("reset_first", "i8", (MAX_RESETS + 1,)),  # the first assignment of each, and the end of the last
        ("reset_target", "i8", (MAX_ASSIGNMENTS,)),  # of z, then of the discrete states
        ("guard_hidden", "i8", (MAX_GUARDS,)),  # 1: it has no rows of its own: that of a reset or of a kink
        # 1: the limit of a switch, not negative while it slides; 2 + k: the surface of that whose side is state k
        ("guard_side", "i8", (MAX_GUARDS,)),
        ("guard_kink", "i8", (MAX_GUARDS,)),  # KINK, LEAP, SURFACE_LEAP: what is not smooth at its zeros
        ("holds", "i8"),  # 1: steps hold the sides of jumps: flow/sides.py
        ("held", "i8"),  # place in p of these sides, one a guard
        ("guard_held", "i8", (MAX_GUARDS,)),  # 1: its side is read there
        ("counted", "i8", (_C,)),  # 1: impacts have resets, so that each of them must happen
        ("slide", "i8", (_C,)),  # what a contact that is closed alone does, by a function of its own; 0: there is none
        ("stick", "i8", (_C,)),
        ("free_series", "i8"),  # the series of free_flow, slide and stick; 0: there is none
        ("slide_series", "i8", (_C,)),
        ("stick_series", "i8", (_C,)),
        ("series_stride", "i8"),  # numbers of one order
        ("series_guards", "i8"),  # 1: they have the guards behind the powers
        ("affine", "i8"),  # 1: the equations of all modes are affine, with constant factors: flow/taylor.py
        ("ranges", "i8"),  # of parts that can be narrow: codegen/ranges.py
        ("watched", "i8"),  # how many such parts there are
        ("range_outputs", "i8"),  # what depends on them: how many, and of each its kind and indices
        ("range_output", "i8", (RANGE_OUTPUTS, 3)),
        ("baumgarte", "f8", (2,)),  # alpha, beta of the joints' stabilisation; 0, 0: joints are projected instead
        (
            "own_loop",
            "i8",
        ),  # address of a loop for this machine alone: simulation/specialise.py; 0: there is none
    ],
    align=True,
)

# What a run remembers, which is cleared before the next one; then scratch, in which everything is written before it is
# read: it need not be cleared, and its size costs nothing.
WORKSPACE = np.dtype(
    [
        # the run so far
        ("projection_work", "f8"),  # of moving constraints in the last projection
        ("worst", "i8"),  # row of the guard that is resolved worst
        ("state_size", "f8", (STATE,)),  # sizes of the state, and the parameters while they are moved: guard_noise.py
        # of the user's guards (user_guards.py): the largest size since the last event of its own or of a contact, how
        # fast it changed last, what it is known to, at a contact's event its rounding; scratch
        ("surface_limit", "f8", (MAX_GUARDS,)),
        ("user_largest", "f8", (MAX_GUARDS,)),
        ("user_speed", "f8", (MAX_GUARDS,)),
        ("user_limit", "f8", (MAX_GUARDS,)),
        ("limits_known", "i8"),  # on this step
        ("user_noise", "f8", (MAX_GUARDS,)),
        ("user_change", "f8", (MAX_GUARDS,)),
        ("state_error", "f8", (STATE,)),  # the largest estimated error of a step since then
        ("since_contact", "f8"),  # time since the last event of a contact, and sizes of the state since then
        ("contact_size", "f8", (STATE,)),
        ("reference", "f8", (STATE,)),  # the largest |q| and |u| so far
        ("scale", "f8", (STATE,)),  # the same, not below what rounding of the others leaves in them
        ("error_scale", "f8", (STATE,)),  # of one step
        ("start_mass", "f8", (_N,)),  # M_jj at the start
        ("whole", "f8", (3,)),  # sum M_jj x_j^2: the largest of q and of u so far, of the free u' at the last instant
        ("size", "f8", (2 * _C + MAX_JOINTS + MAX_GUARDS,)),  # of the terms of gaps, joints, guards, slips, so far
        ("velocity_terms", "f8", (2 * _C,)),  # of the contacts' velocities at the start of the step
        ("velocity_floor", "f8", (_C,)),  # what the whole motion may leave in each normal velocity by rounding
        ("size_now", "f8", (2 * _C + MAX_JOINTS + MAX_GUARDS,)),
        ("joint_drift", "f8", (2 * _C,)),  # work of moving joints for a unit impulse, normal and tangential
        ("load_branch", "i8", (_C,)),  # which part of the load of a guide is the largest: contact/loads.py
        ("blocks_of", "i8"),  # contacts between which D is zero unless they share a body: impact/responses.py
        ("frozen_impacts", "i8"),  # that the last attempts to end a chatter have followed
        # scratch: forces in a mode
        ("mass", "f8", (_N * _N + _N,)),  # M then h, as `dynamics` writes them
        ("factor", "f8", (_N, _N)),  # Cholesky factor of M
        ("contact", "f8", (_C * (CONTACT_STRIDE + 2 * _N),)),
        ("surface", "f8", (_C * SURFACE_STRIDE,)),
        ("compliance", "f8", (_C * COMPLIANCE_STRIDE,)),
        ("joint", "f8", (MAX_JOINTS * (JOINT_STRIDE + _N),)),
        ("rows", "f8", (_U, _N)),  # constraint directions
        ("columns", "f8", (_U, _N)),  # force directions
        ("response", "f8", (_U, _N)),  # M^-1 force directions
        ("free", "f8", (_N,)),  # M^-1 h
        ("matrix", "f8", (_U, _U)),
        ("right", "f8", (_U,)),
        ("unknown", "f8", (_U,)),
        ("order", "i8", (_U,)),
        ("block", "i8", (_U,)),  # which unknowns the matrix joins
        ("mobility", "f8", (_U,)),  # R_k M^-1 R_k of the constraints in ``matrix``
        ("row_mobility", "f8", (_U,)),
        ("svd", "f8", (3, _U, _U)),
        ("force", "f8", (_C, 2)),  # lambda_N, lambda_T of each contact
        ("joint_force", "f8", (MAX_JOINTS,)),
        ("mode_determinant", "f8"),  # of the mode that was judged last
        ("least_pivot", "f8"),  # of the matrix solved last, normalised: contact/linear.py
        ("mode_known", "i8"),  # 1: that is the one that has been chosen
        ("terms_known", "i8"),  # 1: a step begins with it, where it was judged: forces and their terms are known
        ("lands", "i8"),  # 1: the step that is about to be accepted ends with the landing of a flight
        ("landed", "i8"),  # 1: ``contact`` is that of the present state, where a flight has landed
        ("leaves", "i8"),  # 1: ``contact`` and ``velocity`` are those of the present state, behind an impact
        ("limited", "i8"),  # 1: a limit of friction chose the motion of the mode solved last: contact/statics.py
        ("cosine", "f8", (2 * _C,)),  # directions of the forces on pins: contact/loads.py
        ("form_place", "i8", (3,)),  # a limit of friction as a linear form of the unknowns: contact/capacity.py
        ("form_factor", "f8", (3,)),
        ("column_scale", "f8", (_U,)),
        ("limit_multiplier", "f8", (2 * _C,)),  # of the limits of friction: contact/capacity.py
        ("limit_table", "f8", (2 * _K + 1, _U + 2)),  # dictionary of a linear programme: contact/capacity.py
        ("limit_basis", "i8", (2 * _K,)),
        ("limit_outside", "i8", (_U + 2,)),
        ("column_square", "f8", (_U,)),
        ("is_null", "i8", (_U,)),
        ("acceleration", "f8", (_N,)),
        ("forward", "f8", (_N,)),  # of a forward substitution
        ("acceleration_size", "f8", (_N,)),  # the terms that make up each acceleration
        ("force_size", "f8", (_C, 2)),  # the same for lambda_N and lambda_T: see measure_terms
        ("elimination", "f8", (_N + MAX_JOINTS + 1,)),  # what `joint_acceleration` writes
        ("power", "f8", (WORKS + MAX_JOINTS,)),  # what `powers` writes
        ("flow", "f8", (_N + FLOW_OUTPUTS,)),  # what `slide` and `stick` write
        # one step
        ("stages", "f8", (STAGES, STAGE)),
        ("stage_state", "f8", (STAGES, STATE)),
        ("stage_determinant", "f8", (STAGES,)),  # of the forces of each stage while a rigid contact is closed
        ("jam_level", "f8"),  # of the determinant: a slide ends there (flow/singular_point.py)
        ("stage_force", "f8", (STAGES, MAX_JOINTS)),  # joint forces of each stage while no rigid contact is closed
        ("interpolated", "i8"),  # 1: the interpolant is that of the step just taken
        ("stage_sums", "f8", (4, STAGE)),  # weighted sums of the stages
        ("by_series", "i8"),  # 1: the step just taken is that of the series, for any length
        ("by_radau", "i8"),  # 1: it is that of radau.py
        ("series_time", "f8", (3,)),  # t, the length for which the series is written, sign of the slip
        ("series_length", "f8"),
        ("series_order", "i8"),  # s.settings.order, or less where the series has ended before
        ("series", "f8", ((MAX_ORDER + 2) * SERIES_WIDTH,)),
        ("series_scratch", "f8", (MAX_ORDER + 1, 2)),
        # implicit steps: flow/radau.py, flow/stiff.py
        ("slope_q", "f8", (_N, _N)),  # derivatives of the accelerations
        ("slope_u", "f8", (_N, _N)),
        ("radau_factor", "f8", (2, RADAU_PAIRS, _N, _N)),  # real and imaginary parts
        ("radau_pivot", "i8", (RADAU_PAIRS, _N)),
        ("radau_side", "f8", (2, RADAU_PAIRS, STATE)),
        ("radau_rest", "f8", (RADAU_STAGES, STATE)),  # what is left of the equations
        ("increment", "f8", (RADAU_STAGES, STATE)),  # of the stages
        ("step_error", "f8", (STATE,)),
        ("stiff_start", "f8", (_C * COMPLIANCE_STRIDE,)),  # forces at the start and at the end of the step
        ("stiff_force", "f8", (_C * COMPLIANCE_STRIDE,)),
        # parts that can be narrow (flow/unseen.py): a box of t, q, u, and what `ranges` writes for it
        ("box_t", "f8", (2,)),
        ("box_q", "f8", (2 * _N,)),
        ("box_u", "f8", (2 * _N,)),
        ("range", "f8", (RANGE_OUTPUTS + 4 * WATCHED,)),
        ("new_state", "f8", (STATE,)),
        ("interpolant", "f8", (INTERPOLANT_ROWS, STATE)),
        ("point", "f8", (STATE,)),
        ("new_q", "f8", (_N,)),
        ("new_u", "f8", (_N,)),
        # guards; nodes row after row as the model's batch functions want them
        ("node_t", "f8", (DEGREE + 1,)),
        ("node_q", "f8", ((DEGREE + 1) * _N,)),
        ("node_u", "f8", ((DEGREE + 1) * _N,)),
        ("node_rate", "f8", ((DEGREE + 1) * _C,)),
        ("samples", "f8", (GUARD_ROWS, DEGREE + 1)),
        ("noise", "f8", (GUARD_ROWS,)),  # of each guard: what no shorter piece resolves
        ("tail", "f8", (GUARD_ROWS,)),
        ("terms", "f8", (GUARD_ROWS,)),  # of each guard: the size of what it is the sum of
        ("allowed", "f8", (GUARD_ROWS,)),  # tails up to this are resolved
        ("parameters", "f8", (MAX_VECTOR,)),
        ("bernstein", "f8", (COEFFICIENTS,)),
        ("power_form", "f8", (COEFFICIENTS,)),  # coefficients of a guard that has a series: series_guards.py
        ("step_powers", "f8", (COEFFICIENTS,)),
        ("split", "f8", (SUBDIVISIONS + 2, COEFFICIENTS)),
        ("gap", "f8", (2 * _C,)),
        ("gap_ahead", "f8", (2 * _C,)),
        ("flight_gap", "f8", (FLIGHT_STRIDE * _C,)),
        ("bound", "f8", (BOUND_STRIDE * _C,)),
        ("above", "f8", (2 * _C,)),  # times between which a gap is surely open: flight.py
        ("user", "f8", (MAX_GUARDS,)),
        ("root", "f8", (GUARD_ROWS,)),  # where each guard vanishes on a piece of a step
        ("silent", "i8", (GUARD_ROWS,)),  # a guard row that has no root on this piece
        ("user_rate", "f8", (2 * MAX_GUARDS,)),  # phi', phi'' along a flight
        ("user_before", "f8", (MAX_GUARDS,)),  # before a reset
        ("reset_out", "f8", (1 + MAX_RESETS + MAX_ASSIGNMENTS,)),  # what `resets` writes
        ("face", "f8", (FACE_STRIDE * _C,)),  # what `faces` writes
        ("first_face", "i8", (_C,)),  # the two faces that meet at a corner
        ("second_face", "i8", (_C,)),
        ("corner_rate", "f8", (2 * _C,)),  # of both: g', how the corner leans, how fast its foot leaves
        ("corner_lean", "f8", (2 * _C,)),
        ("corner_outward", "f8", (2 * _C,)),
        ("partner", "i8", (_C,)),  # the contact of the same two corners, seen from the other outline; -1: none
        ("only_near", "i8", (_C,)),  # 1: such a contact takes part in a joint impact although it does not touch
        ("face_before", "i8", (_C,)),
        ("mode_before", "i8", (_C,)),  # the instant
        ("row_face", "i8", (_C,)),  # the face that the rows of events say a contact is on, 0: none do
        ("was_held", "i8", (_C,)),  # 1: on the last step this open contact was held on a face
        ("loose_modes", "i8", (_C,)),  # the mode with one contact opened
        ("start_margin", "f8", (2 * _C,)),  # of the conditions of a mode, where it is asked for: engine/choice.py
        # impacts
        ("response_n", "f8", (_C, _N)),
        ("response_t", "f8", (_C, _N)),
        ("delassus", "f8", (2 * _C, 2 * _C)),
        ("first_side", "i8", (_N // 3,)),
        ("next_side", "i8", (2 * _C,)),
        ("velocity", "f8", (2 * _C,)),
        ("law_out", "f8", (16,)),
        # friction of joints in impacts: impact/rubbing.py
        ("load_answer", "f8", (2 * _C, 2 * _C)),  # parts of the load of each contact for a unit impulse
        ("slip_mobility", "f8", (_C,)),
        ("rubbing", "i8", (_C,)),
        ("rub_state", "i8", (_C,)),
        ("rub", "f8", (11, _C)),
        # joint impacts: joint.py
        ("members", "i8", (_C,)),
        ("joint_friction", "f8", (_K,)),
        ("joint_restitution", "f8", (_K,)),
        ("joint_tangential", "f8", (_K,)),
        ("joint_delassus", "f8", (2 * _K, 2 * _K)),
        ("joint_velocity", "f8", (2 * _K,)),
        ("joint_impulse", "f8", (2 * _K,)),
        ("joint_question", "f8", (4, _K)),
        ("joint_state", "f8", (4, _K)),
        ("joint_rows", "i8", (2 * _K,)),  # component of gamma of each equation, also the impulse of its unknown
        ("joint_targets", "f8", (2 * _K,)),
        ("joint_start", "f8", (2 * _K,)),
        ("joint_trial", "f8", (2 * _K,)),
        ("joint_after", "f8", (2 * _K,)),
        ("joint_proposal", "f8", (2 * _K,)),
        ("tableau", "f8", (4 * _K, 8 * _K + 2)),  # pivoting.py
        ("basis", "i8", (4 * _K,)),
        ("chatter", "f8", (22, _C)),
        # scales of the run: see scales.py
    ],
    align=True,
)


# of the head of a workspace that is cleared: what a run remembers
MEMORY_BYTES = WORKSPACE.fields["mass"][1]  # type: ignore[index]

machine_record = record(MACHINE)
workspace_record = record(WORKSPACE)

"""Consistency: how far two statements about one thing may differ, relative to its terms."""

# -- Conditions of a mode. Pinned by tests/engine/test_borderline_friction.py, tests/engine/test_carried_forces.py,
# tests/engine/test_moving_surfaces.py, tests/engine/test_cut_runs.py.
EQUALITY = 1e-10  # relative width of an inequality's boundary
CONTRADICTION = 1e-9  # part of an equation's terms that its solution of least norm leaves
SLIGHTLY = 1e-6  # relative to the terms of a condition: what rounding far from the origin may break
CONTRADICTS = 1e-6  # of the speeds of the contacts: a larger velocity is none that a mode holds at zero
NEAR_SINGULAR = 1e-3  # smallest pivot of the mode, normalised
SINGULAR_SLIDE = 1e-6  # of C: a mode is refused at the singular point of sliding where C - s mu B is below this

# -- Shares of forces. Pinned by tests/rubbing/test_guides.py, tests/rubbing/test_pins.py,
# tests/engine/test_mode_changes.py.
NO_PART = 1e-9  # of the largest possible: a direction that changes a limit by less does not change it
CAPACITY_GAIN = 1e-13  # of tau, which is of size 1: a better distribution of forces on pins
FLAT = 1e-12  # a coefficient of the dictionary, whose columns are scaled to 1
UNMOVED = 1e-9  # what forces z with sum C_k z_k^2 = 1 may add to the accelerations a, as the root of sum M_jj a_j^2

# -- Impacts. Pinned by tests/engine/test_same_instant.py, tests/impact/test_joint_impact.py,
# tests/engine/test_first_impacts.py.
AS_HARD = 1e-9  # relative difference of energies below which two contacts close equally hard
GRAZING_SPEED = 1e-10  # relative to the contact's speeds so far: slower contacts graze
GRAZING_RISE = 1e-6  # the same behind the touch: the root of a gap that is a square is located to the root of rounding
CHATTER_REST = 1e-8  # relative to the speed at which a chatter was extrapolated: slower slip is none
STRUCK = 1e-9  # share of a chatter's loss from which on a contact that was closed before it has a row of its own
JOINT_CONSISTENCY = 1e-9  # of the largest velocity or impulse of a joint problem, or of its largest term

# -- Starts and resets. Pinned by tests/engine/test_endings.py, tests/resets/test_resets.py,
# tests/trajectory/test_start_instant.py, tests/compliant/test_detection.py.
START_TOLERANCE = 1e-10  # of a gap's terms: what touches at a start given by a person
START_PENETRATION = 1e-10  # of the gap's terms: a start deeper in a surface is moved onto it
RESET_JOINT = 1e-9  # of the terms of a joint and of its rate: what a reset may leave open
SLOWEST_APPROACH = 1e-12  # of the contact's speeds so far, where Options.chatter_speed allows any

# -- User's guards at the instant of a contact. Pinned by tests/engine/test_guards_at_contacts.py.
FAR = 1e-2  # relative to its size since its last event: a guard that is larger than this is not zero
RECENT = 1e-3  # of the time since a contact's last event: a guard's own event this long ago may be the same instant

# -- Perturbed instants. Pinned by tests/variation/test_flow.py, tests/variation/test_lyapunov.py.
SAME_MOTION = 1e-9  # of the scale of a velocity: an instant that changes none by more has changed the mode alone
SMOOTH_JUMP = 1e-6  # of the derivative: the largest kink of a map that counts as smooth

# -- Recurrence. Pinned by tests/sweeps/test_section.py, tests/sweeps/test_creeping.py.
RECURRENCE_NOISE = 0.01  # of the recurrence tolerance: deviations below need not shrink
SAME_POINTS = 10.0  # recurrence tolerances within which two points of one orbit are one
STILL = 1e-6  # of the scales of the run: how far a motion at rest may still reach

# -- The audit. Pinned by tests/audit/test_corruptions.py, tests/audit/test_touches.py.
CHATTER_SHARE = 0.1  # accelerations and directions may change by this share over a chatter that is summed at once

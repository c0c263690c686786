"""Rounding: what is known of a number in floating point, in units of the terms of which it is a sum.

All of them hold in any units: tests/units has runs in units that are powers of two, of which no bit differs.
"""

import math

# -- Numbers. Pinned by tests/units/test_other_units.py, tests/bodies/test_curves.py.
EPSILON = 2.220446049250313e-16  # of a number: the distance to the next one
LEAST_SIZE = 2.0**-960  # what is smaller has no digits left once it is multiplied with the tolerance: it counts as this
LARGEST = 1e300  # what is larger is about to overflow: no size, no error ratio and no value of a guard is believed
MASSLESS = 2.0**-500  # a mass below this is that of an internal state (model/internal_states.py): no share in motions
COMPLEX_STEP = 2.0**-300  # of a direction, along the imaginary axis: its square is zero beside any number

# -- Time. Pinned by tests/engine/test_turns.py, tests/engine/test_guards_at_contacts.py,
# tests/engine/test_narrow_forces.py, tests/units/test_other_units.py.
STEP_ROUNDING = 16 * EPSILON  # of the time: shorter steps do not move it
TIME_ROUNDING = 32 * EPSILON  # of the time of an event: guards and switches are asked over it to both sides
WAKING = 4.0  # of this rounding: what a force moves in that time out of rest in the origin is all error
PROGRESS = 1e-12  # of the time: what passes between two instants that are not one
CORRECTION_ROUNDING = 1e-15  # of the time and the step: corrections of an event's time below this are rounding
ON_PHASE = 1e-12  # of the period: a start this near to the phase is on it
MOST_TURNED = 2.0**50  # cycles of an angle: one that is beyond does not know its place in the turn
NO_HOLE = 8 * EPSILON  # of the time: a step that ends so much before the next one leaves no hole
ALIGNED = 1e-12  # of the times of a step and of an event: a step this near to its event starts at it

# -- Gaps and touches. Pinned by tests/engine/test_rounding.py, tests/engine/test_no_event_missed.py.
TOUCH_TOLERANCE = 4 * EPSILON  # gaps below this times the size of their terms touch
GAP_ROUNDING = 16 * EPSILON  # of a gap that lies on its surface, relative to its terms
RATE_ROUNDING = 1e-13  # of a gap's velocity, relative to the contact's speeds so far
HOVERING_DEPTH = 64 * EPSILON  # relative to the terms of the gap
GRAZING_DEPTH = 1e-13  # relative depth to which a gap's minimum counts as a touch
SAME_PLACE = 1e-14  # of the gap's terms: a run that stopped at a touch starts with this gap at most
GAP_KNOWN = 1e-15  # of the gap's terms: a low flight does not tell its end better than by this over its speed,
FLIGHT_KNOWN = 1e-11  # of the duration of a flight: which is kept as its velocity gives it where that is worse
CENTRED = 1e-9  # of the clearance: the length that keeps a normal finite where disc and hole are concentric

# -- Flights on parabolas. Pinned by tests/engine/test_parabola.py, tests/engine/test_walls.py.
FLIGHT_END = 8 * EPSILON  # of the time: how well the end of a flight is known
FLIGHT_MARGIN = 4 * EPSILON  # of a time up to which gaps are surely open: it is rounded down by this
NO_ADVANCE = 2 * EPSILON  # of the time: a search for the end of a flight that advances by less is there
SIDE_BY_SIDE = 64 * EPSILON  # of the contact's speeds so far: bodies that move together, touching without force
TOO_DEEP = 64.0  # times the rounding of a gap: one that is deeper is not closed by rounding

# -- Corners. Pinned by tests/bodies/test_corner_instants.py, tests/bodies/test_corner_pairs.py.
AT_CORNER = 1e-12  # of a gap's terms: a sharp corner this far beyond the end of its face has left it
NEAR_END = 4.0  # times AT_CORNER: so near to the end of its face a corner is at it, at the instant of another contact

# -- Velocities. Pinned by tests/engine/test_borderline_friction.py, tests/bodies/test_slow_corners.py.
POSITION_ROUNDING = 4 * EPSILON  # of a coordinate: a velocity that moves it by less in a step is not looked at
ROUNDING_ASKED = 1000.0  # units in the last place of the whole motion below which no error is asked to be
VELOCITY_NOISE = 1e-11  # of the terms of which velocities of contacts are sums
SAME_VELOCITY = 1e-12  # relative to the contact's speeds so far: slower is zero
VELOCITY_TOLERANCE = 1e-10  # of the velocities that it is a sum of: a slower approach is none where an impact locks
REST_SPEED = 1e-12  # of the largest velocity of each coordinate so far, or its share of the whole motion
REST_ACCELERATION = 1e-11  # of the free motion's

# -- Guards and their polynomials. Pinned by tests/engine/test_guard_noise.py, tests/engine/test_guard_polynomial.py,
# tests/engine/test_series_guards.py.
EVALUATED = 8 * EPSILON  # of the terms of a guard or the samples of its piece: what rounding leaves in its value
SUMMED = 4 * EPSILON  # of the terms of a velocity or a gap: the same of one sum
FORCE_NOISE = 1e-7  # relative to a guard: rounding that its terms leave in it may be as large as this
ROUNDING_SEEN = 1e-9  # of the terms of a guard: one that changes by less on a step is searched with care for rounding
CHANGE_ROUNDING = 1e-13  # of the terms of a gap: of its change over a piece
MOVE = 2.0**-26  # of the inputs of a guard: half of their digits, so that a change has the other half
MOVE_ROUNDING = 16 * EPSILON / MOVE  # of a change by MOVE: of 16 operations
SMALLEST_INTERVAL = 1e-11  # of the piece: roots closer than this count as one (a grazing)
START_ROUNDING = 1e-7  # a deflated guard starts at zero if it is smaller than this, relative to its own size
BRACKET_ROUNDING = 1e-13  # of the piece: a bracket of a root of a polynomial of samples is not made narrower
ROOT_ROUNDING = 1e-14  # of the step: the same of a series
NEWTON_LAST = 1e-8  # of the step: behind a step of Newton's shorter than this the root is known to rounding

# -- Joints and constraints. Pinned by tests/engine/test_dependent_constraints.py, tests/bodies/test_mechanisms.py,
# tests/rubbing/test_pins.py, tests/impact/test_wedges.py.
NEGLIGIBLE = 8 * EPSILON  # of the terms of a constraint: residuals below this are rounding
SMALL_DRIFT = 4e-14  # of a joint's terms: it may be open by this before anything is moved
TURNED = 1e-10  # angle by which the force on a rubbing pin still turns: what it leaves of the load is its square
# relative pivot below which a constraint is dependent on the others, or a mobility none: a projected Delassus matrix is
# known to 1e-14, and the determinant of a point with one degree of freedom, which is zero, to a few units of 1e-16
RANK_TOLERANCE = 1e-12
UNCOUPLED = 1e-13  # relative entry of a Delassus matrix below which contacts do not feel each other
CLEARLY_DEFINITE = 1e-8  # relative pivot above which no such question arises
SOLVED = 64 * EPSILON  # of the terms of a velocity behind impulses: what solving for these leaves of one that is zero
PIVOT_ROUNDING = 1e-11  # of entries of the tableau, whose rows and columns are of size 1 at the start

# -- Laws of impact. Pinned by tests/impact/test_laws.py.
SMITH_DEFINITE = 1e-4  # of A C: above this the determinant of K is good to twelve digits
SMITH_ROUNDING = 2e-16  # of the slip velocity: a correction below is rounding
SMITH_BRACKET = 1e-13  # of the velocities: a root is known by its bracket where corrections do not get there

# -- Accumulations of impacts. Pinned by tests/engine/test_chatter.py, tests/bodies/test_slow_corners.py.
SETTLED = 1e-13  # relative to the speed at which the extrapolation started
COLLAPSED = 1e-10  # the same: where all bounces are slower, they have ended together
SAME_RATIO = 1e-11  # of two ratios of successive rebounds
ENDLESS = 1e-9  # by which a ratio of rebounds is below 1: the sum of a series that falls less has no digits
UNSEEN_SUM = 1e-18  # of the energy at the start, 1e-9 of the speed: what bounces summed at once may do to others
UNFELT = 1e-24  # of UNSEEN_SUM: what they may do to a contact that is held
FREE_NOISE = 1e-9  # of the contact's forces: rounding of a free acceleration that is their difference

# -- Frequencies. Pinned by tests/engine/test_stated_periods.py.
WHOLE_CYCLES = 64 * EPSILON  # relative: what a quotient of frequencies that is a whole number is off by

# -- Derivatives of jumps and of the flow. Pinned by tests/variation/test_flow.py, tests/variation/test_lyapunov.py.
JUMP_ROUNDING = 64 * EPSILON  # of what a perturbed instant ends with: of a few evaluations
SMALLEST_PERTURBATION = 1e-11  # of the state: the derivative over one has five digits
# of a step: as far from the rounding of its ends as moving the place by it changes the derivatives
INSIDE_STEP = math.sqrt(EPSILON)
FLAT_GUARD = 1e-12  # relative to its changes with the state: a guard that vanishes more slowly grazes
VANISHED = 1e-150  # of a column's length: it has been contracted to nothing by plastic impacts, stick or joints
COLUMN_ROUNDING = 1e-14  # of a column: what is left of it beside those before it is rounding

# -- Extrema and recurrences. Pinned by tests/sweeps/test_section.py, tests/sweeps/test_settling.py.
COEFFICIENT_ROUNDING = 16 * EPSILON  # of the coefficients of a piece: extrema this near are the same
LEAST_DEVIATION = 1e-16  # of the scales: what is left of a deviation that was forgotten, as in stick
FORGOTTEN = 10.0  # times LEAST_DEVIATION: a shorter deviation has no direction left

# -- The audit. Pinned by tests/audit/test_corruptions.py, tests/audit/test_units.py, tests/audit/test_touches.py.
AUDIT_ROUNDING = 1e-13  # a few hundred roundings: of sums over coordinates, and of functions of them
ROW_ROUNDING = 1e-15  # of a coordinate, in the change over a step
SPREAD = 1e-12  # what elimination and projection spread of the rounding of one coordinate over all others
DEMAND_ROUNDING = 1e-9  # of forces found by elimination, relative to the forces at the place
DEPENDENT = 1e-10  # of its length: what is left of a direction that lies in the span of others
NO_DESCENT = 1e-13  # relative: a share that would lower the distance by less than this stays zero
LOAD_BALANCED = 1e-14  # of a load
UNSEEN_REBOUND = 1e-14  # of the coordinates: how low a rebound may be that is left out
JUMP_KNOWN = 1e-11  # of the time: a step that meets a jump ends behind it by less
TIME_KNOWN = 16 * EPSILON  # of the time: as well as the time of a jump is told by its border

"""Accuracy: parts of what Options.tolerance asks for, of a step, or of the scales of the run.

They choose how long steps are and how well something is resolved, and so what a run costs; the error of the motion is
measured with every step.
"""

# -- Lengths of steps. Pinned by tests/engine/test_cost.py, tests/engine/test_step_cost.py,
# tests/engine/test_first_steps.py.
SAFETY = 0.9  # of the step that the error allows: the next one shall not be refused (Hairer, Norsett & Wanner, II.4)
LEAST_ERROR = 1e-10  # error ratio: smaller ones tell no more of the next step
SHORTEST_RETRY = 0.2  # of a step that was refused by its error
FAILED_RETRY = 0.1  # of a step whose error is no number
GROWTH = 1.3  # from one step to the next: an error that collapses is an accident of its estimate
CALM_GROWTH = 3.0  # the same behind a step that was CALM
CALM = 1e-2  # error ratio of the last step below which the next may be three times as long
# of the step that the error allows: a shorter one was cut by something else; one that leaves less than that of what is
# left of the run goes to its end
KEPT_SHORT = 0.99
FIRST_STEP = 0.01  # of the time in which the motion as a whole changes by itself: what is too short grows
FIRST_SPAN = 0.1  # of the run or of the forcing's period: the same
FIRST_REACH = 10.0  # first steps: over which guards are resolved at first
PERIOD_REACH = 0.25  # of the forcing's period: the same
LONGEST_REACH = 4.0  # times the length over which guards were resolved last
RATE_SPAN = 1e-4  # of that length: over which the acceleration of a gap is taken
UNGUARDED_REACH = 1e-2  # of that length: the first step of a gap that goes unguarded
UNGUARDED_GROWTH = 4.0  # from one false return to the next
BEHIND_RETURN = 1.25  # of the time of an expected impact: what lies behind it is wasted
SURELY_CUT = 0.5  # a step on which the equations are not fulfilled is cut by this
CUT = 0.25  # of a step: it is cut to this at least where something may be hidden in it
STOPPED_RETRY = 0.25  # of an implicit step whose equations have no solution

# -- Errors of steps. Pinned by tests/engine/test_cost.py, tests/trajectory/test_dense_output.py,
# tests/units/test_other_units.py.
ERROR_PART = 0.1  # of the largest value so far: errors are measured by this where a component passes zero
COUPLING = 1e-3  # part of the motion as a whole that counts in each coordinate
# times the tolerance: the last term of an interpolant on which something may be narrow; what a record promises
INTERPOLANT_REST = 100.0
FINEST = 1e-13  # no strictness asks for more than this tolerance
WORK_TOLERANCE = 0.01  # of the tolerance: by how much a step's work may be wrong, relative to the energy
WORK_SHARE = 3.0  # the same, times the error ratio of the state in this step

# -- Series. Pinned by tests/engine/test_series.py, tests/engine/test_series_guards.py,
# tests/engine/test_affine_motion.py.
DEFECT = 2.0  # a series may miss the equations at the end of a step by this times its order, in units of the tolerance
LONGER = 1.25  # the next step is tried with this times the length that the series allowed: what is too long is cut
GAUSS_REST = 1e-6  # what eight points of Gauss leave of the terms that a series of works leaves out, at most
FINE_GAUSS_REST = 1e-12  # the same of twelve points and series of more than SMOOTH_ORDER orders: affine motion
GUARD_LEFT_OUT = 10.0  # times the tolerance: what the series of a guard, one order below the state's, may leave out
LARGEST_LEFT_OUT = 1e-4  # of the guard: where that is more, no more than this or than the tolerance itself
SHORTEST_PART = 0.1  # of the step: where the guards are not resolved on it the search by samples takes over

# -- What is narrow in time or space. Pinned by tests/engine/test_narrow_forces.py, tests/engine/test_kinks.py,
# tests/engine/test_square_waves.py.
UNSEEN = 0.5  # of the tolerance: by how much a part of the model that is not gentle on a piece of a step may matter
SHORTEST_PIECE = 0.0625  # of a step: the smallest piece on which ranges are asked for
MOMENT = 2.0**-44  # of the time over which guards are resolved: shorter steps are taken whatever is narrow in them
SHORTEST_STEPS = 4.0  # smallest steps: the same

# -- Damping and stiff steps. Pinned by tests/compliant/test_stiff.py, tests/internal/test_stiff_states.py,
# tests/compliant/test_stiffness.py.
DAMPED = 4.0  # h times the fastest rate of damping: DOP853 is stable to 6, and its interpolant exact to here
DAMPED_FIVE = 2.5  # the same for DOPRI5, stable to 3.3
STIFF_STEPS = 40  # of a pressed contact, one after the other: then it is asked whether it is stiff
STIFF_RATE = 0.25  # a step times the fastest rate: what is slower than that is not what keeps explicit steps short
UNSTABLE_RATE = 2.0  # the same: DOP853 is not far from instability, and its errors are what it has stirred up
IMPLICIT_TRIALS = 8  # implicit steps before they are compared with explicit ones: what these have stirred up settles
FEW_TRIALS = 2  # the same where they have not
IMPLICIT_GAIN = 2.0  # times an explicit step, and a quarter more for each coordinate: what an implicit one costs
SHORTEST_IMPLICIT = 0.25  # of an explicit step: implicit ones are of no use below
IMPLICIT_GROWTH = 8.0  # from one implicit step to the next
IMPLICIT_PAUSE = 50  # steps before the next attempt, times four and the coordinates: it costs a twentieth of them
DEPTH_PROBE = 1e-4  # of the depth of a contact: over which the slope of its force is taken
PROBE = 1e-7  # of the scale of a coordinate or a velocity: the same for other forces
PROBE_ROUNDING = 64.0  # units in the last place: no probe is shorter
NEWTON_REST = 1e-10  # of the first correction: what is left behind one that small is rounding
NEWTON_STAGNATES = 1e-3  # of the tolerance: corrections that do not shrink any more are rounding below this

# -- Compliant contacts. Pinned by tests/compliant/test_quick_return.py, tests/compliant/test_forces.py,
# tests/compliant/test_detection.py.
# of the force of a pressed contact, or of the forces beside it: no error of a step changes it by more. From 0.001 to
# 0.1 quick_return takes 1077 to 1216 steps for 0.25 s at a tolerance of 1e-3, 3557 to 3560 at 1e-8: the same motion
FORCE_PART = 0.01
FORCE_ROUNDING = 64.0  # units in the last place of a gap, over its depth: what is known of the force
EDGE_STRICTNESS = 100.0  # error ratios count this much more where a compliant contact begins or ends: see strictness
SMOOTH_CHANGE = 0.3  # of the depth, in one step: below this the force of a compliant contact is smooth
BEHIND = 1e-9  # of the step: how far behind the interpolated contact procedure 1 restarts, their epsilon in (10)

# -- Slides into a singular point. Pinned by tests/engine/test_singular_point.py, tests/impact/test_slow_jams.py.
SINGULAR = 2.0**-26  # determinant of a slide, normalised: what is left to its zero is extrapolated
NEARER = 0.5  # in one step the determinant of a slide may fall to this part of itself
BEYOND_SINGULAR = 2.0**-18  # of the time left: the determinant is some 1e-13 there, with the sign that rounding keeps
JAM_AHEAD = 2.0**-9  # of the time left: where the growth of a force, known to 2^-26, is measured best by differences
JAM_BESIDE = 2.0**-10  # of the velocities: how far to both sides of them c_1 is measured, b is quadratic in them
DETERMINANT_BESIDE = 2.0**-17  # of 1: what a determinant changes by where its rate is measured; root 3 of EPSILON
LEAST_POWER = 2.0**-5  # of the growth of a force: smaller is none
POWER_ONE = 2.0**-20  # of 1: a power that is nearer to it is taken at this distance
DOUBLED_AT_LEAST = 0.999  # of the logarithm of 2, by which the determinant has grown where its minimum has been passed
DOUBLED_AT_MOST = 1.0001  # the same: a step of the march that leads further is cut
GROWN_AT_MOST = 0.5  # the logarithm of the determinant in a step of the march, as long as that is above rounding
SHORTEST_MARCH = 0.1  # of a step of the march: it is cut to this at least

# -- Places of events. Pinned by tests/engine/test_no_event_missed.py, tests/engine/test_guard_polynomial.py,
# tests/engine/test_series_guards.py, tests/engine/test_same_instant.py.
SLOPE_PART = 1e-3  # of the step: over which the slope of a guard is taken
CLEARLY = 8.0  # times the last coefficients of five samples: what they may leave out (events/screen.py)
FARTHEST_EVENT = 1e-3  # of a step: how far an event may be from its place on the interpolant
FARTHEST_SLIP = 0.1  # the same for slips that joints make of other velocities, whose own errors say nothing of them
SHORT_MOVE = 1e-8  # of a step: a state moves along its derivative over this to rounding
EXACT_FLOW = 1e-6  # error ratio below which the interpolant is as good as the step
SMALLEST_PIECE = 1e-3  # relative to the step: a guard that is not smooth is taken as it is from here on
PIECE_SAFETY = 0.8  # of the piece on which the tails of guards are just resolved: the next one is as long
LONGEST_PIECE = 2.0  # pieces: the next one at most
SHORTEST_RESIZE = 0.1  # of a piece that was not resolved: the next one at least
LAST_PIECE = 1e-3  # of the piece before: a rest of the step that is shorter goes with it
SECANT_WIDTH = 1e-4  # of the step: over which the secant method begins
POLISH_RANGE = 1e-3  # of the step: how far a root may be from that of the guard's polynomial
TOUCH_AHEAD = 1e-6  # of the step: where a force that has vanished is looked at first

# -- Looks behind an instant. Pinned by tests/engine/test_borderline_friction.py, tests/engine/test_many_contacts.py,
# tests/engine/test_mode_changes.py.
NEAREST_LOOK = 4.0**-15  # of the step on which a mode is looked at
SHORTER = 0.1  # factor of a step on which a mode is looked at, if it was not accurate
FIRST_LOOK = 4.0**-10  # of the step: where a mode of a large cluster is proposed ahead of an instant
LATER_LOOK = 16.0  # from one such place to the next

# -- Starts. Pinned by tests/engine/test_schedules_and_guards.py, tests/trajectory/test_start_instant.py,
# tests/resets/test_switches.py, tests/engine/test_shortest_step.py.
ON_SURFACE = 100.0  # times the tolerance, of the terms of a guard: by less integration may have moved it
START_MOMENT = 1e-7  # of the time in which the motion changes: over which a guard's slope at the start is taken
START_LEAVES = 1e-3  # of that time: a guard whose slope takes it away from zero sooner passes it at the start
SHORTEST_STEP_PART = 1e-13  # of the time in which the motion changes, or of the forcing's period

# -- Accumulations of impacts. Pinned by tests/engine/test_chatter.py, tests/engine/test_accumulations.py.
FROZEN_CHANGE = 0.1  # accelerations may change by this fraction over the extrapolated time
CASCADE_CHANGE = 0.05  # speed that a cascade may gain from changing accelerations, relative to its own

# -- Derivatives of jumps and of the flow. Pinned by tests/variation/test_flow.py, tests/variation/test_compliant.py,
# tests/variation/test_lyapunov.py.
LARGEST_PERTURBATION = 1e-3  # of the state: truncation 1e-18, rounding 1e-13
PART_OF_SCALE = 0.1  # of the scales of the run that counts beside the state itself
APPROACH_STEP = 0.03  # of the approach velocity: a perturbed impact is still one
SHORTER_PERTURBATION = 0.1  # of a perturbation whose instants are not alike: the next one
CHATTER_MARGIN = 4.0  # perturbed rebounds may be a little faster than the ones that were extrapolated
EDGE_PIECES = 8  # of a step in r: of the order 8, they take an error of 1e-3, found in longest steps, below 1e-10
COLUMNS_KNOWN = 1e-8  # of a column, on a step: one that is worse has no derivative to speak of
DEVIATION = 1e-8  # of the scales: size of the deviation whose growth is measured

# -- The audit. Pinned by tests/audit/test_corruptions.py, tests/trajectory/test_dense_output.py.
SIDE_KNOWN = 1e-6  # of the terms of a switch's surface: by less the errors of integration may have moved it
INSIDE_A_STEP = 10.0  # times the errors at its ends: rates come from the interpolant there, one order below the step

"""The thresholds of the engine, in families, each a pure number.

What a number is compared with says the comment behind it; the scales themselves are in records/scales.py. Thresholds
of the variational equations, of attractors and of user's guards, which shape no motion, stand where they are used, and
so do those of one algorithm alone: where the roots of a polynomial or a series are known to rounding
(events/guard_polynomial.py, event_location.py, series_guards.py), where the closed forms of an impact change
(impact/impulse.py, algebraic_laws.py), how far the sums of an accumulation go (chatter/frozen.py).
"""

# ------------------------------------------------------------------------------------------------------------------
# Rounding: units in the last place of the terms of which a thing is the sum. Pinned by tests/units (no bit differs in
# units that are powers of two), tests/engine/test_rounding.py and tests/engine/test_no_event_missed.py.
EPSILON = 2.220446049250313e-16
LEAST_SIZE = 2.0**-960  # what is smaller has no digits left once it is multiplied with the tolerance: it counts as this
MASSLESS = 2.0**-500  # a mass below this is that of an internal state (model/internal_states.py): no share in motions
TOUCH_TOLERANCE = 4 * EPSILON  # gaps below this times the size of their terms touch
ROUNDING_ASKED = 1000.0  # units in the last place of the whole motion below which no error is asked to be
GAP_ROUNDING = 16 * EPSILON  # of a gap that lies on its surface, relative to its terms
RATE_ROUNDING = 1e-13  # of a gap's velocity, relative to the contact's speeds so far
POSITION_ROUNDING = 4 * EPSILON  # of a coordinate: a velocity that moves it by less in a step is not looked at
STEP_ROUNDING = 16 * EPSILON  # of the time: shorter steps do not move it
HOVERING_DEPTH = 64 * EPSILON  # relative to the terms of the gap
GRAZING_DEPTH = 1e-13  # relative depth to which a gap's minimum counts as a touch
VELOCITY_NOISE = 1e-11  # the same for velocities of contacts, relative to the terms of which they are sums
FORCE_NOISE = 1e-7  # relative to a guard: rounding that its terms leave in it may be as large as this
ROUNDING_SEEN = 1e-9  # of the terms of a guard: one that changes by less on a step is searched with care for rounding
NEGLIGIBLE = 8 * EPSILON  # of the terms of a constraint: residuals below this are rounding
AT_CORNER = 1e-12  # of a gap's terms: a sharp corner this far beyond the end of its face has left it
NEAR_END = 4.0  # times AT_CORNER: so near to the end of its face a corner is at it, at the instant of another contact
SMALL_DRIFT = 4e-14  # of a joint's terms: it may be open by this before anything is moved
TURNED = 1e-10  # angle by which the force on a rubbing pin still turns: what it leaves of the load is its square
RANK_TOLERANCE = 1e-12  # relative pivot below which a constraint counts as dependent on the others
UNCOUPLED = 1e-13  # relative entry of a Delassus matrix below which contacts do not feel each other
CLEARLY_DEFINITE = 1e-8  # relative pivot above which no such question arises
SAME_PLACE = 1e-14  # of the gap's terms: a run that stopped at a touch starts with this gap at most
SAME_VELOCITY = 1e-12  # relative to the contact's speeds so far: slower is zero
PIVOT_ROUNDING = 1e-11  # of entries of the tableau, whose rows and columns are of size 1 at the start
REST_SPEED = 1e-12  # of the largest velocity of each coordinate so far, or its share of the whole motion
REST_ACCELERATION = 1e-11  # of the free motion's
PROGRESS = 1e-12  # of the time: what passes between two instants that are not one
SETTLED = 1e-13  # relative to the speed at which the extrapolation started
COLLAPSED = 1e-10  # the same: where all bounces are slower, they have ended together
SAME_RATIO = 1e-11  # of two ratios of successive rebounds
ON_PHASE = 1e-12  # of the period: a start this near to the phase is on it

# ------------------------------------------------------------------------------------------------------------------
# Consistency: how far two statements about one thing may differ, relative to its terms. Pinned by
# tests/engine/test_borderline_friction.py, test_carried_forces.py, test_moving_surfaces.py, test_cut_runs.py,
# tests/impact.
EQUALITY = 1e-10  # relative width of an inequality's boundary
CONTRADICTION = 1e-9  # part of an equation's terms that its solution of least norm leaves
SLIGHTLY = 1e-6  # relative to the terms of a condition: what rounding far from the origin may break
CONTRADICTS = 1e-6  # of the speeds of the contacts: a larger velocity is none that a mode holds at zero
NO_PART = 1e-9  # of the largest possible: a direction that changes a limit by less does not change it
CAPACITY_GAIN = 1e-13  # of tau, which is of size 1: a better distribution of forces on pins
FLAT = 1e-12  # a coefficient of the dictionary, whose columns are scaled to 1
UNMOVED = 1e-9  # what forces z with sum C_k z_k^2 = 1 may add to the accelerations a, as the root of sum M_jj a_j^2
AS_HARD = 1e-9  # relative difference of energies below which two contacts close equally hard
START_TOLERANCE = 1e-10  # of a gap's terms: what touches at a start given by a person
GRAZING_SPEED = 1e-10  # relative to the contact's speeds so far: slower contacts graze
GRAZING_RISE = 1e-6  # the same behind the touch: the root of a gap that is a square is located to the root of rounding
NEAR_SINGULAR = 1e-3  # smallest pivot of the mode, normalised
CHATTER_REST = 1e-8  # relative to the speed at which a chatter was extrapolated: slower slip is none
STRUCK = 1e-9  # share of a chatter's loss from which on a contact that was closed before it has a row of its own
RESET_JOINT = 1e-9  # of the terms of a joint and of its rate: what a reset may leave open
JOINT_CONSISTENCY = 1e-9  # of the largest velocity or impulse of a joint problem, or of its largest term
START_PENETRATION = 1e-10  # of the gap's terms: a start deeper in a surface is moved onto it
SLOWEST_APPROACH = 1e-12  # of the contact's speeds so far, where Options.chatter_speed allows any

# ------------------------------------------------------------------------------------------------------------------
# Accuracy: parts of what Options.tolerance asks for. Pinned by tests/engine/test_cost.py, tests/trajectory,
# tests/compliant, tests/engine/test_series.py.
DEFECT = 2.0  # a series may miss the equations at the end of a step by this times its order, in units of the tolerance
LONGER = 1.25  # the next step is tried with this times the length that the series allowed: what is too long is cut
GAUSS_REST = 1e-6  # what eight points of Gauss leave of the terms that a series of works leaves out, at most
FINE_GAUSS_REST = 1e-12  # the same of twelve points and series of more than SMOOTH_ORDER orders: affine motion
SURELY_CUT = 0.5  # a step on which the equations are not fulfilled is cut by this
GUARD_LEFT_OUT = 10.0  # times the tolerance: what the series of a guard, one order below the state's, may leave out
LARGEST_LEFT_OUT = 1e-4  # of the guard: where that is more, no more than this or than the tolerance itself
ERROR_PART = 0.1  # of the largest value so far: errors are measured by this where a component passes zero
COUPLING = 1e-3  # part of the motion as a whole that counts in each coordinate
# times the tolerance: the last term of an interpolant on which something may be narrow; what a record promises
INTERPOLANT_REST = 100.0
UNSEEN = 0.5  # of the tolerance: by how much a part of the model that is not gentle on a piece of a step may matter
SHORTEST_PIECE = 0.0625  # of a step: the smallest piece on which ranges are asked for
MOMENT = 2.0**-44  # of the time over which guards are resolved: shorter steps are taken whatever is narrow in them
SHORTEST_STEPS = 4.0  # smallest steps: the same
CUT = 0.25  # of a step: it is cut to this at least where something may be hidden in it
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
# of the force of a pressed contact, or of the forces beside it: no error of a step changes it by more. From 0.001 to
# 0.1 quick_return takes 1077 to 1216 steps for 0.25 s at a tolerance of 1e-3, 3557 to 3560 at 1e-8: the same motion
FORCE_PART = 0.01
FORCE_ROUNDING = 64.0  # units in the last place of a gap, over its depth: what is known of the force
CALM = 1e-2  # error ratio of the last step below which the next may be three times as long
EDGE_STRICTNESS = 100.0  # error ratios count this much more where a compliant contact begins or ends: see strictness
SMOOTH_CHANGE = 0.3  # of the depth, in one step: below this the force of a compliant contact is smooth
FINEST = 1e-13  # no strictness asks for more than this tolerance
WORK_TOLERANCE = 0.01  # of the tolerance: by how much a step's work may be wrong, relative to the energy
WORK_SHARE = 3.0  # the same, times the error ratio of the state in this step
SINGULAR = 2.0**-26  # determinant of a slide, normalised: what is left to its zero is extrapolated
NEARER = 0.5  # in one step the determinant of a slide may fall to this part of itself
SLOPE_PART = 1e-3  # of the step: over which the slope of a guard is taken
CLEARLY = 8.0  # times the last coefficients of five samples: what they may leave out (events/screen.py)
FARTHEST_EVENT = 1e-3  # of a step: how far an event may be from its place on the interpolant
FARTHEST_SLIP = 0.1  # the same for slips that joints make of other velocities, whose own errors say nothing of them
SHORT_MOVE = 1e-8  # of a step: a state moves along its derivative over this to rounding
EXACT_FLOW = 1e-6  # error ratio below which the interpolant is as good as the step
SMALLEST_PIECE = 1e-3  # relative to the step: a guard that is not smooth is taken as it is from here on
POLISH_RANGE = 1e-3  # of the step: how far a root may be from that of the guard's polynomial
TOUCH_AHEAD = 1e-6  # of the step: where a force that has vanished is looked at first
NEAREST_LOOK = 4.0**-15  # of the step on which a mode is looked at
SHORTER = 0.1  # factor of a step on which a mode is looked at, if it was not accurate
ON_SURFACE = 100.0  # times the tolerance, of the terms of a guard: by less integration may have moved it
START_MOMENT = 1e-7  # of the time in which the motion changes: over which a guard's slope at the start is taken
START_LEAVES = 1e-3  # of that time: a guard whose slope takes it away from zero sooner passes it at the start
SHORTEST_STEP_PART = 1e-13  # of the time in which the motion changes, or of the forcing's period
BEHIND = 1e-9  # of the step: how far behind the interpolated contact procedure 1 restarts, their epsilon in (10)
FROZEN_CHANGE = 0.1  # accelerations may change by this fraction over the extrapolated time
CASCADE_CHANGE = 0.05  # speed that a cascade may gain from changing accelerations, relative to its own

# ------------------------------------------------------------------------------------------------------------------
# Budgets: how often something may be tried before it is given up. Pinned by tests/engine/test_endings.py,
# test_guard_noise.py.
SHORTENINGS = 12  # of a step on which a mode is looked at
GUARD_SHORTENINGS = 3  # of a step by series whose guards are resolved on a part of it only
REPEAT_LIMIT = 10000  # instants without progress in time
CRAWL_LIMIT = 50000  # instants one after the other at the pace of CRAWL
MOST_ROUNDS = 1000  # of resets that follow from one another at one instant
PARADOX_LIMIT = 8  # impacts without collision at one instant
SEQUENTIAL_LIMIT = 400  # impacts at one instant before the rest is finished as a plastic joint impact
BALANCES = 60  # turns of the forces on rubbing pins; near the jam of a joint they converge slowly
SHIFTS = 16  # of the parts that load guides, while a mode is looked for
CAPACITY_PIVOTS = 1000  # rounding must not keep the search going; tau is a bound from below at every pivot
LEMKE_PIVOTS = 40  # for each variable
STUCK = 8  # instants without progress after which a gap goes unguarded
MOST_IMPACTS = 20000  # of one extrapolated accumulation
WINDOW = 100  # impacts of each contact in which an accumulation must have become slower
MOST_REFUSALS = 3  # after k refusals in a row the next 2^k - 1 impacts are followed without another attempt
LONGEST = 2000.0  # duration in units of v/a: twice a thousand flights
WORK_PIECES = 64  # of a step whose work is harder to resolve than its motion
BEHIND_KINK = 12  # doublings of the shortest time that moves a state until it is behind a kink
BEHIND_BORDER = 16  # doublings of the rounding of the time until a step is behind the border whose side it holds
START_BEHIND = 48  # halvings of the shortest step within which a run starts behind a jump
NEWTON_TURNS = 12  # corrections of an implicit step
CORRECTIONS = 2  # of the time of an event on the state itself
SAME_INSTANT_CORRECTIONS = 3  # of the time of a gap that closes with another one, on the flight itself
SLIP_CORRECTIONS = 4  # of the time at which a slip vanishes, on the state that lies on its constraints

# ------------------------------------------------------------------------------------------------------------------
# Heuristics: choices without a derivation, that cost time or make rows, never a motion. Pinned by
# tests/engine/test_small_models.py.
INDEFINITE_FORCES = 8  # as many equalities: a singular sliding problem is never the first choice
BARELY_AWAY = 1024.0  # times what a guard is known to: resets that leave it by less, sooner each time, have no end
CRAWL = 1e6  # smallest steps an instant: a ten-millionth of the time in which the motion changes
RETURN_TIME = 1e6  # smallest steps: a flight this short that lands without velocity has not been one
LONGEST_UNGUARDED = 1e5  # smallest steps: of a gap that rounding closes again and again
SHORTEST_STEP = 1e6  # smallest steps: below this procedure 2 accepts any penetration (Flores & Ambrosio 2010, step vii)
NEIGHBOURS = 4.0  # contacts a body that are in the list of those near (contact/near.py), if no more are
STEPS_AHEAD = 8.0  # steps like the present one for which a list is made, if that does not make it too long
LIST_SEARCH = 16  # halvings of the length up to which gaps are in it
FROZEN_COST = 16  # impacts of the frozen problem that cost as much as one of the motion
# relative mismatch of gap and integrated gap velocity that betrays aliasing, beside what is allowed to be unresolved
ALIAS_TOLERANCE = 1e-4
UNRESOLVED = 4.0  # times the tail that is allowed: by how much an integral of resolved samples may be wrong
NOISE_FALL = 0.25  # on a shorter piece the tail of a smooth guard falls to a tenth at least; that of noise does not
# A slip so much faster than what closes hardest surely goes on, unless D is as ill conditioned; answers are judged by
# all conditions in any case.
SLIDES_ON = 2.0**10
# h b of a step of Moreau's scheme, of the fastest slip, and from one to the next. The basis that a step ends in is that
# of h -> 0 once h is small; what it proposes is computed with h = 0 and judged by all conditions. The first one is as
# short as pivoting can tell from none, 23 PIVOT_ROUNDING. Pinned by tests/impact/test_moreau_steps.py: all lengths
# from 2^-24 to 2^-8 end in one mode, and a slip of 5e-11 beside 1e-2 stops with the first one only.
MOREAU_STEP, MOREAU_STEPS, MOREAU_LONGER = 2.0**-32, 4, 2.0**8

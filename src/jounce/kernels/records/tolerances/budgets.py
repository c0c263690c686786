"""Budgets: how often something may be tried before it is given up.

Where one is used up, a slower way is taken or the run ends with a status that says so.
"""

# -- Steps and their looks. Pinned by tests/engine/test_borderline_friction.py, tests/engine/test_series_guards.py,
# tests/engine/test_kinks.py, tests/engine/test_shared_borders.py, tests/engine/test_rest_on_borders.py.
SHORTENINGS = 12  # of a step on which a mode is looked at
GUARD_SHORTENINGS = 3  # of a step by series whose guards are resolved on a part of it only
WORK_PIECES = 64  # of a step whose work is harder to resolve than its motion
BEHIND_KINK = 12  # doublings of the shortest time that moves a state until it is behind a kink
BORDER_MOVES = 8  # doublings of the rounding of a coordinate until a state at rest on a border is on one side of it
BEHIND_BORDER = 16  # doublings of the rounding of the time until a step is behind the border whose side it holds
START_BEHIND = 48  # halvings of the shortest step within which a run starts behind a jump
NEWTON_TURNS = 12  # corrections of an implicit step

# -- Roots and times of events. Pinned by tests/engine/test_guard_polynomial.py, tests/engine/test_no_event_missed.py,
# tests/engine/test_parabola.py, tests/engine/test_same_instant.py.
CORRECTIONS = 2  # of the time of an event on the state itself
SAME_INSTANT_CORRECTIONS = 3  # of the time of a gap that closes with another one, on the flight itself
SLIP_CORRECTIONS = 4  # of the time at which a slip vanishes, on the state that lies on its constraints
POLISH_TURNS = 12  # corrections of a root along the interpolant: of Newton's or the secant method, six suffice
SERIES_POLISH_TURNS = 8  # the same on a series, whose roots are nearer
ROOT_TURNS = 100  # of the Illinois method in its bracket: twice as many as halvings to rounding
SERIES_ROOT_TURNS = 60  # of Newton's method in its bracket: halvings to rounding
FLIGHT_STEPS = 400  # of the search for the end of a flight; then the step is taken in the general way
FLIGHT_CORRECTIONS = 60  # of the end of one flight: halvings to rounding

# -- Instants. Pinned by tests/engine/test_endings.py, tests/engine/test_guard_noise.py, tests/resets/test_resets.py.
REPEAT_LIMIT = 10000  # instants without progress in time
CRAWL_LIMIT = 50000  # instants one after the other at the pace of CRAWL
TRIED_LIMIT = 64  # modes that have been tried at one instant and are remembered
MOST_ROUNDS = 1000  # of resets that follow from one another at one instant
PARADOX_LIMIT = 8  # impacts without collision at one instant
SEQUENTIAL_LIMIT = 400  # impacts at one instant before the rest is finished as a plastic joint impact
STUCK = 8  # instants without progress after which a gap goes unguarded

# -- Searches for modes and impulses. Pinned by tests/engine/test_many_contacts.py, tests/impact/test_joint_impact.py,
# tests/impact/test_laws.py, tests/rubbing/test_pins.py, tests/rubbing/test_guides.py.
ENUMERATED_MODES = 1024  # of a cluster, up to which all are tried: five contacts at rest, ten that slide
ENUMERATED_CONTACTS = 4  # of a joint impact, up to which all combinations are tried
TRIED_TOGETHER = 5  # slips of joints that begin at once, up to which all combinations are tried
FEW_MODES = 27  # of a cluster that stays closed, up to which no mode is looked for but by trying all: three joints
EXCHANGES = 20  # of the modes of rubbing joints, for each of them, while the mode of a large cluster is looked for
EXCHANGES_TOGETHER = 6  # of all that break a condition, without fewer of them, before they change one by one
LEMKE_PIVOTS = 40  # for each variable
LEMKE_PATHS = 4  # paths of Lemke's method that are tried
LOOKS = 6  # places ahead of an instant at which a mode of a large cluster is proposed
BALANCES = 60  # turns of the forces on rubbing pins; near the jam of a joint they converge slowly
SHIFTS = 16  # of the parts that load guides, while a mode is looked for
CAPACITY_PIVOTS = 1000  # rounding must not keep the search going; tau is a bound from below at every pivot
SMITH_ITERATIONS = 100  # of Newton's method in its bracket
SMITH_DOUBLINGS = 2000  # of a bracket: as many as there are powers of two

# -- Accumulations of impacts. Pinned by tests/engine/test_chatter.py, tests/engine/test_accumulations.py.
MOST_IMPACTS = 20000  # of one extrapolated accumulation
MOST_STRIKES = 200  # impacts of one instant of it
WINDOW = 100  # impacts of each contact in which an accumulation must have become slower
MOST_REFUSALS = 3  # after k refusals in a row the next 2^k - 1 impacts are followed without another attempt
LONGEST = 2000.0  # duration in units of v/a: twice a thousand flights
LEAST_FALL = 2.0 / LONGEST  # of the speed from one flight to the next: what LONGEST allows

# -- Slides into a singular point. Pinned by tests/engine/test_singular_point.py.
SINGULAR_SECANTS = 6  # of the time that is left to the point
# times that BEYOND_SINGULAR becomes four times as much, until the state lies beyond on its constraints too
FARTHER_BEYOND = 8
PASSING_PIECES = 64  # of the march over a minimum of the determinant: steps to it

# -- Recurrence. Pinned by tests/sweeps/test_creeping.py, tests/sweeps/test_section.py.
MOST_RETURNS = 64  # a point that has come back so often, to the same place, is back, even if it comes no nearer
EXTREMUM_PIECES = 64  # of a step's polynomial that wait at a time: one a halving

# -- The audit. Pinned by tests/audit/test_corruptions.py, tests/audit/test_cone.py, tests/rubbing/test_guides.py.
WAITING_PIECES = 60  # halvings of one step that may wait: to rounding
LOAD_ITERATIONS = 60  # of Newton's method for the friction of contacts that others load
WHOLE_CONE = 12  # coordinates up to which looking for bodies that do not touch one another costs more than it saves

# -- Derivatives of the flow. Pinned by tests/variation/test_pieces.py.
MOST_PIECES = 4096  # of a step, in which perturbations are carried
MORE_PIECES = 8.0  # times as many as before at most: the first estimate of a step that is much too long says little

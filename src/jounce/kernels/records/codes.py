"""The integers by which kernels speak: modes, guards, event kinds, run statuses, policies.

Plain module constants, because the translator knows them; simulation/ wraps them in enums for people.
"""

# Modes of a contact.
OPEN = 0
SLIP_POSITIVE = 1
SLIP_NEGATIVE = 2
STICK = 3
PRESSED = 4
MODE_BASE = 8  # a system mode is sum(mode_i * MODE_BASE**i)
WORD = 17  # contacts whose modes are one integer, which a float64 holds exactly; more contacts have more such words

# How the guards of a contact begin: see contact/orders.py.
NO_ROOT, SINGLE_ROOT, DOUBLE_ROOT, LEFT_ALONE, ON_SURFACE = 1, 2, 3, 4, 5
# How an open gap is watched.
GAP_WATCHED = 0  # by its guard
GAP_UNGUARDED = 1  # it has no guard on the next step, which is short: rounding closes it again and again
GAP_HOVERING = 2  # gap and velocity are rounding, of either sign: it hits when it has gone deeper than that

# Laws of impact: impact/laws.py. The first three also say how a process in impulse ends (impact/impulse.py).
ENERGETIC = 0
POISSON = 1
NEWTON = 2
WHITTAKER = 3
SMITH = 4
BRACH = 5
BRACH_EXTENDED = 6
POISSON_TWO_PHASE = 7
CHATTERJEE_RUINA = 8

# Guards: what can end a mode. Each is a function that is positive while the mode lasts.
GUARD_GAP = 0  # an open gap closes
GUARD_FORCE = 1  # a normal force vanishes
GUARD_SLIP = 2  # a slip velocity vanishes
GUARD_CONE_UPPER = 3  # mu_s lambda_N - lambda_T: stick is lost towards SLIP-
GUARD_CONE_LOWER = 4  # mu_s lambda_N + lambda_T: stick is lost towards SLIP+
GUARD_JAM = 5  # the determinant of the sliding problem vanishes (Painlevé)
GUARD_USER = 6
GUARD_FREE = 7  # stick is given up as soon as the gap would open without any contact force
GUARD_PULL = 8  # the force of a compliant contact vanishes before its gap opens
GUARD_RETURN = 9  # a compliant contact that was let go inside its gap is pressed again
ADHERES = 3  # a law of compliance that pulls until its gap opens: model/compliance.py
GUARD_TURN = 11  # the force of an adhesive contact changes its sign, and so does friction's dependence on it
GUARD_SHIFT = 12  # another part of the load of a guide becomes the largest: contact/loads.py
GUARD_END = 13  # a sharp corner comes to the end of the face on which it slides: contact/faces.py
GUARD_CARRIED = 10  # friction can just carry forces that statics leaves open: contact/capacity.py

# Kinds of events, in the order of simulation.events.EventKind.
IMPACT = 0
CHATTER = 1
LIFT_OFF = 2
STICK_BEGINS = 3
SLIP_BEGINS = 4
REVERSAL = 5
TOUCH = 6
SEPARATE = 7
GRAZING = 8
PARADOX = 9
SCHEDULE = 10
USER = 11
RESET_EVENT = 12
AT_START = -2  # in place of the contact of a reset: it happens where a run begins
AT_SWITCH = -3  # the same, and where the surface of its switch has jumped (engine/switches.py)
SIDE_PASSED = 2  # in place of a guard's side: where it is zero to the errors of its run it has had its event
SWITCH_SLIDES = 0.0  # the side of a switch that slides along its surface
SWITCH_UNKNOWN = 2.0  # the side of a switch that is not known yet
SWITCH_MEETS = 3.0  # several surfaces vanish at one instant: this is one of them
# guards that have one side only: the limit of a switch, and its surface, whose side is the discrete state behind
LIMIT_SIDE, SURFACE_SIDE = 1, 2

# What loads a contact: contact/loads.py.
OWN_LOAD = 0  # its own normal force
PIN_LOAD, GUIDE_LOAD, CONTACT_LOAD, FIXED_LOAD = 1, 2, 3, 4

# How a run ends. Negative: it goes on after Python has emptied the buffers or shown progress.
BUFFERS_FULL = -2
PAUSED = -1
FINISHED = 0
AT_REST = 1
STOPPED = 2
PARADOX_STOP = 3
STEP_UNDERFLOW = 4
TOO_MANY_EVENTS = 5
NOT_FINITE = 6
LAW_FAILED = 7
NO_PROGRESS = 8
TOO_MANY_STEPS = 13
ENDLESS_RESETS = 14
RESET_REFUSED = 15
TOO_MANY_CLOSED = 16
GAP_JUMPS = 17
NO_RETURN = 9  # of a section map only: the section was not met again in the time allowed

# What may happen at an instant: engine/instant.py.
MODE_CHANGE, JUMP, RESET, START = 0, 1, 2, 3

# Policies.
SEQUENTIAL = 0
JOINT = 1
SEPARATE_IF_POSSIBLE = 0
KEEP_CONTACT = 1
STOP_IF_INDETERMINATE = 2
RELEASE_AT_CONE = 0
RELEASE_WHEN_FREE = 1
CONTINUE_AFTER_PLASTIC = 0
STOP_AFTER_PLASTIC = 1

# the option that refuses to go on
REFUSED_INDETERMINATE, REFUSED_INCONSISTENT, REFUSED_PLASTIC_RELEASE, REFUSED_BY_LAW = 1, 2, 3, 4
REFUSED_TOGETHER = 5  # by no option: contacts that only together have no mode
REFUSED_JAM = 6  # by no option: a rubbing joint has no force that friction leaves in balance
IMPACT_IF_INCONSISTENT = 0
STOP_IF_INCONSISTENT = 1

# Why the modes of a start are not those of its state.
DROPPED_AWAY = 1  # a closed contact has a gap
DROPPED_INSIDE = 2  # an open contact is inside its surface
DROPPED_MOVING = 3  # a closed contact has a normal velocity
DROPPED_SLIDING = 4  # a sticking contact slides
DROPPED_BACKWARDS = 5  # a sliding contact slides the other way

# Why a run cannot go on from where a reset has put it.
REFUSED_NOT_FINITE = 1  # a right side is not finite
REFUSED_INSIDE = 2  # a rigid contact is inside its surface
REFUSED_JOINT = 3  # a joint is open, or its rate is not zero

# Guards at whose zeros a force is not smooth, or jumps, or the velocity of a surface does; model/kinks.py.
KINK = 1
LEAP = 2
SURFACE_LEAP = 3

# How the start and the end of compliant contact are found.
LOCATED = 0
INTERPOLATE = 1
REJECT = 2
NO_CONTROL = 3

# Paradox regions written into an event row.
INCONSISTENT = 1
INDETERMINATE = 2
SINGULAR_POINT = 3  # the determinant of a slide has vanished: flow/singular_point.py

"""The tables of a machine: one record of sizes and addresses, and rows of whole numbers behind them.

Every number of a machine (a mass, a length, a coefficient) is a reference: k >= 0 is constant k, k < 0 is value -1 - k
of the programs (programs.py), which compute what depends on parameters, on time, or on the state. A number that may
depend on time has three references, for itself and its first two derivatives. Constant 0 is zero.

Bodies are numbered from 0; the ground is the number behind the last one.
"""

import numpy as np

from jounce.toolchain.abi import f8, i8, pointer, record, void
from jounce.toolchain.tools import SCRATCH

ARGUMENTS = 8  # numbers that a law is given: they lie behind the values
MOST_VALUES = SCRATCH - ARGUMENTS  # that programs compute: they lie on the stack while a function runs
FRAME = 8  # numbers of a body's frame: x, y, cos, sin, x', y', theta', theta

# how two sides touch; joints are written in the same way
LINE, CIRCLE, HOLE, EDGE, POLYGON, PIN_X, PIN_Y, ANGLE, WRITTEN = range(9)

# places in the row of a contact or of a joint's equation; side a touches, side b is touched
KIND, BODY_A, BODY_B = 0, 1, 2
CENTER_A = 3  # point of a: (a, a', a'', b, b', b'')
RADIUS_A = 9  # and its derivatives
SPIN_A = 12  # and its derivative
POINT_B = 14  # of a line or an edge; the centre of a circle
DIRECTION = 20  # of a line or an edge: a vector of length 1 (two references), then how fast it turns, and that rate's
SPEED = 24  # of a line or an edge, and its derivative
RADIUS_B = 20  # of a circle, and its derivatives
SPIN_B = 23  # and its derivative
END_B = 26  # of an edge
FIRST_CORNER, CORNERS = 20, 21  # of a polygon
HAS_SLIP = 28
FACES = 29  # of side b, if side a is a sharp corner: of a polygon its edges, of an edge itself and its two ends
BESIDE = 30  # from a sharp corner to the other ends of the two edges of its own outline; zero where there are none
OTHERS = 34  # 1 + the first of the contacts of the corners of b with the outline of a, which follow in order; 0: none
OWN = 35  # which corner of its outline a is, from 1 on, where there are such contacts
PRESCRIBED = 3  # of an angle: itself and its derivatives
# of a contact whose gap and slip are expressions: g, g', gamma_T, c_N, c_T, then W_N and W_T of both bodies, then sizes
WRITTEN_MOTION, WRITTEN_NORMAL, WRITTEN_TANGENT, WRITTEN_SIZES = 3, 8, 14, 20
SURFACE_LAW = 36  # 1 + the law of its coefficients, 0: these are references (surface)
COMPLIANCE = 37  # 1 + the law of its force, 0: it is rigid
MEMORY = 38  # of a compliant contact: the place in p of "pressed", behind it 1/v of its last touch
BRANCH = 39  # the coordinate of its Maxwell branch, -1: it has none
TOUCH_ROW = 40

CORNER_ROW = 4  # a corner, and the direction from it to the next one

# forces: SECOND is pushed, FIRST pushed back
SPRING, TORSION, FORCE, TORQUE, DRAG, RATE = range(6)
SECOND, FIRST = 1, 2
POINT_SECOND = 3
STIFFNESS, DAMPING, REST, REST_RATE, FORM = 9, 10, 11, 12, 13
POINT_FIRST = 14
FORCE_X, FORCE_Y, FOLLOWS = 9, 10, 11
MOMENT = 9
RATE_OF = 9  # of an internal state its rate times its mass; SECOND is its coordinate
DRAG_SECOND, DRAG_FIRST = 3, 6  # of a damper that is an expression: forces along x, y and theta of both bodies
ELEMENT_ROW = 20
STRETCHED, DAMPED = 1, 2  # bits of FORM: a spring with a rest length; a damper

SURFACE_REFERENCES = 4  # friction, static friction, restitution, tangential restitution
INSTRUCTION = 5  # operation, value, up to three operands

# a law: its first instruction, the one behind its last, then references to what it says (laws.py)
FIRST_INSTRUCTION, LAST_INSTRUCTION, SAYS = 0, 1, 2
LAW_ROW = 9
FRICTION_AHEAD, FRICTION_BACK, STATIC, AT_REST, RESTITUTION, TANGENTIAL_RESTITUTION, SLOW_RESTITUTION = range(7)
FORCE_N, FORCE_T, LOSS, ELASTIC, BACK, DRIVE = range(6)

TABLES = np.dtype(
    [
        ("n", "i8"),
        ("bodies", "i8"),
        ("nc", "i8"),
        ("nj", "i8"),
        ("ng", "i8"),
        ("nr", "i8"),  # how many resets there are, and right sides of them
        ("assigned", "i8"),
        ("elements", "i8"),
        ("compliant", "i8"),  # how many contacts are
        ("branches", "i8"),  # coordinates behind those of the bodies: internal states, then Maxwell branches
        ("surface_laws", "i8"),  # how many contacts have coefficients with a law
        ("parameters", "i8"),  # length of the vector p, with the memory of compliant contacts
        # addresses
        ("constant", "i8"),
        ("program", "i8"),
        ("mass", "i8"),  # per body: mass, inertia; then per branch: mass, 0
        ("gravity", "i8"),
        ("contact", "i8"),
        ("surface", "i8"),
        ("law", "i8"),
        ("joint", "i8"),
        ("element", "i8"),
        ("corner", "i8"),
        ("guard", "i8"),  # per guard: itself, its size
        ("reset", "i8"),  # per reset whether its condition holds, then all right sides
        # instructions of the programs: those of time and parameters and of contacts; then forces; guards; resets
        ("shapes_end", "i8"),
        ("forces_end", "i8"),
        ("guards_end", "i8"),
        ("resets_end", "i8"),
        # the elimination of the joints: eliminate.py
        ("order", "i8"),
        ("pattern", "i8"),
        ("pattern_size", "i8"),
        ("shared", "i8"),  # beside every column of the pattern: which bodies the two equations share
        ("prescribed", "i8"),  # whether a joint's equation depends on time
    ],
    align=True,
)

tables_record = record(TABLES)
TABLE_SIGNATURE = void(tables_record, f8, pointer, pointer, pointer, pointer)
TABLE_BATCH = void(tables_record, i8, pointer, pointer, pointer, pointer, pointer)

"""The integers by which the search for attractors speaks: kinds, and the columns of what it found."""

# Kinds of attractor.
REST = 0  # nothing moves, or nothing but with the surface that holds it
PERIODIC = 1
CHAOTIC = 2  # does not repeat, and small deviations grow
UNSETTLED = 3  # does not repeat, and small deviations do not grow: a torus, or a transient longer than allowed
STOPPED_MOTION = 4  # the run ended: see the status

# Columns of the facts of one attractor.
KIND = 0
STATUS = 1  # with which the last return ended, 0 for a crossing
PERIOD = 2  # returns after which it repeats; 0: it does not
COUNT = 3  # samples
IMPACTS = 4  # in one period
EVENTS = 5  # in one period
RETURNS = 6  # computed
TOTAL_IMPACTS = 7  # computed
SIGNATURE_LENGTH = 8  # entries of the signature; negative: its beginning was lost
FACTS = 9

# A signature's entry is ((kind * 16 + c % 16) * 16 + mode after + 1 + c // 16 * 4096) * REPEATS + how often in a row,
# with c = contact + 1.
SIGNATURE_ENTRIES = 32
REPEATS = 1 << 20

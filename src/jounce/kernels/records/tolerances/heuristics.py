"""Heuristics: choices without a derivation. They cost time, make rows or decide what a search calls a thing; they shape
no motion.
"""

# -- Choices among modes. Pinned by tests/engine/test_small_models.py, tests/impact/test_moreau_steps.py,
# tests/engine/test_large_clusters.py.
INDEFINITE_FORCES = 8  # as many equalities: a singular sliding problem is never the first choice
# A slip so much faster than what closes hardest surely goes on, unless D is as ill conditioned; answers are judged by
# all conditions in any case.
SLIDES_ON = 2.0**10
# h b of a step of Moreau's scheme, of the fastest slip, and from one to the next. The basis that a step ends in is that
# of h -> 0 once h is small; what it proposes is computed with h = 0 and judged by all conditions. The first one is as
# short as pivoting can tell from none, 23 PIVOT_ROUNDING: all lengths from 2^-24 to 2^-8 end in one mode, and a slip of
# 5e-11 beside 1e-2 stops with the first one only.
MOREAU_STEP = 2.0**-32
MOREAU_STEPS = 4  # of them, until one proposes a mode that holds
MOREAU_LONGER = 2.0**8  # times the step before

# -- Instants without progress. Pinned by tests/engine/test_small_models.py, tests/engine/test_endings.py,
# tests/resets/test_accumulations.py.
BARELY_AWAY = 1024.0  # times what a guard is known to: resets that leave it by less, sooner each time, have no end
CRAWL = 1e6  # smallest steps an instant: a ten-millionth of the time in which the motion changes
RETURN_TIME = 1e6  # smallest steps: a flight this short that lands without velocity has not been one
LONGEST_UNGUARDED = 1e5  # smallest steps: of a gap that rounding closes again and again
INSTANT_STEPS = 10.0  # smallest steps: what passes between two instants that are not one, beside PROGRESS
INSTANT_REACH = 1e-9  # of the time over which guards were resolved last: the same

# -- Compliant contacts. Pinned by tests/compliant/test_detection.py.
SHORTEST_STEP = 1e6  # smallest steps: below this procedure 2 accepts any penetration (Flores & Ambrosio 2010, step vii)

# -- Lists of near contacts. Pinned by tests/engine/test_many_contacts.py, tests/bodies/test_near.py.
NEIGHBOURS = 4.0  # contacts a body that are in the list of those near (contact/near.py), if no more are
STEPS_AHEAD = 8.0  # steps like the present one for which a list is made, if that does not make it too long
LIST_SEARCH = 16  # halvings of the length up to which gaps are in it

# -- Accumulations of impacts. Pinned by tests/engine/test_chatter.py, tests/engine/test_accumulations.py.
FROZEN_COST = 16  # impacts of the frozen problem that cost as much as one of the motion
NEAR_MEETING = 3.0  # expected durations of an accumulation: contacts in flight that land later have no part in it
WIDE_MEETING = 100.0  # the same, tried first: slow ones that land sooner take part

# -- Guards by samples. Pinned by tests/engine/test_guard_noise.py, tests/engine/test_no_event_missed.py.
# relative mismatch of gap and integrated gap velocity that betrays aliasing, beside what is allowed to be unresolved
ALIAS_TOLERANCE = 1e-4
UNRESOLVED = 4.0  # times the tail that is allowed: by how much an integral of resolved samples may be wrong
NOISE_FALL = 0.25  # on a shorter piece the tail of a smooth guard falls to a tenth at least; that of noise does not
ALIASED = 1e6  # times the tail that is allowed, in place of one where a gap is aliased: no noise of a guard explains it
NOISE_ERRORS = 2.0  # times the estimated errors: by how much a state may be wrong

# -- Chaos. Pinned by tests/sweeps/test_section.py, tests/sweeps/test_settling.py.
CHAOTIC_GROWTH = 2.0  # logarithm by which a deviation must grow for the motion to be called chaotic
SETTLING = 5  # one part in so many of the twin's returns is not counted: the deviation turns to where it grows most

# -- The audit. Pinned by tests/audit/test_corruptions.py, tests/engine/test_square_waves.py.
SAFE_MISS = 2.0  # misses at the middle of a piece: by how much a cubic may be wrong on it
LARGEST_MOVE = 1e-2  # of the coordinates: what a run that is continued may have moved in a step
BEFORE_END = 0.125  # of the places inside a step, from one to the next: the last look at one that ends with a jump

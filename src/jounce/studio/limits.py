"""What one page may ask for: every bound with its reason.

A request beyond a bound is refused with a message that names the bound; nothing is cut silently.
"""

from __future__ import annotations

MESSAGE_BYTES = 1 << 20  # of one message from the page: a session with every slider is below 20 kB
CONNECTIONS = 8  # pages open at a time
SYSTEMS = 8  # compiled systems kept in memory
MODELS = 16  # models of sessions kept in memory
MODEL_LETTERS = 400_000  # of a session's model: the largest shipped takes 14,000, and a message holds it twice
ACTIONS, ACTION_LETTERS = 8, 500  # of a run, each with the text of an expression

LONGEST_RUN = 1e5  # s of motion: a thousand times what can be looked at
RUN_PAUSES = 20_000  # looks at a run from outside, each after at most 2,000 steps
RUN_SECONDS = 20.0  # of computing before a run is given up
RUN_EVENTS = 200_000  # kept of one run: about 100 MB
FRAMES = 4000  # drawings of one run sent to the page
HISTORY = 4000  # samples of one time history sent to the page: twice the pixels of a wide screen
JUMPS = 4000  # velocity jumps whose two sides are both sent; beyond, they lie closer than pixels
RESETS = 400  # drawn in a time history; beyond, they lie closer than one can see
TABLE_ROWS = 2000  # of the events sent to the page

PARAMETER_VALUES = 4000  # of one diagram: the columns of pixels of the widest screen
RETURNS = 100_000  # of transient and kept together, for each value
DIAGRAM_POINTS = 5_000_000  # values x kept x lanes: 40 MB of coordinates
RASTER_POINTS = 300_000  # beyond this a density raster costs the page less than the points
RASTER_SIDE = 4096  # pixels
LANES = 8  # starts times directions
BRANCH_POINTS = 400  # of one continuation, in each direction
BRANCHES = 8  # kept of a diagram
RETURNS_SEARCHED = 2000  # for the point of an attractor nearest to a click
BASIN_CELLS = 1_000_000  # a grid of 1000 x 1000

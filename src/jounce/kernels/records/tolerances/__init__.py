"""The thresholds of the engine, each a pure number, in five families.

rounding:     what is known of a number in floating point, in units of the terms of which it is a sum
consistency:  how far two statements about one thing may differ, relative to its terms
accuracy:     parts of what Options.tolerance asks for, of a step, or of the scales of the run
budgets:      how often something may be tried before it is given up
heuristics:   choices without a derivation, that cost time or make rows, never a motion

Behind each number stands what it is a part of, which is its unit, and why; what pins it stands above its group. The
scales themselves are in records/scales.py. No other kernel has a threshold: tests/engine/test_tolerances.py reads
their syntax trees, and that every group names tests that exist.
"""

from jounce.kernels.records.tolerances.accuracy import *  # noqa: F403
from jounce.kernels.records.tolerances.budgets import *  # noqa: F403
from jounce.kernels.records.tolerances.consistency import *  # noqa: F403
from jounce.kernels.records.tolerances.heuristics import *  # noqa: F403
from jounce.kernels.records.tolerances.rounding import *  # noqa: F403

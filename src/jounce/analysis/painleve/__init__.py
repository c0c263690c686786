"""The Painlevé toolbox: where sliding contact has no solution, or several, and what the flow does nearby.

With s the direction of slip, friction makes the force of a sliding contact act along F = W_N - s mu W_T, and makes the
contact problem scalar:

    g'' = A lambda_N + B >= 0,   lambda_N >= 0,   g'' lambda_N = 0,   A = W_N.M^-1.F,   B = g'' without the force.

    A > 0, B > 0   flight         lambda_N = 0
    A > 0, B < 0   sliding        lambda_N = -B/A
    A < 0, B > 0   indeterminate  both of these
    A < 0, B < 0   inconsistent   none: an impact without collision

See docs/painleve.md.
"""

from jounce.analysis.painleve.closing import closed_state
from jounce.analysis.painleve.critical_friction import (
    CriticalFriction,
    MinimalFriction,
    critical_friction,
    minimal_critical_friction,
)
from jounce.analysis.painleve.mode_map import ModeMap, mode_map
from jounce.analysis.painleve.scalar_problem import Coefficients, ScalarMode, coefficients
from jounce.analysis.painleve.singular_points import SingularPoint, singular_points

__all__ = [
    "Coefficients",
    "CriticalFriction",
    "MinimalFriction",
    "ModeMap",
    "ScalarMode",
    "SingularPoint",
    "closed_state",
    "coefficients",
    "critical_friction",
    "minimal_critical_friction",
    "mode_map",
    "singular_points",
]

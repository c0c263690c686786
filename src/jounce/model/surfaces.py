"""What the numbers of a surface may be, and in which order the engine reads them; known without SymPy."""

from __future__ import annotations

import math

# A gap or joint that is closed to this part of the size of its terms counts as closed.
CLOSED = 1e-9

SURFACE_COLUMNS = (
    "friction",
    "friction_back",
    "static_friction",
    "friction_at_rest",
    "restitution",
    "tangential_restitution",
    "slow_restitution",
)


def surface_problem(mu: float, mu_static: float, e: float, e_t: float) -> str | None:
    """What is wrong with the coefficients of one contact, or None."""
    if not (math.isfinite(mu) and mu >= 0.0):
        return f"the friction coefficient is {mu:.6g}; it must be finite and not negative"
    if not (math.isfinite(mu_static) and mu_static >= mu):
        return f"the static friction {mu_static:.6g} is below the kinetic friction {mu:.6g}"
    if not 0.0 <= e <= 1.0:
        return f"the restitution is {e:.6g}; it must lie in [0, 1]"
    if not -1.0 <= e_t <= 1.0:
        return f"the tangential restitution is {e_t:.6g}; it must lie in [-1, 1]"
    return None


def load_problem(preload: float, lever: float) -> str | None:
    """What is wrong with the load of one contact, or None."""
    if not (math.isfinite(preload) and preload >= 0.0):
        return f"the preload is {preload:.6g}; it must be finite and not negative"
    if not (math.isfinite(lever) and lever >= 0.0):
        return f"the lever is {lever:.6g}; it must be finite and not negative"
    return None

"""Pictures of results: functions that take a result and return a matplotlib Figure. Nothing here needs a display.

Names resolve on first use, so that matplotlib is imported only when a picture is made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from jounce.errors import suggestion

_HOMES = {
    "plot_branch": "jounce.plot.branch",
    "plot_multipliers": "jounce.plot.orbit",
    "plot_orbit": "jounce.plot.orbit",
    "animate": "jounce.plot.animation",
    "plot_basins": "jounce.plot.basins",
    "plot_critical_friction": "jounce.plot.painleve",
    "plot_diagram": "jounce.plot.diagram",
    "plot_energy": "jounce.plot.energy",
    "plot_journal_orbit": "jounce.plot.journal",
    "plot_impact_path": "jounce.plot.impact",
    "plot_joint_forces": "jounce.plot.joint_forces",
    "plot_law_comparison": "jounce.plot.impact",
    "plot_lyapunov": "jounce.plot.lyapunov",
    "plot_mode_map": "jounce.plot.painleve",
    "plot_phase_portrait": "jounce.plot.phase_portrait",
    "plot_restitution": "jounce.plot.restitution",
    "plot_time_history": "jounce.plot.time_history",
}

__all__ = [
    "animate",
    "plot_basins",
    "plot_branch",
    "plot_critical_friction",
    "plot_diagram",
    "plot_energy",
    "plot_impact_path",
    "plot_joint_forces",
    "plot_journal_orbit",
    "plot_law_comparison",
    "plot_lyapunov",
    "plot_mode_map",
    "plot_multipliers",
    "plot_orbit",
    "plot_phase_portrait",
    "plot_restitution",
    "plot_time_history",
]

if TYPE_CHECKING:
    from jounce.plot.animation import animate
    from jounce.plot.basins import plot_basins
    from jounce.plot.branch import plot_branch
    from jounce.plot.diagram import plot_diagram
    from jounce.plot.energy import plot_energy
    from jounce.plot.impact import plot_impact_path, plot_law_comparison
    from jounce.plot.joint_forces import plot_joint_forces
    from jounce.plot.journal import plot_journal_orbit
    from jounce.plot.lyapunov import plot_lyapunov
    from jounce.plot.orbit import plot_multipliers, plot_orbit
    from jounce.plot.painleve import plot_critical_friction, plot_mode_map
    from jounce.plot.phase_portrait import plot_phase_portrait
    from jounce.plot.restitution import plot_restitution
    from jounce.plot.time_history import plot_time_history


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'jounce.plot' has no attribute {name!r}; {suggestion(name, __all__)}")

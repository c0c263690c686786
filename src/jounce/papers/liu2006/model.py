"""The manipulator of Liu, Zhao and Chen (2006), its singular points and its admissible sets."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.painleve import mode_map, singular_points
from jounce.analysis.painleve.scalar_problem import ScalarMode
from jounce.papers.framework.portraits import finish, panels
from jounce.system.compilation import compile_model
from jounce.systems import manipulator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.painleve import SingularPoint
    from jounce.system.system import System

HEIGHT = 5 / 3
REACH = math.acos(HEIGHT - 1.0)
PLANE = {"theta1": (-REACH, REACH), "d_theta1": (-3.0, 3.0)}


@cache
def manipulator_system() -> System:
    """The manipulator, compiled once."""
    return compile_model(manipulator())


@cache
def singular(mu: float) -> tuple[SingularPoint, ...]:
    """The points A = B = 0, by theta1."""
    return tuple(
        sorted(singular_points(manipulator_system(), PLANE, v_t=0.0, mu=mu), key=lambda point: point.state["theta1"])
    )


@cache
def map_figure(mu: float) -> Figure:
    """The modes over the plane of theta1 and theta1' on the belt at rest, and the singular points (Figs 3, 5, 6)."""
    found = mode_map(manipulator_system(), PLANE, points=301, v_t=0.0, mu=mu)
    slip = np.where(found.slip_velocity >= 0, 1, -1)
    modes = np.where(slip > 0, found.modes[1], found.modes[-1])
    figure, (axes,) = panels(1, 6.0, 4.4)
    colours = ["#ffffff", "#56B4E9", "#DDDDDD", "#E69F00", "#D55E00"]
    from matplotlib.colors import ListedColormap

    axes.pcolormesh(*found.values, modes.T, cmap=ListedColormap(colours), vmin=-0.5, vmax=4.5, shading="auto")
    for mode in (ScalarMode.FLIGHT, ScalarMode.SLIDING, ScalarMode.INDETERMINATE, ScalarMode.INCONSISTENT):
        axes.plot([], [], "s", color=colours[mode], label=f"M{int(mode)}: {str(mode).lower()}")
    for point in singular(mu):
        axes.plot(point.state["theta1"], point.state["d_theta1"], "k.", markersize=7)
    return finish(figure, axes, "θ1 [rad]", "dθ1/dt [rad/s]", f"admissible set, mu = {mu} (belt at rest)")

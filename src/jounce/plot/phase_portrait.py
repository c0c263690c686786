"""A coordinate against its velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.plot.sampling import columns, jump_times, sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory


@drawn_from("Trajectory")
def plot_phase_portrait(run: Trajectory, coordinate: str) -> Figure:
    """The path (coordinate, velocity), angles modulo 2 pi; a jump is a dashed line from its left to its right side.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> jounce.plot.plot_phase_portrait(run, "y").savefig("portrait.png")
    """
    velocity = f"d_{coordinate}"
    position_column, velocity_column = columns(run, [coordinate, velocity])
    _, states = sample(run, samples=12000)
    units = run.variables()
    turns = units[coordinate] == "rad"
    path = states[:, [position_column, velocity_column]]
    if turns:
        path = _wrapped(path)
    figure = style.new_figure(6.4, 5.0)
    axes = figure.subplots()
    style.tidy(axes)
    jumps = jump_times(run)
    if len(jumps):
        left, right = run.states(jumps, side="left"), run.states(jumps, side="right")
        axes.plot(
            [_angle(side[:, position_column], turns) for side in (left, right)],
            [left[:, velocity_column], right[:, velocity_column]],
            color=style.RED,
            linewidth=0.6,
            linestyle=(0, (4, 3)),
            alpha=0.7,
            zorder=1,
        )
        axes.plot([], [], color=style.RED, linewidth=0.8, linestyle=(0, (4, 3)), label="jump")
    axes.plot(path[:, 0], path[:, 1], color=style.BLUE, linewidth=0.8, zorder=2)
    start = run.start
    axes.plot(
        _angle(start[coordinate], turns), start[velocity], "o", color=style.INK, markersize=4, label="start", zorder=3
    )
    final = run.final
    axes.plot(
        _angle(final[coordinate], turns), final[velocity], "s", color=style.INK, markersize=4, label="end", zorder=3
    )
    axes.set_xlabel(style.label(coordinate, "rad, modulo 2π" if turns else units[coordinate]), fontsize=10)
    axes.set_ylabel(style.label(velocity, units[velocity]), fontsize=10)
    figure.legend(loc="outside upper right", ncols=3, fontsize=9, frameon=False)
    figure.suptitle(run.model.name, fontsize=11, x=0.01, ha="left")
    return figure


def _angle(value: Any, turns: bool) -> Any:
    """An angle in [-pi, pi); other coordinates as they are."""
    return (value + np.pi) % (2 * np.pi) - np.pi if turns else value


def _wrapped(path: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles modulo 2 pi, the line broken where it leaves the picture on one side and enters on the other."""
    path = np.column_stack([_angle(path[:, 0], True), path[:, 1]])
    crossings = np.flatnonzero(np.abs(np.diff(path[:, 0])) > np.pi) + 1
    return np.insert(path, crossings, np.nan, axis=0)

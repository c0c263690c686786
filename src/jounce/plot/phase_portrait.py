"""A coordinate against its velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.plot import style
from jounce.plot.sampling import columns, jump_times, sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory


def plot_phase_portrait(run: Trajectory, coordinate: str) -> Figure:
    """The path (coordinate, velocity); a jump is a thin dashed line from its left to its right side."""
    velocity = f"d_{coordinate}"
    position_column, velocity_column = columns(run, [coordinate, velocity])
    _, states = sample(run, samples=12000)
    figure = style.new_figure(6.4, 5.0)
    axes = figure.subplots()
    style.tidy(axes)
    jumps = jump_times(run)
    if len(jumps):
        left, right = run.states(jumps, side="left"), run.states(jumps, side="right")
        axes.plot(
            [left[:, position_column], right[:, position_column]],
            [left[:, velocity_column], right[:, velocity_column]],
            color=style.RED,
            linewidth=0.6,
            linestyle=(0, (4, 3)),
            alpha=0.7,
            zorder=1,
        )
        axes.plot([], [], color=style.RED, linewidth=0.8, linestyle=(0, (4, 3)), label="jump")
    axes.plot(states[:, position_column], states[:, velocity_column], color=style.BLUE, linewidth=0.8, zorder=2)
    start = run.start
    axes.plot(start[coordinate], start[velocity], "o", color=style.INK, markersize=4, label="start", zorder=3)
    final = run.final
    axes.plot(final[coordinate], final[velocity], "s", color=style.INK, markersize=4, label="end", zorder=3)
    units = run.variables()
    axes.set_xlabel(style.label(coordinate, units[coordinate]), fontsize=10)
    axes.set_ylabel(style.label(velocity, units[velocity]), fontsize=10)
    figure.legend(loc="outside upper right", ncols=3, fontsize=9, frameon=False)
    figure.suptitle(run.model.name, fontsize=11, x=0.01, ha="left")
    return figure

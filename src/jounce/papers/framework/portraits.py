"""Pictures the papers share: orbits with a line style a mode, histories, a property below and above its threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.plot import style
from jounce.simulation.modes import Mode
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: As in the figures of Lancioni et al.: flight solid, slip dotted, stick dashed.
LINE_STYLES = {Mode.OPEN: "-", Mode.SLIP_POSITIVE: ":", Mode.SLIP_NEGATIVE: (0, (1, 3)), Mode.STICK: "--"}
NAMES = {Mode.OPEN: "flight", Mode.SLIP_POSITIVE: "slip +", Mode.SLIP_NEGATIVE: "slip -", Mode.STICK: "stick"}
MODE_LINE = {
    Mode.OPEN: style.BLUE,
    Mode.SLIP_POSITIVE: style.RED,
    Mode.SLIP_NEGATIVE: "#E69F00",
    Mode.STICK: "#009E73",
}


def pieces(
    run: Trajectory, contact: str, samples: int = 60
) -> list[tuple[Mode, NDArray[np.float64], NDArray[np.float64]]]:
    """(mode, times, states) of every span between two events, so that no line crosses a jump."""
    events = np.unique(run.events.t.to_numpy())
    found = []
    for start, end, mode in run.mode_intervals(contact):
        inner = events[(events > start) & (events < end)]
        for a, b in zip([start, *inner], [*inner, end], strict=True):
            if b - a < 1e-9:
                continue
            times = np.linspace(a, b, max(samples, int(400 * (b - a))))
            states = np.vstack([run.states(times[:-1], side="right"), run.states(times[-1:], side="left")])
            found.append((mode, times, states))
    return found


def draw_orbit(axes: Axes, run: Trajectory, contact: str, x: int, y: int) -> None:
    """Columns x and y of the states against each other, a line style a mode, jumps as thin grey lines."""
    previous = None
    drawn: set[Mode] = set()
    for mode, _, states in pieces(run, contact):
        label = None if mode in drawn else NAMES[mode]
        drawn.add(mode)
        axes.plot(
            states[:, x], states[:, y], linestyle=LINE_STYLES[mode], color=MODE_LINE[mode], linewidth=1.5, label=label
        )
        if previous is not None and abs(previous[y] - states[0, y]) > 1e-9:
            ends = (previous, states[0])
            axes.plot([z[x] for z in ends], [z[y] for z in ends], color=style.GREY, linewidth=0.8, zorder=1)
        previous = states[-1]


def draw_history(axes: Axes, run: Trajectory, contact: str, quantity: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
    """A function of the states over time, the modes in different line styles."""
    drawn: set[Mode] = set()
    for mode, times, states in pieces(run, contact):
        label = None if mode in drawn else NAMES[mode]
        drawn.add(mode)
        axes.plot(
            times, quantity(states), linestyle=LINE_STYLES[mode], color=MODE_LINE[mode], linewidth=1.4, label=label
        )


def panels(count: int, width: float = 4.4, height: float = 3.8) -> tuple[Figure, Sequence[Axes]]:
    """A row of axes."""
    figure = style.new_figure(width * count, height)
    axes = figure.subplots(1, count, squeeze=False)[0]
    for one in axes:
        style.tidy(one)
    return figure, list(axes)


def finish(figure: Figure, axes: Axes, x: str, y: str, title: str = "") -> Figure:
    """Labels and legend."""
    axes.set_xlabel(x, fontsize=10)
    axes.set_ylabel(y, fontsize=10)
    if title:
        axes.set_title(title, fontsize=10, loc="left")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    return figure


def curve(
    xs: NDArray[np.float64],
    values: Callable[[NDArray[np.float64]], Any],
    x: str,
    y: str,
    *,
    mark: float | None = None,
    title: str = "",
) -> Figure:
    """A quantity against a parameter, its zero and a marked value."""
    figure, (axes,) = panels(1, 5.4)
    axes.plot(xs, values(xs), color=style.BLUE, linewidth=1.4)
    if mark is not None:
        axes.axvline(mark, color=style.RED, linewidth=1.0, linestyle="--", label=f"{x} = {mark:.6g}")
    return finish(figure, axes, x, y, title)

"""Pictures of the Painlevé toolbox: the modes of the contact problem, and the critical friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.painleve import ScalarMode, minimal_critical_friction, mode_map, singular_points
from jounce.errors import OptionError
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.system import compile_model
from jounce.systems import manipulator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.analysis.painleve import MinimalFriction, ModeMap, ScalarMode, SingularPoint

_SHADES = {
    "flight": "#E4E4E4",
    "sliding": "#B5E3D3",
    "indeterminate": "#F3C566",
    "inconsistent": "#D55E00",
}
_MARKERS = {"saddle": "X", "unstable node": "o", "stable node": "s", "degenerate": "D"}


@drawn_from("ModeMap")
def plot_mode_map(
    result: ModeMap,
    *,
    slip: int | None = None,
    singular: Sequence[SingularPoint] = (),
    axes: Axes | None = None,
    legend: bool = True,
) -> Figure:
    """The modes over two state variables, with the lines A = 0 and B = 0 and singular points.

    slip  the direction of slip; None: each state's own

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> over = {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    >>> found = jounce.painleve.mode_map(system, over, points=20, v_t=0.0, mu=0.8)
    >>> jounce.plot.plot_mode_map(found).savefig("modes.png")
    """
    from matplotlib.colors import ListedColormap

    figure = style.new_figure(6.4, 4.8) if axes is None else axes.get_figure(root=True)
    assert figure is not None
    axes = figure.subplots() if axes is None else axes
    modes = result.own_modes if slip is None else result.modes[slip]
    shown = [mode for mode in ScalarMode if mode]
    colours = ListedColormap([_SHADES[str(mode)] for mode in shown])
    masked = np.ma.masked_equal(modes, ScalarMode.UNREACHABLE)
    x, y = result.values
    axes.pcolormesh(x, y, masked.T, cmap=colours, vmin=0.5, vmax=len(shown) + 0.5, shading="nearest", rasterized=True)
    _draw_zeros(axes, result, slip)
    for point in singular:
        axes.plot(
            point.state[result.names[0]], point.state[result.names[1]], _MARKERS[point.kind], color=style.INK,
            markerfacecolor="white", markersize=7, zorder=6, label=point.kind,
        )  # fmt: skip
    style.tidy(axes)
    axes.grid(visible=False)
    axes.set_xlabel(style.label(result.names[0], result.units[0]), fontsize=10)
    axes.set_ylabel(style.label(result.names[1], result.units[1]), fontsize=10)
    if legend:
        _draw_legend(axes, shown, modes)
    return figure  # type: ignore[return-value]


@drawn_from("MinimalFriction")
def plot_critical_friction(result: MinimalFriction, axes: Axes | None = None) -> Figure:
    """The critical friction over one coordinate, with its minimum.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> found = jounce.painleve.minimal_critical_friction(system, {"theta1": (-0.8, 0.8)})
    >>> jounce.plot.plot_critical_friction(found).savefig("friction.png")
    """
    if len(result.names) != 1:
        raise OptionError("the critical friction is drawn over one coordinate; give one range to the search")
    figure = style.new_figure(6.4, 4.2) if axes is None else axes.get_figure(root=True)
    assert figure is not None
    axes = figure.subplots() if axes is None else axes
    style.tidy(axes)
    top = 4.0 * result.mu if math.isfinite(result.mu) else 1.0
    curve = np.where(result.curve <= 2.0 * top, result.curve, np.nan)  # mu has poles: cut the line, not the range
    axes.plot(result.values[0], curve, color=style.BLUE, linewidth=1.6)
    axes.plot(result.state[result.names[0]], result.mu, "o", color=style.RED, markersize=6, zorder=5)
    axes.annotate(
        f"μ = {result.mu:.4f}", (result.state[result.names[0]], result.mu), xytext=(0, -14),
        textcoords="offset points", ha="center", fontsize=9,
    )  # fmt: skip
    axes.set_ylim(0.0, top)
    axes.set_xlabel(style.label(result.names[0], result.units[0]), fontsize=10)
    axes.set_ylabel("critical friction μ", fontsize=10)
    return figure  # type: ignore[return-value]


def save_painleve_picture(path: str | Path) -> Path:
    """Draw the picture of docs/painleve.md: the manipulator's critical friction and its modes for three frictions."""
    system = compile_model(manipulator())
    reach = math.acos(system.model.defaults["H"] - 1.0)  # the lower link is vertical there
    over = {"theta1": (-reach, reach), "d_theta1": (-3.0, 3.0)}
    figure = style.new_figure(10.0, 7.4)
    first, *panels = figure.subplots(2, 2).ravel()
    plot_critical_friction(minimal_critical_friction(system, {"theta1": (-reach, reach)}), first)
    first.set_title("critical friction", fontsize=10, loc="left")
    for axes, mu in zip(panels, (0.5, 0.8, 1.2), strict=True):
        points = singular_points(system, over, v_t=0.0, mu=mu)
        plot_mode_map(mode_map(system, over, v_t=0.0, mu=mu), singular=points, axes=axes, legend=False)
        axes.set_title(f"μ = {mu}", fontsize=10, loc="left")
    _shared_legend(figure, panels)
    target = Path(path)
    figure.savefig(target)
    return target


def _draw_zeros(axes: Axes, result: ModeMap, slip: int | None) -> None:
    """The lines A = 0 (full) and B = 0 (dashed)."""
    x, y = result.values
    for direction in (1, -1) if slip is None else (slip,):
        A = result.A[direction]
        if slip is None:
            A = np.where(result.slip_velocity * direction >= 0.0, A, np.nan)
        axes.contour(x, y, A.T, levels=[0.0], colors=style.INK, linewidths=1.2)
    axes.contour(x, y, result.B.T, levels=[0.0], colors=style.INK, linewidths=1.0, linestyles="--")


def _draw_legend(axes: Axes, shown: Sequence[ScalarMode], modes: np.ndarray) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[object] = [
        Patch(color=_SHADES[str(mode)], label=str(mode)) for mode in shown if (modes == mode).any()
    ]
    handles += [
        Line2D([], [], color=style.INK, linewidth=1.2, label="A = 0"),
        Line2D([], [], color=style.INK, linewidth=1.0, linestyle="--", label="B = 0"),
    ]
    known = {line.get_label(): line for line in axes.get_lines() if line.get_label() in _MARKERS}
    handles += [
        Line2D([], [], marker=line.get_marker(), color=style.INK, markerfacecolor="white", linestyle="", label=kind)
        for kind, line in known.items()
    ]
    axes.legend(handles=handles, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _shared_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[object] = [Patch(color=shade, label=name) for name, shade in _SHADES.items()]
    handles += [
        Line2D([], [], color=style.INK, linewidth=1.2, label="A = 0"),
        Line2D([], [], color=style.INK, linewidth=1.0, linestyle="--", label="B = 0"),
    ]
    kinds = {str(line.get_label()) for axes in panels for line in axes.get_lines()}
    handles += [
        Line2D([], [], marker=marker, color=style.INK, markerfacecolor="white", linestyle="", label=kind)
        for kind, marker in _MARKERS.items()
        if kind in kinds
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)

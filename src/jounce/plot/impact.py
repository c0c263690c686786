"""Pictures of impacts: the path in impulse space, and one quantity swept through the laws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.impacts.compare_laws import compare_laws
from jounce.analysis.impacts.impact import ImpactOutcome
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.simulation.law import Law
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOTION_COLOURS = {
    "slip+": style.MODE_COLOURS[Mode.SLIP_POSITIVE],
    "slip-": style.MODE_COLOURS[Mode.SLIP_NEGATIVE],
    "stick": style.MODE_COLOURS[Mode.STICK],
    "straight": style.INK,
}
# Colour, dashes and width of each law: those that coincide over long stretches differ in width, so both stay visible.
_STYLES: dict[Law, tuple[str, str | tuple[float, tuple[float, ...]], float]] = {
    Law.ENERGETIC: ("#0072B2", "-", 3.6),
    Law.POISSON: ("#D55E00", "-", 2.0),
    Law.NEWTON: ("#009E73", "-", 1.1),
    Law.WHITTAKER: ("#CC79A7", (0, (5, 2)), 2.4),
    Law.SMITH: ("#E69F00", (0, (5, 2)), 1.4),
    Law.BRACH: ("#56B4E9", (0, (1, 1.2)), 3.0),
    Law.BRACH_EXTENDED: ("#000000", (0, (1, 1.2)), 1.6),
    Law.POISSON_TWO_PHASE: ("#882255", (0, (7, 2, 1, 2)), 1.6),
    Law.CHATTERJEE_RUINA: ("#999999", (0, (7, 2, 1, 2)), 1.6),
}
#: A jump is at least this share of what a panel shows, and so many times as large as the steps beside it.
_LARGE, _ALONE = 0.05, 3.0
_PANELS = {
    "v_t_after": "slip velocity after",
    "v_n_after": "normal velocity after",
    "energy_loss": "energy lost",
    "ratio": "impulse ratio $p_t/p_n$",
}
_SYMBOLS = {
    "v_t": "slip velocity before, $v_t^-$",
    "v_n": "normal velocity before, $v_n^-$",
    "mu": "friction μ",
    "e": "restitution e",
    "e_t": "tangential restitution $e_t$",
}


@drawn_from("ImpactOutcome")
def plot_impact_path(outcome: ImpactOutcome, axes: Axes | None = None) -> Figure:
    """The path of an impact in impulse space, with the friction cone and the lines v_t = 0 and v_n = 0.

    >>> outcome = jounce.impact("energetic", A=2.3, B=-0.7, C=1.4, v_t=1.0, v_n=-1.0, mu=0.9, e=0.5)
    >>> jounce.plot.plot_impact_path(outcome).savefig("path.png")
    """
    figure = style.new_figure(6.4, 5.2) if axes is None else axes.get_figure(root=True)
    assert figure is not None
    axes = figure.subplots() if axes is None else axes
    style.tidy(axes)
    path = outcome.path
    reach_n = max(float(path[:, 1].max()), 1e-300) * 1.15
    reach_t = max(float(np.abs(path[:, 0]).max()) * 1.35, 0.12 * reach_n)
    _draw_cone(axes, outcome.inputs["mu"], reach_n)
    _draw_lines(axes, outcome, reach_t, reach_n)
    seen: set[str] = set()
    for start, end, phase in zip(path[:-1], path[1:], outcome.phases, strict=True):
        dashes = "-" if phase.stage in ("compression", "impact") else (0, (3, 1.2))
        text = f"{phase.name}" if phase.motion != "straight" else "the two ends"
        axes.plot(
            (start[0], end[0]), (start[1], end[1]), color=_MOTION_COLOURS[phase.motion], linewidth=3.0,
            linestyle=dashes, label=None if text in seen else text, solid_capstyle="butt", zorder=4,
        )  # fmt: skip
        seen.add(text)
    axes.plot(path[:, 0], path[:, 1], "o", color=style.INK, markersize=4, zorder=5)
    axes.plot(*path[-1, :2], "s", color=style.INK, markersize=7, zorder=6, label="end")
    axes.set_xlim(-reach_t, reach_t)
    axes.set_ylim(0.0, reach_n)
    axes.set_xlabel("tangential impulse $p_t$", fontsize=10)
    axes.set_ylabel("normal impulse $p_n$", fontsize=10)
    axes.legend(fontsize=8, frameon=True, framealpha=0.9, edgecolor="none", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    gain = " (energy added!)" if outcome.added_energy else ""
    axes.set_title(f"{outcome.law}: {outcome.region_name}{gain}", fontsize=10, loc="left")
    return figure  # type: ignore[return-value]


@drawn_from("DataFrame")
def plot_law_comparison(table: pd.DataFrame, *, title: str | None = None) -> Figure:
    """Velocities after, energy loss and impulse ratio of a ``compare_laws`` table; red where a law adds energy.

    >>> table = jounce.compare_laws("mu", [0.0, 0.3, 0.6], A=2.3, B=-0.7, C=1.4, v_t=1.0, v_n=-1.0, e=0.5)
    >>> jounce.plot.plot_law_comparison(table).savefig("laws.png")
    """
    sweep = table.attrs["sweep"]
    figure = style.new_figure(10.0, 7.0)
    panels = figure.subplots(2, 2, sharex=True).ravel()
    table = table.assign(ratio=table["p_t"] / table["p_n"].where(table["p_n"] > 0.0))
    for axes, (column, words) in zip(panels, _PANELS.items(), strict=True):
        style.tidy(axes)
        for name, part in table.groupby("law", sort=False):
            colour, dashes, width = _STYLES[Law.parse(str(name))]
            places, values = _broken_at_jumps(part[sweep].to_numpy(dtype=float), part[column].to_numpy(dtype=float))
            axes.plot(places, values, color=colour, linestyle=dashes, linewidth=width,
                      label=str(name).replace("_", " "))  # fmt: skip
            if column == "energy_loss" and part["added_energy"].any():
                gained = part[part["added_energy"]]
                axes.plot(gained[sweep], gained[column], ".", color="#CC0000", markersize=4, zorder=5)
        axes.set_ylabel(words, fontsize=10)
    if table["added_energy"].any():
        panels[2].plot([], [], ".", color="#CC0000", markersize=6, label="energy added")
        panels[2].axhline(0.0, color=style.INK, linewidth=0.7)
    for axes in panels[2:]:
        axes.set_xlabel(_SYMBOLS.get(sweep, sweep), fontsize=10)
    handles, labels = panels[2].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=9, frameon=False, handlelength=3.5)
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def save_impact_laws_picture(path: str | Path) -> Path:
    """Draw the picture of docs/impact-laws.md: a slanted rod's end hits the ground at different slip velocities."""
    # A uniform rod, mass 1, half length 1, 0.4 rad from the ground, its lower end arriving at speed 1.
    x, y, inertia = np.cos(0.4), np.sin(0.4), 1.0 / 3.0
    A, B, C = 1.0 + y * y / inertia, -x * y / inertia, 1.0 + x * x / inertia
    table = compare_laws("v_t", np.linspace(-0.6, 1.6, 881), A=A, B=B, C=C, v_n=-1.0, mu=0.45, e=0.8)
    title = "One end of a slanted rod hits the ground: every law, the same impact (μ = 0.45, e = 0.8, $v_n^-$ = −1)"
    figure = plot_law_comparison(table, title=title)
    target = Path(path)
    figure.savefig(target)
    return target


def _draw_cone(axes: Axes, mu: float, reach_n: float) -> None:
    if mu == 0.0:
        return
    top = np.array([0.0, reach_n])
    axes.fill_betweenx(top, -mu * top, mu * top, color="#000000", alpha=0.06, linewidth=0, label="friction cone")


def _draw_lines(axes: Axes, outcome: ImpactOutcome, reach_t: float, reach_n: float) -> None:
    """v_t = 0: v_t^- + A p_t + B p_n = 0;  v_n = 0: v_n^- + B p_t + C p_n = 0."""
    A, B, C, v_t, v_n = (outcome.inputs[name] for name in ("A", "B", "C", "v_t", "v_n"))
    p_t = np.linspace(-reach_t, reach_t, 2)
    p_n = np.linspace(0.0, reach_n, 2)
    if A > 0.0:
        axes.plot(-(v_t + B * p_n) / A, p_n, color=style.GREY, linewidth=1.0, linestyle="--", label="$v_t$ = 0")
    axes.plot(p_t, -(v_n + B * p_t) / C, color=style.GREY, linewidth=1.0, linestyle=":", label="$v_n$ = 0")


def _broken_at_jumps(places: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A curve with NaN within each jump, so that a discontinuous law is not drawn with vertical strokes.

    A step is a jump if it is large and the steps on both sides of it are much smaller: where a curve is only steep, one
    of them is about as large.
    """
    span = float(np.nanmax(values) - np.nanmin(values)) if np.isfinite(values).any() else 0.0
    steps = np.abs(np.diff(values))
    around = np.pad(np.nan_to_num(steps), 1)
    jumps = np.flatnonzero(steps > np.maximum(_LARGE * span, _ALONE * np.maximum(around[:-2], around[2:]))) + 1
    return np.insert(places, jumps, np.nan), np.insert(values, jumps, np.nan)

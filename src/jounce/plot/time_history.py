"""Coordinates over time, with the modes of the contacts shaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jounce.model.names import is_integral, velocity_name
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.plot.sampling import columns, sample
from jounce.plot.shapes import level_floor
from jounce.plot.touching import shown_contacts
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode, mode_codes
from jounce.simulation.options import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory

#: Heights of panels: of curves, of discrete states; how many of the latter are shown unasked, how many resets at all.
_HIGH, _LOW = 1.55, 0.8
_MOST_STATES, _MOST_RESETS = 4, 200
#: The least span of a panel, by the largest value in its unit: what a joint holds in place moves by rounding.
_LEAST_SPAN = 1e-12
#: Where contacts differ, the background shows the mode that constrains most.
_PRECEDENCE = (Mode.STICK, Mode.PRESSED, Mode.SLIP_POSITIVE, Mode.SLIP_NEGATIVE)


@drawn_from("Trajectory")
def plot_time_history(run: Trajectory, names: Sequence[str] | None = None) -> Figure:
    """One panel a variable over a strip with the mode of every contact; a tick is an impact, a dotted line a reset.

    Of more than twelve contacts the strip has those that touch.

    names: coordinates, velocities (d_theta), internal or discrete states; by default the coordinates, for a single one
    its velocity too, and the states.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> jounce.plot.plot_time_history(run, ["y", "d_y"]).savefig("history.png")
    """
    discrete = run.model.states
    chosen = _default_names(run) if names is None else list(check_names("names", names))
    smooth = [name for name in chosen if name not in discrete]
    which = columns(run, smooth)
    rows = shown_contacts(run)
    strip = 0.28 + 0.26 * len(rows)
    heights = [_LOW if name in discrete else _HIGH for name in chosen] + ([strip] if rows else [])
    figure = style.new_figure(9.0, sum(heights) + 0.9 + (0.0 if rows else strip))
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    units = {**run.variables(), **{name: state.unit for name, state in discrete.items()}}
    for axes, name in zip(panels, chosen, strict=False):
        style.tidy(axes)
        _shade(axes, run)
        _mark_resets(axes, run)
        axes.set_ylabel(style.label(name, units[name]), fontsize=10)
        if name in discrete:
            axes.step(run["t"], run[name], where="post", color=style.INK, linewidth=1.0)
            axes.margins(y=0.2)
    times, states = sample(run)
    curves = [axes for axes, name in zip(panels, chosen, strict=False) if name not in discrete]
    for axes, name, column in zip(curves, smooth, which, strict=True):
        if name == "y":
            _draw_floor(axes, run)
        axes.plot(times, states[:, column], color=style.INK, linewidth=1.0)
        alike = [other for other, one in zip(which, smooth, strict=True) if units[one] == units[name]]
        _widen(axes, _LEAST_SPAN * float(np.abs(states[:, alike]).max(initial=0.0)))
    if rows:
        _draw_strip(panels[-1], run, rows)
    panels[-1].set_xlabel("t [s]", fontsize=10)
    panels[-1].set_xlim(run.t_start, run.t_end if run.t_end > run.t_start else run.t_start + 1.0)
    figure.align_ylabels(list(panels))
    _add_legend(figure, run)
    figure.suptitle(_title(run), fontsize=11, x=0.01, ha="left")
    return figure


def _default_names(run: Trajectory) -> list[str]:
    shown = [name for name in run.coordinates if not is_integral(name)]
    velocities = [velocity_name(shown[0])] if len(shown) == 1 else []
    return [*shown, *velocities, *run.model.internal_states, *list(run.model.states)[:_MOST_STATES]]


def _reset_times(run: Trajectory) -> np.ndarray:
    """When resets acted; none where they lie closer than one can see."""
    times = run.data.event_float[run.data.event_int[:, 0] == EventKind.RESET, 0]
    return times if len(times) <= _MOST_RESETS else times[:0]


def _mark_resets(axes: Axes, run: Trajectory) -> None:
    for t in _reset_times(run):
        axes.axvline(t, color=style.GREY, linewidth=0.8, linestyle=":", zorder=1)


def _widen(axes: Axes, least: float) -> None:
    """Let the panel show at least this span, around what it shows."""
    low, high = axes.get_ylim()
    if high - low < least:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)


def _title(run: Trajectory) -> str:
    varied = [name for name, value in run.model.defaults.items() if run.parameters[name] != value]
    shown = ", ".join(f"{style.symbol(name)}={run.parameters[name]:g}" for name in varied)
    return f"{run.model.name}   {shown}" if shown else run.model.name


def _shade(axes: Axes, run: Trajectory) -> None:
    """Colour the background of a panel by the mode of the system."""
    codes = mode_codes(run.data.step_mode, len(run.contacts))
    dominant = np.zeros(len(codes), dtype=int)
    for mode in reversed(_PRECEDENCE):
        dominant[(codes == int(mode)).any(axis=1)] = int(mode)
    edges = np.append(run.data.step_t, run.t_end)
    first = np.flatnonzero(np.diff(dominant, prepend=-1))
    ends = np.append(edges[first[1:]], edges[-1])
    for mode, colour in style.MODE_SHADES.items():
        spans = [(a, b - a) for a, b, k in zip(edges[first], ends, first, strict=True) if dominant[k] == mode]
        axes.broken_barh(spans, (0, 1), color=colour, linewidth=0, transform=axes.get_xaxis_transform(), zorder=0)


def _draw_strip(axes: Axes, run: Trajectory, contacts: tuple[str, ...]) -> None:
    """The mode of every contact as a bar, impacts as ticks."""
    events = run.data.event_int
    style.tidy(axes)
    axes.grid(False)
    for row, contact in enumerate(contacts):
        spans: dict[Mode, list[tuple[float, float]]] = {}
        for start, end, mode in run.mode_intervals(contact):
            spans.setdefault(mode, []).append((start, end - start))
        for mode, bars in spans.items():
            colour = style.MODE_SHADES.get(mode, "#F3F3F3")
            axes.broken_barh(bars, (row - 0.4, 0.8), color=colour, linewidth=0)
        hits = (events[:, 1] == run.contacts.index(contact)) & np.isin(
            events[:, 0], (EventKind.IMPACT, EventKind.CHATTER)
        )
        axes.vlines(run.data.event_float[hits, 0], row - 0.4, row + 0.4, color=style.RED, linewidth=0.8)
    axes.set_yticks(range(len(contacts)), contacts)
    axes.set_ylim(len(contacts) - 0.45, -0.55)


def _draw_floor(axes: Axes, run: Trajectory) -> None:
    """A level floor of the drawing beside the height above it."""
    times = np.linspace(run.t_start, run.t_end, 2000)
    height = level_floor(run, times)
    if height is not None:
        axes.plot(times, height, color=style.GREY, linewidth=0.8, zorder=1.5)
        bottom = min(axes.get_ylim()[0], float(height.min()))
        axes.fill_between(times, height, bottom, color=style.GREY, alpha=0.15, linewidth=0, zorder=1)


def _add_legend(figure: Figure, run: Trajectory) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = np.unique(mode_codes(run.data.step_mode, len(run.contacts)))
    handles: list[Patch | Line2D] = [
        Patch(color=colour, label=str(mode)) for mode, colour in style.MODE_SHADES.items() if int(mode) in seen
    ]
    if np.isin(run.data.event_int[:, 0], (EventKind.IMPACT, EventKind.CHATTER)).any():
        handles.append(Line2D([], [], color=style.RED, marker="|", linestyle="none", markersize=9, label="impact"))
    if len(_reset_times(run)):
        handles.append(Line2D([], [], color=style.GREY, linestyle=":", label="reset"))
    if handles:
        figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), fontsize=9, frameon=False)

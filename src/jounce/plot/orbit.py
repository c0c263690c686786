"""A periodic orbit: its portrait with the modes in colour, and its multipliers in the unit circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.plot import style
from jounce.plot.drawn import check_kind, drawn_from
from jounce.plot.sampling import columns, jump_times
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit


@drawn_from("PeriodicOrbit")
def plot_orbit(orbit: PeriodicOrbit, coordinate: str | None = None, *, contact: str | None = None) -> Figure:
    """The path (coordinate, velocity) over one period, coloured by the mode of a contact, and the multipliers.

    coordinate   default: the first that moves
    contact      default: the first

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> jounce.plot.plot_orbit(orbit, "y").savefig("orbit.png")
    """
    figure = style.new_figure(9.2, 4.4)
    portrait, circle = figure.subplots(1, 2, width_ratios=(1.6, 1.0))
    _portrait(portrait, orbit, coordinate or _moving(orbit), contact)
    _circle(circle, [orbit])
    if portrait.get_legend_handles_labels()[1]:
        portrait.legend(fontsize=8, frameon=False)
    forcing = f" = {orbit.forcing_periods} forcing periods" if orbit.forcing_periods else ""
    word = "stable" if orbit.stable else "unstable"
    figure.suptitle(f"{orbit.system.model.name}: period {orbit.period:.6g} s{forcing}, {word}", fontsize=11)
    return figure


def plot_multipliers(orbits: PeriodicOrbit | list[PeriodicOrbit]) -> Figure:
    """The multipliers of one or more orbits and the unit circle.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> jounce.plot.plot_multipliers(orbit).savefig("multipliers.png")
    """
    chosen = orbits if isinstance(orbits, list) else [orbits]
    for orbit in chosen:
        check_kind("plot_multipliers", orbit, "PeriodicOrbit")
    figure = style.new_figure(4.6, 4.6)
    _circle(figure.subplots(), chosen)
    return figure


def _moving(orbit: PeriodicOrbit) -> str:
    run = orbit.run
    ranges = np.ptp(run.states(np.linspace(run.t_start, run.t_end, 200)), axis=0)
    moving = np.flatnonzero(ranges[: orbit.system.n] > 1e-3 * ranges[: orbit.system.n].max())
    return orbit.system.coordinate_names[int(moving[0]) if len(moving) else 0]


def _portrait(axes: Axes, orbit: PeriodicOrbit, coordinate: str, contact: str | None) -> None:
    run = orbit.run
    style.tidy(axes)
    x, y = columns(run, [coordinate, f"d_{coordinate}"])
    spans = [(run.t_start, run.t_end, Mode.OPEN)]
    if run.contacts:
        spans = run.mode_intervals(contact or run.contacts[0])
    events = np.unique(run.data.event_float[:, 0])
    named: set[Mode] = set()
    for begin, end, mode in spans:
        inside = events[(events > begin) & (events < end)]
        for a, b in zip([begin, *inside], [*inside, end], strict=True):
            times = np.linspace(a, b, 200)[1:-1]
            path = np.vstack([run.states([a]), run.states(times), run.states([b], side="left")])
            label = None if mode in named else str(mode)
            named.add(mode)
            colour = style.BLUE if mode is Mode.OPEN else style.MODE_COLOURS[mode]
            axes.plot(path[:, x], path[:, y], color=colour, linewidth=1.4, label=label)
    jumps = jump_times(run)
    dashes: dict[str, Any] = {"color": style.RED, "linewidth": 0.8, "linestyle": (0, (4, 3))}
    for left, right in zip(run.states(jumps, side="left"), run.states(jumps), strict=True):
        axes.plot([left[x], right[x]], [left[y], right[y]], **dashes)
    if len(jumps):
        axes.plot([], [], **dashes, label="jump")
    units = run.variables()
    axes.set_xlabel(style.label(coordinate, units[coordinate]), fontsize=10)
    axes.set_ylabel(style.label(f"d_{coordinate}", units[f"d_{coordinate}"]), fontsize=10)


def _circle(axes: Axes, orbits: list[PeriodicOrbit]) -> None:
    style.tidy(axes)
    angle = np.linspace(0, 2 * np.pi, 200)
    axes.plot(np.cos(angle), np.sin(angle), color=style.GREY, linewidth=0.8)
    for k, orbit in enumerate(orbits):
        values, trivial = orbit.multipliers, orbit.trivial
        colour = style.LINES[k % len(style.LINES)]
        axes.plot(values[~trivial].real, values[~trivial].imag, "o", color=colour, markersize=5)
        axes.plot(values[trivial].real, values[trivial].imag, "o", color=colour, markersize=7, fillstyle="none")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("Re multiplier (open: trivial)", fontsize=10)
    axes.set_ylabel("Im multiplier", fontsize=10)

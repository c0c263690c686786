"""Bifurcation diagrams: the section points of the attractors over the parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.attractors.table import AttractorKind
from jounce.errors import OptionError, suggestion
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.simulation.section import Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.analysis.attractors.diagram import Diagram

COLOURINGS = ("start", "direction", "kind", "period")
_DIRECTION_COLOURS = {"up": style.BLUE, "down": style.RED, "random": style.INK}
_KIND_COLOURS = {
    AttractorKind.REST: "#009E73",
    AttractorKind.PERIODIC: style.BLUE,
    AttractorKind.CHAOTIC: "#777777",
    AttractorKind.UNSETTLED: "#8C510A",
    AttractorKind.STOPPED: "#7F0000",  # unlike the second start
}
_CHAOS = "#777777"
_LONG = "#35506B"
#: What varies by less than this part of the way between two points, or of the speed, is the same.
_SAME = 1e-9
LONG_PERIOD = 32  # returns: a longer orbit is drawn as finely as a cloud


@drawn_from("Diagram")
def plot_diagram(
    diagram: Diagram,
    quantity: str | None = None,
    *,
    colour: str = "start",
    marks: Mapping[str, tuple[float, float]] | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Dots (parameter, quantity at the section), rasterised; clouds and long periods finer, since no start owns them.

    quantity   a coordinate, a velocity, "t" or "return_time"; default: the first that is not the same at all points
    colour     by "start", "direction", "kind" of attractor or its "period"
    axes       to draw into, over what is there; default: those of a new figure
    marks      {"p1": (parameter, quantity)}: labelled points

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> diagram = jounce.sweep(system, "omega", [3.3, 3.4], "phase:0", {"y": 6.0}, e=0.8, transient=100)
    >>> jounce.plot.plot_diagram(diagram, "y").savefig("diagram.png")
    """
    if colour not in COLOURINGS:
        raise OptionError(f"colour is {colour!r}; {suggestion(colour, COLOURINGS, 'colourings')}")
    quantity = quantity or _first_that_varies(diagram)
    figure = style.new_figure(8.0, 5.0) if axes is None else axes.get_figure(root=True)
    assert figure is not None
    axes = figure.subplots() if axes is None else axes
    style.tidy(axes)
    seen = _draw_points(axes, diagram, quantity, colour)
    for text, (x, y) in (marks or {}).items():
        axes.plot(x, y, "o", markersize=6, markerfacecolor="none", markeredgecolor=style.INK, zorder=5)
        axes.annotate(text, (x, y), xytext=(6, 6), textcoords="offset points", fontsize=10, zorder=5)
    units = _units(diagram)
    parameter = diagram.parameter
    axes.set_xlabel(style.label(parameter, diagram.model.parameters[parameter].unit), fontsize=10)
    where = section_words(diagram.section)
    axes.set_ylabel(f"{style.label(quantity, units.get(quantity, ''))} {where}", fontsize=10)
    margin = 0.01 * (diagram.values[-1] - diagram.values[0]) or 0.5
    axes.set_xlim(diagram.values[0] - margin, diagram.values[-1] + margin)
    fixed = ", ".join(f"{style.symbol(name)} = {value:g}" for name, value in diagram.description["parameters"].items())
    axes.set_title(f"{diagram.model.name}{': ' if fixed else ''}{fixed}", fontsize=11, loc="left")
    _draw_legend(axes, seen)
    return figure  # type: ignore[return-value]


def _first_that_varies(diagram: Diagram) -> str:
    """A coordinate, else a velocity: at impacts with a wall that does not move its place says nothing."""
    coordinates = list(diagram.model.coordinates)
    period = max(high for _, high in _ranges(diagram, "return_time"))
    for name in (*coordinates, *(f"d_{name}" for name in coordinates)):
        low, high = np.transpose(list(_ranges(diagram, name)))
        speed = np.max(np.abs(list(_ranges(diagram, f"d_{name}" if name in coordinates else name))))
        way = speed * period if name in coordinates else speed
        if np.max(high) - np.min(low) > _SAME * way:
            return name
    return coordinates[0]


def _ranges(diagram: Diagram, quantity: str) -> Iterator[tuple[float, float]]:
    """The smallest and the largest of all points, chunk by chunk; zeros where there are none."""
    found = [part.quantity for part in diagram.points(quantity) if len(part.quantity)]
    yield from ((float(np.min(values)), float(np.max(values))) for values in found or [np.zeros(1)])


def _draw_points(axes: Axes, diagram: Diagram, quantity: str, colour: str) -> dict[str, str]:
    """Draw all points; returns what was drawn, label -> colour."""
    groups: dict[tuple[str, str, bool], list[np.ndarray]] = {}
    for part in diagram.points(quantity):
        # periods of one look count as one: all long ones, and all others where something else has a colour
        period = np.where(part.period > LONG_PERIOD, LONG_PERIOD + 1, part.period if colour == "period" else 1)
        for kind, own in {*zip(part.kind.tolist(), period.tolist(), strict=True)}:
            chosen = (part.kind == kind) & (period == own)
            cloud = own > LONG_PERIOD or kind in _CLOUDS
            key = (*_look(diagram, part.lane, AttractorKind(kind), own, colour), cloud)
            groups.setdefault(key, []).append(np.column_stack([part.parameter[chosen], part.quantity[chosen]]))
    for (_, shade, cloud), parts in sorted(groups.items(), key=lambda entry: (not entry[0][2], entry[0])):
        points = np.concatenate(parts)
        size = _dot(len(diagram.values)) / (2.0 if cloud else 1.0)
        axes.plot(
            points[:, 0],
            points[:, 1],
            linestyle="none",
            marker="," if size <= 1.0 else ".",
            markersize=size,
            markeredgewidth=0,
            color=shade,
            alpha=_faintness(len(points)) if cloud else 1.0,
            rasterized=True,
            zorder=1 if cloud else 2,
        )
    return {text: shade for text, shade, _ in groups}


def _dot(values: int) -> float:
    """Size of a dot, pt: few values are far apart and need larger ones to be seen."""
    return float(np.clip(800.0 / values, 2.0, 6.0))


_CLOUDS = (AttractorKind.CHAOTIC, AttractorKind.UNSETTLED)


def _faintness(points: int) -> float:
    """Fewer dots are darker: a picture has about a third of a million places."""
    return float(np.clip(3e5 / max(points, 1), 0.12, 0.8))


def _look(diagram: Diagram, lane: int, kind: AttractorKind, period: int, colour: str) -> tuple[str, str]:
    """(label, colour) of the points of a lane."""
    row = diagram.lanes.iloc[lane]
    if period > LONG_PERIOD and kind is AttractorKind.PERIODIC:
        return f"period above {LONG_PERIOD}", _LONG
    if colour == "period":
        return _period_look(kind, period)
    if colour == "kind":
        return str(kind), _KIND_COLOURS[kind]
    if kind in _CLOUDS:
        return str(kind), _CHAOS if kind is AttractorKind.CHAOTIC else _KIND_COLOURS[kind]
    if colour == "direction" or row.direction == "random":
        words = {"up": "upwards", "down": "downwards", "random": "periodic, from random starts"}
        return words[row.direction], _DIRECTION_COLOURS[row.direction]
    if kind is AttractorKind.STOPPED:
        return "stopped", _KIND_COLOURS[kind]
    which = f", start {row.start}" if diagram.lanes.start.nunique() > 1 else ""
    return f"settled{which}", style.LINES[int(row.start) % len(style.LINES)]


def _period_look(kind: AttractorKind, period: int) -> tuple[str, str]:
    """Periods of a cascade 1, 2, 4, ..., 32 and of 3, 6, 12 have different colours."""
    if kind in _CLOUDS or period < 1:
        return "no period", _CHAOS
    doublings = (period & -period).bit_length() - 1
    odd = period >> doublings
    return f"period {period}", style.LINES[(doublings + 3 * (odd // 2)) % len(style.LINES)]


def section_words(text: str) -> str:
    """Where a section is, for an axis: ``where dy/dt = 0, falling``."""
    section = Section.parse(text)
    way = {1: ", rising", -1: ", falling", 0: ""}[section.direction]
    if section.kind == "phase":
        return f"at t = {section.fraction:g} T" if section.fraction else "at t = 0 (mod T)"
    if section.kind == "event":
        return f"after {section.contact} {section.name}".replace("  ", " ")
    if section.kind == "guard":
        return f"where {section.name} = 0{way}"
    return f"where {style.symbol(section.name)} = {section.value:g}{way}"


def _units(diagram: Diagram) -> dict[str, str]:
    return {**diagram.model.coordinates, **diagram.model.velocity_units, "t": "s", "return_time": "s"}


def _draw_legend(axes: Axes, seen: dict[str, str]) -> None:
    there = axes.get_legend_handles_labels()[1]
    if len({*seen, *there}) < 2:
        return
    for text, shade in sorted(seen.items()):
        if text not in there:
            axes.plot([], [], "o", markersize=5, color=shade, label=text)
    axes.legend(fontsize=8, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.3)

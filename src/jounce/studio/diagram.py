"""The Diagram panel: attractors over a parameter, streamed while they are found, anew for every view.

The lanes of a view that lies inside the one before start where that one's attractors were at the edge, so that zooming
follows the branches on the screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.errors import OptionError
from jounce.studio import limits
from jounce.studio.catalogue import Entry
from jounce.studio.jobs import Job
from jounce.studio.motion import read_options, read_start
from jounce.studio.protocol import Fields
from jounce.studio.raster import Raster
from jounce.studio.streaming import DiagramStream

if TYPE_CHECKING:
    from jounce import Options, State
    from jounce.analysis.attractors.search import AttractorSearch

DIRECTIONS = ("up", "down", "both")


@dataclass(eq=False)
class Lane:
    """One start followed in one direction: where it began, and the ends of what it has met so far."""

    direction: str
    value: float
    state: State
    values: list[np.ndarray] = field(default_factory=list)
    ends: list[np.ndarray] = field(default_factory=list)

    def nearest(self, value: float, beyond: bool = False) -> tuple[float, np.ndarray] | None:
        """The value nearest to one asked for and the end (phase, q, u) there; ``beyond``: not past it on the way."""
        if not self.values:
            return None
        values, ends = np.concatenate(self.values), np.concatenate(self.ends)
        there = np.isfinite(ends).all(axis=1)
        if beyond:
            there &= (values <= value) if self.direction == "up" else (values >= value)
        if not there.any():
            return None
        k = int(np.flatnonzero(there)[np.argmin(np.abs(values[there] - value))])
        return float(values[k]), ends[k]

    def described(self) -> dict[str, Any]:
        """For the page, and for sessions."""
        return {"direction": self.direction, "value": self.value, "state": self.state.as_dict()}


@dataclass(frozen=True, eq=False)
class Diagram:
    """A diagram as asked for, and the lanes as far as they have come.

    raster   of the points relative to y0
    y0       the origin of what is sent, so that 32 bits hold a deep zoom
    """

    entry: Entry
    search: AttractorSearch
    values: np.ndarray
    quantity: str
    lanes: list[Lane]
    raster: Raster
    y0: float

    @property
    def parameter(self) -> str:
        """The name of what is varied."""
        return str(self.search.parameter)

    @property
    def options(self) -> Options:
        """How it is computed."""
        return self.search.options

    def state_of(self, value: float, point: np.ndarray) -> State:
        """The state of a point (phase, q, u) at a value of the parameter."""
        period = float(self.search.periods(np.array([value]))[0])
        n = self.entry.system.n
        t = float(point[0]) * (period if period > 0.0 else 1.0)
        system = self.entry.system
        memory = point[2 * n + 1 : 2 * n + 1 + len(system.model.memory)]
        names = system.coordinate_names
        return jounce.State(t, point[1 : n + 1], point[n + 1 : 2 * n + 1], names, memory, states=system.state_names)


def read_diagram(fields: Fields, entry: Entry, before: Diagram | None) -> Diagram:
    """The diagram that a request describes."""
    from jounce.analysis.attractors.search import AttractorSearch

    system = entry.system
    parameter = fields.choice("parameter", system.parameter_names)
    low = fields.number("from")
    high = fields.number("to")
    if not low < high:
        raise OptionError(f"the diagram reaches from {low:g} to {high:g}; the second must be larger")
    count = fields.integer("values", 600, low=2, high=limits.PARAMETER_VALUES)
    keep = fields.integer("keep", 60, low=1, high=limits.RETURNS)
    transient = fields.integer("transient", 300, low=0, high=limits.RETURNS)
    fixed = {k: v for k, v in fields.numbers("parameters", system.parameter_names).items() if k != parameter}
    section = jounce.Section.parse(fields.text("section"))
    values = np.linspace(low, high, count)
    search = AttractorSearch(
        system, section, parameter, fixed, transient, keep, options=read_options(fields)
    ).settled(values)  # fmt: skip
    quantity = fields.choice("quantity", search.quantities, default=system.coordinate_names[0])
    lanes = _lanes(fields, entry, search, values, before)
    if transient + keep > limits.RETURNS:
        raise OptionError(f"transient and keep are {transient + keep:,} returns; at most {limits.RETURNS:,} are taken")
    if count * keep * len(lanes) > limits.DIAGRAM_POINTS:
        wanted = f"{count} values x {keep} kept x {len(lanes)} lanes"
        raise OptionError(f"{wanted} may be {count * keep * len(lanes):,} points; at most {limits.DIAGRAM_POINTS:,}")
    search.check(values, [(lane.value, lane.state) for lane in lanes])
    side = {"low": 16, "high": limits.RASTER_SIDE}
    raster = Raster(fields.integer("width", 900, **side), fields.integer("height", 500, **side))
    y0 = fields.number("y0", 0.0)
    if "low" in fields and "high" in fields:
        raster.fix(fields.number("low") - y0, fields.number("high") - y0)
    return Diagram(entry, search, values, quantity, lanes, raster, y0)


def _lanes(
    fields: Fields, entry: Entry, search: AttractorSearch, values: np.ndarray, before: Diagram | None
) -> list[Lane]:
    """As a session says, as the diagram before ended at the edge, or from the start of the knobs."""
    given = fields.groups("lanes", limits.LANES)
    if given:
        return [_given_lane(lane, entry) for lane in given]
    if fields.content.get("zoom") and before is not None:
        return [_zoomed_lane(lane, before, values) for lane in before.lanes]
    direction = fields.choice("direction", DIRECTIONS, default="up")
    ways = ("up", "down") if direction == "both" else (direction,)
    t = fields.number("t_start", 0.0)
    lanes = []
    for start in (fields, *fields.groups("starts", limits.LANES // 2 - 1)):
        for way in ways:
            edge = float(values[0] if way == "up" else values[-1])
            at_edge: dict[str, Any] = {**search.parameters, str(search.parameter): edge}
            lanes.append(Lane(way, edge, read_start(start, entry, t, at_edge)))
    return lanes


def _given_lane(lane: Fields, entry: Entry) -> Lane:
    state = lane.numbers("state", ("t", *entry.start_names))
    t = state.pop("t", 0.0)
    return Lane(lane.choice("direction", DIRECTIONS[:2]), lane.number("value"), entry.system.state(t=t, **state))


def _zoomed_lane(lane: Lane, before: Diagram, values: np.ndarray) -> Lane:
    """The same branch, from the edge of the new view on."""
    edge = float(values[0] if lane.direction == "up" else values[-1])
    found = lane.nearest(edge, beyond=True) or lane.nearest(edge)
    if found is None:
        return Lane(lane.direction, edge, lane.state)
    value, point = found  # a point on a surface lies on it at its own value only
    return Lane(lane.direction, value, before.state_of(value, point))


def _size(diagram: Diagram) -> float:
    """How large the quantity shown is at the starts; 0 for what is no part of the state."""
    from jounce.analysis.scales import start_sizes

    system, search = diagram.entry.system, diagram.search
    names = (*system.coordinate_names, *system.velocity_names)
    if diagram.quantity not in names:
        return 0.0
    k = names.index(diagram.quantity)
    sizes = [start_sizes(system, search.at(lane.value).parameters, lane.state, {}) for lane in diagram.lanes]
    return float(np.max([size[k] for size in sizes]))


def send_diagram(job: Job, diagram: Diagram) -> None:
    """Follow all lanes, as many at a time as there are cores, and send what they find."""
    units = {**diagram.entry.model.coordinates, **diagram.entry.model.velocity_units}
    head = {
        "parameter": diagram.parameter,
        "from": diagram.values[0],
        "to": diagram.values[-1],
        "quantity": diagram.quantity,
        "unit": units.get(diagram.quantity, ""),
        "parameter_unit": diagram.entry.model.parameters[diagram.parameter].unit,
        "section": str(diagram.search.section),
        "y0": diagram.y0,
        "size": _size(diagram),
        "lanes": [lane.described() for lane in diagram.lanes],
    }
    job.send("diagram", head)
    DiagramStream(job, diagram).run()

"""A click in the diagram: the motion of the point nearest to it, and the branch of periodic orbits through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.errors import OptionError
from jounce.studio import limits
from jounce.studio.catalogue import Entry
from jounce.studio.diagram import Diagram
from jounce.studio.jobs import Job
from jounce.studio.protocol import Fields

if TYPE_CHECKING:
    from jounce import Branch, State

SAME = 1e-6  # relative to the orbit's period: returns that add up to it within this are one period


@dataclass(frozen=True, eq=False)
class Picked:
    """The section point nearest to a click.

    period   returns until it repeats; 0: not within what was searched
    """

    value: float
    state: State
    distance: float
    period: int

    def described(self) -> dict[str, Any]:
        """For the page, and for sessions."""
        return {"value": self.value, "state": self.state.as_dict(), "period": self.period}


def read_seed(fields: Fields, entry: Entry) -> dict[str, Any]:
    """Where a branch was picked, as a session keeps it."""
    return {
        "value": fields.number("value"),
        "state": fields.numbers("state", ("t", *entry.start_names)),
        "period": fields.integer("period", low=1, high=limits.RETURNS_SEARCHED),
    }


def pick(diagram: Diagram, fields: Fields) -> Picked:
    """Iterate the attractors of all lanes at the clicked value; take the point nearest in the quantity shown."""
    value, y = fields.number("value"), fields.number("y")
    best: Picked | None = None
    for lane in diagram.lanes:
        found = lane.nearest(value)
        if found is None:
            continue
        nearest = _nearest_sample(diagram, *found, y)
        if nearest is not None and (best is None or nearest.distance < best.distance):
            best = nearest
    if best is None:
        raise OptionError(f"there is no attractor with section points at {diagram.parameter} = {value:g}")
    return best


def _nearest_sample(diagram: Diagram, value: float, point: np.ndarray, y: float) -> Picked | None:
    section_map = diagram.search.at(value)
    count = min(max(diagram.search.keep, 64), limits.RETURNS_SEARCHED)
    samples = section_map.iterate(diagram.state_of(value, point), count)
    if not len(samples):
        return None
    column = samples[diagram.quantity]
    k = int(np.argmin(np.abs(column - y)))
    return Picked(value, samples.state(k), float(abs(column[k] - y)), _period(samples.array[:, 6:]))


def _period(states: np.ndarray) -> int:
    """After how many returns the last point comes back; 0 where it does not."""
    last = states[-1]
    near = (np.abs(states[:-1] - last) <= 1e-6 * np.abs(states).max(axis=0)).all(axis=1)
    found = np.flatnonzero(near)
    return int(len(states) - 1 - found[-1]) if len(found) else 0


def send_picked(job: Job, diagram: Diagram, fields: Fields) -> None:
    """The start and the parameters of the clicked motion; the page asks for the motion itself."""
    found = pick(diagram, fields)
    state = found.state.as_dict()
    t = state.pop("t")
    kind = f"period {found.period}" if found.period else "does not repeat"
    job.send("picked", {"parameter": diagram.parameter, "value": found.value, "t": t, "start": state, "kind": kind})


def pick_orbit(diagram: Diagram, fields: Fields) -> Picked:
    """A point of the periodic orbit that was clicked, or that a session has kept."""
    if "seed" in fields:
        seed = read_seed(fields.group("seed"), diagram.entry)
        return Picked(seed["value"], diagram.entry.system.state(**seed["state"]), 0.0, seed["period"])
    found = pick(diagram, fields)
    if not found.period:
        raise OptionError(
            f"the motion at {diagram.parameter} = {found.value:g} does not repeat within "
            f"{limits.RETURNS_SEARCHED} returns; click on a periodic one"
        )
    return found


def follow_branch(job: Job, diagram: Diagram, found: Picked) -> Branch:
    """The branch of periodic orbits through a point, between the edges of the diagram."""
    parameters = {**diagram.search.parameters, diagram.parameter: found.value}
    section = str(diagram.search.section)
    orbit = jounce.find_orbit(diagram.entry.system, found.state, section, period=found.period, **parameters)  # type: ignore[arg-type]
    job.check()

    def progress(count: int, value: float) -> None:
        job.progress(min(1.0, count / limits.BRANCH_POINTS))

    bounds = (float(diagram.values[0]), float(diagram.values[-1]))
    return jounce.continue_orbit(orbit, diagram.parameter, bounds, max_points=limits.BRANCH_POINTS, progress=progress)


def send_branch(job: Job, diagram: Diagram, branch: Branch, number: int, found: Picked) -> None:
    """A branch as curves of the quantity shown, one for each crossing of the section in a period."""
    crossings = []
    for point in branch.points:
        job.check()
        crossings.append(_crossings(diagram, point.solution))
    most = max((len(column) for column in crossings), default=0)
    curves = np.full((most, len(crossings)), np.nan)
    for k, column in enumerate(crossings):
        curves[: len(column), k] = column
    specials = [
        {
            "kind": special.kind.replace("_", " "),
            "value": special.parameter,
            "y": _crossings(diagram, special.solution).tolist(),
            "text": special.explanation,
        }
        for special in branch.specials
    ]
    content = {"branch": number, "curves": most, "specials": specials, "ends": list(branch.ends)}
    content["seed"] = found.described()
    stable = branch.stable.astype(np.uint8)
    job.send("branch", content, [branch.values.astype(np.float64), stable, curves.ravel()])


def _crossings(diagram: Diagram, orbit: Any) -> np.ndarray:
    """The quantity at every crossing of the section within one period of an orbit."""
    section_map = diagram.search.at(orbit.parameters[diagram.parameter])
    count = 8
    while True:
        samples = section_map.iterate(orbit.state, count)
        total = np.cumsum(samples["return_time"])
        inside = int(np.searchsorted(total, orbit.period * (1.0 + SAME)))
        if inside < len(samples) or len(samples) < count or count >= limits.RETURNS_SEARCHED:
            return np.asarray(samples[diagram.quantity][:inside])
        count *= 4


def send_orbit(job: Job, branch: Branch, fields: Fields) -> None:
    """One orbit of a branch: its multipliers, its events, and the motion it is."""
    index = fields.integer("index", low=0, high=len(branch.points) - 1)
    orbit = branch.points[index].solution
    state = orbit.state.as_dict()
    t = state.pop("t")
    multipliers = [[float(value.real), float(value.imag)] for value in np.asarray(orbit.multipliers, complex)]
    content = {
        "parameter": branch.parameter,
        "value": orbit.parameters[branch.parameter],
        "t": t,
        "start": state,
        "period": orbit.period,
        "stable": bool(orbit.stable),
        "multipliers": multipliers,
        "text": repr(orbit),
    }
    job.send("orbit", content)

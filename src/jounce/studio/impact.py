"""The Impact panel: one impact under every law, and the Painlevé map of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

import jounce
from jounce.errors import JounceError, OptionError
from jounce.studio.catalogue import Entry
from jounce.studio.jobs import Job
from jounce.studio.protocol import Fields
from jounce.studio.session import EDGES, IMPACT

MAP_POINTS = 320  # most along each axis of a Painlevé map


def send_impact(job: Job, fields: Fields) -> None:
    """The path of one impact in the plane of impulses, under every law."""
    numbers: dict[str, Any] = {name: fields.number(name) for name in IMPACT}
    listed = []
    for law in jounce.Law:
        try:
            outcome = jounce.impact(law, **numbers)
        except JounceError as error:
            listed.append({"law": str(law), "error": str(error)})
            continue
        listed.append({**outcome.as_dict(), "path": outcome.path.tolist()})
    if all("error" in row for row in listed):
        raise OptionError(listed[0]["error"])
    job.send("impact", {"laws": listed})


def send_painleve(job: Job, fields: Fields, entry: Entry) -> None:
    """Where sliding has one solution, none or several, over two state variables, with its singular points."""
    system = entry.system
    if not entry.frictional:
        raise OptionError(f"{entry.model.name} has no contact with friction, so no paradox")
    names = entry.variables
    x, y = fields.choice("x", names), fields.choice("y", names)
    points = fields.integer("points", 160, low=16, high=MAP_POINTS)
    contact = fields.choice("contact", entry.frictional, default=entry.frictional[0])
    edges = {name: fields.number(name) for name in EDGES}
    over = {x: (edges["xFrom"], edges["xTo"]), y: (edges["yFrom"], edges["yTo"])}
    parameters: dict[str, Any] = fields.numbers("parameters", system.parameter_names)
    state = system.state(t=fields.number("t_start", 0.0), **fields.numbers("start", names))

    found = jounce.painleve.mode_map(system, over, contact, state=state, points=points, **parameters)
    modes = found.own_modes.astype(np.uint8)
    content = {"x": x, "y": y, **edges, "contact": contact, "points": points}
    job.send("painleve", {**content, "singular": []}, [modes.ravel()])
    singular = jounce.painleve.singular_points(system, over, contact, state=state, **parameters)
    listed = [{"x": point.state[x], "y": point.state[y], "kind": point.kind, "own": point.own} for point in singular]
    job.send("painleve", {**content, "singular": listed}, [modes.ravel()])

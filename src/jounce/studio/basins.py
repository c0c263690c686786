"""The Basins panel: which start of a plane leads where, coarse first, refined along the boundaries."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.errors import OptionError
from jounce.plot.labels import rounded_apart
from jounce.studio import limits
from jounce.studio.catalogue import Entry
from jounce.studio.jobs import Job
from jounce.studio.motion import read_options, read_start
from jounce.studio.protocol import Fields

if TYPE_CHECKING:
    from jounce.analysis.attractors.refinement import Refinement

KEPT = 32  # section points by which attractors are told apart
OTHER = 250  # beyond this many attractors they share a colour
LISTING = 0.5  # s between two lists of the attractors met so far
IMPOSSIBLE = 255  # what the page draws as a surface


def send_basins(job: Job, fields: Fields, entry: Entry) -> None:
    """Compute a plane level by level and send the cells of each as they are found."""
    from jounce.analysis.attractors.refinement import Refinement

    search, axes = _read(fields, entry)
    base = read_start(fields, entry, fields.number("t_start", 0.0), search.parameters)
    plane = Refinement(search, axes, base)
    units = {**entry.model.coordinates, **entry.model.velocity_units, "t": "s"}
    named = dict(zip(("x", "y"), axes, strict=True))
    job.send("basins", {**named, "units": [units[name] for name in axes], "size": plane.n})
    computed = known = 0
    listed = time.perf_counter()
    for level in plane.run(job.flag):
        computed += len(level.cells) if level.share else 0
        known += len(level.cells)
        shown = np.where(level.labels < 0, IMPOSSIBLE, np.minimum(level.labels, OTHER)).astype(np.uint8)
        content: dict[str, Any] = {"step": level.step, "fraction": known / plane.n**2}
        if time.perf_counter() - listed > LISTING:
            listed = time.perf_counter()
            content["attractors"] = _attractors(plane)
        job.send("basins-cells", content, [level.cells.astype(np.int32), shown])
    job.check()
    job.send("basins-done", {"attractors": _attractors(plane), "computed": computed, "cells": plane.n**2})


def _read(fields: Fields, entry: Entry) -> tuple[Any, dict[str, np.ndarray]]:
    from jounce.analysis.attractors.refinement import COARSEST
    from jounce.analysis.attractors.search import PATIENCE, AttractorSearch

    names = ("t", *entry.variables)
    x, y = fields.choice("x", names), fields.choice("y", names)
    if x == y:
        raise OptionError(f"both axes are {x}; a plane needs two")
    edges = {name: fields.number(name) for name in ("xFrom", "xTo", "yFrom", "yTo")}
    if not (edges["xFrom"] < edges["xTo"] and edges["yFrom"] < edges["yTo"]):
        raise OptionError("each axis must reach from a smaller to a larger number")
    size = fields.integer("size", 192, low=COARSEST, high=int(limits.BASIN_CELLS**0.5))
    size = max(COARSEST, size // COARSEST * COARSEST)
    transient = fields.integer("transient", 300, high=limits.RETURNS)
    parameters = fields.numbers("parameters", entry.system.parameter_names)
    section = jounce.Section.parse(fields.text("section"))
    search = AttractorSearch(
        entry.system, section, None, parameters, transient, KEPT, options=read_options(fields), patience=PATIENCE
    )  # fmt: skip
    axes = {x: np.linspace(edges["xFrom"], edges["xTo"], size), y: np.linspace(edges["yFrom"], edges["yTo"], size)}
    return search, axes


def _attractors(plane: Refinement) -> list[dict[str, Any]]:
    """What every colour means, and how much of the plane it covers."""
    possible = plane.labels[plane.labels >= 0]
    shares = np.bincount(possible, minlength=len(plane.matcher.known)) / max(len(possible), 1)
    texts = []
    for known, facts in zip(plane.matcher.known, plane.facts, strict=True):
        impacts = "1 impact" if facts["impacts"] == 1 else f"{facts['impacts']} impacts"
        texts.append(f"period {facts['period']}, {impacts}" if str(known.kind) == "periodic" else str(known.kind))
    listed: list[dict[str, Any]] = []
    for number, (known, where) in enumerate(zip(plane.matcher.known, _places(plane, texts), strict=True)):
        row = {"label": min(number, OTHER), "text": texts[number], "kind": str(known.kind), "where": where}
        listed.append({**row, "share": float(shares[number])})
    return sorted(listed, key=lambda row: -row["share"])[:OTHER]


def _places(plane: Refinement, texts: list[str]) -> list[tuple[str, float, float] | None]:
    """For attractors of the same text the quantity that tells them apart best, and its mean over their points.

    Beside it the mean as it is shown, rounded to what tells it apart: beside one of 3.14 one of 4e-18 is zero.
    """
    matcher = plane.matcher
    names = [plane.search.quantities[k] for k, counts in zip(plane.columns, matcher.counts, strict=True) if counts]
    places: list[tuple[str, float, float] | None] = [None] * len(texts)
    for text in set(texts):
        alike = [k for k, other in enumerate(texts) if other == text and len(matcher.known[k].points)]
        if len(alike) < 2:
            continue
        means = np.array([matcher.known[k].points.mean(axis=0) for k in alike])
        best = int(np.argmax(np.ptp(means, axis=0) / matcher.sizes))
        values = means[:, best]
        for k, mean, shown in zip(alike, values.tolist(), rounded_apart(values).tolist(), strict=True):
            places[k] = names[best], mean, shown
    return places

"""Sessions: everything on the screen as plain data, read back within bounds and never executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jounce.errors import OptionError
from jounce.studio import limits
from jounce.studio.catalogue import Catalogue, Entry
from jounce.studio.diagram import DIRECTIONS
from jounce.studio.motion import read_actions, read_options
from jounce.studio.picking import read_seed
from jounce.studio.protocol import Fields

VERSION = 1
PANELS = ("motion", "diagram", "basins", "impact", "session")
THEMES = ("light", "dark", "contrast")
COLOURS = ("kind", "period", "lane")
IMPACT = ("A", "B", "C", "v_t", "v_n", "mu", "e")
SLOWEST = 1e-12  # speed of a film: of a motion of picoseconds
EDGES = ("xFrom", "xTo", "yFrom", "yTo")


def read_session(content: Any, catalogue: Catalogue) -> dict[str, Any]:
    """A session with every entry checked; what is not known is left out."""
    fields = Fields(content, "session")
    if fields.integer("jounce_studio", 0) != VERSION:
        raise OptionError(f"this is no session of Jounce Studio: it needs the entry jounce_studio = {VERSION}")
    entry = open_system(fields, catalogue)
    t_start = fields.number("t_start", 0.0)
    variables = fields.content.get("variables")
    known = variables if isinstance(variables, list) else []
    read_options(fields)
    options = fields.group("options")
    return {
        "jounce_studio": VERSION,
        "system": entry.name,
        "model": entry.text,
        "parameters": fields.numbers("parameters", entry.system.parameter_names),
        "start": fields.numbers("start", entry.start_names),
        "on": read_actions(fields),
        "t_start": t_start,
        "t_end": fields.number("t_end", low=t_start, high=t_start + limits.LONGEST_RUN),
        "options": {name: options.content[name] for name in ("law", "tolerance") if name in options},
        "panel": fields.choice("panel", PANELS, default="motion"),
        "variables": [name for name in (*entry.start_names, *entry.system.parameter_names) if name in known],
        "speed": fields.number("speed", 1.0, low=SLOWEST, high=1.0 / SLOWEST),
        "trails": bool(fields.content.get("trails", True)),
        "theme": fields.choice("theme", THEMES) if "theme" in fields else None,
        "stage": _stage(fields.group("stage")) if "stage" in fields else None,
        "time": fields.number("time") if "time" in fields else None,
        "view": _view(fields) if "view" in fields else None,
        "diagram": _diagram(fields.group("diagram"), entry) if "diagram" in fields else None,
        "basins": _basins(fields.group("basins"), entry) if "basins" in fields else None,
        "impact": _impact(fields.group("impact"), entry) if "impact" in fields else None,
    }


def _stage(fields: Fields) -> dict[str, float]:
    """The middle of the stage, and pixels a metre."""
    return {"x": fields.number("x"), "y": fields.number("y"), "scale": fields.number("scale", low=1e-12)}


def _view(fields: Fields) -> list[float]:
    """The part of the time histories that is shown."""
    view = fields.sequence("view", 2)
    if len(view) != 2 or not view[0] < view[1]:
        raise OptionError(f"session: view is {view}; it must be two times, the second later")
    return view


def open_system(fields: Fields, catalogue: Catalogue) -> Entry:
    """The system that a request or a session names, or brings with it as the text of a model."""
    if "model" not in fields:
        return catalogue.entry(fields.text("system"))
    return catalogue.entry(catalogue.adopt(fields.text("model", longest=limits.MODEL_LETTERS)))


def _diagram(fields: Fields, entry: Entry) -> dict[str, Any]:
    lanes = [
        {
            "direction": lane.choice("direction", DIRECTIONS[:2]),
            "value": lane.number("value"),
            "state": lane.numbers("state", ("t", *entry.start_names)),
        }
        for lane in fields.groups("lanes", limits.LANES)
    ]
    return {
        "parameter": fields.choice("parameter", entry.system.parameter_names),
        "from": fields.number("from"),
        "to": fields.number("to"),
        "section": fields.text("section"),
        "quantity": fields.text("quantity"),
        "direction": fields.choice("direction", DIRECTIONS, default="up"),
        "transient": fields.integer("transient", 300, high=limits.RETURNS),
        "keep": fields.integer("keep", 60, low=1, high=limits.RETURNS),
        "values": fields.integer("values", 0, high=limits.PARAMETER_VALUES),
        "colour": fields.choice("colour", COLOURS, default="kind"),
        "low": fields.number("low") if "low" in fields else None,
        "high": fields.number("high") if "high" in fields else None,
        "starts": [
            {"start": more.numbers("start", entry.start_names)}
            for more in fields.groups("starts", limits.LANES // 2 - 1)
        ],
        "lanes": lanes or None,
        "branches": [read_seed(seed, entry) for seed in fields.groups("branches", limits.BRANCHES)],
    }


def _basins(fields: Fields, entry: Entry) -> dict[str, Any]:
    names = ("t", *entry.variables)
    return {
        "x": fields.choice("x", names),
        "y": fields.choice("y", names),
        **_edges(fields),
        "section": fields.text("section"),
        "transient": fields.integer("transient", 300, high=limits.RETURNS),
        "size": fields.integer("size", 200, low=8, high=1000),
    }


def _edges(fields: Fields) -> dict[str, float]:
    return {name: fields.number(name) for name in EDGES}


def _impact(fields: Fields, entry: Entry) -> dict[str, Any]:
    numbers = {name: fields.number(name) for name in IMPACT}
    return {**numbers, "map": _map(fields.group("map"), entry) if "map" in fields else None}


def _map(fields: Fields, entry: Entry) -> dict[str, Any]:
    return {
        "x": fields.choice("x", entry.variables),
        "y": fields.choice("y", entry.variables),
        **_edges(fields),
        "contact": fields.choice("contact", entry.frictional),
    }


def is_session(path: str) -> bool:
    """Whether a file on the command line is meant as a session: it ends in .json and says so itself."""
    if not path.endswith(".json"):
        return False
    try:
        content = json.loads(_text(path))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "jounce_studio" in content


def load_session(path: str) -> Any:
    """The content of a session file; checked by ``read_session`` once the page asks for it."""
    return json.loads(_text(path))


def _text(path: str) -> str:
    with Path(path).open(encoding="utf-8") as file:
        text = file.read(limits.MESSAGE_BYTES + 1)
    if len(text) > limits.MESSAGE_BYTES:
        raise ValueError("too long for a session")
    return text

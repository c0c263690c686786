"""One HTML file with a result in it: the page's own module and the frames it would have been sent, no server."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.studio import limits
from jounce.studio.catalogue import Entry, describe
from jounce.studio.jobs import Job
from jounce.studio.motion import Motion, send_details, send_motion
from jounce.studio.protocol import pack

if TYPE_CHECKING:
    from jounce import Diagram, Trajectory

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>html, body {{ margin: 0; height: 100%; }} main {{ height: 100%; }}</style>
</head>
<body>
<main id="jounce-film"></main>
<script type="application/json" id="jounce-frames">{frames}</script>
<script type="module">{module}</script>
</body>
</html>
"""


def film_page(motion: Motion, run: Trajectory, session: dict[str, Any]) -> bytes:
    """A motion with its time history, events and energy."""

    def send(job: Job) -> None:
        send_motion(job, motion, run, {})

    frames = {"open": _system(motion.entry), "motion": send, "details": lambda job: send_details(job, run)}
    varied = ", ".join(f"{name}={value:g}" for name, value in motion.parameters.items())
    return _page(frames, {**session, "panel": "motion"}, f"{motion.entry.model.name} {varied}")


def diagram_page(diagram: Diagram, entry: Entry, quantity: str) -> bytes:
    """A diagram whose points are in the file."""
    low, high = float(diagram.values[0]), float(diagram.values[-1])
    units = {**entry.model.coordinates, **entry.model.velocity_units}
    parameter = diagram.parameter
    head = {"parameter": parameter, "from": low, "to": high, "quantity": quantity, "unit": units.get(quantity, "")}
    head |= {"parameter_unit": entry.model.parameters[parameter].unit, "section": diagram.section, "y0": 0.0}

    def send(job: Job) -> None:
        job.send("diagram", {**head, "lanes": []})
        points = 0
        for part in diagram.points(quantity):
            room = limits.RASTER_POINTS - points
            x = ((part.parameter[:room] - low) / ((high - low) or 1.0)).astype(np.float32)
            codes = [np.clip(values[:room], 0, 255).astype(np.uint8) for values in (part.kind, part.period)]
            y = part.quantity[:room].astype(np.float32)
            job.send("diagram-points", {"lane": part.lane, "fraction": 1.0}, [x, y, *codes])
            points += len(x)
        job.send("diagram-done", {"points": points, "values": len(diagram.values), "lanes": len(diagram.lanes)})

    session = {
        "jounce_studio": 1, "system": entry.name, "model": None, "on": [], "parameters": {}, "start": {},
        "t_start": 0.0, "t_end": 1.0, "options": {}, "panel": "diagram", "variables": [], "speed": 1.0,
        "trails": True, "basins": None, "impact": None,
        "diagram": {
            "parameter": parameter, "from": low, "to": high, "section": diagram.section, "quantity": quantity,
            "direction": "up", "transient": 0, "keep": 1, "values": 0, "colour": "kind", "low": None, "high": None,
            "starts": [], "lanes": None,
        },
    }  # fmt: skip
    title = f"{entry.model.name} over {parameter}"
    return _page({"open": _system(entry), "diagram": send}, session, title)


def _system(entry: Entry) -> Callable[[Job], None]:
    return lambda job: job.send("system", describe(entry))


def _page(answers: dict[str, Callable[[Job], None]], session: dict[str, Any], title: str) -> bytes:
    """``answers``: request -> what sends the frames of its answer."""
    content: dict[str, Any] = {"session": session, "frames": {}}
    for request, answer in answers.items():
        frames: list[str] = []

        def keep(job: Job, message: Any, arrays: Any, frames: list[str] = frames) -> None:
            frames.append(base64.b64encode(pack(message, arrays)).decode())

        answer(Job("film", 0, keep))
        content["frames"][request] = frames
    module = (files("jounce.studio") / "static" / "studio.js").read_text(encoding="utf-8")
    return _PAGE.format(
        title=html.escape(title.strip()), frames=_inert(json.dumps(content)), module=_inert(module)
    ).encode()


def _inert(text: str) -> str:
    """Text inside a script element: nothing in it may end the element. In JSON and JavaScript strings \\/ is /."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")

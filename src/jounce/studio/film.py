"""One HTML file with a motion in it: the page's own module and the frames it would have been sent, no server."""

from __future__ import annotations

import base64
import html
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jounce.studio.catalogue import describe
from jounce.studio.jobs import Job
from jounce.studio.motion import Motion, send_details, send_motion

if TYPE_CHECKING:
    from jounce import Trajectory

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
    """The whole file."""
    frames: list[bytes] = []
    recorder = Job("film", 0, lambda job, frame: frames.append(frame))
    recorder.send("system", describe(motion.entry))
    send_motion(recorder, motion, run, {})
    send_details(recorder, run)
    kinds = ("system", "motion", "details")
    content: dict[str, Any] = {
        kind: base64.b64encode(frame).decode() for kind, frame in zip(kinds, frames, strict=True)
    }
    content["session"] = session
    module = (files("jounce.studio") / "static" / "studio.js").read_text()
    varied = ", ".join(f"{name}={value:g}" for name, value in motion.parameters.items())
    title = html.escape(f"{motion.entry.model.name} {varied}".strip())
    return _PAGE.format(title=title, frames=_inert(json.dumps(content)), module=_inert(module)).encode()


def _inert(text: str) -> str:
    """Text inside a script element: nothing in it may end the element. In JSON and JavaScript strings \\/ is /."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")

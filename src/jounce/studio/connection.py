"""One page, in a browser or in a notebook: its requests, each handed to a job of its panel."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce import Law, __version__
from jounce.errors import JounceError, OptionError, suggestion
from jounce.studio import limits
from jounce.studio.basins import send_basins
from jounce.studio.catalogue import Catalogue, describe, model_text_of
from jounce.studio.dragging import read_drag
from jounce.studio.jobs import Crew, Desk, Job, Outbox
from jounce.studio.motion import Motion, read_motion, send_details, send_motion, send_window
from jounce.studio.preparation import rehearse
from jounce.studio.protocol import Fields, pack, parse

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from jounce import Branch, Trajectory
    from jounce.studio.diagram import Diagram

Handler = Callable[["Connection", Fields, Job], None]


class Connection:
    """What one page has on its screen.

    motion, run   the last motion asked for and its run, for windows, details and films
    diagram       the last diagram, as far as it has come: for zooms and clicks
    branches      of orbits that were followed in it, the newest few, by number
    """

    def __init__(self, catalogue: Catalogue, crew: Crew, first: str, session: Any = None) -> None:
        """``first`` is the system shown first, ``session`` what a file on the command line said."""
        self.catalogue, self.crew, self.first, self.session = catalogue, crew, first, session
        self.motion: Motion | None = None
        self.run: Trajectory | None = None
        self.diagram: Diagram | None = None
        self.branches: dict[int, Branch] = {}

    async def serve(self, socket: WebSocket) -> None:
        """Answer until the page closes."""
        from starlette.websockets import WebSocketDisconnect

        await socket.accept()
        outbox = Outbox(asyncio.get_running_loop())
        desk = Desk(self.crew, outbox.take)
        sender = asyncio.create_task(outbox.deliver(socket.send_bytes))
        await socket.send_bytes(pack(self.greeting()))
        try:
            while True:
                refusal = self.take(desk, await socket.receive_text())
                if refusal is not None:
                    outbox.post(None, pack(refusal))
        except (WebSocketDisconnect, KeyError, RuntimeError):  # gone, or not a text frame
            pass
        finally:
            desk.close()
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, RuntimeError, WebSocketDisconnect):
                await sender

    def greeting(self) -> dict[str, Any]:
        """What a page must know before it asks for anything."""
        systems = [{"name": name, "text": text} for name, text in self.catalogue.names().items()]
        laws = [law.name.lower() for law in Law]
        hello = {"type": "hello", "version": __version__, "systems": systems, "first": self.first, "laws": laws}
        return {**hello, "session": self.session}

    def take(self, desk: Desk, text: str) -> dict[str, Any] | None:
        """Start the job of one request; what cannot be read is answered at once with the message returned."""
        panel, identity = "", -1
        try:
            fields = parse(text)
            identity = fields.integer("id", 0)
            kind = fields.text("type")
            if kind == "cancel":
                desk.cancel(fields.text("panel"))
                return None
            if kind not in HANDLERS:
                raise OptionError(f"unknown request {kind!r}; {suggestion(kind, HANDLERS, 'requests')}")
            panel = HANDLERS[kind][0]
            desk.begin(panel, identity, lambda job: self.answer(kind, fields, job))
        except JounceError as error:
            return {"type": "error", "panel": panel, "id": identity, "message": str(error)}
        return None

    def answer(self, kind: str, fields: Fields, job: Job) -> None:
        """Answer one request, in the thread of its job."""
        rehearse(self, kind, fields)
        HANDLERS[kind][1](self, fields, job)

    def kept_run(self) -> Trajectory:
        """The run on the screen."""
        if self.run is None:
            raise OptionError("there is no motion yet")
        return self.run

    def kept_diagram(self) -> Diagram:
        """The diagram on the screen."""
        if self.diagram is None:
            raise OptionError("there is no diagram yet")
        return self.diagram

    def keep_branch(self, branch: Branch) -> int:
        """Remember a branch under a new number; the oldest is forgotten."""
        number = max(self.branches, default=0) + 1
        self.branches[number] = branch
        if len(self.branches) > limits.BRANCHES:
            del self.branches[min(self.branches)]
        return number

    def show(self, motion: Motion, job: Job, **notes: Any) -> None:
        """Run a motion and send it, with what else the page should know of it."""
        run = motion.run(job)
        job.check()
        self.motion, self.run = motion, run
        send_motion(job, motion, run, notes)


def _open(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.session import open_system

    entry = open_system(fields, page.catalogue)
    job.send("system", describe(entry, entry.model is page.catalogue.own))


def _motion(page: Connection, fields: Fields, job: Job) -> None:
    page.show(read_motion(fields, page.catalogue.entry(fields.text("system"))), job)


def _drag(page: Connection, fields: Fields, job: Job) -> None:
    page.show(read_drag(fields, page.catalogue.entry(fields.text("system"))), job, dragged=True)


def _window(page: Connection, fields: Fields, job: Job) -> None:
    send_window(job, page.kept_run(), fields)


def _details(page: Connection, fields: Fields, job: Job) -> None:
    send_details(job, page.kept_run())


def _diagram(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.diagram import read_diagram, send_diagram

    entry = page.catalogue.entry(fields.text("system"))
    before = page.diagram if page.diagram is not None and page.diagram.entry is entry else None
    diagram = read_diagram(fields, entry, before)
    job.check()
    page.diagram = diagram
    send_diagram(job, diagram)


def _pick(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.picking import send_picked

    send_picked(job, page.kept_diagram(), fields)


def _branch(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.picking import follow_branch, pick_orbit, send_branch

    diagram = page.kept_diagram()
    found = pick_orbit(diagram, fields)
    branch = follow_branch(job, diagram, found)
    job.check()
    send_branch(job, diagram, branch, page.keep_branch(branch), found)


def _orbit(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.picking import send_orbit

    number = fields.integer("branch")
    if number not in page.branches:
        raise OptionError("this branch is no longer kept; follow it again")
    send_orbit(job, page.branches[number], fields)


def _basins(page: Connection, fields: Fields, job: Job) -> None:
    send_basins(job, fields, page.catalogue.entry(fields.text("system")))


def _impact(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.impact import send_impact

    send_impact(job, fields)


def _painleve(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.impact import send_painleve

    send_painleve(job, fields, page.catalogue.entry(fields.text("system")))


def _session(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.session import read_session

    job.send("session", {"session": read_session(fields.content.get("session"), page.catalogue)})


def _scripts(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.scripts import command_text, python_text
    from jounce.studio.session import read_session

    session = read_session(fields.content.get("session"), page.catalogue)
    texts = {"python": python_text(session, page.catalogue), "command": command_text(session, page.catalogue)}
    model = page.catalogue.entry(session["system"]).model
    job.send("scripts", {**texts, "model": model_text_of(model), "model_name": f"{session['system']}.toml"})


def _film(page: Connection, fields: Fields, job: Job) -> None:
    from jounce.studio.film import film_page
    from jounce.studio.session import read_session

    session = read_session(fields.content.get("session"), page.catalogue)
    motion = read_motion(Fields(session, "session"), page.catalogue.entry(session["system"]))
    page_ = film_page(motion, motion.run(job), session)
    job.send("film", {"name": f"{session['system']}.html"}, [np.frombuffer(page_, np.uint8)])


#: Request -> (the panel whose older job it ends, what answers it).
HANDLERS: dict[str, tuple[str, Handler]] = {
    "open": ("system", _open),
    "motion": ("motion", _motion),
    "drag": ("motion", _drag),
    "window": ("window", _window),
    "details": ("details", _details),
    "diagram": ("diagram", _diagram),
    "pick": ("pick", _pick),
    "branch": ("branch", _branch),
    "orbit": ("pick", _orbit),
    "basins": ("basins", _basins),
    "impact": ("impact", _impact),
    "painleve": ("painleve", _painleve),
    "session": ("session", _session),
    "scripts": ("scripts", _scripts),
    "film": ("film", _film),
}

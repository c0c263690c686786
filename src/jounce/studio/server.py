"""The server: the page, its one module, and a WebSocket for each page, on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from jounce.errors import OptionError
from jounce.studio.catalogue import Catalogue
from jounce.studio.connection import Connection
from jounce.studio.jobs import Crew
from jounce.studio.limits import CONNECTIONS, MESSAGE_BYTES
from jounce.studio.security import Gate, checked_token, new_token

if TYPE_CHECKING:
    from jounce import Model

HOST = "127.0.0.1"
JOBS = 6  # threads: a job of each panel, and older ones on their way out
TOO_MANY = 4429  # close code
ASSETS = {"/": ("index.html", "text/html"), "/studio.js": ("studio.js", "text/javascript")} | {
    "/start.js": ("start.js", "text/javascript"),
    "/page.css": ("page.css", "text/css"),
}


class Studio:
    """A server that is about to run; ``address`` is the link to hand out."""

    def __init__(
        self,
        model: Model | None = None,
        source: str | None = None,
        first: str = "slender_rod",
        port: int = 0,
        token: str | None = None,
        session: Any = None,
    ) -> None:
        """Bind the port.

        model, source   a model of the user's and where it came from; default: the ready-made systems alone
        first           the system shown first
        token           to keep links valid over a restart; default: a new one
        session         content of a session file to begin with
        """
        self.session = session
        self.catalogue = Catalogue(model, source)
        self.first = model.name if model is not None else first
        self.token = new_token() if token is None else checked_token(token)
        self.listener = _listen(port)
        self.port: int = self.listener.getsockname()[1]
        self.crew = Crew(JOBS)
        self.pages: set[Connection] = set()
        config = uvicorn.Config(
            self.application(),
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False,  # compressing numbers for loopback takes longer than sending them
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        """The link with its token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def application(self) -> Any:
        """The application behind its gate."""
        routes: list[Any] = [Route(path, _asset(name, kind)) for path, (name, kind) in ASSETS.items()]
        routes.append(WebSocketRoute("/socket", self._page))
        return Gate(Starlette(routes=routes), self.token, self.port)

    async def _page(self, page: WebSocket) -> None:
        if len(self.pages) >= CONNECTIONS:
            await page.accept()  # a page that is refused before does not learn why
            await page.close(TOO_MANY, f"{CONNECTIONS} pages are open already; close one")
            return
        connection = Connection(self.catalogue, self.crew, self.first, self.session)
        self.pages.add(connection)
        try:
            await connection.serve(page)
        finally:
            self.pages.discard(connection)

    def run(self, ready: Callable[[], None] | None = None) -> None:
        """Serve until Ctrl-C or ``stop``; ``ready`` is called once connections are accepted."""
        threading.Thread(target=self._warm, daemon=True).start()
        try:
            asyncio.run(self._serve(ready))
        except KeyboardInterrupt:
            pass  # uvicorn has closed the pages and hands the signal on
        finally:
            self.listener.close()

    async def _serve(self, ready: Callable[[], None] | None) -> None:
        serving = asyncio.create_task(self.server.serve(sockets=[self.listener]))
        while not self.server.started and not serving.done():
            await asyncio.sleep(0.005)
        if ready is not None and not serving.done():
            ready()
        await serving

    def _warm(self) -> None:
        """Load what the first request needs while the browser starts."""
        import pandas  # noqa: F401
        import xarray  # noqa: F401

        self.catalogue.entry(self.first)

    def stop(self) -> None:
        """End ``run`` from another thread."""
        self.server.should_exit = True


def _asset(name: str, kind: str) -> Any:
    body = (files("jounce.studio") / "static" / name).read_bytes()

    async def respond(request: Request) -> Response:
        return Response(body, media_type=kind)

    return respond


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise OptionError(f"--port {port} cannot be used on {HOST}: {error}; 0 takes a free one") from None
    listener.listen(16)
    return listener

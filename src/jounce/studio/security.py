"""Who may talk to the server: a browser on this machine that was given the link.

A page of another site can reach a server on loopback in three ways, each closed here on every request and WebSocket:
by name (DNS rebinding: its own host name resolves to 127.0.0.1), which the Host header shows; from its own origin,
which the Origin header shows; and by guessing, which the random token makes hopeless. The token comes with the link
once and is then kept in a cookie that scripts cannot read and other sites do not send.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jounce.errors import OptionError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN_BYTES = 24
LEAST_TOKEN = 24  # letters of a token that was chosen by hand
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
REFUSED = 4403  # close code of a WebSocket that is not let in


def new_token() -> str:
    """A secret nobody can guess: 192 bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def checked_token(token: str) -> str:
    """A token that somebody chose; too short a one would be guessed."""
    if len(token) < LEAST_TOKEN or not all(letter.isalnum() or letter in "-_" for letter in token):
        raise OptionError(f"the studio's token needs at least {LEAST_TOKEN} letters, digits, - or _")
    return token


class Gate:
    """ASGI middleware that lets in only what passes every check."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in LOOPBACK}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"jounce_studio_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then serve or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is None:
            await self.app(scope, receive, self._with_headers(scope, send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": REFUSED, "reason": refusal})
        else:
            response = PlainTextResponse(f"Jounce Studio: {refusal}\n", status_code=403, headers=HEADERS)
            await response(scope, receive, send)

    def refusal(self, scope: Scope) -> str | None:
        """Why a request is refused, or None."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "this server answers under its loopback address only"
        if any(origin.lower() not in self.origins for origin in origins):
            return "a page of another origin may not use this server"
        if not self._knows_token(scope, headers):
            return "the link's token is missing or wrong; use the address that `jounce studio` printed"
        return None

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if given:  # a wrong token in the link is refused even from a browser that has the right cookie
            return len(given) == 1 and hmac.compare_digest(given[0].encode(), self.token.encode())
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self.token.encode())

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
                extra = [*HEADERS.items(), ("set-cookie", cookie)]
                kept = [pair for pair in message.get("headers", []) if pair[0].decode().lower() not in HEADERS]
                message = {**message, "headers": kept + [(name.encode(), value.encode()) for name, value in extra]}
            await send(message)

        return guarded if scope["type"] == "http" else send

"""Only a browser on this machine that was given the link gets in: token, Host and Origin, on every path."""

from __future__ import annotations

from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from jounce import OptionError
from jounce.studio.security import checked_token, new_token
from tests.studio.client import get

PATHS = ("/", "/studio.js", "/start.js", "/page.css")


@pytest.mark.parametrize("path", PATHS)
def test_the_link_opens_every_path_and_nothing_else_does(studio: Any, path: str) -> None:
    right = f"{path}?token={studio.token}"
    status, headers, body = get(studio.port, right)
    assert status == 200
    assert body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert get(studio.port, path)[0] == 403
    assert get(studio.port, f"{path}?token={studio.token[:-1]}")[0] == 403
    assert get(studio.port, f"{path}?token={studio.token}&token=x")[0] == 403
    assert get(studio.port, right, Host="attacker.example")[0] == 403
    assert get(studio.port, right, Host=f"attacker.example:{studio.port}")[0] == 403
    assert get(studio.port, right, Host="127.0.0.1")[0] == 403  # another port's page
    assert get(studio.port, right, Origin="http://attacker.example")[0] == 403
    assert get(studio.port, right, Origin="null")[0] == 403
    assert get(studio.port, right, Host=f"localhost:{studio.port}")[0] == 200


def test_the_cookie_of_the_link_opens_the_rest_and_is_closed_to_scripts_and_other_sites(studio: Any) -> None:
    cookie = get(studio.port, f"/?token={studio.token}")[1]["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    value = cookie.split(";")[0]
    assert get(studio.port, "/studio.js", Cookie=value)[0] == 200
    assert get(studio.port, "/studio.js", Cookie=value[:-1] + ("A" if value[-1] != "A" else "B"))[0] == 403
    assert get(studio.port, "/studio.js?token=wrong", Cookie=value)[0] == 403


@pytest.mark.parametrize(
    ("token", "origin"),
    [
        ("wrong", "http://127.0.0.1:{port}"),
        (None, "http://attacker.example"),
        (None, "https://127.0.0.1:{port}"),
        (None, "http://127.0.0.1:1"),
    ],
)
def test_a_websocket_is_checked_too(studio: Any, token: str | None, origin: str) -> None:
    address = f"ws://127.0.0.1:{studio.port}/socket?token={token or studio.token}"
    with pytest.raises(InvalidStatus) as refused, connect(address, origin=origin.format(port=studio.port)):
        pass
    assert refused.value.response.status_code == 403


def test_a_websocket_under_another_name_is_refused(studio: Any) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    }
    path = f"/socket?token={studio.token}"
    assert get(studio.port, path, **upgrade, Host=f"attacker.example:{studio.port}")[0] == 403
    assert get(studio.port, path, **upgrade, Host=f"localhost:{studio.port}")[0] == 101


def test_tokens_are_new_every_time_and_a_chosen_one_must_be_long() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()) == 32
    assert checked_token("a" * 24) == "a" * 24
    for weak in ("", "a" * 23, "a" * 24 + " ", "a" * 24 + "ä/"):
        with pytest.raises(OptionError, match="at least 24"):
            checked_token(weak)

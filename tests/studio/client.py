"""A client without a browser, for what a page would not do by itself."""

from __future__ import annotations

import http.client
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from websockets.sync.client import connect

DTYPES = {"Float64Array": "<f8", "Float32Array": "<f4", "Int32Array": "<i4", "Uint8Array": "u1"}


def get(port: int, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body; a header Host or Origin is sent as given."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def unpack(frame: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The content and the arrays of one frame."""
    (length,) = struct.unpack("<I", frame[:4])
    content = json.loads(frame[4 : 4 + length])
    offset = -(-(4 + length) // 8) * 8
    arrays = []
    for kind, size in content["buffers"]:
        array = np.frombuffer(frame, DTYPES[kind], size, offset)
        arrays.append(array)
        offset += -(-array.nbytes // 8) * 8
    assert offset == len(frame)
    return content, arrays


class Client:
    """One WebSocket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.number = 0

    def send(self, kind: str, **content: Any) -> int:
        self.number += 1
        self.socket.send(json.dumps({**content, "type": kind, "id": self.number}))
        return self.number

    def receive(self, *kinds: str, patience: float = 60.0) -> tuple[dict[str, Any], list[np.ndarray]]:
        """The next message of one of these kinds."""
        while True:
            content, arrays = unpack(self.socket.recv(timeout=patience))
            if content["type"] in kinds:
                return content, arrays

    def ask(self, kind: str, answer: str | None = None, **content: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
        """One request and its answer, or its error."""
        self.send(kind, **content)
        return self.receive(answer or kind, "error")

    def refusal(self, kind: str, **content: Any) -> str:
        """The message with which a request is refused."""
        answer, _ = self.ask(kind, **content)
        assert answer["type"] == "error", answer
        return str(answer["message"])


@contextmanager
def connected(studio: Any) -> Iterator[Client]:
    address = f"ws://127.0.0.1:{studio.port}/socket?token={studio.token}"
    with connect(address, origin=f"http://127.0.0.1:{studio.port}", max_size=None) as socket:
        client = Client(socket)
        hello, _ = client.receive("hello")
        assert "slender_rod" in [entry["name"] for entry in hello["systems"]]
        yield client

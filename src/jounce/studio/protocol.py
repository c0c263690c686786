"""Messages between the page and the server.

From the page: JSON text. To the page: one binary frame,

    u32 length of the text | text, JSON | zeros up to a multiple of 8 | arrays, each padded to a multiple of 8

where the text's entry ``buffers`` lists dtype and length of every array, so that the page makes typed views of the
frame without copying.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jounce.errors import OptionError, suggestion
from jounce.studio.limits import MESSAGE_BYTES

#: What the page can view: NumPy's name -> JavaScript's typed array.
VIEWS = {"float64": "Float64Array", "float32": "Float32Array", "int32": "Int32Array", "uint8": "Uint8Array"}
LARGEST = 1e15  # no quantity of a request is larger


def pack(content: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> bytes:
    """One frame for the page."""
    shapes = [[VIEWS[array.dtype.name], array.size] for array in arrays]
    text = json.dumps(plain({**content, "buffers": shapes}), allow_nan=False).encode()
    parts = [struct.pack("<I", len(text)), text, bytes(-(4 + len(text)) % 8)]
    for array in arrays:
        body = np.ascontiguousarray(array).tobytes()
        parts += [body, bytes(-len(body) % 8)]
    return b"".join(parts)


def plain(value: Any) -> Any:
    """Data that strict JSON can hold: NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def parse(text: str) -> Fields:
    """One message of the page; an OptionError if it is not one."""
    if len(text) > MESSAGE_BYTES:
        raise OptionError(f"the message has {len(text)} characters; at most {MESSAGE_BYTES} are read")
    try:
        content = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise OptionError(f"the message is not JSON: {error}") from None
    return Fields(content, "request")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


class Fields:
    """The entries of a message, each read with its type and bounds; a wrong one is an OptionError that names it."""

    def __init__(self, content: Any, where: str) -> None:
        if not isinstance(content, dict):
            raise OptionError(f"{where}: expected named entries, not {type(content).__name__}")
        self.content, self.where = content, where

    def __contains__(self, name: str) -> bool:
        return self.content.get(name) is not None

    def number(self, name: str, default: float | None = None, low: float = -LARGEST, high: float = LARGEST) -> float:
        """A finite number between bounds."""
        value = self.content.get(name)
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise OptionError(f"{self.where}: {name} is {_shown(value)}; it must be between {low:g} and {high:g}")
        return float(value)

    def integer(self, name: str, default: int | None = None, low: int = 0, high: int = 2**31) -> int:
        """A whole number between bounds."""
        value = self.content.get(name)
        value = default if value is None else value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            wanted = f"a whole number between {low:,} and {high:,}"
            raise OptionError(f"{self.where}: {name} is {_shown(value)}; it must be {wanted}")
        return value

    def text(self, name: str, default: str | None = None, longest: int = 200) -> str:
        """A short text."""
        value = self.content.get(name)
        value = default if value is None else value
        if not isinstance(value, str) or len(value) > longest:
            raise OptionError(f"{self.where}: {name} is {_shown(value)}; it must be text of at most {longest} letters")
        return value

    def choice(self, name: str, valid: Sequence[str], default: str | None = None) -> str:
        """One of several words."""
        value = self.text(name, default)
        if value not in valid:
            raise OptionError(f"{self.where}: {name} is {_shown(value)}; {suggestion(value, valid, 'values')}")
        return value

    def numbers(self, name: str, valid: Sequence[str]) -> dict[str, float]:
        """Finite numbers by names that must be known; empty when absent."""
        inner = self.group(name)
        for key in inner.content:
            if key not in valid:
                raise OptionError(f"{inner.where}: unknown name {_shown(key)}; {suggestion(str(key), valid)}")
        return {key: inner.number(key) for key in inner.content}

    def group(self, name: str) -> Fields:
        """Entries inside an entry; empty when absent."""
        value = self.content.get(name)
        return Fields({} if value is None else value, f"{self.where}: {name}")

    def groups(self, name: str, most: int) -> list[Fields]:
        """A list of such entries."""
        value = self.content.get(name)
        value = [] if value is None else value
        if not isinstance(value, list) or len(value) > most:
            raise OptionError(f"{self.where}: {name} must be a list of at most {most} entries")
        return [Fields(entry, f"{self.where}: {name} {k}") for k, entry in enumerate(value)]

    def sequence(self, name: str, most: int) -> list[float]:
        """A list of finite numbers."""
        value = self.content.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise OptionError(f"{self.where}: {name} must be a list of at most {most} numbers")
        return [Fields({"entry": entry}, f"{self.where}: {name}").number("entry") for entry in value]


def _shown(value: Any) -> str:
    """A value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

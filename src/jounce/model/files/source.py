"""The text of a TOML file: bounded before it is parsed, and asked for line and column when something is wrong.

A file may come from a stranger. Its size is looked at before it is read, and its dotted keys before they are parsed:
the standard library's parser takes the square of their length. All else is linear in the size.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jounce.errors import ModelError

LARGEST_FILE = 1_000_000  # bytes; the largest machine shipped takes a twentieth
MOST_SIGNS = 100_000  # of those between which TOML has something to read, a few microseconds each
MOST_KEY_PARTS = 16  # contacts.floor.compliance.stiffness has four

Trail = tuple[str | int, ...]

_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'"
_KEY_PART = rf"(?:[A-Za-z0-9_-]+|{_QUOTED})"
_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"
# every alternative consumes what it starts: one pass over the text
_TOKENS = re.compile(rf"(?P<part>[A-Za-z0-9_-]+|{_QUOTED})|(?P<dot>[ \t]*\.[ \t]*)|(?P<other>[^A-Za-z0-9_.'\"-]+|.)")
_HEADER = re.compile(rf"[ \t]*(?P<open>\[\[?)[ \t]*(?P<key>{_KEY})[ \t]*\]")
_ENTRY = re.compile(rf"[ \t]*(?P<key>{_KEY})[ \t]*=[ \t]*")
_INLINE = re.compile(rf"(?P<key>{_KEY_PART})[ \t]*=[ \t]*|{_QUOTED}")


class ModelFileError(ModelError):
    """A ModelError that says where in a file it is."""


class Source:
    """One file, or a text under a name of its own: its name, its text and the data in it."""

    def __init__(self, path: str | Path, text: str | None = None) -> None:
        """``text``: in place of what the file at ``path`` holds; no file is touched then."""
        self.path = Path(path)
        self.text = _bounded_text(self.path) if text is None else _checked_text(self.path, text)
        _check_signs(self.path, self.text)
        _check_keys(self.path, self.text)
        try:
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise ModelFileError(self._with_place(str(error))) from None
        except RecursionError:
            raise ModelFileError(f"{self.path}: tables or lists are nested too deeply") from None
        except ValueError as error:  # a whole number of thousands of digits
            raise ModelFileError(f"{self.path} cannot be read: {error}") from None

    def error(self, trail: Trail, message: str, column: int | None = None) -> ModelError:
        """The message with file, line and column of the entry; ``column`` is a place inside the entry's text."""
        found = self.place(trail)
        if found is None:
            return ModelFileError(f"{self.path}: {message}")
        line, first = found
        value = self.text.splitlines()[line - 1][first - 1 :]
        if column is not None and value[:1] in ("'", '"') and value[:3] not in ("'''", '"""'):
            first += 1 + column
        return ModelFileError(f"{self.path}:{line}:{first}: {message}")

    def place(self, trail: Trail) -> tuple[int, int] | None:
        """(line, column), from 1, of the value of an entry, or of the closest entry around it that is written out."""
        places: dict[Trail, tuple[int, int]] = {}
        for entry, line, column in _entries(self.text):
            places.setdefault(entry, (line, column))
        for length in range(len(trail), 0, -1):
            if trail[:length] in places:
                return places[trail[:length]]
        return None

    def _with_place(self, message: str) -> str:
        """The parser's "... (at line 3, column 5)" as file:3:5."""
        found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
        return f"{self.path}:{found[2]}:{found[3]}: {found[1]}" if found else f"{self.path}: {message}"


def _bounded_text(path: Path) -> str:
    try:
        if path.is_dir():
            raise ModelFileError(f"{path} is a folder; a file of TOML is expected")
        if not path.is_file():
            raise ModelFileError(f"no file {path}")
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE:
        raise ModelFileError(f"{path} is larger than {LARGEST_FILE} bytes")
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path} is no text in UTF-8: byte {error.start}") from None


def _checked_text(path: Path, text: str) -> str:
    if not isinstance(text, str):
        raise ModelFileError(f"{path}: a text is expected, not {type(text).__name__}")
    if len(text.encode("utf-8", "replace")) > LARGEST_FILE:
        raise ModelFileError(f"{path} is larger than {LARGEST_FILE} bytes")
    return text.replace("\r\n", "\n")


def _check_signs(path: Path, text: str) -> None:
    """Refuse what would take long to read: half a million numbers in a list, a hundred thousand tables."""
    if sum(text.count(sign) for sign in "\n=,[") > MOST_SIGNS:
        raise ModelFileError(f"{path} has more than {MOST_SIGNS} lines, entries and items of lists")


def _check_keys(path: Path, text: str) -> None:
    """Refuse dotted keys of many parts."""
    parts = 0
    for token in _TOKENS.finditer(text):
        if token.lastgroup == "other":
            parts = 0
        elif token.lastgroup == "dot":
            parts += 1
            if parts > MOST_KEY_PARTS:
                line = text.count("\n", 0, token.start()) + 1
                raise ModelFileError(f"{path}:{line}: a key of more than {MOST_KEY_PARTS} parts")


def _entries(text: str) -> Iterator[tuple[Trail, int, int]]:
    """(trail, line, column of the value) of every header and key that is written out."""
    table: Trail = ()
    counts: dict[Trail, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            table = _parts(header["key"])
            if header["open"] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield table, number, header.start("open") + 1
            continue
        entry = _ENTRY.match(line)
        if entry:
            trail = (*table, *_parts(entry["key"]))
            yield trail, number, entry.end() + 1
            if line[entry.end() : entry.end() + 1] == "{":
                for inner in _INLINE.finditer(line, entry.end()):
                    if inner["key"]:
                        yield (*trail, *_parts(inner["key"])), number, inner.end() + 1


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY_PART, key))

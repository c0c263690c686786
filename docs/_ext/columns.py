"""Docstrings in columns, as Jounce writes them, turned into what numpydoc and reStructuredText read.

A docstring is text in which ``name   meaning`` stands in two columns, equations are indented, and ``code`` stands
between double backquotes. What begins with >>> is an example. Nothing else is markup: stars, bars and trailing
underscores are themselves.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

_ENTRY = re.compile(r"^(?P<name>[\w.*<>]+(?:, [\w.*<>]+)*)(?P<space> {2,})(?P<text>\S.*)$")
_CODE = re.compile(r"(``.+?``)")
_SPECIAL = re.compile(
    r"([\\*|`_]|:(?=\S))"
)  # a colon within a word makes some words links, like tip:SLIP
_INDENT = "    "


def escaped(text: str) -> str:
    """Plain text as reStructuredText: everything but ``code`` is taken literally."""
    parts = _CODE.split(text)
    return "".join(part if k % 2 else _SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts))


def paragraphs(lines: list[str]) -> list[list[str]]:
    """Runs of lines without a blank one."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.rstrip())
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def entries(paragraph: list[str]) -> list[tuple[str, str]]:
    """(name, meaning) of a paragraph in two columns; nothing for any other paragraph."""
    first = _ENTRY.match(paragraph[0])
    if first is None:
        return []
    column, found = first.start("text"), [(first["name"], first["text"])]
    for line in paragraph[1:]:
        match = _ENTRY.match(line)
        if line.startswith("  "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif match is not None:
            found.append((match["name"], match["text"]))
        elif (
            line[column - 1 : column] == " " and " " not in line[: column - 1].strip()
        ):  # a name as wide as the column
            found.append((line[: column - 1].strip(), line[column:]))
        else:
            return []
    return found


def converted(lines: list[str], arguments: frozenset[str]) -> list[str]:
    """The docstring for numpydoc: columns that describe ``arguments`` are a Parameters section, others a list."""
    before: list[str] = []
    parameters: list[str] = []
    after: list[str] = []
    examples: list[str] = []
    for paragraph in paragraphs(lines):
        target = after if parameters else before
        if paragraph[0].startswith(">>> "):
            examples += [*paragraph, ""]
            continue
        pairs = entries(paragraph)
        names = {name.strip("*") for pair in pairs for name in pair[0].split(", ")}
        if pairs and names <= arguments:
            for name, text in pairs:
                parameters += [name.replace("*", r"\*"), _INDENT + escaped(text)]
        elif pairs:
            for name, text in pairs:
                target += [f"``{name}``", _INDENT + escaped(text), ""]
        elif all(line.startswith(_INDENT) for line in paragraph):
            target += ["::", "", *paragraph, ""]
        else:
            target += [*(escaped(line.strip()) for line in paragraph), ""]
    sections = [*before]
    if parameters:
        sections += ["Parameters", "----------", *parameters, ""]
    if after:
        sections += ["Notes", "-----", *after]
    if examples:
        sections += ["Examples", "--------", *examples]
    return sections


def _arguments(what: str, thing: Any) -> frozenset[str]:
    if what not in ("function", "method"):
        return frozenset()
    try:
        return frozenset(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return frozenset()


def convert_docstring(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """The handler of autodoc-process-docstring, called before numpydoc's."""
    lines[:] = converted(lines, _arguments(what, thing))


def setup(app: Any) -> dict[str, Any]:
    """Register the handler."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", convert_docstring, priority=100)
    return {"parallel_read_safe": True, "version": "1"}

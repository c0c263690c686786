"""Code of a page, block by block, with what the page says it prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", flags=re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A block of Python, its line in the page, and the text of the block ``text`` that follows it at once, or None."""

    code: str
    line: int
    prints: str | None


def blocks(page: Path, *languages: str) -> list[str]:
    """The blocks of a page in one of several languages, in order."""
    return [f["text"] for f in _FENCE.finditer(page.read_text(encoding="utf-8")) if f["language"] in languages]


def python_blocks(page: Path) -> list[Block]:
    """The blocks of Python of a page, in order."""
    text = page.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    blocks = []
    for k, fence in enumerate(fences):
        if fence["language"] != "python":
            continue
        following = fences[k + 1] if k + 1 < len(fences) else None
        said = None
        if following and following["language"] == "text" and not text[fence.end() : following.start()].strip():
            said = following["text"].rstrip("\n")
        blocks.append(Block(fence["text"], text.count("\n", 0, fence.start("text")), said))
    return blocks


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names after all blocks ran in order in ``folder``; fails where a block prints other than the page says."""
    monkeypatch.chdir(folder)
    printed: list[str] = []

    def keep(*values: Any, sep: str = " ", end: str = "\n") -> None:
        printed.append(sep.join(str(value) for value in values) + end)

    names: dict[str, Any] = {"print": keep, "__name__": page.stem}
    for block in python_blocks(page):
        printed.clear()
        exec(compile("\n" * block.line + block.code, str(page), "exec"), names)
        if block.prints is not None:
            assert "".join(printed).rstrip("\n") == block.prints, f"{page.name}, line {block.line}"
    return names

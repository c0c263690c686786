"""Blocks that are neither Python nor a shell: files and their parts are read, and every kind of block is tried."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jounce
from tests.docs.pages import ROOT, blocks

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
#: What parts of files may name: they stand in a file of their own only with these.
AROUND = """
[coordinates]
x = "m"

[parameters]
h = [0.1, "m"]

[equations]
mass = [1]
forces = ["-x"]

"""
FILES = [(page, text) for page in PAGES for text in blocks(page, "toml")]


def test_every_block_is_of_a_kind_that_is_tried() -> None:
    tried = {"python", "text", "toml", "ini", "bash", "sh"}
    for page in PAGES:
        found = set(re.findall(r"^```(\w+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE))
        assert found <= tried, page


@pytest.mark.parametrize(("page", "text"), FILES, ids=[f"{page.stem}{k}" for k, (page, _) in enumerate(FILES)])
def test_a_model_file(page: Path, text: str) -> None:
    whole = text if "[energies]" in text or "[bodies" in text or "[equations]" in text else AROUND + text
    assert jounce.Model.from_text(whole).coordinates


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent.name in ("docs", ROOT.name)], ids=lambda page: page.stem
)
def test_code_is_as_wide_as_its_column(page: Path) -> None:
    """The column of a page on a screen of 1280 pixels: what is wider has to be scrolled to be read."""
    assert [line for text in blocks(page, "python") for line in text.splitlines() if len(line) > 100] == []

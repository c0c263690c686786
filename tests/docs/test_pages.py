"""Every block of Python of the README and of the pages runs as it stands there, and prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, python_blocks, run_page

#: These have tests of their own, which run them and ask for more.
ELSEWHERE = frozenset(
    {"mechanisms.md", "compliant-contact.md", "clearance-joints.md", "tutorial.md", "impact-laws.md", "model-files.md"}
)

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.name not in ELSEWHERE and python_blocks(page)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)

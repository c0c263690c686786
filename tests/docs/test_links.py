"""Links between pages lead somewhere, and every page is in a table of contents: what `make docs` checks, at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "gallery" not in page.parts)
TEXTS = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))]
GENERATED = ("reference/index", "gallery/index")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_links_and_pictures_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", _CODE.sub("", page.read_text(encoding="utf-8")))
    inside = [target.split("#")[0] for target in targets if not re.match(r"\w+:", target)]
    missing = [target for target in inside if target and not (page.parent / target).exists()]
    assert [target for target in missing if not target.startswith(GENERATED)] == []


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {DOCS / "index.md"}
    for page in PAGES:
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            for entry in block.split("\n"):
                name = entry.strip()
                if name and not name.startswith(":") and name not in GENERATED:
                    found = list(page.parent.glob(f"{name}.md"))
                    assert found, f"{page.name}: {name} does not exist"
                    listed.update(found)
    assert [str(page.relative_to(DOCS)) for page in PAGES if page not in listed] == []


def test_decisions_have_numbers_of_their_own() -> None:
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    numbers = [page.name[:4] for page in pages]
    assert [number for number in numbers if numbers.count(number) > 1] == []
    titles = [page.read_text(encoding="utf-8").split(".")[0] for page in pages]
    assert titles == [f"# {int(number)}" for number in numbers]

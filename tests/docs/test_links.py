"""Links between pages lead somewhere, and every page is in a table of contents: what `make docs` checks, at once.

Whether other servers answer is asked by `make links`, which needs a network; here their addresses have the right form.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "gallery" not in page.parts)
TEXTS = [
    *PAGES,
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md")),
]
GENERATED = ("reference/index", "gallery/index")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", flags=re.DOTALL | re.MULTILINE)


def targets_of(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", _CODE.sub("", page.read_text(encoding="utf-8")))


def anchors_of(page: Path) -> set[str]:
    """Places of a page that a link may name: its headings as GitHub and MyST write them, and its own labels."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{1,3} (.+)$", text, flags=re.MULTILINE)
    shown = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    names = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in shown}
    return names | set(re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_links_to_a_place_on_a_page_find_it(page: Path) -> None:
    lost = []
    for target in targets_of(page):
        name, _, anchor = target.partition("#")
        if anchor and not re.match(r"\w+:", target) and not name.startswith(GENERATED):
            there = page.parent / name if name else page
            lost += [target] if there.suffix == ".md" and anchor not in anchors_of(there) else []
    assert lost == []


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_addresses_of_other_servers_have_their_form(page: Path) -> None:
    for target in targets_of(page):
        if re.match(r"\w+:", target):
            parts = urlsplit(target)
            assert parts.scheme in ("https", "mailto"), target
            assert parts.scheme == "mailto" or "." in (parts.hostname or ""), target


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_links_and_pictures_exist(page: Path) -> None:
    targets = targets_of(page)
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

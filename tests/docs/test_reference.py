"""The reference lists every public name and every command, and docstrings become what numpydoc reads."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import jounce
from jounce.cli.main import COMMANDS
from jounce.simulation.status import StatusCode

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"


@pytest.fixture(autouse=True)
def extensions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))


def extension(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXTENSIONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_has_an_entry() -> None:
    reference = extension("reference")
    assert reference.missing_names() == []
    text = "\n".join(reference.name_pages().values())
    described = set(jounce.__all__) - reference.WITHOUT_ENTRY
    assert [name for name in described if f":: jounce.{name}\n" not in text] == []
    for module in reference.MODULES:
        for name in getattr(jounce, module).__all__:
            assert f":: jounce.{module}.{name}\n" in text


def test_every_command_has_a_section() -> None:
    page = extension("reference").command_page()
    for command in COMMANDS:
        name = command.__name__.rsplit(".", 1)[-1].rstrip("_")
        assert f"\njounce {name}\n-" in page
    assert "``--t-end T``" in page


def test_every_status_has_a_section_in_the_page_on_endings() -> None:
    page = (EXTENSIONS.parent / "endings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", page, flags=re.MULTILINE)) == {code.name for code in StatusCode}


def test_columns_become_parameters() -> None:
    converted = extension("columns").converted
    lines = ["Do it; p_n* and |x|.", "", "step   the largest", "       of all", "length x", "", "After `it`."]
    assert converted(lines, frozenset({"step", "length"})) == [
        *(r"Do it; p\_n\* and \|x\|.", "", "Parameters", "----------"),
        *("step", "    the largest of all", "length", "    x", "", "Notes", "-----", r"After \`it\`.", ""),
    ]


def test_examples_have_a_section() -> None:
    converted = extension("columns").converted
    assert converted(["Add.", "", ">>> 1 + 2", "3", "", "Fast."], frozenset()) == [
        *("Add.", "", "Fast.", "", "Examples", "--------", ">>> 1 + 2", "3", ""),
    ]


def test_columns_of_other_things_become_a_list() -> None:
    converted = extension("columns").converted
    assert converted(["Facts.", "", "kind   of ``it``"], frozenset()) == [
        *("Facts.", "", "``kind``", "    of ``it``", ""),
    ]
    assert converted(["It is:", "", "    a = b  c"], frozenset()) == ["It is:", "", "::", "", "    a = b  c", ""]


def test_the_glossary_is_sorted_and_explains_the_words_of_the_sources():
    text = (EXTENSIONS.parent / "glossary.md").read_text()
    words = re.findall(r"^(\S.*)\n  ", text, re.MULTILINE)
    assert words == sorted(set(words), key=str.lower)
    assert {"instant", "fresh", "reach", "hovering", "lane", "twin"} <= set(words)

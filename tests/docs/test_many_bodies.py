"""The table of scenes names tests and examples that are there."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "many-bodies.md").read_text(encoding="utf-8")


def test_tests_and_pictures_of_the_page_exist() -> None:
    tests = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
    assert len(tests) > 15
    for path, name in tests:
        assert f"def {name}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), (path, name)
    pictures = re.findall(r"(film, )?`((?:impacts|machines)/\w+\.py)`", PAGE)
    assert len(pictures) > 9
    for film, path in pictures:
        text = (ROOT / "examples" / path).read_text(encoding="utf-8")
        assert "figure" in text
        assert not film or "plot.animate" in text, path

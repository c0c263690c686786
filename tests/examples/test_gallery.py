"""The gallery as a whole: each folder of examples has its file of checks."""

from __future__ import annotations

from pathlib import Path

from tests.examples.gallery import EXAMPLES


def test_every_folder_is_tried() -> None:
    folders = {path.parent.name for path in EXAMPLES.glob("*/*.py")}
    assert {f"test_{folder}.py" for folder in folders} <= {path.name for path in Path(__file__).parent.glob("*.py")}


def test_at_least_twenty_have_a_picture_and_a_film() -> None:
    films = [path for path in EXAMPLES.glob("*/*.py") if "plot.animate(" in path.read_text(encoding="utf-8")]
    assert len(films) >= 20

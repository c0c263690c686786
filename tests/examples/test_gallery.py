"""The gallery as a whole: each folder of examples has its file of checks."""

from __future__ import annotations

from pathlib import Path

from tests.examples.gallery import EXAMPLES


def test_every_folder_is_tried() -> None:
    folders = {path.parent.name for path in EXAMPLES.glob("*/*.py")}
    assert {f"test_{folder}.py" for folder in folders} <= {path.name for path in Path(__file__).parent.glob("*.py")}
    assert len(list(EXAMPLES.glob("*/*.py"))) >= 20

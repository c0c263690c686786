"""The comparison with other programs: the page shows what was measured, and what runs here is still as exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import side_by_side

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_measured_table() -> None:
    measured = (ROOT / "benchmarks" / "side_by_side.md").read_text().splitlines()
    page = (ROOT / "docs" / "peers.md").read_text().splitlines()
    rows = [line for line in measured if line.startswith("|")]
    assert set(rows) <= set(page)
    assert [row.split("|")[1].strip() for row in rows[2:]] == list(side_by_side.PROBLEMS)


@pytest.mark.parametrize("answers", [side_by_side.jounce_ready_made, side_by_side.scipy_answers])
def test_answers_are_those_of_the_closed_forms(answers) -> None:
    for problem, found in answers().items():
        assert found == pytest.approx(side_by_side.PROBLEMS[problem][0], abs=1e-10), problem

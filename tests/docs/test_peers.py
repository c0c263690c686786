"""The comparison with other programs: the page shows what was measured, and what runs here is still as exact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import quoted, side_by_side

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", quoted.PAGES, ids=lambda page: page.stem)
def test_a_page_quotes_what_was_measured_last(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "<!-- measured: " in text
    assert quoted.filled(text) == text, "python -m benchmarks.quoted"


def test_the_table_has_a_row_for_each_problem() -> None:
    rows = [line for line in (ROOT / "docs" / "peers.md").read_text().splitlines() if line.count("|") > 10]
    assert [row.split("|")[1].strip() for row in rows[2:]] == list(side_by_side.PROBLEMS)


def test_passages_follow_the_measurements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = json.loads(quoted.RESULTS.read_text())
    row = next(row for row in results["rows"] if (row["peer"], row["workload"]) == ("Jounce", "ball, chaotic"))
    row |= {"rate": 123456.0, "error": 3.4e-11}
    (tmp_path / "results.json").write_text(json.dumps(results))
    monkeypatch.setattr(quoted, "RESULTS", tmp_path / "results.json")
    page, paper = (quoted.filled(page.read_text(encoding="utf-8")) for page in quoted.PAGES[:2])
    assert "| 123,000 |" in page
    assert "| 3e-11 |" in page
    assert "123,000 impacts a second with an error of $3\\cdot10^{-11}$" in paper


@pytest.mark.parametrize("answers", [side_by_side.jounce_ready_made, side_by_side.scipy_answers])
def test_answers_are_those_of_the_closed_forms(answers) -> None:
    for problem, found in answers().items():
        assert found == pytest.approx(side_by_side.PROBLEMS[problem][0], abs=1e-10), problem

"""Which lines and branches outside the kernels the tests reach, by folder: the table of docs/guarantees.md.

    python -m coverage run -m pytest -q
    python -m tools.coverage_table [DATA ...]

Part of ``make coverage``. Without names it reads what coverage has left in .coverage; several are taken together.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import coverage

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "jounce"


def report_of(*data: Path) -> dict[str, Any]:
    """What coverage says about its own files."""
    with tempfile.TemporaryDirectory() as name:
        found = coverage.Coverage(data_file=Path(name) / "data", config_file=False)
        found.combine([str(file) for file in data], keep=True)
        # tests run copies of the package, too, which are gone by now
        found.json_report(outfile=str(Path(name) / "report.json"), include=[str(PACKAGE / "*")])
        report: dict[str, Any] = json.loads((Path(name) / "report.json").read_text(encoding="utf-8"))
    return report


def print_table(what: str, report: dict[str, Any], below: Path) -> None:
    """Markdown: a row for each folder right below this one, one for its own files, and one for all."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, facts in sorted(report["files"].items()):
        if not (ROOT / file).is_relative_to(below):
            continue  # a copy of the package that a test has made
        numbers, parts = facts["summary"], (ROOT / file).relative_to(below).parts
        row = [numbers[key] for key in ("covered_lines", "num_statements", "covered_branches", "num_branches")]
        for key in (parts[0] if len(parts) > 1 else "files of no folder", "all"):
            counts[key] = [a + b for a, b in zip(counts[key], row, strict=True)]
    print(f"| {what} | lines | reached | branches | reached |\n|---|---|---|---|---|")
    for folder in sorted(counts, key=lambda name: (name == "all", name)):
        lines, all_lines, branches, all_branches = counts[folder]
        if all_lines:
            reached = f"{100 * branches / all_branches:.0f} %" if all_branches else ""
            print(f"| {folder} | {all_lines} | {100 * lines / all_lines:.0f} % | {all_branches} | {reached} |")


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]] or [ROOT / ".coverage"]
    print_table("folder", report_of(*files), PACKAGE)

"""Which lines and branches of the kernels are reached: ``python -m tools.kernel_coverage``, part of ``make coverage``.

Machine code has no lines, so the kernels run as plain Python (JOUNCE_PYTHON=1), which gives the same bits and takes a
thousand times longer. Hence not the tests: the small runs of tests/toolchain, and one of each random family. Prints a
table by folder, the one of docs/guarantees.md. What else Python can run may be named instead:

    python -m tools.kernel_coverage -m pytest -q tests/engine/test_chatter.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coverage

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "src" / "jounce" / "kernels"
RUNS = (["-m", "tests.toolchain.small_runs"], ["-m", "tests.toolchain.more_small_runs"])


def measured(commands: Sequence[list[str]], folder: Path) -> dict[str, Any]:
    """What some commands reach together."""
    environment = {**os.environ, "JOUNCE_PYTHON": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    data = folder / "data"
    run = ["-m", "coverage", "run", "--append", "--rcfile=", "--branch", f"--source={KERNELS}", f"--data-file={data}"]
    for command in commands:
        subprocess.run([sys.executable, *run, *command], cwd=ROOT, env=environment, stdout=sys.stderr, check=False)
    found = coverage.Coverage(data_file=data, config_file=False)
    found.load()
    found.json_report(outfile=str(folder / "report.json"))
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def print_table(report: dict[str, Any]) -> None:
    """Markdown: a row a folder, and all of them."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, facts in sorted(report["files"].items()):
        numbers = facts["summary"]
        row = [numbers[key] for key in ("covered_lines", "num_statements", "covered_branches", "num_branches")]
        for key in ((ROOT / file).parent.relative_to(KERNELS).as_posix(), "all"):
            counts[key] = [a + b for a, b in zip(counts[key], row, strict=True)]
    print("| kernels | lines | reached | branches | reached |\n|---|---|---|---|---|")
    for folder, (lines, all_lines, branches, all_branches) in counts.items():
        if folder != "." and all_lines:
            reached = f"{100 * branches / all_branches:.0f} %" if all_branches else ""
            print(f"| {folder} | {all_lines} | {100 * lines / all_lines:.0f} % | {all_branches} | {reached} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print_table(measured([sys.argv[1:]] if sys.argv[1:] else RUNS, Path(name)))

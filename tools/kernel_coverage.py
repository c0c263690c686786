"""Which lines and branches of the kernels are reached: ``python -m tools.kernel_coverage``, part of ``make coverage``.

Machine code has no lines, so the kernels run as plain Python (JOUNCE_PYTHON=1), which gives the same bits and takes a
thousand times longer. Hence not the tests: the small runs of tests/toolchain, and one of each random family. Prints a
table by folder, the one of docs/guarantees.md. What else Python can run may be named instead:

    python -m tools.kernel_coverage -m pytest -q tests/engine/test_chatter.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.coverage_table import ROOT, print_table, report_of

KERNELS = ROOT / "src" / "jounce" / "kernels"
RUNS = (["-m", "tests.toolchain.small_runs"], ["-m", "tests.toolchain.more_small_runs"])


def measured(commands: Sequence[list[str]], folder: Path) -> dict[str, Any]:
    """What some commands reach together."""
    environment = {**os.environ, "JOUNCE_PYTHON": "1", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    data = folder / "data"
    run = ["-m", "coverage", "run", "--append", "--rcfile=", "--branch", f"--source={KERNELS}", f"--data-file={data}"]
    for command in commands:
        subprocess.run([sys.executable, *run, *command], cwd=ROOT, env=environment, stdout=sys.stderr, check=False)
    return report_of(data)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print_table("kernels", measured([sys.argv[1:]] if sys.argv[1:] else RUNS, Path(name)), KERNELS)

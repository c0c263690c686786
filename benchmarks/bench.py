"""Run every peer and Jounce on the same work in one process: ``python -m benchmarks.bench``.

Keeps impacts a second and achieved errors in results.json, and writes and prints results.md, which has ratios too, and
what smooth.py has kept.
``--peers-only`` leaves Jounce out; ``--calibrate`` searches SciPy's settings anew (several minutes).
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import math
import platform
from pathlib import Path

from benchmarks import page, peers, quoted
from benchmarks.peers import Row
from benchmarks.workloads import WORKLOADS

PACKAGES = ("jounce", "numba", "numpy", "scipy", "heyoka", "mpmath")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-only", action="store_true", help="leave Jounce out")
    parser.add_argument("--calibrate", action="store_true", help="search SciPy's settings anew")
    options = parser.parse_args()
    rows: list[Row] = []
    for work in WORKLOADS:
        exact, _ = work.exact_end()
        sources = [] if options.peers_only else [peers.jounce_rows(work, exact)]
        sources += [
            peers.closed_form_rows(work, exact),
            peers.heyoka_rows(work, exact),
            peers.scipy_rows(work, exact, options.calibrate),
        ]
        for source in sources:
            for row in source:
                print(
                    f"{row.workload:16s} {row.peer:38s} {row.rate:12.4g}/s  error {row.error:8.1e}  {row.note}",
                    flush=True,
                )
                rows.append(row)
    alive = peers.survivors(WORKLOADS[1])
    page.IMPACTS.write_text(json.dumps(record(rows, alive), indent=1) + "\n")
    print("\n" + page.write())
    quoted.write()


def record(rows: list[Row], alive: dict[str, int]) -> dict[str, object]:
    """Everything measured, for a machine to read; NaN becomes null."""
    table = [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row._asdict().items()}
        for row in rows
    ]
    machine: dict[str, object] = {
        "date": today(),
        "cpu": cpu(),
        "python": platform.python_version(),
        "versions": versions(),
        "absent": peers.absent_peers(),
    }
    return machine | {"rows": table, "survivors_of_20_chaotic_starts": alive}


def versions() -> dict[str, str]:
    """Versions of the packages that matter, where installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def cpu() -> str:
    """The processor's model name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def today() -> str:
    """Today's date."""
    return datetime.date.today().isoformat()


if __name__ == "__main__":
    main()

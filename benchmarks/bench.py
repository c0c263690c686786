"""Run every peer and Jounce on the same work in one process: ``python -m benchmarks.bench``.

Prints a table of impacts a second, ratios and achieved errors, and writes results.md and results.json beside itself.
``--peers-only`` leaves Jounce out; ``--calibrate`` searches SciPy's settings anew (several minutes).
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import math
import platform
import time
from pathlib import Path

from benchmarks import peers, quoted
from benchmarks.peers import Row
from benchmarks.workloads import WORKLOADS

HERE = Path(__file__).parent
PACKAGES = ("jounce", "numba", "numpy", "scipy", "heyoka", "mpmath")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-only", action="store_true", help="leave Jounce out")
    parser.add_argument("--calibrate", action="store_true", help="search SciPy's settings anew")
    options = parser.parse_args()
    begin, rows = time.perf_counter(), []
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
    text = report(rows, alive, time.perf_counter() - begin)
    print("\n" + text)
    (HERE / "results.md").write_text(text)
    (HERE / "results.json").write_text(json.dumps(record(rows, alive), indent=1) + "\n")
    quoted.write()


def record(rows: list[Row], alive: dict[str, int]) -> dict[str, object]:
    """Everything measured, for a machine to read; NaN becomes null."""
    table = [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row._asdict().items()}
        for row in rows
    ]
    machine = {"date": today(), "cpu": cpu(), "python": platform.python_version(), "versions": versions()}
    return machine | {"rows": table, "survivors_of_20_chaotic_starts": alive}


def report(rows: list[Row], alive: dict[str, int], seconds: float) -> str:
    """The table as Markdown, with ratios against Jounce and against the fastest SciPy method of the workload."""
    installed = ", ".join(f"{name} {version}" for name, version in versions().items())
    lines = [
        "# Benchmarks",
        "",
        f"{today()}, {cpu()}, Python {platform.python_version()}, {installed}. The whole run took {seconds:.0f} s.",
        "Every impact is located. The error is the largest deviation of the state from 40-digit arithmetic at the end",
        "of a short span; every flight timed with SciPy and heyoka was checked against a search that misses no root.",
        peers.absent_peers(),
        "",
    ]
    for work in WORKLOADS:
        mine = [row for row in rows if row.workload == work.name]
        jounce = next((row.rate for row in mine if row.peer == "Jounce"), math.nan)
        slow = max((row.rate for row in mine if row.peer.startswith("SciPy") and row.rate > 0), default=math.nan)
        parameters = ", ".join(f"{name}={value:g}" for name, value in work.parameters.items())
        lines += [f"## {work.name}: {work.system}", "", f"{parameters}. {work.note}".strip(), ""]
        lines += ["| peer | impacts/s | / fastest SciPy | Jounce / it | error | setting |", "|---|---|---|---|---|---|"]
        for row in mine:
            ratios = f"{cell(row.rate / slow)} | {cell(jounce / row.rate)}"
            error = "-" if math.isnan(row.error) else f"{row.error:.0e}"
            lines.append(f"| {row.peer} | {cell(row.rate)} | {ratios} | {error} | {row.note} |")
        lines.append("")
    counts = ", ".join(f"{name} {count}" for name, count in alive.items())
    lines += [
        "The speeds of SciPy are its best case: starts that it survives.",
        f"Of 20 starts of the chaotic ball over {WORKLOADS[1].slow_span:g} s, these lost no impact: {counts}.",
    ]
    return "\n".join(lines) + "\n"


def cell(value: float) -> str:
    """Three digits, with thousands set apart."""
    if math.isnan(value):
        return "-"
    return f"{round(value, 2 - math.floor(math.log10(abs(value)))):,.0f}" if value >= 100 else f"{value:.3g}"


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
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def today() -> str:
    """Today's date."""
    return datetime.date.today().isoformat()


if __name__ == "__main__":
    main()

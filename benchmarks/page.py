"""results.md: what bench.py and smooth.py have measured and kept, as one page."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from benchmarks.workloads import WORKLOADS, Workload

HERE = Path(__file__).parent
IMPACTS, SMOOTH, PAGE = HERE / "results.json", HERE / "smooth_peers.json", HERE / "results.md"
OURS = ("Jounce", "Jounce, specialised")
ACCURACIES = ("1e-6", "1e-10")
BY_TOLERANCE = "by tolerance"  # among what is kept of a problem, beside the peers and the reference


def write() -> str:
    """Write the page; its text."""
    text = "\n".join([*impacts(json.loads(IMPACTS.read_text())), "", *smooth(json.loads(SMOOTH.read_text()))]) + "\n"
    PAGE.write_text(text)
    return text


def impacts(found: dict[str, Any]) -> list[str]:
    """Impacts a second, with ratios against Jounce and against the fastest SciPy method of the workload."""
    installed = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    lines = [
        "# Benchmarks",
        "",
        f"{found['date']}, {found['cpu']}, Python {found['python']}, {installed}.",
        "Every impact is located. The error is the largest deviation of the state from 40-digit arithmetic at the end",
        "of a short span; every flight timed with SciPy and heyoka was checked against a search that misses no root.",
        "Specialised: with a loop compiled for the system alone (`jounce.specialise`), as the hand-written ones are.",
        "Processor time of one thread.",
        found.get("absent", ""),
        "",
    ]
    for work in WORKLOADS:
        lines += _workload(work, [row for row in found["rows"] if row["workload"] == work.name])
    counts = ", ".join(f"{name} {count}" for name, count in found["survivors_of_20_chaotic_starts"].items())
    return [
        *lines,
        "The speeds of SciPy are its best case: starts that it survives.",
        f"Of 20 starts of the chaotic ball over {WORKLOADS[1].slow_span:g} s, these lost no impact: {counts}.",
    ]


def _workload(work: Workload, rows: list[dict[str, Any]]) -> list[str]:
    rates = {row["peer"]: math.nan if row["rate"] is None else row["rate"] for row in rows}
    slow = max((rate for peer, rate in rates.items() if peer.startswith("SciPy") and rate > 0), default=math.nan)
    parameters = ", ".join(f"{name}={value:g}" for name, value in work.parameters.items())
    lines = [f"## {work.name}: {work.system}", "", f"{parameters}. {work.note}".strip(), ""]
    lines += ["| peer | impacts/s | / fastest SciPy | Jounce / it | specialised / it | error | setting |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for row in rows:
        rate = rates[row["peer"]]
        ratios = " | ".join(cell(value / rate) for value in (rates.get(own, math.nan) for own in OURS))
        error = "-" if row["error"] is None else f"{row['error']:.0e}"
        lines.append(f"| {row['peer']} | {cell(rate)} | {cell(rate / slow)} | {ratios} | {error} | {row['note']} |")
    return [*lines, ""]


def cell(value: float) -> str:
    """Three digits, with thousands set apart."""
    if math.isnan(value):
        return "-"
    return f"{round(value, 2 - math.floor(math.log10(abs(value)))):,.0f}" if value >= 100 else f"{value:.3g}"


def smooth(kept: dict[str, Any]) -> list[str]:
    """Smooth motion between events: times at equal accuracy, and times at equal tolerance beside SciPy's."""
    lines = [
        "# Smooth motion between events",
        "",
        "`python -m benchmarks.smooth --peers --scipy`: the problems of smooth_problems.py. Every peer has the loosest",
        "tolerance with which it keeps the accuracy at four times of a short span against heyoka at 1e-16; its time is",
        "processor time of one thread over a long span, the least of several. SciPy's is that of a part of it, scaled.",
        "",
    ]
    for name, of_problem in kept.items():
        lines += [f"## {name}", ""]
        lines += ["| accuracy | peer | ms | Jounce / it | specialised / it | error | tolerance |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for k, accuracy in enumerate(ACCURACIES):
            lines += _accuracy(accuracy, {peer: entry[k] for peer, entry in peers(of_problem).items()})
        lines += ["", *_by_tolerance(of_problem.get(BY_TOLERANCE, []))]
    return lines[:-1]


def peers(of_problem: dict[str, Any]) -> dict[str, Any]:
    """What is kept of each peer, Jounce first."""
    others = [name for name in of_problem if name not in (*OURS, "reference", BY_TOLERANCE)]
    return {name: of_problem[name] for name in (*OURS, *others) if name in of_problem}


def _accuracy(accuracy: str, found: dict[str, Any]) -> list[str]:
    lines = []
    own = [found[name]["seconds"] if found.get(name) else math.nan for name in OURS]
    for peer, result in found.items():
        if result is None:
            lines.append(f"| {accuracy} | {peer} | - | - | - | - | none is enough |")
            continue
        ratios = " | ".join(f"{seconds / result['seconds']:.2g}" for seconds in own)
        time = cell(1e3 * result["seconds"])
        lines.append(f"| {accuracy} | {peer} | {time} | {ratios} | {result['error']:.0e} | {result['tolerance']:.0e} |")
    return lines


def _by_tolerance(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = ["| tolerance | Jounce: ms | error | fastest SciPy: ms | error | method | Jounce / SciPy |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for row in rows:
        ours, theirs = row["Jounce"], row["SciPy"]
        lines.append(
            f"| {row['tolerance']:.0e} | {cell(1e3 * ours['seconds'])} | {ours['error']:.0e} "
            f"| {cell(1e3 * theirs['seconds'])} | {theirs['error']:.0e} | {theirs['method']} "
            f"| {ours['seconds'] / theirs['seconds']:.1g} |"
        )
    return [*lines, ""]

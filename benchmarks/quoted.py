"""What other pages quote of the measurements, written by the programs that measure: ``python -m benchmarks.quoted``.

docs/peers.md, paper/paper.md and docs/guarantees.md have passages between ``<!-- measured: name -->`` and
``<!-- end -->``. Each is made from results.json, side_by_side.json or audit_cost.json, so that what stands there is
what was measured last. Part of ``make bench``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import audit_cost, side_by_side

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "docs" / "peers.md", ROOT / "paper" / "paper.md", ROOT / "docs" / "guarantees.md")
RESULTS = ROOT / "benchmarks" / "results.json"
_PASSAGE = re.compile(r"(?<=<!-- measured: )(\w+)( -->\n).*?(?=<!-- end -->)", flags=re.DOTALL)
_LOOP = "closed form (Numba, one system only)"
_BALL, _CHAOS, _ROD = "ball, periodic", "ball, chaotic", "rod"


class Measured:
    """The rows of results.json by workload and program."""

    def __init__(self, results: dict[str, Any]) -> None:
        self.results = results
        self.rows = {(row["workload"].split(":")[0], row["peer"]): row for row in results["rows"]}

    def row(self, workload: str, peer: str) -> dict[str, Any]:
        """One program's row; of "SciPy" that of its fastest method."""
        if peer != "SciPy":
            return self.rows[workload, peer]
        methods = [row for (work, name), row in self.rows.items() if work == workload and name.startswith("SciPy")]
        return max(methods, key=lambda row: row["rate"] or 0.0)

    def rate(self, workload: str, peer: str) -> str:
        """Impacts a second, three digits of them."""
        rate = self.row(workload, peer)["rate"]
        return f"{float(f'{rate:.3g}'):,.0f}"

    def error(self, workload: str, peer: str, form: str = "{}e-{}") -> str:
        """One digit and its power of ten."""
        digit, power = f"{self.row(workload, peer)['error']:.0e}".split("e-")
        return form.format(digit, int(power))

    def survivors(self) -> tuple[int, int, int]:
        """Of 20 chaotic starts: those of heyoka, the fewest and the most of SciPy's methods."""
        alive = dict(self.results["survivors_of_20_chaotic_starts"])
        heyoka = alive.pop("heyoka")
        return heyoka, min(alive.values()), max(alive.values())


def same_ball(measured: Measured) -> str:
    """The table of the ball and the rod."""
    peers = ("Jounce", "heyoka", "SciPy", _LOOP)
    lines = ["| | Jounce | heyoka | SciPy (its fastest method) | hand-written loop |", "|---|---|---|---|---|"]
    titles = {_BALL: "periodic motion", _CHAOS: "chaotic motion", _ROD: "rod with friction"}
    for workload, title in titles.items():
        cells = [measured.rate(workload, peer) for peer in peers]
        cells[2] += f" ({measured.row(workload, 'SciPy')['peer'].split()[1]})"
        lines.append(f"| {title}, impacts a second | {' | '.join(cells)} |")
    errors = [measured.error(_CHAOS, peer) for peer in peers]
    lines.append(f"| error at the end of a short span, chaotic | {' | '.join(errors)} |")
    heyoka, fewest, most = measured.survivors()
    return (
        f"Measured on {measured.results['date']}, {measured.results['cpu']}.\n\n"
        + "\n".join(lines)
        + f"\n\nOf 20 starts of the chaotic motion over 100 s, heyoka lost no impact in {heyoka} "
        f"and SciPy's methods in {fewest} to {most}.\n"
    )


def ten_problems(kept: dict[str, Any]) -> str:
    """The table of errors, with the versions that made it."""
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    return f"With {versions}.\n\n{side_by_side.table(kept['answers'])}\n"


def comparison(measured: Measured) -> str:
    """The paper's paragraph."""
    form = "${}\\cdot10^{{-{}}}$"
    errors = {peer: measured.error(_CHAOS, peer, form) for peer in ("Jounce", "heyoka", "SciPy")}
    heyoka, fewest, most = measured.survivors()
    fastest = measured.row(_CHAOS, "SciPy")["peer"].split()[1]
    chaos, rod = (
        [measured.rate(workload, peer) for peer in ("Jounce", "heyoka", "SciPy", _LOOP)] for workload in (_CHAOS, _ROD)
    )
    return (
        "For a ball on a sinusoidal table with every impact located (chaotic motion, one "
        f"{measured.results['cpu']} core), Jounce computed\n{chaos[0]} impacts a second with an error of "
        f"{errors['Jounce']} against 40-digit arithmetic; heyoka\n{chaos[1]} ({errors['heyoka']}); the fastest of six "
        f"SciPy methods, {fastest}, {chaos[2]} ({errors['SciPy']}). A\nhand-written closed-form loop for this one "
        f"system computed {chaos[3]}. For a rod with friction at both ends the rates were\n{rod[0]}, {rod[1]}, "
        f"{rod[2]} and {rod[3]}. Of 20 starts over 100 s, heyoka lost no impact in {heyoka} and SciPy's methods in\n"
        f"{fewest} to {most}, because complete chatter cannot be ended by event location alone.\n"
    )


def cost_of_audits(kept: dict[str, Any]) -> str:
    """The table of shares, and what the shortest runs take."""
    rows = kept["rows"]
    long, short = audit_cost.by_length(rows)
    within = [name for name in long if rows[name]["share"] < 0.1]
    beyond = [f"{name} ({rows[name]['share']:.0%})" for name in long if name not in within]
    costs = sorted(1e6 * rows[name]["audit"] for name in short)
    shares = [f"{rows[name]['share']:.0%} ({name}, {1e6 * rows[name]['without']:.0f} µs)" for name in short]
    lines = ["| | steps | events | share |", "|---|---|---|---|"]
    for name in long:
        row = rows[name]
        lines.append(f"| {name} | {row['steps']:,} | {row['events']:,} | {row['share']:.1%} |")
    return (
        "The default audit as a share of a recorded run without it (processor time, with and without in turn,\n"
        f"medians of {kept['rounds']} pairs, load {kept['load']:.0f} on {kept['cores']} cores):\n\n"
        + "\n".join(lines)
        + f"\n\nIt is below 10 % in {len(within)} of these {len(long)}"
        + (f", above it in: {', '.join(beyond)}" if beyond else "")
        + f". Shorter runs have its fixed part of {costs[0]:.0f} to {costs[-1]:.0f} µs,\nnearly all of it Python: "
        + ", ".join(shares)
        + ".\n"
    )


def filled(page: str) -> str:
    """A page with its passages as they were measured last."""
    measured = Measured(json.loads(RESULTS.read_text(encoding="utf-8")))
    kept = json.loads(side_by_side.KEPT.read_text(encoding="utf-8"))
    texts = {
        "same_ball": lambda: same_ball(measured),
        "ten_problems": lambda: ten_problems(kept),
        "comparison": lambda: comparison(measured),
        "cost_of_audits": lambda: cost_of_audits(json.loads(audit_cost.KEPT.read_text(encoding="utf-8"))),
    }
    return _PASSAGE.sub(lambda found: f"{found[1]}{found[2]}{texts[found[1]]()}", page)


def write() -> None:
    """Fill the passages of all pages."""
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()

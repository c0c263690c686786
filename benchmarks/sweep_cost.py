"""What a sweep costs: linear in its impacts, efficient on all cores, Fig. 8 of Burns & Piiroinen in minutes.

    python -m benchmarks.sweep_cost            the cost for an impact and the parallel efficiency (two minutes)
    python -m benchmarks.sweep_cost --figures  also both diagrams of Fig. 8 at the thesis' resolution

The results are printed and written to benchmarks/sweep_cost.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import jounce
from jounce.analysis.attractors.work import thread_count
from jounce.papers.burns2015.diagrams import ball, figure_8

HERE = Path(__file__).parent
TRANSIENTS = (250, 500, 1000, 2000, 4000)
ROUNDS = 4  # through all transients: a slow moment of the machine then spoils none of them alone
REPEATS = 3


@dataclass
class Cost:
    """One sweep: what was computed, and the time on the wall and of the processor."""

    impacts: int
    wall: float
    processor: float


def processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(run) -> Cost:
    wall, processor = time.perf_counter(), processor_time()
    diagram = run()
    wall, processor = time.perf_counter() - wall, processor_time() - processor
    return Cost(int(diagram.dataset["total_impacts"].clip(min=0).sum()), wall, processor)


def chaotic_sweep(section: str, transient: int, threads: int, values: int = 400, lanes: int = 4):
    """Lanes through the chaotic range, where no early end saves anything."""
    starts = [ball().state(y=1.0 + k, d_y=4.0) for k in range(lanes)]
    return lambda: jounce.sweep(
        ball(), "omega", np.linspace(4.0, 5.0, values), section, starts=starts, transient=transient, keep=100,
        threads=threads, e=0.8,
    )  # fmt: skip


def linearity(section: str) -> tuple[list[Cost], float, float]:
    """(costs, seconds of the processor for one more impact, largest deviation from the straight line)."""
    rounds = [[measured(chaotic_sweep(section, n, 1, values=100, lanes=2)) for n in TRANSIENTS] for _ in range(ROUNDS)]
    costs = [min(same, key=lambda cost: cost.processor) for same in zip(*rounds, strict=True)]
    impacts = np.array([cost.impacts for cost in costs], dtype=float)
    seconds = np.array([cost.processor for cost in costs])
    slope, intercept = np.polyfit(impacts, seconds, 1, w=1.0 / seconds)
    deviation = np.abs(slope * impacts + intercept - seconds) / seconds
    return costs, float(slope), float(deviation.max())


def efficiency(section: str, transient: int = 1500) -> tuple[float, float, float]:
    """(wall with one thread, wall with all, speed-up divided by threads)."""
    threads = thread_count(None)
    pairs = [[measured(chaotic_sweep(section, transient, n)).wall for n in (1, threads)] for _ in range(REPEATS)]
    one, all_ = (min(walls) for walls in zip(*pairs, strict=True))
    return one, all_, one / all_ / threads


def cost_table() -> list[str]:
    """Rows of both sections, then a sentence for each."""
    rows, sentences = [], []
    threads = thread_count(None)
    for section in ("phase:0", "plane:d_y=0:-1"):
        chaotic_sweep(section, 10, 1)()  # compile and load before anything is timed
        costs, slope, deviation = linearity(section)
        for transient, cost in zip(TRANSIENTS, costs, strict=True):
            rate = cost.impacts / cost.processor
            rows.append(f"| {section} | {transient + 100} | {cost.impacts:,} | {cost.processor:.2f} | {rate:,.0f} |")
        one, all_, share = efficiency(section)
        sentences.append(
            f"- {section}: {slope * 1e6:.2f} µs for one more impact; the costs deviate from a straight line by at most "
            f"{deviation:.1%}. One thread {one:.2f} s, {threads} threads {all_:.2f} s: efficiency {share:.2f}."
        )
    return [*rows, "", *sentences]


def figure_table() -> list[str]:
    """Both diagrams on both sections."""
    rows = []
    for e in (0.9, 0.8):
        for section in ("phase:0", "plane:d_y=0:-1"):
            cost = measured(lambda e=e, section=section: figure_8(e, section=section))
            rows.append(f"| {e} | {section} | {cost.impacts:,} | {cost.wall:.0f} | {cost.processor:.0f} |")
    return rows


def report(figures: bool) -> str:
    lines = [
        "# The cost of a sweep",
        "",
        f"{thread_count(None)} cores, load {os.getloadavg()[0]:.1f} at the start; other work spoils times.",
        "",
        "| section | returns a value | impacts | processor s | impacts / processor s |",
        "|---|---|---|---|---|",
        *cost_table(),
    ]
    if figures:
        lines += [
            "",
            "## Fig. 8 of Burns & Piiroinen (2015)",
            "",
            "omega from 2.5 to 5 by 0.0002, 900 + 100 returns a value, each branch followed in both directions.",
            "",
            "| e | section | impacts | wall s | processor s |",
            "|---|---|---|---|---|",
            *figure_table(),
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figures", action="store_true", help="also the two diagrams of Fig. 8")
    text = report(parser.parse_args().figures)
    print(text)
    (HERE / "sweep_cost.md").write_text(text)


if __name__ == "__main__":
    main()

"""What the audit of every run costs: runs with it and without it in turn: ``python -m benchmarks.audit_cost``.

Processor time, recorded runs, the default level. Prints a table, and keeps it in audit_cost.json and audit_cost.md;
docs/guarantees.md quotes it (``python -m benchmarks.quoted``).
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sympy import cos

import jounce
from jounce import Options, Switch, coordinate

HERE = Path(__file__).parent
KEPT, PAGE = HERE / "audit_cost.json", HERE / "audit_cost.md"
ROUNDS = 15  # of both in turn
LEAST_TIME = 0.02  # s of processor time that one measurement takes at least: shorter runs are repeated within it
SHORT = 100  # steps: a shorter run is mostly what Python does around it, and so is its audit
WITHOUT, WITH = Options(audit="off"), Options()


def rubbed() -> jounce.Model:
    """An oscillator with dry friction as a force: a switch, whose sides are audited."""
    x, dx = coordinate("x", "m")
    forces = -x - 0.3 * Switch("rubs", dx) + 1.1 * cos(1.7 * jounce.time)
    return jounce.Model("rubbed", [x], [1], [forces], start={x: 1.0})


#: name -> (model, duration in s)
CASES: dict[str, tuple[Callable[[], jounce.Model], float]] = {
    "ball on a table": (jounce.systems.ball_on_table, 2000.0),
    "slender rod": (jounce.systems.slender_rod, 100.0),
    "impact oscillator": (jounce.systems.impact_oscillator, 2000.0),
    "belt oscillator": (jounce.systems.belt_oscillator, 1000.0),
    "wall pendulum": (jounce.systems.wall_pendulum, 100.0),
    "double pendulum": (jounce.systems.double_pendulum, 50.0),
    "wiper": (jounce.systems.wiper, 100.0),
    "woodpecker": (jounce.systems.woodpecker, 20.0),
    "rocking block": (jounce.systems.rocking_block, 20.0),
    "cam follower": (jounce.systems.cam_follower, 50.0),
    "manipulator": (jounce.systems.manipulator, 20.0),
    "falling ball (compliant)": (jounce.systems.falling_ball, 5.0),
    "wall pendulum (compliant)": (jounce.systems.compliant_wall_pendulum, 50.0),
    "slider-crank": (jounce.systems.slider_crank, 50.0),
    "four-bar": (jounce.systems.four_bar, 50.0),
    "quick return with clearances": (jounce.systems.quick_return, 0.5),
    "oscillator with a switch": (rubbed, 200.0),
    "bouncing ball": (jounce.systems.bouncing_ball, 3.0),
    "two discs": (jounce.systems.two_discs, 2.0),
    "Painlevé rod": (jounce.systems.painleve_rod, 1.0),
}


def seconds(system: Any, start: Any, t_end: float, options: Options, repeats: int) -> float:
    """Processor time of one run."""
    began = time.process_time()
    for _ in range(repeats):
        jounce.simulate(system, start, t_end, options=options)
    return (time.process_time() - began) / repeats


def measure(model: jounce.Model, t_end: float, rounds: int = ROUNDS) -> dict[str, Any]:
    """Times with the audit and without it, in turn: medians, and the median of their ratio."""
    system = jounce.compile_model(model)
    start = system.state()
    run = jounce.simulate(system, start, t_end, options=WITH)
    once = seconds(system, start, t_end, WITHOUT, 1)
    repeats = max(1, round(LEAST_TIME / once))
    pairs = [[seconds(system, start, t_end, options, repeats) for options in (WITHOUT, WITH)] for _ in range(rounds)]
    without, audited = (statistics.median(times) for times in zip(*pairs, strict=True))
    return {
        "status": run.status.code.name,
        "steps": len(run.data.step_t),
        "events": len(run.data.event_int),
        "without": without,
        "audit": audited - without,
        "share": statistics.median(pair[1] / pair[0] for pair in pairs) - 1.0,
    }


def table(rows: dict[str, dict[str, Any]], names: Sequence[str]) -> list[str]:
    """Some of the rows."""
    lines = ["| | steps | events | run, µs | audit, µs | share |", "|---|---|---|---|---|---|"]
    for name in names:
        row = rows[name]
        lines.append(
            f"| {name} | {row['steps']:,} | {row['events']:,} | {1e6 * row['without']:,.0f} | "
            f"{1e6 * row['audit']:,.0f} | {row['share']:.1%} |"
        )
    return lines


def by_length(rows: dict[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The names of runs of SHORT steps and more, the dearest audit first; then those of shorter ones."""
    names = sorted(rows, key=lambda name: -rows[name]["share"])
    return [n for n in names if rows[n]["steps"] >= SHORT], [n for n in names if rows[n]["steps"] < SHORT]


def page(kept: dict[str, Any]) -> str:
    """The page of the measurement."""
    long, short = by_length(kept["rows"])
    return "\n".join([
        "# What the audit of a run costs",
        "",
        f"`python -m benchmarks.audit_cost`; {kept['cores']} cores, load {kept['load']:.1f} at the start.",
        "Recorded runs with the default audit and without it in turn, processor time, medians of "
        f"{kept['rounds']} pairs; the share is the median of the ratios of pairs.",
        "",
        *table(kept["rows"], long),
        "",
        f"Runs of fewer than {SHORT} steps, in which most is what Python does around the motion, whatever its length:",
        "",
        *table(kept["rows"], short),
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, print and keep."""
    from benchmarks import quoted  # which imports this module

    load = os.getloadavg()[0]
    rows = {name: measure(model(), t_end) for name, (model, t_end) in CASES.items()}
    kept = {"cores": os.cpu_count(), "load": load, "rounds": ROUNDS, "rows": rows}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept), encoding="utf-8")
    quoted.write()
    print(page(kept))


if __name__ == "__main__":
    main()

"""What Python costs around short runs, and sweeps, branches and basins around their motions.

    python -m benchmarks.many_runs        a minute; printed, and written to benchmarks/many_runs.md

Times are processor times, the least of some trials in turn: other work on the machine raises them, by half where it is
busy, and hardly changes their ratios.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

import jounce
from benchmarks.closed_form import ball_on_table
from jounce.papers.burns2015.diagrams import ball
from jounce.simulation.events import EventKind

HERE = Path(__file__).parent
SHORT = 0.1  # s of motion in a short run
RUNS, TRIALS = 50, 40
SYSTEMS = ("bouncing_ball", "ball_on_table", "slender_rod", "impact_oscillator", "wiper")
E, VALUES, RETURNS = 0.8, np.linspace(4.0, 5.0, 60), (500, 3000)  # of sweeps: chaotic nearly everywhere


def least(work: Callable[[], object], trials: int) -> float:
    """Seconds of the processor."""
    times = []
    for _ in range(trials):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def short_runs() -> list[str]:
    """Microseconds of ``simulate``: as it is, and with nothing recorded or audited."""
    bare = jounce.Options(record="nothing", audit="off")
    rows = ["| `simulate` of 0.1 s | µs | nothing recorded, no audit: µs |", "|---|---|---|"]
    for name in SYSTEMS:
        system = jounce.compile_model(getattr(jounce.systems, name)())
        start, times = system.state(), []
        for options in (jounce.Options(), bare):

            def some(options: jounce.Options = options) -> None:
                for _ in range(RUNS):
                    jounce.simulate(system, start, start.t + SHORT, options=options)  # noqa: B023  called at once

            some()
            times.append(1e6 * least(some, TRIALS) / RUNS)
        rows.append(f"| {name} | {times[0]:.0f} | {times[1]:.0f} |")
    return rows


def branches() -> list[str]:
    """Milliseconds a point of ``continue_orbit``, with all that is looked for on the way."""
    table = jounce.compile_model(jounce.systems.ball_on_table())
    # one bounce a period: cos(phase) = (1 - e)/(1 + e) g T/(2 A omega); halfway between two bounces it is highest
    omega, period, g = 3.0, 2.0 * math.pi / 3.0, float(table.defaults[table.parameter_names.index("g")])
    phase = math.acos((1.0 - E) / (1.0 + E) * g * period / (2.0 * omega))
    highest = table.state(t=phase / omega + period / 2, y=math.sin(phase) + g * period**2 / 8)
    oscillator = jounce.compile_model(jounce.systems.impact_oscillator())
    cases = {
        "ball on a table": (jounce.find_orbit(table, highest, omega=omega, e=E), (2.6, 3.2), 0.02),
        "impact oscillator": (jounce.find_orbit(oscillator, jounce.simulate(oscillator, None, 200.0).final),
                              (0.776, 0.824), 0.0016),
    }  # fmt: skip
    rows = ["", "| branch over omega | points | ms a point |", "|---|---|---|"]
    for name, (orbit, bounds, step) in cases.items():
        branch = jounce.continue_orbit(orbit, "omega", bounds, step=step)
        seconds = least(lambda: jounce.continue_orbit(orbit, "omega", bounds, step=step), 4)  # noqa: B023
        rows.append(f"| {name} | {len(branch)} | {1e3 * seconds / len(branch):.2f} |")
    return rows


@numba.njit(cache=True, error_model="numpy")
def hand_written_sweep(values, returns, e, g, samples):  # type: ignore[no-untyped-def]
    """The states of a ball at every phase 0, value after value; returns the impacts."""
    y, v, impacts = 1.0, 4.0, 0
    for omega in values:
        for k in range(returns):
            _, y, v, some, _, _ = ball_on_table(0.0, y, v, 1.0, omega, e, g, 2.0 * math.pi / omega, 10**9)
            samples[k, 0], samples[k, 1] = y, v
            impacts += some
    return impacts


def sweeps(system: jounce.System, kind: str) -> list[str]:
    """Nanoseconds for one more impact: in a plain run, in a sweep, in a sweep by hand."""
    g, samples = float(system.defaults[system.parameter_names.index("g")]), np.empty((RETURNS[1], 2))

    def plain(record: str) -> int:
        options = jounce.Options(record=record, audit="off", ledger=False)
        state, impacts = system.state(y=1.0, d_y=4.0), 0
        for omega in VALUES.tolist():
            run = jounce.simulate(system, state.replace(t=0.0), RETURNS[1] * 2 * math.pi / omega, options=options,
                                  omega=omega, e=E)  # fmt: skip
            state, impacts = run.final, impacts + int((run.data.event_int[:, 0] == EventKind.IMPACT).sum())
        return impacts

    def swept(transient: int) -> jounce.Diagram:
        start = [system.state(y=1.0, d_y=4.0)]
        how = {"transient": transient, "keep": 100, "threads": 1, "e": E, "patience": 1}
        return jounce.sweep(system, "omega", VALUES, "phase:0", starts=start, **how)

    totals = [int(swept(n).dataset["total_impacts"].clip(min=0).sum()) for n in RETURNS]
    seconds = [least(lambda n=n: swept(n), 5) for n in RETURNS]  # type: ignore[misc]
    by_hand = hand_written_sweep(VALUES, RETURNS[1], E, g, samples)
    hand = least(lambda: hand_written_sweep(VALUES, RETURNS[1], E, g, samples), 8) / by_hand
    alone = least(lambda: plain("nothing"), 5) / plain("events")
    costs = alone, (seconds[1] - seconds[0]) / (totals[1] - totals[0]), hand
    names = "plain runs of the same values", "sweep, `phase:0`", "sweep by hand, nothing tested"
    return [
        "",
        f"| one more impact of the ball{kind} | ns | of a plain run |",
        "|---|---|---|",
        *(f"| {name} | {1e9 * cost:.0f} | {cost / alone:.2f} |" for name, cost in zip(names, costs, strict=True)),
    ]


def basins(system: jounce.System, kind: str) -> list[str]:
    """Starts a second of the processor, and what of their time the motions take."""
    rows = [
        "",
        f"| basin of the ball{kind}, 60 x 60 | starts / s | µs a start | impacts a start |",
        "|---|---|---|---|",
    ]
    for omega, e in ((2.9, 0.8), (3.0, 0.9)):
        grid = {"y": np.linspace(0, 15, 60), "d_y": np.linspace(-10, 10, 60)}
        found = jounce.basins(system, grid, "phase:0", omega=omega, e=e, threads=1)
        impacts = float(found.dataset["total_impacts"].values.clip(min=0).mean())
        seconds = least(lambda: jounce.basins(system, grid, "phase:0", omega=omega, e=e, threads=1).index, 3)  # noqa: B023
        rows.append(
            f"| omega = {omega}, e = {e} | {3600 / seconds:,.0f} | {1e6 * seconds / 3600:.0f} | {impacts:.0f} |"
        )
    return rows


def main() -> None:
    """Print and keep the tables."""
    head = [
        "# What many runs cost",
        "",
        f"`python -m benchmarks.many_runs`; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start.",
        "Processor times, the least of some trials; other work on the cores raises them.",
        "",
    ]
    rows = [*short_runs(), *branches(), *sweeps(ball(), ""), *basins(ball(), "")]
    alone = jounce.specialise(dataclasses.replace(ball()))
    rows += [*sweeps(alone, ", specialised"), *basins(alone, ", specialised")]
    text = "\n".join([*head, *rows]) + "\n"
    print(text)
    (HERE / "many_runs.md").write_text(text)


if __name__ == "__main__":
    main()

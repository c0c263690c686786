"""What a run costs in an ensemble, and what of it is not the motion itself: ``python -m benchmarks.ensemble_cost``

Prints a table and writes it to ensemble_cost.md.
The compiled loop is timed alone, with all of its runs loaded, read and written; the rest of ``ensemble`` (columns, the
screening of starts, threads, the Dataset) is the difference. Runs of no duration load, start and end: nothing moves.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import jounce
from jounce.analysis.ensemble.columns import make_rows
from jounce.analysis.ensemble.outputs import Wanted
from jounce.analysis.ensemble.work import Engine
from jounce.simulation.options import Options

HERE = Path(__file__).parent
RUNS = 20_000
SINGLE = 200  # of them by simulate
REPEATS = 5
LONG = 30.0  # s of motion in runs for which threads are worth starting
NO_EVENT = (0, -1)  # that ends runs: Section.watch
#: what -> (system, varied start, varied parameter, end)
CASES = {
    "ball, no duration": ("bouncing_ball", "y", "e", 0.0),
    "ball, one flight": ("bouncing_ball", "y", "e", 0.1),
    "ball, some bounces": ("bouncing_ball", "y", "e", 1.5),
    "rod, no duration": ("slender_rod", "y", "e", 0.0),
    "rod, one flight": ("slender_rod", "y", "e", 0.1),
}


def best(work: Callable[[], object], clock: Callable[[], float] = time.process_time, trials: int = REPEATS) -> float:
    """The shortest of some trials, in microseconds; by default of processor time."""
    times = []
    for _ in range(trials):
        began = clock()
        work()
        times.append(clock() - began)
    return 1e6 * min(times)


def measure(name: str, start: str, parameter: str, end: float) -> list[float]:
    """Microseconds a run: simulate, ensemble, its loop, the rest; then wall time with one and with two threads."""
    system, options = jounce.compile_model(getattr(jounce.systems, name)()), Options()
    starts = {start: np.linspace(1.0, 1.5, RUNS) * system.state()[start]}
    varied = {parameter: np.linspace(0.5, 0.8, RUNS)}
    rows = make_rows(system, starts, varied, end, None)
    wanted = Wanted.parse(system, ("status", "final"), (), None, options)
    engine, results, cancel = Engine(system, rows, options, {}, NO_EVENT), wanted.arrays(RUNS), np.zeros(2, np.int64)

    def whole(threads: int) -> object:
        return jounce.ensemble(system, starts, end, parameters=varied, threads=threads)

    loop = best(lambda: engine.run(rows, wanted, results, slice(0, RUNS), cancel)) / RUNS
    alone = best(lambda: whole(1)) / RUNS
    walls = [best(lambda count=threads: whole(count), time.perf_counter) / RUNS for threads in (1, 2)]
    few = starts[start][:SINGLE].tolist()
    single = best(lambda: [jounce.simulate(system, {start: value}, end) for value in few]) / SINGLE
    return [single, alone, loop, alone - loop, *walls]


def efficiency() -> str:
    """A sentence: how much faster two threads are with runs that take their time."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    starts = {"y": np.linspace(1.0, 1.5, RUNS) * system.state()["y"]}

    def whole(threads: int) -> object:
        return jounce.ensemble(system, starts, LONG, threads=threads, options=Options(audit="off"))

    trials = [[best(lambda count=threads: whole(count), time.perf_counter, 1) for threads in (1, 2)] for _ in range(4)]  # type: ignore[misc]
    one, two = (min(walls) for walls in zip(*trials, strict=True))
    return (
        f"\n{RUNS:,} runs of {LONG:g} s of the ball on its table: {1e-6 * one:.2f} s of the clock with one thread, "
        f"{1e-6 * two:.2f} s with two: efficiency {one / two / 2:.2f}.\n"
    )


HEAD = """# The cost of a run in an ensemble

`python -m benchmarks.ensemble_cost`; {cores} cores, load {load:.1f} at the start. {runs:,} runs, microseconds a run,
the best of {repeats}: of the processor, and in the last two columns of the clock, which other work spoils.

| | `simulate` | `ensemble` | its loop | around it | 1 thread | 2 threads |
|---|---|---|---|---|---|---|
"""
TAIL = """
The loop is the compiled one with all its runs loaded, moved, read and written; "around it" is everything else in
`ensemble`. A run of no duration is all overhead. `simulate` gets each start as a dictionary here, which makes a state
of it first; from a state it takes what [many_runs.md](many_runs.md) says. 20,000 short runs may end before a second
thread is worth starting.
"""


def main() -> None:
    """Print and keep the table."""
    text = HEAD.format(cores=os.cpu_count(), load=os.getloadavg()[0], runs=RUNS, repeats=REPEATS)
    for what, case in CASES.items():
        text += f"| {what} | " + " | ".join(f"{figure:.2f}" for figure in measure(*case)) + " |\n"
    text += efficiency() + TAIL
    print(text)
    (HERE / "ensemble_cost.md").write_text(text)


if __name__ == "__main__":
    main()

"""What a run costs in an ensemble, and what of it is not the motion itself: python -m benchmarks.ensemble_cost

The compiled loop is timed alone, with all of its runs loaded, read and written; the rest of ``ensemble`` (columns, the
screening of starts, threads, the Dataset) is the difference. Runs of no duration load, start and end: nothing moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import jounce
from jounce.analysis.ensemble.columns import make_rows
from jounce.analysis.ensemble.outputs import Wanted
from jounce.analysis.ensemble.work import Engine
from jounce.simulation.options import Options

RUNS = 20_000
SINGLE = 200  # of them by simulate
REPEATS = 5
NO_EVENT = (0, -1)  # that ends runs: Section.watch
#: what -> (system, varied start, varied parameter, end)
CASES = {
    "ball, no duration": ("bouncing_ball", "y", "e", 0.0),
    "ball, one flight": ("bouncing_ball", "y", "e", 0.1),
    "ball, some bounces": ("bouncing_ball", "y", "e", 1.5),
    "rod, no duration": ("slender_rod", "y", "e", 0.0),
    "rod, one flight": ("slender_rod", "y", "e", 0.1),
}


def best(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The shortest of some trials, in microseconds; by default of processor time."""
    times = []
    for _ in range(REPEATS):
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


def main() -> None:
    """Print the table."""
    print(f"{RUNS} runs; microseconds of processor time a run, the best of {REPEATS}; last two columns: wall time\n")
    heads = ("simulate", "ensemble", "loop", "around it", "1 thread", "2 threads")
    print(f"{'':20}" + "".join(f"{head:>11}" for head in heads))
    for what, case in CASES.items():
        print(f"{what:20}" + "".join(f"{figure:11.2f}" for figure in measure(*case)))


if __name__ == "__main__":
    main()

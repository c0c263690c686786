"""Jounce beside the hand-written loops, and nothing else: ``python -m benchmarks.ratio [REPEATS]`` (under a minute).

Processor time of the thread, the least of many repeats taken in turn: other work on the machine hardly disturbs it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks import closed_form
from benchmarks.jounce_peer import JouncePeer
from benchmarks.workloads import WORKLOADS, Workload

SHARE = 0.2  # of the span that the ball has in the whole benchmark


def hand_written(work: Workload, span: float) -> int:
    """One run of the loop for this system alone; returns its impacts."""
    p, t_end = work.parameters, work.t + span
    if work.is_ball:
        values = (p["A"], p["omega"], p["e"], p["g"])
        return int(closed_form.ball_on_table(work.t, work.q[0], work.u[0], *values, t_end, 10**9)[3])
    values = tuple(p[name] for name in ("A", "omega", "mu", "e", "g", "m", "L"))
    return int(closed_form.slender_rod(work.t, np.array([*work.q, *work.u]), *values, t_end, 10**9)[1])


def seconds(run: Callable[[], object]) -> float:
    """Processor time of one call."""
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def measure(work: Workload, repeats: int) -> tuple[float, float]:
    """(hand-written, Jounce) seconds an impact."""
    peer, span = JouncePeer(work), (SHARE if work.is_ball else 1.0) * work.fast_span
    ours = int((peer.run(span, "events").events["kind"] == "impact").sum())
    theirs = hand_written(work, span)
    fastest = [math.inf, math.inf]
    for _ in range(repeats):
        fastest[0] = min(fastest[0], seconds(lambda: hand_written(work, span)) / theirs)
        fastest[1] = min(fastest[1], seconds(lambda: peer.run(span, "nothing")) / ours)
    return fastest[0], fastest[1]


def main() -> None:
    """Print one line a workload."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for work in WORKLOADS:
        hand, ours = measure(work, repeats)
        print(f"{work.name:16s} by hand {1e9 * hand:5.0f} ns  Jounce {1e9 * ours:5.0f} ns  ratio {ours / hand:.2f}")


if __name__ == "__main__":
    main()

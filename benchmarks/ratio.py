"""Jounce beside the hand-written loops, and nothing else: ``python -m benchmarks.ratio [REPEATS]`` (under a minute).

As it is, and with a loop compiled for the system alone (``jounce.specialise``), as the hand-written ones are.

Processor time of the thread, the least of many repeats taken in turn: other work on the machine hardly disturbs it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial

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


def measure(work: Workload, repeats: int) -> list[float]:
    """Seconds an impact: hand-written, Jounce, Jounce specialised."""
    peers, span = (JouncePeer(work), JouncePeer(work, alone=True)), (SHARE if work.is_ball else 1.0) * work.fast_span
    counts = [int((peer.run(span, "events").events["kind"] == "impact").sum()) for peer in peers]
    theirs = hand_written(work, span)
    fastest = [math.inf] * 3
    for _ in range(repeats):
        fastest[0] = min(fastest[0], seconds(lambda: hand_written(work, span)) / theirs)
        for k, peer in enumerate(peers):
            fastest[k + 1] = min(fastest[k + 1], seconds(partial(peer.run, span, "nothing")) / counts[k])
    return fastest


def main() -> None:
    """Print one line a workload."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for work in WORKLOADS:
        hand, *ours = measure(work, repeats)
        parts = [f"{work.name:16s} by hand {1e9 * hand:5.0f} ns"]
        for name, time_of in zip(("Jounce", "specialised"), ours, strict=True):
            parts.append(f"{name} {1e9 * time_of:5.0f} ns  ratio {time_of / hand:.2f}")
        print("  ".join(parts))


if __name__ == "__main__":
    main()

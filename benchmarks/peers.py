"""The peers: each measures one workload and returns rows (name, impacts a second, error, note)."""

from __future__ import annotations

import importlib.util
import math
import shutil
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import closed_form, scipy_peer
from benchmarks.checks import loses_nothing
from benchmarks.workloads import Workload

REPEATS = 3
OWN_REPEATS = 10  # of Jounce and of the hand-written loops, whose ratio is what counts
HEYOKA_TOLERANCE = 1e-10


class Row(NamedTuple):
    """One line of the table; rate and error are NaN where a peer failed, and the note says how."""

    peer: str
    workload: str
    rate: float
    error: float
    note: str


def closed_form_rows(work: Workload, exact: np.ndarray) -> Iterator[Row]:
    """The hand-specialised Numba loop."""

    def once(span: float) -> tuple[np.ndarray, int, float, str]:
        p, begin = work.parameters, time.thread_time()
        if work.is_ball:
            values = (p["A"], p["omega"], p["e"], p["g"])
            result = closed_form.ball_on_table(work.t, work.q[0], work.u[0], *values, work.t + span, 10**9)
            note = f"{result[4]} chatters ended in closed form" if result[4] else ""
            return np.array(result[1:3]), result[3], time.thread_time() - begin, note
        z = np.array([*work.q, *work.u])
        values = tuple(p[name] for name in ("A", "omega", "mu", "e", "g", "m", "L"))
        _, impacts, status = closed_form.slender_rod(work.t, z, *values, work.t + span, 10**9)
        note = "stopped by chatter" if status == closed_form.CHATTER else ""
        return z, impacts, time.thread_time() - begin, note

    error = float(np.abs(once(work.error_span)[0] - exact).max())
    runs = [once(work.fast_span) for _ in range(OWN_REPEATS)]
    _, impacts, seconds, note = min(runs, key=lambda run: run[2])
    yield Row("closed form (Numba, one system only)", work.name, impacts / seconds, error, note)


def heyoka_rows(work: Workload, exact: np.ndarray) -> Iterator[Row]:
    """heyoka with terminal events, from four starts in turn."""
    if importlib.util.find_spec("heyoka") is None:
        yield Row("heyoka", work.name, math.nan, math.nan, "not installed")
        return
    from benchmarks.heyoka_peer import HeyokaPeer

    peer, starts = HeyokaPeer(work, HEYOKA_TOLERANCE), work.starts()
    error = float(np.abs(peer.run(starts[0], work.error_span).state - exact).max())
    t_end = work.t + work.slow_span
    faithful = all(loses_nothing(work, peer.run(start, work.slow_span, log=True), t_end) for start in starts)
    best, impacts = math.inf, 0
    for _ in range(10 * REPEATS):
        runs = [peer.run(start, work.slow_span) for start in starts]
        impacts = sum(run.impacts for run in runs)
        best = min(best, sum(run.seconds for run in runs))
    note = f"tol={HEYOKA_TOLERANCE:g}" + ("" if faithful else "; loses impacts")
    yield Row("heyoka", work.name, impacts / best, error, note)


def scipy_rows(work: Workload, exact: np.ndarray, calibrate: bool = False) -> Iterator[Row]:
    """Every method of solve_ivp that reaches the accuracy, each with its cheapest setting."""
    for method in scipy_peer.METHODS:
        setting = scipy_peer.SETTINGS[work.name].get(method)
        if calibrate:
            found = scipy_peer.calibrate(work, method, exact)
        elif setting is None:
            found = None
        else:
            found = scipy_peer.measure(work, method, exact, *setting, repeats=2 if work.is_ball else 1)
        name = f"SciPy {method}"
        if found is None:
            yield Row(name, work.name, math.nan, math.nan, f"no setting within {scipy_peer.ACCURACY:g} loses no impact")
        else:
            note = f"tol={found.tolerance:g}, max_step={found.max_step:g}"
            yield Row(name, work.name, found.impacts / found.seconds, found.error, note)


def jounce_rows(work: Workload, exact: np.ndarray) -> Iterator[Row]:
    """Jounce, if its engine is there; and with a loop compiled for the system alone."""
    try:
        from benchmarks.jounce_peer import TOLERANCE, JouncePeer

        both = {"Jounce": JouncePeer(work), "Jounce, specialised": JouncePeer(work, alone=True)}
    except (ImportError, AttributeError) as missing:
        yield Row("Jounce", work.name, math.nan, math.nan, f"not run: {missing}")
        return
    for name, peer in both.items():
        error = peer.error(exact)
        impacts, seconds = peer.rate(OWN_REPEATS)
        yield Row(name, work.name, impacts / seconds, error, f"tol={TOLERANCE:g}, record=nothing")


def survivors(work: Workload, count: int = 20) -> dict[str, int]:
    """How many of ``count`` starts each peer follows for ``slow_span`` without losing an impact.

    Settings are those that were timed. What defeats a peer are short bounces and chatter.
    """
    starts = [np.array([work.q[0] + 0.037 * k, *work.q[1:], *work.u]) for k in range(count)]
    t_end, alive = work.t + work.slow_span, {}
    if importlib.util.find_spec("heyoka") is not None:
        from benchmarks.heyoka_peer import HeyokaPeer

        peer = HeyokaPeer(work, HEYOKA_TOLERANCE)
        runs = (peer.run(start, work.slow_span, log=True) for start in starts)
        alive["heyoka"] = sum(loses_nothing(work, run, t_end) for run in runs)
    for method, setting in scipy_peer.SETTINGS[work.name].items():
        runs = (scipy_peer.run(work, start, work.slow_span, method, *setting) for start in starts)
        alive[f"SciPy {method}"] = sum(loses_nothing(work, run, t_end) for run in runs)
    return alive


def absent_peers() -> str:
    """A line about peers that are measured only where they happen to be installed."""
    siconos = importlib.util.find_spec("siconos") is not None
    octave = shutil.which("octave") is not None or shutil.which("octave-cli") is not None
    found = [name for name, there in (("Siconos", siconos), ("Octave", octave)) if there]
    return f"{' and '.join(found)} found but not measured." if found else "Siconos and Octave are not installed here."

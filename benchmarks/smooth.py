"""Smooth motion between events, beside its peers: ``python -m benchmarks.smooth [PROBLEM ...] [--peers] [--scipy]``.

Every peer is given the loosest tolerance with which it keeps the accuracy asked for at four times of a short span
against heyoka at 1e-16, and is then timed on a long one: processor time of the thread, the least of several repeats.
Jounce is measured as it is and with a loop compiled for the system alone (``jounce.specialise``).
Without ``--peers`` only Jounce is measured, and compared with the peers' times kept in smooth_peers.json, in seconds.
``--peers`` measures them too and keeps them; ``--scipy`` adds SciPy, whose long spans are shortened, and compares both
at equal tolerances. results.md has all that is kept.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import Any

import numpy as np

from benchmarks import page
from benchmarks.page import OURS
from benchmarks.smooth_problems import PROBLEMS, Problem

KEPT = page.SMOOTH
ACCURACIES = (1e-6, 1e-10)
TOLERANCES = tuple(10.0 ** (-0.5 * k) for k in range(6, 31))
CHECKS = (0.55, 0.7, 0.85, 1.0)
REPEATS = 15
SCIPY_SHARE = 0.05  # of the long span
SCIPY_METHODS = ("DOP853", "LSODA")
EQUAL_TOLERANCES = (1e-3, 1e-4, 1e-6, 1e-8)


def main() -> None:
    """Measure and print one line for each problem and accuracy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=[*PROBLEMS], metavar="PROBLEM", help=", ".join(PROBLEMS))
    parser.add_argument("--peers", action="store_true", help="measure heyoka and the hand-written loop anew")
    parser.add_argument("--scipy", action="store_true", help="measure SciPy anew")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name in chosen.problems:
        problem = PROBLEMS[name]
        of_problem = kept.setdefault(name, {})
        if "reference" not in of_problem or chosen.peers:
            of_problem["reference"] = [list(map(float, row)) for row in reference(problem)]
        exact = np.array(of_problem["reference"])
        of_problem |= measured(problem, peers_of(problem, chosen), exact)
        if chosen.scipy:
            of_problem[page.BY_TOLERANCE] = by_tolerance(problem, exact)
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
        report(name, of_problem)
    page.write()


def peers_of(problem: Problem, chosen: argparse.Namespace) -> list[tuple[str, Any, float]]:
    """(name, peer, share of the long span on which it is timed)"""
    from benchmarks.smooth_peers import Heyoka, Jounce, SciPy

    found: list[tuple[str, Any, float]] = [(name, Jounce(problem, name != OURS[0]), 1.0) for name in OURS]
    if chosen.peers:
        from benchmarks.numba_dop853 import HandWritten

        found += [("heyoka", Heyoka(problem), 1.0), ("by hand", HandWritten(problem), 1.0)]
    if chosen.scipy:
        found += [(f"SciPy {method}", SciPy(problem, method), SCIPY_SHARE) for method in SCIPY_METHODS]
    return found


def reference(problem: Problem) -> list[np.ndarray]:
    """The states at the times of the checks, by heyoka to rounding."""
    from benchmarks.smooth_peers import Heyoka

    peer = Heyoka(problem)
    return [peer.run(part * problem.error_span, 1e-16)[0] for part in CHECKS]


def error_of(problem: Problem, peer: Any, exact: np.ndarray, tolerance: float) -> float:
    """The largest error of the state at the times of the checks."""
    states = [peer.run(part * problem.error_span, tolerance)[0] for part in CHECKS]
    error = float(np.abs(np.array(states) - exact).max())
    return error if math.isfinite(error) else math.inf


def measured(problem: Problem, peers: list[tuple[str, Any, float]], exact: np.ndarray) -> dict[str, Any]:
    """Of each peer tolerance, error and seconds over the long span at every accuracy; None where nothing is enough.

    All are timed in turn: what else the machine does concerns all of them.
    """
    found: dict[str, Any] = {label: [loosest(problem, peer, exact, a) for a in ACCURACIES] for label, peer, _ in peers}
    for k in range(len(ACCURACIES)):
        for turn in range(REPEATS):
            for label, peer, share in peers:
                result = found[label][k]
                if result is not None and (turn == 0 or share == 1.0):
                    seconds = _seconds(peer, share * problem.span, result["tolerance"]) / share
                    result["seconds"] = min(result.get("seconds", math.inf), seconds)
    return found


def loosest(problem: Problem, peer: Any, exact: np.ndarray, accuracy: float) -> dict[str, float] | None:
    """The loosest tolerance that keeps the accuracy, and its error; None where no tolerance is enough.

    A tolerance that is accurate by accident does not count: the next tighter one must be accurate as well.
    """
    before = None
    for tolerance in TOLERANCES[:: getattr(peer, "every", 1)]:
        error = error_of(problem, peer, exact, tolerance)
        if error > accuracy:
            before = None
        elif before is not None:
            return before
        else:
            before = {"tolerance": tolerance, "error": error}
    return None


def by_tolerance(problem: Problem, exact: np.ndarray) -> list[dict[str, Any]]:
    """Jounce and the fastest of SciPy's methods at equal tolerances: seconds over the long span, errors."""
    from benchmarks.smooth_peers import Jounce, SciPy

    def at(peer: Any, tolerance: float, share: float, repeats: int) -> dict[str, Any]:
        seconds = min(_seconds(peer, share * problem.span, tolerance) for _ in range(repeats)) / share
        return {"seconds": seconds, "error": error_of(problem, peer, exact, tolerance)}

    ours, theirs = Jounce(problem), {method: SciPy(problem, method) for method in SCIPY_METHODS}
    rows = []
    for tolerance in EQUAL_TOLERANCES:
        found = [at(peer, tolerance, SCIPY_SHARE, 1) | {"method": method} for method, peer in theirs.items()]
        fastest = min(found, key=lambda result: result["seconds"])
        rows.append({"tolerance": tolerance, "Jounce": at(ours, tolerance, 1.0, REPEATS), "SciPy": fastest})
    return rows


def _seconds(peer: Any, span: float, tolerance: float) -> float:
    begin = time.thread_time()
    peer.run(span, tolerance)
    return time.thread_time() - begin


def report(name: str, of_problem: dict[str, Any]) -> None:
    """One line for each accuracy."""
    for k, accuracy in enumerate(ACCURACIES):
        for own in OURS:
            ours = of_problem[own][k]
            parts = [f"{name:10s} {accuracy:.0e}  {own} {_text(ours)}"]
            for label, results in page.peers(of_problem).items():
                if label not in OURS and results[k] is not None and ours is not None:
                    ratio = ours["seconds"] / results[k]["seconds"]
                    parts.append(f"{label} {_text(results[k])} ratio {ratio:.2f}")
            print("  |  ".join(parts), flush=True)


def _text(result: dict[str, float] | None) -> str:
    if result is None:
        return "no tolerance is enough"
    return f"{1e3 * result['seconds']:.2f} ms (error {result['error']:.0e}, tolerance {result['tolerance']:.0e})"


if __name__ == "__main__":
    main()

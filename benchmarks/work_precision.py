"""Error against time, smooth motion between events: ``python -m benchmarks.work_precision [--peers] [--scipy]``.

Every method runs over a range of tolerances on the four problems of smooth_problems.py; its error is the largest of the
state at four times of a short span against heyoka at 1e-16 (the wiper: SciPy's DOP853 at 1e-13), its time that of one
second of motion on a span twenty times as long (SciPy: on the short one), processor time of the thread, the least of
several repeats. Results are kept in work_precision.json; ``--peers`` measures heyoka and the hand-written loop anew,
which takes minutes of compilation, ``--scipy`` SciPy; ``--draw`` only draws docs/images/work-precision.png. Where the
first two have not been measured here the picture has what smooth.py keeps of them: two accuracies, on its long span.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.smooth import CHECKS
from benchmarks.smooth import KEPT as REFERENCES
from benchmarks.smooth_problems import PROBLEMS, Problem

HERE = Path(__file__).parent
KEPT = HERE / "work_precision.json"
PICTURE = HERE.parent / "docs" / "images" / "work-precision.png"
TOLERANCES = tuple(10.0**-k for k in range(3, 14))
HEYOKA_TOLERANCES = (1e-4, 1e-7, 1e-10, 1e-13)  # making its integrators takes up to half a minute each
REPEATS = 9
LONGER = 20
TITLES = {
    "belt": "Block on a belt: sticks and slips",
    "oscillator": "Impact oscillator",
    "pendulum": "Double pendulum that hits a wall",
    "wiper": "Wiper: slides, sticks, hops",
}


class Pair:
    """Jounce with DOP853 in place of its series."""

    def __init__(self, jounce_peer: Any) -> None:
        self.peer = jounce_peer

    def run(self, span: float, tolerance: float) -> tuple[np.ndarray, int]:
        """The state at the end in the order of the problem."""
        import jounce

        peer = self.peer
        options = jounce.Options(tolerance=tolerance, integrator="dop853", record="nothing", max_events=10**9)
        run = jounce.simulate(peer.system, peer.start, span, options=options, **peer.problem.parameters)
        return np.array([*run.final.q[peer.places], *run.final.u[peer.places]]), -1


def main() -> None:
    """Measure what is asked for, keep it, draw all that is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=[*PROBLEMS], metavar="PROBLEM", help=", ".join(PROBLEMS))
    parser.add_argument("--peers", action="store_true", help="measure heyoka and the hand-written loop anew")
    parser.add_argument("--scipy", action="store_true", help="measure SciPy anew")
    parser.add_argument("--draw", action="store_true", help="draw what is known, measure nothing")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name in () if chosen.draw else chosen.problems:
        problem = PROBLEMS[name]
        own = kept.setdefault(name, {})
        exact = reference(problem)
        for label, peer, tolerances in methods(problem, chosen):
            own[label] = [row for row in (measured(problem, peer, exact, t) for t in tolerances) if row is not None]
            print(name, label, " ".join(f"{row[1]:.0e}:{1e6 * row[2]:.3g}us" for row in own[label]), flush=True)
        kept["load"] = os.getloadavg()[0]
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    draw(kept)


def methods(problem: Problem, chosen: argparse.Namespace) -> list[tuple[str, Any, tuple[float, ...]]]:
    """(name, peer, tolerances)"""
    from benchmarks.smooth_peers import Heyoka, Jounce, SciPy

    ours = Jounce(problem)
    found: list[tuple[str, Any, tuple[float, ...]]] = [
        ("Jounce", ours, TOLERANCES),
        ("Jounce, DOP853", Pair(ours), TOLERANCES),
    ]
    if chosen.scipy:
        found += [(f"SciPy {method}", SciPy(problem, method), TOLERANCES[::2]) for method in ("DOP853", "LSODA")]
    if chosen.peers:
        from benchmarks.numba_dop853 import HandWritten

        found.append(("hand-written Numba DOP853", HandWritten(problem), TOLERANCES))
        found.append(("heyoka", Heyoka(problem), HEYOKA_TOLERANCES))
    return found


def reference(problem: Problem) -> np.ndarray:
    """The states at the times of the checks."""
    known = json.loads(REFERENCES.read_text()).get(problem.name, {}).get("reference")
    if known is not None:
        return np.array(known)
    from benchmarks.smooth_peers import SciPy

    peer = SciPy(problem, "DOP853")
    return np.array([peer.run(part * problem.error_span, 1e-13)[0] for part in CHECKS])


def measured(problem: Problem, peer: Any, exact: np.ndarray, tolerance: float) -> list[float] | None:
    """[tolerance, error, seconds for one second of motion]; None where the peer fails."""
    states = np.array([peer.run(part * problem.error_span, tolerance)[0] for part in CHECKS])
    error = float(np.abs(states - exact).max())
    if not math.isfinite(error):
        return None
    span, best = problem.error_span * (1 if getattr(peer, "method", None) else LONGER), math.inf
    for _ in range(REPEATS):
        begin = time.thread_time()
        peer.run(span, tolerance)
        best = min(best, time.thread_time() - begin)
        if best > 0.2:
            break
    return [tolerance, error, best / span]


def kept_by_smooth(name: str, label: str) -> list[list[float]]:
    """Rows of heyoka and of the hand-written loop at two accuracies, where smooth.py has measured them."""
    known = json.loads(REFERENCES.read_text()).get(name, {})
    own = {"heyoka": "heyoka", "hand-written Numba DOP853": "by hand"}.get(label, "")
    span = PROBLEMS[name].span
    return [[row["tolerance"], row["error"], row["seconds"] / span] for row in known.get(own, []) if row]


def draw(kept: dict[str, Any]) -> None:
    """One panel a problem: error to the right is smaller, time upwards is longer."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    styles = {
        "Jounce": {"color": "C0", "marker": "o", "linewidth": 2.2},
        "Jounce, DOP853": {"color": "C0", "marker": ".", "linestyle": "--"},
        "heyoka": {"color": "C3", "marker": "s"},
        "hand-written Numba DOP853": {"color": "C2", "marker": "^"},
        "SciPy DOP853": {"color": "0.5", "marker": "v"},
        "SciPy LSODA": {"color": "0.7", "marker": "d"},
    }
    for axis, name in zip(axes.flat, PROBLEMS, strict=True):
        for label, style in styles.items():
            rows = np.array(kept.get(name, {}).get(label) or kept_by_smooth(name, label))
            if rows.size:
                rows = rows[rows[:, 1] > 0.0]  # no error against itself
                axis.loglog(rows[:, 1], 1e6 * rows[:, 2], label=label, markersize=5, **style)
        axis.invert_xaxis()
        axis.set(title=TITLES[name], xlabel="largest error of the state", ylabel="µs for a second of motion")
        axis.grid(alpha=0.3)
    lines, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncols=3)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()

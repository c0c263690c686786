"""How many impacts a second one core computes, by every law and by the marched process.

    python -m benchmarks.impact_rate [--json FILE]

The impacts are random: full matrices K, all ten regions, a new one each time (no branch is predicted by repetition).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from numba import njit

from jounce.kernels.impact.impulse import impulse_process
from jounce.kernels.impact.laws import apply_law
from jounce.simulation.law import Law

COUNT = 100_000
REPEATS = 7


@njit
def _by_law(law, rows, out):
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        apply_law(law, row[0], row[1], row[2], row[3], row[4], row[5], row[6], 0.0, out)
        total += out[1]  # the impulse is used, so that nothing is optimised away
    return total


@njit
def _by_process(law, rows, out, phases):
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        impulse_process(law, row[0], row[1], row[2], row[3], row[4], row[5], row[6], out, phases)
        total += out[1]
    return total


def random_impacts(count: int, seed: int = 1) -> np.ndarray:
    """Rows A, B, C, v_t, v_n, mu, e."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 2, 2))
    K = X @ X.transpose(0, 2, 1)
    v_n = -np.abs(rng.standard_normal(count))
    columns = [K[:, 0, 0], K[:, 0, 1], K[:, 1, 1], rng.standard_normal(count), v_n]
    return np.ascontiguousarray(np.column_stack([*columns, rng.exponential(0.7, count), rng.random(count)]))


def _best_rate(run: Callable[[], float], count: int) -> float:
    run()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return count / min(times)


def measure(count: int = COUNT) -> dict[str, float]:
    """Impacts a second on one core: one entry a law, and the marched energetic process."""
    rows, out, phases = random_impacts(count), np.zeros(8), np.zeros((4, 6))
    rates = {str(law): _best_rate(lambda law=law: _by_law(int(law), rows, out), count) for law in Law}
    rates["energetic, marched"] = _best_rate(lambda: _by_process(0, rows, out, phases), count)
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", metavar="FILE", help="write the rates here too")
    arguments = parser.parse_args()
    rates = measure()
    print(f"{'law':<22}{'million impacts/s':>20}{'ns each':>10}")
    for name, rate in rates.items():
        print(f"{name:<22}{rate / 1e6:>20.1f}{1e9 / rate:>10.1f}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"unit": "impacts/s on one core", "rates": rates}, file, indent=2)


if __name__ == "__main__":
    main()

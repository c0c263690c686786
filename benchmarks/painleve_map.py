"""A map of the scalar contact problem, against asking for its states one by one.

    python -m benchmarks.painleve_map

The two-link manipulator on its belt, 400 x 400 states, the coordinates that follow from the contact solved for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

import jounce
from jounce.analysis import painleve

POINTS = 400
SINGLE = 500  # states that are asked for one by one
REPEATS = 5
REACH = 0.84
RATE = 3.0


def seconds(run: Callable[[], object]) -> float:
    """The least processor time of a few calls."""
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print the two and their ratio."""
    system = jounce.compile_model(jounce.systems.manipulator())
    over = {"theta1": (-REACH, REACH), "d_theta1": (-RATE, RATE)}
    found = painleve.mode_map(system, over, points=POINTS)
    places = np.random.default_rng(1).integers(0, POINTS, (SINGLE, 2))
    states = []
    for i, j in places:
        q, u = found.q[i, j], found.u[i, j]
        if math.isfinite(float(np.sum(q) + np.sum(u))):
            states.append(jounce.State(0.0, q, u, system.coordinate_names))

    def one_by_one() -> None:
        for state in states:
            painleve.coefficients(system, state)

    whole = seconds(lambda: painleve.mode_map(system, over, points=POINTS)) / POINTS**2
    single = seconds(one_by_one) / len(states)
    print(f"map         {1e6 * whole:6.2f} us a state, {whole * POINTS**2:.2f} s in all")
    print(f"one by one  {1e6 * single:6.0f} us a state, ratio {single / whole:.0f}")


if __name__ == "__main__":
    main()

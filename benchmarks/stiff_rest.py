"""What rest costs, on stiff contacts and on many feet: ``python -m benchmarks.stiff_rest``, which writes rest.md.

m y'' + c y' + K y = -m g + F cos(omega t) for 20 s, always pressed, damping 0.05 of the critical one, beside SciPy's
LSODA: the error is that of the contact force at the end, relative, against the closed form. A block on 3 to 8 rigid
feet, at rest and pulled. Processor time of the thread, the least of several repeats.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from benchmarks.scenes import compiled, feet

STIFFNESS = (1e2, 1e4, 1e6, 1e8, 1e10, 1e12)
G, FORCE, OMEGA, SPAN, DAMPING, TOLERANCE = 9.81, 2.0, 3.0, 20.0, 0.05, 1e-8
REPEATS = 5
FEET = range(3, 9)


def shaken() -> jounce.System:
    """The mass, its floor and the load."""
    y, dy = jounce.coordinate("y", "m")
    m, g, k, c, F, omega = jounce.parameters(m=1.0, g=G, k=1e6, c=100.0, F=FORCE, omega=OMEGA)
    model = jounce.Model.from_lagrangian(
        "shaken",
        coordinates=[y],
        kinetic=m * dy**2 / 2,
        potential=m * g * y,
        forces={y: F * sp.cos(omega * jounce.time)},
        contacts=[jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(k, c))],
    )
    return jounce.compile_model(model)


def seconds(run: Callable[[], object], repeats: int) -> float:
    """The least processor time of several calls."""
    best = math.inf
    for _ in range(repeats):
        begin = time.thread_time()
        run()
        best = min(best, time.thread_time() - begin)
    return best


def depth_at_end(K: float, c: float) -> float:
    """y of the closed form: the answer to the load, and what is left of the oscillation with which it begins."""
    answer = FORCE / (K - OMEGA**2 + 1j * c * OMEGA)
    root = -c / 2 + 1j * math.sqrt(K - c * c / 4)
    y, v = -answer.real, OMEGA * answer.imag
    # y(0) = Re a, v(0) = Re(root a)
    a = y + 1j * (root.real * y - v) / root.imag
    return -G / K + float((answer * np.exp(1j * OMEGA * SPAN) + a * np.exp(root * SPAN)).real)


def lsoda(K: float, c: float) -> float:
    """The depth at the end by SciPy, with tolerances that ask for the same of the depth."""

    def rate(t: float, z: np.ndarray) -> list[float]:
        return [z[1], -G + FORCE * math.cos(OMEGA * t) - K * z[0] - c * z[1]]

    def jacobian(t: float, z: np.ndarray) -> list[list[float]]:
        return [[0.0, 1.0], [-K, -c]]

    start, small = [-G / K, 0.0], TOLERANCE * G / K
    flow = solve_ivp(
        rate, (0.0, SPAN), start, "LSODA", jac=jacobian, rtol=TOLERANCE, atol=[small, small * math.sqrt(K)]
    )
    return float(flow.y[0, -1])


def stiffnesses() -> list[str]:
    """One row for each stiffness."""
    rows = ["| K, N/m | Jounce: ms | error | LSODA: ms | error | Jounce / LSODA |", "|---|---|---|---|---|---|"]
    system, options = shaken(), jounce.Options(tolerance=TOLERANCE, record="events")
    for K in STIFFNESS:
        c = 2 * DAMPING * math.sqrt(K)
        exact = depth_at_end(K, c)
        start = system.state(y=-G / K)

        def run(start: jounce.State = start, K: float = K, c: float = c) -> jounce.Trajectory:
            return jounce.simulate(system, start, SPAN, options=options, k=K, c=c)

        ours, theirs = seconds(run, REPEATS), seconds(lambda K=K, c=c: lsoda(K, c), 1)  # type: ignore[misc]
        errors = [abs(y / exact - 1.0) for y in (run().final["y"], lsoda(K, c))]
        rows.append(
            f"| {K:.0e} | {1e3 * ours:.2f} | {errors[0]:.0e} | {1e3 * theirs:.1f} | {errors[1]:.0e} "
            f"| {ours / theirs:.2g} |"
        )
    return rows


def on_feet() -> list[str]:
    """One row for each number of feet: at rest, pulled, and pulled harder and harder until the block slides."""
    rows = ["| feet | 1 s at rest: ms | 1 s pulled: ms | 3 s, pulled until it slides: ms | status |"]
    rows += ["|---|---|---|---|---|"]
    for count in FEET:
        system = compiled(feet(count))
        cells, statuses = [], set()
        for span, loads in ((1.0, {}), (1.0, {"pull": 2.0}), (3.0, {"pull": 4.0, "rate": 0.5})):

            def run(span: float = span, loads: dict[str, float] = loads) -> jounce.Trajectory:
                return jounce.simulate(system, None, span, **loads)  # noqa: B023  called at once

            statuses.add(run().status.name)
            cells.append(f"{1e3 * seconds(run, REPEATS):.1f}")
        rows.append(f"| {count} | {' | '.join(cells)} | {', '.join(sorted(statuses))} |")
    return rows


def main() -> None:
    """Print the tables, and write them to rest.md."""
    text = [
        "# What rest costs",
        "",
        f"`python -m benchmarks.stiff_rest`; load {os.getloadavg()[0]:.1f} at the start. Processor time.",
        "",
        f"1 kg pressed on a Kelvin-Voigt contact with {DAMPING:g} of the critical damping and pushed by {FORCE:g} N",
        f"cos({OMEGA:g} t) for {SPAN:g} s, tolerance {TOLERANCE:g}; the error is that of the contact force, relative:",
        "",
        *stiffnesses(),
        "",
        "A block on rigid feet with friction 0.5, whose forces statics leaves open:",
        "",
        *on_feet(),
    ]
    print("\n".join(text))
    (Path(__file__).parent / "rest.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()

"""Time of a step as coordinates and contacts grow: ``python -m benchmarks.scaling``, which writes scaling.md.

Coordinates: a row of 1 to 32 masses, each tied to the next by a spring that hardens, the last before a wall. Contacts:
a mass on a spring in the plane among 1 to 64 walls. Both with series ("taylor", the default) and with DOP853; steps
that are whole or end with an event; processor time of the thread, the least of several runs; ledger on, nothing kept.
Bodies: crowd.py.
"""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import jounce
from benchmarks.crowd import page
from jounce.kernels.records import recording
from jounce.model import Contact, Model, coordinates
from jounce.simulation.driver import Driver

HERE = Path(__file__).parent
COORDINATES = (1, 2, 4, 8, 16, 32)
CONTACTS = (1, 2, 4, 8, 16, 32, 64)
SPAN = 500.0
REPEATS = 5


def row_of_masses(n: int) -> Model:
    """n masses in a row, the first tied to the ground, the last before a wall."""
    pairs = coordinates(" ".join(f"x{k}" for k in range(n)), "m")
    x, v = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    stretches = [x[0], *(x[k + 1] - x[k] for k in range(n - 1))]
    return Model.from_lagrangian(
        f"row{n}",
        coordinates=x,
        kinetic=sum(speed**2 for speed in v) / 2,
        potential=sum(s**2 / 2 + s**4 / 4 for s in stretches),
        contacts=[Contact("wall", gap=1 - x[-1], restitution=0.9)],
        start={x[k]: 0.3 * (-1) ** k for k in range(n)},
    )


def mass_among_walls(count: int) -> Model:
    """A mass on a hardening spring in the plane, with walls all round."""
    (x, vx), (y, vy) = coordinates("x y", "m")
    angles = [2 * math.pi * k / count for k in range(count)]
    walls = [
        Contact(f"wall{k}", gap=1.5 - math.cos(a) * x - math.sin(a) * y, restitution=0.9) for k, a in enumerate(angles)
    ]
    r = x**2 + 2 * y**2
    return Model.from_lagrangian(
        f"walls{count}",
        coordinates=[x, y],
        kinetic=(vx**2 + vy**2) / 2,
        potential=r / 2 + r**2 / 8,
        contacts=walls,
        start={x: 0.9, y: 0.4},
    )


def measured(model: Model, integrator: str) -> tuple[float, int]:
    """(seconds a step, steps) over the span."""
    system = jounce.compile_model(model)
    options = jounce.Options(integrator=integrator, record="nothing", max_events=10**9)
    best, steps = math.inf, 0
    for _ in range(REPEATS):
        driver = Driver(system, system.state(), SPAN, system.parameters(), options)
        begin = time.thread_time()
        driver.run()
        best = min(best, time.thread_time() - begin)
        steps = int(driver.record[0]["counter"][recording.TURNS])
        driver.release()
    return best / max(steps, 1), steps


def rows(models: list[tuple[int, Model]]) -> list[str]:
    """Lines of a table."""
    lines: list[str] = []
    for size, model in models:
        cells: list[Any] = [size]
        for integrator in ("taylor", "dop853"):
            seconds, steps = measured(model, integrator)
            cells += [f"{1e6 * seconds:.2f}", steps]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure and write."""
    head = "| {} | series: µs a step | steps | DOP853: µs a step | steps |\n|---|---|---|---|---|"
    text = ["# Time of a step", "", f"Load {os.getloadavg()[0]:.1f} at the start; other work spoils times.", ""]
    text += ["A row of masses, the last before a wall:", "", head.format("coordinates")]
    text += rows([(n, row_of_masses(n)) for n in COORDINATES])
    text += ["", "A mass in the plane among walls:", "", head.format("contacts")]
    text += rows([(count, mass_among_walls(count)) for count in CONTACTS])
    text += page()
    (HERE / "scaling.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()

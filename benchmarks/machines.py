"""Machines of many contacts: ``python -m benchmarks.machines`` writes benchmarks/machines.md (a few minutes).

Processor time of the thread, the least of three runs after a first one; with the audit that every run has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jounce
from benchmarks import scenes
from jounce import Model

PAGE = Path(__file__).with_name("machines.md")
REPEATS = 3


class Measured:
    """One scene: sizes, time to the first step, time of a run, of its steps and of its instants."""

    def __init__(self, model: Callable[[], Model], t_end: float, **parameters: Any) -> None:
        start, begun = parameters.pop("start", None), time.process_time()
        self.model = model()
        system = jounce.compile_model(self.model)
        given = None if start is None else system.state(**start)
        options = parameters.pop("options", None)
        jounce.simulate(system, given, t_end * 1e-6, options=options, **parameters)
        self.first_step = time.process_time() - begun
        self.seconds = math.inf
        for _ in range(REPEATS):
            begun = time.process_time()
            self.run = jounce.simulate(system, given, t_end, options=options, **parameters)
            self.seconds = min(self.seconds, time.process_time() - begun)
        self.steps = len(self.run.data.step_t)
        self.instants = int(self.run.events.t.nunique())
        self.closed = int((self.run.mode_codes_at(self.run.data.step_t, "right") > 0).sum(axis=1).max())
        self.findings = len(self.run.audit())

    def row(self, what: str, time_of_run: str = "") -> str:
        """A row of the table."""
        model, run = self.model, self.run
        sizes = f"{model.n} | {len(model.contacts)} | {self.closed} | {len(model.joints)}"
        each = f"{1e6 * self.seconds / max(self.steps, 1):.0f}"
        event = f"{1e6 * self.seconds / self.instants:.0f}" if self.instants else "-"
        counts = f"{self.steps} | {self.instants} | {1e3 * self.seconds:.1f} | {each} | {event}"
        residual = f"{float(abs(run.energy.residual).max()):.0e}"
        return (
            f"| {what} {time_of_run} | {sizes} | {self.first_step:.1f} | {counts} | {run.status.name} | {residual} | "
            f"{self.findings} |"
        )


COLUMNS = (
    "scene", "coordinates", "contacts", "closed", "joints", "to the first step, s", "steps", "instants", "run, ms",
    "µs a step", "µs an instant", "status", "residual, J", "findings",
)  # fmt: skip
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def blocks() -> Iterator[str]:
    """A block on feet, at rest and pulled."""
    for count in (2, 3, 4, 5, 6, 7, 8, 12, 20):
        yield Measured(lambda k=count: scenes.feet(k), 1.0, pull=2.0).row(f"block at rest on {count} feet", "1 s")
    for count in (3, 5, 6, 8, 12):
        measured = Measured(lambda k=count: scenes.feet(k), 3.0, pull=4.0, rate=0.5)
        yield measured.row(f"block on {count} feet, pulled until it slides", "3 s")


def stacks() -> Iterator[str]:
    """Stacks at rest and toppling."""
    for count in (1, 2, 3, 5, 10):
        yield Measured(lambda k=count: scenes.stack(k), 1000.0, slope=0.05).row(f"stack of {count}", "1000 s")
    for count in (1, 2, 3, 5, 10):
        end = math.atan(1 / count) / 0.05 + 0.1
        measured = Measured(lambda k=count: scenes.stack(k, turning=True), end, mu=1.5)
        yield measured.row(f"stack of {count} on a turning slope, to its toppling", f"{end:.1f} s")


def blows() -> Iterator[str]:
    """Rows of balls, cradles, dominoes."""
    for count in (5, 12, 30):
        yield Measured(lambda k=count: scenes.row(k), 1.0).row(f"row of {count} balls", "1 s")
    yield Measured(lambda: scenes.cradle(20, False), 2.0).row("cradle of 20, joints", "2 s")
    for count in (5, 12):
        for minimal in (True, False):
            measured = Measured(lambda k=count, m=minimal: scenes.cradle(k, m), 2.0)
            yield measured.row(f"cradle of {count}, {'angles' if minimal else 'joints'}", "2 s")
    for minimal in (True, False):
        measured = Measured(lambda m=minimal: scenes.dominoes(10, m), 0.3)
        yield measured.row(f"10 dominoes, {'angles' if minimal else 'joints'}", "0.3 s")
    yield Measured(lambda: scenes.dominoes(30, False), 0.8).row("30 dominoes, joints", "0.8 s")


def chains() -> Iterator[str]:
    """Links on one another."""
    for count in (10, 30, 60, 100):
        yield Measured(lambda k=count: scenes.chain(k), 0.4).row(f"chain of {count} links", "0.4 s")


def boxes() -> Iterator[str]:
    """A box in a slot, discs in a box."""
    joint = jounce.Options(simultaneous="joint", law="newton")
    yield Measured(scenes.slot, 10.0).row("box that fills its slot", "10 s")
    measured = Measured(lambda: scenes.slot(0.05), 10.0, start={"d_box_x": 1.0}, mu=0.0, options=joint)
    yield measured.row("box that runs between two walls", "10 s")
    for count in (2, 4, 6, 8, 12, 16):
        yield Measured(lambda k=count: scenes.discs(k), 2.0).row(f"{count} discs in a shaken box", "2 s")


TEXT = """# Machines of many contacts

Written by `python -m benchmarks.machines`. Scenes: benchmarks/scenes.py. Processor time; an instant is a time at which
something happens, whatever number of rows it has; closed: the most at one time; findings: of the audit.

"""


def main() -> None:
    """Measure and write the page."""
    lines = []
    for part in (blocks, stacks, blows, chains, boxes):
        for line in part():
            print(line, flush=True)
            lines.append(line)
    PAGE.write_text(TEXT + HEAD + "\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

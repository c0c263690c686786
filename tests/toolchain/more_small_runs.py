"""Runs that reach what small_runs.py does not, for tools/kernel_coverage.py, whose kernels run as plain Python.

Machines of tables, a sweep, and one run of each random family; each may take some seconds of the processor, and
what it has reached by then counts.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import jounce
from tests.bodies.table_machines import forces, shapes
from tests.families.check import simulate
from tests.families.cornered import FAMILIES as MACHINES
from tests.families.run import FAMILIES

SECONDS = 5.0  # of the processor


@contextmanager
def cut_short() -> Iterator[None]:
    """Interrupt what takes longer."""

    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    except KeyboardInterrupt:
        print("cut", flush=True)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def machines() -> None:
    """Machines of tables: functions of the model are kernels, too."""
    for model in (shapes(), forces()):
        system = jounce.compile_model(model, bodies="tables")
        print(jounce.simulate(system, None, 0.01).status, flush=True)


def maps() -> None:
    """A sweep over two values."""
    ball = jounce.compile_model(jounce.systems.ball_on_table())
    start = ball.state(y=1.0, d_y=4.0)
    swept = jounce.sweep(
        ball, "omega", np.linspace(3.2, 3.4, 2), "phase:0", start, e=0.8, transient=3, keep=3, threads=1
    )
    print(swept.attractors["kind"].tolist(), flush=True)


def main() -> None:
    """Everything, whatever becomes of it: that is for the tests."""
    families = [family for family in FAMILIES if family not in MACHINES]
    for work in (machines, maps, *((lambda family=family: simulate(family, family.sample(0))) for family in families)):
        with cut_short():
            work()


if __name__ == "__main__":
    main()

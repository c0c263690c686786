"""The compiled loop over runs on all cores: batches of runs, taken by threads that hold no lock of Python's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np

from jounce.analysis.ensemble.columns import Rows
from jounce.analysis.ensemble.outputs import Wanted
from jounce.errors import SimulationError
from jounce.kernels.maps.ensemble import READER, run_all
from jounce.kernels.maps.run_start import screen_starts
from jounce.kernels.records.recording import RECORD
from jounce.kernels.records.workspace import WORKSPACE
from jounce.model.compliance import Compliance
from jounce.simulation.endings import DEAD_POINT
from jounce.simulation.options import Options, Recording
from jounce.simulation.roster import Roster, check_all_fit, needs_list
from jounce.simulation.run_start import machine_record, start_motion
from jounce.simulation.status import StatusCode
from jounce.simulation.templates import own_loop
from jounce.system.assembly import joint_rows, singularity
from jounce.system.checks import check_start
from jounce.system.system import System

LOOK = 0.1  # s between two looks at progress and Ctrl-C
BATCH_SECONDS = 0.02  # a batch is as long as this takes: short beside the whole, long beside what starting it takes
FIRST_BATCH, LARGEST_BATCH = 16, 8192

Progress = Callable[[int], None]


class Engine:
    """The records of one thread, used for run after run."""

    def __init__(
        self, system: System, rows: Rows, options: Options, stops: dict[int, int], watch: tuple[int, int]
    ) -> None:
        p = rows.parameters[0]
        self._system, self._options = system, options
        self.machine = machine_record(system, p, options)
        self.workspace, self.record, self.reader = np.zeros(1, WORKSPACE), np.zeros(1, RECORD), np.zeros(1, READER)
        self.fresh = start_motion(system, system.state(), 0.0, p, options)
        self.motion = self.fresh.copy()
        for index, direction in stops.items():
            self.fresh[0]["settings"]["user_stops"][index], self.fresh[0]["settings"]["user_direction"][index] = (
                1,
                direction,
            )
        self.record[0]["watch_kind"], self.record[0]["watch_contact"] = watch
        self.record[0]["keep_events"] = options.record is not Recording.NOTHING
        self.record[0]["keep_steps"] = options.record is Recording.ALL
        self.roster: Roster | None = None
        if needs_list(system):
            self.roster = Roster(system, options)
            self.roster.join(self.machine, self.fresh, self.record)
        else:
            check_all_fit(system, "an ensemble")

    def screen(self, rows: Rows) -> np.ndarray:
        """The runs whose starts are to be looked at more closely: all where not all contacts fit into the records."""
        if self.roster is not None:
            return np.arange(len(rows.starts))
        doubtful = np.zeros(len(rows.starts), np.int64)
        screen_starts.from_python(
            self.machine, self.workspace, self.motion, self.fresh, rows.starts, rows.parameters, doubtful
        )
        return np.flatnonzero(doubtful)

    def run(self, rows: Rows, wanted: Wanted, results: dict[str, np.ndarray], part: slice, cancel: np.ndarray) -> int:
        """Some of the runs, into their places of the results, which begin at ``part``; returns how many."""
        self.machine[0]["own_loop"] = own_loop(self._system, self._options)
        place = {name: values[part] for name, values in results.items()}
        return int(
            run_all.from_python(
                self.machine, self.workspace, self.motion, self.fresh, self.record, self.reader, rows.starts[part],
                rows.parameters[part], wanted.kinds, wanted.times, place["ends"], place["facts"], place["watched"],
                place["samples"], place["extrema"], cancel,
            )
        )  # fmt: skip


@dataclass
class Work:
    """All runs of an ensemble."""

    system: System
    rows: Rows
    wanted: Wanted
    options: Options
    stops: dict[int, int]
    watch: tuple[int, int]  # an event that ends runs: ``Section.watch``
    results: dict[str, np.ndarray]
    done: np.ndarray  # [run]
    cancel: np.ndarray = field(default_factory=lambda: np.zeros(2, np.int64))

    def check(self) -> None:
        """Raise a SimulationError that names the first run that cannot start, as ``simulate`` would."""
        system, rows = self.system, self.rows
        doubtful = Engine(system, rows, self.options, self.stops, self.watch).screen(rows)
        if system.nj or self._compliance_varies():
            doubtful = np.arange(len(rows.starts))
        elif system.model.memory:
            doubtful = np.union1d(doubtful, [0])
        for run in doubtful.tolist():
            state = rows.state(system, run)
            try:
                check_start(system, state, rows.parameters[run], system.closed_contacts(state))
            except SimulationError as error:
                raise SimulationError(f"run {run}: {error}") from None

    def _compliance_varies(self) -> bool:
        """Whether coefficients of compliant contacts differ from run to run."""
        names: set[str] = set()
        for contact in self.system.model.contacts:
            if isinstance(contact.compliance, Compliance):
                parts = (*contact.compliance.coefficients.values(), contact.restitution)
                names |= {symbol.name for part in parts for symbol in getattr(part, "free_symbols", ())}
        return bool(names & set(self.rows.varied))

    def run(self, part: slice, threads: int, progress: Progress) -> None:
        """Run some of the runs; Ctrl-C stops within moments, ``done`` says which are whole."""
        queue = _Queue(part)
        with ThreadPoolExecutor(threads, thread_name_prefix="jounce") as pool:
            workers = [pool.submit(self._take_batches, queue) for _ in range(threads)]
            try:
                while True:
                    unfinished = wait(workers, timeout=LOOK).not_done
                    progress(int(self.done.sum()))
                    if not unfinished:
                        break
            except BaseException:
                self.cancel[0] = 1
                raise
            for worker in workers:
                worker.result()
        if self.system.nj:
            self._explain_locks(part)

    def _take_batches(self, queue: _Queue) -> None:
        """One thread: batch after batch until none is left."""
        engine = Engine(self.system, self.rows, self.options, self.stops, self.watch)
        size = FIRST_BATCH
        while not self.cancel[0]:
            batch = queue.take(size)
            if batch.start >= batch.stop:
                return
            began = time.perf_counter()
            count = engine.run(self.rows, self.wanted, self.results, batch, self.cancel)
            self.done[batch.start : batch.start + count] = True
            spent = max(time.perf_counter() - began, 1e-6)
            size = int(np.clip(size * BATCH_SECONDS / spent, 1, min(4 * size, LARGEST_BATCH)))

    def _explain_locks(self, part: slice) -> None:
        """A step size that underflows where joints become dependent is a machine that locks, as in ``simulate``."""
        facts, n = self.results["facts"], self.system.n
        for run in np.flatnonzero(facts[part, 0] == StatusCode.STEP_UNDERFLOW) + part.start:
            end, p = self.results["ends"][run], self.rows.parameters[run]
            J = joint_rows(self.system, float(end[0]), end[1 : 1 + n], end[1 + n : 1 + 2 * n], p)[2]
            if singularity(J, self.system.joint_names)[0] < DEAD_POINT:
                facts[run, 0] = StatusCode.LOCKED


class _Queue:
    """Runs not yet taken."""

    def __init__(self, part: slice) -> None:
        self.next, self.end, self.lock = part.start, part.stop, threading.Lock()

    def take(self, size: int) -> slice:
        """The next runs, at most ``size``; towards the end fewer, so that threads end together."""
        with self.lock:
            size = max(1, min(size, (self.end - self.next) // 4))
            taken = slice(self.next, min(self.next + size, self.end))
            self.next = taken.stop
        return taken

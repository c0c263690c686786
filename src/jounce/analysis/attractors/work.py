"""Lanes of chunks, run on all cores or on a cluster, each chunk stored as it finishes.

A lane is a sequence of items. Where the state is carried from item to item its chunks follow one another; otherwise
they are independent. Which worker takes a chunk, and when, changes nothing in it: results are the same for any number
of threads, on a cluster, and after any interruption.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jounce.analysis.attractors.search import AttractorSearch, Engine
from jounce.analysis.stores.chunk_store import ChunkStore
from jounce.errors import OptionError
from jounce.file_targets import checked_path
from jounce.simulation.options import check_callable, check_whole

CONNECT = 10.0  # s to wait for a scheduler
LOOK = 0.5  # s between two looks at Ctrl-C
RETURNS_A_CHUNK = 500_000  # a few tenths of a second to some seconds of work; storing it takes a hundredth
LARGEST_CHUNK = 512
MOST_THREADS = 1024
MOST_STARTS = 20_000_000  # of a basin or a sweep: their states take a gigabyte

Progress = Callable[[float], None]


def chunk_size(items: int, returns: int) -> int:
    """Items in a chunk: by the work they may mean, never by the number of workers."""
    return int(np.clip(RETURNS_A_CHUNK // max(returns, 1), 1, min(LARGEST_CHUNK, max(items, 1))))


@dataclass(frozen=True, eq=False)
class Lane:
    """Items in order.

    starts      carried: the first start, in one row; otherwise one row (phase, q, u) an item
    backwards   whether the items are taken from the last to the first
    """

    starts: np.ndarray
    carried: bool
    backwards: bool = False


@dataclass(frozen=True)
class Job:
    """Everything a worker needs for one chunk."""

    search: AttractorSearch
    values: np.ndarray
    periods: np.ndarray
    starts: np.ndarray
    carried: bool


_engines: dict[int, tuple[str, Engine]] = {}  # of each thread the last one


def run_job(job: Job, cancel: np.ndarray | None = None) -> dict[str, np.ndarray] | None:
    """The attractors of one chunk; the engine of this thread is kept for the next one."""
    thread = threading.get_ident()
    token, engine = _engines.get(thread, ("", None))
    if engine is None or token != job.search.token:
        engine = Engine(job.search)
        _engines[thread] = (job.search.token, engine)
    flag = np.zeros(2, np.int64) if cancel is None else cancel
    return engine.run(job.values, job.periods, job.starts, job.carried, flag)


@dataclass(order=True)
class Unit:
    """One chunk of one lane that can start now; of several, the one whose lane lags is taken first."""

    position: int  # among the chunks of the lane, in the lane's own order
    lane: int
    chunk: int
    start: np.ndarray | None = field(default=None, compare=False)  # where the unit before it ended


class Work:
    """All units of one computation that are not in the store yet."""

    def __init__(
        self, search: AttractorSearch, store: ChunkStore, lanes: list[Lane], values: np.ndarray, periods: np.ndarray
    ) -> None:
        self.search, self.store, self.lanes = search, store, lanes
        self.values, self.periods = values, periods
        self.ready: list[Unit] = []
        self.done = 0
        for lane in range(len(lanes)):
            self._find_ready(lane)

    def _order(self, lane: int) -> list[int]:
        chunks = list(self.store.chunks(lane))
        return chunks[::-1] if self.lanes[lane].backwards else chunks

    def _find_ready(self, lane: int) -> None:
        """Put every unit of a lane that can start now into the heap."""
        plan, before = self.lanes[lane], None
        for position, chunk in enumerate(self._order(lane)):
            if self.store.finished(lane, chunk):
                self.done += 1
                before = chunk
                continue
            start = None
            if plan.carried and before is not None:
                items = self.store.slice(lane, before)
                start = self.store.read("end", lane, items.start if plan.backwards else items.stop - 1)
            heapq.heappush(self.ready, Unit(position, lane, chunk, start))
            if plan.carried:
                break

    def job(self, unit: Unit) -> Job:
        """One unit, ready to run; a carried one starts where its predecessor ended."""
        plan, part = self.lanes[unit.lane], self.store.slice(unit.lane, unit.chunk)
        values, periods = self.values[part], self.periods[part]
        if not plan.carried:
            return Job(self.search, values, periods, plan.starts[part], False)
        first = plan.starts[0] if unit.start is None else unit.start
        if plan.backwards:
            values, periods = values[::-1], periods[::-1]
        return Job(self.search, values, periods, np.stack([first, plan.starts[0]]), True)

    def follow(self, unit: Unit, results: dict[str, np.ndarray]) -> None:
        """Make the successor of a finished unit ready: it may run while the unit is stored.

        Units of a lane still reach the store in their order, since one place stores them as they finish.
        """
        order = self._order(unit.lane)
        if self.lanes[unit.lane].carried and unit.position + 1 < len(order):
            following = unit.position + 1
            heapq.heappush(self.ready, Unit(following, unit.lane, order[following], results["end"][-1].copy()))

    def keep(self, unit: Unit, results: dict[str, np.ndarray]) -> None:
        """Store a finished unit."""
        if self.lanes[unit.lane].backwards:
            results = {name: values[::-1] for name, values in results.items()}
        self.store.write(unit.lane, unit.chunk, results)
        self.done += 1

    def run(self, threads: int | None = None, cluster: Any = None, progress: Progress | None = None) -> None:
        """Run what is left; Ctrl-C stops within moments and leaves a store that can be continued."""
        total = self.store.units
        cancel = np.zeros(2, np.int64)
        with _executor(threads, cluster) as (executor, slots, local):
            running: dict[Future[Any], Unit] = {}
            try:
                finished: list[tuple[Unit, dict[str, np.ndarray]]] = []
                while self.ready or running or finished:
                    while self.ready and len(running) < slots:
                        unit = heapq.heappop(self.ready)
                        arguments = (self.job(unit), cancel) if local else (self.job(unit),)
                        running[executor.submit(run_job, *arguments)] = unit
                    for unit, results in finished:
                        self.keep(unit, results)
                        if progress is not None:
                            progress(self.done / total)
                    done = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED).done
                    finished = [(running.pop(future), future.result()) for future in done]
                    for unit, results in finished:
                        self.follow(unit, results)
            except BaseException:
                cancel[0] = 1
                for future in running:
                    future.cancel()
                raise


@contextmanager
def _executor(threads: int | None, cluster: Any) -> Iterator[tuple[Executor, int, bool]]:
    """(executor, how many units it may hold at a time, whether it shares our memory)."""
    if cluster is None:
        number = thread_count(threads)
        with ThreadPoolExecutor(number, thread_name_prefix="jounce") as pool:
            try:
                yield pool, number + 1, True
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
                _engines.clear()
        return
    with _client(cluster) as client:
        cores = sum(client.ncores().values())
        with client.get_executor(pure=False, retries=10) as remote:
            yield remote, max(2 * cores, 2), False


@contextmanager
def _client(cluster: Any) -> Iterator[Any]:
    """A Dask client: the one given, or one connected to an address."""
    try:
        from distributed import Client
    except ImportError:
        raise OptionError("a cluster needs the package distributed: pip install 'jounce[cluster]'") from None
    if isinstance(cluster, Client):
        yield cluster
        return
    if not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
        raise OptionError(f"cluster is {cluster!r}; it must be a distributed.Client, a cluster or an address")
    try:
        client = Client(cluster, timeout=CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        raise OptionError(f"no Dask scheduler answers at {cluster!r}: {error}") from None
    try:
        yield client
    finally:
        client.close()


def thread_count(threads: int | None) -> int:
    """The number of threads asked for; default: one a core."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_whole("threads", threads, 1, MOST_THREADS)


def check_place(threads: int | None, store: Any, progress: Any) -> None:
    """Where the work is to be done and kept, before any of it is."""
    check_callable("progress", progress)
    thread_count(threads)
    if store is not None:
        checked_path("store", store)


def checked_numbers(what: str, values: Any) -> np.ndarray:
    """Finite numbers in one row, no more than can be worked on."""
    try:
        if len(values) > MOST_STARTS:
            raise OptionError(f"{what}: {len(values)} values; at most {MOST_STARTS} are taken, compute it in parts")
        array = np.array(values, dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    if array.size == 0 or not np.all(np.isfinite(array)):
        raise OptionError(f"{what} must be at least one finite number, and no other, like numpy.arange(2.5, 5, 0.001)")
    return array

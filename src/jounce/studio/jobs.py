"""Jobs: computations in threads, one at a time for each panel; a newer one ends the older.

The engine runs without the interpreter lock, so a job takes a core and leaves the server free. What a job sends passes
a short queue: a page that reads slowly slows its job down instead of filling the memory.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jounce.errors import JounceError
from jounce.simulation.watch import watched
from jounce.studio.protocol import pack

QUEUE = 64  # frames between a job and its page
REPORT = 0.15  # s between two reports of progress
PATIENCE = 0.02  # s between two looks at the cancel flag while the queue or the crew is full


class Cancelled(Exception):  # noqa: N818  it is no error
    """A newer request has taken the place of this one."""


class Job:
    """One computation.

    flag      one integer that the kernels watch too: nonzero means stop
    identity  the request's number, repeated in every answer
    """

    def __init__(self, panel: str, identity: int, send: Sink) -> None:
        self.panel, self.identity, self._send = panel, identity, send
        self.flag = np.zeros(2, np.int64)
        self.began = self._told = time.perf_counter()

    def cancel(self) -> None:
        """Ask the job to end; it does within a step of the engine or a look at progress."""
        self.flag[0] = 1

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to end."""
        return bool(self.flag[0])

    def check(self) -> None:
        """Raise Cancelled where it was."""
        if self.cancelled:
            raise Cancelled

    def progress(self, fraction: float) -> None:
        """Tell the page now and then how far the job is; raises Cancelled where it was."""
        self.check()
        now = time.perf_counter()
        if now - self._told > REPORT:
            self._told = now
            self.send("progress", {"fraction": float(fraction)})

    def send(self, kind: str, content: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
        """Hand one message to the page; waits while the queue is full."""
        self.check()
        seconds = time.perf_counter() - self.began
        head = {"type": kind, "panel": self.panel, "id": self.identity, "seconds": seconds}
        self._send(self, {**head, **content}, arrays)


Work = Callable[[Job], None]
Sink = Callable[[Job, Mapping[str, Any], Sequence[np.ndarray]], None]


class Crew:
    """Threads for the jobs of all pages, so many at a time.

    They are daemons: a compilation that cannot be cancelled does not keep Ctrl-C waiting.
    """

    def __init__(self, places: int) -> None:
        self._places = threading.Semaphore(places)

    def start(self, job: Job, run: Callable[[], None]) -> None:
        """Run in a thread once there is a place; not at all if the job is cancelled before."""

        def take_place() -> None:
            while not self._places.acquire(timeout=PATIENCE):
                if job.cancelled:
                    return
            try:
                run()
            finally:
                self._places.release()

        threading.Thread(target=take_place, name=f"studio-{job.panel}", daemon=True).start()


class Desk:
    """The jobs of one page, one at a time for each panel; ``sink`` takes what they send, from their threads."""

    def __init__(self, crew: Crew, sink: Sink) -> None:
        self.crew, self.sink = crew, sink
        self.current: dict[str, Job] = {}

    def begin(self, panel: str, identity: int, work: Work) -> Job:
        """Start a job; the older one of its panel is cancelled."""
        job = Job(panel, identity, self.sink)
        older = self.current.get(panel)
        if older is not None:
            older.cancel()
        self.current[panel] = job
        self.crew.start(job, lambda: self._run(job, work))
        return job

    def cancel(self, panel: str) -> None:
        """End the job of a panel."""
        if panel in self.current:
            self.current[panel].cancel()

    def close(self) -> None:
        """End all jobs."""
        for job in self.current.values():
            job.cancel()

    def _run(self, job: Job, work: Work) -> None:
        try:
            with watched(job.check, job.flag):
                job.check()
                work(job)
        except Cancelled:
            return
        except JounceError as error:
            self._report(job, str(error))
        except MemoryError:
            self._report(job, "not enough memory for this request; ask for less")
        except Exception as error:
            self._report(job, f"unexpected {type(error).__name__}: {error}")

    def _report(self, job: Job, message: str) -> None:
        try:
            job.send("error", {"message": message})
        except Cancelled:
            return


class Outbox:
    """The short queue of frames between the jobs and a WebSocket."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.frames: asyncio.Queue[tuple[Job | None, bytes]] = asyncio.Queue()
        self.space = threading.BoundedSemaphore(QUEUE)

    def take(self, job: Job, content: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
        """A message of a job, from its thread; waits for room."""
        while not self.space.acquire(timeout=PATIENCE):
            job.check()
        self.post(job, pack(content, arrays))

    def post(self, job: Job | None, frame: bytes) -> None:
        """Queue a frame, from any thread."""
        try:
            self.loop.call_soon_threadsafe(self.frames.put_nowait, (job, frame))
        except RuntimeError:  # the loop has ended: the page is gone
            raise Cancelled from None

    async def deliver(self, send: Callable[[bytes], Any]) -> None:
        """Send what the jobs have queued, leaving out what a newer request has made stale."""
        while True:
            job, frame = await self.frames.get()
            try:
                if job is None or not job.cancelled:
                    await send(frame)
            finally:
                if job is not None:
                    self.space.release()

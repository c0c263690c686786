"""What jobs need and what cannot be ended half-way: models that are compiled, modules and machine code that are loaded.

Each is done once, in a thread of its own, and jobs wait for it. A job that is cancelled stops waiting; the work goes
on, for the request that took the job's place most likely needs the same.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jounce.simulation.watch import look
from jounce.studio.jobs import Cancelled, Job
from jounce.studio.protocol import Fields

if TYPE_CHECKING:
    from jounce.studio.connection import Connection

Made = TypeVar("Made")
PATIENCE = 0.01  # s between two looks at whether the waiting job is cancelled

#: Request -> what makes it small; the work of a diagram or a plane is ended once it has begun.
REHEARSALS: dict[str, dict[str, Any]] = {
    "motion": {},
    "drag": {},
    "details": {},
    "diagram": {"values": 2, "transient": 0, "keep": 1},
    "branch": {},
    "basins": {},
    "painleve": {"points": 16},
}
ENDED_AT_ONCE = ("diagram", "basins")
SHORTEST = 1e-6  # of a run's time


class Preparation:
    """Work that is under way, by a key: who asks for the same waits for the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Future[Any]] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What ``make`` returns or raises, in a thread of its own; what this thread's watch raises ends the wait."""
        with self._lock:
            result = self._under_way.get(key)
            if result is None:
                result = self._under_way[key] = Future()
                threading.Thread(target=self._do, args=(key, make, result), name=f"studio-{key}", daemon=True).start()
        while not result.done():
            with contextlib.suppress(TimeoutError):
                result.exception(PATIENCE)
            look()
        return result.result()  # type: ignore[no-any-return]

    def _do(self, key: Hashable, make: Callable[[], Made], result: Future[Any]) -> None:
        try:
            made = make()
        except BaseException as error:
            self._forget(key)
            result.set_exception(error)
        else:
            self._forget(key)
            result.set_result(made)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            del self._under_way[key]


def rehearse(page: Connection, kind: str, fields: Fields) -> None:
    """Answer the smallest request of this kind, for nobody, where the system has not answered one yet."""
    system = fields.content.get("system")
    if kind in ("details", "branch"):  # of what is on the screen
        shown = page.motion if kind == "details" else page.diagram
        system = None if shown is None else shown.entry.name
    if kind not in REHEARSALS or not isinstance(system, str) or page.catalogue.is_rehearsed(kind, system):
        return

    def perform() -> None:
        try:
            _perform(page, kind, fields)
        except Cancelled:  # as it was asked to
            pass
        except Exception:  # the request itself meets and reports it
            return
        page.catalogue.rehearsed(kind, system)

    page.catalogue.preparation.get((kind, system), perform)


def _perform(page: Connection, kind: str, fields: Fields) -> None:
    from jounce.studio.connection import HANDLERS, Connection

    def ignore(job: Job, *_: Any) -> None:
        if kind in ENDED_AT_ONCE:
            job.cancel()

    if kind == "branch":
        _rehearse_branch(page)
        return
    hidden = Connection(page.catalogue, page.crew, page.first)
    content = {**fields.content, **REHEARSALS[kind]}
    if kind == "details":
        hidden.run = page.run
    if kind in ("motion", "drag"):
        begin = fields.number("t_start", 0.0)
        content["t_end"] = begin + SHORTEST * (fields.number("t_end") - begin)
    HANDLERS[kind][1](hidden, Fields(content, fields.where), Job(kind, -1, ignore))


def _rehearse_branch(page: Connection) -> None:
    """The derivatives of a run by its start and the parameter: what a branch needs beyond runs."""
    import jounce.analysis.orbits.continuation.orbit_problem
    import jounce.studio.picking  # noqa: F401
    from jounce.analysis.stability.variation import flow

    diagram = page.kept_diagram()
    lane, search = diagram.lanes[0], diagram.search
    parameters: dict[str, Any] = {**search.parameters, diagram.parameter: lane.value}
    span = SHORTEST * float(search.periods(np.array([lane.value]))[0])
    flow(diagram.entry.system, lane.state, span, parameter=diagram.parameter, **parameters)

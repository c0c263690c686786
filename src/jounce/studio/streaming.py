"""A diagram on its way to the page, while it is computed.

The lanes run in threads of their own and only hand over what they find. The job's thread merges what has come since it
last looked, and packs and counts it while the lanes go on: the engine runs without the interpreter lock. It looks often
at first and less often later, so that what sending and drawing cost stays a small share of a diagram of any length.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from jounce.studio import limits

if TYPE_CHECKING:
    from jounce.analysis.attractors.live import Found
    from jounce.studio.diagram import Diagram
    from jounce.studio.jobs import Job

PAUSE = (0.03, 0.5)  # s between two looks at what was found, at least and at most:
PAUSE_SHARE = 0.4  # of the time that the diagram has taken: a picture takes the page 15 ms without a graphics card
FORESEEN = 0.1  # of RASTER_POINTS must be there before the number of all is foreseen from them
CERTAIN = 2.0  # times RASTER_POINTS foreseen: so many that windows of short periods seldom bring them below it


@dataclass(frozen=True, eq=False)
class Points:
    """Some points of one lane, as they are sent.

    items   how many values of the parameter they belong to
    x, y    float32: x from 0 to 1 over the diagram, y relative to its y0
    """

    lane: int
    items: int
    x: np.ndarray
    y: np.ndarray
    kind: np.ndarray
    period: np.ndarray


class DiagramStream:
    """Points to the page as they are found; where they become more than RASTER_POINTS a raster of all of them instead.

    Without a graphics card a point costs the page nearly a microsecond, so the raster begins as soon as so many are
    foreseen, and the points that it shows are held back. Should they become fewer after all, they are sent.

    What waits is bounded: all points of a diagram are at most limits.DIAGRAM_POINTS, ten bytes each.
    """

    def __init__(self, job: Job, diagram: Diagram) -> None:
        self.job, self.diagram = job, diagram
        self.points = self.items = 0
        self.column = diagram.search.quantities.index(diagram.quantity)
        self.found: SimpleQueue[Points | None] = SimpleQueue()  # None: a lane has ended
        self.held: list[Points] = []  # not sent as points
        self.dense = False  # the page shows a raster

    def run(self) -> None:
        """Follow all lanes, as many at a time as there are cores, and send what they find."""
        from jounce.analysis.attractors.work import thread_count

        count, began = len(self.diagram.lanes), time.perf_counter()
        with ThreadPoolExecutor(min(count, thread_count(None))) as pool:
            lanes = [pool.submit(self._follow, number) for number in range(count)]
            for lane in lanes:
                lane.add_done_callback(lambda _: self.found.put(None))
            while count:
                parts = self._waiting()
                count -= sum(part is None for part in parts)
                self._send([part for part in parts if part is not None])
                if count:
                    wait(lanes, timeout=float(np.clip(PAUSE_SHARE * (time.perf_counter() - began), *PAUSE)))
            for lane in lanes:
                lane.result()
        self.job.check()
        self._finish()

    def _waiting(self) -> list[Points | None]:
        """All that has come, at least one."""
        parts = [self.found.get()]
        try:
            while True:
                parts.append(self.found.get_nowait())
        except Empty:
            return parts

    def _follow(self, number: int) -> None:
        from jounce.analysis.attractors.live import stream

        diagram = self.diagram
        lane, search = diagram.lanes[number], diagram.search
        values = diagram.values if lane.direction == "up" else diagram.values[::-1]
        period = float(search.periods(np.array([lane.value]))[0])
        start = search.point(lane.state, period)
        for found in stream(search, values, start[None, :], carried=True, cancel=self.job.flag):
            lane.values.append(found.values)
            lane.ends.append(found.ends)
            self.found.put(self._points(number, found))

    def _points(self, number: int, found: Found) -> Points:
        samples = found.samples[:, :, self.column]
        there = np.isfinite(samples)
        item = np.nonzero(there)[0]
        first, last = self.diagram.values[0], self.diagram.values[-1]
        x = ((found.values - first) / (last - first)).astype(np.float32)[item]
        y = (samples[there] - self.diagram.y0).astype(np.float32)
        kind = found.facts["kind"].astype(np.uint8)[item]
        period = np.minimum(found.facts["period"], 255).astype(np.uint8)[item]
        return Points(number, len(found.values), x, y, kind, period)

    def _send(self, parts: list[Points]) -> None:
        if not parts:
            return
        for part in parts:
            self.points += len(part.x)
            self.items += part.items
            self.diagram.raster.add(part.x, part.y)
        self.held += parts
        self.dense = self._too_many()
        if not self.dense:
            for number in {part.lane for part in self.held}:
                self._send_points(number, [part for part in self.held if part.lane == number])
        elif self.fraction < 1.0:  # the last one comes with the end
            self._send_raster()
        if not self.dense or self.points > limits.RASTER_POINTS:
            self.held.clear()

    def _too_many(self) -> bool:
        """Whether the page shows a raster; one that was foreseen stays until fewer points are expected."""
        if not FORESEEN * limits.RASTER_POINTS < self.points <= limits.RASTER_POINTS:
            return self.points > limits.RASTER_POINTS
        return self.points / self.fraction > limits.RASTER_POINTS * (1.0 if self.dense else CERTAIN)

    def _send_points(self, number: int, parts: list[Points]) -> None:
        def joined(columns: Iterable[np.ndarray]) -> np.ndarray:
            return np.concatenate(list(columns))

        arrays = [joined(getattr(part, name) for part in parts) for name in ("x", "y", "kind", "period")]
        self.job.send("diagram-points", {"lane": number, "fraction": self.fraction}, arrays)

    @property
    def fraction(self) -> float:
        """How much of the diagram is done."""
        return self.items / (len(self.diagram.values) * len(self.diagram.lanes))

    def _send_raster(self) -> None:
        raster, y0 = self.diagram.raster, self.diagram.y0
        image = raster.image()
        low, high = raster.range
        size = {"width": raster.width, "height": raster.height, "low": low + y0, "high": high + y0}
        self.job.send("diagram-raster", {**size, "fraction": self.fraction, "points": self.points}, [image])

    def _finish(self) -> None:
        if self.dense:
            self._send_raster()
        done = {"points": self.points, "values": len(self.diagram.values), "lanes": len(self.diagram.lanes)}
        self.job.send("diagram-done", done)

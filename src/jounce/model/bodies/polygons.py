"""Outlines of polygons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def outermost(place: Any, places: Iterable[Any]) -> tuple[Any, ...]:
    """The two directions from a place to others between which all of them are; () where it is among them.

    One where all others are in line with it; () where their coordinates are not numbers.
    """
    ways = [(X - place[0], Y - place[1]) for X, Y in places]
    if not all(part.is_number for way in ways for part in way):
        return ()
    numbers = [(float(x), float(y)) for x, y in ways if (x, y) != (0, 0)]
    if not numbers:
        return ()
    first = numbers[0]
    turns = [math.atan2(first[0] * y - first[1] * x, first[0] * x + first[1] * y) for x, y in numbers]
    last = max(turns) - min(turns)
    if last > math.pi:
        return ()
    ends = {turns.index(min(turns)): None, turns.index(max(turns)): None}
    return tuple(numbers[k] for k in ends)


def outline_fault(places: list[tuple[float, float]]) -> str | None:
    """What is wrong with the corners of a convex outline that goes counter-clockwise, or None."""
    count = len(places)
    edges = [(places[(k + 1) % count][0] - x, places[(k + 1) % count][1] - y) for k, (x, y) in enumerate(places)]
    for k, (x, y) in enumerate(edges):
        if x == y == 0.0:
            return f"corners {k + 1} and {(k + 1) % count + 1} are the same point"
    turns = [
        math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])
        for a, b in ((edges[k - 1], edges[k]) for k in range(count))
    ]
    if all(turn < 0.0 for turn in turns):
        return "the corners go clockwise; turn their order"
    for k, turn in enumerate(turns):
        if not 0.0 < turn < math.pi:
            kind = "lies on a straight line or points inwards" if abs(turn) < math.pi else "turns back"
            return f"corner {k + 1} {kind}; leave it out, or make a hollow outline of several polygons that overlap"
    if sum(turns) > 3.0 * math.pi:
        return "the outline crosses itself; sort the corners by their direction from the middle"
    return None

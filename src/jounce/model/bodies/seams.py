"""Seams: outlines of one body that touch and do not overlap, which a point may pass between.

Outside of a convex outline is outside of one of its faces, and each contact asks for its own outline alone. At a place
at which two outlines touch a point without an outline may so leave both: through the edge that they share, or through
the corner in which they meet, at the foot of a tooth, where it arrives with certainty. A body that has an outline is
stopped, since the corners of the others meet its own faces. Where faces cross, because the outlines overlap, there is
no such place.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from jounce.model.bodies.geometry import PointOn, PolygonOn
from jounce.model.bodies.touching import DrawnContact

#: of their size: outlines that are this near touch
TOUCH = 1e-9
Places = list[tuple[float, float]]


def warn_of_seams(contacts: Iterable[Any], stacklevel: int) -> None:
    """Say which points may pass between which outlines."""
    drawn = [contact for contact in contacts if isinstance(contact, DrawnContact)]
    outlined = {(contact.b.body, contact.a.body) for contact in drawn if isinstance(contact.b, PolygonOn)}
    points: dict[Any, list[DrawnContact]] = {}
    for contact in drawn:
        bodies = (contact.a.body, contact.b.body)
        if isinstance(contact.a, PointOn) and isinstance(contact.b, PolygonOn) and bodies not in outlined:
            points.setdefault((*bodies, tuple(contact.a.center)), []).append(contact)
    for found in points.values():
        for one, other in combinations(found, 2):
            first, second = _numbers(one.b), _numbers(other.b)
            if first and second and only_touch(first, second):
                warnings.warn(
                    f"contacts {one.name!r} and {other.name!r}: their outlines touch and do not overlap; a point "
                    "passes between them. Let them overlap, so that their faces cross, or give the moving body an "
                    "outline of its own, PolygonOn",
                    stacklevel=stacklevel,
                )
                return


def only_touch(first: Places, second: Places) -> bool:
    """Whether two convex outlines have places in common, but no inside: the separating axis, with a gap of zero."""
    size = max(math.dist(p, q) for p, q in combinations([*first, *second], 2))
    apart = max(_height(first, second), _height(second, first))
    return abs(apart) <= TOUCH * size


def _height(outline: Places, other: Places) -> float:
    """The height of the other outline over that face over which it is highest."""
    heights = []
    for (x, y), (X, Y) in zip(outline, [*outline[1:], outline[0]], strict=True):
        length = math.hypot(X - x, Y - y)
        n_x, n_y = (Y - y) / length, (x - X) / length
        heights.append(min(n_x * (a - x) + n_y * (b - y) for a, b in other))
    return max(heights)


def _numbers(outline: PolygonOn) -> Places:
    """The corners, none where they are not numbers."""
    places: Sequence[Any] = outline.corners
    try:
        return [(float(x), float(y)) for x, y in places]
    except TypeError:
        return []

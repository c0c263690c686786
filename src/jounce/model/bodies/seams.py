"""Seams: places at which contacts that are right one by one leave a way through, or see what is not there.

Outlines of one body that touch and do not overlap: outside of a convex outline is outside of one of its faces, and each
contact asks for its own outline alone. At a place at which two outlines touch a point without an outline may so leave
both: through the edge that they share, or through the corner in which they meet, at the foot of a tooth, where it
arrives with certainty. A body that has an outline is stopped, since the corners of the others meet its own faces. Where
faces cross, because the outlines overlap, there is no such place.

Two edges that meet at a corner which points outwards: each is a plane with one free side and knows nothing of the other
one. What lies on the first is level with the end of the second, and counts as behind that one further inside.

Corners of an outline on the polygon of another body, whose own corners nothing meets: these enter the faces between.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from jounce.model.bodies.body import Body
from jounce.model.bodies.geometry import CornerOn, Edge, PointOn, PolygonOn
from jounce.model.bodies.touching import DrawnContact

#: of their size: outlines that are this near touch
TOUCH = 1e-9
#: So many corners bound an outline.
_OUTLINE = 3
Places = list[tuple[float, float]]


def warn_of_seams(contacts: Iterable[Any], stacklevel: int) -> None:
    """Say, once of each kind, where contacts leave a way through or see what is not there."""
    drawn = [contact for contact in contacts if isinstance(contact, DrawnContact)]
    for find in (_between_outlines, _around_edges, _unmet_corners):
        words = next(iter(find(drawn)), None)
        if words is not None:
            warnings.warn(words, stacklevel=stacklevel + 1)


def _between_outlines(drawn: list[DrawnContact]) -> Iterator[str]:
    """Points that may pass between outlines."""
    outlined = {(contact.b.body, contact.a.body) for contact in drawn if isinstance(contact.b, PolygonOn)}
    points: dict[Any, list[DrawnContact]] = {}
    for contact in drawn:
        bodies = (contact.a.body, contact.b.body)
        if isinstance(contact.a, PointOn) and isinstance(contact.b, PolygonOn) and bodies not in outlined:
            points.setdefault((*bodies, tuple(contact.a.center)), []).append(contact)
    for found in points.values():
        for one, other in combinations(found, 2):
            first, second = _numbers(one.b.corners), _numbers(other.b.corners)
            if first and second and only_touch(first, second):
                yield (
                    f"contacts {one.name!r} and {other.name!r}: their outlines touch and do not overlap; a point "
                    "passes between them. Let them overlap, so that their faces cross, or give the moving body an "
                    "outline of its own, PolygonOn"
                )


def _around_edges(drawn: list[DrawnContact]) -> Iterator[str]:
    """Points that meet both edges of a corner that points outwards: solid is on the right of edges."""
    ends: dict[Any, tuple[DrawnContact, tuple[float, float]]] = {}
    edges = []
    for contact in drawn:
        numbers = _numbers((contact.b.start, contact.b.end)) if isinstance(contact.b, Edge) else []
        if numbers and isinstance(contact.a, PointOn):
            (x, y), (X, Y) = numbers
            met = (contact.b.body, contact.a.body, tuple(contact.a.center))
            ends[met, (X, Y)] = contact, (X - x, Y - y)
            edges.append((contact, (met, (x, y)), (X - x, Y - y)))
    for contact, start, direction in edges:
        before = ends.get(start)
        if before is not None and before[1][0] * direction[1] - before[1][1] * direction[0] < 0.0:
            yield (
                f"contacts {before[0].name!r} and {contact.name!r}: their edges meet at a corner that points outwards, "
                "and what lies on one may count as behind the other. Make one PolygonOn of them"
            )


def _unmet_corners(drawn: list[DrawnContact]) -> Iterator[str]:
    """Outlines given as corners on the polygon of a body that moves, whose own corners meet nothing of theirs."""
    met = {(contact.a.body, contact.b.body) for contact in drawn if isinstance(contact.a, PointOn)}
    found: dict[Any, list[DrawnContact]] = {}
    for contact in drawn:
        pair = (contact.a.body, contact.b.body)
        is_corner = isinstance(contact.a, CornerOn) and isinstance(contact.b, PolygonOn)
        if is_corner and isinstance(pair[1], Body) and pair[::-1] not in met:
            found.setdefault((*pair, id(contact.b)), []).append(contact)
    for corners in found.values():
        if len(corners) >= _OUTLINE:
            first, last = corners[0], corners[-1]
            one, other = first.a.body.name, first.b.body.name
            yield (
                f"contacts {first.name!r} to {last.name!r}: the corners of {one!r} meet the faces of {other!r}, but "
                f"those of {other!r} may enter {one!r}. Give both bodies a PolygonOn: contact_between(name, "
                "PolygonOn(...), PolygonOn(...))"
            )


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


def _numbers(places: Sequence[Any]) -> Places:
    """The places, none where they are not numbers."""
    try:
        return [(float(x), float(y)) for x, y in places]
    except TypeError:
        return []

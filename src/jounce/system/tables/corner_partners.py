"""Two sharp corners that meet are two contacts: that of each of them with the outline of the other one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from jounce.model.bodies.body import pair
from jounce.model.bodies.geometry import CornerOn, PolygonOn
from jounce.model.bodies.touching import DrawnContact

Corner = tuple[Any, ...]  # its body, its place and how its outline goes on: corners of two outlines may share a place


def corner_partners(contacts: Sequence[Any]) -> list[tuple[int, int]]:
    """Per contact 1 + the first of the contacts of b's corners with a's outline, in order, and which corner a is.

    (0, 0) where the corners of b do not all have such contacts one after the other.
    """
    outlines = {id(contact.b): _outline(contact.b) for contact in contacts if _is_sharp(contact)}
    corners = [_corner(contact.a) if _is_sharp(contact) else None for contact in contacts]
    places: dict[Corner, list[int]] = defaultdict(list)
    for number, corner in enumerate(corners):
        if corner is not None:
            places[corner].append(number)
    found = []
    for contact, corner in zip(contacts, corners, strict=True):
        partners = 0, 0
        if corner is not None:
            other = outlines[id(contact.b)]
            for first in places[other[0]]:
                own = outlines[id(contacts[first].b)]
                if corner in own and corners[first : first + len(other)] == other:
                    partners = 1 + first, 1 + own.index(corner)
                    break
        found.append(partners)
    return found


def _is_sharp(contact: Any) -> bool:
    """Whether it is the contact of a sharp corner with the outline of a polygon."""
    if not isinstance(contact, DrawnContact) or not contact.has_faces:
        return False
    return isinstance(contact.a, CornerOn) and isinstance(contact.b, PolygonOn)


def _corner(corner: CornerOn) -> Corner:
    return id(corner.body), pair(corner.center, "corner"), tuple(pair(edge, "edge") for edge in corner.beside)


def _outline(outline: PolygonOn) -> list[Corner]:
    return [_corner(corner) for corner in outline.touching_corners().values() if isinstance(corner, CornerOn)]

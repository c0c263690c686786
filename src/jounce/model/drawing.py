"""What a model looks like: a few symbolic shapes in the plane, in SymPy expressions of q, t and parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Segment:
    """A straight line from ``start`` to ``end``; ``body`` chooses its colour, and "ground" is thin and grey.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> jounce.Segment((0, 0), (1, y), body="rod").body
    'rod'
    """

    start: Pair
    end: Pair
    body: str | None = None


@dataclass(frozen=True)
class Circle:
    """A disc, or a ring if not ``filled``; with ``angle`` a spoke shows its rotation.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> wheel = jounce.Circle((0, 0), 0.3)
    >>> jounce.Body("wheel", mass=1.0, inertia=0.1, shapes=[wheel]).shapes == [wheel]
    True
    """

    center: Pair
    radius: Any
    angle: Any = None
    body: str | None = None
    filled: bool = True


@dataclass(frozen=True)
class Polygon:
    """A closed outline.

    >>> box = jounce.Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    >>> jounce.Body("box", mass=1.0, inertia=0.1, shapes=[box]).shapes == [box]
    True
    """

    points: Any
    body: str | None = None


@dataclass(frozen=True)
class Coil:
    """A spring from ``start`` to ``end``.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> model = jounce.Model("mass", [y], [1], [-y], drawing=[jounce.Coil((0, 0), (0, y)), jounce.Point((0, y))])
    >>> len(model.drawing)
    2
    """

    start: Pair
    end: Pair


@dataclass(frozen=True)
class Ground:
    """A rigid surface: a height (a level floor) or two points of a line, with the free side on the left of the line.

    Ground(0), Ground(A*sin(omega*t)) or, for a wall at x = d that bodies meet from the left, Ground(((d, 0), (d, 1))).

    >>> jounce.Ground(0).points, jounce.Ground(((1, 0), (1, 1))).points
    (((0, 0), (1, 0)), ((1, 0), (1, 1)))
    """

    line: Any

    @property
    def points(self) -> tuple[Pair, Pair]:
        """Two points of the line, the free side on their left."""
        if isinstance(self.line, tuple):
            return self.line[0], self.line[1]
        return (0, self.line), (1, self.line)


@dataclass(frozen=True)
class Point:
    """A dot; with ``contact`` it takes the colour of that contact's mode, and ``fixed`` puts a support under it.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> jounce.Point((0, y), contact="floor")
    Point(position=(0, y), contact='floor', fixed=False)
    """

    position: Pair
    contact: str | None = None
    fixed: bool = False


Shape = Segment | Circle | Polygon | Coil | Ground | Point


def around(places: list[Pair]) -> tuple[Pair, ...]:
    """Points in the order in which one meets them around their middle; as they are given, if they are no numbers."""
    if not all(getattr(part, "is_number", True) for place in places for part in place):
        return tuple(places)
    middle = [sum(float(place[k]) for place in places) / len(places) for k in range(2)]
    return tuple(sorted(places, key=lambda place: math.atan2(float(place[1]) - middle[1], float(place[0]) - middle[0])))

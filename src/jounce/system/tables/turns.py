"""After how many turns of its angle, and in which of its coordinates, a machine of tables repeats itself.

What model/periodicity.py finds by walking through expressions follows here from the parts: places enter through the
distances between bodies, angles through sines and cosines, but as they are where a torsion spring or an equation of
angles reads them.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.kernels.bodies import layout
from jounce.model.periodicity import NEVER, NOWHERE
from jounce.system.tables.builder import Tables

_TURNING = 1


def table_turns(tables: Tables) -> tuple[int, ...]:
    """As ``mechanics_turns``."""
    record, bodies = tables.record[0], int(tables.record["bodies"][0])
    found = np.full(3 * bodies + 3, NOWHERE)  # the ground's behind the others

    def at(body: int, *, x: bool = True, y: bool = True, angle: int = NOWHERE) -> None:
        for place, moves in ((0, x), (1, y)):
            if moves:
                found[3 * body + place] = NEVER
        if angle != NOWHERE and found[3 * body + 2] != NEVER:
            found[3 * body + 2] = angle

    def arm(row: np.ndarray, place: int) -> int:
        return _TURNING if row[place] != 0 or row[place + 3] != 0 else NOWHERE

    touching = np.concatenate([_rows(tables, "contact", record["nc"]), _rows(tables, "joint", record["nj"])])
    for row in touching:
        kind, a, b = row[layout.KIND], row[layout.BODY_A], row[layout.BODY_B]
        if kind == layout.WRITTEN:
            continue  # that of its expressions
        if kind == layout.ANGLE:
            at(a, x=False, y=False, angle=NEVER)
            at(b, x=False, y=False, angle=NEVER)
            continue
        x, y = kind != layout.PIN_Y, kind != layout.PIN_X
        if kind == layout.LINE and b == bodies and row[layout.DIRECTION + 2] == 0:
            x, y = row[layout.DIRECTION + 1] != 0, row[layout.DIRECTION] != 0
        at(a, x=x, y=y, angle=arm(row, layout.CENTER_A))
        shaped = kind in (layout.LINE, layout.EDGE, layout.POLYGON)
        at(b, x=x, y=y, angle=_TURNING if shaped else arm(row, layout.POINT_B))
    for row in _rows(tables, "element", record["elements"]):
        kind, second, first = row[layout.KIND], row[layout.SECOND], row[layout.FIRST]
        if kind == layout.SPRING:
            at(second, angle=arm(row, layout.POINT_SECOND))
            at(first, angle=arm(row, layout.POINT_FIRST))
        elif kind == layout.TORSION:
            at(second, x=False, y=False, angle=NEVER)
            at(first, x=False, y=False, angle=NEVER)
        elif kind == layout.FORCE:
            turns = _TURNING if row[layout.FOLLOWS] else arm(row, layout.POINT_SECOND)
            at(second, x=False, y=False, angle=turns)
    for k, own in enumerate(tables.facts["turns"][: 3 * bodies]):
        found[k] = _both(int(found[k]), own)
    return (*found[: 3 * bodies].tolist(), *[NOWHERE] * int(record["branches"]))


def _both(first: int, second: int) -> int:
    """The turns after which both repeat."""
    if NOWHERE in (first, second):
        return max(first, second)
    return math.lcm(first, second)  # zero, NEVER, where one of them is


def _rows(tables: Tables, name: str, count: int) -> np.ndarray:
    width = layout.ELEMENT_ROW if name == "element" else layout.TOUCH_ROW
    return tables.arrays[name][: count * width].reshape(count, width)

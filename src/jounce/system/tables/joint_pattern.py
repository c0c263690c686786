"""Where the joints' equations couple, in which order they are eliminated, and which entries that fills."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jounce.codegen.elimination import least_fill
from jounce.toolchain.tools import SCRATCH


def joint_pattern(holders: Sequence[tuple[int, int]], ground: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(order, pattern, shared) for kernels/bodies/eliminate.py; an empty pattern where it would outgrow the scratch.

    holders   per equation the two bodies that it holds

    The pattern begins with the start of every row of L, and of what is behind the last one; then the columns of the
    rows, each row with its diagonal at the end, in the order of elimination. ``shared`` stands beside the pattern: of
    the equations of a row and of a column the bits 1, 2, 4, 8 say that first and first, first and second, second and
    first, second and second body are the same one; none where elimination alone fills the entry.
    """
    count = len(holders)
    users: dict[int, list[int]] = {}
    for k, pair in enumerate(holders):
        for body in pair:
            if body != ground:
                users.setdefault(body, []).append(k)
    entries = {(max(i, k), min(i, k)): "" for rows in users.values() for i in rows for k in rows}
    order = least_fill(count, entries)
    rank = {k: at for at, k in enumerate(order)}
    columns: list[set[int]] = [set() for _ in range(count)]
    for i, k in entries:
        if i != k:
            a, b = sorted((rank[i], rank[k]))
            columns[b].add(a)
    below: list[set[int]] = [set() for _ in range(count)]
    for row in range(count):
        for column in columns[row]:
            below[column].add(row)
    for column in range(count):  # eliminating it couples everything below it
        rows = sorted(below[column])
        for row in rows[1:]:
            if rows[0] not in columns[row]:
                columns[row].add(rows[0])
                below[rows[0]].add(row)
    starts, filled, shared = [count + 1], list[int](), [0] * (count + 1)
    for row in range(count):
        filled += [*sorted(columns[row]), row]
        starts.append(count + 1 + len(filled))
        shared += [_shared(holders[order[row]], holders[order[k]], ground) for k in (*sorted(columns[row]), row)]
    pattern = np.array([*starts, *filled], dtype=np.int64)
    if len(pattern) > SCRATCH or 6 * count > SCRATCH:
        pattern = np.empty(0, np.int64)
    return np.array(order, dtype=np.int64), pattern, np.array(shared, dtype=np.int64)


def _shared(row: tuple[int, int], column: tuple[int, int], ground: int) -> int:
    """The bits of the bodies that two equations share."""
    pairs = [(mine, theirs) for mine in row for theirs in column]
    return sum(1 << bit for bit, (mine, theirs) in enumerate(pairs) if mine == theirs != ground)

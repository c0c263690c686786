"""Where the joints' equations couple, in which order they are eliminated, and which entries that fills."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jounce.codegen.elimination import least_fill
from jounce.toolchain.tools import SCRATCH


def joint_pattern(holders: Sequence[tuple[int, int]], ground: int) -> tuple[np.ndarray, np.ndarray]:
    """(order, pattern) for kernels/bodies/eliminate.py; an empty pattern where it would outgrow the scratch.

    holders   per equation the two bodies that it holds

    The pattern begins with the start of every row of L, and of what is behind the last one; then the columns of the
    rows, each row with its diagonal at the end, in the order of elimination.
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
    starts, filled = [count + 1], list[int]()
    for row in range(count):
        filled += [*sorted(columns[row]), row]
        starts.append(count + 1 + len(filled))
    pattern = np.array([*starts, *filled], dtype=np.int64)
    if len(pattern) > SCRATCH or 6 * count > SCRATCH:
        pattern = np.empty(0, np.int64)
    return np.array(order, dtype=np.int64), pattern

"""A run of an ensemble begins with nothing of the one before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.kernels.records.begin_motion import begin_motion
from jounce.kernels.records.motion import MOTION, motion_record
from jounce.kernels.records.workspace import (
    MACHINE,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_GUARDS,
    MAX_JOINTS,
    machine_record,
)
from jounce.toolchain.abi import void
from jounce.toolchain.jit import block

# written before they are read
SCRATCH = {("event", "guards"), ("choice", "tried"), ("choice", "fate"), ("choice", "weak")}
# a flight that is kept, read where ``kept`` says so
FLIGHT = {("ahead", name) for name in ("hit", "duration", "t", "turns", "z", "acceleration", "first", "sections")}


@block(void(machine_record, motion_record, motion_record))
def begin(m, s, fresh):
    """The kernel, for Python."""
    begin_motion(m, s, fresh)


def _differing(a: Any, b: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for name in a.dtype.names:
        if a.dtype[name].names:
            found |= _differing(a[name], b[name], (*path, name))
        elif not np.array_equal(a[name], b[name]):
            found.add((*path, name))
    return found


def test_every_field_of_the_record_is_begun() -> None:
    random = np.random.default_rng(1)
    fresh, old = (random.integers(1, 100, MOTION.itemsize // 8).view(np.int64).view(MOTION) for _ in range(2))
    machine = np.zeros(1, MACHINE)
    sizes = {"n": MAX_COORDINATES, "nc": MAX_CONTACTS, "nj": MAX_JOINTS, "ng": MAX_GUARDS}
    for name, size in sizes.items():
        machine[name] = size
    assert len(_differing(fresh[0], old[0])) > 80
    begin(machine, old, fresh)
    assert _differing(fresh[0], old[0]) == SCRATCH | FLIGHT

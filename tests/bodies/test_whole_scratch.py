"""Machines of many bodies in workspaces that are spoilt as a whole: the motion does not depend on what is left there.

Tests spoil the leading part of a workspace before every run (spoilt_scratch.py), and the rest only when it is new.
"""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from benchmarks import scenes
from jounce.kernels.records.workspace import MEMORY_BYTES
from jounce.simulation import driver, records

SCENES = {
    "billiard": (lambda: scenes.billiard(30), 1.0),
    "heap": (lambda: scenes.heap(12), 2.0),
    "shaken discs": (lambda: scenes.discs(8), 0.2),
    "free dominoes": (lambda: scenes.free_dominoes(12), 0.05),
    "chain": (lambda: scenes.chain(40), 0.05),
    "turning stack": (lambda: scenes.stack(6, turning=True), 0.1),
    "stairs": (lambda: scenes.stairs(12), 0.5),
    "cradle": (lambda: scenes.cradle(8, minimal=False), 0.3),
}
NUMBERS = (np.nan, 1e100, -1e100, 0.0)


def fill_scratch(record: np.ndarray, number: float) -> None:
    """Write a number wherever a workspace is scratch, and -1 in place of whole numbers."""
    for name, (_, place, *_) in (record.dtype.fields or {}).items():
        if place >= MEMORY_BYTES:
            record[name].fill(number if record[name].dtype.kind == "f" else -1)


@pytest.mark.parametrize("scene", SCENES)
def test_scratch_changes_nothing(scene, monkeypatch):
    """Steps and events are the same to the bit whatever number the scratch begins with."""
    make, end = SCENES[scene]
    system = jounce.compile_model(make())
    found = set()
    for number in NUMBERS:

        def borrow(number=number):
            borrowed = records.borrow_records()
            fill_scratch(borrowed.workspace, number)
            return borrowed

        monkeypatch.setattr(driver, "borrow_records", borrow)
        run = jounce.simulate(system, None, end)
        assert run.status.name == "FINISHED", run.status
        assert len(run.data.step_t) > 1
        found.add((run.data.event_float.tobytes(), run.data.step_coefficients.tobytes(), run.final.u.tobytes()))
    assert len(found) == 1

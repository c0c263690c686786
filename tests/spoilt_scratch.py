"""Runs in workspaces full of numbers that are none: what a kernel reads, it or the run before must have written.

The engine clears what a run remembers, the leading part of a workspace, and nothing else. In all tests and random runs
the rest is NaN (and -1) at first, so that a number read from the run before cannot go unnoticed. A new record is
spoilt as a whole; one that is used again where models of up to LEADING coordinates, contacts and columns have been: a
record has 20 to 40 megabytes, and filling it takes longer than most runs.

An audit is made twice, once with scratch that is NaN and once with scratch that is huge: its limits are largest values,
and ``max`` lets a NaN pass in silence. Both must have the same findings, to the bit.
"""

from typing import Any

import numpy as np

from jounce.analysis.stability import variation
from jounce.kernels.audit.record import AUDIT
from jounce.kernels.records.workspace import MEMORY_BYTES
from jounce.kernels.tangent.variation import CARRIED_BYTES
from jounce.simulation import driver, run_start
from jounce.simulation.audit import motion, report
from jounce.simulation.options import Audit
from jounce.simulation.records import RunRecords, VariationRecord, borrow_records, borrow_variation
from jounce.system.system import System

LEADING = 32
HUGE = 1e100  # squares of it are numbers still
NUMBERS = LEADING * LEADING * 4  # of an array without rows: matrices of such models, one after the other


def leading_parts(record: np.ndarray, begin: int) -> list[np.ndarray]:
    """Views of the leading parts of all fields behind the first ``begin`` bytes, in every dimension."""
    fields = record.dtype.fields or {}
    columns = [record[name] for name, (_, place, *_) in fields.items() if place >= begin]
    arrays = [column if column.ndim == 1 else column[0] for column in columns]  # a number is a view of one
    return [array[(slice(LEADING),) * array.ndim] if array.ndim > 1 else array[:NUMBERS] for array in arrays]


def leading_fills(record: np.ndarray, begin: int) -> list[tuple[Any, bool]]:
    """What fills each leading part, and whether it holds whole numbers; made once for a record: it takes half a run."""
    return [(part.fill, part.dtype.kind == "i") for part in leading_parts(record, begin)]


def spoil(owner: Any, record: np.ndarray, begin: int) -> None:
    """Fill a record, whose first ``begin`` bytes are not scratch, with numbers that are none."""
    if not hasattr(owner, "leading"):
        record.view(np.uint8)[begin:] = 0xFF
        owner.leading = leading_fills(record, begin)
        return
    for fill, whole in owner.leading:
        fill(-1 if whole else np.nan)


def borrow_spoilt_records() -> RunRecords:
    """Records as ``borrow_records`` gives them, the scratch behind the memory of the workspace spoilt."""
    borrowed = borrow_records()
    spoil(borrowed, borrowed.workspace, MEMORY_BYTES)
    return borrowed


def borrow_spoilt_variation(system: System) -> VariationRecord:
    """The same for a record of perturbations."""
    borrowed = borrow_variation(system)
    spoil(borrowed, borrowed.record, CARRIED_BYTES)
    return borrowed


def audit_with(scratch: float, run: Any, audit: Audit, machine: Any) -> np.ndarray:
    """The findings of an audit that begins with this number wherever the audit before may have left one."""
    own = motion._OWN  # of this thread
    if not hasattr(own, "leading"):
        own.leading = leading_fills(own.record, AUDIT.fields["found"][1])  # type: ignore[index]
    for fill, whole in own.leading:
        fill(-1 if whole else scratch)
    return motion.motion_findings(run, audit, machine)


def audit_twice(run: Any, audit: Audit, machine: Any) -> np.ndarray:
    """``motion_findings`` with scratch of two kinds, which must agree."""
    one, other = (audit_with(scratch, run, audit, machine) for scratch in (np.nan, HUGE))
    assert one.tobytes() == other.tobytes(), f"an audit reads what another one has left: {one} or {other}"
    return other


def spoil_scratch() -> None:
    """Let all runs and evaluations of this process begin with spoilt scratch."""
    driver.borrow_records = run_start.borrow_records = borrow_spoilt_records
    driver.borrow_variation = variation.borrow_variation = borrow_spoilt_variation
    report.motion_findings = audit_twice

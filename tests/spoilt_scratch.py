"""Runs in workspaces full of numbers that are none: what a kernel reads, it or the run before must have written.

The engine clears what a run remembers, the leading part of a workspace, and nothing else. In all tests and random runs
the rest is NaN (and -1) at first, so that a number read from the run before cannot go unnoticed.
"""

import numpy as np

from jounce.kernels.records.workspace import MEMORY_BYTES
from jounce.kernels.tangent.variation import CARRIED_BYTES
from jounce.simulation import driver, templates
from jounce.simulation.templates import borrow_records, borrow_variation


def borrow_spoilt_records() -> tuple[np.ndarray, np.ndarray]:
    """A workspace and a buffer as ``borrow_records`` gives them, the scratch behind the memory spoilt."""
    workspace, record = borrow_records()
    workspace.view(np.uint8)[MEMORY_BYTES:] = 0xFF
    return workspace, record


def borrow_spoilt_variation() -> np.ndarray:
    """The same for a record of perturbations."""
    variation = borrow_variation()
    variation.view(np.uint8)[CARRIED_BYTES:] = 0xFF
    return variation


def spoil_scratch() -> None:
    """Let all runs and evaluations of this process begin with spoilt scratch."""
    driver.borrow_records = templates.borrow_records = borrow_spoilt_records
    driver.borrow_variation = borrow_spoilt_variation

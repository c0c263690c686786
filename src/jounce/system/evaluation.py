"""Compiled model functions from Python: at one state, or at many."""

from __future__ import annotations

from typing import Any

import numpy as np


def values_of(function: Any, size: int, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes, ``size`` numbers."""
    from jounce.toolchain.jit import evaluate

    out = np.full(size, np.nan)
    evaluate(function, float(t), np.asarray(q), np.asarray(u), np.asarray(p), out)
    return out


def rows_of(function: Any, size: int, t: np.ndarray, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes at every row (t, q, u), ``size`` numbers each; no compliant contact is pressed."""
    from jounce.toolchain.call_rows import call_rows
    from jounce.toolchain.jit import MEMORY

    out = np.full((len(t), size), np.nan)
    t, q, u = (np.ascontiguousarray(values, dtype=np.float64) for values in (t, q, u))
    call_rows(function.address, t, q, u, np.concatenate([p, np.zeros(MEMORY)]), out)
    return out

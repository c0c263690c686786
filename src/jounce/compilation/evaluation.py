"""One compiled model function at one state, from Python."""

from __future__ import annotations

from typing import Any

import numpy as np


def values_of(function: Any, size: int, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes, ``size`` numbers."""
    from jounce.kernels.jit import evaluate

    out = np.full(size, np.nan)
    evaluate(function, float(t), np.asarray(q), np.asarray(u), np.asarray(p), out)
    return out

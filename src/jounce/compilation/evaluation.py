"""One compiled model function at one state, from Python."""

from __future__ import annotations

from typing import Any

import numpy as np


def values_of(function: Any, size: int, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes, ``size`` numbers."""
    from jounce.kernels.jit import evaluate

    out = np.full(size, np.nan)
    q, u, p = (np.array(values, dtype=np.float64) for values in (q, u, p))
    evaluate(function, float(t), q, u, p, out)
    return out

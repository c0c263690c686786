"""What constraints answer to a blow: the inverse of J M^-1 J^T, where constraints may depend on one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DEPENDENT = 1e-12  # of a mobility: what is left of a constraint that follows from the others


def inverse_mobility(mobility: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., k, k): the pseudo-inverse whose solutions x have the least sum of D_jj x_j^2, D the mobility.

    Equations of angles and of lengths have mobilities in other units, in micrometres 1e12 times other numbers: they
    are compared as parts of the diagonal.
    """
    own = np.sqrt(np.einsum("...kk->...k", mobility))
    size = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0.0)
    both = size[..., :, None] * size[..., None, :]
    return np.asarray(both * np.linalg.pinv(mobility * both, rcond=DEPENDENT, hermitian=True))

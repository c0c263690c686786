"""The surface in state space on which a mode keeps the motion.

There the joints, the gaps of closed contacts, the rates of both and the slip of sticking contacts vanish; z = [q, u].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.stability.variation import onto_constraints
from jounce.simulation.modes import Mode
from jounce.system.evaluation import values_of
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.system.system import System

Floats = NDArray[np.float64]

#: Sixth-order central difference: f'(x) = sum w_k (f(x + k h) - f(x - k h)) / h.
_DIFFERENCE = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
#: Its step relative to 1 + |x|: error h^6/140 against rounding eps/h, both near 1e-14 of a smooth model's derivatives.
_STEP = 6e-3


@dataclass(frozen=True, eq=False)
class ModeSurface:
    """The constraints of ``system`` in the mode with these codes, one a contact, at the parameters ``p``."""

    system: System
    p: Floats
    modes: tuple[int, ...]

    @cached_property
    def closed(self) -> list[int]:
        """The contacts that touch."""
        return [i for i, mode in enumerate(self.modes) if mode != Mode.OPEN]

    @cached_property
    def sticking(self) -> list[int]:
        """The contacts that stick."""
        return [i for i, mode in enumerate(self.modes) if mode == Mode.STICK]

    @property
    def free(self) -> bool:
        """Whether nothing constrains the state."""
        return not self.closed and self.system.nj == 0

    def contacts(self, t: float, q: Floats, u: Floats) -> Floats:
        """Rows (g, gamma_N, gamma_T, c_N, c_T, W_N, W_T), one a contact."""
        return self._values("contacts", self.system.nc, 5 + 2 * self.system.n, t, q, u)

    def joints(self, t: float, q: Floats, u: Floats) -> Floats:
        """Rows (g, g', c, J), one a joint."""
        return self._values("joints", self.system.nj, 3 + self.system.n, t, q, u)

    # ------------------------------------------------------------------ the surface

    def constraints(self, t: float, z: Floats) -> Floats:
        """What vanishes in this mode: joints and their rates, closed gaps and their rates, sticking slips."""
        n = self.system.n
        q, u = z[:n], z[n:]
        contacts, joints = self.contacts(t, q, u), self.joints(t, q, u)
        parts = [joints[:, 0], joints[:, 1], contacts[self.closed, 0], contacts[self.closed, 1]]
        return np.concatenate([*parts, contacts[self.sticking, 2]])

    def tangent_basis(self, t: float, z: Floats, fixed: tuple[int, ...] = ()) -> Floats:
        """Orthonormal directions in which z may move, the components ``fixed`` held: columns of a 2n x m matrix."""
        size = len(z)
        rows = np.zeros((0, size)) if self.free else difference_jacobian(lambda x: self.constraints(t, x), z)
        rows = np.vstack([rows, np.eye(size)[list(fixed)]])
        if len(rows) == 0:
            return np.eye(size)
        _, values, vectors = np.linalg.svd(rows)
        rank = int(np.sum(values > 1e-9 * max(1.0, values[0]))) if values.size else 0
        basis: Floats = vectors[rank:].T
        return basis

    def project(self, t: float, z: Floats) -> Floats:
        """The nearest state on the surface, in the metric of M."""
        if self.free:
            return z.copy()
        n = self.system.n
        state = State(t, z[:n], z[n:], self.system.coordinate_names)
        moved = onto_constraints(self.system, state, np.array(self.modes, dtype=np.int64), self.p)
        return np.concatenate([moved.q, moved.u])

    def _values(self, name: str, rows: int, width: int, t: float, q: Floats, u: Floats) -> Floats:
        return model_values(self.system, self.p, name, rows * width, t, q, u).reshape(rows, width)

    def __str__(self) -> str:
        return describe(self.system, self.modes)


def model_values(system: System, p: Floats, name: str, size: int, t: float, q: Floats, u: Floats) -> Floats:
    """What one of the model's functions writes at a state."""
    return values_of(getattr(system.functions, name), size, t, q, u, p)


def describe(system: System, modes: tuple[int, ...]) -> str:
    """``P1:STICK P2:OPEN``."""
    return " ".join(f"{name}:{Mode(mode)}" for name, mode in zip(system.contact_names, modes, strict=True)) or "free"


def difference_jacobian(function: Callable[[Floats], Floats], z: Floats) -> Floats:
    """The derivative of a smooth function by sixth-order differences, good to about 1e-12."""
    columns = []
    for k in range(len(z)):
        h = _STEP * (1.0 + abs(z[k]))
        total: Floats | float = 0.0
        for multiple, weight in _DIFFERENCE:
            step = np.zeros_like(z)
            step[k] = multiple * h
            total = total + weight * (function(z + step) - function(z - step)) / h
        columns.append(np.asarray(total))
    return np.stack(columns, axis=1)

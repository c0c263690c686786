"""The smooth motion of a system in one mode, and the surface in state space on which it stays.

In a mode z = [q, u] obeys z' = (u, a) with

    M a = h + sum_k F_k x_k ,   R_k . a = -c_k

(rows R, force directions F: see kernels/contact_forces.py) and stays where the active gaps, their rates, the slip of
sticking contacts and the joints vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.errors import SimulationError
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from jounce.compilation.system import System

Floats = NDArray[np.float64]

#: Sixth-order central difference: f'(x) = sum w_k (f(x + k h) - f(x - k h)) / h.
_DIFFERENCE = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
#: Its step relative to 1 + |x|: error h^6/140 against rounding eps/h, both near 1e-14 of a smooth model's derivatives.
_STEP = 6e-3


@dataclass(frozen=True, eq=False)
class Forces:
    """Accelerations and forces of a mode at one state; ``determinant`` is that of the constraints' problem."""

    acceleration: Floats
    normal: Floats  # lambda_N of every contact, 0 where open
    tangential: Floats
    joint: Floats
    determinant: float


@dataclass(frozen=True, eq=False)
class ModeFlow:
    """The flow of ``system`` in the mode with these codes, one a contact, at the parameters ``p``."""

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

    def surfaces(self, t: float, q: Floats, u: Floats) -> Floats:
        """Rows (mu, mu_static, e, e_t), one a contact."""
        return self._values("surfaces", self.system.nc, 4, t, q, u)

    def dynamics(self, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """M and h."""
        n = self.system.n
        values = self._values("dynamics", 1, n * n + n, t, q, u)[0]
        return values[: n * n].reshape(n, n), values[n * n :]

    def directions(self, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        """Rows R, force directions F and c of the active constraints: joints, normals, then sticking tangents."""
        n, contacts, joints = self.system.n, self.contacts(t, q, u), self.joints(t, q, u)
        friction = self.surfaces(t, q, u)[:, 0]
        rows, columns = [joint[3:] for joint in joints], [joint[3:] for joint in joints]
        drift = [joint[2] for joint in joints]
        for i in self.closed:
            normal, tangent = contacts[i, 5 : 5 + n], contacts[i, 5 + n :]
            slides = self.system.has_friction[i] and self.modes[i] != Mode.STICK
            weight = friction[i] * (1.0 if self.modes[i] == Mode.SLIP_POSITIVE else -1.0) if slides else 0.0
            rows.append(normal)
            columns.append(normal - weight * tangent)
            drift.append(contacts[i, 3])
        for i in self.sticking:
            rows.append(contacts[i, 5 + n :])
            columns.append(contacts[i, 5 + n :])
            drift.append(contacts[i, 4])
        shape = (len(rows), n)
        return np.array(rows).reshape(shape), np.array(columns).reshape(shape), np.array(drift)

    def solve(self, t: float, q: Floats, u: Floats) -> Forces:
        """Accelerations and forces: (R M^-1 F) x = -(c + R M^-1 h)."""
        nj = self.system.nj
        M, h = self.dynamics(t, q, u)
        R, F, c = self.directions(t, q, u)
        free = np.linalg.solve(M, h)
        response = np.linalg.solve(M, F.T) if len(F) else np.zeros((self.system.n, 0))
        matrix = R @ response
        x = np.linalg.lstsq(matrix, -(c + R @ free), rcond=1e-12)[0] if len(F) else np.zeros(0)
        normal, tangential = np.zeros(self.system.nc), np.zeros(self.system.nc)
        normal[self.closed] = x[nj : nj + len(self.closed)]
        friction = self.surfaces(t, q, u)[:, 0]
        for i in self.closed:
            if self.system.has_friction[i] and self.modes[i] != Mode.STICK:
                sign = 1.0 if self.modes[i] == Mode.SLIP_POSITIVE else -1.0
                tangential[i] = -sign * friction[i] * normal[i]
        tangential[self.sticking] = x[nj + len(self.closed) :]
        determinant = float(np.linalg.det(matrix)) if len(F) else 1.0
        return Forces(free + response @ x, normal, tangential, x[:nj], determinant)

    def rate(self, t: float, z: Floats) -> Floats:
        """z' = (u, a)."""
        n = self.system.n
        return np.concatenate([z[n:], self.solve(t, z[:n], z[n:]).acceleration])

    def jacobian(self, t: float, z: Floats) -> Floats:
        """d z'/d z by sixth-order differences."""
        return _jacobian(lambda x: self.rate(t, x), z)

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
        rows = np.zeros((0, size)) if self.free else _jacobian(lambda x: self.constraints(t, x), z)
        rows = np.vstack([rows, np.eye(size)[list(fixed)]])
        if len(rows) == 0:
            return np.eye(size)
        _, values, vectors = np.linalg.svd(rows)
        rank = int(np.sum(values > 1e-9 * max(1.0, values[0]))) if values.size else 0
        basis: Floats = vectors[rank:].T
        return basis

    def project(self, t: float, z: Floats) -> Floats:
        """The nearest state on the surface, by Gauss-Newton."""
        if self.free:
            return z.copy()
        z = z.copy()
        for _ in range(8):
            residual = self.constraints(t, z)
            if np.abs(residual).max(initial=0.0) < 1e-15:
                return z
            matrix = _jacobian(lambda x: self.constraints(t, x), z)
            z -= np.linalg.lstsq(matrix, residual, rcond=1e-10)[0]
        if np.abs(self.constraints(t, z)).max() > 1e-12 * (1.0 + np.abs(z).max()):
            raise SimulationError(f"no state near {z} lies on the constraints of the mode {self}")
        return z

    def _values(self, name: str, rows: int, width: int, t: float, q: Floats, u: Floats) -> Floats:
        from jounce.kernels.jit import evaluate

        out = np.zeros((rows, width))
        if rows:
            flat = np.zeros(rows * width)
            arrays = (np.ascontiguousarray(values, dtype=np.float64) for values in (q, u, self.p))
            evaluate(getattr(self.system.functions, name), float(t), *arrays, flat)
            out = flat.reshape(rows, width)
        return out

    def __str__(self) -> str:
        return describe(self.system, self.modes)


def describe(system: System, modes: tuple[int, ...]) -> str:
    """``P1:STICK P2:OPEN``."""
    return " ".join(f"{name}:{Mode(mode)}" for name, mode in zip(system.contact_names, modes, strict=True)) or "free"


def _jacobian(function: object, z: Floats) -> Floats:
    columns = []
    for k in range(len(z)):
        h = _STEP * (1.0 + abs(z[k]))
        total: Floats | float = 0.0
        for multiple, weight in _DIFFERENCE:
            step = np.zeros_like(z)
            step[k] = multiple * h
            total = total + weight * (function(z + step) - function(z - step)) / h  # type: ignore[operator]
        columns.append(np.asarray(total))
    return np.stack(columns, axis=1)

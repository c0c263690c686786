"""The surface in state space on which a mode keeps the motion.

There the joints, the gaps of closed contacts, the rates of both and the slip of sticking contacts vanish; z = [q, u],
and behind them discrete states that take real values (analysis/variables.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.stability.variation import onto_constraints
from jounce.kernels.records.workspace import CONTACT_STRIDE, PAIR
from jounce.simulation.modes import Mode
from jounce.system.evaluation import contact_rows, contact_width, joint_rows, joint_width, values_of
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.system.system import System

Floats = NDArray[np.float64]

#: Directions of constraints, each of length 1 in comparable variables, that leave less than this depend on others.
_DEPENDENT = 1e-9


@dataclass(frozen=True, eq=False)
class ModeSurface:
    """The constraints of ``system`` in the mode with these codes, one a contact, at the parameters ``p``."""

    system: System
    p: Floats
    modes: tuple[int, ...]

    @cached_property
    def closed(self) -> list[int]:
        """The contacts that touch with a gap of their own; a pressed one is free in its gap."""
        contacts, free = self.system.model.contacts, (Mode.OPEN, Mode.PRESSED)
        return [i for i, mode in enumerate(self.modes) if mode not in free and contacts[i].load is None]

    @cached_property
    def sticking(self) -> list[int]:
        """The contacts that stick."""
        return [i for i, mode in enumerate(self.modes) if mode == Mode.STICK]

    @property
    def free(self) -> bool:
        """Whether nothing constrains the state."""
        return not self.closed and not self.sticking and self.system.nj == 0

    def contacts(self, t: float, q: Floats, u: Floats) -> Floats:
        """Rows (g, gamma_N, gamma_T, c_N, c_T, W_N, W_T), one a contact."""
        return contact_rows(self.system, t, q, u, self.p)

    def joints(self, t: float, q: Floats, u: Floats) -> Floats:
        """Rows (g, g', c, J), one a joint."""
        return joint_rows(self.system, t, q, u, self.p)

    # ------------------------------------------------------------------ the surface

    def constraint_change(self, t: float, z: Floats, dt: float, dz: Floats, parameter: str | None = None) -> Floats:
        """The derivative of what vanishes in this mode, exactly, along (dt, dz) and by a parameter.

        Joints and their rates, closed gaps and their rates, sticking slips.
        """
        system, n = self.system, self.system.n
        named = [float(name == parameter) for name in system.parameter_names]
        changed = dict(zip(system.real_states, dz[2 * n : system.width], strict=True))
        states = [changed.get(name, 0.0) for name in system.state_names]
        dp = np.array([*named, *[0.0] * system.outline.compliant_memory, *states])
        place = (t, z[:n], z[n : 2 * n], dt, dz[:n], dz[n : 2 * n], dp)
        contacts, joints = tangent_rows(system, self.p, *place)
        parts = [joints[:, 0], joints[:, 1], contacts[self.closed, 0], contacts[self.closed, 1]]
        return np.concatenate([*parts, contacts[self.sticking, 2]])

    def tangent_basis(self, t: float, z: Floats, sizes: Floats, fixed: tuple[int, ...] = ()) -> Floats:
        """Orthonormal directions of z/sizes in which z may move, the components ``fixed`` held, in columns."""
        width = len(z)
        columns = [] if self.free else [self.constraint_change(t, z, 0.0, direction) for direction in np.diag(sizes)]
        rows = np.stack(columns, axis=1) if columns else np.zeros((0, width))
        lengths = np.linalg.norm(rows, axis=1)
        rows = np.vstack([rows[lengths > 0.0] / lengths[lengths > 0.0, None], np.eye(width)[list(fixed)]])
        if len(rows) == 0:
            return np.eye(width)
        _, values, vectors = np.linalg.svd(rows)
        basis: Floats = vectors[int(np.sum(values > _DEPENDENT)) :].T
        return basis

    def project(self, t: float, z: Floats) -> Floats:
        """The nearest state on the surface, in the metric of M."""
        if self.free:
            return z.copy()
        n = self.system.n
        state = State(t, z[:n], z[n : 2 * n], self.system.coordinate_names)
        moved = onto_constraints(self.system, state, np.array(self.modes, dtype=np.int64), self.p)
        return np.concatenate([moved.q, moved.u, z[2 * n :]])

    def __str__(self) -> str:
        return describe(self.system, self.modes)


def model_values(system: System, p: Floats, name: str, size: int, t: float, q: Floats, u: Floats) -> Floats:
    """What one of the model's functions writes at a state."""
    return values_of(getattr(system.functions, name), size, t, q, u, p)


def tangent_values(
    system: System,
    p: Floats,
    name: str,
    size: int,
    t: float,
    q: Floats,
    u: Floats,
    dt: float,
    dq: Floats,
    du: Floats,
    dp: Floats | None = None,
) -> Floats:
    """The derivative of one of the model's functions along a direction (codegen/tangents.py)."""
    parameters = np.zeros(2 * system.vector_size)
    parameters[: len(p)] = p
    if dp is not None:
        parameters[system.vector_size :][: len(dp)] = dp
    places, velocities = np.concatenate([q, dq, [0.0]]), np.concatenate([u, du, [dt]])
    return values_of(getattr(system.tangents, f"{name}_tangent"), size, t, places, velocities, parameters)


def tangent_rows(system: System, p: Floats, *place: Any) -> tuple[Floats, Floats]:
    """The derivatives of the rows of contacts and of joints along a direction."""
    joints = tangent_values(system, p, "joints", system.nj * joint_width(system), *place)
    return contact_tangents(system, p, *place), joints.reshape(system.nj, joint_width(system))


def contact_tangents(system: System, p: Floats, *place: Any) -> Floats:
    """The derivatives of ``contact_rows``; machines of tables write directions of two bodies (NearContacts)."""
    n, nc, near = system.n, system.nc, system.near
    width = contact_width(system) if near is None else CONTACT_STRIDE + 2 * PAIR
    found = tangent_values(system, p, "contacts", nc * width, *place).reshape(nc, width)
    if near is None:
        return found
    rows = np.zeros((nc, contact_width(system)))
    rows[:, :CONTACT_STRIDE] = found[:, :CONTACT_STRIDE]
    for part in range(2):
        entries = found[:, CONTACT_STRIDE + part * PAIR :][:, :PAIR]
        columns = CONTACT_STRIDE + part * n + near.columns
        np.add.at(rows, (np.arange(nc)[:, None], columns), entries)  # the ground has the columns of the other body
    return rows


def describe(system: System, modes: tuple[int, ...]) -> str:
    """``P1:STICK P2:OPEN``."""
    return " ".join(f"{name}:{Mode(mode)}" for name, mode in zip(system.contact_names, modes, strict=True)) or "free"

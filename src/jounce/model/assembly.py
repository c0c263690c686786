"""Putting a machine together: positions and velocities that satisfy the joints, and joints that say the same twice.

Positions are corrected by Newton's method with the smallest change: with the Jacobian J of the joints g,

    dq = -C^-2 J^T (J C^-2 J^T)^+ g ,

where C holds the cost of moving each coordinate (0 moves never: its 1/cost is 0). Velocities need one such step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: q -> g and J of the joints at a fixed time
Rows = Callable[[Floats], tuple[Floats, Floats]]

#: A joint is closed when no equation is violated by more than this (m or rad).
CLOSED = 1e-11
#: Directions of joints, each of length 1, that leave less than this after subtracting others are dependent on them.
DEPENDENT = 1e-8
_ITERATIONS = 60
_LARGEST_TURN = 0.5  # of one step, in rad, or in lengths of the machine


@dataclass(frozen=True)
class Closing:
    """How far Newton's method came: positions, what is left of each joint, and whether all of them are closed."""

    q: Floats
    residual: Floats
    closed: bool


def moving_cost(J: Floats, units: Sequence[str]) -> Floats:
    """The cost of moving each coordinate: 1 for a length; for an angle the longest arm with which it moves a joint."""
    turning = np.array([unit == "rad" for unit in units])
    arms = np.abs(J[:, turning])
    arm = float(arms.max()) if arms.size and np.isfinite(arms).all() and arms.max() > 0.0 else 1.0
    return np.where(turning, arm, 1.0)


def close_positions(rows: Rows, q: Floats, mobility: Floats, largest: Floats) -> Closing:
    """Newton's method from q; ``mobility`` is 1/cost of each coordinate, ``largest`` bounds one step of each."""
    g, J = rows(q)
    for _ in range(_ITERATIONS):
        if not (np.isfinite(g).all() and np.isfinite(J).all()):
            break
        size = float(np.linalg.norm(g))
        if size == 0.0:
            break
        step = mobility * np.linalg.lstsq(J * mobility, -g, rcond=1e-10)[0]
        step *= min(1.0, float(np.min(largest / np.maximum(np.abs(step), 1e-300))))
        factor = 1.0
        while factor > 1e-3:
            trial = q + factor * step
            g_trial, J_trial = rows(trial)
            if np.linalg.norm(g_trial) < size * (1.0 - 1e-4 * factor):
                break
            factor /= 2.0
        else:
            break  # rounding, or a minimum that is no zero
        q, g, J = trial, g_trial, J_trial
    worst = float(np.max(np.abs(g))) if g.size else 0.0
    return Closing(q, g, bool(np.isfinite(worst) and worst <= CLOSED * (1.0 + float(np.max(np.abs(q))))))


def step_limit(cost: Floats) -> Floats:
    """The largest change of each coordinate in one step of Newton's method: half a radian, or half an arm."""
    return _LARGEST_TURN * float(np.max(cost)) / cost


def close_velocities(J: Floats, g_t: Floats, u: Floats, mobility: Floats) -> tuple[Floats, Floats]:
    """(u, J u + g_t) after the smallest change of u that brings J u + g_t to zero, if there is one."""
    for _ in range(2):  # the second time takes away the rounding of the first
        u = u + mobility * np.linalg.lstsq(J * mobility, -(J @ u + g_t), rcond=1e-10)[0]
    return u, J @ u + g_t


def dependent_rows(J: Floats, names: Sequence[str]) -> dict[str, list[str]]:
    """Each equation that follows from earlier ones -> those from which it follows."""
    lengths = np.linalg.norm(J, axis=1)
    found: dict[str, list[str]] = {}
    independent: list[int] = []
    for k, name in enumerate(names):
        if lengths[k] == 0.0:
            found[name] = []
            continue
        row = J[k] / lengths[k]
        basis = J[independent] / lengths[independent, None]
        weights = np.linalg.lstsq(basis.T, row, rcond=None)[0] if independent else np.zeros(0)
        if independent and np.linalg.norm(row - basis.T @ weights) < DEPENDENT:
            found[name] = [names[j] for j, weight in zip(independent, weights, strict=True) if abs(weight) > 1e-6]
        else:
            independent.append(k)
    return found

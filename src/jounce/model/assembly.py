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
#: q -> g and J of the joints at a fixed time, and the sizes of the terms of g (model/magnitude.py)
Rows = Callable[[Floats], tuple[Floats, Floats, Floats]]

#: A joint is closed when no equation is violated by more than this part of its terms, or of what the machine is large.
CLOSED = 1e-11
#: Velocities satisfy a joint when its rate is no more than this part of its terms, or of the fastest ones.
CLOSED_RATE = 1e-10
#: Directions of joints, each of length 1, that leave less than this after subtracting others are dependent on them.
DEPENDENT = 1e-8
_ITERATIONS = 60
_LARGEST_TURN = 0.5  # of one step, in rad, or in lengths of the machine


@dataclass(frozen=True)
class Closing:
    """How far Newton's method came: positions, what is left of each joint, which are open, whether all are closed."""

    q: Floats
    residual: Floats
    open: NDArray[np.bool_]

    @property
    def closed(self) -> bool:
        """Whether every joint is closed."""
        return not self.open.any()


def moving_cost(J: Floats, terms: Floats, units: Sequence[str]) -> Floats:
    """The cost of moving each coordinate: 1 for a length; for an angle the middle one of the joints' arms.

    Where no joint has an arm, lengths and angles do not share joints: a radian then counts as the machine's length.
    """
    turning = np.array([unit == "rad" for unit in units])
    arms = _arms(J, turning)
    return np.where(turning, float(np.median(arms)) if arms.size else machine_length(J, terms, units), 1.0)


def _arms(J: Floats, turning: NDArray[np.bool_]) -> Floats:
    """The lengths with which angles move joints: of each row what a radian does to it, over what a length does.

    A row is measured by itself, whatever its unit is: that of two angles, whose derivatives are 1, has no arm. It was
    once taken for one of length 1, in any unit of length, and what a start lacked was shared out by that unit.
    """
    turns, moves = np.abs(J[:, turning]).max(axis=1, initial=0.0), np.linalg.norm(J[:, ~turning], axis=1)
    both = (turns > 0.0) & (moves > 0.0) & np.isfinite(turns) & np.isfinite(moves)
    return np.asarray(turns[both] / moves[both], dtype=np.float64)


def machine_length(J: Floats, terms: Floats, units: Sequence[str]) -> float:
    """How large the machine is: its longest arm, or the largest term of a joint as a length.

    One without lengths, of angles alone or with all its points at the origin, is as large as a radian: 1.
    """
    turning = np.array([unit == "rad" for unit in units])
    moves = np.linalg.norm(J[:, ~turning], axis=1)
    lengths = terms[moves > 0.0] / moves[moves > 0.0]
    length = max(float(_arms(J, turning).max(initial=0.0)), float(lengths.max(initial=0.0)))
    return length if 0.0 < length < np.inf else 1.0


def close_positions(rows: Rows, q: Floats, mobility: Floats, largest: Floats) -> Closing:
    """Newton's method from q; ``mobility`` is 1/cost of each coordinate, ``largest`` bounds one step of each."""
    g, J, terms = rows(q)
    for _ in range(_ITERATIONS):
        if not (np.isfinite(g).all() and np.isfinite(J).all()):
            break
        lengths = _lengths(J * mobility)
        size = float(np.linalg.norm(g / lengths))
        if size == 0.0:
            break
        step = mobility * _smallest(J * mobility, -g)
        step /= max(1.0, float(np.max(np.abs(step) / largest)))
        factor = 1.0
        while factor > 1e-3:
            trial = q + factor * step
            g_trial, J_trial, terms_trial = rows(trial)
            if np.linalg.norm(g_trial / lengths) < size * (1.0 - 1e-4 * factor):
                break
            factor /= 2.0
        else:
            break  # rounding, or a minimum that is no zero
        q, g, J, terms = trial, g_trial, J_trial, terms_trial
    return Closing(q, g, ~(np.abs(g) <= CLOSED * sizes_of_joints(J, terms, largest)))


def _lengths(rows: Floats) -> Floats:
    """Of every row; 1 for one that is zero."""
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0.0, lengths, 1.0)


def _smallest(matrix: Floats, right: Floats) -> Floats:
    """The solution of least norm, every equation measured by its length: joints may be lengths or angles."""
    lengths = _lengths(matrix)
    return np.asarray(np.linalg.lstsq(matrix / lengths[:, None], right / lengths, rcond=1e-10)[0], dtype=np.float64)


def sizes_of_joints(J: Floats, terms: Floats, largest: Floats) -> Floats:
    """By what joints are measured: their terms, and what they change where the machine moves by its own length.

    A joint between two points at the origin has no terms; rounding of the others reaches it all the same.
    """
    return np.asarray(terms + np.abs(J) @ (largest / _LARGEST_TURN), dtype=np.float64)


def step_limit(cost: Floats, length: float) -> Floats:
    """The largest change of each coordinate in one step of Newton's method: half of what the machine is large."""
    return _LARGEST_TURN * length / cost


def sizes_of_rates(J: Floats, g_t: Floats, u: Floats, cost: Floats) -> Floats:
    """The same of J u + g_t, where the machine moves as fast as its fastest coordinate."""
    fastest = float((np.abs(u) * cost).max(initial=0.0))
    return np.asarray(np.abs(J) @ (np.abs(u) + fastest / cost) + np.abs(g_t), dtype=np.float64)


def close_velocities(J: Floats, g_t: Floats, u: Floats, mobility: Floats) -> tuple[Floats, Floats]:
    """(u, J u + g_t) after the smallest change of u that brings J u + g_t to zero, if there is one."""
    for _ in range(2):  # the second time takes away the rounding of the first
        u = u + mobility * _smallest(J * mobility, -(J @ u + g_t))
    return u, J @ u + g_t


def _smallest_singular(matrix: Floats) -> float:
    return float(np.linalg.svd(matrix, compute_uv=False).min(initial=1.0))


def dependent_rows(J: Floats, names: Sequence[str]) -> dict[str, list[str]]:
    """Each equation that follows from earlier ones -> those from which it follows."""
    lengths = np.linalg.norm(J, axis=1)
    # a row of length 1 is at least as far from all combinations of the others as the smallest singular value
    if lengths.all() and len(J) <= J.shape[1] and _smallest_singular(J / lengths[:, None]) > DEPENDENT:
        return {}
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

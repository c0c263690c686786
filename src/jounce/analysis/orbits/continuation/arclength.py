"""Pseudo-arclength: solutions of F(Y) = 0 with one unknown more than equations form a curve; follow it through folds.

A step predicts along the tangent and corrects in the hyperplane

    direction . W^2 (Y - anchor) = length ,

whose weights W make the unknowns comparable. Any problem with ``evaluate`` and ``projected`` can be followed: orbits,
equilibria, folds and flips in two parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.errors import SimulationError

_ITERATIONS = 10
#: A correction further than this many step lengths from where it was predicted belongs to another curve: a curve that
#: turns by 45 degrees in a step leaves its tangent by 0.4 steps.
_STRAY = 0.5
#: Angles between a tangent and the chord of a step, in radians: the largest; how uneven they may be, relative to their
#: sum; below this sum the curve is straight.
_SHARPEST, _UNEVEN, _STRAIGHT = 0.4, 0.25, 0.1


class Equations(Protocol):
    """What can be followed: see ``Evaluation`` in shooting.py for what ``evaluate`` gives."""

    def evaluate(self, guess: Floats) -> Any:
        """residual, jacobian (by reduced unknowns), expand (reduced -> all), closure (the error)."""

    def projected(self, guess: Floats) -> Floats:
        """The guess moved onto what constrains it."""


@dataclass(frozen=True, eq=False)
class Metric:
    """How far apart two solutions are: weights make a tenth of an amplitude and one parameter step equal."""

    weights: Floats

    def inner(self, a: Floats, b: Floats) -> float:
        """a . W^2 b."""
        return float((self.weights * a) @ (self.weights * b))

    def norm(self, a: Floats) -> float:
        """|W a|."""
        weighted = self.weights * a
        return math.sqrt(weighted @ weighted)


def column_lengths(evaluation: Any, metric: Metric) -> Floats:
    """How long a unit of each reduced unknown is in the metric: divided by these, all unknowns are comparable."""
    weighted = metric.weights[:, None] * evaluation.expand
    lengths = np.sqrt(np.add.reduce(weighted * weighted, axis=0))
    return np.where(lengths > 0.0, lengths, 1.0)


def tangent(evaluation: Any, metric: Metric) -> Floats:
    """The direction of the curve, of unit length in the metric: expand v with jacobian v = 0."""
    scale = column_lengths(evaluation, metric)
    vector = np.linalg.svd(evaluation.jacobian / scale)[2][-1] / scale
    direction = evaluation.expand @ vector
    unit: Floats = direction / metric.norm(direction)
    return unit


def bordered(evaluation: Any, direction: Floats, metric: Metric, lengths: Floats | None = None) -> Floats:
    """The Jacobian by comparable unknowns with the hyperplane as its last row: square; ``lengths`` of its columns."""
    row = (metric.weights * direction) @ (metric.weights[:, None] * evaluation.expand)
    return np.vstack([evaluation.jacobian, row]) / (column_lengths(evaluation, metric) if lengths is None else lengths)


def correct(
    equations: Equations,
    guess: Floats,
    anchor: Floats,
    direction: Floats,
    length: float,
    metric: Metric,
    accept: float,
    reach: float = np.inf,
) -> tuple[Floats, Any, int]:
    """Newton's method in the hyperplane at ``length`` from the anchor: solution, its evaluation, iterations.

    Ends where the error no longer falls; fails if it is then above ``accept`` or the solution is out of reach.
    """
    start = guess = equations.projected(guess)
    best: tuple[Floats, Any] | None = None
    previous = np.inf
    for iteration in range(_ITERATIONS):
        evaluation = equations.evaluate(guess)
        offset = metric.inner(direction, guess - anchor) - length
        error = max(evaluation.closure, abs(offset) * 1e-3)
        if not np.isfinite(error):
            break
        if best is not None and best[1].closure <= accept and error >= 0.2 * previous:
            if metric.norm(best[0] - start) > reach:
                break
            return *best, iteration  # as good as rounding allows
        if best is not None and error > 4.0 * previous:
            break
        best, previous = (guess, evaluation), error
        if error < 1e-14 and metric.norm(guess - start) <= reach:
            return guess, evaluation, iteration
        lengths = column_lengths(evaluation, metric)
        matrix, right = bordered(evaluation, direction, metric, lengths), -np.append(evaluation.residual, offset)
        step = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
        guess = equations.projected(guess + evaluation.expand @ (step / lengths))
        if metric.norm(guess - start) > 3.0 * reach:
            break
    raise SimulationError("Newton's method does not converge")


def stray(length: float) -> float:
    """How far a corrected point may be from its prediction."""
    return _STRAY * max(abs(length), 1e-3)


def leaves_tangent(
    metric: Metric, here: tuple[Floats, Floats], behind: tuple[Floats, Floats], length: float
) -> Floats | None:
    """By how much the curve leaves its tangent at a length ahead, as the place behind tells; None where it does not.

    Places are points and tangents. In the coordinate x along the direction d here, in which the place behind is at
    b < 0, the cubic through both points with both tangents is Y + x d + A x^2 + B x^3.
    """
    (point, direction), (before, tangent_before) = here, behind
    b, slope = metric.inner(direction, before - point), metric.inner(direction, tangent_before)
    if not (b < 0.0 and slope > 0.0):
        return None
    left = before - point - b * direction
    turned = b * (tangent_before / slope - direction)
    r = length / b
    offset: Floats = r * r * ((3.0 * left - turned) + r * (turned - 2.0 * left))
    return offset


def is_straight(metric: Metric, offset: Floats, length: float) -> bool:
    """Whether a curve that leaves its tangent by this over a length, by half the angle of its turn, is straight."""
    return 2.0 * metric.norm(offset) <= _STRAIGHT * length


def turns_back(metric: Metric, offset: Floats, expected: Floats, length: float) -> bool:
    """Whether a curve that was bent one way is bent the other way, neither of it little: then it is another curve.

    Where a branch turns towards one that crosses it, a step may end on that one as if the branch had turned away.
    """
    if is_straight(metric, offset, length) or is_straight(metric, expected, length):
        return False
    return metric.inner(offset, expected) < 0.0


def joins_smoothly(metric: Metric, before: Floats, chord: Floats, after: Floats) -> bool:
    """Whether two tangents and the chord between their points belong to one smooth curve.

    A curve turns little in a step, and the chord halves the turn: both tangents enclose the same angle with it, up to
    the next order. Where branches cross a step may end on the other one, and then they do not.
    """
    size = metric.norm(chord)
    if size == 0.0:
        return True
    angles = [float(np.arccos(np.clip(metric.inner(unit, chord) / size, -1.0, 1.0))) for unit in (before, after)]
    if max(angles) > _SHARPEST:
        return False
    return abs(angles[0] - angles[1]) <= _UNEVEN * sum(angles) or sum(angles) < _STRAIGHT


def extrapolate(lengths: list[float], points: list[Floats], length: float) -> Floats:
    """The polynomial through the last points (up to three) at another length."""
    s, Y = np.array(lengths[-3:]), np.array(points[-3:])
    total = np.zeros_like(Y[0])
    for k in range(len(s)):
        others = np.delete(s, k)
        total += Y[k] * np.prod((length - others) / (s[k] - others))
    return total

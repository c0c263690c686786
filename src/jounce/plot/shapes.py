"""The drawing of a model as numbers: every shape at every frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.simulation.energy import parameters_at

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frames:
    """One shape over K frames: ``values`` [K, number of its expressions]."""

    shape: Segment | Circle | Polygon | Coil | Ground | Point
    values: Floats


def shape_frames(run: Trajectory, times: Floats) -> list[Frames]:
    """Evaluate every shape of the model's drawing at the given times."""
    states = run.states(times)
    n = len(run.coordinates)
    return [Frames(shape, _evaluate(run, _expressions(shape), times, states[:, :n])) for shape in run.model.drawing]


def level_floor(run: Trajectory, times: Floats) -> Floats | None:
    """The height of a level floor that moves with time alone, or None where the drawing has none."""
    coordinates = set(run.model.q)
    for shape in run.model.drawing:
        if not isinstance(shape, Ground):
            continue
        (_, first), (_, second) = shape.points
        if first == second and not (first.free_symbols & coordinates):
            nothing = np.zeros((len(times), len(run.coordinates)))
            return _evaluate(run, [first], times, nothing)[:, 0]
    return None


def _expressions(shape: Any) -> list[Any]:
    match shape:
        case Segment() | Coil():
            return [*shape.start, *shape.end]
        case Polygon():
            return [part for point in shape.points for part in point]
        case Circle():
            return [*shape.center, shape.radius, 0 if shape.angle is None else shape.angle]
        case Ground():
            (x1, y1), (x2, y2) = shape.points
            return [x1, y1, x2, y2]
        case _:
            return [*shape.position]


def _evaluate(run: Trajectory, expressions: list[Any], times: Floats, q: Floats) -> Floats:
    import sympy as sp

    model = run.model
    function = sp.lambdify([model.symbols["t"], *model.q, *model.p], expressions, modules="numpy", cse=True)
    values = function(times, *q.T, *parameters_at(run.data, times).T)
    return np.column_stack([np.broadcast_to(np.asarray(value, dtype=float), times.shape) for value in values])

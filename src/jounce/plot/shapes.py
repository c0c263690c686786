"""The drawing of a model as numbers: every shape at every frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.model.numeric import numpy_function
from jounce.simulation.energy import parameter_symbols, parameters_at
from jounce.units import parse_unit

if TYPE_CHECKING:
    from jounce.model.model import Model
    from jounce.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]
_LENGTH = parse_unit("m").dimension


@dataclass(frozen=True)
class Frames:
    """One shape over K frames: ``values`` [K, number of its expressions]."""

    shape: Segment | Circle | Polygon | Coil | Ground | Point
    values: Floats


class Drawing:
    """The shapes of a model as one function of time, coordinates and parameters, made once for many runs."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.expressions = [_expressions(shape) for shape in model.drawing]

    @property
    def widths(self) -> list[int]:
        """How many numbers each shape consists of."""
        return [len(entries) for entries in self.expressions]

    @cached_property
    def _function(self) -> Callable[..., Any]:
        return _function(self.model, [entry for entries in self.expressions for entry in entries])

    def values(self, times: Floats, q: Floats, parameters: Floats) -> Floats:
        """All numbers of all shapes, [K, sum of widths], for times [K], coordinates [K, n] and parameters [K, np]."""
        return _columns(self._function(times, *q.T, *parameters.T), times)

    def along(self, run: Trajectory, times: Floats) -> Floats:
        """``values`` at times of a run."""
        return self.values(times, run.states(times)[:, : len(run.coordinates)], parameters_at(run.data, times))


def shape_frames(run: Trajectory, times: Floats) -> list[Frames]:
    """Evaluate every shape of the model's drawing at the given times."""
    drawing = Drawing(run.model)
    if not drawing.expressions:
        return []
    parts = np.split(drawing.along(run, times), np.cumsum(drawing.widths)[:-1], axis=1)
    return [Frames(shape, values) for shape, values in zip(run.model.drawing, parts, strict=True)]


def length_unit(model: Model) -> str:
    """The unit of the lengths of a drawing: that of the coordinates and parameters that are lengths; m if none is."""
    declared = dict.fromkeys(unit for unit in model.units.values() if unit)
    return next((unit for unit in declared if parse_unit(unit).dimension == _LENGTH), "m")


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
    return _columns(_function(run.model, expressions)(times, *q.T, *parameters_at(run.data, times).T), times)


def _function(model: Model, expressions: list[Any]) -> Callable[..., Any]:
    return numpy_function([model.symbols["t"], *model.q, *parameter_symbols(model)], expressions)


def _columns(values: list[Any], times: Floats) -> Floats:
    if not values:
        return np.empty((len(times), 0))
    return np.column_stack([np.broadcast_to(np.asarray(value, dtype=float), times.shape) for value in values])

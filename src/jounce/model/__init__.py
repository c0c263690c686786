"""What moves: symbols only."""

from jounce.model.contact import Contact
from jounce.model.drawing import Circle, Ground, Point, Segment
from jounce.model.model import Model
from jounce.model.symbols import Parameter, coordinate, coordinates, parameter, parameters, time

__all__ = [
    "Circle",
    "Contact",
    "Ground",
    "Model",
    "Parameter",
    "Point",
    "Segment",
    "coordinate",
    "coordinates",
    "parameter",
    "parameters",
    "time",
]

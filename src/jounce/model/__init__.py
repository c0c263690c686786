"""What moves: symbols only."""

from jounce.model.compliance import (
    Flores2011,
    Hertz,
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
    Maxwell,
    StandardLinearSolid,
)
from jounce.model.contact import Contact
from jounce.model.drawing import Circle, Ground, Point, Segment
from jounce.model.model import Model
from jounce.model.stiffness import Material, hertz_stiffness
from jounce.model.symbols import Parameter, coordinate, coordinates, parameter, parameters, time

__all__ = [
    "Circle",
    "Contact",
    "Flores2011",
    "Ground",
    "Hertz",
    "HuntCrossley",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "Material",
    "Maxwell",
    "Model",
    "Parameter",
    "Point",
    "Segment",
    "StandardLinearSolid",
    "coordinate",
    "coordinates",
    "hertz_stiffness",
    "parameter",
    "parameters",
    "time",
]

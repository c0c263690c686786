"""A machine from its parts: bodies, joints, forces and the shapes that touch."""

from jounce.model.bodies.body import Body, ground
from jounce.model.bodies.clearance import ClearanceJoint
from jounce.model.bodies.curve_shapes import CurveOn, EllipseOn, PathOn
from jounce.model.bodies.forces import Damper, Force, Spring, Torque, TorsionSpring
from jounce.model.bodies.geometry import CircleOn, Corners, Edge, Line, PointOn, PolygonOn
from jounce.model.bodies.joints import Driver, Revolute, Rigid, Translational
from jounce.model.bodies.touching import contact_between

__all__ = [
    "Body",
    "CircleOn",
    "ClearanceJoint",
    "Corners",
    "CurveOn",
    "Damper",
    "Driver",
    "Edge",
    "EllipseOn",
    "Force",
    "Line",
    "PathOn",
    "PointOn",
    "PolygonOn",
    "Revolute",
    "Rigid",
    "Spring",
    "Torque",
    "TorsionSpring",
    "Translational",
    "contact_between",
    "ground",
]

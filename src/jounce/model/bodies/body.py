"""Body and ground: frames that carry points, with the symbols of their pose and velocity.

A body's frame sits at its centre of mass. The point (a, b) of a body is, in the ground's frame,

    X = x + a cos(theta) - b sin(theta),      Y = y + a sin(theta) + b cos(theta).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.derivatives import derivative
from jounce.model.drawing import Circle, Point, Polygon, Segment
from jounce.model.expressions import as_expression
from jounce.model.symbols import coordinate, time
from jounce.model.vocabulary import check_identifier

Pair = tuple[Any, Any]
SHAPES = (Segment, Circle, Polygon, Point)


class Frame:
    """Something to which points can be fixed: a body, or the ground."""

    name: str

    @property
    def pose(self) -> tuple[Any, Any, Any]:
        """(x, y, theta) of the frame."""
        raise NotImplementedError

    @property
    def motion(self) -> tuple[Any, Any, Any]:
        """(x', y', theta') of the frame."""
        raise NotImplementedError

    def turned(self, vector: Any) -> Pair:
        """A vector of this frame in the directions of the ground."""
        a, b = pair(vector, f"a vector of {self.name!r}")
        _, _, theta = self.pose
        return a * sp.cos(theta) - b * sp.sin(theta), a * sp.sin(theta) + b * sp.cos(theta)

    def point(self, local: Any) -> Pair:
        """Where the point (a, b) of this frame is."""
        x, y, _ = self.pose
        X, Y = self.turned(local)
        return x + X, y + Y

    def local(self, place: Pair) -> Pair:
        """The point of this frame that is at ``place`` (ground coordinates)."""
        x, y, theta = self.pose
        X, Y = place[0] - x, place[1] - y
        return X * sp.cos(theta) + Y * sp.sin(theta), Y * sp.cos(theta) - X * sp.sin(theta)

    def velocity_at(self, place: Pair) -> Pair:
        """The velocity of the material of this frame that is at ``place`` (ground coordinates): v + theta' x r."""
        x, y, _ = self.pose
        d_x, d_y, d_theta = self.motion
        return d_x - d_theta * (place[1] - y), d_y + d_theta * (place[0] - x)

    def drift(self, local: Any) -> Pair:
        """The velocity, relative to this frame, of a point whose coordinates (a, b) depend on time."""
        a, b = pair(local, f"a point of {self.name!r}")
        return self.turned((derivative(a, time), derivative(b, time)))


class _Ground(Frame):
    """What does not move."""

    name = "ground"

    @property
    def pose(self) -> tuple[Any, Any, Any]:
        """The origin."""
        return sp.Integer(0), sp.Integer(0), sp.Integer(0)

    @property
    def motion(self) -> tuple[Any, Any, Any]:
        """Rest."""
        return sp.Integer(0), sp.Integer(0), sp.Integer(0)

    def __reduce__(self) -> str:
        return "ground"  # there is one: a pickle names it

    def __repr__(self) -> str:
        return "ground"


#: The frame that does not move; give it to a joint or a contact in place of a body.
ground = _Ground()


@dataclass(frozen=True, eq=False)
class Body(Frame):
    """A rigid body with the coordinates <name>_x, <name>_y (its centre of mass) and <name>_theta.

    mass, inertia   numbers or expressions of parameters; the inertia is the one about the centre of mass
    center, angle   where the body is at the start: a guess, which the joints correct; a pose not given is moved
                    first, so it is enough to give what decides between two ways of assembling the machine
    velocity, spin  the velocity at the start, corrected by the joints in the same way
    shapes          what is drawn, in the body's own frame: Segment, Circle, Polygon, Point. Without any, lines join
                    the points at which joints hold the body

    In expressions use ``body.x``, ``body.y``, ``body.theta``, ``body.d_x``, ``body.d_y``, ``body.d_theta`` and
    ``body.point((a, b))``.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12, center=(0, 2), spin=3.0)
    >>> model = jounce.Model.from_bodies("thrown", bodies=[bar], gravity=9.81)
    >>> round(jounce.simulate(model, None, t_end=0.5).final["bar_theta"], 12)
    1.5
    """

    name: str
    mass: Any
    inertia: Any
    center: Any = None
    angle: Any = None
    velocity: Any = None
    spin: Any = None
    shapes: Any = ()

    def __post_init__(self) -> None:
        check_identifier(self.name, "body")
        if self.name == ground.name:
            raise ModelError("a body cannot be called 'ground'; use jounce.ground for what does not move")
        for what in ("center", "velocity"):
            if getattr(self, what) is not None:
                pair(getattr(self, what), f"body {self.name!r}: {what}")
        for what in ("mass", "inertia"):
            value = as_expression(getattr(self, what), f"body {self.name!r}: {what}")
            if value.is_number and not (value.is_finite and value >= 0):
                raise ModelError(f"body {self.name!r}: the {what} is {value}; it must be finite and not negative")
            object.__setattr__(self, what, value)
        for shape in self.shapes if isinstance(self.shapes, (list, tuple)) else [self.shapes]:
            if not isinstance(shape, SHAPES):
                raise ModelError(
                    f"body {self.name!r}: expected shapes Segment, Circle, Polygon or Point, not {shape!r}"
                )

    @property
    def coordinates(self) -> tuple[sp.Symbol, sp.Symbol, sp.Symbol]:
        """The symbols x, y, theta."""
        return self.x, self.y, self.theta

    @property
    def pose(self) -> tuple[Any, Any, Any]:
        """The symbols x, y, theta."""
        return self.coordinates

    @property
    def motion(self) -> tuple[Any, Any, Any]:
        """The symbols of the velocities."""
        return self.d_x, self.d_y, self.d_theta

    @property
    def x(self) -> sp.Symbol:
        """The centre's x."""
        return coordinate(f"{self.name}_x", "m")[0]

    @property
    def y(self) -> sp.Symbol:
        """The centre's y."""
        return coordinate(f"{self.name}_y", "m")[0]

    @property
    def theta(self) -> sp.Symbol:
        """The angle, counter-clockwise from the ground's x to the body's."""
        return coordinate(f"{self.name}_theta", "rad")[0]

    @property
    def d_x(self) -> sp.Symbol:
        """The centre's velocity along x."""
        return coordinate(f"{self.name}_x", "m")[1]

    @property
    def d_y(self) -> sp.Symbol:
        """The centre's velocity along y."""
        return coordinate(f"{self.name}_y", "m")[1]

    @property
    def d_theta(self) -> sp.Symbol:
        """The angular velocity, counter-clockwise."""
        return coordinate(f"{self.name}_theta", "rad")[1]

    def guess(self) -> dict[sp.Symbol, Any]:
        """The given part of the start: coordinates and velocities -> values."""
        given: dict[sp.Symbol, Any] = {}
        if self.center is not None:
            given |= dict(zip((self.x, self.y), self.center, strict=True))
        if self.velocity is not None:
            given |= dict(zip((self.d_x, self.d_y), self.velocity, strict=True))
        if self.angle is not None:
            given[self.theta] = self.angle
        if self.spin is not None:
            given[self.d_theta] = self.spin
        return given

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


def pair(value: Any, what: str) -> Pair:
    """Two numbers or expressions, or an error that names what needs them."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ModelError(f"{what} must be a pair (a, b), not {value!r}")
    return as_expression(value[0], what), as_expression(value[1], what)


def check_frame(value: Any, what: str) -> Frame:
    """A body or the ground, or an error that says so."""
    if isinstance(value, Frame):
        return value
    raise ModelError(f"{what}: expected a Body or jounce.ground, not {value!r}")


def rate(expression: Any, bodies: Iterable[Body]) -> sp.Expr:
    """d/dt of an expression of the poses and of time."""
    expression = as_expression(expression, "a quantity of bodies")
    total = derivative(expression, time)
    for body in bodies:
        for q, u in zip(body.pose, body.motion, strict=True):
            total += derivative(expression, q) * u
    return total

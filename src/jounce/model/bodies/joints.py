"""Joints between bodies: each scalar equation g(q, t) = 0 has a name, and its multiplier is a force with that name.

The force acts on the second body and its opposite on the first: J^T nu with g written as second minus first.

| equation     | g                             | multiplier nu                                                        |
|--------------|-------------------------------|----------------------------------------------------------------------|
| name.x       | X_b - X_a                     | force on b along the ground's x, at the joint [N]                    |
| name.y       | Y_b - Y_a                     | force on b along the ground's y, at the joint [N]                    |
| name.normal  | n_a . (P_b - P_a)             | force on b along n, the axis turned by +90 degrees, at P_b [N]       |
| name.angle   | theta_b - theta_a - angle     | couple on b, counter-clockwise [N m]; of a Driver: the torque        |
| name.length  | length of P_b - P_a - length  | force on b away from P_a [N]; of a Driver: the driving force         |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.body import Body, Frame, Pair, check_frame, pair, rate
from jounce.model.bodies.forces import ForceElement, TorsionSpring
from jounce.model.bodies.rubbing import AxialDamper, check_rubbing, rubbing_contact, rubs
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression
from jounce.model.symbols import CoordinateSymbol
from jounce.model.vocabulary import check_identifier

#: Last part of an equation's name -> unit of its multiplier and what it is.
DIRECTIONS = {
    "x": ("N", "force along x"),
    "y": ("N", "force along y"),
    "normal": ("N", "force across the axis"),
    "angle": ("N m", "couple"),
    "length": ("N", "force along the line"),
}


def force_direction(equation: str) -> tuple[str, str]:
    """(unit, meaning) of the multiplier of an equation, from the last part of its name; ("", "force") if unknown."""
    _, dot, last = equation.rpartition(".")
    return DIRECTIONS.get(last, ("", "force")) if dot else ("", "force")


@dataclass(frozen=True, eq=False)
class Joint:
    """Two bodies (or a body and the ground) and what keeps them together."""

    name: str
    first: Frame
    second: Frame

    has_play = False  # whether it is a contact and no equation
    of_friction: ClassVar[tuple[str, ...]] = ()  # its numbers that belong to the contact of its friction and its damper

    def __post_init__(self) -> None:
        kind = type(self).__name__
        check_identifier(self.name, "joint")
        where = f"{kind} {self.name!r}"
        check_frame(self.first, where)
        check_frame(self.second, where)
        if self.first is self.second:
            raise ModelError(f"{where} joins {self.first.name!r} to itself; give two different bodies")
        self._check(where)

    def _check(self, where: str) -> None:
        """What a kind of joint asks of its own arguments."""

    def equations(self) -> dict[str, sp.Expr]:
        """Name -> g(q, t)."""
        raise NotImplementedError

    def directions(self) -> tuple[str, ...]:
        """The last parts of the names of its equations, in order."""
        raise NotImplementedError

    def attachments(self) -> list[tuple[Frame, Any]]:
        """(body, point of the body) of every end, for pictures."""
        return []

    def rubbing(self) -> list[Contact]:
        """The contact of its friction, if it has any."""
        return []

    def viscous_forces(self) -> list[ForceElement]:
        """What damps it, if anything does."""
        return []

    def _named(self, **parts: Any) -> dict[str, sp.Expr]:
        return {
            f"{self.name}.{part}": as_expression(expression, f"joint {self.name!r}: {part}")
            for part, expression in parts.items()
        }

    @property
    def _turn(self) -> Any:
        return self.second.pose[2] - self.first.pose[2]


@dataclass(frozen=True, eq=False)
class Pin(Joint):
    """The point ``at_first`` of one body stays on the point ``at_second`` of the other."""

    at_first: Any = (0, 0)
    at_second: Any = (0, 0)

    def _check(self, where: str) -> None:
        pair(self.at_first, f"{where}: at_first")
        pair(self.at_second, f"{where}: at_second")

    def equations(self) -> dict[str, sp.Expr]:
        """P_b - P_a = 0."""
        x, y = _between(self)
        return self._named(x=x, y=y)

    def directions(self) -> tuple[str, ...]:
        """Along the ground's axes."""
        return "x", "y"

    def attachments(self) -> list[tuple[Frame, Any]]:
        """Both pins."""
        return [(self.first, self.at_first), (self.second, self.at_second)]


@dataclass(frozen=True, eq=False)
class Revolute(Pin):
    """A pin: the point ``at_first`` of one body stays on the point ``at_second`` of the other.

    With ``radius`` and ``friction`` it rubs: its torque is up to friction radius (preload + |force|), and a contact
    of the joint's name says whether it slips or sticks.

    radius           of the pin
    friction         mu, also an expression of ``jounce.slip``, the speed radius |omega|
    static_friction  mu_s; None: the same
    preload          force that presses the pin without a load
    viscous          torque by angular velocity, with or without the rest

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> pin = jounce.Revolute("pin", jounce.ground, bar, (0, 0), (-0.5, 0))
    >>> swing = jounce.Model.from_bodies("swing", bodies=[bar], joints=[pin], gravity=9.81)
    >>> run = jounce.simulate(swing, None, t_end=1.0)
    >>> round(float(run.joint_forces([0.0])["pin.y"][0]), 6)  # m g/4, just let go
    2.4525
    """

    radius: Any = None
    friction: Any = 0
    static_friction: Any = None
    preload: Any = 0
    viscous: Any = 0

    of_friction = ("radius", "friction", "static_friction", "preload", "viscous")

    def _check(self, where: str) -> None:
        super()._check(where)
        check_rubbing(self, where)
        if self.radius is None and rubs(self):
            raise ModelError(f"{where} has friction but no radius; give radius=, that of the pin")
        if self.radius is not None and not rubs(self):
            raise ModelError(f"{where} has a radius but no friction; give friction=, or leave the radius out")

    def rubbing(self) -> list[Contact]:
        """The contact of its friction."""
        if not rubs(self):
            return []
        spin = self.second.motion[2] - self.first.motion[2]
        radius = as_expression(self.radius, f"Revolute {self.name!r}: radius")
        return [rubbing_contact(self, radius * spin, ("x", "y"), None)]

    def viscous_forces(self) -> list[ForceElement]:
        """The damper of its viscous part."""
        if self.viscous == 0:
            return []
        return [TorsionSpring(self.first, self.second, stiffness=0, damping=self.viscous)]


@dataclass(frozen=True, eq=False)
class Translational(Joint):
    """A slider: a point of the second body moves along a line of the first, without turning against it.

    at_first, axis   a point of the first body and the direction of the line, in its frame
    at_second        the point of the second body on that line
    angle            theta of the second body against the first

    With ``friction`` it rubs: its friction is up to friction (preload + N). N is |the force across the guide| at
    ``at_second``; with a ``length`` the slider is held at both ends of it, N is the sum of the forces on them, and a
    couple presses it too. A contact of the joint's name says whether it slips or sticks.

    friction, static_friction, preload    as in a Revolute
    length                                of the slider, with ``at_second`` in its middle
    viscous                               force by velocity

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> guide = jounce.Translational("guide", jounce.ground, bar, axis=(0, 1))
    >>> lift = jounce.Model.from_bodies("lift", bodies=[bar], joints=[guide], gravity=9.81)
    >>> round(jounce.simulate(lift, None, t_end=1.0).final["bar_y"], 6)
    -4.905
    """

    at_first: Any = (0, 0)
    axis: Any = (1, 0)
    at_second: Any = (0, 0)
    angle: Any = 0
    friction: Any = 0
    static_friction: Any = None
    preload: Any = 0
    length: Any = None
    viscous: Any = 0

    of_friction = ("friction", "static_friction", "preload", "length", "viscous")

    def _check(self, where: str) -> None:
        pair(self.at_first, f"{where}: at_first")
        pair(self.at_second, f"{where}: at_second")
        unit_vector(self.axis, f"{where}: axis")
        as_expression(self.angle, f"{where}: angle")
        check_rubbing(self, where)
        if self.length is not None and not rubs(self):
            raise ModelError(f"{where} has a length but no friction; give friction=, or leave the length out")

    def _slide_velocity(self) -> sp.Expr:
        """The velocity of the slider along the axis, seen from the first body."""
        a, b = unit_vector(self.axis, f"Translational {self.name!r}: axis")
        e_x, e_y = self.first.turned((a, b))
        x, y = _between(self)
        travel = e_x * x + e_y * y
        return rate(travel, [body for body in (self.first, self.second) if isinstance(body, Body)])

    def rubbing(self) -> list[Contact]:
        """The contact of its friction."""
        if not rubs(self):
            return []
        if self.length is None:
            return [rubbing_contact(self, self._slide_velocity(), ("normal",), None)]
        lever = 2 / as_expression(self.length, f"Translational {self.name!r}: length")
        return [rubbing_contact(self, self._slide_velocity(), ("normal", "angle"), lever)]

    def viscous_forces(self) -> list[ForceElement]:
        """Forces of its viscous part, along the axis on both bodies."""
        if self.viscous == 0:
            return []
        a, b = unit_vector(self.axis, f"Translational {self.name!r}: axis")
        e_x, e_y = self.first.turned((a, b))
        force = -as_expression(self.viscous, f"Translational {self.name!r}: viscous") * self._slide_velocity()
        place = self.second.point(self.at_second)
        return [AxialDamper(self.first, self.second, place, (force * e_x, force * e_y))]

    def equations(self) -> dict[str, sp.Expr]:
        """n_a . (P_b - P_a) = 0 and theta_b - theta_a = angle."""
        a, b = unit_vector(self.axis, f"Translational {self.name!r}: axis")
        n_x, n_y = self.first.turned((-b, a))
        x, y = _between(self)
        return self._named(normal=n_x * x + n_y * y, angle=self._turn - self.angle)

    def directions(self) -> tuple[str, ...]:
        """Across the axis, and the angle."""
        return "normal", "angle"

    def attachments(self) -> list[tuple[Frame, Any]]:
        """Where the slider is held."""
        return [(self.second, self.at_second)]


@dataclass(frozen=True, eq=False)
class Rigid(Joint):
    """A weld: the two points coincide, and ``angle`` is theta of the second body against the first.

    >>> a, b = (jounce.Body(name, mass=1.0, inertia=0.1) for name in "ab")
    >>> weld = jounce.Rigid("weld", a, b, (0.5, 0), (-0.5, 0))
    >>> pair = jounce.Model.from_bodies("pair", bodies=[a, b], joints=[weld])
    >>> round(pair.start["b_x"] - pair.start["a_x"], 12)
    1.0
    """

    at_first: Any = (0, 0)
    at_second: Any = (0, 0)
    angle: Any = 0

    def _check(self, where: str) -> None:
        pair(self.at_first, f"{where}: at_first")
        pair(self.at_second, f"{where}: at_second")
        as_expression(self.angle, f"{where}: angle")

    def equations(self) -> dict[str, sp.Expr]:
        """P_b - P_a = 0 and theta_b - theta_a = angle."""
        x, y = _between(self)
        return self._named(x=x, y=y, angle=self._turn - self.angle)

    def directions(self) -> tuple[str, ...]:
        """Along the ground's axes, and the angle."""
        return "x", "y", "angle"

    def attachments(self) -> list[tuple[Frame, Any]]:
        """Both points."""
        return [(self.first, self.at_first), (self.second, self.at_second)]


@dataclass(frozen=True, eq=False)
class Driver(Joint):
    """A motor: the angle of the second body against the first, or a length between them, is a function of time.

    angle    theta_b - theta_a as an expression of ``jounce.time`` and parameters
    length   with ``axis``: how far ``at_second`` is from ``at_first`` along that direction of the first body;
             without: the distance of the two points (a constant length is a massless rod)

    Its multiplier is what the motor has to give: ``name.angle`` the torque, ``name.length`` the force, on the second
    body, with the opposite on the first. Its power is the multiplier times the prescribed rate.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> pin = jounce.Revolute("pin", jounce.ground, bar, (0, 0), (-0.5, 0))
    >>> motor = jounce.Driver("motor", jounce.ground, bar, angle=2 * jounce.time)
    >>> fan = jounce.Model.from_bodies("fan", bodies=[bar], joints=[pin, motor])
    >>> round(jounce.simulate(fan, None, t_end=1.0).final["bar_theta"], 9)
    2.0
    """

    angle: Any = None
    length: Any = None
    axis: Any = None
    at_first: Any = (0, 0)
    at_second: Any = (0, 0)

    def _check(self, where: str) -> None:
        if (self.angle is None) == (self.length is None):
            raise ModelError(f"{where} needs either angle= or length=, an expression of jounce.time")
        if self.axis is not None:
            unit_vector(self.axis, f"{where}: axis")
        for value in (self.angle, self.length):
            symbols = set() if value is None else as_expression(value, where).free_symbols
            if any(isinstance(symbol, CoordinateSymbol) for symbol in symbols):
                raise ModelError(f"{where}: what it prescribes may depend on time and parameters only, not on {value}")

    def equations(self) -> dict[str, sp.Expr]:
        """theta_b - theta_a = angle(t), or the length = length(t)."""
        if self.angle is not None:
            return self._named(angle=self._turn - self.angle)
        x, y = _between(self)
        if self.axis is None:
            return self._named(length=sp.sqrt(x**2 + y**2) - self.length)
        e_x, e_y = self.first.turned(unit_vector(self.axis, f"Driver {self.name!r}: axis"))
        return self._named(length=e_x * x + e_y * y - self.length)

    def directions(self) -> tuple[str, ...]:
        """What it prescribes."""
        return ("length",) if self.angle is None else ("angle",)

    def attachments(self) -> list[tuple[Frame, Any]]:
        """The ends of a prescribed length."""
        if self.length is None:
            return []
        return [(self.first, self.at_first), (self.second, self.at_second)]


def _between(joint: Any) -> Pair:
    """P_b - P_a."""
    P_a, P_b = joint.first.point(joint.at_first), joint.second.point(joint.at_second)
    return P_b[0] - P_a[0], P_b[1] - P_a[1]


def unit_vector(value: Any, what: str) -> Pair:
    """A direction divided by its length."""
    a, b = pair(value, what)
    if a == 0 and b == 0:
        raise ModelError(f"{what} must be a direction, not (0, 0)")
    length = sp.sqrt(a**2 + b**2)
    return a / length, b / length

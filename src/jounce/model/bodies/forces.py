"""Springs, dampers, forces and torques between bodies.

What has a potential (springs, gravity) enters V; what has none enters the forces on each body, (F_x, F_y, torque about
its centre), and its power enters the ledger as applied work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.body import Body, Frame, Pair, check_frame, ground, pair, rate
from jounce.model.expressions import as_expression

#: (body, place where it acts in ground coordinates, force); (body, None, torque)
Load = tuple[Frame, Pair | None, Any]


@dataclass(frozen=True, eq=False)
class ForceElement:
    """Something that acts on bodies: a potential, loads, or both."""

    def bodies(self) -> list[Body]:
        """The bodies on which it acts."""
        frames = [getattr(self, name, None) for name in ("first", "second", "body", "reaction")]
        return [frame for frame in frames if isinstance(frame, Body)]

    def potential(self) -> sp.Expr:
        """V(q, t)."""
        return sp.Integer(0)

    def loads(self) -> Iterator[Load]:
        """The forces and torques that come from no potential."""
        yield from ()

    def ends(self) -> tuple[Pair, Pair] | None:
        """Where a picture shows it."""
        return None


@dataclass(frozen=True, eq=False)
class Spring(ForceElement):
    """A spring between two points, V = k (L - L_0)^2 / 2, with a damper -c L' in parallel if ``damping`` is given.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> spring = jounce.Spring(jounce.ground, bar, stiffness=100.0, rest_length=0.5, at_first=(0, 1))
    >>> hung = jounce.Model.from_bodies("hung", bodies=[bar], forces=[spring], gravity=9.81)
    >>> round(jounce.simulate(hung, None, t_end=0.1).final["bar_y"], 6)
    0.184753
    """

    first: Frame
    second: Frame
    stiffness: Any
    rest_length: Any = 0
    damping: Any = 0
    at_first: Any = (0, 0)
    at_second: Any = (0, 0)

    def __post_init__(self) -> None:
        _check_two(self)
        _settle(self, "stiffness", "rest_length", "damping")

    def potential(self) -> sp.Expr:
        """k (L - L_0)^2 / 2; without a rest length L^2 needs no root, so the ends may coincide."""
        x, y = _separation(self)
        if self.rest_length == 0:
            return self.stiffness * (x**2 + y**2) / 2
        return self.stiffness * (sp.sqrt(x**2 + y**2) - self.rest_length) ** 2 / 2

    def loads(self) -> Iterator[Load]:
        """The damper's part."""
        if self.damping != 0:
            yield from _along_the_line(self, self.damping)

    def ends(self) -> tuple[Pair, Pair]:
        """Both ends."""
        return self.first.point(self.at_first), self.second.point(self.at_second)


@dataclass(frozen=True, eq=False)
class Damper(ForceElement):
    """A damper between two points: the force -c L' along their line.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> damper = jounce.Damper(jounce.ground, bar, damping=2.0, at_first=(-1, 0))
    >>> slowed = jounce.Model.from_bodies("slowed", bodies=[bar], forces=[damper])
    >>> round(jounce.simulate(slowed, {"d_bar_x": 1.0}, t_end=1.0).final["d_bar_x"], 6)  # exp(-c t/m)
    0.135335
    """

    first: Frame
    second: Frame
    damping: Any
    at_first: Any = (0, 0)
    at_second: Any = (0, 0)

    def __post_init__(self) -> None:
        _check_two(self)
        _settle(self, "damping")

    def loads(self) -> Iterator[Load]:
        """-c L' on the second body, away from the first; the opposite on the first."""
        yield from _along_the_line(self, self.damping)

    def ends(self) -> tuple[Pair, Pair]:
        """Both ends."""
        return self.first.point(self.at_first), self.second.point(self.at_second)


@dataclass(frozen=True, eq=False)
class TorsionSpring(ForceElement):
    """A spring against turning, V = k (theta_b - theta_a - rest_angle)^2 / 2, with a damper if ``damping`` is given.

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> spring = jounce.TorsionSpring(jounce.ground, bar, stiffness=1 / 12)
    >>> wheel = jounce.Model.from_bodies("wheel", bodies=[bar], forces=[spring])
    >>> round(jounce.simulate(wheel, {"bar_theta": 1.0}, t_end=1.0).final["bar_theta"], 6)  # cos t
    0.540302
    """

    first: Frame
    second: Frame
    stiffness: Any
    rest_angle: Any = 0
    damping: Any = 0

    def __post_init__(self) -> None:
        _check_two(self)
        _settle(self, "stiffness", "rest_angle", "damping")

    def potential(self) -> sp.Expr:
        """k (theta_b - theta_a - rest_angle)^2 / 2."""
        turn = self.second.pose[2] - self.first.pose[2]
        return self.stiffness * (turn - self.rest_angle) ** 2 / 2

    def loads(self) -> Iterator[Load]:
        """-c (theta_b' - theta_a') on the second body."""
        if self.damping != 0:
            torque = -self.damping * (self.second.motion[2] - self.first.motion[2])
            yield self.second, None, torque
            yield self.first, None, -torque


@dataclass(frozen=True, eq=False)
class Force(ForceElement):
    """A force (F_x, F_y) on the point ``at`` of a body; with ``follows`` its components are along the body's own axes.

    The components are expressions of time, parameters, poses and velocities (``body.x``, ``body.d_theta``).

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> push = jounce.Force(bar, (2.0, 0.0))
    >>> model = jounce.Model.from_bodies("pushed", bodies=[bar], forces=[push])
    >>> round(jounce.simulate(model, None, t_end=1.0).final["bar_x"], 9)  # F t^2/(2 m)
    1.0
    """

    body: Body
    force: Any
    at: Any = (0, 0)
    follows: bool = False

    def __post_init__(self) -> None:
        _check_body(self.body, "Force")
        pair(self.force, f"Force on {self.body.name!r}")
        pair(self.at, f"Force on {self.body.name!r}: at")

    def loads(self) -> Iterator[Load]:
        """The force where it acts."""
        yield (
            self.body,
            self.body.point(self.at),
            self.body.turned(self.force) if self.follows else pair(self.force, ""),
        )


@dataclass(frozen=True, eq=False)
class Torque(ForceElement):
    """A torque on a body, counter-clockwise; its opposite acts on ``reaction`` (the ground, unless a body is given).

    >>> bar = jounce.Body("bar", mass=1.0, inertia=1 / 12)
    >>> turn = jounce.Torque(bar, 1.0)
    >>> model = jounce.Model.from_bodies("turned", bodies=[bar], forces=[turn])
    >>> round(jounce.simulate(model, None, t_end=1.0).final["bar_theta"], 9)  # M t^2/(2 J)
    6.0
    """

    body: Body
    torque: Any
    reaction: Frame = ground

    def __post_init__(self) -> None:
        _check_body(self.body, "Torque")
        check_frame(self.reaction, f"Torque on {self.body.name!r}: reaction")
        _settle(self, "torque")

    def loads(self) -> Iterator[Load]:
        """The torque and its reaction."""
        yield self.body, None, self.torque
        yield self.reaction, None, -self.torque


def generalised(load: Load) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """(F_x, F_y, torque about the centre) of a load on its body."""
    frame, place, value = load
    if place is None:
        return sp.Integer(0), sp.Integer(0), as_expression(value, "a torque")
    x, y, _ = frame.pose
    F_x, F_y = value
    return F_x, F_y, (place[0] - x) * F_y - (place[1] - y) * F_x


def _check_two(element: Any) -> None:
    where = type(element).__name__
    check_frame(element.first, where)
    check_frame(element.second, where)
    if element.first is element.second:
        raise ModelError(f"{where} acts between {element.first.name!r} and itself; give two different bodies")


def _settle(element: Any, *names: str) -> None:
    """Numbers become expressions; text is refused."""
    for name in names:
        settled = as_expression(getattr(element, name), f"{type(element).__name__}: {name}")
        object.__setattr__(element, name, settled)


def _check_body(value: Any, what: str) -> None:
    if not isinstance(value, Body):
        raise ModelError(f"{what}: expected a Body, not {value!r}")


def _separation(element: Any) -> Pair:
    first, second = element.first.point(element.at_first), element.second.point(element.at_second)
    return second[0] - first[0], second[1] - first[1]


def _along_the_line(element: Any, damping: Any) -> Iterator[Load]:
    x, y = _separation(element)
    length = sp.sqrt(x**2 + y**2)
    d_x, d_y = (rate(component, element.bodies()) for component in (x, y))
    size = -damping * (x * d_x + y * d_y) / length**2
    yield element.second, element.second.point(element.at_second), (size * x, size * y)
    yield element.first, element.first.point(element.at_first), (-size * x, -size * y)

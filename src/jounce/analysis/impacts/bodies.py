"""Two planar bodies that collide: masses, velocities, a contact point and a normal, any law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.impacts.impact import ImpactOutcome, impact
from jounce.errors import OptionError
from jounce.simulation.law import Law
from jounce.simulation.options import is_finite


@dataclass(frozen=True)
class PlanarBody:
    """A rigid body in the plane; mass and inertia (about its centre of mass) may be infinite: a wall.

    >>> jounce.PlanarBody(mass=1.0, inertia=0.1, centre=(0.0, 0.0), velocity=(1.0, 0.0)).velocity
    (1.0, 0.0)
    """

    mass: float
    inertia: float
    centre: tuple[float, float]
    velocity: tuple[float, float] = (0.0, 0.0)
    spin: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mass", "inertia"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0.0:
                raise OptionError(f"the {name} of a body must be positive (infinite for a wall), got {value!r}")
        for name in ("centre", "velocity"):
            object.__setattr__(self, name, _vector(name, getattr(self, name)))
        if not is_finite(self.spin):
            raise OptionError(f"the spin of a body must be a finite number, got {self.spin!r}")

    @classmethod
    def wall(cls) -> PlanarBody:
        """A body that nothing moves."""
        return cls(math.inf, math.inf, (0.0, 0.0))

    def velocity_at(self, point: Sequence[float]) -> tuple[float, float]:
        """Velocity of the point of the body that is at ``point``."""
        x, y = point[0] - self.centre[0], point[1] - self.centre[1]
        return self.velocity[0] - self.spin * y, self.velocity[1] + self.spin * x

    @property
    def kinetic_energy(self) -> float:
        """m v^2/2 + I w^2/2; the infinite part of a wall counts nothing."""
        linear = 0.5 * self.mass * (self.velocity[0] ** 2 + self.velocity[1] ** 2) if math.isfinite(self.mass) else 0.0
        return linear + (0.5 * self.inertia * self.spin**2 if math.isfinite(self.inertia) else 0.0)

    def struck(self, impulse: Sequence[float], point: Sequence[float]) -> PlanarBody:
        """The body after an impulse at a point."""
        x, y = point[0] - self.centre[0], point[1] - self.centre[1]
        velocity = (self.velocity[0] + impulse[0] / self.mass, self.velocity[1] + impulse[1] / self.mass)
        return replace(self, velocity=velocity, spin=self.spin + (x * impulse[1] - y * impulse[0]) / self.inertia)


@dataclass(frozen=True)
class BodiesOutcome:
    """Both bodies after their impact, the impulse on the first (its opposite is on the second), the contact's view."""

    first: PlanarBody
    second: PlanarBody
    impulse: tuple[float, float]
    contact: ImpactOutcome

    @property
    def energy_loss(self) -> float:
        """Kinetic energy lost."""
        return self.contact.energy_loss


def contact_matrix(
    first: PlanarBody, second: PlanarBody, point: Sequence[float], normal: Sequence[float]
) -> NDArray[np.float64]:
    """[A, B, C] of a contact: sum over the bodies of 1/m + (r x n)^2/I and its like, tangent t = (n_y, -n_x)."""
    n = _unit(normal)
    t = (n[1], -n[0])
    total = np.zeros(3)
    for body in (first, second):
        x, y = point[0] - body.centre[0], point[1] - body.centre[1]
        arm_n, arm_t = x * n[1] - y * n[0], x * t[1] - y * t[0]
        w, j = 1.0 / body.mass, 1.0 / body.inertia
        total += (w + j * arm_t**2, j * arm_t * arm_n, w + j * arm_n**2)
    return total


def impact_bodies(
    first: PlanarBody,
    second: PlanarBody,
    point: Sequence[float],
    normal: Sequence[float] | float,
    mu: float,
    e: float,
    *,
    law: Law | str = Law.ENERGETIC,
    e_t: float = 0.0,
) -> BodiesOutcome:
    """The collision of two planar bodies at a point.

    ``normal`` points from the second body into the first, as a vector of any length or as its angle to the x axis in
    radians. v = v_first - v_second at the point, v_n along the normal, v_t along (n_y, -n_x).

    >>> a = jounce.PlanarBody(1.0, 0.1, (0.0, 0.0), velocity=(1.0, 0.0))
    >>> b = jounce.PlanarBody(1.0, 0.1, (2.0, 0.0))
    >>> both = jounce.impact_bodies(a, b, point=(1.0, 0.0), normal=(-1.0, 0.0), mu=0.0, e=1.0)
    >>> both.first.velocity, both.second.velocity
    ((0.0, 0.0), (1.0, 0.0))
    """
    for body in (first, second):
        if not isinstance(body, PlanarBody):
            raise OptionError(f"impact_bodies needs two PlanarBody, or PlanarBody.wall(); not {type(body).__name__}")
    if isinstance(normal, (int, float)) and not is_finite(normal):
        raise OptionError(f"the normal is {normal!r}; it must be a finite angle or a vector")
    direction = (math.cos(normal), math.sin(normal)) if isinstance(normal, (int, float)) else normal
    n = _unit(direction)
    t = (n[1], -n[0])
    where = _vector("point", point)
    A, B, C = (float(value) for value in contact_matrix(first, second, where, n))
    if C == 0.0:
        raise OptionError("both bodies are infinitely heavy: give at least one a finite mass or inertia")
    one, two = first.velocity_at(where), second.velocity_at(where)
    relative = (one[0] - two[0], one[1] - two[1])
    v_t = t[0] * relative[0] + t[1] * relative[1]
    v_n = n[0] * relative[0] + n[1] * relative[1]
    outcome = impact(law, A, B, C, v_t, v_n, mu, e, e_t=e_t)
    x = outcome.p_t * t[0] + outcome.p_n * n[0]
    y = outcome.p_t * t[1] + outcome.p_n * n[1]
    return BodiesOutcome(first.struck((x, y), where), second.struck((-x, -y), where), (x, y), outcome)


def _vector(name: str, value: Sequence[float]) -> tuple[float, float]:
    try:
        x, y = (float(number) for number in value)
    except (TypeError, ValueError, OverflowError) as error:
        raise OptionError(f"{name} must be two numbers (x, y), got {value!r}") from error
    if not (math.isfinite(x) and math.isfinite(y)):
        raise OptionError(f"{name} must be two finite numbers (x, y), got {value!r}")
    return x, y


def _unit(normal: Sequence[float]) -> tuple[float, float]:
    x, y = _vector("normal", normal)
    length = math.hypot(x, y)
    if length == 0.0:
        raise OptionError("the normal must not be zero: give its direction, from the second body into the first")
    return x / length, y / length

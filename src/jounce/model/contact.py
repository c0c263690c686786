"""Contact: where two surfaces may touch, and what happens when they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jounce.errors import ModelError, named_arguments
from jounce.model.profiles import ranges_in


@named_arguments(ModelError)
@dataclass(frozen=True)
class Contact:
    """A unilateral contact g(q, t) >= 0 with dry friction and restitution.

    gap                     g(q, t), the distance between the surfaces; None only with ``load``
    slip                    gamma_T(q, u, t), the slip velocity, affine in the velocities; None: frictionless
    friction                mu, the coefficient of kinetic friction
    static_friction         mu_s >= mu, the coefficient of static friction; None: the same as ``friction``
    restitution             e in [0, 1]
    tangential_restitution  e_t in [-1, 1], used by the laws that have one
    law                     the name of this contact's impact law, or an OwnImpact; None: the law of the run's options
    compliance              None: a rigid contact with impacts; a law such as Hertz(stiffness=1e9): a compliant one;
                            laws with damping ask for ``restitution``; static friction has no part in it
    penetration             depth of the surfaces into each other while they are pressed; None: -gap. Where the gap is
                            only a function with the same zero, this is the true depth
    load                    None: its own normal force presses the contact. Otherwise it has no gap but friction alone,
                            |force| <= friction (preload + load), and a name or names say what loads it: a contact (a
                            disc that resists rolling), two joints (the forces on a pin), one joint (the force across a
                            guide), or () for the preload alone
    preload                 of a contact with ``load``
    lever                   of a guide that two joints load, its force and its couple: 2/length of the guide
    offset                  (x, y) of one body's surface against the other's, for pictures: the journal in its bearing

    The coefficients may be expressions of coordinates, time and parameters; ``friction`` also of ``jounce.slip``, the
    slip speed (static friction is then the value at rest, unless given), and the restitutions of
    ``jounce.approach_speed``, the speed at which the contact closes.

    >>> (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    >>> floor = jounce.Contact("floor", gap=y, slip=dx, friction=0.3, restitution=0.8)
    >>> block = jounce.Model("block", [x, y], [1, 1], [0, -9.81], contacts=[floor])
    >>> run = jounce.simulate(block, {"d_x": 1.0}, t_end=1.0)
    >>> round(run.final["x"], 6)  # v^2/(2 mu g)
    0.169895
    """

    name: str
    gap: Any = None
    slip: Any = None
    friction: Any = 0
    static_friction: Any = None
    restitution: Any = 0
    tangential_restitution: Any = 0
    law: Any = None
    compliance: Any = None
    penetration: Any = None
    offset: Any = None
    load: Any = None
    preload: Any = 0
    lever: Any = None

    @property
    def has_friction(self) -> bool:
        """Whether the contact can carry a tangential force."""
        return self.slip is not None

    @property
    def curve_ranges(self) -> dict[str, tuple[float, float]]:
        """Parameters of the model that shape its curves, each with its least and its largest value."""
        return ranges_in(self.gap)

    @property
    def moves_smoothly(self) -> bool:
        """Whether it is known that its surfaces move smoothly in time; expressions have to be looked at."""
        return False

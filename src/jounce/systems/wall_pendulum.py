"""A pendulum that swings against a vertical wall.

The bob is a mass in Cartesian coordinates on a rigid massless arm, a joint; the wall is met from the right.

Source: P. Flores and J. Ambrosio, On the contact detection for contact-impact analysis in multibody systems, figure 4,
Multibody System Dynamics 24 (2010) 103-122. ``wall_pendulum`` has a rigid contact with friction,
``compliant_wall_pendulum`` the paper's elastic sphere. The paper leaves the geometry open: the arm is 1 m long,
released horizontal, and the sphere of radius 0.05 m meets the wall when the arm is vertical.
"""

from __future__ import annotations

from jounce.model import (
    Circle,
    Contact,
    Ground,
    LankaraniNikravesh,
    Model,
    Point,
    Segment,
    coordinates,
    parameter,
    parameters,
)
from jounce.model.compliance import ComplianceLaw


def wall_pendulum() -> Model:
    """A pendulum that swings against a vertical wall with friction."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, length, g, wall, mu, e = parameters(
        m=(1.0, "kg", "mass of the bob"),
        l=(1.0, "m", "length of the arm"),
        g=(9.81, "m/s^2", "gravity"),
        wall=(-0.5, "m", "position of the wall"),
        mu=(0.2, "", "friction"),
        e=(0.8, "", "restitution"),
    )
    return Model.from_lagrangian(
        "wall_pendulum",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("wall", gap=x - wall, slip=dy, friction=mu, restitution=e)],
        # divided by 2 l the joint measures the error of the arm's length, in metres
        joints={"arm": (x**2 + y**2 - length**2) / (2 * length)},
        start={x: 1.0, y: 0.0},
        drawing=[Ground(((wall, 1), (wall, -1))), Segment((0, 0), (x, y)), Point((x, y), "wall")],
        description="A pendulum that swings against a vertical wall with friction.",
        source="Flores and Ambrosio, Multibody System Dynamics 24 (2010) 103-122",
    )


def compliant_wall_pendulum(compliance: ComplianceLaw | str | None = "paper") -> Model:
    """A pendulum whose elastic sphere swings against a wall.

    compliance   the law of contact; "paper": Lankarani and Nikravesh's with stiffness K; None: rigid
    """
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, length, g, wall, radius, mu, e = parameters(
        m=(1.0, "kg", "mass of the sphere"),
        l=(1.0, "m", "length of the arm"),
        g=(9.81, "m/s^2", "gravity"),
        wall=(-0.05, "m", "position of the wall"),
        R=(0.05, "m", "radius of the sphere"),
        mu=(0.0, "", "friction"),
        e=(1.0, "", "restitution"),
    )
    K = parameter("K", 3.39e10, "N/m^1.5", "stiffness of the contact")
    law = LankaraniNikravesh(K) if compliance == "paper" else compliance
    return Model.from_lagrangian(
        "compliant_wall_pendulum",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("wall", gap=x - radius - wall, slip=dy, friction=mu, restitution=e, compliance=law)],
        joints={"arm": (x**2 + y**2 - length**2) / (2 * length)},
        start={x: 1.0, y: 0.0},
        drawing=[Ground(((wall, 1), (wall, -1.2))), Segment((0, 0), (x, y)), Circle((x, y), radius)],
        description="A pendulum whose elastic sphere swings against a wall.",
        source="Flores and Ambrosio, Multibody System Dynamics 24 (2010) 103-122, section 5.1",
    )

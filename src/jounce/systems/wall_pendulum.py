"""A pendulum that swings against a vertical wall with friction.

The bob is a point mass in Cartesian coordinates on a rigid massless arm, a joint; the wall is met from the right.

Source: the pendulum and wall of P. Flores and J. Ambrosio, On the contact detection for contact-impact analysis in
multibody systems, Multibody System Dynamics 24 (2010) 103-122, here with rigid contact.
"""

from __future__ import annotations

from jounce.model import Contact, Ground, Model, Point, Segment, coordinates, parameters


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

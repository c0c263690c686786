"""A block that rocks from one lower corner to the other on a shaking ground.

In the frame of the ground, which moves sideways by A sin(omega t), the block feels the force m A omega^2 sin(omega t).
With e = 0 and enough friction each change of corner leaves the fraction 1 - (3/2) sin^2(alpha) of the angular velocity,
tan(alpha) = b/h.

Source: G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bulletin of the Seismological
Society of America 53 (1963) 403-417.
"""

from __future__ import annotations

from sympy import cos, pi, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, coordinates, parameters, time


def rocking_block() -> Model:
    """A block that rocks from corner to corner on a shaking ground."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, dtheta = coordinate("theta", "rad")
    m, b, h, g, A, omega, mu, e = parameters(
        m=(1.0, "kg", "mass"),
        b=(0.1, "m", "half width"),
        h=(0.4, "m", "half height"),
        g=(9.81, "m/s^2", "gravity"),
        A=(0.0, "m", "amplitude of the ground"),
        omega=(5.0, "rad/s", "frequency of the ground"),
        mu=(0.8, "", "friction"),
        e=(0.0, "", "restitution"),
    )

    def corner(side: float, top: float) -> tuple:
        """Side -1 is left, +1 right; top -1 is the bottom."""
        u, v = side * b, top * h
        return x + u * cos(theta) - v * sin(theta), y + u * sin(theta) + v * cos(theta)

    def contact(name: str, side: float) -> Contact:
        slip = dx + (h * cos(theta) - side * b * sin(theta)) * dtheta
        return Contact(name, gap=corner(side, -1)[1], slip=slip, friction=mu, restitution=e)

    outline = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
    return Model.from_lagrangian(
        "rocking_block",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * (b**2 + h**2) / 3 * dtheta**2 / 2,
        potential=m * g * y,
        forces={x: m * A * omega**2 * sin(omega * time)},
        contacts=[contact("left", -1), contact("right", 1)],
        period=2 * pi / omega,
        start={x: -0.1, y: 0.45, theta: 0.15},
        drawing=[
            Ground(0),
            *(Segment(outline[k], outline[(k + 1) % 4]) for k in range(4)),
            Point(outline[0], "left"),
            Point(outline[1], "right"),
        ],
        description="A block that rocks from corner to corner on a shaking ground.",
        source="Housner, Bulletin of the Seismological Society of America 53 (1963) 403-417",
    )

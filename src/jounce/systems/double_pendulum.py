"""A double pendulum pressed by a torque against a vertical belt.

Point masses at the ends of two massless arms, at angles from the downward vertical; a constant torque T acts on the
upper arm. The lower mass touches the plane c2 = 0, a distance d from the pivot; the plane moves upwards with V:

    c1 = -l1 cos(theta) - l2 cos(phi)   (up along the belt),   c2 = l1 sin(theta) + l2 sin(phi) + d   (away from it)

Source: S. J. Burns, doctoral thesis on rigid-body impacts with friction, chapter 6. There the friction changes at an
instant: a change beyond the critical friction is an impact without collision.
"""

from __future__ import annotations

import math

from sympy import cos, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinates, parameters


def double_pendulum() -> Model:
    """A double pendulum pressed by a torque against a vertical belt, with friction."""
    (theta, dtheta), (phi, dphi) = coordinates("theta phi", "rad")
    start = {theta: 4.2, phi: 4.3}
    m1, m2, l1, l2, g, d, T, V, mu, e = parameters(
        m1=(0.5, "kg", "mass at the elbow"),
        m2=(0.5, "kg", "mass at the tip"),
        l1=(1.0, "m", "length of the upper arm"),
        l2=(1.0, "m", "length of the lower arm"),
        g=(9.81, "m/s^2", "gravity"),
        d=(-sum(map(math.sin, start.values())), "m", "distance of the plane from the pivot"),
        T=(0.0, "N m", "torque on the upper arm"),
        V=(-1.0, "m/s", "upward velocity of the plane"),
        mu=(0.3, "", "friction"),
        e=(0.9, "", "restitution"),
    )
    elbow = (l1 * sin(theta), -l1 * cos(theta))
    tip = (elbow[0] + l2 * sin(phi), elbow[1] - l2 * cos(phi))
    return Model.from_lagrangian(
        "double_pendulum",
        coordinates=[theta, phi],
        kinetic=m1 * l1**2 * dtheta**2 / 2
        + m2 * (l1**2 * dtheta**2 + l2**2 * dphi**2 + 2 * l1 * l2 * dtheta * dphi * cos(theta - phi)) / 2,
        potential=-(m1 + m2) * g * l1 * cos(theta) - m2 * g * l2 * cos(phi),
        forces={theta: T},
        contacts=[
            Contact(
                "tip",
                gap=tip[0] + d,
                slip=l1 * sin(theta) * dtheta + l2 * sin(phi) * dphi - V,
                friction=mu,
                restitution=e,
            )
        ],
        start=start,
        drawing=[
            Ground(((-d, 1), (-d, 0))),
            Segment((0, 0), elbow),
            Segment(elbow, tip),
            Point((0, 0)),
            Point(elbow),
            Point(tip, "tip"),
        ],
        description="A double pendulum pressed by a torque against a vertical belt, with friction.",
        source="Burns, doctoral thesis on rigid-body impacts with friction, chapter 6",
    )

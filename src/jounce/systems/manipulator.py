"""A two-link manipulator whose tip touches a moving belt: the Painlevé paradox at everyday friction.

Two equal uniform links hang from a fixed pivot, at angles from the downward vertical; the belt runs a height H below
the pivot. A torsion spring (relaxed where theta1 - theta2 = d0) and a damper act in the elbow, a damper in the pivot:

    tau1 = -C1 theta1',   tau2 = Kr (theta1 - theta2 - d0) + C2 (theta1' - theta2')

Source: C. Liu, Z. Zhao and B. Chen, The bouncing motion appearing in a robotic system with unilateral constraint,
Nonlinear Dynamics 49 (2007) 217-232. The damper of its (29) has the sign that pumps energy; here it dissipates.
"""

from __future__ import annotations

import math

from sympy import Rational, cos, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinates, parameters


def manipulator() -> Model:
    """A two-link manipulator whose tip slides, sticks and bounces on a moving belt."""
    (theta1, dtheta1), (theta2, dtheta2) = coordinates("theta1 theta2", "rad")
    length, m, g, H, v_t, mu, mu_s, e, Kr, C1, C2, d0 = parameters(
        l=(1.0, "m", "length of each link"),
        m=(1.0, "kg", "mass of each link"),
        g=(9.8, "m/s^2", "gravity"),
        H=(5 / 3, "m", "height of the pivot above the belt"),
        v_t=(-0.4, "m/s", "velocity of the belt"),
        mu=(0.5, "", "kinetic friction"),
        mu_s=(0.8, "", "static friction"),
        e=(0.7, "", "restitution"),
        Kr=(0.0, "N m/rad", "stiffness of the spring in the elbow"),
        C1=(0.0, "N m s/rad", "damping in the pivot"),
        C2=(0.0, "N m s/rad", "damping in the elbow"),
        d0=(0.0, "rad", "theta1 - theta2 of the relaxed spring"),
    )
    elbow = (length * sin(theta1), -length * cos(theta1))
    tip = (elbow[0] + length * sin(theta2), elbow[1] - length * cos(theta2))
    damper = C2 * (dtheta1 - dtheta2)
    start = 0.7
    return Model.from_lagrangian(
        "manipulator",
        coordinates=[theta1, theta2],
        kinetic=m
        * length**2
        * (Rational(2, 3) * dtheta1**2 + dtheta2**2 / 6 + dtheta1 * dtheta2 * cos(theta1 - theta2) / 2),
        potential=-m * g * length * (3 * cos(theta1) + cos(theta2)) / 2 + Kr * (theta1 - theta2 - d0) ** 2 / 2,
        forces={theta1: -C1 * dtheta1 - damper, theta2: damper},
        contacts=[
            Contact(
                "tip",
                gap=tip[1] + H,
                slip=length * (cos(theta1) * dtheta1 + cos(theta2) * dtheta2) - v_t,
                friction=mu,
                static_friction=mu_s,
                restitution=e,
            )
        ],
        start={theta1: start, theta2: math.acos(5 / 3 - math.cos(start))},
        drawing=[
            Ground(-H),
            Segment((0, 0), elbow),
            Segment(elbow, tip),
            Point((0, 0)),
            Point(elbow),
            Point(tip, "tip"),
        ],
        description="A two-link manipulator whose tip slides, sticks and bounces on a moving belt.",
        source="Liu, Zhao and Chen, Nonlinear Dynamics 49 (2007) 217-232",
    )

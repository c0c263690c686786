"""A spring-loaded follower on a turning cam: it loses the cam, and strikes it, when the cam turns too fast.

The cam lifts by (lift/2)(1 - cos(omega t)). Without damping the follower stays on it as long as
m lift omega^2/2 <= k (lift + preload) + m g.

Source: R. Alzate, M. di Bernardo, U. Montanaro and S. Santini, Experimental and numerical verification of bifurcations
and chaos in cam-follower impacting systems, Nonlinear Dynamics 50 (2007) 409-429.
"""

from __future__ import annotations

from sympy import Rational, cos, pi, sin

from jounce.model import Circle, Contact, Ground, Model, Point, Segment, coordinate, parameters, time


def cam_follower() -> Model:
    """A spring-loaded follower that loses and strikes a turning cam."""
    x, dx = coordinate("x", "m")
    m, c, k, g, preload, lift, omega, e = parameters(
        m=(1.0, "kg", "mass of the follower"),
        c=(0.5, "N s/m", "damping"),
        k=(200.0, "N/m", "stiffness of the spring"),
        g=(9.81, "m/s^2", "gravity"),
        preload=(0.05, "m", "compression of the spring at the cam's lowest point"),
        lift=(0.04, "m", "lift of the cam"),
        omega=(45.0, "rad/s", "speed of the cam"),
        e=(0.6, "", "restitution"),
    )
    cam = lift / 2 * (1 - cos(omega * time))
    radius = Rational(3, 2) * lift
    return Model.from_lagrangian(
        "cam_follower",
        coordinates=[x],
        kinetic=m * dx**2 / 2,
        potential=k * (x + preload) ** 2 / 2 + m * g * x,
        forces={x: -c * dx},
        contacts=[Contact("cam", gap=x - cam, restitution=e)],
        period=2 * pi / omega,
        start={x: 0.02},
        drawing=[
            Circle((lift / 2 * sin(omega * time), cam - radius), radius, omega * time),
            Segment((0, x), (0, x + 4 * lift)),
            Point((0, x), "cam"),
            Ground(-4 * lift),
        ],
        description="A spring-loaded follower that loses and strikes a turning cam.",
        source="Alzate, di Bernardo, Montanaro and Santini, Nonlinear Dynamics 50 (2007) 409-429",
    )

"""A door with a sprung latch that meets a strike plate: the mechanism of docs/tutorial.md."""

from __future__ import annotations

from sympy import cos, sin, sqrt

from jounce import Contact, Model, Point, Segment, coordinate, parameters


def door_latch() -> Model:
    """A door whose sprung bolt bounces and rubs along a strike plate."""
    theta, dtheta = coordinate("theta", "rad")
    s, ds = coordinate("s", "m")
    J, m, L, k, c, s0, x0, mu, e = parameters(
        J=(0.8, "kg m^2", "inertia of the door"),
        m=(0.2, "kg", "mass of the bolt"),
        L=(0.8, "m", "hinge to bolt"),
        k=(400.0, "N/m", "stiffness of the bolt's spring"),
        c=(0.3, "N m s/rad", "damping in the hinge"),
        s0=(0.02, "m", "extension of the bolt at rest"),
        x0=(0.805, "m", "where the strike plate's line meets the closed door"),
        mu=(0.3, "", "friction"),
        e=(0.1, "", "restitution"),
    )
    tip = ((L + s) * cos(theta), (L + s) * sin(theta))
    v_x = ds * cos(theta) - (L + s) * sin(theta) * dtheta
    v_y = ds * sin(theta) + (L + s) * cos(theta) * dtheta
    plate = Contact(
        "plate", gap=(tip[1] - tip[0] + x0) / sqrt(2), slip=(v_x + v_y) / sqrt(2), friction=mu, restitution=e
    )
    stop = Contact("stop", gap=theta, restitution=e)
    return Model.from_lagrangian(
        "door_latch",
        coordinates=[theta, s],
        kinetic=(J + m * (L + s) ** 2) * dtheta**2 / 2 + m * ds**2 / 2,
        potential=k * (s - s0) ** 2 / 2,
        forces={theta: -c * dtheta},
        contacts=[plate, stop],
        start={theta: 0.3, s: 0.02, dtheta: -1.5},
        drawing=[Segment((0, 0), tip), Segment((x0, 0), (x0 + 0.2, 0.2), "ground"), Point(tip, "plate")],
        description="A door whose sprung bolt bounces and rubs along a strike plate.",
    )

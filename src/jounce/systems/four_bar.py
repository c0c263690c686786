"""The four-bar linkage: a crank, a coupler and a rocker between two fixed pivots.

With the default lengths the crank turns fully and the rocker swings (Grashof: shortest + longest <= sum of the others);
with others the linkage may lock on the way, and the run ends with the status LOCKED. The links are uniform. The motor's
torque is the joint force ``motor.angle``.

Source: F. Freudenstein, Approximate synthesis of four-bar linkages, Transactions of the ASME 77 (1955) 853-861.
"""

from __future__ import annotations

from jounce.model import Body, Driver, Model, Revolute, ground, parameters, time


def four_bar(*, driven: bool = True) -> Model:
    """A four-bar linkage whose crank is turned by a motor."""
    a, b, c, d, density, omega, phi, g = parameters(
        a=(0.1, "m", "length of the crank"),
        b=(0.35, "m", "length of the coupler"),
        c=(0.25, "m", "length of the rocker"),
        d=(0.3, "m", "distance of the pivots"),
        density=(2.0, "kg/m", "mass of the links per length"),
        omega=(5.0, "rad/s", "speed of the crank"),
        phi=(1.0, "rad", "angle of the crank at the start"),
        g=(9.81, "m/s^2", "gravity"),
    )
    crank = Body("crank", density * a, density * a**3 / 12, angle=phi, spin=omega)
    coupler = Body("coupler", density * b, density * b**3 / 12, angle=0.4)
    rocker = Body("rocker", density * c, density * c**3 / 12, angle=1.2)
    motor = [Driver("motor", ground, crank, angle=omega * time + phi)] if driven else []
    return Model.from_bodies(
        "four_bar",
        bodies=[crank, coupler, rocker],
        joints=[
            Revolute("crank_bearing", ground, crank, (0, 0), (-a / 2, 0)),
            Revolute("crank_pin", crank, coupler, (a / 2, 0), (-b / 2, 0)),
            Revolute("rocker_pin", coupler, rocker, (b / 2, 0), (c / 2, 0)),
            Revolute("rocker_bearing", ground, rocker, (d, 0), (-c / 2, 0)),
            *motor,
        ],
        gravity=g,
        description="A four-bar linkage whose crank is turned by a motor.",
        source="Freudenstein, Transactions of the ASME 77 (1955) 853-861",
    )

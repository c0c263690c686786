"""The slider-crank: a crank turns, a rod pushes a slider along a straight guide.

Crank and rod are uniform, with their centres in the middle; all joints are ideal, but the pin between crank and rod
may have play (a contact named ``crank_pin``). Driven, a motor turns the crank with
constant speed and its torque is the joint force ``motor.angle``; free, the crank starts with that speed and the machine
runs by itself.

Source: J. J. Uicker, G. R. Pennock and J. E. Shigley, Theory of Machines and Mechanisms, 3rd edition, Oxford University
Press (2003), where the machine is analysed; the numbers are our own.
"""

from __future__ import annotations

from typing import Any

from jounce.errors import ModelError, suggestion
from jounce.model import (
    Body,
    ClearanceJoint,
    Driver,
    Material,
    Model,
    Revolute,
    Translational,
    ground,
    parameters,
    time,
)

PINS = ("ideal", "compliant", "rigid")


def slider_crank(pin: str = "ideal", *, driven: bool = True) -> Model:
    """A slider-crank with ideal joints, its crank turned by a motor.

    pin   between crank and rod: "ideal", or with play as a "compliant" or a "rigid" contact
    """
    if pin not in PINS:
        raise ModelError(f"slider_crank: pin is {pin!r}; {suggestion(str(pin), PINS, 'values')}")
    r, length, m_crank, m_rod, m_slider, J_crank, J_rod, omega, phi, g = parameters(
        r=(0.05, "m", "length of the crank"),
        l=(0.15, "m", "length of the rod"),
        m_crank=(0.3, "kg", "mass of the crank"),
        m_rod=(0.2, "kg", "mass of the rod"),
        m_slider=(0.4, "kg", "mass of the slider"),
        J_crank=(1.0e-4, "kg m^2", "inertia of the crank about its centre"),
        J_rod=(4.0e-4, "kg m^2", "inertia of the rod about its centre"),
        omega=(20.0, "rad/s", "speed of the crank"),
        phi=(0.0, "rad", "angle of the crank at the start"),
        g=(9.81, "m/s^2", "gravity"),
    )
    crank = Body("crank", m_crank, J_crank, angle=phi, spin=omega)
    rod = Body("rod", m_rod, J_rod, angle=0)
    # the slider does not turn: its inertia has no effect
    slider = Body("slider", m_slider, m_slider * length**2 / 12, center=(r + length, 0))
    motor = [Driver("motor", ground, crank, angle=omega * time + phi)] if driven else []
    return Model.from_bodies(
        "slider_crank",
        bodies=[crank, rod, slider],
        joints=[
            Revolute("main_bearing", ground, crank, (0, 0), (-r / 2, 0)),
            _crank_pin(pin, crank, rod, (r / 2, 0), (-length / 2, 0)),
            Revolute("slider_pin", rod, slider, (length / 2, 0), (0, 0)),
            Translational("guide", ground, slider),
            *motor,
        ],
        gravity=g,
        description=f"A slider-crank with {'ideal joints' if pin == 'ideal' else 'play in its crank pin'}, its crank "
        "turned by a motor.",
        source="Uicker, Pennock and Shigley, Theory of Machines and Mechanisms (2003)",
    )


def _crank_pin(pin: str, crank: Body, rod: Body, at_crank: Any, at_rod: Any) -> Revolute | ClearanceJoint:
    if pin == "ideal":
        return Revolute("crank_pin", crank, rod, at_crank, at_rod)
    bearing, journal, e, mu = parameters(
        R_bearing=(0.01, "m", "radius of the bearing"),
        R_journal=(0.0098, "m", "radius of the journal"),
        e=(0.9, "", "restitution"),
        mu=(0.0, "", "friction"),
    )
    steel = Material(207e9, 0.3) if pin == "compliant" else None
    return ClearanceJoint(
        "crank_pin", crank, rod, at_crank, at_rod, bearing_radius=bearing, journal_radius=journal, material=steel,
        restitution=e, friction=mu,
    )  # fmt: skip

"""Small machines that several tests use."""

from __future__ import annotations

from typing import Any

import jounce
from jounce import Body, Driver, Model, Revolute, ground


def four_bar(a: float, b: float, c: float, d: float, *, driven: bool = True, extra: Any = (), **rest: Any) -> Model:
    """Crank a, coupler b, rocker c on pivots a distance d apart; uniform links of mass 1."""
    crank = Body("crank", 1.0, a * a / 12, angle=1.0)
    coupler = Body("coupler", 1.0, b * b / 12, angle=0.2)
    rocker = Body("rocker", 1.0, c * c / 12, angle=1.3)
    omega = jounce.parameter("omega", 2.0, "rad/s")
    joints = [
        Revolute("O", ground, crank, (0, 0), (-a / 2, 0)),
        Revolute("P", crank, coupler, (a / 2, 0), (-b / 2, 0)),
        Revolute("Q", coupler, rocker, (b / 2, 0), (c / 2, 0)),
        Revolute("R", ground, rocker, (d, 0), (-c / 2, 0)),
    ]
    if driven:
        joints.append(Driver("motor", ground, crank, angle=omega * jounce.time + 1.0))
    extra = extra(crank, coupler, rocker) if callable(extra) else extra
    return Model.from_bodies(
        "four_bar", bodies=[crank, coupler, rocker], joints=[*joints, *extra], gravity=9.81, **rest
    )

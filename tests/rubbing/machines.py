"""Machines whose joints rub."""

from __future__ import annotations

from typing import Any

import jounce
from jounce import Body, Driver, Force, Model, Revolute, Torque, Translational, ground, parameters, time


def pendulum(**parts: Any) -> Model:
    """An arm on a rubbing pin; mass 2 kg, centre 0.4 m from the pin."""
    mu, mu_s, radius, preload, torque = parameters(
        mu=(0.3, ""), mu_s=(0.3, ""), radius=(0.05, "m"), preload=(0.0, "N"), torque=(0.0, "N m")
    )
    arm = Body("arm", 2.0, 0.05, center=(0.38, -0.1), angle=-0.3)
    pin = Revolute(
        "pin", ground, arm, (0, 0), (-0.4, 0), radius=radius, friction=mu, static_friction=mu_s, preload=preload
    )
    return Model.from_bodies(
        "rubbing_pendulum", bodies=[arm], joints=[pin], forces=[Torque(arm, torque)], gravity=9.81, **parts
    )


def engine(driven: bool = False, pins: Any = 0.3, guide: Any = 0.2, forces: Any = (), **parts: Any) -> Model:
    """A slider-crank that rubs in three pins and its cylinder."""
    crank = Body("crank", mass=0.3, inertia=1e-4, angle=0.4)
    rod = Body("rod", mass=0.2, inertia=4e-4)
    piston = Body("piston", mass=0.4, inertia=1e-4, center=(0.2, 0))
    joints: list[Any] = [
        Revolute("main", ground, crank, (0, 0), (-0.025, 0), radius=0.01, friction=pins),
        Revolute("big_end", crank, rod, (0.025, 0), (-0.075, 0), radius=0.01, friction=pins),
        Revolute("small_end", rod, piston, (0.075, 0), (0, 0), radius=0.008, friction=pins),
        Translational("cylinder", ground, piston, friction=guide),
    ]
    if driven:
        joints.append(Driver("motor", ground, crank, angle=0.4 + 50 * time))
    torque = jounce.parameter("torque_rate", 0.05, "N m/s")
    loads = [] if driven else [Torque(crank, torque * time)]
    return Model.from_bodies(
        "rubbing_engine", bodies=[crank, rod, piston], joints=joints, gravity=9.81, forces=[*loads, *forces], **parts
    )


def slider(force: Any, at: Any = (0, 0), velocity: float = 0.0, couple: Any = 0, **guide: Any) -> Model:
    """A block of 1 kg in a rubbing guide, pulled by a force and turned by a couple."""
    block = Body("block", 1.0, 0.02, center=(0, 0), velocity=(velocity, 0))
    rail = Translational("rail", ground, block, **guide)
    forces = [Force(block, force, at=at), Torque(block, couple)]
    return Model.from_bodies("rubbing_slider", bodies=[block], joints=[rail], forces=forces)

"""The quick-return mechanism: a crank drives a slotted lever, a rod takes its end to a tool slider.

A block on the crank's pin slides along the lever, which swings about its foot; the tool moves slowly one way and fast
the other. Five bodies: crank, lever, block, rod, slider. Masses and inertias are those of the source's Table I (bodies
2 to 6); its text leaves the layout open, which is taken as: lever's pivot at the origin, crank's pivot at height b
above it, tool on the line y = h to the right of the lever's end, centres in the middle of crank, lever and rod, block
and slider centred at their pins. The motor's torque is the joint force ``motor.angle``.

The four pins have play, as in the source: J1 ground-lever, J2 crank-block, J3 lever-rod, J4 rod-slider are contacts,
with the radii and the material of Table II, and start centred. With ``pins="rigid"`` they are rigid contacts with
impacts, with ``pins="ideal"`` joints without play.

Source: P. Flores and J. Ambrosio, On the contact detection for contact-impact analysis in multibody systems, Multibody
System Dynamics 24 (2010) 103-122, section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model import (
    Body,
    ClearanceJoint,
    Driver,
    Material,
    Model,
    Revolute,
    Translational,
    coordinate,
    ground,
    parameters,
    time,
)
from jounce.model.bodies.joints import Joint


@dataclass(frozen=True)
class QuickReturnParts:
    """What every variant of the mechanism is made of; the pins J1 to J4 are ideal here and may have play elsewhere."""

    bodies: list[Body]
    guides: list[Joint]
    pins: list[Revolute]
    gravity: Any
    omega: Any
    phi: Any
    crank_length: Any
    b: Any
    h: Any


PINS = ("compliant", "rigid", "ideal")


def quick_return(pins: str = "compliant", *, minimal: bool = False) -> Model:
    """A quick-return mechanism with play in four pins, its crank turned by a motor.

    pins      "compliant" or "rigid": with play; "ideal": without
    minimal   pose of lever and rod, place of the block along the lever and of the slider, in place of Cartesian
              coordinates with joints
    """
    if pins not in PINS:
        raise ModelError(f"quick_return: pins is {pins!r}; {suggestion(str(pins), PINS, 'values')}")
    parts = quick_return_parts()
    joints = [*parts.guides, *(parts.pins if pins == "ideal" else _loose(parts.pins, pins == "compliant"))]
    play = "ideal joints" if pins == "ideal" else "play in four pins"
    return Model.from_bodies(
        "quick_return",
        bodies=parts.bodies,
        joints=joints,
        gravity=parts.gravity,
        minimal=_minimal(parts) if minimal else None,
        start=_MINIMAL_START if minimal else None,
        description=f"A quick-return mechanism with {play}, its crank turned by a motor.",
        source="Flores and Ambrosio, Multibody System Dynamics 24 (2010) 103-122",
    )


def _loose(pins: list[Revolute], compliant: bool) -> list[ClearanceJoint]:
    """The pins with the play of Table II."""
    bearing, journal, e, mu = parameters(
        R_bearing=(0.01, "m", "radius of the bearings"),
        R_journal=(0.0095, "m", "radius of the journals"),
        e=(0.9, "", "restitution"),
        mu=(0.0, "", "friction"),
    )
    material = None
    if compliant:
        material = Material(*parameters(E=(207e9, "Pa", "Young's modulus"), nu=(0.3, "", "Poisson's ratio")))
    return [
        ClearanceJoint(
            pin.name,
            pin.first,
            pin.second,
            pin.at_first,
            pin.at_second,
            bearing_radius=bearing,
            journal_radius=journal,
            material=material,
            restitution=e,
            friction=mu,
        )
        for pin in pins
    ]


_MINIMAL_START = {
    "lever_theta": 1.1,
    "rod_theta": 0.0,
    "slider_x": 0.35,
    "lever_x": 0.1,
    "lever_y": 0.2,
    "block_s": 0.0,
}


def _minimal(parts: QuickReturnParts) -> dict[Body, Any]:
    """The crank turns as the motor does, the block slides along the lever and the slider along its guide."""
    crank, lever, block, rod, slider = parts.bodies
    angle, half = parts.omega * time + parts.phi, parts.crank_length / 2
    s, _ = coordinate("block_s", "m")
    return {
        crank: (half * sp.cos(angle), parts.b + half * sp.sin(angle), angle),
        lever: lever.pose,
        block: (lever.x + s * sp.cos(lever.theta), lever.y + s * sp.sin(lever.theta), lever.theta),
        rod: rod.pose,
        slider: (slider.x, parts.h, 0),
    }


def quick_return_parts() -> QuickReturnParts:
    """The bodies, the joints that stay ideal in every variant (guides), and the four pins."""
    crank_length, lever_length, rod_length, b, h, omega, phi, g = parameters(
        l_crank=(0.1, "m", "length of the crank"),
        l_lever=(0.5, "m", "length of the lever"),
        l_rod=(0.12, "m", "length of the rod"),
        b=(0.2, "m", "height of the crank's pivot above the lever's"),
        h=(0.47, "m", "height of the tool's line above the lever's pivot"),
        omega=(3.0, "rad/s", "speed of the crank"),
        phi=(0.0, "rad", "angle of the crank at t = 0"),
        g=(9.81, "m/s^2", "gravity"),
    )
    m_crank, m_lever, m_block, m_rod, m_slider = parameters(
        m_crank=(0.2, "kg", "mass of the crank"),
        m_lever=(1.0, "kg", "mass of the lever"),
        m_block=(0.5, "kg", "mass of the block"),
        m_rod=(0.24, "kg", "mass of the rod"),
        m_slider=(0.5, "kg", "mass of the tool slider"),
    )
    J_crank, J_lever, J_block, J_rod, J_slider = parameters(
        J_crank=(0.01, "kg m^2", "inertia of the crank about its centre"),
        J_lever=(0.1, "kg m^2", "inertia of the lever about its centre"),
        J_block=(0.025, "kg m^2", "inertia of the block about its centre"),
        J_rod=(0.012, "kg m^2", "inertia of the rod about its centre"),
        J_slider=(0.025, "kg m^2", "inertia of the tool slider about its centre"),
    )
    crank = Body("crank", m_crank, J_crank, angle=phi)
    lever = Body("lever", m_lever, J_lever, angle=1.1)
    block = Body("block", m_block, J_block)
    rod = Body("rod", m_rod, J_rod, angle=0)
    slider = Body("slider", m_slider, J_slider, center=(0.7 * lever_length, h))
    guides: list[Joint] = [
        Revolute("crank_bearing", ground, crank, (0, b), (-crank_length / 2, 0)),
        Translational("slot", lever, block),
        Translational("guide", ground, slider, (0, h)),
        Driver("motor", ground, crank, angle=omega * time + phi),
    ]
    pins = [
        Revolute("J1", ground, lever, (0, 0), (-lever_length / 2, 0)),
        Revolute("J2", crank, block, (crank_length / 2, 0), (0, 0)),
        Revolute("J3", lever, rod, (lever_length / 2, 0), (-rod_length / 2, 0)),
        Revolute("J4", rod, slider, (rod_length / 2, 0), (0, 0)),
    ]
    return QuickReturnParts([crank, lever, block, rod, slider], guides, pins, g, omega, phi, crank_length, b, h)

"""The viscous part of a joint's friction: velocities fall as exp(-c t/m), and both bodies feel it."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce import Body, Model, ModelError, Revolute, Translational, ground

T = 1.5


def _end(bodies: list[Body], joint: Revolute | Translational) -> jounce.Trajectory:
    return jounce.simulate(Model.from_bodies("viscous", bodies=bodies, joints=[joint]), None, T)


def test_a_pin() -> None:
    disc = Body("disc", mass=2.0, inertia=0.3, center=(0, 0), spin=4.0)
    run = _end([disc], Revolute("pin", ground, disc, viscous=0.6))
    assert run.final["d_disc_theta"] == pytest.approx(4.0 * np.exp(-0.6 * T / 0.3), rel=1e-9)
    lost = 0.3 * 4.0**2 / 2 * (1 - np.exp(-2 * 0.6 * T / 0.3))
    assert float(run.energy.applied_work[-1]) == pytest.approx(-lost, rel=1e-8)


def test_a_guide() -> None:
    slide = Body("slide", mass=2.0, inertia=1.0, center=(0, 0), velocity=(3.0, 0.0))
    run = _end([slide], Translational("guide", ground, slide, viscous=0.5))
    assert run.final["d_slide_x"] == pytest.approx(3.0 * np.exp(-0.5 * T / 2.0), rel=1e-9)


def test_a_guide_between_two_free_bodies() -> None:
    """The relative velocity falls with the reduced mass, momentum stays."""
    first = Body("first", mass=1.0, inertia=1.0, center=(0, 0))
    second = Body("second", mass=3.0, inertia=1.0, center=(0, 0), velocity=(2.4, 3.2))
    end = _end([first, second], Translational("guide", first, second, axis=(0.6, 0.8), viscous=0.5)).final
    for name, along in (("x", 0.6), ("y", 0.8)):
        apart = end[f"d_second_{name}"] - end[f"d_first_{name}"]
        assert apart == pytest.approx(4.0 * along * np.exp(-0.5 * T / 0.75), rel=1e-9)
        assert end[f"d_first_{name}"] + 3 * end[f"d_second_{name}"] == pytest.approx(12.0 * along, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (Revolute, {"friction": 0.1}, "friction but no radius; give radius="),
        (Revolute, {"radius": 0.1}, "a radius but no friction; give friction="),
        (Translational, {"length": 0.1}, "a length but no friction; give friction="),
        (Revolute, {"viscous": -1.0}, "the viscous is -1; it must be finite and not negative"),
        (Revolute, {"preload": 2.0}, "a preload but no friction"),
    ],
)
def test_arguments_that_say_nothing_are_refused(kind: type, given: dict[str, float], message: str) -> None:
    body = Body("body", mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match=message):
        Model.from_bodies("wrong", bodies=[body], joints=[kind("joint", ground, body, **given)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs a gap=, or load="),
        ({"gap": 1, "preload": 2.0}, "preload= belongs to a contact with load="),
        ({"gap": 1, "load": "pin"}, "has a gap and a load"),
        ({"load": 3}, "load must be the name of a contact or of a joint"),
        ({"load": "pin"}, "has a load but no slip velocity"),
        ({"load": "pin", "slip": 1, "compliance": jounce.Hertz(1.0)}, "compliance= belongs to a contact with a gap"),
        ({"load": "pin", "slip": 1, "restitution": 0.5}, "restitution belongs to a contact with a gap"),
        ({"load": "pin", "slip": 1, "lever": 0.5}, "lever= asks for two joints"),
        ({"load": "pinn", "slip": 1}, "load 'pinn' does not exist; did you mean 'pin'"),
    ],
)
def test_loads_that_say_nothing_are_refused(given: dict[str, object], message: str) -> None:
    x, dx = jounce.coordinate("x", "m")
    slipping = given | ({"slip": dx} if "slip" in given else {}) | ({"gap": x} if "gap" in given else {})
    with pytest.raises(ModelError, match=message):
        jounce.Model("wrong", [x], [1], [0], [jounce.Contact("rub", **slipping)], joints={"pin": x})

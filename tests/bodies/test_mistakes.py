"""Mistakes in a machine are named: what, where, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

import jounce
from jounce import (
    Body,
    CircleOn,
    ClearanceJoint,
    Corners,
    Edge,
    Line,
    Model,
    PointOn,
    PolygonOn,
    Revolute,
    contact_between,
    ground,
)
from jounce.errors import ModelError

ARM, STRANGER = Body("arm", 1.0, 0.1), Body("stranger", 1.0, 0.1)
STAR = [(math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)) for k in range(5)]


def machine(**parts: Any) -> Model:
    return Model.from_bodies("machine", bodies=parts.pop("bodies", [ARM]), **parts)


def on(surface: Any, side: Any = None) -> Model:
    return machine(contacts=[contact_between("rim", side or PointOn(ARM, (0, 0)), surface)])


def pin(bearing: Any, journal: Any) -> Model:
    joint = ClearanceJoint("pin", ground, ARM, bearing_radius=bearing, journal_radius=journal)
    return machine(joints=[joint])


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: machine(joints=[Revolute("pin", ARM, STRANGER)]), "Revolute 'pin' holds 'stranger', .* valid bodies: arm"),
    (lambda: machine(joints=[Revolute("pin", ground, ground)]), "Revolute 'pin' joins 'ground' to itself"),
    (lambda: on(Line(ground), PointOn(Body("arm", 1, 1), (0, 0))), "'rim' holds another Body called 'arm'"),
    (lambda: machine(bodies=[Body("arm", 0, 1)]), "body 'arm': the mass is 0 .* must be positive"),
    (lambda: machine(bodies=[Body("arm", 1, 0)]), "body 'arm': the inertia is 0 .* must be positive"),
    (lambda: machine(bodies=[Body("arm", jounce.parameter("m", 0.0, "kg"), 1)]), "body 'arm': the mass is 0"),
    (lambda: Body("arm", math.nan, 1), "body 'arm': mass: nan is not a finite number"),
    (lambda: on(PolygonOn(ground, [(0, 0), (1, 0)])), "has 2 corners; it needs at least 3"),
    (lambda: on(PolygonOn(ground, [(0, 0), (0, 1), (1, 0)])), "the corners go clockwise; turn their order"),
    (lambda: on(PolygonOn(ground, [(0, 0), (2, 0), (1, 0.5), (1, 2)])), "corner 3 .* points inwards"),
    (lambda: on(PolygonOn(ground, [(0, 0), (1, 0), (2, 0), (1, 2)])), "corner 2 lies on a straight line"),
    (lambda: on(PolygonOn(ground, [(0, 0), (0, 0), (1, 0), (0, 1)])), "corners 1 and 2 are the same point"),
    (lambda: on(PolygonOn(ground, STAR)), "the outline crosses itself"),
    (lambda: CircleOn(ARM, (0, 0), 0), "the radius is 0; it must be positive .* PointOn"),
    (lambda: CircleOn(ARM, (0, 0), -1), "the radius is -1; it must be positive"),
    (lambda: on(Line(ground, (0, 0), (0, 0))), "Line on 'ground': direction must be a direction"),
    (lambda: on(Edge(ground, (1, 1), (1, 1))), "Edge on 'ground': from start to end must be a direction"),
    (lambda: on(Line(ground), Corners(ARM, [])), "Corners on 'arm' has no corner"),
    (lambda: on(CircleOn(ground, (0, 0), 0.1, inside=True), CircleOn(ARM, (0, 0), 0.2)), "hole's radius 0.1 must be"),
    (lambda: pin(0.01, 0.02), "bearing's radius 0.01 must be larger than the journal's 0.02"),
    (lambda: pin(0.01, -0.02), "'pin': journal_radius is -0.02; it must be positive"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_named(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mistake()


def test_massless_bodies_are_fine_in_minimal_coordinates() -> None:
    phi, _ = jounce.coordinate("phi", "rad")
    rod, bob = Body("rod", 0, 0), Body("bob", 1.0, 0.0)
    places = {rod: (sp.sin(phi) / 2, -sp.cos(phi) / 2, phi), bob: (sp.sin(phi), -sp.cos(phi), phi)}
    model = machine(bodies=[rod, bob], gravity=9.81, minimal=places)
    assert float(model.M[0, 0].subs(model.q[0], 0.3)) == pytest.approx(1.0, rel=1e-15)

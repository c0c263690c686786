"""The ready-made systems: described, documented, and mechanically what they claim to be."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.errors import ModelError
from jounce.model import Model
from jounce.systems import SYSTEMS, descriptions, find_system


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_documented(name: str) -> None:
    model = getattr(jounce.systems, name)()
    assert model.name == name
    assert model.description == descriptions()[name]
    assert "\n" not in model.description
    assert any(character.isdigit() for character in model.source)  # a citation has a year
    for parameter in model.parameters.values():
        assert parameter.description
        assert parameter.unit or parameter.name in ("mu", "mu_s", "e", "nu")
    assert all(model.coordinates.values())
    assert model.start
    assert model.drawing


@pytest.mark.parametrize("name", SYSTEMS)
def test_forced_systems_have_their_period(name: str) -> None:
    model = SYSTEMS[name]()
    slips = [contact.slip for contact in model.contacts if contact.slip is not None]
    expressions = [*model.M, *model.h, *(contact.gap for contact in model.contacts), *slips]
    forced = any(expression.has(jounce.time) for expression in expressions)
    assert forced == (model.period is not None)
    for expression in expressions if forced else []:
        shifted = expression.subs(jounce.time, jounce.time + model.period)
        assert sp.simplify(shifted - expression) == 0


def test_unknown_system_suggests() -> None:
    with pytest.raises(ModelError, match=r"no system 'slender_rood'; did you mean 'slender_rod'\?"):
        find_system("slender_rood")
    assert find_system("slender_rod") is SYSTEMS["slender_rod"]


def numbers(model: Model, expression: sp.Expr) -> Callable[..., float]:
    """The expression as a function of names, the rest at the defaults."""

    def value(**given: float) -> float:
        values = model.defaults | {name: 0.0 for name in model.symbols if name not in model.defaults} | given
        return float(expression.subs({model.symbols[name]: number for name, number in values.items()}))

    return value


def test_rod_ends_move_as_points_of_the_rod() -> None:
    """Gap rate and slip are the velocity of the material end, r' + theta' x (+-L), relative to the floor."""
    model = jounce.systems.slender_rod()
    theta, omega, d_x, d_y, d_theta = 0.4, 3.0, 0.7, -0.2, 1.3
    state = {"theta": theta, "y": 2.0, "d_x": d_x, "d_y": d_y, "d_theta": d_theta, "t": 0.3}
    for contact, side in zip(model.contacts, (-1.0, 1.0), strict=True):
        end = side * np.array([math.cos(theta), math.sin(theta)])
        velocity = np.array([d_x, d_y]) + d_theta * np.array([-end[1], end[0]])
        assert numbers(model, contact.gap)(**state) == pytest.approx(2.0 + end[1] - math.sin(omega * 0.3), rel=1e-14)
        assert numbers(model, contact.slip)(**state) == pytest.approx(velocity[0], rel=1e-14)
        gap_rate = sum(sp.diff(contact.gap, q) * u for q, u in zip(model.q, model.u, strict=True))
        gap_rate += sp.diff(contact.gap, jounce.time)
        floor = omega * math.cos(omega * 0.3)
        assert numbers(model, gap_rate)(**state) == pytest.approx(velocity[1] - floor, rel=1e-14)
    assert numbers(model, model.M[2, 2])() == pytest.approx(1 / 3, rel=1e-15)


def test_discs_in_rigid_rotation_do_not_slip() -> None:
    """Two touching discs that turn like one body have no gap rate and no slip; rolling like gears has none either."""
    model = jounce.systems.two_discs()
    (contact,) = model.contacts
    c1, c2, w = np.array([0.3, 0.4]), np.array([-0.3, -0.4]), 1.7
    place = {"x1": c1[0], "y1": c1[1], "x2": c2[0], "y2": c2[1]}
    rigid = {"d_x1": -w * c1[1], "d_y1": w * c1[0], "d_x2": -w * c2[1], "d_y2": w * c2[0], "d_phi1": w, "d_phi2": w}
    rate = sum(sp.diff(contact.gap, q) * u for q, u in zip(model.q, model.u, strict=True))
    assert numbers(model, contact.gap)(**place) == pytest.approx(0.0, abs=1e-15)
    assert numbers(model, contact.slip)(**place, **rigid) == pytest.approx(0.0, abs=1e-15)
    assert numbers(model, rate)(**place, **rigid) == pytest.approx(0.0, abs=1e-15)
    assert numbers(model, contact.slip)(**place, d_phi1=2.0, d_phi2=-2.0) == pytest.approx(0.0, abs=1e-15)
    assert numbers(model, contact.slip)(**place, d_phi1=2.0, d_phi2=2.0) == pytest.approx(-2.0, rel=1e-15)


def test_gaps_open_on_the_free_side() -> None:
    for model in (jounce.systems.impact_oscillator(), jounce.systems.wall_pendulum()):
        assert numbers(model, model.contacts[0].gap)(x=0.25) == pytest.approx(0.75)


def test_belt_slip_is_relative_to_the_belt() -> None:
    model = jounce.systems.belt_oscillator()
    assert numbers(model, model.contacts[0].slip)(d_x=0.5) == pytest.approx(0.3)
    assert numbers(model, model.h[0])(x=0.1) == pytest.approx(-1.0)

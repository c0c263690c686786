"""Starts beside a surface or a guide at zero, by the rounding of a sine and by more, in any units."""

from __future__ import annotations

import pytest

import jounce
from jounce import Body, Line, Model, PointOn, Revolute, Translational, contact_between, ground
from jounce.errors import ModelError

LENGTHS = (1.0, 1e-6, 1e6)


def _sliders(length: float, missed: float) -> Model:
    """A block on a guide whose height is zero, which it starts `missed` above, and a lever in the same machine."""
    lever = Body("lever", mass=0.3, inertia=1e-3 * length**2, angle=0.4)
    pin = Revolute("pin", ground, lever, (0.3 * length, 0.0), (0.0, 0.0))
    guided = Body("guided", mass=1.0, inertia=1e-3 * length**2, center=(0.5 * length, missed), velocity=(length, 0.0))
    guide = Translational("guide", ground, guided, (0.0, 0.0))
    return Model.from_bodies("guided", bodies=[lever, guided], joints=[pin, guide])


def _beside_a_wall(length: float, missed: float) -> Model:
    """A point of a ball, high above the origin, that starts `missed` inside a wall through it."""
    ball = Body("ball", mass=1.0, inertia=length**2, center=(-missed, length))
    wall = contact_between("wall", PointOn(ball, (0.0, 0.0)), Line(ground, (0.0, 0.0), (0.0, -1.0)))
    return Model.from_bodies("beside", bodies=[ball], contacts=[wall])


@pytest.mark.parametrize("length", LENGTHS)
def test_a_guide_at_zero_takes_rounding_and_no_more(length: float) -> None:
    system = jounce.compile_model(_sliders(length, 1e-17 * length))
    assert jounce.simulate(system, None, 1.0).final["guided_x"] == pytest.approx(1.5 * length, rel=1e-12)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("missed", [1e-10, 1e-8, 1e-6, 1e-3, 0.3])
def test_a_machine_without_arms_is_assembled_in_any_units(length: float, missed: float) -> None:
    """No joint ties an angle to a length: what is left open, how far a step goes and what is closed have no unit."""
    start = _sliders(length, missed * length).start
    assert abs(start["guided_y"]) <= 1e-11 * length
    assert start["guided_x"] == pytest.approx(0.5 * length, rel=1e-9)
    assert start["lever_theta"] == 0.4


@pytest.mark.parametrize("bodies", ["auto", "tables"])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_wall_at_zero_takes_rounding_and_no_more(length: float, bodies: str) -> None:
    _ = jounce.compile_model(_beside_a_wall(length, 1e-17 * length), bodies=bodies)
    with pytest.raises(ModelError, match=r"contact 'wall': the gap is .* at the default start"):
        _ = jounce.compile_model(_beside_a_wall(length, 1e-6 * length), bodies=bodies)

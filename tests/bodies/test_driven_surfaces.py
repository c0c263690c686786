"""A guided body above a driven one: along the surface nothing can move, and what joints leave of it is rounding."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import jounce
from jounce import Body, Driver, Line, Model, PointOn, PolygonOn, Translational, contact_between, ground


def stamp_on_bar(rng: np.random.Generator, shape: str) -> tuple[Model, float]:
    """A stamp in a guide above a bar on a rail, at random places and angles; and how high it begins."""
    tilt, offset, height = float(rng.uniform(-3, 3)), float(rng.uniform(-0.5, 0.5)), float(rng.uniform(0.2, 0.8))
    along, across = np.array([np.cos(tilt), np.sin(tilt)]), np.array([-np.sin(tilt), np.cos(tilt)])
    m, M, J = (float(value) for value in rng.uniform(0.2, 3.0, 3))
    bar = Body("bar", mass=M, inertia=J, center=(0, 0), angle=tilt)
    stamp = Body("stamp", mass=m, inertia=J / 3, center=tuple(offset * along + height * across), angle=tilt)
    corners = [(-40.0, -0.5), (40.0, -0.5), (40.0, 0.0), (-40.0, 0.0)]
    surface = PolygonOn(bar, corners) if shape == "polygon" else Line(bar, (0, 0), (1, 0))
    return Model.from_bodies(
        "stamp_on_bar",
        bodies=[bar, stamp],
        joints=[
            Translational("rail", ground, bar, axis=tuple(along), angle=tilt),
            Translational("guide", ground, stamp, tuple(offset * along), tuple(across), angle=tilt),
            Driver("drive", ground, bar, length=7 * jounce.time, axis=tuple(along)),
        ],
        contacts=[contact_between("touch", PointOn(stamp), surface, friction=0.1, restitution=0.6)],
        gravity=tuple(-9.81 * across),
    ), height


@pytest.mark.parametrize("shape", ["line", "polygon"])
def test_a_stamp_bounces_on_a_bar_that_a_motor_drives(shape: str) -> None:
    """Times sqrt(2 h/g) (1 + 2 e + 2 e^2 + ...), however the machine is turned and however fast the bar is."""
    for seed in range(12):
        model, height = stamp_on_bar(np.random.default_rng(seed), shape)
        run = jounce.simulate(jounce.compile_model(model, bodies="tables"), None, 1.2)
        assert run.status.ok, run.status
        assert "grazing" not in set(run.events.kind)
        fall = sqrt(2 * height / 9.81)
        expected = [fall, fall * (1 + 2 * 0.6), fall * (1 + 2 * 0.6 + 2 * 0.36)]
        found = run.events.t[run.events.kind == "impact"].tolist()[:3]
        assert found == pytest.approx(expected[: len(found)], rel=1e-9), seed

"""What a diagram shows unless told: the first coordinate that says something, else a velocity."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import cos, pi

import jounce
from jounce.plot.diagram import _first_that_varies


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("wall", [0.0, 1.0])
def test_at_impacts_with_a_fixed_wall_the_place_is_always_the_same(unit: float, wall: float) -> None:
    x, v = jounce.coordinate("x", "m")
    F, omega, d = jounce.parameters(F=(0.5 * unit, "N"), omega=(1.0, "rad/s"), d=(wall * unit, "m"))
    oscillator = jounce.Model(
        "oscillator",
        [x],
        [1],
        [F * cos(omega * jounce.time) - x - 0.1 * v],
        contacts=[jounce.Contact("wall", gap=d - x, restitution=0.8)],
        parameters=[F, omega],
        period=2 * pi / omega,
    )
    system, values = jounce.compile_model(oscillator), np.linspace(1.0, 1.2, 5)
    chosen = {
        section: _first_that_varies(jounce.sweep(system, "omega", values, section, {"x": -0.1 * unit}, transient=50))
        for section in ("impact:wall", "phase:0")
    }
    assert chosen == {"impact:wall": "d_x", "phase:0": "x"}


def test_where_nothing_varies_it_is_the_first_coordinate() -> None:
    ball = jounce.systems.ball_on_table()
    still = jounce.sweep(ball, "e", [0.1, 0.2], "phase:0", {"y": 1.0}, omega=1.0, transient=50)
    assert _first_that_varies(still) == "y"

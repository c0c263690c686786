"""A force that begins at zero: at the touch of a compliant contact no multiple of the forces there is a limit."""

from __future__ import annotations

import math
from functools import cache

import pytest

import jounce


@cache
def ball() -> jounce.System:
    """A ball that flies against a wall of Hertz's."""
    x, dx = jounce.coordinate("x", "m")
    m, K = jounce.parameters(m=(0.5, "kg", "mass"), K=(2e10, "N/m^1.5", "stiffness"))
    wall = jounce.Contact("wall", gap=x, compliance=jounce.Hertz(K))
    return jounce.compile_model(
        jounce.Model.from_lagrangian("hertz_ball", coordinates=[x], kinetic=m * dx**2 / 2, contacts=[wall])
    )


@pytest.mark.parametrize("stiffness", [1e2, 1e6, 2e10, 1e14])
@pytest.mark.parametrize("speed", [1e-2, 1e-1, 10.0])
@pytest.mark.parametrize("distance", [1e-6, 1e-3, 1.0])
def test_the_touch_of_a_stiff_contact_is_no_mistake(stiffness: float, speed: float, distance: float) -> None:
    m = 0.5
    depth = (5.0 * m * speed**2 / (4.0 * stiffness)) ** 0.4
    # 2 int_0^1 ds/sqrt(1 - s^(5/2)) = 2 sqrt(pi) Gamma(7/5)/Gamma(9/10)
    duration = 2.0 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9) * depth / speed
    start = {"x": distance, "d_x": -speed}
    run = jounce.simulate(ball(), start, 2.0 * distance / speed + 1.5 * duration, m=m, K=stiffness)
    assert run.status.name == "FINISHED", run.status
    assert run.audit().empty, run.audit()
    touch, separate = run.events["t"]
    rounding = 1e-13 * touch  # of the difference of two times
    assert separate - touch == pytest.approx(duration, rel=1e-6, abs=rounding)

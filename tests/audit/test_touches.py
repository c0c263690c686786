"""A force that begins at zero: at the touch of a compliant contact no multiple of the forces there is a limit."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp

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


def test_a_run_that_begins_where_a_contact_ends_is_measured_by_what_cancels() -> None:
    """Spring and damper of a contact cancel at its end; a run that is cut there has no larger force to compare with."""
    x, dx = jounce.coordinate("x", "m")
    stop = jounce.Contact("stop", gap=0.5 - x, compliance=jounce.KelvinVoigt(50.0, 0.2))
    force = -x - dx / 10 + sp.cos(1.2 * jounce.time)
    system = jounce.compile_model(jounce.Model("soft", [x], [1], [force], contacts=[stop]))
    run = jounce.simulate(system, None, 12.0)
    ends = run.events.t[run.events.kind == "separate"]
    assert len(ends) > 2
    for end in ends:
        for cut in (np.nextafter(end, 0.0), end, np.nextafter(end, 99.0)):
            second = jounce.simulate(system, jounce.simulate(system, None, cut).final, 12.0)
            assert second.audit().empty, cut
            assert second.final["x"] == pytest.approx(run.final["x"], abs=1e-9)


def test_a_pin_that_starts_in_the_middle_of_its_hole() -> None:
    """The gradient of its gap is zero there, which says nothing of the gap's rounding where it touches."""
    system = jounce.compile_model(jounce.systems.quick_return())
    for omega in (16.72635, 16.7, 17.0, 18.1):
        run = jounce.simulate(system, None, 0.5, omega=omega, R_journal=0.00987)
        assert run.status.name == "FINISHED", run.status.message

"""Derivatives through compliant contact and through jumps of forces, against differences and closed forms."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.analysis.stability.variation import flow
from jounce.errors import OptionError
from jounce.simulation.modes import Mode
from tests.references.flow import check_derivative

LAWS: dict[str, Any] = {
    "hertz": lambda k, c: jounce.Hertz(30 * k),
    "hunt_crossley": lambda k, c: jounce.HuntCrossley(30 * k),
    "lankarani_nikravesh": lambda k, c: jounce.LankaraniNikravesh(30 * k),
    "flores": lambda k, c: jounce.Flores2011(30 * k),
    "kelvin_voigt": lambda k, c: jounce.KelvinVoigt(k, c),
    "adhesive": lambda k, c: jounce.KelvinVoigt(k, c, adhesive=True),
    "maxwell": lambda k, c: jounce.Maxwell(k, 10 * c),
    "standard_linear_solid": lambda k, c: jounce.StandardLinearSolid(k, k, 10 * c),
    "own": lambda k, c: jounce.OwnCompliance(
        elastic=k * jounce.penetration + 1e7 * jounce.penetration**3,
        damping=400 * jounce.penetration * jounce.penetration_rate,
    ),
}


@cache
def ball(law: str, friction: float = 0.0) -> jounce.System:
    """A ball on a shaking floor; with friction it also slides along it."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g, e, A, omega, k, c = jounce.parameters(m=1.0, g=9.81, e=0.6, A=0.02, omega=20.0, k=2e3, c=15.0)
    floor = jounce.Contact(
        "floor",
        gap=y - A * sp.sin(omega * jounce.time),
        slip=dx if friction else None,
        friction=friction or 0,
        restitution=e,
        compliance=LAWS[law](k, c),
    )
    model = jounce.Model.from_lagrangian(
        f"soft_{law}_{bool(friction)}",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[floor],
        period=2 * sp.pi / omega,
        start={y: 0.05},
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize(("friction", "parameter"), [(0.0, "k"), (0.2, "omega")])
@pytest.mark.parametrize("law", LAWS)
def test_derivatives_through_every_law_are_those_of_neighbouring_motions(
    law: str, friction: float, parameter: str
) -> None:
    """Touches, ends by force and by gap, returns inside the gap, the memory of the touch, regularised friction."""
    system = ball(law, friction)
    start = system.state(y=0.05, d_x=6.0)
    check_derivative(system, start, 0.613, parameter, {"touch", "separate"}, within=1e-7)


def test_exponents_of_a_damped_contact_add_up_to_the_time_in_contact() -> None:
    """div f = -c/m while pressed, 0 in flight, and a touch keeps volumes: its surface depends on the place alone."""
    system, options = ball("kelvin_voigt"), jounce.Options(tolerance=1e-11)
    spectrum = jounce.lyapunov(system, {"y": 0.05}, 4.0, A=0.06, options=options)
    run = jounce.simulate(system, {"y": 0.05}, 4.0, A=0.06, options=options)
    pressed = sum(end - begin for begin, end, mode in run.mode_intervals("floor") if str(mode) == "PRESSED")
    assert len(run.events) > 10
    assert spectrum.exponents.sum() * 4.0 == pytest.approx(-15.0 * pressed, rel=1e-9)


@pytest.mark.parametrize("law", ["hunt_crossley", "lankarani_nikravesh"])
def test_exponents_carry_the_memory_of_a_touch_over_their_intervals(law: str) -> None:
    """Columns are made orthonormal in contact too: what they change in the memory must be turned with them."""
    system, options = ball(law), jounce.Options(tolerance=1e-11)
    spectrum = jounce.lyapunov(system, {"y": 0.05}, 3.0, A=0.04, options=options)
    whole = flow(system, system.state(y=0.05), 3.0, A=0.04, options=options)
    pressed = whole.run.mode_codes_at(spectrum.times, "left")[:, 0] == Mode.PRESSED
    assert pressed.any()
    assert not pressed[-1]
    assert spectrum.exponents.sum() * 3.0 == pytest.approx(np.log(abs(np.linalg.det(whole.matrix))), abs=1e-5)


def test_a_reset_at_a_touch_is_followed_by_its_derivative() -> None:
    """A foot that is kicked back where it touches: the map of the reset behind the touch, then the pressed flow."""
    y, dy = jounce.coordinate("y", "m")
    k, c, kick = jounce.parameters(k=2e3, c=15.0, kick=0.4)
    model = jounce.Model.from_lagrangian(
        "kicked_soft_ball",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=9.81 * y,
        contacts=[jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(k, c))],
        resets=[jounce.Reset("touch:floor", {dy: dy + kick * dy**2})],
        start={y: 0.3},
    )
    system = jounce.compile_model(model)
    check_derivative(system, system.state(), 0.9, "kick", {"touch", "reset"}, within=1e-7)


def test_derivatives_need_located_touches() -> None:
    system = ball("kelvin_voigt")
    with pytest.raises(OptionError, match="located"):
        flow(system, system.state(), 0.5, options=jounce.Options(contact_detection="none"))


@cache
def _particle(name: str) -> jounce.System:
    x, dx = jounce.coordinate("x", "m")
    a, w = jounce.parameters(a=3.0, w=2.0)
    force = {
        "field": -a * sp.Heaviside(x),
        "wave": a * sp.sign(sp.sin(w * jounce.time)),
        "bilinear": -x - a * sp.Max(x - sp.Rational(1, 2), 0) + sp.sin(w * jounce.time) / 10,
    }[name]
    start = {x: -1.0}
    model = jounce.Model.from_lagrangian(
        f"jumping_{name}", coordinates=[x], kinetic=dx**2 / 2, potential=0, forces={x: force}, start=start
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize("speed", [0.7, 2.0, 31.0])
def test_a_force_that_jumps_with_the_place_has_its_saltation(speed: float) -> None:
    """No force up to x = 0, then -a: x = v s - a s^2/2 and v - a s with s = T + x0/v."""
    a, x0, system = 3.0, -1.0, _particle("field")
    duration = 1.0 / speed + 0.8 * speed / a  # it has not come back to x = 0
    ours = flow(system, system.state(x=x0, d_x=speed), duration, parameter="a", options=jounce.Options(tolerance=1e-12))
    s = duration + x0 / speed
    end = speed - a * s
    expected = [[end / speed, s - end * x0 / speed**2], [-a / speed, 1 + a * x0 / speed**2]]
    assert ours.irregular == 0
    assert ours.matrix == pytest.approx(np.array(expected), abs=1e-10)
    assert ours.parameter_column == pytest.approx(np.array([-(s**2) / 2, -s]), rel=1e-9)


def test_a_force_that_jumps_with_time_has_its_derivative_by_the_frequency() -> None:
    """+a up to t1 = pi/w, -a up to 2 t1, then +a: v = v0 + a (T - 2 t1), so dv/dw = 2 a pi/w^2."""
    a, w, system = 3.0, 2.0, _particle("wave")
    duration = 2.5 * np.pi / w
    ours = flow(system, system.state(), duration, parameter="w", options=jounce.Options(tolerance=1e-12))
    t1 = np.pi / w
    # x = x0 + v0 T + a t1^2/2 + ...: by the times of the jumps, dx/dt1 = 2 a (T - t1), dx/dt2 = -2 a (T - 2 t1)
    by_times = np.array([2 * a * (duration - t1) - 2 * (2 * a) * (duration - 2 * t1), 2 * a - 2 * (2 * a)])
    assert ours.parameter_column == pytest.approx(by_times * (-np.pi / w**2), rel=1e-9)
    assert ours.matrix == pytest.approx(np.array([[1.0, duration], [0.0, 1.0]]), abs=1e-11)


def test_a_kink_at_the_end_of_a_step_has_the_slope_of_its_own_side() -> None:
    system = _particle("bilinear")
    check_derivative(system, system.state(x=1.0, d_x=0.2), 7.3, "w", set(), within=1e-8)

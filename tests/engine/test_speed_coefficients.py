"""Friction that depends on the slip speed, restitution that depends on the approach speed."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import jounce
from jounce import approach_speed, slip
from jounce.errors import ModelError
from jounce.kernels.records import workspace
from jounce.model.surfaces import SURFACE_COLUMNS
from tests.references.flow import check_derivative
from tests.units.rescaling import Units, compare_events, rescaled


def block_on_belt(friction, **contact) -> jounce.Model:
    """A block on a belt, held by a spring and a damper; the normal force is m g."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    m, k, c, g, v = jounce.parameters(
        m=(1.0, "kg"), k=(1.0, "kg/s^2"), c=(0.0, "kg/s"), g=(1.0, "m/s^2"), v=(0.2, "m/s")
    )
    return jounce.Model.from_lagrangian(
        "block_on_belt",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=k * x**2 / 2 + m * g * y,
        forces={x: -c * dx},
        contacts=[jounce.Contact("belt", gap=y, slip=dx - v, friction=friction, **contact)],
        start={x: 1.0},
    )


def hyperbolic() -> jounce.Model:
    """mu = 1/(1 + delta s): Leine & van Campen's stick-slip block."""
    delta = jounce.parameter("delta", 3.0, "s/m")
    return block_on_belt(1 / (1 + delta * slip))


def stribeck() -> jounce.Model:
    """From mu_s at rest down to mu_d over the speed v_s."""
    mu_s, mu_d, v_s = jounce.parameters(mu_s=0.6, mu_d=0.3, v_s=(0.3, "m/s"))
    return block_on_belt(mu_d + (mu_s - mu_d) * sp.exp(-slip / v_s))


def thrown(friction=0, restitution=0, **contact) -> jounce.Model:
    """A mass that is thrown onto a floor."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    g = jounce.parameter("g", 9.81, "m/s^2")
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=friction, restitution=restitution, **contact)
    return jounce.Model.from_lagrangian(
        "thrown", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, potential=g * y, contacts=[floor], start={y: 1.0}
    )


def test_the_columns_of_surfaces_are_those_of_the_kernels() -> None:
    assert len(SURFACE_COLUMNS) == workspace.SURFACE_STRIDE
    for place, name in enumerate(SURFACE_COLUMNS):
        assert getattr(workspace, name.upper()) == place


def stick_slip_period(delta: float, v: float) -> float:
    """Slip from x = 1 with the belt's velocity to the next stick (SciPy), then stick back to x = 1."""

    def rates(_t, z):
        return [z[1], -z[0] + 1.0 / (1.0 + delta * (v - z[1]))]

    def relative(_t, z):
        return v - z[1]

    relative.terminal, relative.direction = True, -1
    # the block leaves with the acceleration zero: away from there the slip has its sign
    start = solve_ivp(rates, (0.0, 0.5), [1.0, v], rtol=1e-13, atol=1e-14, method="DOP853")
    begin = start.y[:, -1]
    rest = solve_ivp(rates, (0.5, 30.0), begin, events=relative, rtol=1e-13, atol=1e-14, method="DOP853")
    ended, where = float(rest.t_events[0][0]), float(rest.y_events[0][0][0])
    return ended + (1.0 - where) / v


def test_period_of_the_stick_slip_cycle() -> None:
    """Leine, van Campen, de Kraker, van den Steen, Nonlinear Dynamics 16 (1998): T = 12.0010313."""
    system = jounce.compile_model(hyperbolic())
    run = jounce.simulate(system, system.state(), 100.0, options=jounce.Options(tolerance=1e-12, audit="dense"))
    sticks = run.events.t[run.events.kind == "stick"].to_numpy()
    period = float(np.diff(sticks)[-1])
    assert period == pytest.approx(12.0010313, abs=5e-8)
    assert period == pytest.approx(stick_slip_period(3.0, 0.2), abs=1e-9)
    assert float(abs(run.energy.residual).max()) < 1e-9
    orbit = jounce.find_orbit(system, run.at(sticks[-2] + 8.0), "plane:x=0.3:-1")
    assert orbit.run.t_end - orbit.run.t_start == pytest.approx(period, abs=1e-9)
    # the mass forgets its past in every stick: one multiplier is 1, along the orbit, the others are 0
    assert sorted(abs(orbit.multipliers)) == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-9)


def test_hopf_point_of_steady_sliding() -> None:
    """x'' + c x' + x = mu(v - x'): the damping c + mu'(v) changes its sign."""
    system = jounce.compile_model(stribeck())
    branch = jounce.continue_equilibrium(jounce.find_equilibrium(system, "SLIP-", v=1.0, c=0.1), "v", (0.3, 1.5))
    (hopf,) = branch.special[branch.special.kind == "hopf"].v
    assert hopf == pytest.approx(-0.3 * math.log(0.1 * 0.3 / 0.3), abs=1e-8)
    at = jounce.find_equilibrium(system, "SLIP-", v=1.0, c=0.1)
    assert at.state["x"] == pytest.approx(0.3 + 0.3 * math.exp(-1.0 / 0.3), abs=1e-12)


@pytest.mark.parametrize("model", [hyperbolic, stribeck])
@pytest.mark.parametrize("v", [0.2, -0.2])
def test_variations_know_the_slope_of_the_friction(model, v: float) -> None:
    system = jounce.compile_model(model())
    parameter = "delta" if model is hyperbolic else "v_s"
    check_derivative(system, system.state(), 14.0, parameter, {"stick", "slip"}, within=1e-8, v=v, c=0.01)


def test_friction_that_grows_with_the_speed_never_stops_a_block() -> None:
    """mu = c s: the slip decays as exp(-c g t), whichever way it goes."""
    drag = jounce.parameter("drag", 0.3, "s/m")
    system = jounce.compile_model(thrown(friction=drag * slip))
    for sign in (1.0, -1.0):
        run = jounce.simulate(system, system.state(y=0.0, d_x=sign * 2.0), 5.0, options=jounce.Options(audit="dense"))
        assert run.status.name == "FINISHED"
        assert not len(run.events)
        assert run.at(5.0)["d_x"] == pytest.approx(sign * 2.0 * math.exp(-0.3 * 9.81 * 5.0), rel=1e-7)


def test_a_root_of_the_slip_speed_stops_a_block_in_finite_time() -> None:
    """mu = a + b sqrt(s): dt = -ds/(g (a + b sqrt s)) ends at t = (2/g)(r/b - a/b^2 log(1 + b r/a)), r = sqrt(s_0)."""
    a, b = 0.2, 0.1
    system = jounce.compile_model(thrown(friction=a + b * sp.sqrt(slip)))
    run = jounce.simulate(system, system.state(y=0.0, d_x=-4.0), 5.0, options=jounce.Options(tolerance=1e-11))
    root = 2.0
    expected = 2.0 / 9.81 * (root / b - a / b**2 * math.log(1.0 + b * root / a))
    assert run.events.kind.tolist() == ["stick"]
    assert run.events.t[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("v_x", [3.0, -3.0])
@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
def test_an_impact_rubs_with_the_friction_of_its_slip(law: str, v_x: float) -> None:
    system = jounce.compile_model(thrown(friction=0.1 + 0.4 * sp.exp(-slip), restitution=0.5))
    run = jounce.simulate(system, system.state(y=1.0, d_x=v_x), 0.6, options=jounce.Options(law=law))
    (impact,) = run.events[run.events.kind == "impact"].itertuples()
    assert abs(impact.p_t) == pytest.approx((0.1 + 0.4 * math.exp(-3.0)) * impact.p_n, rel=1e-12)
    assert impact.p_t * v_x < 0.0


def test_restitution_of_the_approach_speed() -> None:
    """A ball with e = 1/(1 + v/c): speeds by their recurrence, in numbers of this test."""
    c = jounce.parameter("c", 5.0, "m/s")
    system = jounce.compile_model(thrown(restitution=1 / (1 + approach_speed / c)))
    run = jounce.simulate(system, system.state(y=2.0), 6.0, options=jounce.Options(tolerance=1e-12))
    speeds = -run.events.v_n_before[run.events.kind == "impact"].to_numpy()
    expected, v = [], math.sqrt(2 * 9.81 * 2.0)
    for _ in speeds:
        expected.append(v)
        v = v / (1 + v / 5.0)
    assert len(speeds) > 5
    assert speeds == pytest.approx(np.array(expected), rel=1e-9)
    assert run.audit("dense").empty


def test_chatter_with_restitution_of_speed_ends_in_time() -> None:
    """e = 0.5 + 0.2 v/(v + 1): the times of all bounces summed here, to the last."""
    system = jounce.compile_model(thrown(restitution=sp.Rational(1, 2) + approach_speed / (approach_speed + 1) / 5))
    run = jounce.simulate(system, system.state(y=1.0), 5.0, options=jounce.Options(tolerance=1e-12))
    v = math.sqrt(2 * 9.81)
    end = v / 9.81
    while v > 1e-15:
        v *= 0.5 + 0.2 * v / (v + 1.0)
        end += 2 * v / 9.81
    assert run.events.kind.iloc[-1] == "chatter"
    assert run.events.t.iloc[-1] == pytest.approx(end, abs=1e-10)


def test_sequential_impacts_have_coefficients_of_their_own_speeds() -> None:
    """A ball onto one that lies on the floor: the second impact begins at the speed which the first one gave."""
    a, da = jounce.coordinate("a", "m")
    b, db = jounce.coordinate("b", "m")
    e = 1 / (1 + approach_speed)
    model = jounce.Model.from_lagrangian(
        "two_balls",
        coordinates=[a, b],
        kinetic=(da**2 + db**2) / 2,
        potential=9.81 * (a + b),
        contacts=[
            jounce.Contact("floor", gap=a, restitution=e),
            jounce.Contact("between", gap=b - a, restitution=e),
        ],
        start={a: 0.0, b: 1.0},
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 0.46)
    for impact in run.events[run.events.kind == "impact"].itertuples():
        closing = -impact.v_n_before
        assert impact.v_n_after == pytest.approx(closing / (1 + closing), rel=1e-9)
    assert len(run.events[run.events.kind == "impact"]) >= 2


@pytest.mark.parametrize("units", [Units(2.0**-20, 2.0**10, 2.0**7), Units(1e3, 1e-3, 1e6)])
@pytest.mark.parametrize("model", [hyperbolic, stribeck])
def test_other_units(model, units: Units) -> None:
    system = jounce.compile_model(model())
    here = jounce.simulate(system, system.state(), 40.0)
    start, values = rescaled(system, {}, {}, units)
    there = jounce.simulate(system, start, 40.0 * units.time, **values)
    count, worst = compare_events(here, there, units)
    assert count == len(here.events) == len(there.events) > 2
    assert worst < 1e-9


def test_files_keep_the_speeds(tmp_path) -> None:
    e = 1 / (1 + approach_speed)
    model = thrown(friction=0.1 + 0.4 * sp.exp(-slip), restitution=e, static_friction=0.7)
    path = tmp_path / "thrown.toml"
    model.to_file(path)
    again = jounce.Model.from_file(path)
    assert again.contacts[0].friction == model.contacts[0].friction
    assert again.contacts[0].restitution == e
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(d_x=1.0), 1.0)
    run.save(tmp_path / "run.nc")
    kept = jounce.load(tmp_path / "run.nc")
    assert kept.system.model.contacts[0].friction == model.contacts[0].friction


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ({"gap": "y", "friction": 1 / slip}, "no value at rest"),
        ({"gap": "y", "friction": slip + approach_speed}, "in the restitution of a contact only"),
        ({"gap": "y", "restitution": slip}, "in the friction of a contact only"),
        ({"gap": "y", "friction": 0.3, "static_friction": 0.2 + slip}, "in the friction of a contact only"),
        ({"gap": "y", "friction": 0.3 - slip, "static_friction": 0.2}, "is below the kinetic friction"),
        ({"gap": "y", "compliance": jounce.Hertz(1e6), "restitution": approach_speed}, "rigid contacts"),
    ],
)
def test_refusals(contact, message: str) -> None:
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    given = {**contact, "gap": y}
    with pytest.raises(ModelError, match=message):
        jounce.Model.from_lagrangian(
            "refused",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            contacts=[jounce.Contact("floor", slip=dx, **given)],
            start={y: 1.0},
        )


def test_compliant_contact_rubs_with_the_friction_of_its_slip() -> None:
    """Steady sliding on a spring: mu(s) m g, the closed form of the deceleration."""
    model = thrown(friction=0.1 + 0.4 * sp.exp(-slip), compliance=jounce.KelvinVoigt(1e5, 1e3))
    system = jounce.compile_model(model)
    depth = 9.81 / 1e5
    run = jounce.simulate(system, system.state(y=-depth, d_x=3.0), 0.3)

    def rate(_t, v):
        return -9.81 * (0.1 + 0.4 * np.exp(-v)) * v / np.sqrt(v**2 + 1e-6)

    expected = solve_ivp(rate, (0.0, 0.3), [3.0], rtol=1e-12, atol=1e-12).y[0, -1]
    assert run.at(0.3)["d_x"] == pytest.approx(expected, rel=1e-7)


def test_falling_friction_against_an_integration_of_its_own() -> None:
    """A push that the friction at rest just holds not: slip, its end and the stick, beside SciPy."""
    system = jounce.compile_model(stribeck())
    run = jounce.simulate(system, system.state(x=0.9), 4.0, options=jounce.Options(tolerance=1e-12), v=0.0)

    def rates(_t, z):
        return [z[1], -z[0] + 0.3 + 0.3 * math.exp(z[1] / 0.3)]  # it slides back: speed -z[1]

    ended = brentq(lambda t: solve_ivp(rates, (0, t), [0.9, 0.0], rtol=1e-12, atol=1e-14).y[1, -1], 2.0, 3.4)
    assert run.events.kind.iloc[0] in ("slip", "stick")
    assert run.events.t[run.events.kind == "stick"].iloc[0] == pytest.approx(ended, abs=1e-8)


def test_the_audit_takes_friction_in_the_direction_of_the_slip() -> None:
    """Far from zero slip the continuation of the other direction is beyond all bounds: exp(0.88/0.026)."""
    system = jounce.compile_model(thrown(friction=0.2 + 0.3 * sp.exp(-slip / 0.026), restitution=0.5))
    for v_x in (0.88, -0.88):
        run = jounce.simulate(system, system.state(y=0.1, d_x=v_x), 1.0)
        assert "chatter" in set(run.events.kind)
        assert run.audit("dense").empty

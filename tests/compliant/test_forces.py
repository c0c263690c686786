"""Forces, ledgers and events of compliant contacts against closed forms and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from tests.compliant.models import FINE, drop, largest_residual, slider_on_floor
from tests.compliant.references import collide, linear_solid


def test_maxwell_force_is_a_damped_oscillation() -> None:
    """F = k v/w_d exp(-zeta w t) sin(w_d t) with 2 zeta w = k/c, to 1e-9 of its largest value; it ends at F = 0."""
    k, c, v = 1e4, 200.0, 1.3
    w = math.sqrt(k)
    zeta = w / (2 * c)
    wd = w * math.sqrt(1 - zeta**2)
    run = jounce.simulate(drop(jounce.Maxwell(k, c)), _touching(jounce.Maxwell(k, c), v), 0.1, options=FINE, g=0.0)
    end = float(run.events["t"].iloc[1])
    assert list(run.events["kind"]) == ["touch", "separate"]
    assert end == pytest.approx(math.pi / wd, rel=1e-12)
    times = np.linspace(1e-6, end - 1e-6, 50)
    force = run.contact_forces(times)["lambda_N"].to_numpy()[:, 0]
    exact = k * v / wd * np.exp(-zeta * w * times) * np.sin(wd * times)
    np.testing.assert_allclose(force, exact, atol=1e-9 * exact.max())
    # the damper keeps its indentation: the contact lets go inside the gap, which opens later without an event
    assert run.at(end)["y"] == pytest.approx(-v * (2 * zeta / w) * (1 + math.exp(-zeta * w * end)), rel=1e-9)
    assert run.final["y"] > 0
    assert largest_residual(run) < 1e-10


def test_kelvin_voigt_force() -> None:
    k, c, v = 1e4, 30.0, 1.3
    w = math.sqrt(k)
    zeta = c / (2 * w)
    wd = w * math.sqrt(1 - zeta**2)
    law = jounce.KelvinVoigt(k, c)
    run = jounce.simulate(drop(law), _touching(law, v), 0.1, options=FINE, g=0.0)
    end = float(run.events["t"].iloc[1])
    assert end == pytest.approx((math.pi - 2 * math.asin(zeta)) / wd, rel=1e-12)
    times = np.linspace(0, end, 50)
    decay = v * np.exp(-zeta * w * times)
    exact = k * decay * np.sin(wd * times) / wd
    exact += c * decay * (np.cos(wd * times) - zeta * w / wd * np.sin(wd * times))
    force = run.contact_forces(times[:-1])["lambda_N"].to_numpy()[:, 0]
    np.testing.assert_allclose(force, exact[:-1], atol=1e-9 * exact.max())
    # what the spring holds when the surface is left behind is lost: the ledger knows
    held = k / 2 * (v * math.exp(-zeta * w * end) * math.sin(wd * end) / wd) ** 2
    ledger = run.energy
    jump = np.flatnonzero(np.diff(ledger["elastic"]) < -0.5 * held)[-1]
    assert float(ledger["elastic"][jump]) == pytest.approx(held, rel=1e-9)
    assert float(ledger["contact_loss"][jump + 1] - ledger["contact_loss"][jump]) == pytest.approx(held, rel=1e-9)
    assert largest_residual(run) < 1e-10


def test_standard_linear_solid_lets_go_where_its_force_vanishes() -> None:
    law = jounce.StandardLinearSolid(1e4, 3e4, 80.0)
    run = jounce.simulate(drop(law), _touching(law, 0.7), 0.2, options=FINE, g=0.0)
    duration, restitution = linear_solid(1e4, 3e4, 80.0, m=1.0, v=0.7)
    assert run.events["t"].iloc[1] == pytest.approx(duration, rel=1e-10)
    assert run.events["v_n_after"].iloc[1] == pytest.approx(0.7 * restitution, rel=1e-10)
    assert largest_residual(run) < 1e-10


@pytest.mark.parametrize("law", [jounce.LankaraniNikravesh(1e7), jounce.HuntCrossley(1e7), jounce.Flores2011(1e7)])
def test_a_bounce_under_gravity(law: jounce.LankaraniNikravesh) -> None:
    """With a second force the closed form of the restitution does not hold; SciPy integrates the same collision."""
    run = jounce.simulate(drop(law), drop(law).state(y=0.5), 0.4, options=FINE, e=0.6)
    v = math.sqrt(2 * 9.81 * 0.5)
    a = float(law.factor(0.6))
    duration, departure = collide(lambda d, r, v0: 1e7 * d**1.5 * (1 + a * r / v0), 1.0, v, g=9.81)
    touch, separate = run.events.iloc[0], run.events.iloc[1]
    assert (touch["kind"], touch["mode_before"], touch["mode_after"]) == ("touch", "OPEN", "PRESSED")
    assert (separate["kind"], separate["mode_before"], separate["mode_after"]) == ("separate", "PRESSED", "OPEN")
    assert touch["t"] == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-12)
    assert touch["v_n_before"] == touch["v_n_after"] == pytest.approx(-v, rel=1e-12)
    assert separate["t"] - touch["t"] == pytest.approx(duration, rel=1e-9)
    assert separate["v_n_before"] == separate["v_n_after"] == pytest.approx(departure, rel=1e-9)
    assert largest_residual(run) < 1e-9


def test_a_ball_settles_where_the_floor_carries_it() -> None:
    law = jounce.LankaraniNikravesh(1e6)
    run = jounce.simulate(drop(law), drop(law).state(y=0.1), 5.0)
    assert run.final["y"] == pytest.approx(-((9.81 / 1e6) ** (2 / 3)), rel=1e-9)
    assert abs(run.final["d_y"]) < 1e-9
    assert run.events["kind"].iloc[-1] == "touch"
    assert largest_residual(run) < 1e-8


def test_a_run_may_start_pressed() -> None:
    """At its static depth nothing moves; deeper it is thrown off with the energy of the spring."""
    law = jounce.Hertz(1e6)
    depth = (9.81 / 1e6) ** (2 / 3)
    run = jounce.simulate(drop(law), drop(law).state(y=-depth), 1.0)
    assert run.final["y"] == pytest.approx(-depth, rel=1e-9)
    assert len(run.events) == 0
    run = jounce.simulate(drop(law), drop(law).state(y=-0.01), 0.05, options=FINE)
    assert list(run.events["kind"]) == ["separate"]
    energy = 0.4 * 1e6 * 0.01**2.5 - 9.81 * 0.01
    assert 0.5 * float(run.events["v_n_after"].iloc[0]) ** 2 == pytest.approx(energy, rel=1e-10)
    assert largest_residual(run) < 1e-10


def test_a_start_at_rest_on_the_surface() -> None:
    """Gap and velocity zero: gravity presses it down, and Hertz lets it swing about the static depth for ever."""
    law = jounce.Hertz(1e6)
    run = jounce.simulate(drop(law), drop(law).state(y=0.0), 0.5, options=FINE)
    deepest = jounce.contact_periods(run)["deepest"]
    depth = (2.5 * 9.81 / 1e6) ** (2 / 3)  # 0.4 K d^2.5 = m g d
    assert deepest.iloc[0] == pytest.approx(depth, abs=5 * FINE.tolerance)
    # dozens of swings later still: the tolerance is relative to 1 + |y|, a thousand times the depth
    np.testing.assert_allclose(deepest[:-1], depth, rtol=1e-8)
    # without gravity, and with gravity turned round, it stays off
    assert len(jounce.simulate(drop(law), drop(law).state(y=0.0), 0.5, g=0.0).events) == 0
    assert len(jounce.simulate(drop(law), drop(law).state(y=0.0), 0.5, g=-9.81).events) == 0


def test_friction_is_regularised() -> None:
    """Sliding on a compliant floor: the tangential force is -mu F v/sqrt(v^2 + v_s^2), against SciPy."""
    law = jounce.KelvinVoigt(1e5, 300.0, friction_speed=0.05)
    system = slider_on_floor(law, None)
    depth = 2 * 9.81 / 1e5
    run = jounce.simulate(system, system.state(x=0.0, y=-depth, d_x=0.6), 0.5, options=FINE)
    reference = solve_ivp(
        lambda t, z: [z[1], -0.2 * 9.81 * z[1] / math.hypot(z[1], 0.05)],
        (0, 0.5),
        [0.0, 0.6],
        "DOP853",
        rtol=1e-12,
        atol=1e-14,
    )
    assert run.final["x"] == pytest.approx(reference.y[0, -1], abs=1e-9)
    force = run.contact_forces([0.0, 0.1])
    assert force["lambda_T"][0, 0] == pytest.approx(-0.2 * 2 * 9.81 * 0.6 / math.hypot(0.6, 0.05), rel=1e-9)
    lost = 0.5 * 2 * (0.6**2 - run.final["d_x"] ** 2)
    assert float(run.energy["friction_loss"][-1]) == pytest.approx(lost, rel=1e-8)
    assert largest_residual(run) < 1e-10


def test_rigid_and_compliant_contacts_in_one_model() -> None:
    """A rigid floor with friction carries the mass while a compliant wall throws it back, and the other way round."""
    system = slider_on_floor(None, jounce.Hertz(1e8))
    run = jounce.simulate(system, system.state(x=0.0, y=0.0, d_x=3.0), 1.0, options=FINE)
    kinds = list(run.events[run.events["contact"] == "wall"]["kind"])
    assert kinds == ["touch", "separate"]
    wall = run.events[run.events["contact"] == "wall"]
    assert wall["v_n_before"].iloc[0] == pytest.approx(-math.sqrt(9 - 2 * 0.2 * 9.81), rel=1e-10)
    floor = run.modes(np.linspace(0, 0.99, 50)).sel(contact="floor").to_numpy()
    assert "OPEN" not in floor
    assert "SLIP+" in floor
    assert "SLIP-" in floor
    # the floor's sliding turns round where the wall's deepest point is
    assert "reversal" in set(run.events["kind"]) | {"slip"} & set(run.events["kind"])
    assert largest_residual(run) < 1e-9
    system = slider_on_floor(jounce.HuntCrossley(1e7), None)
    run = jounce.simulate(system, system.state(y=0.01, d_x=3.0), 1.0, e=0.5, options=FINE)
    assert "impact" in set(run.events[run.events["contact"] == "wall"]["kind"])
    assert "touch" in set(run.events[run.events["contact"] == "floor"]["kind"])
    assert largest_residual(run) < 1e-9


def test_a_moving_surface_does_work() -> None:
    """A belt that carries the mass along and shakes it: every joule has an account."""
    system = slider_on_floor(jounce.HuntCrossley(1e6), jounce.Hertz(1e7), moving=True)
    run = jounce.simulate(system, system.state(y=0.02), 3.0, e=0.5, options=FINE)
    ledger = run.energy
    assert abs(float(ledger["surface_work"][-1])) > 0.1
    assert float(ledger["friction_loss"][-1]) > 0.01
    assert float(ledger["contact_loss"][-1]) > 0.01
    assert largest_residual(run) < 1e-8


def test_a_grazing_touch_is_no_contact() -> None:
    """A path that only just reaches the surface and turns back: one grazing row, no pressing."""
    law = jounce.Hertz(1e9)
    run = jounce.simulate(drop(law), drop(law).state(y=2.0, d_y=-2.0), 3.0, g=-1.0)
    assert list(run.events["kind"]) == ["grazing"]
    assert run.events["t"].iloc[0] == pytest.approx(2.0, abs=1e-6)
    # coming with a little more speed it is pressed, with a little less there is nothing
    run = jounce.simulate(drop(law), drop(law).state(y=2.0, d_y=-2.0 - 1e-6), 3.0, g=-1.0)
    assert list(run.events["kind"]) == ["touch", "separate"]
    run = jounce.simulate(drop(law), drop(law).state(y=2.0, d_y=-2.0 + 1e-6), 3.0, g=-1.0)
    assert len(run.events) == 0


def test_contact_periods() -> None:
    law = jounce.Hertz(1e7)
    run = jounce.simulate(drop(law), drop(law).state(y=0.2), 1.0, options=FINE)
    table = jounce.contact_periods(run)
    v = math.sqrt(2 * 9.81 * 0.2)
    # 0.4 K d^2.5 = m v^2/2 + m g d
    root = np.roots([0.4 * 1e7, 0, 0, -9.81, 0, -(v**2) / 2])
    depth = float(np.real(root[(np.abs(root.imag) < 1e-9) & (root.real > 0)][0])) ** 2
    np.testing.assert_allclose(table["deepest"], depth, rtol=1e-9)
    np.testing.assert_allclose(table["largest_force"], 1e7 * depth**1.5, rtol=1e-8)
    np.testing.assert_allclose(table["restitution"], 1.0, rtol=1e-9)
    np.testing.assert_allclose(table["approach"], v, rtol=1e-9)
    np.testing.assert_allclose(table["duration"], collide(lambda d, r, _: 1e7 * d**1.5, 1.0, v, g=9.81)[0], rtol=1e-8)
    with pytest.raises(
        jounce.SimulationError, match="'flor' is no compliant contact of drop_Hertz; did you mean 'floor'"
    ):
        jounce.contact_periods(run, "flor")


def _touching(law: jounce.Maxwell, speed: float) -> jounce.State:
    return drop(law).state(y=0.0, d_y=-speed)

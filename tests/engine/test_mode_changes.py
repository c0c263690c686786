"""Landing, release, stick, slip and reversal: every change of mode with its own reference."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.engine.models import rubbing_mass
from tests.engine.support import kinds, of_kind, simulate
from tests.references.ball import table_lift_off
from tests.references.belt import Belt, belt_events
from tests.references.chatter import rod_chatter, rod_settle
from tests.references.rod import Rod
from tests.references.sliding import SlidingRod, rod_slide, sliding_start

NAMES = ("x", "y", "theta", "d_x", "d_y", "d_theta")

SLIDES = (
    ("landing", SlidingRod(A=0.1, omega=2.0, mu=0.2), (0.0, 0.5, 0.0, 1.0)),
    ("landing", SlidingRod(A=0.0, omega=1.0, mu=0.05), (0.0, 1.0, -0.5, 2.0)),
    ("landing", SlidingRod(A=0.1, omega=2.0, mu=0.1), (0.3, 0.3, 0.2, -4.0)),
    ("landing", SlidingRod(A=0.05, omega=5.0, mu=0.0), (0.0, 0.7, 0.0, 4.0)),
    ("release", SlidingRod(A=0.5, omega=6.0, mu=0.1), (0.9, 0.4, 0.0, 3.0)),
    ("stop", SlidingRod(A=0.1, omega=2.0, mu=0.6), (0.0, 1.2, 0.0, 0.5)),
)


@pytest.mark.parametrize(("kind", "rod", "start"), SLIDES)
def test_the_end_of_a_slide(kind, rod, start):
    """P1 slides with friction until P2 lands, its own force vanishes, or its slip stops: time 1e-9, state 1e-8."""
    t, theta, d_theta, slip = start
    q, u = sliding_start(rod, t, theta, d_theta, slip)
    reference = rod_slide(rod, t, 0.0, theta, u[0], d_theta)
    assert reference.kind == kind
    parameters = {name: getattr(rod, name) for name in ("A", "omega", "mu", "g", "m", "L")}
    values = dict(zip(NAMES, (*q, *u), strict=True))
    run = simulate("slender_rod", reference.t + 1e-3, {"t": t, **values}, e=0.5, **parameters)
    first = run.events[run.events["t"] > t].iloc[0]
    assert first["t"] == pytest.approx(reference.t, abs=1e-9)
    assert first["kind"] in {"landing": ("impact",), "release": ("lift_off",), "stop": ("stick", "reversal")}[kind]
    assert first["contact"] == ("P2" if kind == "landing" else "P1")
    before = run.at(first["t"], "left")
    np.testing.assert_allclose(before.q, reference.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(before.u, reference.u, rtol=0, atol=1e-8)


def test_a_frictionless_slide_keeps_its_horizontal_velocity():
    rod = SlidingRod(A=0.1, omega=2.0, mu=0.0)
    q, u = sliding_start(rod, 0.0, 0.5, 0.0, 1.0)
    run = simulate("slender_rod", 0.2, dict(zip(NAMES, (*q, *u), strict=True)), A=0.1, omega=2.0, mu=0.0)
    assert run.at(0.2)["d_x"] == pytest.approx(u[0], abs=1e-13)


@pytest.mark.parametrize(("A", "omega"), [(0.5, 6.0), (0.2, 8.0), (1.0, 3.2), (0.011, 30.0)])
def test_release_from_the_table(A, omega):
    """gap = gap' = gap'' = 0 at the release: its time, and the landing that follows, against 40 digits."""
    reference = table_lift_off(A=A, omega=omega)
    start = {"y": 0.0, "d_y": A * omega}
    run = simulate("ball_on_table", float(reference.t_landing) + 1e-6, start, A=A, omega=omega, e=0.5)
    lift, landing = of_kind(run, "lift_off").iloc[0], of_kind(run, "impact").iloc[0]
    # the force vanishes linearly, lambda_N' = -A omega^3 cos: its rounding decides
    assert lift["t"] == pytest.approx(float(reference.t_release), abs=1e-10)
    assert landing["t"] == pytest.approx(float(reference.t_landing), abs=1e-9)
    assert run.at(landing["t"], "left")["d_y"] == pytest.approx(float(reference.v_landing), abs=1e-8)
    between = np.linspace(lift["t"], landing["t"], 200)[1:-1]
    gap = run.states(between)[:, 0] - A * np.sin(omega * between)
    assert (gap > -1e-12).all()


BELTS = (
    (Belt(k=10.0, v_belt=0.2, mu=0.3, mu_s=0.4), 0.0, 0.2),
    (Belt(k=4.0, c=0.05, v_belt=0.5, mu=0.2, mu_s=0.4), 0.0, 0.5),
    (Belt(k=10.0, v_belt=0.2, mu=0.1, mu_s=0.12), 1.5, 0.0),
    (Belt(k=20.0, v_belt=0.3, mu=0.05, mu_s=0.05), -2.0, 0.0),
    (Belt(k=10.0, v_belt=-0.4, mu=0.3, mu_s=0.5), 0.1, -0.4),
)


@pytest.mark.parametrize(("belt", "x", "v"), BELTS)
def test_stick_slip_and_reversal_on_a_belt(belt, x, v):
    """The first events of a block on a belt against the joined closed forms: kinds, times 1e-9, places 1e-9."""
    reference = belt_events(belt, 8, x, v)
    assert len(reference) >= 3
    parameters = {name: float(getattr(belt, name)) for name in ("m", "k", "c", "v_belt", "mu", "mu_s", "g")}
    t_end = float(reference[-1].t) + 1e-6
    run = simulate("belt_oscillator", t_end, {"x": x, "d_x": v}, **parameters)
    events = of_kind(run, "stick", "slip", "reversal").iloc[: len(reference)]
    assert events["kind"].tolist() == [event.kind for event in reference]
    np.testing.assert_allclose(events["t"], [float(event.t) for event in reference], rtol=0, atol=1e-9)
    for event in reference:
        assert run.at(min(float(event.t), run.t_end))["x"] == pytest.approx(float(event.x), abs=1e-9)


def test_the_references_show_both_stick_and_reversal():
    seen = {event.kind for belt, x, v in BELTS for event in belt_events(belt, 8, x, v)}
    assert seen == {"stick", "slip", "reversal"}


def test_static_friction_holds_on_a_slope():
    """A mass stays where mu exceeds the slope's tangent and slides in closed form where it does not."""
    system = jounce.compile_model(rubbing_mass())
    tilt = 0.25  # tan = 0.2553
    held = simulate(system, 3.0, {"y": 0.0}, tilt=tilt, mu=0.26)
    assert held.modes([1.0]).item() == "STICK"
    assert held.final["x"] == pytest.approx(0.0, abs=1e-14)
    slid = simulate(system, 1.0, {"y": 0.0}, tilt=tilt, mu=0.25)
    acceleration = 9.81 * (np.sin(tilt) - 0.25 * np.cos(tilt))
    assert slid.final["x"] == pytest.approx(acceleration / 2, rel=1e-9)


def test_slip_stops_and_sticks_in_closed_form():
    """x' = v - mu g t: stops after v/(mu g), having gone v^2/(2 mu g)."""
    system = jounce.compile_model(rubbing_mass())
    run = simulate(system, 5.0, {"y": 0.0, "d_x": -2.0}, mu=0.3)
    assert run.status.name == "FINISHED"  # the table could move: the model is not autonomous, so it is not at rest
    assert kinds(run)[-1] == "stick"
    assert run.events["t"].iloc[-1] == pytest.approx(2.0 / (0.3 * 9.81), abs=1e-12)
    assert run.final["x"] == pytest.approx(-4.0 / (2 * 0.3 * 9.81), abs=1e-12)


def test_a_mass_thrown_up_a_slope_comes_back():
    """Slip reversal in closed form: up with g (sin + mu cos), down with g (sin - mu cos)."""
    system = jounce.compile_model(rubbing_mass())
    tilt, mu = 0.5, 0.2
    up, down = (9.81 * (np.sin(tilt) + sign * mu * np.cos(tilt)) for sign in (1, -1))
    run = simulate(system, 2.0, {"y": 0.0, "d_x": -3.0}, tilt=tilt, mu=mu)
    reversal = of_kind(run, "reversal").iloc[0]
    assert (reversal["mode_before"], reversal["mode_after"]) == ("SLIP-", "SLIP+")
    assert reversal["t"] == pytest.approx(3.0 / up, abs=1e-11)
    rest = 2.0 - 3.0 / up
    assert run.final["x"] == pytest.approx(-9.0 / (2 * up) + down * rest**2 / 2, abs=1e-10)


FLAT = (
    (Rod(A=0, mu=0, e=0.05), (0, 0.5, 1e-3), (0, 0, 0)),
    (Rod(A=0, mu=0, e=0.03), (0, 0.2, -2e-3), (0.5, -0.2, 0.01)),
    (Rod(A=0, mu=0.1, e=0.05), (0, 0.5, 1e-3), (1, 0, 0)),
)


@pytest.mark.parametrize(("rod", "q", "u"), FLAT)
def test_both_ends_chatter_to_rest_together(rod, q, u):
    """e below 7 - 4 sqrt(3): infinitely many alternating impacts end at one time, which 75 digits give to 1e-9."""
    reference = rod_chatter(rod, q, u)
    assert reference.ends == ("P1", "P2")
    parameters = {name: float(getattr(rod, name)) for name in ("A", "mu", "e")}
    run = simulate("slender_rod", float(reference.t) + 0.1, dict(zip(NAMES, (*q, *u), strict=True)), **parameters)
    assert run.status.name in ("FINISHED", "AT_REST")
    landed = of_kind(run, "chatter", "impact", "touch")["t"].max()
    assert landed == pytest.approx(float(reference.t), abs=1e-9)
    after = run.at(landed)
    np.testing.assert_allclose(after.q, [float(value) for value in reference.q], rtol=0, atol=1e-8)
    np.testing.assert_allclose(after.u, [float(value) for value in reference.u], rtol=0, atol=1e-8)
    assert set(run.modes([run.t_end]).to_numpy()[0]) != {"OPEN"}


SETTLING = (
    (Rod(A=0, mu=0, e=0.5), (0, 0.3, 0.01), (0, 0, 0)),
    (Rod(A=0, mu=0, e=0.5), (0, 0.5, -0.2), (0.3, 0, 0)),
    (Rod(A=0, mu=0, e=0.3), (0, 0.4, 0.1), (0, 0, 0.5)),
)


@pytest.mark.parametrize(("rod", "q", "u"), SETTLING)
def test_a_rod_rattles_to_rest_on_a_fixed_floor(rod, q, u):
    """Single chatters, swings and landings in a cascade that itself accumulates: when and where the rod lies flat."""
    reference = rod_settle(rod, q, u)
    start = dict(zip(NAMES, (*q, *u), strict=True))
    run = simulate("slender_rod", float(reference.t) + 0.5, start, A=0.0, mu=0.0, e=float(rod.e))
    assert run.status.name in ("FINISHED", "AT_REST")
    last = of_kind(run, "chatter", "impact", "touch")["t"].max()
    assert last == pytest.approx(float(reference.t), abs=1e-9)
    assert abs(run.final["theta"]) < 1e-9
    assert abs(run.final["y"]) < 1e-9
    x = float(reference.x + (run.t_end - reference.t) * reference.v_x)
    assert run.final["x"] == pytest.approx(x, abs=1e-9)
    assert "OPEN" not in run.modes([run.t_end]).to_numpy()[0].tolist()

"""The energy ledger closes to 1e-8 of the energy exchanged, and free bodies keep their momentum to 1e-12."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.system import System
from tests.engine.models import rubbing_mass, sprung_discs
from tests.engine.support import exchanged_energy, simulate, unexplained

CLOSED = 1e-8
SETS = 25


def draw(random, **ranges):
    return {name: float(random.uniform(*bounds)) for name, bounds in ranges.items()}


def bouncing_ball(random):
    return draw(random, y=(0.1, 3), d_y=(-3, 3)), draw(random, m=(0.5, 3), e=(0, 0.99)), 6.0


def ball_on_table(random):
    return draw(random, y=(1.6, 4), d_y=(-3, 3)), draw(random, A=(0.01, 1.5), omega=(0.5, 15), e=(0, 0.95)), 15.0


def slender_rod(random):
    start = draw(random, y=(2.6, 6), theta=(-3, 3), d_x=(-2, 2), d_theta=(-8, 8))
    return start, draw(random, A=(0, 1.5), omega=(0.5, 6), mu=(0, 1.0), e=(0, 0.9), L=(0.5, 1), m=(0.5, 2)), 12.0


def impact_oscillator(random):
    return draw(random, x=(-1, 0), d_x=(-2, 2)), draw(random, F=(0, 3), omega=(0.3, 3), d=(0, 1), e=(0.1, 0.95)), 40.0


def belt_oscillator(random):
    ranges = {"k": (2, 40), "c": (0, 1), "v_belt": (0.05, 1), "mu": (0.05, 0.5)}
    parameters = draw(random, **ranges)
    parameters["mu_s"] = parameters["mu"] * random.uniform(1, 1.5)
    return draw(random, x=(-1, 1), d_x=(-1, 1)), parameters, 25.0


def wall_pendulum(random):
    phi = random.uniform(0.3, 1.5)
    parameters = draw(random, wall=(-0.6, 0.2), mu=(0, 0.5), e=(0.1, 0.95))
    return {"x": float(np.sin(phi)), "y": float(-np.cos(phi))}, parameters, 20.0


def two_discs(random):
    start = draw(random, y1=(-0.8, 0.8), d_x1=(0.5, 3), d_phi1=(-10, 10), d_phi2=(-10, 10))
    start |= {"x1": -1.5, "x2": 1.0}
    return start, draw(random, m1=(0.2, 3), m2=(0.2, 3), mu=(0, 1), e=(0, 1)), 6.0


CASES = (bouncing_ball, ball_on_table, slender_rod, impact_oscillator, belt_oscillator, wall_pendulum, two_discs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_ledger_closes(case):
    """Random parameters and starts of every ready-made system."""
    random = np.random.default_rng(2024)
    worst: list[tuple[float, object]] = []
    for _ in range(SETS):
        start, parameters, t_end = case(random)
        run = simulate(case.__name__, t_end, start, **parameters)
        assert run.status.name in ("FINISHED", "AT_REST"), (start, parameters, run.status)
        worst.append((unexplained(run), (start, parameters)))
    worst.sort(key=lambda row: row[0])
    assert worst[-1][0] < CLOSED, worst[-3:]


@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
def test_the_ledger_closes_with_both_integrators(integrator):
    options = jounce.Options(integrator=integrator)
    run = simulate("slender_rod", 50.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8, options=options)
    assert unexplained(run) < CLOSED


@pytest.mark.parametrize("e", [0.0, 0.2, 0.4, 0.6])
def test_the_ledger_closes_when_a_schedule_changes_the_restitution(e):
    """The rod of the demonstration, its bounces cut short at t = 25."""
    run = simulate(
        "slender_rod", 50.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8, schedule=[(25.0, {"e": e})]
    )
    assert run.status.name == "FINISHED"
    assert unexplained(run) < CLOSED


def test_the_ledger_knows_who_did_what():
    """A mass that slides to a stop on a fixed table: friction takes all its kinetic energy, nothing else moves."""
    system = jounce.compile_model(rubbing_mass())
    run = simulate(system, 2.0, {"y": 0.0, "d_x": 1.5}, mu=0.2)
    energy = run.energy.isel(time=-1)
    assert float(energy["friction_loss"]) == pytest.approx(1.5**2 / 2, rel=1e-10)
    assert float(energy["impact_loss"]) == 0.0
    assert float(energy["surface_work"]) == pytest.approx(0.0, abs=1e-12)
    assert float(energy["applied_work"]) == pytest.approx(0.0, abs=1e-12)


def test_a_riding_ball_is_lifted_by_the_table():
    """The work of the table is the ball's own energy: (v^2 - v0^2)/2 + g (y - y0), from the closed form."""
    A, omega, t = 0.2, 5.0, 7.3
    run = simulate("ball_on_table", t, {"y": 0.0, "d_y": A * omega}, A=A, omega=omega)
    expected = (A * omega) ** 2 * (np.cos(omega * t) ** 2 - 1) / 2 + 9.81 * A * np.sin(omega * t)
    assert float(run.energy["surface_work"][-1]) == pytest.approx(expected, abs=1e-9)
    assert len(run.events) <= 1


def test_impact_losses_are_those_of_the_events():
    """The ledger's loss by contact is the sum over the event table."""
    run = simulate("slender_rod", 30.0, {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8)
    by_event = run.events.groupby("contact")["energy_loss"].sum()
    by_contact = run.energy["impact_loss_by_contact"].isel(time=-1).to_series()
    np.testing.assert_allclose(by_event[["P1", "P2"]], by_contact[["P1", "P2"]], rtol=1e-12)
    assert exchanged_energy(run.energy) > 100.0


def test_without_a_ledger_nothing_is_claimed():
    options = jounce.Options(ledger=False)
    run = simulate("ball_on_table", 5.0, {"y": 2.0}, options=options)
    assert np.isnan(run.energy["residual"]).all()


def momentum(run, state):
    """(p_x, p_y, angular momentum about the origin) of two discs."""
    p = run.parameters
    m1, m2, r1, r2 = p["m1"], p["m2"], p["r1"], p["r2"]
    x1, y1, _, x2, y2, _ = state.q
    u1, v1, w1, u2, v2, w2 = state.u
    spin = m1 * r1**2 / 2 * w1 + m2 * r2**2 / 2 * w2
    return np.array([m1 * u1 + m2 * u2, m1 * v1 + m2 * v2, m1 * (x1 * v1 - y1 * u1) + m2 * (x2 * v2 - y2 * u2) + spin])


@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
def test_two_free_discs_keep_their_momentum(law):
    """Linear and angular, to 1e-12 of their sizes, through impacts with and without sticking."""
    random = np.random.default_rng(7)
    hits = 0
    for _ in range(40):
        start, parameters, t_end = two_discs(random)
        run = simulate("two_discs", t_end, start, options=jounce.Options(law=law), **parameters)
        hits += "impact" in run.events["kind"].tolist()
        before, after = momentum(run, run.start), momentum(run, run.final)
        sizes = np.abs(run.start.u).sum() * (parameters["m1"] + parameters["m2"]) * 10
        assert np.abs(after - before).max() < 1e-12 * sizes, (start, parameters)
    assert hits > 20


@cache
def sprung() -> System:
    return jounce.compile_model(sprung_discs())


@pytest.mark.parametrize("mu", [0.0, 0.1, 1.0])
def test_discs_that_roll_on_each_other_keep_their_momentum(mu):
    """Held together by a spring they chatter, slide and roll; spring and contact are internal forces."""
    start = {"x1": -1.2, "y1": 0.1, "x2": 0.0, "y2": 0.0, "d_y1": 1.0, "d_phi1": 5.0, "d_x2": 0.3}
    run = simulate(sprung(), 8.0, start, e=0.4, mu=mu)
    assert run.status.name == "FINISHED"
    assert run.modes([8.0]).item() != "OPEN"
    before, after = momentum(run, run.start), momentum(run, run.final)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)
    assert unexplained(run) < CLOSED


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_force_that_changes_works_on_a_body_that_friction_holds(speed: float, tolerance: float) -> None:
    """V = 10 x sin 7t: at rest the steps are as long as they like, and span several periods of the work."""
    x, dx = jounce.coordinate("x", "m")
    held = jounce.Model.from_lagrangian(
        "held",
        coordinates=[x],
        kinetic=dx**2 / 2,
        potential=10 * x * sp.sin(7 * jounce.time),
        contacts=[jounce.Contact("brake", slip=dx, friction=1, load=(), preload=100)],
    )
    options = jounce.Options(tolerance=tolerance, audit="dense")
    run = jounce.simulate(held, {"x": 1.0, "d_x": speed}, 20.0, options=options)
    assert run.status.ok, run.status
    assert float(abs(run.energy.residual).max()) < max(tolerance, 1e-11) * 10.0

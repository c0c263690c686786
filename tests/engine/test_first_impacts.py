"""Impacts one by one against 40-digit arithmetic, and an orbit that is known in closed form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jounce
from tests.engine.support import of_kind, ready_made, simulate
from tests.references.ball import one_bounce_orbit, table_impacts, table_state
from tests.references.pendulum import wall_impacts
from tests.references.rod import Rod, rod_impacts, rod_state

TABLES = (
    {"A": 1.0, "omega": 3.0, "e": 0.9, "y": 2.0, "v": 0.0},
    {"A": 1.0, "omega": 5.0, "e": 0.8, "y": 1.2, "v": 3.0},
    {"A": 0.02, "omega": 40.0, "e": 0.95, "y": 0.5, "v": 0.0},
    {"A": 0.5, "omega": 0.3, "e": 0.7, "y": 5.0, "v": -2.0},
    {"A": 2.0, "omega": 12.0, "e": 0.3, "y": 3.0, "v": 0.0},
)

# Each impact magnifies an earlier error; over the impacts compared the product of the multipliers stays below 1e5.
COMPARED = 8


@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
@pytest.mark.parametrize("case", TABLES, ids=str)
def test_ball_on_table_against_40_digits(case, integrator):
    """Times and velocities of the first impacts to 1e-9, the state between them too."""
    parameters = {name: case[name] for name in ("A", "omega", "e")}
    reference = table_impacts(COMPARED, y=case["y"], v=case["v"], **parameters)
    middle = float((reference[-2].t + reference[-1].t) / 2)
    options = jounce.Options(integrator=integrator)
    start = {"y": case["y"], "d_y": case["v"]}
    run = simulate("ball_on_table", float(reference[-1].t) + 1e-4, start, options=options, **parameters)
    impacts = of_kind(run, "impact").iloc[:COMPARED]
    np.testing.assert_allclose(impacts["t"], [float(impact.t) for impact in reference], rtol=0, atol=1e-9)
    for impact, t in zip(reference, impacts["t"], strict=True):
        assert run.at(t, "left")["d_y"] == pytest.approx(float(impact.v_before), abs=1e-8)
        assert run.at(t, "right")["d_y"] == pytest.approx(float(impact.v_after), abs=1e-8)
    y, v = table_state(middle, reference)
    assert run.at(middle)["y"] == pytest.approx(float(y), abs=1e-9)
    assert run.at(middle)["d_y"] == pytest.approx(float(v), abs=1e-9)


RODS = (
    (Rod(omega=4.405, mu=0.05, e=0.8), (0, 6, 0.3), (0, 0, 0)),
    (Rod(omega=3.0, mu=0.3, e=0.6), (0, 4, 1.0), (1, 0, 2)),
    (Rod(omega=7.0, mu=0.0, e=0.9, A=0.3), (0, 3, -0.7), (0, -1, -3)),
    (Rod(omega=2.0, mu=0.8, e=0.5, A=0.5), (0, 5, 2.0), (-2, 1, 18.5)),
    (Rod(omega=1.0, mu=2.0, e=0.4, A=0.0, m=2.5, L=0.4), (0, 2, -1.2), (3, 0, -20.5)),
    (Rod(omega=3.0, mu=0.1, e=0.8), (0, 4, 1e-3), (0, 0, 1e-3)),
)


@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
@pytest.mark.parametrize("case", RODS, ids=[f"omega={float(rod.omega):g} mu={float(rod.mu):g}" for rod, _, _ in RODS])
def test_rod_against_40_digits(case, integrator):
    """Times, ends, velocities and impulses of the first impacts with friction to 1e-9."""
    rod, q, u = case
    reference = rod_impacts(rod, 5, q, u)
    start = dict(zip(("x", "y", "theta", "d_x", "d_y", "d_theta"), (*q, *u), strict=True))
    parameters = {name: float(getattr(rod, name)) for name in ("A", "omega", "mu", "e", "g", "m", "L")}
    options = jounce.Options(integrator=integrator)
    run = simulate("slender_rod", float(reference[-1].t) + 1e-7, start, options=options, **parameters)
    impacts = of_kind(run, "impact").iloc[:5]
    assert impacts["contact"].tolist() == [impact.end for impact in reference]
    np.testing.assert_allclose(impacts["t"], [float(impact.t) for impact in reference], rtol=0, atol=1e-9)
    expected = np.array([[*impact.v_before, *impact.v_after, *impact.impulse] for impact in reference], dtype=float)
    columns = ["v_t_before", "v_n_before", "v_t_after", "v_n_after", "p_t", "p_n"]
    np.testing.assert_allclose(impacts[columns].to_numpy(), expected, rtol=0, atol=1e-8)


def test_rod_between_its_impacts():
    """The dense output between the first impacts, to 1e-9."""
    rod, q, u = RODS[0]
    reference = rod_impacts(rod, 4, q, u)
    run = simulate("slender_rod", float(reference[-1].t), {"y": 6, "theta": 0.3}, omega=4.405, mu=0.05, e=0.8)
    for fraction in (0.1, 0.4, 0.77):
        for before, after in itertools.pairwise(reference):
            t = float(before.t + fraction * (after.t - before.t))
            exact_q, exact_u = rod_state(rod, t, reference)
            state = run.at(t)
            np.testing.assert_allclose(state.q, [float(value) for value in exact_q], rtol=0, atol=1e-9)
            np.testing.assert_allclose(state.u, [float(value) for value in exact_u], rtol=0, atol=1e-9)


PENDULA = (
    {"phi": 1.2, "d_phi": 0.0, "wall": -0.5, "e": 0.8, "mu": 0.0},
    {"phi": 1.2, "d_phi": 0.0, "wall": -0.5, "e": 0.8, "mu": 0.2},
    {"phi": 0.9, "d_phi": 1.5, "wall": 0.2, "e": 0.9, "mu": 0.6},
    {"phi": 0.4, "d_phi": -1.0, "wall": 0.0, "e": 0.7, "mu": 0.3},
)


@pytest.mark.parametrize("case", PENDULA, ids=str)
def test_pendulum_against_elliptic_integrals(case):
    """A constrained point mass that hits a wall: times to 1e-9 although its arm is a joint."""
    reference = wall_impacts(5, length=1.0, sigma=1, **case)
    phi, d_phi = case["phi"], case["d_phi"]
    start = {"x": np.sin(phi), "y": -np.cos(phi), "d_x": np.cos(phi) * d_phi, "d_y": np.sin(phi) * d_phi}
    parameters = {name: case[name] for name in ("wall", "e", "mu")}
    run = simulate("wall_pendulum", float(reference[-1].t) + 1e-6, start, **parameters)
    impacts = of_kind(run, "impact").iloc[:5]
    np.testing.assert_allclose(impacts["t"], [float(impact.t) for impact in reference], rtol=0, atol=1e-9)
    normal = np.cos(float(reference[0].phi))
    np.testing.assert_allclose(
        impacts["v_n_after"], [normal * float(impact.d_phi_after) for impact in reference], rtol=0, atol=1e-8
    )


ORBITS = (
    {"k": 1, "A": 1.0, "omega": 3.0, "e": 0.9},
    {"k": 1, "A": 0.1, "omega": 10.0, "e": 0.8},
    {"k": 2, "A": 1.0, "omega": 3.0, "e": 0.85},
)


@pytest.mark.parametrize("case", ORBITS, ids=str)
def test_one_bounce_orbit_is_held_for_ten_thousand_periods(case):
    """A stable orbit of the closed form: after 10,000 periods the same impact, to 1e-9, and 10,000 impacts in all."""
    orbit = one_bounce_orbit(**case)
    assert all(abs(multiplier) < 1 for multiplier in orbit.multipliers)
    t, y, v = (float(value) for value in orbit.state(orbit.period / 2))
    parameters = {name: case[name] for name in ("A", "omega", "e")}
    system = ready_made("ball_on_table")
    options = jounce.Options(record="events")
    run = jounce.simulate(
        system, system.state(t=t, y=y, d_y=v), t + 10_000 * float(orbit.period), options=options, **parameters
    )
    assert run.status.name == "FINISHED"
    assert run.events["kind"].unique().tolist() == ["impact"]
    assert len(run.events) == 10_000
    # at t ~ 2e4 a time is known to 4e-12, a velocity to that times gravity
    assert run.final["y"] == pytest.approx(y, abs=1e-9)
    assert run.final["d_y"] == pytest.approx(v, abs=1e-9)
    late = run.events["t"].to_numpy()[-100:]
    expected = np.array([float(orbit.t + n * orbit.period) for n in range(9_901, 10_001)])
    np.testing.assert_allclose(late, expected, rtol=0, atol=1e-9)

"""Steps by Taylor series: the same motion as by DOP853, in fewer steps, and the states between them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import cos

import jounce
from jounce.model import Contact, Model, coordinate, parameters, time
from jounce.simulation.dense_output import states_at
from tests.engine.support import exchanged_energy, ready_made, simulate

CASES = {
    "impact_oscillator": (25.0, {}, {}),
    "belt_oscillator": (10.0, {"d_x": 0.2}, {}),
    "double_pendulum": (4.0, {"theta": 0.4, "phi": 0.2}, {"d": 0.2, "mu": 0.0, "e": 1.0}),
    "wiper": (1.5, {"phi": math.pi / 8, "y": 1.0}, {"mu": 0.6}),
}
TOLERANCES = (1e-6, 1e-9, 1e-12)


def run_of(name, integrator, tolerance):
    t_end, start, parameters = CASES[name]
    options = jounce.Options(tolerance=tolerance, integrator=integrator)
    return simulate(name, t_end, start, options=options, **parameters)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("name", CASES)
def test_the_same_events_and_states_as_by_the_pair(name, tolerance):
    """Both err by the tolerance times the growth of a disturbance over the run."""
    series, pair = (run_of(name, integrator, tolerance) for integrator in ("taylor", "dop853"))
    assert [*series.events.kind] == [*pair.events.kind]
    np.testing.assert_allclose(series.events.t, pair.events.t, rtol=0, atol=100 * tolerance)
    ends = [np.concatenate([run.final.q, run.final.u]) for run in (series, pair)]
    np.testing.assert_allclose(*ends, rtol=0, atol=300 * tolerance)
    for run in (series, pair):
        assert len(run.audit()) == 0
        assert abs(run.energy.residual).max() <= 10 * tolerance * exchanged_energy(run.energy)


@pytest.mark.parametrize("name", CASES)
def test_fewer_steps(name):
    series, pair = (run_of(name, integrator, 1e-12) for integrator in ("taylor", "dop853"))
    assert len(series.data.step_t) < 0.6 * len(pair.data.step_t)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_states_between_the_ends_of_steps_are_as_good_as_these(tolerance):
    """A double pendulum whose wall is out of reach, against SciPy."""
    system = ready_made("double_pendulum")
    start = system.state(theta=2.0, phi=-1.0)
    p = system.parameters(d=3.0, mu=0.0)
    run = jounce.simulate(system, start, 2.0, d=3.0, mu=0.0, options=jounce.Options(tolerance=tolerance))
    times = np.linspace(0.0, 2.0, 400)

    def rate(t, z):
        out = np.zeros(2)
        system.functions.free_acceleration(t, z[:2].copy(), z[2:].copy(), p, out)
        return np.concatenate([z[2:], out])

    z0 = np.concatenate([start.q, start.u])
    exact = solve_ivp(rate, (0.0, 2.0), z0, "DOP853", t_eval=times, rtol=1e-13, atol=1e-13).y.T
    assert len(run.events) == 0
    np.testing.assert_allclose(states_at(run.data, times, "right"), exact, rtol=0, atol=300 * tolerance + 1e-11)


def forced(force):
    """A mass on a spring under a force, with a wall far away."""
    x, v = coordinate("x", "m")
    (e,) = parameters(e=0.5)
    wall = Contact("wall", gap=x + 1e3, restitution=e)
    model = Model.from_lagrangian(
        "forced", coordinates=[x], kinetic=v**2 / 2, potential=x**2 / 2, forces={x: force(x, v)}, contacts=[wall]
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize(
    "steep",
    [
        lambda x, v: -v / (v**2 + 1e-6) ** 0.5,  # almost a sign
        lambda x, v: 1 / (1 + 1e4 * (time - 2) ** 2),  # a pulse, whose poles show from afar
        lambda x, v: (time - 1) ** 9 / (1 + (time - 1) ** 8),
    ],
)
def test_steep_forces_are_not_stepped_over(steep):
    system = forced(steep)
    assert system.series
    run = jounce.simulate(system, system.state(x=1.0), 6.0, options=jounce.Options(tolerance=1e-9))
    p = system.parameters()

    def rate(t, z):
        out = np.zeros(1)
        system.functions.free_acceleration(t, z[:1].copy(), z[1:].copy(), p, out)
        return [z[1], out[0]]

    exact = solve_ivp(rate, (0.0, 6.0), [1.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13, max_step=1e-2).y[:, -1]
    np.testing.assert_allclose([*run.final.q, *run.final.u], exact, rtol=0, atol=1e-6)


def test_a_series_that_leaves_the_domain_ends_with_a_status():
    """x'' = 1/sqrt(1 - t) has no motion behind t = 1."""
    system = forced(lambda x, v: 1 / (1 - time) ** 0.5)
    run = jounce.simulate(system, system.state(x=1.0), 2.0)
    assert run.status.name in ("STEP_UNDERFLOW", "NOT_FINITE")
    assert run.final.t == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("power", [8, 12, 100])
def test_pulses_between_long_steps_are_not_stepped_over(power):
    """cos(t)^100 and its first hundred derivatives vanish between two pulses: no series there knows of them."""
    x, dx = jounce.coordinate("x", "m")
    model = jounce.Model.from_lagrangian(
        f"pulses{power}",
        coordinates=[x],
        kinetic=dx**2 / 2,
        potential=x**2 / 200,
        forces={x: 3 * cos(jounce.time) ** power},
    )
    run = jounce.simulate(model, None, 30.0, tolerance=1e-10)
    exact = solve_ivp(
        lambda t, z: [z[1], 3 * np.cos(t) ** power - z[0] / 100], (0, 30), [0, 0], rtol=1e-12, atol=1e-12, max_step=0.02
    ).y[:, -1]
    assert [*run.final.q, *run.final.u] == pytest.approx(exact, abs=1e-7)

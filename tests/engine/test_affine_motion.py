"""Modes with affine equations: one step by a series of high order reaches from event to event, and loses none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sympy import cos

import jounce
from jounce.model import Contact, Model, coordinate, parameters, time
from jounce.simulation.templates import affine_order
from tests.engine.support import ready_made


@pytest.fixture(scope="module")
def spring():
    """A mass on a spring before a wall that moves to and fro."""
    x, v = coordinate("x", "m")
    m, k, d, a, omega, e = parameters(m=1.0, k=1.0, d=1.0, a=0.0, omega=1.0, e=1.0)
    wall = Contact("wall", gap=d - x + a * cos(omega * time), restitution=e)
    return jounce.compile_model(
        Model.from_lagrangian("spring", coordinates=[x], kinetic=m * v**2 / 2, potential=k * x**2 / 2, contacts=[wall])
    )


def test_which_models_are_affine(spring):
    assert spring.series_affine
    assert ready_made("belt_oscillator").series_affine
    assert ready_made("impact_oscillator").series_affine
    assert not ready_made("double_pendulum").series_affine
    assert not ready_made("wiper").series_affine


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e5])
@pytest.mark.parametrize("mass", [1.0, 0.7, 3.1])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_a_stick_and_a_slip_are_one_step_each(tolerance, mass, unit):
    """Against the closed form: a harmonic motion about mu m g/k, a straight line at the speed of the belt."""
    system = ready_made("belt_oscillator")
    k, g, mu, mu_s, v = 10.0 * mass, 9.81 * unit, 0.3, 0.4, 0.2 * unit
    w, a = math.sqrt(k / mass), (mu_s - mu) * mass * g / k
    slides, sticks = (math.pi + 2 * math.atan2(v / w, a)) / w, 2 * a / v
    times = np.cumsum([mu_s * mass * g / k / v] + [slides, sticks] * 4)
    run = jounce.simulate(
        system,
        system.state(d_x=v),
        times[-1] + 0.1,
        m=mass,
        k=k,
        g=g,
        v_belt=v,
        options=jounce.Options(tolerance=tolerance),
    )
    np.testing.assert_allclose(run.events.t, times, rtol=0, atol=100 * tolerance)
    steps = np.searchsorted(run.data.step_t, run.events.t)
    assert (np.diff(steps)[2:] == 1).all()  # the first slip and the first stick begin with short steps
    assert run.audit().empty


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10, 1e-12])
@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9, -1e-9, -1e-6])
def test_a_wall_near_the_turning_point_is_hit_or_missed(spring, depth, tolerance):
    """x = -cos(t) reaches 1 at t = pi: its gap has two roots close together in the middle of one long step."""
    run = jounce.simulate(spring, spring.state(x=-1.0), 5.0, d=1.0 - depth, options=jounce.Options(tolerance=tolerance))
    hits = run.events[run.events.kind == "impact"]
    if depth > max(0.0, 10 * tolerance):
        assert len(hits) == 1
        exact = math.acos(-(1.0 - depth))
        assert abs(hits.t.iloc[0] - exact) <= max(30 * tolerance / math.sqrt(2 * depth), 1e-12)
    elif depth < -10 * tolerance:
        assert hits.empty


@pytest.mark.parametrize("omega", [2.3, 17.0, 60.0])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_a_wall_that_moves_much_faster_than_the_mass_loses_no_impact(spring, omega, tolerance):
    runs = [
        jounce.simulate(
            spring,
            spring.state(x=-1.6),
            8.0,
            a=0.2,
            omega=omega,
            e=0.9,
            options=jounce.Options(tolerance=tight, integrator=pair),
        )
        for pair, tight in (("taylor", tolerance), ("dop853", 1e-13))
    ]
    first, second = (run.events[run.events.kind == "impact"].t.to_numpy()[:4] for run in runs)
    np.testing.assert_allclose(first, second, rtol=0, atol=1e4 * tolerance)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_the_ledger_closes_over_long_steps(tolerance):
    """The power of the force has 1.8 times the frequency of the motion, more than its series resolves on a step."""
    system = ready_made("impact_oscillator")
    run = jounce.simulate(system, system.state(x=0.0), 80.0, options=jounce.Options(tolerance=tolerance))
    assert float(np.abs(run.energy["residual"]).max()) < max(20 * tolerance, 1e-12)


def test_steps_are_as_long_as_the_order_promises(spring):
    """w h = 4.4 or a little more, of a free oscillation."""
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        run = jounce.simulate(spring, spring.state(x=-0.5), 200.0, options=jounce.Options(tolerance=tolerance))
        assert affine_order(tolerance) <= 28
        assert 3.5 < np.median(run.data.step_h) < 6.0

"""Friction at its limit, to rounding: stick or slip, one of them goes on, and no paradox is claimed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from sympy import cos, pi, sin

import jounce
from jounce import Contact, Model, Options, coordinates, time
from jounce import parameters as named


@pytest.fixture(scope="module")
def plate():
    """A block on a plate that shakes sideways."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, amplitude, om, mu = named(g=9.81, A=0.1, om=5.0, mu=0.3)
    return jounce.compile_model(
        Model.from_lagrangian(
            "shaken_plate",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=g * y,
            contacts=[Contact("p", gap=y, slip=dx - amplitude * om * cos(om * time), friction=mu)],
            period=2 * pi / om,
            start={},
        )
    )


def largest_lag(excess: float, mu_g: float, omega: float) -> float:
    """The largest slip velocity of one excursion, |A omega^2| = mu g (1 + excess), from rest on the plate.

    It slips from sin(b) = 1/(1 + excess) on; the relative acceleration mu g ((1 + excess) sin(w t) - 1) is positive
    until pi - b: in all mu g/w (2 (1 + excess) cos(b) - pi + 2 b), which cancels to the power 3/2 of the excess.
    """
    with mp.workdps(50):
        ratio = 1 + mp.mpf(excess)
        begin = mp.asin(1 / ratio)
        return float(mp.mpf(mu_g) / omega * (2 * ratio * mp.cos(begin) - mp.pi + 2 * begin))


@pytest.mark.parametrize("seed", range(60))
def test_a_plate_near_the_limit(plate, seed):
    """Within 1e-15 to 1e-1 of the limit, in any units: it ends, the slip is as large as the closed form's."""
    rng = np.random.default_rng(7000 + seed)
    excess = 10.0 ** rng.uniform(-15, -1) * rng.choice([-1, 1])
    mu, period, length = rng.uniform(0.05, 2), 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-2, 2)
    om = rng.uniform(1, 20) / period
    g = 9.81 * length / period**2
    amplitude = mu * g / om**2 * (1 + excess)
    t_end = 5 * 2 * math.pi / om
    run = jounce.simulate(
        plate, plate.state(d_x=amplitude * om), t_end, A=amplitude, om=om, mu=mu, g=g, options=Options(max_events=2000)
    )
    assert run.status.name == "FINISHED", run.status
    assert "paradox" not in set(run.events["kind"])
    t = np.linspace(0, t_end, 1001)
    slip = run.states(t)[:, 2] - amplitude * om * np.cos(om * t)
    speed = amplitude * om
    rounding = 1e-9 * speed + 1e-9  # the tolerance of the integrator is absolute where velocities are small
    assert np.abs(slip).max() <= (1.001 * largest_lag(excess, mu * g, om) if excess > 0 else 0.0) + rounding
    if excess < 2e-10:
        assert len(run.events) == 0
    elif 1e-8 < excess < 1e-2:
        # twice in each of five periods, from where the closed form says
        assert run.events["kind"].tolist() == ["slip", "stick"] * 10
        begin = math.asin(1 / (1 + excess)) / om
        assert run.events["t"].iloc[0] == pytest.approx(begin, rel=1e-9, abs=1e-14 / math.sqrt(excess) / om)
    power = run.contact_forces(t).sel(contact="p")["lambda_T"].values * slip
    assert (power <= mu * g * rounding).all()


@pytest.fixture(scope="module")
def slope():
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, tilt, mu = named(g=9.81, tilt=0.3, mu=0.3)
    return jounce.compile_model(
        Model.from_lagrangian(
            "critical_slope",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=g * cos(tilt) * y - g * sin(tilt) * x,
            contacts=[Contact("p", gap=y, slip=dx, friction=mu)],
            start={},
        )
    )


@pytest.mark.parametrize("seed", range(24))
def test_a_slope_at_the_angle_of_friction(seed, slope):
    """tan(tilt) = mu to rounding, or off by a little: it stays, or slides as the closed form says."""
    rng = np.random.default_rng(8000 + seed)
    tilt = rng.uniform(0.05, 1.2)
    off = 0.0 if seed % 4 == 0 else 10.0 ** rng.uniform(-15, -1) * rng.choice([-1, 1])
    mu = math.tan(tilt) * (1 + off)
    g, t_end = 9.81 * 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-2, 2)
    run = jounce.simulate(slope, slope.state(), t_end, tilt=tilt, mu=mu, g=g)
    assert run.status.ok, run.status
    assert len(run.events) <= 1
    acceleration = max(0.0, -off) * math.sin(tilt) * g
    assert run.final["x"] == pytest.approx(acceleration * t_end**2 / 2, rel=1e-6, abs=1e-9 * g * t_end**2)

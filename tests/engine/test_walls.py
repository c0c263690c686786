"""Flights towards walls at any angle to gravity, still or shaking: the first impact against roots of mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from sympy import cos, sin

import jounce
from jounce import Contact, Model, coordinates, parameters, time

GRAVITY = 9.81


@pytest.fixture(scope="module")
def wall():
    """A point and a wall with the inner normal (cos a, sin a) that shakes along it."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, a, A, w = parameters(g=(GRAVITY, "m/s^2"), a=(math.pi, "rad"), A=(0.0, "m"), w=(20.0, "rad/s"))
    gap = 1 - A * sin(w * time) + cos(a) * x + sin(a) * y
    kinetic, potential = (dx**2 + dy**2) / 2, g * y
    contact = Contact("wall", gap=gap, restitution=1)
    model = Model.from_lagrangian("wall", coordinates=[x, y], kinetic=kinetic, potential=potential, contacts=[contact])
    return jounce.compile_model(model)


def angles(count, rng):
    """Along gravity to within 1 ... 1e-17 of it, on either side; every third exactly as close as a double can be."""
    offset = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-17, 0, count)
    offset[::3] = 0.0
    return math.pi + offset


def exact_landing(a, v_x, v_y):
    """The first positive root of 1 + cos(a) x + sin(a) y; None if the point never gets there."""
    with mpmath.workdps(60):
        value, rate, curvature = mpmath.mpf(1), mpmath.cos(a) * v_x + mpmath.sin(a) * v_y, -mpmath.sin(a) * GRAVITY
        square = rate**2 - 2 * value * curvature
        if square <= 0:
            return None
        root = mpmath.sqrt(square)
        x = -(rate + root) if rate >= 0 else -rate + root
        return min((s for s in (2 * value / x, x / curvature) if s > 0), default=None)


def test_impact_with_a_wall_at_any_angle(wall):
    rng = np.random.default_rng(0)
    met = 0
    for a in angles(300, rng):
        v_x, v_y = rng.uniform(0.5, 5.0), rng.uniform(-3.0, 3.0)
        run = jounce.simulate(wall, wall.state(d_x=v_x, d_y=v_y), 10.0, a=a)
        exact = exact_landing(a, v_x, v_y)
        if exact is not None and exact < 10.0:
            assert run.events.t.iloc[0] == pytest.approx(float(exact), rel=1e-13), (a, v_x, v_y)
            met += 1
        else:
            assert not len(run.events), (a, v_x, v_y)
    assert met > 250


def test_impact_with_a_shaking_wall_at_any_angle(wall):
    """The gap that the recorded motion has is nowhere negative, and zero at the impact."""
    rng = np.random.default_rng(1)
    met = 0
    for a in angles(150, rng):
        v_x, v_y = rng.uniform(0.5, 5.0), rng.uniform(-3.0, 3.0)
        run = jounce.simulate(wall, wall.state(d_x=v_x, d_y=v_y), 3.0, a=a, A=0.01)
        t = np.sort(np.concatenate([np.linspace(0.0, 3.0, 400), run.events.t]))
        x, y = run.states(t)[:, :2].T
        gap = 1.0 - 0.01 * np.sin(20.0 * t) + np.cos(a) * x + np.sin(a) * y
        assert gap.min() > -1e-12, (a, v_x, v_y)
        met += len(run.events) > 0
    assert met > 120

"""Attractors of sampled controllers: a force that is held deviates as the motion does, and settles with it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm
from sympy import Rational, cos, pi

import jounce

DELAYS = [0.05, 0.1, 0.15]
EVERY, K, D = 0.3, 6.0, 4.0


@cache
def driven_broom():
    """x'' = x + F + cos(2 pi t/0.6), F = -K x - D x' of the last sample, a delay later."""
    x, dx = jounce.coordinate("x", "rad")
    (delay,) = jounce.parameters(delay=(0.05, "s"))
    force = jounce.discrete("F", 0.0)
    resets = jounce.sampled({force: -K * x - D * dx}, every=EVERY, delay=delay)
    drive = cos(2 * pi * jounce.time / Rational(6, 10))
    model = jounce.Model("driven_broom", [x], [1], [x + force + drive], resets=resets, start={x: 0.1}, period=0.6)
    return jounce.compile_model(model)


def growth_from_sample_to_sample(delay: float) -> float:
    """The logarithm of the spectral radius of the map (x, x', F) from sample to sample, by matrix exponentials."""
    flow = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    change = expm(flow * delay)
    change[2] = -K, -D, 0.0
    return float(np.log(np.abs(np.linalg.eigvals(expm(flow * (EVERY - delay)) @ change)).max()))


def test_stable_controllers_are_periodic():
    """The motion repeats after two samples; a held force that differs by rounding is the same force."""
    found = jounce.sweep(driven_broom(), "delay", DELAYS, "reset:sample", transient=200, keep=5).attractors
    assert found["kind"].tolist() == ["periodic"] * 3
    assert found["period"].tolist() == [2] * 3


def test_deviations_grow_as_the_map_says():
    """Stopped before it settles: the mean growth of a twin's deviation is the largest multiplier."""
    diagram = jounce.sweep(driven_broom(), "delay", DELAYS[:2], "reset:sample", transient=5, keep=5, patience=1)
    expected = [growth_from_sample_to_sample(delay) for delay in DELAYS[:2]]
    assert diagram.attractors["exponent"].to_numpy() == pytest.approx(expected, abs=0.02)


def test_states_that_take_held_values_hold_values():
    """A delayed force takes the value of a sample on its way: both change with the motion; a counter does not."""
    assert driven_broom().outline.real_states == ("F", "F_sample_0")

"""Perturbations that oscillate while the motion itself does not: how long its steps are says nothing of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import mathieu_a, mathieu_b
from sympy import Symbol, cos, pi, sign, sin

import jounce
from jounce import Contact, Model, coordinate, parameters
from tests.literature.case import UNITS
from tests.units.rescaling import Units

near = np.testing.assert_allclose
time = jounce.time


def at_rest(name: str, stiffness: Symbol, *symbols: Symbol, stop: bool = False) -> Model:
    """x'' + stiffness x = 0, at rest in x = 0; far from a stop, which has the flow found in another way."""
    x, _dx = coordinate("x", "m")
    (rate,) = parameters(rate=(1.0, "1/s"))
    contacts = [Contact("stop", gap=1 - x, restitution=0.5)] if stop else []
    return Model(name, [x], [1], [-stiffness(rate) * x], contacts=contacts, period=2 * pi / rate)


def mathieu(stop: bool = False) -> Model:
    a, q = parameters(a=(2.2, "1/s^2"), q=(0.5, "1/s^2"))
    return at_rest("mathieu", lambda rate: a - 2 * q * cos(2 * rate * time), stop=stop)


def scaled(model: Model, units: Units, **values: float) -> dict[str, float]:
    return {name: values.get(name, x) * units.factor(model.parameters[name].unit) for name, x in model.defaults.items()}


def trace_of_mathieu(a: float, q: float) -> float:
    def rates(t: float, y: np.ndarray) -> list[float]:
        k = a - 2 * q * math.cos(2 * t)
        return [y[1], -k * y[0], y[3], -k * y[2]]

    end = solve_ivp(rates, (0, 2 * math.pi), [1, 0, 0, 1], method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    return float(end[0] + end[3])


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize(("a", "q"), [(2.2, 0.5), (20.0, 3.0), (400.0, 20.0)])
def test_the_multipliers_of_mathieus_equation(a: float, q: float, stop: bool, units: str) -> None:
    model = mathieu(stop)
    orbit = jounce.find_orbit(model, {"x": 0.0}, "phase:0", **scaled(model, UNITS[units], a=a, q=q))
    assert orbit.irregular == 0
    near(orbit.multipliers.sum(), trace_of_mathieu(a, q), atol=1e-9)
    near(orbit.multipliers.prod(), 1.0, atol=1e-10)


def test_the_multipliers_of_meissners_equation() -> None:
    """A stiffness that jumps: sqrt(a + e) and sqrt(a - e) for half a period each (Meissner 1918)."""
    a, e = parameters(a=(1.2, "1/s^2"), e=(0.1, "1/s^2"))
    model = at_rest("meissner", lambda rate: a + e * sign(sin(rate * time)))
    for value in (0.15, 1.2, 30.0):
        v, w = math.sqrt(value + 0.1), math.sqrt(value - 0.1)
        trace = 2 * math.cos(v * math.pi) * math.cos(w * math.pi)
        trace -= (v / w + w / v) * math.sin(v * math.pi) * math.sin(w * math.pi)
        orbit = jounce.find_orbit(model, {"x": 0.0}, "phase:0.25", a=value, e=0.1)
        near(orbit.multipliers.sum(), trace, atol=1e-10)


def test_borders_of_stability_without_losses() -> None:
    """The characteristic values of Mathieu's functions, and no torus, since all pairs stay on the unit circle."""
    x, _dx = coordinate("x", "m")
    a, q = parameters(a=(2.2, "1/s^2"), q=(0.5, "1/s^2"))
    model = Model("mathieu", [x], [1], [-(a - 2 * q * cos(2 * time)) * x], period=pi)
    orbit = jounce.find_orbit(model, {"x": 0.0}, "phase:0", a=2.2)
    found = jounce.continue_orbit(orbit, "a", (-0.5, 5.0)).specials
    exact = [mathieu_a(0, 0.5), mathieu_b(1, 0.5), mathieu_a(1, 0.5), mathieu_b(2, 0.5), mathieu_a(2, 0.5)]
    near([special.parameter for special in found], exact, atol=1e-9)
    assert [special.kind == "period_doubling" for special in found] == [False, True, True, False, False]
    assert "neimark_sacker" not in {special.kind for special in found}


def test_exponents_of_a_motion_that_rests() -> None:
    """The logarithm of the larger multiplier over the period, for a start along its eigenvector or not."""
    model = mathieu()
    system = jounce.compile_model(model)
    trace = trace_of_mathieu(1.0, 0.5)
    growth = math.log(abs(trace) / 2 + math.sqrt(trace**2 / 4 - 1)) / (2 * math.pi)
    found = jounce.lyapunov(system, {"x": 0.0}, 400 * math.pi, transient=20 * math.pi, a=1.0).exponents
    near(found, [growth, -growth], atol=2e-3)
    near(found.sum(), 0.0, atol=1e-11)

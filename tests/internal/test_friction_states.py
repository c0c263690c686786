"""Friction with internal states: steady sliding, hysteresis and evolution in closed form, motions against SciPy."""

from __future__ import annotations

from collections.abc import Callable
from math import asinh, exp, log, sin, tanh
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce

t = jounce.time


def sheared(friction: Any, **rest: Any) -> jounce.System:
    """The friction of a motion that is given: its work is that on a coordinate w with the power F v."""
    w, _ = jounce.coordinate("w", "J")
    return jounce.compile_model(jounce.Model("sheared", [w], [1], [0], rates=friction.rates, **rest))


def value(friction: Any, state: jounce.State, at: float) -> float:
    """The force at a state of ``sheared``."""
    numbers = {symbol: state[symbol.name] for symbol in friction.rates} | {t: at}
    return float(friction.force.xreplace(numbers))


def test_dahl_has_the_hysteresis_of_its_closed_form() -> None:
    """Between -A and A the ends of the loop are F_c tanh(sigma A/F_c), and it has the area 4 F_c A (1 - tanh(k)/k)."""
    A, sigma, most = 0.02, 150.0, 2.0
    friction = jounce.dahl(A * sp.cos(t), stiffness=sigma, limit=most, name="F")
    run = jounce.simulate(sheared(friction), None, t_end=14.5 * np.pi, tolerance=1e-11)
    end = run.at(14.5 * np.pi)["F"]
    k = sigma * A / most
    assert end == pytest.approx(most * tanh(k), rel=1e-8)
    times = np.linspace(12.5, 14.5, 40001) * np.pi
    forces = np.array([state["F"] for state in run.at(times)])
    area = np.trapezoid(forces * A * np.cos(times), times)
    assert area == pytest.approx(4 * most * A * (1 - tanh(k) / k), rel=1e-6)


def test_dahl_with_another_shape_follows_its_own_curve() -> None:
    """i = 2: the force over the way x at constant velocity is F_c (1 - 1/(1 + sigma x/F_c))."""
    friction = jounce.dahl(0.3, stiffness=150.0, limit=2.0, shape=2, name="F")
    run = jounce.simulate(sheared(friction), None, t_end=1.0, tolerance=1e-11)
    assert run.final["F"] == pytest.approx(2.0 * (1 - 1 / (1 + 150.0 * 0.3 / 2.0)), rel=1e-9)


def test_lugre_slides_with_the_stribeck_curve() -> None:
    for v in (0.002, -0.05):
        friction = jounce.lugre(v, stiffness=1e4, damping=50.0, viscous=0.4, coulomb=1.0, static=1.5, stribeck=0.01)
        run = jounce.simulate(sheared(friction), None, t_end=4.0, tolerance=1e-11)
        g = 1 + 0.5 * exp(-((v / 0.01) ** 2))
        assert -value(friction, run.final, 4.0) == pytest.approx(np.sign(v) * g + 0.4 * v, rel=1e-9)


def slider(friction: Callable[[Any], Any]) -> tuple[jounce.Model, Callable[..., Any]]:
    """A block that a spring pulls, and its equations for SciPy."""
    x, dx = jounce.coordinate("x", "m")
    found = friction(dx)
    (z, rate), *_ = found.rates.items()
    model = jounce.Model.from_lagrangian(
        "slider", coordinates=[x], kinetic=dx**2 / 2, potential=2 * (x - t / 10) ** 2 / 2,
        forces={x: found.force}, rates=found.rates,
    )  # fmt: skip
    numbers = sp.lambdify([dx, z], [found.force, rate], "numpy")

    def rhs(now: float, y: np.ndarray) -> list[float]:
        force, growth = numbers(y[1], y[2])
        return [y[1], -2 * (y[0] - now / 10) + force, growth]

    return model, rhs


LAWS: dict[str, Callable[[Any], Any]] = {
    "dahl": lambda v: jounce.dahl(v, stiffness=100.0, limit=1.0, name="z"),
    "lugre": lambda v: jounce.lugre(
        v, stiffness=1e3, damping=30.0, viscous=0.4, coulomb=1.0, static=1.5, stribeck=0.1, name="z"
    ),
    "elastoplastic": lambda v: jounce.elastoplastic(v, stiffness=1e3, damping=30.0, viscous=0.4, coulomb=1.0, name="z"),
    "aging": lambda v: jounce.rate_and_state(
        v, normal=2.0, mu=0.6, a=0.05, b=0.08, length=0.05, reference=0.1, name="z"
    ),
    "slip": lambda v: jounce.rate_and_state(
        v, normal=2.0, mu=0.6, a=0.05, b=0.08, length=0.05, reference=0.1, law="slip", name="z"
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_pulled_block_moves_as_with_scipy(law: str) -> None:
    model, rhs = slider(LAWS[law])
    run = jounce.simulate(model, {"d_x": 0.1}, t_end=8.0, tolerance=1e-11)
    wanted = solve_ivp(rhs, (0.0, 8.0), [0.0, 0.1, 0.0], method="LSODA", rtol=1e-11, atol=1e-13, max_step=5e-3)
    found = [run.final[name] for name in ("x", "d_x", "z")]
    np.testing.assert_allclose(found, wanted.y[:, -1], rtol=1e-6, atol=1e-8)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-8
    # steps as long as the bristles' own time are stable, but inside of them accelerations are less exact
    assert jounce.simulate(model, {"d_x": 0.1}, t_end=8.0, options=jounce.Options(largest_step=0.05)).audit().empty


def test_elastoplastic_does_not_drift_where_lugre_does() -> None:
    """A force that oscillates below breakaway bends the bristles; LuGre creeps with every period."""
    x, dx = jounce.coordinate("x", "m")
    crept = {}
    for law in (jounce.lugre, jounce.elastoplastic):
        friction = law(dx, stiffness=1e3, damping=60.0, coulomb=1.0)
        push = 0.35 + sp.Rational(1, 5) * sp.sin(5 * t)
        model = jounce.Model("pushed", [x], [1], [push + friction.force], rates=friction.rates)
        run = jounce.simulate(model, None, t_end=3 + 20 * 2 * np.pi / 5)
        early, late = run.at([3.0, run.t_end])
        crept[law] = late["x"] - early["x"]
    assert abs(crept[jounce.elastoplastic]) < 1e-9
    assert crept[jounce.lugre] > 1e-4


def test_a_velocity_step_of_rate_and_state_friction_evolves_in_closed_form() -> None:
    """Aging law behind a step to v: theta = L/v + (theta_0 - L/v) e^(-v t/L); in the end mu + (a - b) ln(v/v_0)."""
    N, mu, a, b, L, v0, v = 50.0, 0.6, 0.01, 0.015, 1e-5, 1e-6, 1e-5
    friction = jounce.rate_and_state(v, normal=N, mu=mu, a=a, b=b, length=L, reference=v0)
    run = jounce.simulate(sheared(friction), None, t_end=30.0, tolerance=1e-11)
    for now in (0.0, 0.5, 2.0):
        theta = L / v + (L / v0 - L / v) * exp(-v * now / L)
        assert run.at(now)["psi"] == pytest.approx(log(v0 * theta / L), rel=1e-8, abs=1e-12)
    assert -value(friction, run.final, 30.0) / N == pytest.approx(mu + (a - b) * log(v / v0), rel=1e-9)
    first = a * asinh(v / (2 * v0) * exp(mu / a))
    assert -value(friction, run.start, 0.0) / N == pytest.approx(first, rel=1e-12)


def test_an_orbit_with_a_bristle_has_the_multipliers_of_finite_differences() -> None:
    """A driven block with LuGre friction: three multipliers, against differences of SciPy's map of a period."""
    x, dx = jounce.coordinate("x", "m")
    friction = jounce.lugre(dx, stiffness=40.0, damping=1.0, viscous=0.2, coulomb=0.5, name="z")
    model = jounce.Model(
        "driven", [x], [1], [-x + sp.sin(t) + friction.force], rates=friction.rates, period=2 * sp.pi
    )  # fmt: skip
    system = jounce.compile_model(model)
    orbit = jounce.find_orbit(system, jounce.simulate(system, None, t_end=20 * np.pi).final, "phase:0")
    start = np.array([orbit.state["x"], orbit.state["d_x"], orbit.state["z"]])

    def rhs(now: float, y: np.ndarray) -> list[float]:
        rate = y[1] - 40 * abs(y[1]) * y[2] / 0.5
        return [y[1], -y[0] + sin(now) - (40 * y[2] + rate + 0.2 * y[1]), rate]

    def after(y: np.ndarray) -> np.ndarray:
        return solve_ivp(rhs, (0.0, 2 * np.pi), y, method="DOP853", rtol=1e-12, atol=1e-14, max_step=0.02).y[:, -1]

    np.testing.assert_allclose(after(start), start, atol=1e-8)
    step = 1e-5
    columns = [(after(start + step * e) - after(start - step * e)) / (2 * step) for e in np.eye(3)]
    wanted = np.linalg.eigvals(np.array(columns).T)
    assert len(orbit.multipliers) == 3
    np.testing.assert_allclose(np.sort_complex(orbit.multipliers), np.sort_complex(wanted), atol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: jounce.lugre(1.0, stiffness=1, coulomb=1, static=2), "belong together"),
        (lambda: jounce.elastoplastic(1.0, stiffness=1, coulomb=1, breakaway=1.5), "between 0 and 1"),
        (
            lambda: jounce.rate_and_state(1, normal=1, mu=1, a=1, b=1, length=1, reference=1, law="ageing"),
            "did you mean 'aging'",
        ),
    ],
)
def test_mistakes_are_named(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(jounce.ModelError, match=words):
        make()

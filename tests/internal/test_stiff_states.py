"""Internal states that are damped much faster than anything moves: against SciPy, inside the steps too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce

T_END = 2.0


def shaken(stiffness: float) -> tuple[jounce.Model, Any]:
    """A block that a force drags to and fro over bristles, and its equations; mean velocities of 1 m/s."""
    x, dx = jounce.coordinate("x", "m")
    friction = jounce.lugre(dx, stiffness=stiffness, damping=2.0, coulomb=0.5, static=0.8, stribeck=0.01, name="z")
    ((z, rate),) = friction.rates.items()
    force = 4 * sp.cos(3 * jounce.time) + friction.force
    model = jounce.Model("shaken", [x], [1], [force], rates=friction.rates, start={dx: 0.3})
    numbers = sp.lambdify([jounce.time, dx, z], [force, rate], "math")
    return model, lambda t, y: [y[1], *numbers(t, y[1], y[2])]


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("stiffness", [3e2, 3e3, 3e4])
def test_bristles_between_the_ends_of_steps(stiffness: float, integrator: str) -> None:
    model, rates = shaken(stiffness)
    options = jounce.Options(tolerance=1e-8, integrator=integrator, audit="dense")
    run = jounce.simulate(model, None, T_END, options=options)
    assert run.status.name == "FINISHED", run.status.message
    t = np.linspace(0.0, T_END, 4001)
    expected = solve_ivp(rates, (0, T_END), [0.0, 0.3, 0.0], "Radau", t, rtol=1e-10, atol=1e-14).y
    states = run.at(t)
    largest = np.abs(expected).max(axis=1)
    found = np.array([[state["x"], state["d_x"], state["z"]] for state in states]).T
    np.testing.assert_array_less(np.abs(found - expected).max(axis=1), 2e-6 * largest)


def test_explicit_steps_are_no_longer_than_they_are_stable_for() -> None:
    """At its balance a state shows no error, however long the steps."""
    run = jounce.simulate(shaken(3e4)[0], None, T_END, options=jounce.Options(tolerance=1e-8, integrator="dop853"))
    ends = run.states(run.data.step_t[1:], side="left")[:, len(run.coordinates) + run.coordinates.index("x")]
    assert max(run.data.step_h[:-1] * 3e4 * np.abs(ends) / 0.5) < 4.001


def test_implicit_steps_are_as_long_as_the_motion_allows() -> None:
    counts = [
        len(jounce.simulate(shaken(stiffness)[0], None, T_END, tolerance=1e-8).data.step_t)
        for stiffness in (3e3, 3e4, 3e5)
    ]
    assert max(counts) < 2000  # explicit ones: 4,000, 40,000 and 400,000
